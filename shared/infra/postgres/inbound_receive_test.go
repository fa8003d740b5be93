package postgres_test

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
)

// TestInboundSourcesAreReadOncePerSecond changes a source, and checks when the change takes effect.
func TestInboundSourcesAreReadOncePerSecond(t *testing.T) {
	t.Parallel()
	b := setup(t)
	clk := clocktest.New(time.Now())
	receipts, err := postgres.NewInboundReceipts(b.db, clk)
	require.NoError(t, err)
	id, hash := ident.New[ident.InboundSource](), sha256.Sum256([]byte("secret"))
	_, err = receipts.Source(t.Context(), id)
	require.True(t, apperr.Is(err, apperr.NotFound), err)
	postgrestest.Exec(t, b.address, `INSERT INTO inbound_source (id, network, account, secret_hash) VALUES ($1, 'telegram', '1', $2)`,
		id.String(), hash[:])
	_, err = receipts.Source(t.Context(), id)
	require.True(t, apperr.Is(err, apperr.NotFound), "absence is remembered too")
	clk.Advance(time.Second)
	origin, err := receipts.Source(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, postgres.InboundOrigin{Network: channel.NetworkTelegram, Account: "1", Hashes: [][]byte{hash[:]}}, origin)
	postgrestest.Exec(t, b.address, `UPDATE inbound_source SET secret_hash = NULL`)
	clk.Advance(-time.Minute)
	origin, err = receipts.Source(t.Context(), id)
	require.NoError(t, err)
	require.Empty(t, origin.Hashes, "a clock that is set back keeps nothing")
	_, err = postgres.NewInboundReceipts(nil, clk)
	require.Error(t, err)
}

// TestInboundEventsAreStoredOnce stores events that repeat within a report and across reports.
func TestInboundEventsAreStoredOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	receipts, err := postgres.NewInboundReceipts(b.db, clocktest.New(time.Now()))
	require.NoError(t, err)
	event := func(key string) inbox.Event {
		return inbox.Event{Network: channel.NetworkTelegram, Key: key, Kind: "unknown", At: time.Now(), Body: []byte("\x00\xff")}
	}
	stored, err := receipts.Store(t.Context(), []inbox.Event{event("a"), event("b"), event("a")})
	require.NoError(t, err)
	require.Equal(t, 2, stored)
	stored, err = receipts.Store(t.Context(), []inbox.Event{event("b"), event("c")})
	require.NoError(t, err)
	require.Equal(t, 1, stored)
	stored, err = receipts.Store(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, stored)
	require.Equal(t, []string{`\x00ff`, `\x00ff`, `\x00ff`}, postgrestest.Column(t, b.address, `SELECT body::text FROM inbound_event`))
}

// TestInboundChannelIsFoundByItsIndex checks that a delivery does not read all channels.
func TestInboundChannelIsFoundByItsIndex(t *testing.T) {
	t.Parallel()
	b := setup(t)
	postgrestest.Exec(t, b.address, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database()); END $$`)
	plan := strings.Join(postgrestest.Column(t, b.address, `EXPLAIN SELECT FROM channel c
		WHERE c.type = 'TELEGRAM_BUSINESS' AND split_part(c.external_id, ':', 1) = '4711' AND c.is_connected`), "\n")
	require.Contains(t, plan, "channel_by_inbound_account", plan)
}
