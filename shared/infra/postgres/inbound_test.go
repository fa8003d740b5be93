package postgres_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// inboxOf connects an account of a bot.
func (b *bundle) inboxOf(t *testing.T, ws workspace.Workspace, bot, user string) channel.Channel {
	t.Helper()
	c := b.ch
	c.ID, c.WorkspaceID, c.Type, c.ExternalID = ident.New[ident.Channel](), ws.ID, channel.TelegramBusiness, bot+":"+user
	require.NoError(t, b.channels.Insert(t.Context(), c, b.credentials()))
	return c
}

// reports are events whose content is in memory.
type reports struct {
	changes map[string]inbox.Change
	events  []inbox.Event
}

func (r *reports) add(bot, key string, at time.Time, c inbox.Change) {
	if r.changes == nil {
		r.changes = make(map[string]inbox.Change)
	}
	r.changes[bot+key] = c
	r.events = append(r.events, inbox.Event{
		Network: channel.NetworkTelegram, Account: bot, Key: key, Kind: "test", At: at, Body: []byte("{}"),
	})
}

func (r *reports) read(e inbox.Event) postgres.Reading {
	c, known := r.changes[e.Account+e.Key]
	if !known {
		return postgres.Reading{Fault: errors.New("no such form"), Reader: 1}
	}
	return postgres.Reading{Change: c, Reader: 1}
}

// example has messages of two people, edits, a deletion and answers from elsewhere, of an account of a bot.
func example(bot string, at time.Time) *reports {
	r := &reports{}
	r.add(bot, "u/1", at, inbox.Change{Connection: &inbox.Connection{ID: "c" + bot, ExternalID: bot + ":7", Enabled: true, MayReply: true, At: at}})
	say := func(key, thread, id, text string, direction inbox.Direction, after time.Duration, edit time.Duration, version int64) {
		m := inbox.Written{
			Connection: "c" + bot, Thread: thread, ExternalID: thread + "/" + id, Direction: direction, Text: text, Version: version,
			Person: inbox.Identity{ID: thread, Name: "Person " + thread, Username: "p" + thread}, SentAt: at.Add(after),
		}
		if edit > 0 {
			m.EditedAt = at.Add(edit)
		}
		r.add(bot, key, at.Add(after), inbox.Change{Message: &m})
	}
	say("u/2", "21", "1", "Hello", inbox.In, time.Second, 0, 2)
	say("u/3", "21", "1", "Hello!", inbox.In, time.Second, 3*time.Second, 3)
	say("u/4", "21", "1", "Hello there!", inbox.In, time.Second, 3*time.Second, 4)
	say("u/5", "22", "2", "A question", inbox.In, 4*time.Second, 0, 5)
	say("u/6", "21", "3", "From the phone", inbox.Out, 5*time.Second, 0, 6)
	say("u/7", "22", "4", "Wrong words", inbox.In, 6*time.Second, 0, 7)
	say("u/8", "22", "4", "Other wrong words", inbox.In, 6*time.Second, 7*time.Second, 8)
	r.add(bot, "u/9", at.Add(8*time.Second), inbox.Change{Deleted: &inbox.Deletion{
		Connection: "c" + bot, Thread: "22", Messages: []string{"22/4"},
	}})
	say("u/12", "22", "6", "Later words", inbox.In, 20*time.Second, 20*time.Second, 12) // reported by its own time
	say("u/13", "22", "6", "First words", inbox.In, 10*time.Second, 0, 13)
	say("u/10", "21", "5", "And now?", inbox.In, 9*time.Second, 0, 10)
	r.add(bot, "u/11", at, inbox.Change{}) // says nothing
	files := func(key string, names ...string) {
		for _, name := range names {
			m := r.changes[bot+key].Message
			m.Files = append(m.Files, inbox.File{Reference: "ref " + name, Name: name, Type: "image/png"})
		}
	}
	say("u/14", "21", "7", "", inbox.In, 9500*time.Millisecond, 0, 14)
	say("u/15", "21", "7", "", inbox.In, 9500*time.Millisecond, 12*time.Second, 15)
	files("u/7", "gone.png")
	files("u/14", "one.png", "two.png")
	files("u/15", "three.png")
	return r
}

// processed reads events until none is due, in batches of a size.
func (b *bundle) processed(t *testing.T, of *reports, size int) {
	t.Helper()
	for {
		taken, err := postgres.NewInbound(b.db).Process(t.Context(), size, of.read)
		require.NoError(t, err)
		if len(taken) == 0 {
			return
		}
	}
}

