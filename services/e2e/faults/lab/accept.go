package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

// responseWithin is the time in which a client retries. It is longer than any outage of a scenario.
const responseWithin = 90 * time.Second

// Accepted is a post that the API accepted.
type Accepted struct {
	ID   string
	Text string // unique, so that it identifies the post in the networks' ledger
	Type channel.Type
	At   time.Time // scheduled time
	Key  string    // the Idempotency-Key of the request
	Body string    // the response body, byte for byte

	with *attachments // nil: text only
}

// attachments are the media of a post.
type attachments struct {
	kind fencepost.ContentType
	ids  []string
}

// Accept creates n posts, the first at its time and each further one later by every. It alternates between the channel
// types (default: X, Threads and Telegram). Each request has an Idempotency-Key and is retried if there is no response.
func (l *Lab) Accept(n int, first time.Time, every time.Duration, types ...channel.Type) []Accepted {
	l.t.Helper()
	if len(types) == 0 {
		types = []channel.Type{channel.Twitter, channel.Threads, channel.TelegramChannel}
	}
	created := make([]Accepted, 0, n)
	for i := range n {
		created = append(created, l.AcceptOne(first.Add(time.Duration(i)*every), types[i%len(types)]))
	}
	return created
}

// AcceptOne is Accept for one post.
func (l *Lab) AcceptOne(at time.Time, typ channel.Type) Accepted {
	l.t.Helper()
	return l.accept(Accepted{Type: typ, At: at})
}

// AcceptWith is Accept for one post with attachments.
func (l *Lab) AcceptWith(at time.Time, typ channel.Type, kind fencepost.ContentType, media ...string) Accepted {
	l.t.Helper()
	return l.accept(Accepted{Type: typ, At: at, with: &attachments{kind: kind, ids: media}})
}

// accept sends the request with the post's own key until there is a response.
func (l *Lab) accept(p Accepted) Accepted {
	l.t.Helper()
	p.Text, p.Key = l.Text(), ident.New[ident.Event]().String()
	require.EventuallyWithT(l.t, func(c *assert.CollectT) { l.ask(c, &p) }, responseWithin, 200*time.Millisecond)
	l.Remember(p)
	return p
}

// AskAgain repeats the request of an accepted post with its key. It returns the body of the response and whether the
// response is marked as replayed.
func (l *Lab) AskAgain(p Accepted) (body string, replayed bool) {
	l.t.Helper()
	replayed, err := l.Try(&p)
	require.NoError(l.t, err)
	return p.Body, replayed
}

// request returns the request body for a post. It is the same for the same post.
func (l *Lab) request(p Accepted) fencepost.CreatePostsRequest {
	body := fencepost.CreatePostsRequest{
		ChannelIDs: []string{l.Channels[p.Type].ID.String()}, Content: p.Text, Schedule: harness.At(p.At),
	}
	if p.Type == channel.YouTube { // its posts need a title
		body.Title = p.Text
	}
	if p.with != nil {
		body.ContentType, body.MediaIDs = p.with.kind, p.with.ids
	}
	return body
}

// ask sends the request once and records the response.
func (l *Lab) ask(c *assert.CollectT, p *Accepted) {
	_, err := l.Try(p)
	if refused := new(fencepost.Error); errors.As(err, &refused) && refused.Code == fencepost.ProblemCodeScheduledInPast {
		p.At = time.Now().Add(time.Second) // the outage took longer; nothing was created, so the key is unused
	}
	require.NoError(c, err)
}

// Try sends the request of a post with its key, once. It records the ID and the body of the response, and returns
// whether the response is marked as replayed.
func (l *Lab) Try(p *Accepted) (replayed bool, err error) {
	l.t.Helper()
	var body json.RawMessage
	var header http.Header
	if err := l.API.Request(l.t.Context(), http.MethodPost, "/v1/posts", nil, l.request(*p), &body,
		fencepost.IdempotencyKey(p.Key), fencepost.ResponseHeader(&header)); err != nil {
		return false, err
	}
	var created []fencepost.Post
	if err := json.Unmarshal(body, &created); err != nil {
		return false, err
	}
	if len(created) != 1 {
		return false, fmt.Errorf("%d posts were created", len(created))
	}
	p.ID, p.Body = created[0].ID, string(body)
	return header.Get("Idempotent-Replayed") == "true", nil
}

// Text returns a text that no other post of the run has.
func (l *Lab) Text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serial++
	return fmt.Sprintf("%s post %d", l.fault.ID, l.serial)
}

// Remember registers a post that the scenario created itself.
func (l *Lab) Remember(p Accepted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accepted = append(l.accepted, p)
}

// Create creates one post as harness.System does, and registers it.
func (l *Lab) Create(typ channel.Type, content, schedule string) fencepost.Post {
	l.t.Helper()
	created := l.System.Create(typ, content, schedule)
	l.Remember(Accepted{ID: created.ID, Text: content, Type: typ, At: scheduledAt(created)})
	return created
}

func scheduledAt(p fencepost.Post) time.Time {
	if p.ScheduledAt == nil { // a draft
		return time.Time{}
	}
	return *p.ScheduledAt
}

// Posts returns all accepted posts.
func (l *Lab) Posts() []Accepted {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Accepted(nil), l.accepted...)
}
