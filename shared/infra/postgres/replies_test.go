package postgres_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// answering returns a store of answers, and a function that queues one in the conversation of a person who wrote a minute ago.
func answering(t *testing.T, b *bundle) (*postgres.Replies, func() inbox.Message) {
	t.Helper()
	c := b.inboxOf(t, b.ws, "9", "7")
	of := example("9", time.Now().Add(-time.Minute))
	b.reported(t, of.events...)
	b.processed(t, of, 100)
	list, err := postgres.NewConversations(b.db).List(t.Context(), b.ws.ID, ident.User{}, postgres.ConversationFilter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, c.ID, list[0].ChannelID)
	require.True(t, list[0].Unanswered())
	replies := postgres.NewReplies(b.db, keyring(t))
	return replies, func() inbox.Message {
		m := inbox.Message{
			ID: ident.New[ident.Message](), ConversationID: list[0].ID, WorkspaceID: b.ws.ID, ChannelID: c.ID, Direction: inbox.Out,
			Text: "An answer", State: inbox.Queued, SentAt: time.Now().UTC().Truncate(time.Millisecond),
		}
		queued, err := replies.Queue(t.Context(), m, channel.NetworkTelegram, nil)
		require.NoError(t, err)
		require.True(t, queued)
		return m
	}
}

// TestReplyIsQueuedOnce checks that a form that is sent twice is one answer with one workflow.
func TestReplyIsQueuedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	replies, queue := answering(t, b)
	m := queue()
	queued, err := replies.Queue(t.Context(), m, channel.NetworkTelegram, nil)
	require.NoError(t, err)
	require.False(t, queued)
	require.Equal(t, []string{"1"}, postgrestest.Column(t, b.address, `SELECT count(*) FROM outbox WHERE kind = 'reply'`))
	late := m
	late.ID = ident.New[ident.Message]()
	_, err = replies.Queue(t.Context(), late, channel.NetworkTelegram, new(m.SentAt.Add(-time.Second)))
	require.ErrorIs(t, err, postgres.ErrSaidSince)
	require.Equal(t, []string{"1"}, postgrestest.Column(t, b.address, `SELECT count(*) FROM message WHERE direction = 'OUT' AND state = 'QUEUED'`))
	job, err := replies.Load(t.Context(), m.ID)
	require.NoError(t, err)
	require.Equal(t, "c9", job.Connection)
	require.Equal(t, "22", job.Thread)
	require.Zero(t, job.Attempt)
	got, err := postgres.NewConversations(b.db).Get(t.Context(), b.ws.ID, ident.User{}, m.ConversationID)
	require.NoError(t, err)
	require.False(t, got.Unanswered())
	require.Equal(t, "An answer", got.Preview)
}

// TestFenceOfReplies checks that of many executions one may send, and that none may after a person decided otherwise.
func TestFenceOfReplies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	replies, queue := answering(t, b)
	m := queue()
	intend := func() int {
		n, err := replies.Intend(t.Context(), m.ID, inbox.Window(channel.TelegramBusiness))
		require.NoError(t, err)
		return n
	}
	var allowed atomic.Int32
	var together sync.WaitGroup
	for range 8 {
		together.Go(func() {
			if intend() > 0 {
				allowed.Add(1)
			}
		})
	}
	together.Wait()
	require.EqualValues(t, 1, allowed.Load())

	rejected := postgres.ReplyResult{State: post.AttemptRejected, Code: "NETWORK_UNAVAILABLE", Reply: inbox.Queued}
	require.NoError(t, replies.Record(t.Context(), m.ID, 1, rejected))
	require.Equal(t, 2, intend(), "nothing was sent")
	require.NoError(t, replies.Record(t.Context(), m.ID, 2, postgres.ReplyResult{
		State: post.AttemptUnknown, Code: "OUTCOME_UNKNOWN", Message: "Look there.", Reply: inbox.Unknown,
	}))
	require.Zero(t, intend())
	require.NoError(t, replies.Refuse(t.Context(), m.ID, "X", "not any more"))

	again, err := replies.Again(t.Context(), m, channel.NetworkTelegram)
	require.NoError(t, err)
	require.True(t, again)
	again, err = replies.Again(t.Context(), m, channel.NetworkTelegram)
	require.NoError(t, err)
	require.False(t, again, "it is queued")
	require.Equal(t, 3, intend())
	// The network reported the answer before its response: as one from elsewhere.
	echo := &reports{}
	echo.add("9", "e/1", time.Now(), inbox.Change{Message: &inbox.Written{
		Connection: "c9", Thread: "21", ExternalID: "21/77", Direction: inbox.Out, Text: "An answer", Person: inbox.Identity{ID: "21"},
		SentAt: time.Now(),
	}})
	b.reported(t, echo.events...)
	b.processed(t, echo, 10)
	require.NoError(t, replies.Record(t.Context(), m.ID, 3, postgres.ReplyResult{
		State: post.AttemptConfirmed, ExternalID: "21/77", Reply: inbox.Sent,
	}))
	require.Zero(t, intend())
	require.Equal(t, []string{m.ID.String()}, postgrestest.Column(t, b.address, `SELECT id FROM message WHERE external_id = '21/77'`))
	require.Equal(t, []string{"REJECTED", "ABANDONED", "CONFIRMED"}, postgrestest.Column(t, b.address,
		`SELECT state FROM reply_attempt ORDER BY n`))
}