func (b *bundle) reported(t *testing.T, events ...inbox.Event) {
	t.Helper()
	receipts, err := postgres.NewInboundReceipts(b.db, clock.System())
	require.NoError(t, err)
	_, err = receipts.Store(t.Context(), events)
	require.NoError(t, err)
}

// shown returns what a channel's inbox shows, without IDs.
func (b *bundle) shown(t *testing.T, c channel.Channel) string {
	t.Helper()
	return strings.Join(postgrestest.Column(t, b.address, `SELECT concat_ws('|', v.thread, v.state, v.last_at, v.last_in_at, v.last_out_at,
			v.preview, i.value, i.name, m.direction, m.external_id, m.text, m.edited_at, m.version, m.deleted_at,
			(SELECT string_agg(f.n || ' ' || f.network_ref || ' ' || f.name || ' ' || f.state, ', ' ORDER BY f.n) FROM message_file f WHERE f.message_id = m.id))
		FROM conversation v JOIN message m ON m.conversation_id = v.id JOIN person_identity i ON i.person_id = v.person_id
		WHERE v.channel_id = $1 ORDER BY v.thread, m.external_id`, c.ID), "\n")
}

// TestOrderOfEventsHasNoEffect checks that an inbox is the same after any order of the same events, any of them reported several
// times, with several processes at once.
func TestOrderOfEventsHasNoEffect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	at := b.now.Add(-time.Minute)
	const orders = 150
	want := ""
	for n := range orders {
		bot := strconv.Itoa(100 + n)
		c := b.inboxOf(t, b.ws, bot, "7")
		of := example(bot, at)
		for _, i := range rand.Perm(len(of.events)) { //nolint:gosec // an order, not a secret
			b.reported(t, of.events[i])
			if rand.IntN(3) == 0 { //nolint:gosec // an order, not a secret
				b.reported(t, of.events[i], of.events[rand.IntN(len(of.events))]) //nolint:gosec // as above
			}
			if rand.IntN(3) == 0 { //nolint:gosec // as above
				b.processed(t, of, 1+rand.IntN(4)) //nolint:gosec // as above
			}
		}
		// What waits for another event is due again.
		for range 4 {
			postgrestest.Exec(t, b.address, `UPDATE inbound_event SET next_at = now() WHERE state = 'NEW'`)
			var together sync.WaitGroup
			for range 2 {
				together.Go(func() { b.processed(t, of, 3) })
			}
			together.Wait()
		}
		require.Equal(t, []string{"15"}, postgrestest.Column(t, b.address,
			`SELECT count(*) FROM inbound_event WHERE account = $1 AND state = 'DONE'`, bot))
		got := strings.ReplaceAll(b.shown(t, c), "c"+bot, "c")
		if n == 0 {
			want = got
		}
		require.Equal(t, want, got, "order %d", n)
	}
	require.Equal(t, 7, strings.Count(want, "\n")+1, want)
	require.Contains(t, want, "Later words")
	require.Contains(t, want, "Hello there!")
	require.Contains(t, want, "|1 ref three.png three.png WAITING")
	require.Contains(t, want, "|a picture|", "the beginning of a message without a text")
	for _, gone := range []string{"rong words", "gone.png", "one.png", "two.png"} {
		require.NotContains(t, want, gone, "it was deleted, or replaced")
	}
	require.Contains(t, want, "And now?")
}

// TestPersonOpensConversation checks that a message of the person opens a closed conversation, and that an answer or a repetition
// does not.
func TestPersonOpensConversation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.inboxOf(t, b.ws, "9", "7")
	of := example("9", b.now.Add(-time.Minute))
	b.reported(t, of.events...)
	b.processed(t, of, 100)
	state := func() []string {
		return postgrestest.Column(t, b.address, `SELECT state FROM conversation WHERE channel_id = $1 ORDER BY thread`, c.ID)
	}
	postgrestest.Exec(t, b.address, `UPDATE conversation SET state = 'CLOSED' WHERE channel_id = $1`, c.ID)
	further := &reports{}
	written := func(key, thread, id string, direction inbox.Direction) {
		further.add("9", key, b.now, inbox.Change{Message: &inbox.Written{
			Connection: "c9", Thread: thread, ExternalID: thread + "/" + id, Direction: direction, Text: "more",
			Person: inbox.Identity{ID: thread, Name: "Another name"}, SentAt: b.now,
		}})
	}
	written("v/1", "21", "1", inbox.In) // known under another key
	written("v/2", "22", "8", inbox.Out)
	b.reported(t, further.events...)
	b.processed(t, further, 100)
	require.Equal(t, []string{"CLOSED", "CLOSED"}, state())
	written("v/3", "22", "9", inbox.In)
	b.reported(t, further.events...)
	b.processed(t, further, 100)
	require.Equal(t, []string{"CLOSED", "OPEN"}, state())

	postgrestest.Exec(t, b.address, `UPDATE conversation SET state = 'SNOOZED', snoozed_until = now() - interval '1 second' WHERE channel_id = $1`, c.ID)
	woken, err := postgres.NewConversations(b.db).Wakes(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, woken)
	require.Equal(t, []string{"OPEN", "OPEN"}, state())
}

