package mastodon

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
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
	// scopeNotifications is the permission to read notifications.
	scopeNotifications = "read:notifications"
	// pollEvery is the time between two rounds. A page is small, because the thread of each status in it takes a call, and a
	// server allows 300 calls in 5 minutes.
	pollEvery = 2 * time.Minute
	pollPage  = "20"
)

// Polling returns rounds of two minutes.
func (c *Connector) Polling(platform.Account) platform.Polling {
	if !c.reads() {
		return platform.Polling{}
	}
	return platform.Polling{Every: pollEvery, Scopes: []string{scopeNotifications}}
}

func (c *Connector) reads() bool {
	return network.Reads(c.inbox, network.InboxComments) || network.Reads(c.inbox, network.InboxMentions)
}

// notice is a notification (docs.joinmastodon.org/entities/Notification). With the first status of its thread, it is the body of an
// event.
type notice struct {
	ID     string    `json:"id"`
	Type   string    `json:"type"`
	At     time.Time `json:"created_at"`
	Status said      `json:"status"`
	Root   *said     `json:"root,omitempty"`
}

// said is a status of a thread.
type said struct {
	ID         string    `json:"id"`
	URL        string    `json:"url"`
	Content    string    `json:"content,omitempty"` // HTML
	Visibility string    `json:"visibility"`
	At         time.Time `json:"created_at"`
	EditedAt   time.Time `json:"edited_at,omitzero"`
	ReplyTo    string    `json:"in_reply_to_id,omitempty"`
	Spoiler    string    `json:"spoiler_text,omitempty"`
	Account    struct {
		ID   string `json:"id"`
		Acct string `json:"acct"`
		Name string `json:"display_name"`
	} `json:"account"`
	Media []struct {
		Type string `json:"type"`
	} `json:"media_attachments,omitempty"`
}

// Poll reads a page of mentions. The first round reads pages from the newest back, others from the last one that was read on. The
// cursor is the ID of that, and in the first round also that of the page before.
func (c *Connector) Poll(ctx context.Context, account platform.Account, from platform.PollPlace) (platform.Polled, error) {
	s, err := c.open(account)
	if err != nil {
		return platform.Polled{}, err
	}
	top, back, first := strings.Cut(from.Cursor, " ")
	first = first || from.Cursor == ""
	query := url.Values{"types[]": {"mention"}, "limit": {pollPage}}
	switch {
	case back != "":
		query.Set("max_id", back)
	case !first:
		query.Set("min_id", top)
	}
	page, out, err := s.notices(ctx, query)
	if err != nil {
		return platform.Polled{}, err
	}
	out.Cursor, out.More = from.Cursor, len(page) > 0
	for i, n := range page { // newest first
		if i == 0 && (top == "" || !first) {
			top = n.ID
		}
		if first && n.At.Before(from.Since) {
			out.More = false
			break
		}
		event, ok, err := s.event(ctx, n)
		if err != nil {
			return platform.Polled{}, err
		}
		if ok {
			out.Events = append(out.Events, event)
		}
	}
	switch out.Cursor = top; {
	case first && out.More:
		out.Cursor = top + " " + page[len(page)-1].ID
	case first && top == "": // there is none at all
		out.Cursor = "0"
	}
	return out, nil
}

// notices reads a page of notifications.
func (s session) notices(ctx context.Context, query url.Values) (page []notice, out platform.Polled, err error) {
	response, err := s.Call(ctx, s.authorized(httpcall.Request{Operation: "inbox", Query: query}, "v1", "notifications"))
	if err != nil {
		return nil, out, err
	}
	if !response.OK() {
		return nil, out, s.PollFailure(response, failure(s.Client, response), scopeNotifications)
	}
	var some []notice
	if response.Decode(&some) != nil || some == nil {
		return nil, out, s.Unclear(response, "not a list of notifications")
	}
	for _, n := range some {
		if !idPattern.MatchString(n.ID) {
			return nil, out, s.Unclear(response, "a notification without an ID")
		}
	}
	out.Pause = s.HalfUsed(response.Header, "X-RateLimit-Limit", "X-RateLimit-Remaining", limitEnd(s.Client, response.Header))
	return some, out, nil
}

