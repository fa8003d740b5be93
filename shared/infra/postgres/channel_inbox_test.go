package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestPricesOfReplies checks that the statuses of an answer lead to one price in any order, and that the page of its channel counts it.
func TestPricesOfReplies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, queue := answering(t, b)
	postgrestest.Exec(t, b.address, `UPDATE channel SET external_id = '9' WHERE type = 'TELEGRAM_BUSINESS'`)
	status := func(state inbox.MessageState, price string, free bool) inbox.Status {
		return inbox.Status{State: state, Price: price, Free: free, At: b.now}
	}
	var of ident.Channel
	for i, order := range [][]inbox.Status{
		{status(inbox.Sent, "service", false), status(inbox.Read, "", false)},
		{status(inbox.Read, "", false), status(inbox.Sent, "service", false)},
		{status(inbox.Delivered, "utility", true), status(inbox.Sent, "utility", true)},
		{status(inbox.Sent, "", false)},
	} {
		m := queue()
		of = m.ChannelID
		events := &reports{}
		for n, s := range order {
			s.ExternalID, s.Opaque = "w"+m.ID.String(), m.ID.String()
			events.add("9", fmt.Sprintf("p/%d/%d", i, n), b.now, inbox.Change{Status: &s})
		}
		b.reported(t, events.events...)
		b.processed(t, events, 1)
	}
	store := postgres.NewChannelInboxes(b.db)
	q := postgres.CostQuery{Channel: of, Since: b.now.AddDate(-1, 0, 0), Zone: "Europe/Berlin"}
	costs, err := store.Costs(t.Context(), q)
	require.NoError(t, err)
	berlin, err := time.LoadLocation(q.Zone)
	require.NoError(t, err)
	local := b.now.In(berlin)
	month := time.Date(local.Year(), local.Month(), 1, 0, 0, 0, 0, time.UTC)
	for i := range costs {
		costs[i].Month = costs[i].Month.UTC()
	}
	require.Equal(t, []postgres.Cost{
		{Month: month, Category: "service", Billed: true, N: 2}, {Month: month, Category: "utility", N: 1},
	}, costs)

	postgrestest.Exec(t, b.address, `INSERT INTO message (id, conversation_id, workspace_id, channel_id, direction, text, sent_at, price, billed)
		SELECT gen_random_uuid(), conversation_id, workspace_id, gen_random_uuid(), 'OUT', 'x', sent_at, 'service', true
		FROM message, generate_series(1, 5000) LIMIT 5000`)
	postgrestest.Exec(t, b.address, `VACUUM ANALYZE message`)
	plan, err := store.ExplainCosts(t.Context(), q)
	require.NoError(t, err)
	require.Contains(t, plan, "message_by_price")
	require.NotContains(t, plan, "Seq Scan")
}

// TestReadReceipts checks who asks for receipts, that each is with one worker, and that it comes back unless it is done.
func TestReadReceipts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	replies, queue := answering(t, b)
	receipts, talks, store := postgres.NewReceipts(b.db, keyring(t)), postgres.NewConversations(b.db), postgres.NewChannelInboxes(b.db)
	m := queue()
	take := func() []postgres.ReceiptJob {
		jobs, err := receipts.Take(t.Context(), 10)
		require.NoError(t, err)
		return jobs
	}
	require.NoError(t, talks.Opened(t.Context(), m.ConversationID, b.now.Add(time.Hour)))
	require.Empty(t, take(), "the channel does not say so")
	require.NoError(t, store.SetReadsOnOpen(t.Context(), m.ChannelID, true))
	reads, err := store.ReadsOnOpen(t.Context(), m.ChannelID)
	require.NoError(t, err)
	require.True(t, reads)
	require.NoError(t, talks.Opened(t.Context(), m.ConversationID, b.now.Add(time.Hour)))
	jobs := take()
	require.Len(t, jobs, 1)
	require.NotEmpty(t, jobs[0].ExternalID)
	require.Equal(t, 1, jobs[0].Tries)
	require.Equal(t, channel.TelegramBusiness, jobs[0].Channel.Type)
	require.Empty(t, take(), "another worker has it")
	postgrestest.Exec(t, b.address, `UPDATE read_receipt SET next_at = now()`)
	require.Equal(t, 2, take()[0].Tries, "the worker died")
	require.NoError(t, receipts.Done(t.Context(), jobs[0]))
	require.Equal(t, []string{"0"}, postgrestest.Column(t, b.address, `SELECT count(*) FROM read_receipt`))

	require.NoError(t, store.SetReadsOnOpen(t.Context(), m.ChannelID, false))
	n, err := replies.Intend(t.Context(), m.ID, 0)
	require.NoError(t, err)
	require.Empty(t, take(), "the answer is not there yet")
	require.NoError(t, replies.Record(t.Context(), m.ID, n, postgres.ReplyResult{
		State: "CONFIRMED", Reply: inbox.Sent, ExternalID: "w1",
	}))
	require.Len(t, take(), 1)
}

// TestHealthOfSources checks what the page of a channel says of the reports, and what operators see.
func TestHealthOfSources(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, _ = answering(t, b)
	postgrestest.Exec(t, b.address, `UPDATE channel SET external_id = '9' WHERE type = 'TELEGRAM_BUSINESS'`)
	sources, store := postgres.NewInboundSources(b.db, keyring(t)), postgres.NewChannelInboxes(b.db)
	health := func() postgres.SourceHealth {
		found, err := store.Health(t.Context(), channel.NetworkTelegram, "9")
		require.NoError(t, err)
		return found
	}
	healthy := func() map[channel.Network]bool {
		found, err := sources.Healthy(t.Context())
		require.NoError(t, err)
		return found
	}
	require.Zero(t, health())
	require.Empty(t, healthy())
	of, err := sources.Know(t.Context(), channel.NetworkTelegram, "9")
	require.NoError(t, err)
	require.Zero(t, health())
	events := &reports{}
	events.add("9", "x/1", b.now, inbox.Change{})
	b.reported(t, events.events...)
	b.processed(t, events, 1)
	seen := health().EventAt
	require.WithinDuration(t, time.Now(), seen, time.Minute)
	events.add("9", "x/2", b.now, inbox.Change{})
	b.reported(t, events.events[1:]...)
	b.processed(t, events, 1)
	require.Equal(t, seen, health().EventAt, "once a minute")

	for fault, want := range map[string]bool{"": true, "Refused.": false} {
		leased, err := sources.Lease(t.Context(), of.ID, [16]byte{1}, time.Minute, 0)
		require.NoError(t, err)
		require.True(t, leased)
		require.NoError(t, sources.Checked(t.Context(), of.ID, [16]byte{1}, fault))
		require.Equal(t, fault, health().Fault)
		require.Equal(t, map[channel.Network]bool{channel.NetworkTelegram: want}, healthy())
	}
	postgrestest.Exec(t, b.address, `UPDATE inbound_source SET fault = '', checked_at = now() - interval '2 hours'`)
	require.Equal(t, map[channel.Network]bool{channel.NetworkTelegram: false}, healthy(), "no process looks")
	postgrestest.Exec(t, b.address, `UPDATE channel SET token_status = 'NEEDS_RECONNECT'`)
	require.Empty(t, healthy(), "its members know")
}
