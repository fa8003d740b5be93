package faults_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/ident"
)

// unreliable sends events of 25 tenants to receivers that drop, reset, hang and respond 500 at random. Three of them
// always fail.
func unreliable(t *testing.T, eventsEach int, hang float64, within time.Duration) {
	t.Helper()
	l := lab.Begin(t, lab.Fault{
		ID: "I3", Title: "Receivers drop, reset, hang and return 500 at random",
		Expect: "I3: each event is received or recorded as failed, for each endpoint; every attempt has its row",
	}, "RETRY_SCALE=0.001")
	l.Run(2)
	farm := lab.NewFarm(t)
	farm.BehaveAll(lab.Mixed(
		lab.Share{Of: hang, Behavior: lab.Hang()}, lab.Share{Of: 0.08, Behavior: lab.Drop()},
		lab.Share{Of: 0.04, Behavior: lab.Reset()},
		lab.Share{Of: 0.1, Behavior: lab.Status(http.StatusInternalServerError)},
		lab.Share{Of: 0.03, Behavior: lab.Status(http.StatusTooManyRequests)},
	))
	const tenants, broken = 25, 3
	created, ids := make(map[string]map[string]time.Time), make(map[string]ident.Webhook)
	for i := range tenants {
		n, name := newTenant(t, l), lab.Name("random", i)
		if i < broken {
			farm.Behave(name, lab.Status(http.StatusBadGateway))
		}
		ids[name] = n.subscribes(t, farm.URL(name)).ID
		created[name] = n.happen(t, eventsEach)
	}
	l.Injected(
		"%d events to %d receivers: 8 %% dropped, 4 %% reset, 10 %% 500, 3 %% 429, %.1f %% hang; %d receivers always fail",
		tenants*eventsEach, tenants, 100*hang, broken)
	l.Settle(within)
	failed := 0
	for name, id := range ids {
		requireAcceptedOrRecorded(t, l, farm, name, id, created[name])
		failed += states(t, l, id)["FAILED"]
		require.LessOrEqual(t, farm.Most(name), webhook.MaxInFlight)
	}
	require.GreaterOrEqual(t, failed, broken*webhook.DisableAfter)
	requests := len(farm.Journal())
	recorded := count(t, l,
		`SELECT count(*) FROM delivery_attempt a JOIN delivery d ON d.id = a.delivery_id JOIN webhook w ON w.id = d.webhook_id
		WHERE w.url LIKE $1`, farm.URL("")+"%")
	t.Logf("%d requests for %d events, %d deliveries failed", requests, tenants*eventsEach, failed)
	require.Equal(t, requests, recorded, "every request has its row")
	l.Check()
}

func TestF40ReceiversThatFailAtRandom(t *testing.T) { unreliable(t, 25, 0.003, recovery) }

func TestNightF40ReceiversThatFailAtRandom(t *testing.T) { unreliable(t, 200, 0.005, 15*time.Minute) }
