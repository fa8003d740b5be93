package faults_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/ident"
)

// hung holds endpoints of several tenants whose receivers hang.
type hung struct {
	farm      *lab.Farm
	tenants   []tenant
	endpoints map[string]ident.Webhook // by their name at the farm
}

// hangAll creates ten tenants with twenty hanging endpoints each, and the given number of events for every tenant.
func hangAll(t *testing.T, l *lab.Lab, events int) hung {
	t.Helper()
	const tenants, each = 10, 20
	h := hung{farm: lab.NewFarm(t), endpoints: make(map[string]ident.Webhook)}
	h.farm.BehaveAll(lab.Hang())
	for i := range tenants {
		n := newTenant(t, l)
		for j := range each {
			name := lab.Name("hangs", i*each+j)
			h.endpoints[name] = n.subscribes(t, h.farm.URL(name)).ID
		}
		h.tenants = append(h.tenants, n)
	}
	for _, n := range h.tenants {
		n.happen(t, events)
	}
	l.Injected("%d receivers hang on every request, each with %d events", len(h.endpoints), events)
	return h
}

// under returns the ceiling of a worker with hundreds of concurrent requests.
func under() lab.Ceiling { return lab.Ceiling{Memory: 600 << 20, Goroutines: 8000, Files: 2500} }

// TestNightF40ReceiversThatHang makes 200 receivers hang and measures the deliveries to the others. In the end the
// hanging receivers respond 410 Gone.
func TestNightF40ReceiversThatHang(t *testing.T) {
	l := lab.Alone(t, lab.Fault{
		ID: "F40", Title: "200 receivers hang for 15 s on every request",
		Expect: "I3 I12: first attempts to other receivers within 5 s (p99); at most four concurrent requests per " +
			"receiver; memory flat",
	}, "RETRY_SCALE=1") // quick retries would multiply the load by ten
	l.Run(2)
	quiet := newTenant(t, l)
	others := lab.NewFarm(t)
	quiet.subscribes(t, others.URL("quiet"))
	h := hangAll(t, l, 2)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.GreaterOrEqual(c, h.farm.UnderWay(), len(h.endpoints))
		require.Zero(c, count(c, l, `SELECT count(*) FROM outbox WHERE lane < 2`), "messages to Temporal")
	}, recovery, 100*time.Millisecond, "hundreds of requests hang")
	elapsed := arrives(t, others, quiet.happenFor(t, 8*time.Second), recovery, "quiet")
	t.Logf("others' events arrived within %v (median), %v (p99)", percentile(elapsed, 50), percentile(elapsed, 99))
	require.Less(t, percentile(elapsed, 99), 5*time.Second)

	h.farm.BehaveAll(lab.Status(http.StatusGone))
	l.Healed()
	l.Settle(recovery)
	for name, id := range h.endpoints {
		require.LessOrEqual(t, h.farm.Most(name), webhook.MaxInFlight, name)
		require.Equal(t, []string{"false GONE"}, l.Query(t,
			`SELECT is_active || ' ' || disabled_reason FROM webhook WHERE id = CAST($1 AS uuid)`, id.String()))
	}
	require.Zero(t, count(t, l, `SELECT count(*) FROM webhook_place WHERE held_until > now()`), "every place was released")
	require.Zero(t, count(t, l, `SELECT count(*) FROM delivery_attempt WHERE duration_ms > 15900`))
	l.Check(lab.Bounded(under()))
}

// TestNightF40ReceiversThatHangUntilTheyAreDisabled makes 200 receivers hang through all retries, with eight workers.
func TestNightF40ReceiversThatHangUntilTheyAreDisabled(t *testing.T) {
	l := lab.Alone(t, lab.Fault{
		ID: "F40", Title: "200 receivers hang until they are disabled, with eight workers",
		Expect: "I3 I12: each is disabled after exactly ten failed deliveries; memory flat; other receivers as before",
	}, "RETRY_SCALE=0.001")
	l.Run(8)
	quiet := newTenant(t, l)
	others := lab.NewFarm(t)
	quiet.subscribes(t, others.URL("quiet"))
	h := hangAll(t, l, 14)
	elapsed := arrives(t, others, quiet.happenFor(t, 10*time.Minute), recovery, "quiet")
	t.Logf("others' events arrived within %v (median), %v (p99)", percentile(elapsed, 50), percentile(elapsed, 99))
	require.Less(t, percentile(elapsed, 99), 5*time.Second)
	const timeout = 15 * time.Minute // ten deliveries with six attempts of 15 s each, most of them sequential
	l.Settle(timeout)
	l.Healed()
	for name, id := range h.endpoints {
		requireDisabledAtTen(t, l, id, 14)
		require.LessOrEqual(t, h.farm.Most(name), webhook.MaxInFlight)
	}
	l.Check(lab.Bounded(under()))
}

// requireDisabledAtTen checks that an endpoint was disabled at exactly its tenth failed delivery.
func requireDisabledAtTen(t *testing.T, l *lab.Lab, id ident.Webhook, events int) {
	t.Helper()
	require.Equal(t, []string{"false 10 CONSECUTIVE_FAILURES"},
		l.Query(t, `SELECT is_active || ' ' || consecutive_failures || ' ' || disabled_reason
		FROM webhook WHERE id = CAST($1 AS uuid)`, id.String()))
	require.Equal(t, map[string]int{"FAILED": webhook.DisableAfter, "CANCELLED": events - webhook.DisableAfter},
		states(t, l, id))
}

// disabledAtTen makes receivers respond 500 to every request until their endpoints are disabled.
func disabledAtTen(t *testing.T, workers int) {
	t.Helper()
	l := lab.Alone(t, lab.Fault{
		ID: "F40", Title: "Receivers fail every request",
		Expect: "I3: each endpoint is disabled by exactly the tenth failed delivery, for any number of workers; waiting " +
			"deliveries are canceled",
	}, "RETRY_SCALE=0.001")
	l.Run(workers)
	n, farm := newTenant(t, l), lab.NewFarm(t)
	farm.BehaveAll(lab.Status(http.StatusInternalServerError))
	const endpoints, events = 5, 30
	ids := make([]ident.Webhook, endpoints)
	for i := range ids {
		ids[i] = n.subscribes(t, farm.URL(lab.Name("fails", i))).ID
	}
	n.happen(t, events)
	l.Injected("%d receivers return 500 to %d events each; %d workers deliver", endpoints, events, workers)
	l.Settle(recovery)
	for i, id := range ids {
		requireDisabledAtTen(t, l, id, events)
		recorded := count(t, l,
			`SELECT count(*) FROM delivery_attempt a JOIN delivery d ON d.id = a.delivery_id WHERE d.webhook_id = CAST($1 AS uuid)`, id.String())
		require.Equal(t, farm.Count(lab.Name("fails", i)), recorded, "every request has its row")
	}
	before := len(farm.Journal())
	n.happen(t, 3)
	l.Settle(recovery)
	require.Len(t, farm.Journal(), before, "a disabled endpoint gets nothing")
	require.Equal(t, 3, states(t, l, ids[0])["SKIPPED"])
	l.Check()
}

func TestF40DisabledExactlyAtTen(t *testing.T) { disabledAtTen(t, 2) }

func TestNightF40DisabledExactlyAtTenByEightWorkers(t *testing.T) { disabledAtTen(t, 8) }
