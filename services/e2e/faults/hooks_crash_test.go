package faults_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
)

// hookDeaths kills workers at points of a delivery while receivers get events, until each point was reached as often as
// asked. The number of events for that is open, because a relay takes the events and deliveries that wait together.
func hookDeaths(t *testing.T, f lab.Fault, points ...point) {
	t.Helper()
	l := lab.Begin(t, f)
	l.Run(2)
	n, farm := newTenant(t, l), lab.NewFarm(t)
	const endpoints = 4
	names := make([]string, endpoints)
	ids := make([]string, endpoints)
	for i := range names {
		names[i] = lab.Name("endpoint", i)
		ids[i] = n.subscribes(t, farm.URL(names[i])).ID.String()
	}
	var entries []string
	for _, p := range points {
		entries = append(entries, lab.Kills(p.name, p.times)...)
	}
	l.Arm(entries...)
	created := n.happen(t, 6)
	for end := time.Now().Add(reached); !fired(l, points) && time.Now().Before(end); {
		maps.Copy(created, n.happenFor(t, time.Second))
	}
	for _, p := range points {
		l.WaitFiredTimes(p.name, p.times, reached)
	}
	l.Settle(recovery)
	events := len(created)
	sent := 0
	for i, name := range names {
		arrived := make(map[string]bool)
		for _, g := range farm.Got(name) {
			arrived[g.ID] = true
			sent++
		}
		require.Len(t, arrived, len(created), "%s got everything", name)
		require.Equal(t, events,
			count(t, l,
				`SELECT count(*) FROM delivery WHERE state = 'SUCCEEDED' AND attempts > 0 AND webhook_id = CAST($1 AS uuid)`,
				ids[i]))
	}
	recorded := count(t, l,
		`SELECT count(*) FROM delivery_attempt a JOIN delivery d ON d.id = a.delivery_id WHERE d.webhook_id = ANY(CAST($1 AS uuid[]))`,
		"{"+ids[0]+","+ids[1]+","+ids[2]+","+ids[3]+"}")
	require.Equal(t, endpoints*events, recorded, "one attempt of each is recorded")
	t.Logf("%d requests were made for %d deliveries", sent, endpoints*events)
	require.Zero(t, count(t, l, `SELECT count(*) FROM webhook_place WHERE held_until > now()`), "every place was released")
	l.Check()
}

// fired reports whether each point was reached as often as asked.
func fired(l *lab.Lab, points []point) bool {
	return !slices.ContainsFunc(points, func(p point) bool { return l.Fired(p.name) < p.times })
}

func TestF44TheWorkerDiesBetweenSendingAndRecording(t *testing.T) {
	hookDeaths(t, lab.Fault{
		ID: "F44", Title: "The worker dies after it sent a webhook, before the attempt is recorded",
		Expect: "I3: sent again with the same id, and recorded",
	}, point{"deliver.after_send", 2})
}

func TestF44TheWorkerDiesAroundAnAttempt(t *testing.T) {
	hookDeaths(t, lab.Fault{
		ID: "F44", Title: "The worker dies before it sends a webhook, and after the attempt is recorded",
		Expect: "I3: sent once more, or not again; recorded once",
	}, point{"deliver.before_send", 1}, point{"deliver.after_record", 2})
}

func TestF44TheRelayDiesAroundALine(t *testing.T) {
	hookDeaths(t, lab.Fault{
		ID: "F44", Title: "The relay dies after it fanned events out, and after it admitted deliveries to their endpoints",
		Expect: "I3: another relay continues; no delivery waits forever, no place is lost",
	}, point{"relay.after_fan_out", 1}, point{"relay.after_admit", 2})
}
