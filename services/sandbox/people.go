package main

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

// peopleView is the content of the page of people.
type peopleView struct {
	Problem  string
	Networks []channel.Network
	Windows  []chatWindow // the last used first
}

// chatWindow is the chat of a person with an account.
type chatWindow struct {
	Platform, Network, Account, Anchor string
	Person                             chats.Person
	Messages                           []chats.Message
}

// people shows all chats.
func (f *Feed) people(w http.ResponseWriter, r *http.Request) {
	f.pages.Show(w, r, http.StatusOK, "people.html", f.chats(""))
}

// talk writes, edits or deletes a message of a form.
func (f *Feed) talk(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, mostSent)
	file, err := sentFile(r)
	form := r.PostForm
	want := newMessage{
		Platform: form.Get("platform"), Account: form.Get("account"), From: form.Get("from"), Text: form.Get("text"),
		Outgoing: form.Has("outgoing"), Edit: form.Get("edit"), Delete: form["delete"], File: file,
	}
	control, response := controlAPI{stage: f.stage}, stage.Refuse(http.StatusBadRequest, nil)
	if err == nil {
		response = control.write(stage.Request{Request: r}, want) //nolint:contextcheck // the context is that of the request
	}
	if response.Refused {
		f.pages.Show(w, r, response.Status, "people.html",
			f.chats("Give a network, an account, a person and a text, or a message that is still there. Files are pictures, videos and PDF documents up to 20 MB."))
		return
	}
	http.Redirect(w, r, "/people#"+url.PathEscape(anchor(want.Platform, want.Account, want.From)), http.StatusSeeOther)
}

// mostSent is the largest form with a file.
const mostSent = 21 << 20

// sentFile reads the form, and returns its file; nil if there is none.
func sentFile(r *http.Request) (*newFile, error) {
	r.Body = http.MaxBytesReader(nil, r.Body, mostSent)
	if !stage.IsMultipart(r) {
		return nil, r.ParseForm()
	}
	if err := r.ParseMultipartForm(mostSent); err != nil { //nolint:gosec // G120: the body is limited above
		return nil, err
	}
	part, head, err := r.FormFile("file")
	if errors.Is(err, http.ErrMissingFile) || err == nil && head.Size == 0 {
		return nil, nil //nolint:nilnil // documented
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = part.Close() }()
	content, err := io.ReadAll(part)
	return &newFile{Name: head.Filename, Content: content}, err
}

func anchor(platform, account, person string) string { return platform + "-" + account + "-" + person }

func (f *Feed) chats(problem string) peopleView {
	v := peopleView{Problem: problem, Networks: slices.Sorted(maps.Keys(f.stage.Inboxes))}
	for _, m := range f.stage.Chats.List(chats.Filter{}) {
		if m.Kind != "" { // in public
			continue
		}
		name := anchor(m.Platform, m.Account, m.Person.ID)
		window := chatWindow{
			Platform: m.Platform, Network: channel.Network(m.Platform).Name(), Account: m.Account, Anchor: name, Person: m.Person,
		}
		if at := slices.IndexFunc(v.Windows, func(w chatWindow) bool { return w.Anchor == name }); at >= 0 {
			window = v.Windows[at]
			v.Windows = slices.Delete(v.Windows, at, at+1)
		}
		window.Messages = append(window.Messages, m)
		v.Windows = slices.Insert(v.Windows, 0, window)
	}
	return v
}