// TestEventsOfSeveralWorkspaces checks that an account in two workspaces has its conversations in both, and that events of
// accounts that no workspace has are not kept.
func TestEventsOfSeveralWorkspaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.inboxOf(t, b.ws, "5", "7"), b.inboxOf(t, b.tenant(t), "5", "7")
	of := example("5", b.now.Add(-time.Minute))
	b.reported(t, of.events...)
	b.processed(t, of, 100)
	require.NotEmpty(t, b.shown(t, mine))
	require.Equal(t, b.shown(t, mine), b.shown(t, theirs))
	require.Len(t, postgrestest.Column(t, b.address, `SELECT DISTINCT person_id FROM conversation WHERE thread = '21'`), 2)

	foreign := example("6", b.now)
	b.reported(t, foreign.events...)
	require.Equal(t, []string{"15"}, postgrestest.Column(t, b.address,
		`SELECT count(*) FROM inbound_event WHERE account = '6' AND state = 'SKIPPED' AND body = ''`))
}

// TestUnreadableEventsHoldUpNothing checks that an event that cannot be read is tried five times, and again by a newer version.
func TestUnreadableEventsHoldUpNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.inboxOf(t, b.ws, "3", "7")
	of := example("3", b.now.Add(-time.Minute))
	of.add("3", "u/0", b.now, inbox.Change{})
	delete(of.changes, "3u/0")
	b.reported(t, of.events...)
	store := postgres.NewInbound(b.db)
	for n := range 5 {
		b.processed(t, of, 100)
		require.Contains(t, b.shown(t, c), "And now?")
		count, _, err := store.Waiting(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[bool]int{true: 1}[n < 4], count)
		postgrestest.Exec(t, b.address, `UPDATE inbound_event SET next_at = now() WHERE state = 'NEW'`)
	}
	failed := func() []string {
		return postgrestest.Column(t, b.address, `SELECT error FROM inbound_event WHERE state = 'FAILED'`)
	}
	require.Equal(t, []string{"no such form"}, failed())
	require.NoError(t, store.Again(t.Context(), channel.NetworkTelegram, 1))
	require.Len(t, failed(), 1, "by the same version")
	require.NoError(t, store.Again(t.Context(), channel.NetworkTelegram, 2))
	require.Empty(t, failed())

	postgrestest.Exec(t, b.address, `UPDATE inbound_event SET received_at = now() - interval '15 days'`)
	deleted, err := store.Prune(t.Context(), 14*24*time.Hour, 1000)
	require.NoError(t, err)
	require.Equal(t, 15, deleted, "the one that waits stays")
}

// TestMessagesThroughUnknownConnection checks that a message waits a day for the connection through which it came.
func TestMessagesThroughUnknownConnection(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.inboxOf(t, b.ws, "4", "7")
	of := example("4", b.now.Add(-time.Minute))
	b.reported(t, of.events[1])
	b.processed(t, of, 100)
	state := func() []string { return postgrestest.Column(t, b.address, `SELECT state FROM inbound_event`) }
	require.Equal(t, []string{"NEW"}, state())
	postgrestest.Exec(t, b.address, `UPDATE inbound_event SET next_at = now(), received_at = now() - interval '25 hours'`)
	b.processed(t, of, 100)
	require.Equal(t, []string{"SKIPPED"}, state())
}

