package lab

import (
	"fmt"
	"net/http"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/apiclient"
	"socialpub.internal/services/e2e/harness"
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/kernel/ident"
)

// answerWithin is how long a careful client asks again before it gives up: longer than any outage of a scenario.
const answerWithin = 90 * time.Second

// Accepted is a post that the API promised to publish.
type Accepted struct {
	ID   string
	Text string // unique, so that the networks' ledger can be asked for it
	Type channel.Type
	At   time.Time // when it was promised for
	Key  string    // the Idempotency-Key that it was made with
	Body string    // the answer, byte for byte

	with *attachments // nil: text alone
}

// attachments are what a post carries.
type attachments struct {
	kind apiclient.ContentType
	ids  []string
}

// Accept has n posts accepted, the first for its time and each further one later, spread over the channel types (X, Threads
// and Telegram unless others are named). It asks as a careful client: with an Idempotency-Key, and again after no answer.
func (l *Lab) Accept(n int, first time.Time, every time.Duration, types ...channel.Type) []Accepted {
	l.t.Helper()
	if len(types) == 0 {
		types = []channel.Type{channel.Twitter, channel.Threads, channel.TelegramChannel}
	}
	made := make([]Accepted, 0, n)
	for i := range n {
		made = append(made, l.AcceptOne(first.Add(time.Duration(i)*every), types[i%len(types)]))
	}
	return made
}

// AcceptOne is Accept for one post.
func (l *Lab) AcceptOne(at time.Time, typ channel.Type) Accepted {
	l.t.Helper()
	return l.accept(Accepted{Type: typ, At: at})
}

// AcceptWith is Accept for one post with attachments.
func (l *Lab) AcceptWith(at time.Time, typ channel.Type, kind apiclient.ContentType, media ...string) Accepted {
	l.t.Helper()
	return l.accept(Accepted{Type: typ, At: at, with: &attachments{kind: kind, ids: media}})
}

// accept asks with a key of the post's own until there is an answer.
func (l *Lab) accept(p Accepted) Accepted {
	l.t.Helper()
	p.Text, p.Key = l.Text(), ident.New[ident.Event]().String()
	require.EventuallyWithT(l.t, func(c *assert.CollectT) { l.ask(c, &p) }, answerWithin, 200*time.Millisecond)
	l.Remember(p)
	return p
}

// AskAgain sends the request of an accepted post once more, with its key, and returns the answer and whether it was said to be
// the one from before.
func (l *Lab) AskAgain(p Accepted) (body []byte, replayed bool) {
	l.t.Helper()
	answer, err := l.API.CreatePostsWithResponse(l.t.Context(), &apiclient.CreatePostsParams{IdempotencyKey: &p.Key}, l.request(p))
	require.NoError(l.t, err)
	require.Equal(l.t, http.StatusCreated, answer.StatusCode(), "%s", answer.Body)
	return answer.Body, answer.HTTPResponse.Header.Get("Idempotent-Replayed") == "true"
}

// request is what a post is asked for with; the same for the same post.
func (l *Lab) request(p Accepted) apiclient.CreatePosts {
	body := apiclient.CreatePosts{
		ChannelIds: []string{l.Channels[p.Type].ID.String()}, Content: &p.Text, Schedule: new(harness.At(p.At)),
	}
	if p.with != nil {
		body.ContentType, body.MediaIds = &p.with.kind, &p.with.ids
	}
	return body
}

// ask asks once for the post, and keeps the answer.
func (l *Lab) ask(c *assert.CollectT, p *Accepted) {
	made, err := l.API.CreatePostsWithResponse(l.t.Context(), &apiclient.CreatePostsParams{IdempotencyKey: &p.Key}, l.request(*p))
	require.NoError(c, err)
	if refused := made.ApplicationProblemJSON422; refused != nil && refused.Code == apiclient.ProblemCodeSCHEDULEDINPAST {
		p.At = time.Now().Add(time.Second) // the outage took longer; nothing was made, so the key is free
	}
	require.Equal(c, http.StatusCreated, made.StatusCode(), "%s", made.Body)
	require.NotNil(c, made.JSON201)
	p.ID, p.Body = (*made.JSON201)[0].ID, string(made.Body)
}

// Text is a text that no other post of the run has.
func (l *Lab) Text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serial++
	return fmt.Sprintf("%s post %d", l.fault.ID, l.serial)
}

// Remember counts a post that the scenario had accepted by itself.
func (l *Lab) Remember(p Accepted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accepted = append(l.accepted, p)
}

// Create makes one post as harness.System does, and remembers it.
func (l *Lab) Create(typ channel.Type, content, schedule string) apiclient.Post {
	l.t.Helper()
	made := l.System.Create(typ, content, schedule)
	l.Remember(Accepted{ID: made.ID, Text: content, Type: typ, At: scheduledAt(made)})
	return made
}

func scheduledAt(p apiclient.Post) time.Time {
	at, _ := p.ScheduledAt.Get() // a draft has none
	return at
}

// Posts are all that were accepted so far.
func (l *Lab) Posts() []Accepted {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Accepted(nil), l.accepted...)
}
