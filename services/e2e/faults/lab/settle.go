package lab

import (
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// unsettled selects the pending work: posts that are due, deliveries that are not final, messages to Temporal.
const unsettled = `
SELECT 'post ' || id || ' is SCHEDULED' FROM post WHERE status = 'SCHEDULED' AND scheduled_at < now() + interval '30 seconds'
UNION ALL SELECT 'delivery ' || id || ' is PENDING' FROM delivery WHERE state = 'PENDING'
UNION ALL SELECT 'redelivery ' || id || ' is PENDING' FROM redelivery WHERE state = 'PENDING'
UNION ALL SELECT 'replay ' || id || ' is RUNNING' FROM webhook_replay WHERE state = 'RUNNING'
UNION ALL SELECT 'event ' || id || ' is not fanned out' FROM event WHERE seq IS NULL
UNION ALL SELECT 'outbox ' || id || ' waits, ' || kind || ': ' || coalesce(last_error, '') FROM outbox`

// Settle waits until every due post and every delivery is final and the outbox is empty: within the time that an idle
// machine surely needs, and three times as long on a busy one. The recovery is measured elsewhere.
func (l *Lab) Settle(within time.Duration) {
	const busy = 3
	l.t.Helper()
	require.EventuallyWithT(l.t, func(c *assert.CollectT) {
		require.Empty(c, l.Query(c, unsettled), "not settled")
	}, busy*within, 100*time.Millisecond)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settled = time.Now()
}

// Query returns the only column of a query on the system's database, as text.
func (l *Lab) Query(t require.TestingT, query string, args ...any) []string {
	return l.reader.Column(l.t.Context(), t, query, args...)
}

// Exec runs a statement on the database, bypassing the stores.
func (l *Lab) Exec(statement string, args ...any) {
	l.t.Helper()
	postgrestest.Exec(l.t, l.Database(), statement, args...)
}
