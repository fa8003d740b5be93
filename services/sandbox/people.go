package main

import (
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
	body, ok := stage.ReadBody(w, r)
	if !ok {
		return
	}
	form := stage.Parameters(r, body)
	want := newMessage{
		Platform: form.Get("platform"), Account: form.Get("account"), From: form.Get("from"), Text: form.Get("text"),
		Outgoing: form.Has("outgoing"), Edit: form.Get("edit"), Delete: form["delete"],
	}
	control := controlAPI{stage: f.stage}
	if response := control.write(stage.Request{Request: r}, want); response.Refused {
		f.pages.Show(w, r, response.Status, "people.html",
			f.chats("Give a network, an account, a person and a text, or a message that is still there."))
		return
	}
	http.Redirect(w, r, "/people#"+url.PathEscape(anchor(want.Platform, want.Account, want.From)), http.StatusSeeOther)
}

func anchor(platform, account, person string) string { return platform + "-" + account + "-" + person }

func (f *Feed) chats(problem string) peopleView {
	v := peopleView{Problem: problem, Networks: slices.Sorted(maps.Keys(f.stage.Inboxes))}
	for _, m := range f.stage.Chats.List(chats.Filter{}) {
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
