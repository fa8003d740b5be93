package main

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

// newComment is something to write in public, or a change of it.
type newComment struct {
	Platform string            `json:"platform"`
	Kind     chats.Kind        `json:"kind"`    // empty: a comment
	Account  string            `json:"account"` // empty: that of the post
	Post     string            `json:"post"`    // of the account, as in the list of posts
	From     string            `json:"from"`    // a person; empty: the account itself, in the network's own application
	Text     string            `json:"text"`
	At       *time.Time        `json:"at"`      // null: now
	ReplyTo  string            `json:"replyTo"` // a comment below the same post; empty: the post
	Rating   int               `json:"rating"`  // of a review
	Edit     string            `json:"edit"`    // what gets the text, and the rating
	Delete   string            `json:"delete"`
	Details  map[string]string `json:"details"` // in the network's words
}

// comment writes, edits or deletes something in public.
func (a *controlAPI) comment(r stage.Request, want newComment) stage.Response {
	name, _ := a.networkOf(want.Platform)
	forum, ok := a.stage.Forums[channel.Network(name)]
	if !ok {
		return invalid(r, "The comment is invalid.", []field{{"/platform", "must be a network on which people write in public"}})
	}
	if id := cmp.Or(want.Edit, want.Delete); id != "" {
		return a.changeComment(r, id, want)
	}
	want.Kind = cmp.Or(want.Kind, chats.Comment)
	post, posted := a.stage.Ledger.Get(name, want.Post)
	if want.Account == "" && posted {
		want.Account = post.Account
	}
	author, known := a.author(name, forum, want.From)
	if faults := faultsOf(
		stage.If(!slices.Contains(forum.Kinds(), want.Kind), field{"/kind", "must be " + oneOf(forum.Kinds())}),
		stage.If(want.Kind == chats.Comment && (!posted || post.Account != want.Account), field{"/post", "must be a post of the account"}),
		stage.If(want.Account == "", field{"/account", "must be the name of an account"}),
		stage.If(!known, field{"/from", "must be a person"}),
		stage.If(want.Text == "" && want.Kind != chats.Review, field{"/text", "must not be empty"}),
		stage.If((want.Kind == chats.Review && want.From != "") != (want.Rating >= 1 && want.Rating <= 5), field{"/rating", "must be 1 to 5 of a review"}),
	); faults != nil {
		return invalid(r, "The comment is invalid.", faults)
	}
	at := a.stage.Clock.Now()
	if want.At != nil {
		at = want.At.UTC()
	}
	m := chats.Message{
		Platform: name, Account: want.Account, ID: forum.NewID(at), Person: author, Origin: chats.FromPerson, Text: want.Text,
		At: at.Truncate(time.Millisecond), ReplyTo: want.ReplyTo, Kind: want.Kind, Post: want.Post, Rating: want.Rating,
		Details: want.Details,
	}
	if want.From == "" {
		m.Origin = chats.FromPhone
	}
	if a.stage.Chats.Add(m) != nil {
		return problem(r, http.StatusInternalServerError, "The comment cannot be written.")
	}
	return stage.Created(m)
}

// author returns the person of the name, who is new if there is none. The zero person is the account.
func (a *controlAPI) author(network string, forum stage.Forum, name string) (chats.Person, bool) {
	if name == "" {
		return chats.Person{}, true
	}
	if p, known := a.stage.Chats.Person(network, name); known {
		return p, true
	}
	p, ok := forum.Person(chats.Person{Platform: network, Name: name})
	return p, ok && a.stage.Chats.Meet(p) == nil
}

func (a *controlAPI) changeComment(r stage.Request, id string, want newComment) stage.Response {
	now := a.stage.Clock.Now().Truncate(time.Millisecond)
	changed, err := a.stage.Chats.Change(id, func(m *chats.Message) {
		switch {
		case want.Delete != "":
			m.DeletedAt = &now
		default:
			m.Text, m.Rating, m.EditedAt = cmp.Or(want.Text, m.Text), cmp.Or(want.Rating, m.Rating), &now
		}
	})
	if err != nil {
		return invalid(r, "The comment is invalid.", []field{{"/edit", "and /delete must be of a person who wrote in public"}})
	}
	return stage.Created(changed)
}
