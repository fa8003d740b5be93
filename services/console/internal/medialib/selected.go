package medialib

import (
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// most is the largest number of files that are changed together: those of a page.
const most = perPage

// selection is the form of a label for selected files, as it was typed.
type selection struct {
	Checked      []string
	Label, Fault string
}

// chosen returns the selected files.
func chosen(v *frame.Visit) (ids []ident.Media, err error) {
	for i, text := range v.Fields()["file"] {
		id, err := ident.Parse[ident.Media](text)
		if err != nil || i >= most {
			return nil, apperr.New(apperr.NotFound, "This page does not exist.")
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// deleteMany deletes those of the chosen files that nothing uses.
func (l *library) deleteMany(v *frame.Visit) error {
	ids, err := chosen(v)
	if err != nil {
		return err
	}
	deleted, kept := 0, 0
	for _, id := range ids {
		switch err := l.app.DeleteMedia(v.Request.Context(), v.Principal, id); {
		case apperr.Is(err, apperr.MediaInUse):
			kept++
		case err == nil:
			deleted++
		case !apperr.Is(err, apperr.NotFound): // someone else deleted it
			return err
		}
	}
	notice := count(deleted, "file") + " deleted."
	if kept > 0 {
		notice += " " + count(kept, "file") + " kept, because something uses " + map[bool]string{true: "it.", false: "them."}[kept == 1]
	}
	return v.Done(queryOf(v).address(v, ""), notice)
}

// labelMany gives the chosen files a label, or removes it.
func (l *library) labelMany(v *frame.Visit) error {
	ids, err := chosen(v)
	if err != nil {
		return err
	}
	form := selection{Checked: v.Fields()["file"], Label: v.Form("label")}
	switch {
	case len(ids) == 0:
		form.Fault = "Select at least one file."
	case form.Label == "":
		form.Fault, ids = "Enter a label.", nil
	}
	remove := v.Form("do") == "unlabel"
	changed, full := 0, 0
	for _, id := range ids {
		did, err := l.app.LabelMedia(v.Request.Context(), v.Principal, id, form.Label, remove)
		faults, invalid := frame.Faults(err)
		switch {
		case err == nil && did:
			changed++
		case err == nil, apperr.Is(err, apperr.NotFound): // someone else deleted it
		case invalid && faults["label"] != "":
			form.Fault = faults["label"]
		case invalid:
			full++
		default:
			return err
		}
	}
	if form.Fault != "" {
		return l.draw(v, http.StatusUnprocessableEntity, page{Selection: form})
	}
	notice := "Label added to " + count(changed, "file") + "."
	if remove {
		notice = "Label removed from " + count(changed, "file") + "."
	}
	if full > 0 {
		notice += " " + count(full, "file") + " not changed, because a file has at most 10 labels."
	}
	return v.Done(queryOf(v).address(v, ""), notice)
}
