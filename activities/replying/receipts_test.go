package replying_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/replying"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// MarkRead keeps the receipts, or fails.
func (n *network) MarkRead(_ context.Context, _ platform.Account, read platform.Receipt) error {
	n.read = append(n.read, read)
	if len(n.unread) == 0 {
		return nil
	}
	failure := n.unread[0]
	n.unread = n.unread[1:]
	return failure
}

// TestTemplatesAreSentAfterTheWindow also checks that the network gets the values.
func TestTemplatesAreSentAfterTheWindow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	postgrestest.Exec(t, b.address, `UPDATE conversation SET last_in_at = now() - interval '9 days'`)
	use := inbox.TemplateUse{Name: "order", Language: "en", Category: "UTILITY", Values: []inbox.TemplateValue{{Part: inbox.PartBody, Value: "Bo"}}}
	m := inbox.Message{
		ID: ident.New[ident.Message](), ConversationID: b.of, WorkspaceID: b.ch.WorkspaceID, ChannelID: b.ch.ID, Direction: inbox.Out,
		Text: "Hello Bo", State: inbox.Queued, SentAt: time.Now(), Template: &use,
	}
	_, err := b.store.Queue(t.Context(), m, channel.NetworkTelegram, nil)
	require.NoError(t, err)
	in := flow.ReplyInput{MessageID: m.ID, WorkspaceID: m.WorkspaceID, Network: channel.NetworkTelegram}
	require.Equal(t, "Sent.", b.step(t, in).Note)
	require.True(t, b.step(t, in).Done)
	require.Len(t, b.net.calls, 1)
	require.Equal(t, &use, b.net.calls[0].Template)
	require.Equal(t, &use, b.message(t, in).Template)
}

// TestReceipts checks that the person sees as read what an answer follows, once, also if the network fails for a time.
func TestReceipts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	postgrestest.Exec(t, b.address, `INSERT INTO message (id, conversation_id, workspace_id, channel_id, direction, external_id, text, sent_at)
		SELECT gen_random_uuid(), id, workspace_id, channel_id, 'IN', '21/1', 'Hello', last_in_at FROM conversation`)
	receipts := &replying.Receipts{Store: b.receipts, Access: b.Access, Connectors: b.Connectors, Logger: slog.New(slog.DiscardHandler)}
	round := func() {
		postgrestest.Exec(t, b.address, `UPDATE read_receipt SET next_at = now()`)
		require.NoError(t, receipts.Round(t.Context()))
	}
	transient := &platform.Failure{Class: platform.ClassTransient}
	for _, test := range []struct {
		failures []error
		calls    int
	}{
		{nil, 1},
		{[]error{transient}, 2},
		{[]error{transient, transient, transient, transient}, 3},
		{[]error{&platform.Failure{Class: platform.ClassRejected}}, 1},
	} {
		b.net.read, b.net.unread = nil, test.failures
		require.Equal(t, "Sent.", b.step(t, b.queue(t)).Note)
		require.Empty(t, b.net.read, "no answer waits for it")
		for range 5 {
			round()
		}
		require.Len(t, b.net.read, test.calls)
		require.Equal(t, platform.Receipt{Thread: "21", ExternalID: "21/1"}, b.net.read[0])
	}
	require.Equal(t, []string{"0"}, postgrestest.Column(t, b.address, `SELECT count(*) FROM read_receipt`))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	receipts.Run(ctx)
	postgrestest.Exec(t, b.address, `UPDATE channel SET is_connected = false`)
	require.NoError(t, postgres.NewConversations(b.db).Opened(t.Context(), b.of, time.Now()))
	round()
}
