package blueskyapi

import (
	"cmp"
	"crypto/rand"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// forum has the comments and mentions of people. The id of each is the key of its record.
type forum struct{ *api }

// Person completes a person. The handle is that of the name.
func (forum) Person(p chats.Person) (chats.Person, bool) {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(p.Name))
	p.Platform = network
	if p.ID == "" {
		p.ID = plc + name
	}
	if p.Username == "" {
		p.Username = strings.TrimPrefix(p.ID, plc) + domain
	}
	return p, didPattern.MatchString(p.ID) && p.ID != plc
}

// NewID returns a key (atproto.com/specs/tid).
func (forum) NewID(at time.Time) string {
	const alphabet, length, clocks = "234567abcdefghijklmnopqrstuvwxyz", 13, 1 << 10
	clock, _ := rand.Int(rand.Reader, big.NewInt(clocks)) // never fails
	number := at.UnixMicro()*clocks + clock.Int64()
	key := make([]byte, length)
	for i := range key {
		key[length-1-i] = alphabet[number%int64(len(alphabet))]
		number /= int64(len(alphabet))
	}
	return string(key)
}

// Kinds returns comments and mentions.
func (forum) Kinds() []chats.Kind { return []chats.Kind{chats.Comment, chats.Mention} }

// notifications lists what people wrote to the account, newest first. The cursor is the number of those before.
func (a *api) notifications(r stage.Request) stage.Response {
	limit, ok := r.Int("limit", 50, 1, 100)
	from, fits := r.Int("cursor", 0, 0, 1<<30)
	if !ok || !fits {
		return invalid("Error: Params must have valid limit and cursor")
	}
	found := a.Stage.Chats.List(chats.Filter{Platform: network, Account: r.Account, Origin: chats.FromPerson})
	found = slices.DeleteFunc(found, func(m chats.Message) bool { return m.Kind == "" || m.DeletedAt != nil })
	slices.Reverse(found)
	shown := make([]stage.Object, 0, limit)
	for _, m := range found[min(from, len(found)):min(from+limit, len(found))] {
		reason := "reply"
		if m.Kind == chats.Mention {
			reason = "mention"
		}
		shown = append(shown, stage.Object{
			"uri": commentURI(m), "cid": commentCID(m), "reason": reason, "record": a.written(m), "isRead": false,
			"indexedAt": stamp(m.At), "labels": []string{},
			"author": stage.Object{"did": m.Person.ID, "handle": m.Person.Username, "displayName": m.Person.Name},
		})
	}
	body := stage.Object{"notifications": shown, "seenAt": stamp(time.Time{})}
	if from+limit < len(found) {
		body["cursor"] = strconv.Itoa(from + limit)
	}
	return stage.OK(body)
}

func commentURI(m chats.Message) string { return uriOf(m.Person.ID, m.ID) }

func commentCID(m chats.Message) string {
	return recordCID(ledger.Post{Origin: commentURI(m), Text: m.Text})
}

// written returns the record of what a person wrote.
func (a *api) written(m chats.Message) stage.Object {
	record := stage.Object{"$type": collection, "text": m.Text, "createdAt": stamp(m.At)}
	if m.Kind == chats.Mention {
		return record
	}
	root, parent := a.reference(a.rootOf(m.Post)), a.reference(m.Post)
	if above, ok := a.Stage.Chats.Message(network, m.Account, m.ReplyTo); ok && above.Origin == chats.FromPerson {
		parent = stage.Object{"uri": commentURI(above), "cid": commentCID(above)}
	} else if m.ReplyTo != "" {
		parent = a.reference(m.ReplyTo)
	}
	record["reply"] = stage.Object{"root": root, "parent": parent}
	return record
}

// rootOf returns the key of the first post of a thread of the ledger.
func (a *api) rootOf(key string) string {
	post, _ := a.Stage.Ledger.Get(network, key)
	if post.Parent == "" {
		return key
	}
	return a.rootOf(post.Parent)
}

// reference returns the reference to a post of the ledger.
func (a *api) reference(key string) stage.Object {
	post, _ := a.Stage.Ledger.Get(network, key)
	return stage.Object{"uri": uriOf(post.Account, key), "cid": recordCID(post)}
}

// comment returns what a person wrote, by its URI.
func (a *api) comment(r stage.Request, uri string) (chats.Message, bool) {
	m, ok := a.Stage.Chats.Message(network, r.Account, uri[strings.LastIndexByte(uri, '/')+1:])
	return m, ok && m.Kind != "" && m.DeletedAt == nil && commentURI(m) == uri
}

// reply is the reference of a record to the post that it answers.
type reply struct{ Root, Parent strongRef }

// strongRef refers to a version of a record.
type strongRef struct{ URI, CID string }

// below makes a draft a reply, if its record is one.
func (a *api) below(r stage.Request, given *reply, draft *ledger.Draft) stage.Check {
	if given == nil {
		return stage.Check{}
	}
	if parent, own := a.find(given.Parent.URI); own && parent.Account == r.Account {
		draft.Parent = parent.ID
	}
	draft.Details = map[string]string{
		rootURI: given.Root.URI, rootCID: given.Root.CID, parentURI: given.Parent.URI, parentCID: given.Parent.CID,
	}
	return stage.If(given.fault() != "", faulty("%s", given.fault())).
		Or(!a.exists(r, given.Parent), faulty("The post does not exist at $.record.reply.parent")).
		Or(!a.exists(r, given.Root), faulty("The post does not exist at $.record.reply.root")).
		Or(a.rootAbove(r, given.Parent.URI) != given.Root.URI, faulty("The root is not that of the parent at $.record.reply.root"))
}

// rootAbove returns the URI of the first post of the thread of what a reply is below.
func (a *api) rootAbove(r stage.Request, parent string) string {
	if post, ok := a.find(parent); ok {
		return cmp.Or(post.Details[rootURI], parent)
	}
	m, ok := a.comment(r, parent)
	if !ok || m.Kind == chats.Mention {
		return parent
	}
	root, _ := a.Stage.Ledger.Get(network, a.rootOf(m.Post))
	return uriOf(root.Account, root.ID)
}

// exists reports whether there is this version of a post. The reference server checks neither it nor the root; applications then
// hide the reply.
func (a *api) exists(r stage.Request, ref strongRef) bool {
	if post, ok := a.find(ref.URI); ok {
		return recordCID(post) == ref.CID
	}
	m, ok := a.comment(r, ref.URI)
	return ok && commentCID(m) == ref.CID
}

// fault returns the fault of the reference: both must be references to records.
func (p *reply) fault() string {
	for name, ref := range map[string]strongRef{"root": p.Root, "parent": p.Parent} {
		if !strings.HasPrefix(ref.URI, "at://") || ref.CID == "" {
			return `Missing required key "uri" or "cid" at $.record.reply.` + name
		}
	}
	return ""
}

// recordReply records a reply as a message of the account, as far as it answers a person.
func (a *api) recordReply(r stage.Request, post ledger.Post) error {
	above, ok := a.comment(r, post.Details[parentURI])
	if !ok {
		return nil
	}
	return a.Stage.Chats.Add(chats.Message{
		Platform: network, Account: post.Account, ID: post.ID, Person: above.Person, Origin: chats.FromReply, Text: post.Text,
		At: post.CreatedAt, ReplyTo: above.ID, Kind: above.Kind, Post: above.Post,
	})
}

// The details of a reply.
const (
	parentURI, parentCID = "replyParent", "replyParentCid"
	rootURI, rootCID     = "replyRoot", "replyRootCid"
)