// TestWindowOfReplies checks that the database's clock decides whether an answer may still be sent, and that a person who was not
// answered still waits.
func TestWindowOfReplies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	replies, queue := answering(t, b)
	m := queue()
	postgrestest.Exec(t, b.address, `UPDATE conversation SET last_in_at = now() - interval '23 hours 59 minutes 1 second',
		last_out_at = last_at WHERE id = $1`, m.ConversationID)
	n, err := replies.Intend(t.Context(), m.ID, inbox.Window(channel.TelegramBusiness))
	require.NoError(t, err)
	require.Zero(t, n)
	require.NoError(t, replies.Refuse(t.Context(), m.ID, "WINDOW_CLOSED", "The time is over."))
	job, err := replies.Load(t.Context(), m.ID)
	require.NoError(t, err)
	require.Equal(t, inbox.Failed, job.State)
	require.Equal(t, "The time is over.", job.FailureMessage)
	n, err = replies.Intend(t.Context(), m.ID, 0)
	require.NoError(t, err)
	require.Zero(t, n, "it is not queued")
}

// TestLostWorkflowsOfReplies checks that the sweep asks for the workflow of an answer that is queued for long.
func TestLostWorkflowsOfReplies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, queue := answering(t, b)
	m := queue()
	postgrestest.Exec(t, b.address, `DELETE FROM outbox`)
	sweep := func() int {
		n, err := postgres.NewOutbox(b.db).EnqueueOverdue(t.Context(), 15*time.Second, 100)
		require.NoError(t, err)
		return n
	}
	require.Zero(t, sweep())
	postgrestest.Exec(t, b.address, `UPDATE message SET heard_at = now() - interval '2 minutes' WHERE id = $1`, m.ID)
	require.Equal(t, 1, sweep())
	require.Zero(t, sweep())
	require.Contains(t, postgrestest.Column(t, b.address, `SELECT payload FROM outbox WHERE kind = 'reply'`)[0], `"network": "telegram"`)
	postgrestest.Exec(t, b.address, `DELETE FROM outbox`)
	postgrestest.Exec(t, b.address, `UPDATE channel SET type = 'INSTAGRAM_PROFESSIONAL' WHERE id = $1`, m.ChannelID)
	n, err := postgres.NewOutbox(b.db).EnqueueAll(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Contains(t, postgrestest.Column(t, b.address, `SELECT payload FROM outbox WHERE kind = 'reply'`)[0], `"network": "instagram"`)
}

// TestRestoredRepliesAreHeld checks that an answer is not sent after the database was restored, because it may have been.
func TestRestoredRepliesAreHeld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	replies, queue := answering(t, b)
	queued, sending := queue(), queue()
	n, err := replies.Intend(t.Context(), sending.ID, 0)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	for range 2 {
		_, err = postgres.NewRecovery(b.db).Run(t.Context(), postgres.Gap{Since: time.Now()})
		require.NoError(t, err)
	}
	for _, m := range []inbox.Message{queued, sending} {
		job, err := replies.Load(t.Context(), m.ID)
		require.NoError(t, err)
		require.Equal(t, inbox.Unknown, job.State)
		require.Equal(t, post.AttemptUnknown, job.Attempt.State)
		require.Equal(t, 1, job.Attempt.N)
		require.Contains(t, job.FailureMessage, "restored")
	}
}
