package httpapi_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
)

// The tenants' slots are Monday 09:00 and Thursday 17:30 in Berlin. From sunday on they are:
const (
	slotMonday    = "2026-03-02T08:00:00.000Z"
	slotThursday  = "2026-03-05T16:30:00.000Z"
	slotMonday2   = "2026-03-09T08:00:00.000Z"
	slotThursday2 = "2026-03-12T16:30:00.000Z"
)

func sunday() time.Time { return time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC) }

// at returns a bundle with a fake clock.
func at(t testing.TB, now time.Time) (*bundle, *clocktest.Fake) {
	t.Helper()
	b, clk := world(t), clocktest.New(now)
	b.clock = clk
	b.build(t)
	b.serve(t)
	return b, clk
}

// queue creates posts in the next free slot.
func (b *bundle) queue(t testing.TB, ids ...ident.Channel) response {
	t.Helper()
	return b.post(t, "/v1/posts", `{"channelIds":`+encode(t, ids)+`,"content":"x","schedule":"next_slot"}`)
}

// queued creates a post in the next free slot of our channel, and returns its id and its time.
func (b *bundle) queued(t testing.TB) (id, time string) {
	t.Helper()
	created := b.queue(t, b.ours.channel)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	post := created.list(t)[0]
	require.Equal(t, "SCHEDULED", post["status"])
	return text(t, post, "id"), text(t, post, "scheduledAt")
}

func (b *bundle) next(t testing.TB, id ident.Channel) any {
	t.Helper()
	return b.get(t, "/v1/channels/"+id.String()+"/schedule").object(t)["nextSlotAt"]
}

func TestGetSchedule(t *testing.T) {
	t.Parallel()
	b, clk := at(t, sunday())
	b.slots(t, b.ours.channel, slot.Slot{Weekday: time.Sunday, Hour: 23, Minute: 59},
		slot.Slot{Weekday: time.Thursday, Hour: 17, Minute: 30},
		slot.Slot{Weekday: time.Monday, Hour: 9}, slot.Slot{Weekday: time.Monday})
	read := b.get(t, "/v1/channels/"+b.ours.channel.String()+"/schedule")
	require.Equal(t, http.StatusOK, read.status, read.body)
	require.Equal(t, map[string]any{
		"channelId": b.ours.channel.String(), "timezone": "Europe/Berlin", "isQueuePaused": false,
		"nextSlotAt": "2026-03-01T22:59:00.000Z",
		"nextSlots": []any{
			"2026-03-01T22:59:00.000Z", "2026-03-01T23:00:00.000Z", "2026-03-02T08:00:00.000Z", "2026-03-05T16:30:00.000Z",
			"2026-03-08T22:59:00.000Z", "2026-03-08T23:00:00.000Z", "2026-03-09T08:00:00.000Z", "2026-03-12T16:30:00.000Z",
			"2026-03-15T22:59:00.000Z", "2026-03-15T23:00:00.000Z",
		},
		"slots": []any{
			map[string]any{"weekday": "MONDAY", "time": "00:00"},
			map[string]any{"weekday": "MONDAY", "time": "09:00"},
			map[string]any{"weekday": "THURSDAY", "time": "17:30"},
			map[string]any{"weekday": "SUNDAY", "time": "23:59"},
		},
	}, read.object(t))
	clk.Set(sunday().Add(11 * time.Hour)) // midnight in Berlin: the slot at 00:00 is no longer in the future
	require.Equal(t, slotMonday, b.next(t, b.ours.channel))

	b.exec(t, `UPDATE channel SET is_queue_paused = true WHERE id = $1`, b.ours.channel.String())
	paused := b.get(t, "/v1/channels/"+b.ours.channel.String()+"/schedule").object(t)
	require.Equal(t, []any{true, nil}, []any{paused["isQueuePaused"], paused["nextSlotAt"]})
	require.Len(t, paused["slots"], 4)

	none := b.get(t, "/v1/channels/"+b.ours.channels[channel.YouTube].String()+"/schedule")
	require.Equal(t, http.StatusOK, none.status)
	require.Equal(t, []any{}, none.object(t)["slots"])
	require.Nil(t, none.object(t)["nextSlotAt"])
}

func TestNextSlotOnCreate(t *testing.T) {
	t.Parallel()
	b, clk := at(t, sunday())
	for _, want := range []string{slotMonday, slotThursday, slotMonday2} {
		require.Equal(t, want, b.next(t, b.ours.channel), "the announced slot is taken")
		_, got := b.queued(t)
		require.Equal(t, want, got)
	}
	clk.Set(time.Date(2026, time.March, 28, 12, 0, 0, 0, time.UTC)) // the day before daylight saving time starts
	_, got := b.queued(t)
	require.Equal(t, "2026-03-30T07:00:00.000Z", got, "09:00 stays 09:00")

	second := b.channel(t, b.ours.id, channel.Twitter, true)
	b.slots(t, second, slot.Slot{Weekday: time.Sunday, Hour: 2, Minute: 30}) // does not exist on that day
	both := b.queue(t, second, b.ours.channel).list(t)
	require.Equal(t, "2026-03-29T01:00:00.000Z", both[0]["scheduledAt"], "the first moment after the gap")
	require.Equal(t, "2026-04-02T15:30:00.000Z", both[1]["scheduledAt"])
}

