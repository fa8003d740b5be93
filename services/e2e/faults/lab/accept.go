package lab

import (
	"fmt"
	"net/http"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/apiclient"
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
	kind apiclient.ContentTypeInput
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
func (l *Lab) AcceptWith(at time.Time, typ channel.Type, kind apiclient.ContentTypeInput, media ...string) Accepted {
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
func (l *Lab) AskAgain(p Accepted) (body []byte, replayed bool) {
	l.t.Helper()
	response, err := l.API.CreatePostsWithResponse(l.t.Context(), &apiclient.CreatePostsParams{IdempotencyKey: &p.Key},
		l.request(p))
	require.NoError(l.t, err)
	require.Equal(l.t, http.StatusCreated, response.StatusCode(), "%s", response.Body)
	return response.Body, response.HTTPResponse.Header.Get("Idempotent-Replayed") == "true"
}

// request returns the request body for a post. It is the same for the same post.
func (l *Lab) request(p Accepted) apiclient.CreatePostsRequest {
	body := apiclient.CreatePostsRequest{
		ChannelIds: &[]string{l.Channels[p.Type].ID.String()}, Content: &p.Text, Schedule: new(harness.At(p.At)),
	}
	if p.Type == channel.YouTube { // its posts need a title
		body.Title.Set(p.Text)
	}
	if p.with != nil {
		body.ContentType, body.MediaIds = &p.with.kind, &p.with.ids
	}
	return body
}

// ask sends the request once and records the response.
func (l *Lab) ask(c *assert.CollectT, p *Accepted) {
	created, err := l.API.CreatePostsWithResponse(l.t.Context(), &apiclient.CreatePostsParams{IdempotencyKey: &p.Key},
		l.request(*p))
	require.NoError(c, err)
	if refused := created.ApplicationProblemJSON422; refused != nil && refused.Code == apiclient.ProblemCodeSCHEDULEDINPAST {
		p.At = time.Now().Add(time.Second) // the outage took longer; nothing was created, so the key is unused
	}
	require.Equal(c, http.StatusCreated, created.StatusCode(), "%s", created.Body)
	require.NotNil(c, created.JSON201)
	p.ID, p.Body = (*created.JSON201)[0].ID, string(created.Body)
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
func (l *Lab) Create(typ channel.Type, content, schedule string) apiclient.Post {
	l.t.Helper()
	created := l.System.Create(typ, content, schedule)
	l.Remember(Accepted{ID: created.ID, Text: content, Type: typ, At: scheduledAt(created)})
	return created
}

func scheduledAt(p apiclient.Post) time.Time {
	at, _ := p.ScheduledAt.Get() // a draft has none
	return at
}

// Posts returns all accepted posts.
func (l *Lab) Posts() []Accepted {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Accepted(nil), l.accepted...)
}
