package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// calendar is a client's copy of posts from deliveries alone: the latest data of each, by sequence.
type calendar map[string]delivered

type delivered struct {
	Type     string         `json:"type"`
	Sequence int64          `json:"sequence"`
	Data     map[string]any `json:"data"`
}

func (c calendar) take(t *testing.T, body string) {
	t.Helper()
	var e delivered
	require.NoError(t, json.Unmarshal([]byte(body), &e))
	require.Positive(t, e.Sequence)
	if id := text(t, e.Data, "postId"); e.Sequence > c[id].Sequence {
		c[id] = e
	}
}

// planner makes random changes of posts.
type planner struct {
	b        *bundle
	channels []ident.Channel
	mu       sync.Mutex
	posts    []string
	done     [10]atomic.Int32 // accepted changes, by their kind
}

func (p *planner) some() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.posts) == 0 {
		return ident.New[ident.Post]().String()
	}
	return p.posts[rand.IntN(len(p.posts))] //nolint:gosec // a test needs no secure choice
}

// change makes one change. The states of posts refuse many; other planners change the same posts at the same time.
func (p *planner) change(t *testing.T) {
	t.Helper()
	kind, post := rand.IntN(len(p.done)), "/v1/posts/"+p.some()                                                     //nolint:gosec // as above
	at := time.Now().Add(time.Duration(1+rand.IntN(10_000)) * time.Minute).UTC().Format("2006-01-02T15:04:05.000Z") //nolint:gosec // as above
	r := request{method: http.MethodPost, path: post, key: p.b.ours.key, contentType: "application/json"}
	switch kind {
	case 0, 1:
		r.path = "/v1/posts"
		r.body = fmt.Sprintf(`{"channelIds":[%q,%q],"content":"x","schedule":%q}`, p.channels[0], p.channels[1],
			[]string{"draft", at, "next_slot"}[rand.IntN(3)]) //nolint:gosec // as above
	case 2:
		r.method, r.body = http.MethodPatch, fmt.Sprintf(`{"content":"text %d"}`, rand.Int()) //nolint:gosec // as above
	case 3:
		r.method, r.body = http.MethodPatch, `{"scheduledAt":"`+at+`"}`
	case 4:
		r.path, r.body = post+"/schedule", `{"scheduledAt":"`+at+`"}`
	case 5:
		r.path, r.body = post+"/schedule", `{"schedule":"next_slot","force":true}`
	case 6:
		r.path, r.body = post+"/unschedule", "{}"
	case 7:
		r.path, r.body = post+"/request-approval", "{}"
	case 8:
		r.path, r.body = post+[]string{"/approve", "/approve", "/reject"}[rand.IntN(3)], `{}` //nolint:gosec // as above
	case 9:
		r.method, r.body, r.contentType = http.MethodDelete, "", ""
	}
	got := p.b.do(t, r)
	if got.status >= http.StatusBadRequest {
		require.Contains(t, []int{http.StatusConflict, http.StatusNotFound, http.StatusUnprocessableEntity}, got.status, got.body)
		return
	}
	p.done[kind].Add(1)
	if got.status == http.StatusCreated {
		var created []struct{ ID string }
		require.NoError(t, json.Unmarshal([]byte(got.body), &created))
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, one := range created {
			p.posts = append(p.posts, one.ID)
		}
	}
}

// TestCalendarOfDeliveriesEqualsPosts changes posts at random, from several clients at once, while several relays number
// the events. A calendar that receives the deliveries in any order then shows what the API returns.
func TestCalendarOfDeliveriesEqualsPosts(t *testing.T) {
	t.Parallel()
	const changes, clients, relays = 1000, 6, 3
	b := setup(t)
	hook := b.webhook(t, b.ours)
	p := &planner{b: b, channels: []ident.Channel{
		b.channel(t, b.ours.id, channel.TelegramChannel, true), b.channel(t, b.ours.id, channel.Bluesky, true),
	}}
	var hourly []slot.Slot
	for at := range 24 * 7 {
		hourly = append(hourly, slot.Slot{Weekday: time.Weekday(at / 24), Hour: at % 24}) //nolint:mnd // hours of a day
	}
	for _, id := range p.channels {
		b.slots(t, id, hourly...)
	}
	var left atomic.Int32
	left.Store(changes)
	var planning, relaying sync.WaitGroup
	ended := make(chan struct{})
	for range clients {
		planning.Go(func() {
			for left.Add(-1) >= 0 {
				p.change(t)
			}
		})
	}
	for range relays {
		relaying.Go(func() {
			for events := postgres.NewEvents(b.db); ; {
				n, _, err := events.FanOut(t.Context(), 5)
				require.NoError(t, err)
				select {
				case <-ended:
					if n == 0 {
						return
					}
				default:
				}
			}
		})
	}
	planning.Wait()
	close(ended)
	relaying.Wait()
	for kind := range p.done {
		require.Positive(t, p.done[kind].Load(), "changes of kind %d were accepted", kind)
	}

	bodies := b.column(t, `SELECT convert_from(e.body, 'UTF8') FROM delivery d JOIN event e ON e.id = d.event_id
		WHERE d.webhook_id = $1`, hook)
	require.Equal(t, []string{strconv.Itoa(len(bodies))}, b.column(t, `SELECT CAST(count(*) AS text) FROM event`))
	rand.Shuffle(len(bodies), func(i, j int) { bodies[i], bodies[j] = bodies[j], bodies[i] }) //nolint:gosec // as above
	kept := make(calendar)
	for _, body := range bodies {
		kept.take(t, body)
	}
	shown := b.everyPost(t)
	require.NotEmpty(t, shown)
	for id, e := range kept {
		listed, exists := shown[id]
		require.Equal(t, e.Type != "post.deleted", exists, "%s: %v", id, e)
		delete(shown, id)
		for member, value := range e.Data {
			if exists && !slices.Contains([]string{"postId", "channelType", "comment"}, member) {
				require.Equal(t, listed[member], value, "%s of %v, listed as %v", member, e, listed)
			}
		}
	}
	require.Empty(t, shown, "every post has a delivery")
}

// everyPost returns all posts of our workspace by ID.
func (b *bundle) everyPost(t *testing.T) map[string]map[string]any {
	t.Helper()
	posts := make(map[string]map[string]any)
	for cursor := ""; ; {
		page := b.get(t, "/v1/posts?limit=100"+cursor)
		require.Equal(t, http.StatusOK, page.status, page.body)
		var list struct {
			Data       []map[string]any `json:"data"`
			NextCursor *string          `json:"nextCursor"`
		}
		require.NoError(t, json.Unmarshal([]byte(page.body), &list))
		for _, one := range list.Data {
			posts[text(t, one, "id")] = one
		}
		if list.NextCursor == nil {
			return posts
		}
		cursor = "&cursor=" + *list.NextCursor
	}
}