func TestHeldSlotsAreSkipped(t *testing.T) {
	t.Parallel()
	b, _ := at(t, sunday())
	byHand := b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+
		`"],"content":"x","schedule":"2026-03-02T09:00:00+01:00"}`)
	require.Equal(t, http.StatusCreated, byHand.status, byHand.body)
	draft := b.draft(t, b.ours)
	require.Equal(t, http.StatusOK, b.patch(t, draft, `{"scheduledAt":"`+slotThursday+`"}`).status)
	// A time next to a slot does not take it, and neither does another channel's post.
	require.Equal(t, http.StatusCreated, b.post(t, "/v1/posts",
		`{"channelIds":["`+b.ours.channel.String()+`"],"content":"x","schedule":"2026-03-05T16:30:01Z"}`).status)
	linkedIn := b.ours.channels[channel.LinkedInPage].String()
	require.Equal(t, http.StatusCreated, b.post(t, "/v1/posts",
		`{"channelIds":["`+linkedIn+`"],"content":"x","schedule":"`+slotThursday+`"}`).status)

	id, got := b.queued(t)
	require.Equal(t, slotThursday, got, "held by hand; a draft's intention holds nothing")
	for name, free := range map[string]func(){
		"unscheduled": func() { require.Equal(t, http.StatusOK, b.post(t, "/v1/posts/"+id+"/unschedule", "").status) },
		"deleted":     func() { require.Equal(t, http.StatusNoContent, b.delete(t, id).status) },
		"moved":       func() { require.Equal(t, http.StatusOK, b.patch(t, id, `{"scheduledAt":"`+future+`"}`).status) },
		"failed":      func() { b.become(t, id, "FAILED") },
	} {
		require.Equal(t, slotMonday2, b.next(t, b.ours.channel), name)
		free()
		require.Equal(t, slotThursday, b.next(t, b.ours.channel), name)
		id, got = b.queued(t)
		require.Equal(t, slotThursday, got, name)
	}
}