// event returns the event of a notification, with the first status of its thread. It returns false for what the inbox does not have.
func (s session) event(ctx context.Context, n notice) (inbox.Event, bool, error) {
	if n.Type != "mention" || !idPattern.MatchString(n.Status.ID) || n.Status.Account.ID == "" || n.Status.At.IsZero() {
		return inbox.Event{}, false, nil
	}
	if n.Status.ReplyTo != "" && n.Status.Visibility != direct {
		root, err := s.root(ctx, n.Status.ID)
		if err != nil {
			return inbox.Event{}, false, err
		}
		n.Root = root
	}
	n.Status.URL = s.Permalink(n.Status.URL)
	body, err := json.Marshal(n)
	return inbox.Event{
		Network: channel.NetworkMastodon, Account: s.account.ExternalID, Key: "c/" + n.Status.ID, Kind: n.Type, At: n.Status.At, Body: body,
	}, err == nil, nil
}

// root returns the first status of the thread of a status; nil if the server does not show it.
func (s session) root(ctx context.Context, id string) (*said, error) {
	response, err := s.Call(ctx, s.authorized(httpcall.Request{Operation: "inbox"}, "v1", "statuses", id, "context"))
	if err != nil {
		return nil, err
	}
	var thread struct {
		Ancestors []said `json:"ancestors"`
	}
	switch {
	case response.Status == http.StatusNotFound: // deleted meanwhile
		return nil, nil //nolint:nilnil // documented
	case !response.OK():
		return nil, s.PollFailure(response, failure(s.Client, response), "read:statuses")
	case response.Decode(&thread) != nil:
		return nil, s.Unclear(response, "not the thread of a status")
	case len(thread.Ancestors) == 0:
		return nil, nil //nolint:nilnil // documented
	}
	first := thread.Ancestors[0]
	first.Content = ""
	return &first, nil
}

// Reader reads notifications.
type Reader struct{}

var _ platform.Reader = Reader{}

const (
	// readerVersion is the version of Reader.Read.
	readerVersion = 1
	// direct is the visibility of statuses that only the mentioned accounts see.
	direct = "direct"
)

// Network returns Mastodon.
func (Reader) Network() channel.Network { return channel.NetworkMastodon }

// Version returns the version of Read.
func (Reader) Version() int { return readerVersion }

// Read returns the status of a notification. What a person writes below one post is one conversation; direct statuses are private
// messages.
func (Reader) Read(e inbox.Event) (inbox.Change, error) {
	var n notice
	if err := json.Unmarshal(e.Body, &n); err != nil {
		return inbox.Change{}, err
	}
	own := e.Account[strings.LastIndexByte(e.Account, '/')+1:]
	from := n.Status.Account
	if from.ID == own {
		return inbox.Change{}, nil
	}
	text := textOf(n.Status.Content)
	if n.Status.Spoiler != "" {
		text = n.Status.Spoiler + "\n" + text
	}
	w := inbox.Written{
		Kind: inbox.Mentions, ExternalID: n.Status.ID, Direction: inbox.In, Text: plaintext.Normalize(text), ReplyTo: n.Status.ReplyTo,
		SentAt: n.Status.At, Permalink: n.Status.URL, Person: inbox.Identity{ID: from.ID, Name: from.Name, Username: from.Acct},
	}
	switch files := len(n.Status.Media); files { // they stay at the server
	case 0:
	case 1:
		w.Unsupported = "a file"
	default:
		w.Unsupported = strconv.Itoa(files) + " files"
	}
	root := n.Status
	if n.Root != nil {
		root = *n.Root
	}
	w.Thread = root.ID + "/" + from.ID
	switch {
	case n.Status.Visibility == direct:
		w.Kind, w.Thread = inbox.Messages, from.ID
	case root.Account.ID == own:
		w.Kind, w.Post = inbox.Comments, root.ID
	}
	return inbox.Change{Message: &w}, nil
}

// textOf returns the text of a status from its HTML, with its line breaks.
func textOf(content string) string {
	return strings.TrimSpace(plain(content))
}
