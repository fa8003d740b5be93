package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
)

// TestF50TablesArePrunedAndChangedUnderLoad prunes old rows in bulk and changes the schema as migrations do, while
// posts are created and published.
func TestF50TablesArePrunedAndChangedUnderLoad(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F50", Title: "stored responses, events and deliveries are pruned, an index and columns are created, under load",
		Expect: "I2 I7: keys are kept for 24 h, no request waits long for a lock, nothing is lost",
	})
	l.Run(1)
	kept := l.Accept(3, time.Now().Add(time.Second), 0)
	workspace := l.Workspace.String()
	const old = 20_000
	l.Exec(`INSERT INTO idempotency_key (workspace_id, operation, key, fingerprint, status, body, completed_at)
		SELECT CAST($1 AS uuid), 'old', 'key-' || n, decode(repeat('00', 32), 'hex'), 201, '', now() - interval '25 hours'
		FROM generate_series(1, CAST($2 AS integer)) AS n`, workspace, old)
	l.Exec(`INSERT INTO event (id, workspace_id, type, body, created_at, seq)
		SELECT uuid_v7_at(now() - interval '31 days' - n * interval '1 ms'), CAST($1 AS uuid), 'post.created', convert_to('{}', 'UTF8'),
			now() - interval '31 days', -n
		FROM generate_series(1, CAST($2 AS integer)) AS n`, workspace, old)
	stop := load(l, 20*time.Millisecond, three()...)
	t.Cleanup(stop)
	reads := probing(t, l, 20*time.Millisecond)

	other := l.Start("worker", "") // its cleanup starts with a round
	l.Injected("%d stored responses and %d old events pruned", old, old)
	for _, change := range []string{
		`CREATE INDEX CONCURRENTLY tried_out ON post (channel_id, updated_at)`,
		`ALTER TABLE post ADD COLUMN tried_out integer`,
		`ALTER TABLE delivery ADD COLUMN tried_out text NOT NULL DEFAULT ''`,
		`ALTER TABLE post DROP COLUMN tried_out`,
		`DROP INDEX CONCURRENTLY tried_out`,
	} {
		l.Exec(change)
		l.Injected("%s", change)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, []string{"0"}, l.Query(c, `SELECT count(*) FROM idempotency_key WHERE operation = 'old'`))
		require.Equal(c, []string{"0"}, l.Query(c, `SELECT count(*) FROM event WHERE seq < 0`))
	}, 60*time.Second, 200*time.Millisecond)
	l.Healed()
	stop()
	reads.stop()
	require.NotContains(t, reads.responses, 0)
	require.Less(t, reads.slowest, 5*time.Second, "no long lock")
	for _, p := range kept {
		body, replayed := l.AskAgain(p)
		require.True(t, replayed)
		require.Equal(t, p.Body, body)
	}
	l.Settle(60 * time.Second)
	require.Equal(t, 1, other.Starts())
	requireAlive(t, l)
	l.Check()
}
