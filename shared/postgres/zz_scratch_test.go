package postgres_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/postgres/postgrestest"
	"socialpub.internal/shared/webhook"
)

func TestScratchAdmitCost(t *testing.T) {
	for _, c := range []struct{ endpoints, each int }{{1, 50000}, {2000, 25}, {1, 10}} {
		for _, analyze := range []bool{false, true} {
		t.Run(fmt.Sprintf("%dx%d analyze=%v", c.endpoints, c.each, analyze), func(t *testing.T) {
			b := setup(t)
			_, err := b.deliveries.Admit(t.Context()) // plan cached on empty tables
			require.NoError(t, err)
			e := b.endpoint(t, b.ws.ID, "none")
			exec := func(q string, args ...any) { postgrestest.Exec(t, b.address, q, args...) }
			exec(`INSERT INTO event (id, workspace_id, seq, type, body, created_at) SELECT uuid_v7(), $1, n, 'post.failed', '\x7b7d', now() FROM generate_series(1, $2::int) n`, b.ws.ID.String(), c.each)
			exec(`INSERT INTO webhook (id, workspace_id, url, description, events, is_active, secret, created_at, updated_at) SELECT uuid_v7(), workspace_id, url, description, '{*}', true, secret, created_at, updated_at FROM webhook, generate_series(1, $1::int)`, c.endpoints)
			exec(`INSERT INTO webhook_place (webhook_id, n) SELECT w.id, n FROM webhook w, generate_series(1,4) n ON CONFLICT DO NOTHING`)
			exec(`INSERT INTO delivery (id, workspace_id, webhook_id, event_id, state, lane, created_at) SELECT uuid_v7(), e.workspace_id, w.id, e.id, 'PENDING', 1, now() FROM webhook w, event e WHERE w.events = '{*}'`)
			_ = e
			_ = webhook.MaxInFlight
			if analyze {
				exec(`ANALYZE`)
			}
			for i := range 6 {
				at := time.Now()
				n, err := b.deliveries.Admit(t.Context())
				require.NoError(t, err)
				fmt.Fprintf(os.Stderr, "   admit %d: %d in %v\n", i, n, time.Since(at))
			}
			// free places and drain 2,000 of the line, to leave dead entries
			if c.endpoints == 1 {
				at := time.Now()
				for range 500 {
					exec2(t, b, `UPDATE webhook_place SET held_by = NULL, held_until = '-infinity'`)
					_, err := b.deliveries.Admit(t.Context())
					require.NoError(t, err)
				}
				fmt.Fprintf(os.Stderr, "   500 rounds of drain in %v\n", time.Since(at))
				for range 3 {
					at := time.Now()
					_, err := b.deliveries.Admit(t.Context())
					require.NoError(t, err)
					fmt.Fprintf(os.Stderr, "   admit after drain: in %v\n", time.Since(at))
				}
			}
		})
		}
	}
}

func exec2(t *testing.T, b *bundle, q string) {
	postgrestest.Exec(t, b.address, q)
}