// TestPeopleWithSeveralNames checks that a person whom a network names by a number, by a user name's ID, and by both, is one person
// with one conversation in the end, in any order.
func TestPeopleWithSeveralNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		bot := fmt.Sprint("8", order[0], order[1], order[2])
		c := b.inboxOf(t, b.ws, bot, "7")
		of := &reports{}
		of.add(bot, "u/0", b.now, inbox.Change{Connection: &inbox.Connection{ID: "c" + bot, ExternalID: bot + ":7", Enabled: true, At: b.now}})
		for i, person := range []inbox.Identity{
			{ID: "49" + bot}, {ID: "DE." + bot}, {ID: "49" + bot, Aliases: []string{"DE." + bot}},
		} {
			of.add(bot, fmt.Sprintf("m/%d", i), b.now, inbox.Change{Message: &inbox.Written{
				Connection: "c" + bot, Thread: person.ID, ExternalID: fmt.Sprintf("%s/%d", bot, i), Direction: inbox.In, Text: "x", Person: person,
				SentAt: b.now.Add(time.Duration(i) * time.Second),
			}})
		}
		b.reported(t, of.events[0])
		b.processed(t, of, 1)
		for _, i := range order {
			b.reported(t, of.events[i+1])
			b.processed(t, of, 1)
		}
		require.Equal(t, []string{"1"}, postgrestest.Column(t, b.address,
			`SELECT count(DISTINCT person_id) FROM conversation WHERE channel_id = $1`, c.ID), "order %v", order)
		require.Equal(t, []string{"1"}, postgrestest.Column(t, b.address,
			`SELECT count(DISTINCT person_id) FROM person_identity WHERE value IN ($1, $2)`, "49"+bot, "DE."+bot))
	}
	require.Equal(t, postgrestest.Column(t, b.address, `SELECT DISTINCT person_id FROM person_identity ORDER BY 1`),
		postgrestest.Column(t, b.address, `SELECT id FROM person WHERE merged_into IS NULL ORDER BY 1`), "no other person is left")
}

// TestStatesOfReplies checks that what a network reports of an answer only rises, in any order, also before the response to its call.
func TestStatesOfReplies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	replies, queue := answering(t, b)
	for _, order := range [][]inbox.MessageState{
		{inbox.Sent, inbox.Delivered, inbox.Read},
		{inbox.Read, inbox.Delivered, inbox.Sent},
		{inbox.Delivered, inbox.Failed, inbox.Read},
		{inbox.Failed, inbox.Sent},
	} {
		m := queue()
		n, err := replies.Intend(t.Context(), m.ID, 0)
		require.NoError(t, err)
		of := &reports{}
		for i, state := range order {
			of.add("9", fmt.Sprintf("s/%s/%d", m.ID, i), b.now, inbox.Change{Status: &inbox.Status{
				ExternalID: "w" + m.ID.String(), State: state, Opaque: m.ID.String(), At: b.now, Price: "SERVICE",
			}})
		}
		postgrestest.Exec(t, b.address, `UPDATE channel SET external_id = '9' WHERE type = 'TELEGRAM_BUSINESS'`)
		b.reported(t, of.events...)
		b.processed(t, of, 1)
		want := inbox.Read
		if !slices.Contains(order, inbox.Read) {
			want = inbox.Failed
		}
		got, err := postgres.NewConversations(b.db).Message(t.Context(), m.ConversationID, m.ID)
		require.NoError(t, err)
		require.Equal(t, want, got.State, "%v", order)
		require.Equal(t, "w"+m.ID.String(), got.ExternalID)
		require.NoError(t, replies.Record(t.Context(), m.ID, n, postgres.ReplyResult{
			State: post.AttemptUnknown, Reply: inbox.Unknown,
		}), "the call's response was lost")
		got, err = postgres.NewConversations(b.db).Message(t.Context(), m.ConversationID, m.ID)
		require.NoError(t, err)
		require.Equal(t, want, got.State)
		postgrestest.Exec(t, b.address, `UPDATE channel SET external_id = '9:7' WHERE type = 'TELEGRAM_BUSINESS'`)
	}
	early := &reports{}
	early.add("9", "s/x", b.now, inbox.Change{Status: &inbox.Status{ExternalID: "unknown", State: inbox.Sent, At: b.now}})
	postgrestest.Exec(t, b.address, `UPDATE channel SET external_id = '9' WHERE type = 'TELEGRAM_BUSINESS'`)
	b.reported(t, early.events...)
	b.processed(t, early, 1)
	require.Equal(t, []string{"NEW"}, postgrestest.Column(t, b.address, `SELECT state FROM inbound_event WHERE key = 's/x'`), "it waits")
}
