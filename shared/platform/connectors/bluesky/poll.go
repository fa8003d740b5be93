package bluesky

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/kernel/plaintext"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
)

var _ platform.Poller = (*Connector)(nil)

const (
	// pollEvery is the time between two rounds, and pollPage the number of notifications of a call (lexicon
	// app.bsky.notification.listNotifications).
	pollEvery = 2 * time.Minute
	pollPage  = "100"
	// overlap is the time before the latest notification that is read again, because notifications may appear late.
	overlap = 2 * time.Minute
)

// reasons are those of the notifications of what people write.
func reasons() []string { return []string{"reply", "mention", "quote"} }

// Polling returns rounds of two minutes.
func (c *Connector) Polling(platform.Account) platform.Polling {
	if !network.Reads(c.inbox, network.InboxComments) && !network.Reads(c.inbox, network.InboxMentions) {
		return platform.Polling{}
	}
	return platform.Polling{Every: pollEvery}
}

// progress is the place between two calls. Notifications come newest first: a round reads pages until it meets what the round before
// began with.
type progress struct {
	Until time.Time `json:"until"`          // of the first notification of the round before
	Top   time.Time `json:"top,omitzero"`   // of the first notification of this round
	Next  string    `json:"next,omitempty"` // the network's cursor within the round
}

// notice is a notification (lexicon app.bsky.notification.listNotifications#notification). With the address of its post, it is the
// body of an event.
type notice struct {
	URI    string `json:"uri"`
	Author struct {
		DID    string `json:"did"`
		Handle string `json:"handle"`
		Name   string `json:"displayName,omitempty"`
	} `json:"author"`
	Reason string          `json:"reason"`
	Record json.RawMessage `json:"record"`
	At     time.Time       `json:"indexedAt"`
	Link   string          `json:"permalink,omitempty"`
}

// Poll reads a page of notifications.
func (c *Connector) Poll(ctx context.Context, account platform.Account, from platform.PollPlace) (platform.Polled, error) {
	s, err := c.open(account)
	if err != nil {
		return platform.Polled{}, err
	}
	at := progress{Until: from.Since}
	if json.Unmarshal([]byte(from.Cursor), &at) != nil || at.Until.IsZero() {
		at = progress{Until: from.Since}
	}
	query := url.Values{"limit": {pollPage}, "reasons": reasons()}
	if at.Next != "" {
		query.Set("cursor", at.Next)
	}
	const method = "app.bsky.notification.listNotifications"
	response, err := s.Call(ctx, s.authorized(method, httpcall.Request{Operation: "inbox", Query: query}))
	if err != nil {
		return platform.Polled{}, err
	}
	var page struct {
		Cursor  string   `json:"cursor"`
		Notices []notice `json:"notifications"`
	}
	if !response.OK() {
		return platform.Polled{}, s.PollFailure(response, failure(s.Client, response), "to read notifications")
	}
	if response.Decode(&page) != nil || page.Notices == nil {
		return platform.Polled{}, s.Unclear(response, "not the response of "+method)
	}
	out := platform.Polled{Pause: s.HalfUsed(response.Header, "ratelimit-limit", "ratelimit-remaining", s.ResetAt(response.Header, "ratelimit-reset"))}
	reached := page.Cursor == "" || len(page.Notices) == 0
	for _, n := range page.Notices {
		if at.Next == "" && n.At.After(at.Top) {
			at.Top = n.At
		}
		if n.At.Before(at.Until.Add(-overlap)) {
			reached = true
			continue
		}
		if event, ok := c.event(s, n); ok {
			out.Events = append(out.Events, event)
		}
	}
	if out.More = !reached; out.More {
		at.Next = page.Cursor
	} else {
		at = progress{Until: latest(at.Until, at.Top)}
	}
	out.Cursor = string(httpcall.Handle(at))
	return out, nil
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// event returns the event of a notification. It returns false for what the inbox does not have.
func (c *Connector) event(s session, n notice) (inbox.Event, bool) {
	key, ok := keyOf(n.URI, n.Author.DID)
	if !ok || !slices.Contains(reasons(), n.Reason) || n.At.IsZero() {
		return inbox.Event{}, false
	}
	n.Link = s.Permalink(c.app + "/profile/" + url.PathEscape(n.Author.DID) + "/post/" + key)
	body, err := json.Marshal(n)
	return inbox.Event{
		Network: channel.NetworkBluesky, Account: s.account.ExternalID, Key: "c/" + n.URI, Kind: n.Reason, At: n.At, Body: body,
	}, err == nil
}

// keyOf returns the key in the URI of a post of an account.
func keyOf(uri, did string) (string, bool) {
	if !didPattern.MatchString(did) {
		return "", false
	}
	return keyIn(uri, platform.Account{ExternalID: did})
}

// Reader reads notifications.
type Reader struct{}

var _ platform.Reader = Reader{}

// readerVersion is the version of Reader.Read.
const readerVersion = 1

// Network returns Bluesky.
func (Reader) Network() channel.Network { return channel.NetworkBluesky }

// Version returns the version of Read.
func (Reader) Version() int { return readerVersion }

// writtenRecord is the record of a post of a person.
type writtenRecord struct {
	Text  string    `json:"text"`
	Reply *replyRef `json:"reply"`
	Embed struct {
		Type   string            `json:"$type"`
		Images []json.RawMessage `json:"images"`
	} `json:"embed"`
}

// Read returns the post of a notification. What a person writes below one post is one conversation.
func (Reader) Read(e inbox.Event) (inbox.Change, error) {
	var n notice
	var record writtenRecord
	if err := json.Unmarshal(e.Body, &n); err != nil {
		return inbox.Change{}, err
	}
	if err := json.Unmarshal(n.Record, &record); err != nil {
		return inbox.Change{}, err
	}
	if n.Author.DID == e.Account {
		return inbox.Change{}, nil
	}
	root, parent := n.URI, ""
	if record.Reply != nil {
		root, parent = record.Reply.Root.URI, record.Reply.Parent.URI
	}
	w := inbox.Written{
		Kind: inbox.Mentions, Thread: root + "/" + n.Author.DID, ExternalID: n.URI, Direction: inbox.In, Text: plaintext.Normalize(record.Text), ReplyTo: parent,
		SentAt: n.At, Permalink: n.Link, Unsupported: record.unshown(),
		Person: inbox.Identity{ID: n.Author.DID, Name: n.Author.Name, Username: n.Author.Handle},
	}
	if post, own := keyIn(root, platform.Account{ExternalID: e.Account}); own {
		w.Kind, w.Post = inbox.Comments, post
	}
	return inbox.Change{Message: &w}, nil
}

// unshown describes what the inbox does not show of a post; empty: it shows everything.
func (r writtenRecord) unshown() string {
	kind := strings.TrimPrefix(r.Embed.Type, "app.bsky.embed.")
	if kind == "images" && len(r.Embed.Images) > 1 {
		kind = "gallery"
	}
	return cmp.Or(map[string]string{
		"images": "a picture", "gallery": "pictures", "video": "a video", "recordWithMedia": "a quote with a file",
	}[kind], "")
}