func TestNextSlotOnSchedule(t *testing.T) {
	t.Parallel()
	b, _ := at(t, sunday())
	id := b.draft(t, b.ours)
	schedule := func(id string) response { return b.post(t, "/v1/posts/"+id+"/schedule", `{"schedule":"next_slot"}`) }
	move := func(id string) response {
		return b.post(t, "/v1/posts/"+id+"/schedule", `{"schedule":"next_slot","force":true}`)
	}
	post := schedule(id).object(t)
	require.Equal(t, []any{"SCHEDULED", slotMonday}, []any{post["status"], post["scheduledAt"]})
	require.Equal(t, post, b.get(t, "/v1/posts/"+id).object(t))
	require.Equal(t, slotMonday, schedule(id).object(t)["scheduledAt"], "it keeps the slot that it holds")
	require.Equal(t, slotThursday, move(id).object(t)["scheduledAt"], "on to the next: it holds the first itself")
	failed := b.draft(t, b.ours)
	b.become(t, failed, "FAILED")
	require.Equal(t, slotMonday, schedule(failed).object(t)["scheduledAt"])

	pending := b.draft(t, b.ours)
	require.Equal(t, http.StatusOK, b.post(t, "/v1/posts/"+pending+"/request-approval", "").status)
	b.exec(t, `UPDATE channel SET is_queue_paused = true`)
	requireProblem(t, schedule(pending), http.StatusConflict, "INVALID_STATE")
	draft := b.draft(t, b.ours)
	requireProblem(t, schedule(draft), http.StatusUnprocessableEntity, "QUEUE_PAUSED")
	b.exec(t, `UPDATE channel SET is_queue_paused = false, is_connected = false`)
	requireProblem(t, schedule(draft), http.StatusUnprocessableEntity, "CHANNEL_DISCONNECTED")
	b.exec(t, `UPDATE channel SET is_connected = true`)
	require.Equal(t, http.StatusOK, b.patch(t, draft, `{"content":""}`).status)
	p := requireProblem(t, schedule(draft), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Equal(t, []string{"/content"}, pointers(t, p))
	require.Equal(t, slotMonday2, b.next(t, b.ours.channel), "what was refused holds nothing")
}

func TestNoFreeSlot(t *testing.T) {
	t.Parallel()
	b, _ := at(t, sunday())
	weekly := b.channel(t, b.ours.id, channel.Twitter, true)
	b.slots(t, weekly, slot.Slot{Weekday: time.Saturday, Hour: 12})
	for range 13 { // of 91 days; the last one is the 90th
		require.Equal(t, http.StatusCreated, b.queue(t, weekly).status)
	}
	require.Nil(t, b.next(t, weekly))
	p := requireProblem(t, b.queue(t, weekly), http.StatusUnprocessableEntity, "NO_FREE_SLOT")
	require.Contains(t, p["detail"], "90 days")

	empty := b.ours.channels[channel.LinkedInPage]
	p = requireProblem(t, b.queue(t, b.ours.channel, empty), http.StatusUnprocessableEntity, "NO_FREE_SLOT")
	require.Contains(t, p["detail"], empty.String())
	require.Equal(t, slotMonday, b.next(t, b.ours.channel), "all or none")
	b.exec(t, `UPDATE channel SET is_queue_paused = true WHERE id = $1`, b.ours.channel.String())
	requireProblem(t, b.queue(t, b.ours.channel), http.StatusUnprocessableEntity, "QUEUE_PAUSED")
	draft := b.draft(t, b.ours)
	p = requireProblem(t, b.post(t, "/v1/posts/"+draft+"/schedule", `{"schedule":"next_slot"}`),
		http.StatusUnprocessableEntity, "QUEUE_PAUSED")
	require.Equal(t, baseURL+"/problems/queue-paused", p["type"])
	require.Equal(t, http.StatusCreated, b.post(t, "/v1/posts",
		`{"channelIds":["`+b.ours.channel.String()+`"],"content":"x","schedule":"now"}`).status,
		"a pause is for the queue alone")
	require.Equal(t, 15, b.count(t, `post`))
}

// TestConcurrentRequestsGetDistinctSlots sends two processes concurrent requests of every kind for slots of two channels, one of which
// is locked by the test.
func TestConcurrentRequestsGetDistinctSlots(t *testing.T) {
	t.Parallel()
	b, _ := at(t, sunday())
	other := b.twin(t)
	second := b.channel(t, b.ours.id, channel.Twitter, true)
	for _, id := range []ident.Channel{b.ours.channel, second} {
		daily := make([]slot.Slot, 7)
		for day := range daily {
			daily[day] = slot.Slot{Weekday: time.Weekday(day), Hour: 9}
		}
		b.slots(t, id, daily...)
	}
	require.Equal(t, http.StatusCreated, b.post(t, "/v1/posts",
		`{"channelIds":["`+b.ours.channel.String()+`"],"content":"x","schedule":"`+slotMonday+`"}`).status)
	drafts := make([]string, 20)
	for i := range drafts {
		drafts[i] = b.draft(t, b.ours)
	}
	both := `{"channelIds":["` + b.ours.channel.String() + `","` + second.String() +
		`"],"content":"x","schedule":"next_slot"}`
	reversed := `{"channelIds":["` + second.String() + `","` + b.ours.channel.String() +
		`"],"content":"x","schedule":"next_slot"}`
	for _, a := range atOnce(20, func(i int) response {
		process := []*bundle{b, other}[i/2%2]
		switch i % 4 {
		case 0:
			return process.post(t, "/v1/posts", both)
		case 1:
			return process.post(t, "/v1/posts", reversed)
		case 2:
			return process.bulk(t, b.ours.key, drafts[i], reversed, both)
		default:
			return process.post(t, "/v1/posts/"+drafts[i]+"/schedule", `{"schedule":"next_slot"}`)
		}
	}) {
		require.Less(t, a.status, 300, a.body)
		require.NotContains(t, a.body, `"success":false`)
	}
	require.Equal(t, 1+10+2*5+5, b.count(t, `post WHERE status = 'SCHEDULED' AND channel_id = $1`,
		b.ours.channel.String()))
	require.Equal(t, 10+2*5, b.count(t, `post WHERE status = 'SCHEDULED' AND channel_id = $1`, second.String()))
	require.Empty(t,
		b.column(t,
			`SELECT scheduled_at FROM post WHERE status = 'SCHEDULED' GROUP BY channel_id, scheduled_at HAVING count(*) > 1`))
	for id, n := range map[ident.Channel]int{b.ours.channel: 26, second: 20} { // no slot was skipped
		last := b.column(t,
			`SELECT to_char(max(scheduled_at), 'YYYY-MM-DD') FROM post WHERE status = 'SCHEDULED' AND channel_id = $1`,
			id.String())
		require.Equal(t, []string{sunday().AddDate(0, 0, n).Format(time.DateOnly)}, last)
	}
}

// TestSlotRequestsCommitConcurrently checks that requests for one channel commit concurrently, each in less time than all
// of them together.
func TestSlotRequestsCommitConcurrently(t *testing.T) {
	t.Parallel()
	b := hurried(t)
	b.slots(t, b.ours.channel, slot.Slot{Weekday: time.Monday, Hour: 9}, slot.Slot{Weekday: time.Tuesday, Hour: 9})
	b.exec(t,
		`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END $$`)
	b.exec(t,
		`CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON post DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()`)
	body := strings.Replace(b.ours.withContent("x"), `}`, `,"schedule":"next_slot"}`, 1)
	times := map[any]bool{}
	for i, a := range atOnce(10, func(i int) response {
		if i%2 == 0 {
			return b.post(t, "/v1/posts", body)
		}
		return b.once(t, strconv.Itoa(i), "/v1/posts", body)
	}) {
		require.Equal(t, http.StatusCreated, a.status, "%d: %s", i, a.body)
		times[a.list(t)[0]["scheduledAt"]] = true
	}
	require.Len(t, times, 10, "each has a slot of its own")
}

// TestLockedQueueTimesOut checks the error of a request that times out waiting for a queue, and that it can be retried.
func TestLockedQueueTimesOut(t *testing.T) {
	t.Parallel()
	b := hurried(t)
	b.slots(t, b.ours.channel, slot.Slot{Weekday: time.Monday, Hour: 9})
	draft := b.draft(t, b.ours)
	body := strings.Replace(b.ours.withContent("x"), `}`, `,"schedule":"next_slot"}`, 1)
	ask := map[string]func() response{
		"create":            func() response { return b.post(t, "/v1/posts", body) },
		"create with a key": func() response { return b.once(t, "k", "/v1/posts", body) },
		"bulk with a key":   func() response { return b.once(t, "bulk", "/v1/posts/bulk", `{"posts":[`+body+`]}`) },
		"schedule":          func() response { return b.post(t, "/v1/posts/"+draft+"/schedule", `{"schedule":"next_slot"}`) },
	}
	release := b.hold(t, `SELECT pg_advisory_xact_lock(hashtextextended($1, 2))`, b.ours.channel.String())
	for name, do := range ask {
		refused := do()
		p := requireProblem(t, refused, http.StatusServiceUnavailable, "UNAVAILABLE")
		require.Contains(t, p["detail"], "Other requests hold the channel's queue", name)
		require.NotContains(t, p["detail"], "The database", name)
		require.NotEmpty(t, refused.header.Get("Retry-After"), name)
	}
	require.Equal(t, 1, b.count(t, `post`))
	release()
	for name, do := range ask {
		require.Less(t, do().status, 300, name)
	}
	require.Equal(t, 4, b.count(t, `post`))
}

// TestNextSlotKeepsHeldSlot repeats next_slot: a post keeps the slot that it holds, unless the request forces a move.
func TestNextSlotKeepsHeldSlot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.slots(t, b.ours.channel, slot.Slot{Weekday: time.Monday}, slot.Slot{Weekday: time.Thursday})
	path := "/v1/posts/" + b.draft(t, b.ours)
	next := func(body string) map[string]any {
		t.Helper()
		got := b.post(t, path+"/schedule", body)
		require.Equal(t, http.StatusOK, got.status, got.body)
		return got.object(t)
	}
	held := next(`{"schedule":"next_slot"}`)
	require.Equal(t, held, next(`{"schedule":"next_slot"}`))
	require.Equal(t, held, next(`{"schedule":"next_slot","force":false}`))
	moved := next(`{"schedule":"next_slot","force":true}`)
	require.NotEqual(t, held["scheduledAt"], moved["scheduledAt"])
	require.Equal(t, moved, next(`{"schedule":"next_slot"}`))

	between := time.Now().Add(time.Hour).Truncate(time.Hour).Add(time.Minute).UTC().Format(time.RFC3339)
	require.NotEqual(t, held["scheduledAt"], next(`{"scheduledAt":"` + between + `"}`)["scheduledAt"])
	require.Equal(t, held["scheduledAt"], next(`{"schedule":"next_slot"}`)["scheduledAt"], "a time that is no slot is left")
	b.slots(t, b.ours.channel, slot.Slot{Weekday: time.Sunday, Hour: 3})
	require.NotEqual(t, held["scheduledAt"], next(`{"schedule":"next_slot"}`)["scheduledAt"], "no slot of the schedule now")

	b.exec(t, `UPDATE channel SET is_queue_paused = true`)
	requireProblem(t, b.post(t, path+"/schedule", `{"schedule":"next_slot"}`), http.StatusUnprocessableEntity,
		"QUEUE_PAUSED")
	p := requireProblem(t, b.post(t, path+"/schedule", `{"scheduledAt":"`+between+`","force":true}`),
		http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Equal(t, []string{"/force"}, pointers(t, p))
}
