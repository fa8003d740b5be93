package inbox

import (
	"net/http"
	"strconv"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/ident"
)

// redirectFor is the time in seconds for which a browser keeps the address of a file, so that a page that is drawn again does
// not load its pictures again. The address works for longer.
const redirectFor = 1800

// sight is a file of a message as the page shows it.
type sight struct {
	inbox.MessageFile

	ID    string // in the page
	URL   string // empty: the file is not here
	Small string // of its thumbnail; empty: there is none
	Words string // instead of the file
}

// Bytes returns the size in words; empty: it is not known.
func (s sight) Bytes() string {
	if s.Size <= 0 {
		return ""
	}
	return workspace.Bytes(s.Size)
}

// sights returns the files of a message of the conversation at a path.
func sights(path string, m inbox.Message) (list []sight) {
	for _, f := range m.Files {
		s := sight{MessageFile: f, ID: "file-" + m.ID.String() + "-" + strconv.Itoa(f.N)}
		switch {
		case f.State == inbox.Waiting && f.Fault == "":
			s.Words = "Loading the file…"
		case f.State == inbox.Waiting:
			s.Words = "Loading the file again: " + f.Fault
		case f.State != inbox.Ready:
			s.Words = "This file could not be loaded: " + f.Fault
		case f.Object.IsZero():
			s.Words = "This file was deleted from the media library."
		default:
			s.URL = path + "/files/" + m.ID.String() + "?n=" + strconv.Itoa(f.N)
			if !f.Thumbnail.IsZero() {
				s.Small = s.URL + "&small=1"
			}
		}
		list = append(list, s)
	}
	return list
}

// file leads to a file of a message.
func (p *pages) file(v *frame.Visit) error {
	id, err := frame.PathID(v, "conversation", ident.Parse[ident.Conversation])
	if err != nil {
		return err
	}
	message, err := frame.PathID(v, "message", ident.Parse[ident.Message])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(v.Query("n"))
	if err != nil {
		n = 1
	}
	address, err := p.inbox.FileURL(v.Request.Context(), v.Principal, id, message, n, v.Query("small") != "")
	if err != nil {
		return err
	}
	v.Out.Header().Set("Cache-Control", "private, max-age="+strconv.Itoa(redirectFor))
	http.Redirect(v.Out, v.Request, address, http.StatusSeeOther)
	return nil
}

// chosen returns the files of the library in a form.
func chosen(v *frame.Visit) (ids []ident.Media) {
	for _, text := range v.Fields()["media"] {
		if id, err := ident.Parse[ident.Media](text); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// kept returns the chosen files for a form that is shown again.
func (p *pages) kept(v *frame.Visit, ids []ident.Media) ([]media.Asset, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return p.inbox.Chosen(v.Request.Context(), v.Principal, ids)
}
