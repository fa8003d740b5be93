package mastodonapi

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// The details of statuses of replies and of what people write.
const (
	replyTo    = "replyTo"
	visibility = "visibility" // empty: public
)

// forum has replies to statuses of accounts, and statuses that mention them.
type forum struct{ *api }

// Person completes a person of the usual server, whose id is the user name.
func (forum) Person(p chats.Person) (chats.Person, bool) {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return -1
	}, strings.ToLower(p.Name))
	p.Platform, p.ID = network, cmp.Or(p.ID, name)
	p.Username = cmp.Or(p.Username, p.ID)
	return p, p.ID != ""
}

// NewID returns the id of a status.
func (f forum) NewID(at time.Time) string { return f.records.Next(firstID(at)) }

// Kinds returns comments and mentions.
func (forum) Kinds() []chats.Kind { return []chats.Kind{chats.Comment, chats.Mention} }

// notifications lists the mentions of the account, newest first: the newest before max_id, or the oldest after min_id.
func (a *api) notifications(r stage.Request) stage.Response {
	limit, ok := r.Int("limit", 40, 1, 80)
	if types := r.Values["types[]"]; !ok || len(types) > 0 && !slices.Contains(types, "mention") {
		return stage.OK([]stage.Object{})
	}
	found := a.Stage.Chats.List(chats.Filter{Platform: network, Account: r.Account, Origin: chats.FromPerson})
	before, after := r.Values.Get("max_id"), r.Values.Get("min_id")
	found = slices.DeleteFunc(found, func(m chats.Message) bool {
		return m.Kind == "" || m.DeletedAt != nil || before != "" && !older(m.ID, before) || after != "" && !older(after, m.ID)
	})
	slices.SortFunc(found, func(a, b chats.Message) int {
		if older(a.ID, b.ID) {
			return -1
		}
		return 1
	})
	if after != "" {
		found = found[:min(limit, len(found))]
	} else {
		found = found[max(0, len(found)-limit):]
	}
	slices.Reverse(found)
	return stage.OK(stage.Each(found, func(m chats.Message) stage.Object {
		status := a.written(r, m)
		return stage.Object{
			"id": m.ID, "type": "mention", "created_at": status["created_at"], "account": status["account"], "status": status,
		}
	}))
}

// older reports whether an id is less than another one.
func older(a, b string) bool { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) < 0 }

// comment returns what a person wrote to the account.
func (a *api) comment(r stage.Request, id string) (chats.Message, bool) {
	m, ok := a.Stage.Chats.Message(network, r.Account, id)
	return m, ok && m.Kind != "" && m.Origin == chats.FromPerson && m.DeletedAt == nil
}

// written returns what a person wrote, in Mastodon's JSON.
func (a *api) written(r stage.Request, m chats.Message) stage.Object {
	link := a.base(r.Request) + "/@" + m.Person.Username + "/" + m.ID
	return stage.Object{
		"id": m.ID, "uri": link, "url": link, "created_at": m.At.UTC().Format("2006-01-02T15:04:05.000Z"), "edited_at": nil,
		"visibility": cmp.Or(m.Details[visibility], "public"), "content": markup(m.Text), "spoiler_text": "",
		"in_reply_to_id": emptyNull(cmp.Or(m.ReplyTo, m.Post)), "media_attachments": []stage.Object{},
		"account": map[string]string{
			"id": m.Person.ID, "username": m.Person.ID, "acct": m.Person.Username, "display_name": m.Person.Name,
		},
	}
}

func emptyNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// thread returns the statuses before and after one.
func (a *api) thread(r stage.Request) stage.Response {
	m, ok := a.comment(r, r.PathValue("id"))
	if !ok {
		return missing()
	}
	ancestors := []stage.Object{}
	for above := cmp.Or(m.ReplyTo, m.Post); above != ""; {
		if c, written := a.comment(r, above); written {
			ancestors, above = append(ancestors, a.written(r, c)), cmp.Or(c.ReplyTo, c.Post)
			continue
		}
		post, own := a.Post(r, above)
		if !own {
			break
		}
		ancestors, above = append(ancestors, a.show(r, post)), post.Details[replyTo]
	}
	slices.Reverse(ancestors)
	return stage.OK(stage.Object{"ancestors": ancestors, "descendants": []stage.Object{}})
}

// recordReply records a reply as a message of the account.
func (a *api) recordReply(post ledger.Post, above chats.Message) error {
	return a.Stage.Chats.Add(chats.Message{
		Platform: network, Account: post.Account, ID: post.ID, Person: above.Person, Origin: chats.FromReply, Text: post.Text,
		At: post.CreatedAt, ReplyTo: above.ID, Kind: above.Kind, Post: above.Post,
	})
}
