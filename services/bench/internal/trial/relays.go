package trial

import (
	"time"

	"fencepost.internal/services/bench/internal/lab"
)

const (
	fewRelays    = 2
	manyRelays   = 5
	relaysWarmUp = 500
)

// relays measures how fast several relays deliver a backlog of messages for posts of tomorrow to Temporal. The relays
// run in API processes without clients, so that no worker takes part. The ceiling of two relays is a client that starts
// as many workflows, that of five relays are two.
func relays(r *lab.Run) []Row {
	empty := startWorkflows(r)
	ceiling := func(n int) float64 {
		before, begin := r.CPU(), time.Now()
		empty.startDelayed(n)
		elapsed := time.Since(begin)
		r.Logf("relays: ceiling %.0f messages/s, %s", perSecond(n, elapsed), r.PerItem(before, n))
		return perSecond(n, elapsed)
	}
	warmUp := min(relaysWarmUp, r.Backlog)
	ceiling(warmUp)
	drain(r, fewRelays, warmUp)
	before, few1 := ceiling(r.Backlog), drain(r, fewRelays, r.Backlog)
	many := drain(r, manyRelays, r.Backlog)
	few2, after := drain(r, fewRelays, r.Backlog), ceiling(r.Backlog)
	return []Row{
		// More relays are not slower.
		Against("relays", many, "messages/s", mean(few1, few2)).MinValue(200).MinRatio(0.95),
		Against("relays_2", mean(few1, few2), "messages/s", mean(before, after)).MinValue(200),
	}
}

// drain writes a backlog of n messages and returns the rate at which relays deliver it.
func drain(r *lab.Run, relays, n int) float64 {
	fill(r, n)
	var started []*lab.Process
	for range relays {
		started = append(started, r.Start("api", "API_ADDR="+r.Address()))
	}
	r.EventsNumbered(limit)
	execute(r, `UPDATE outbox SET not_before = now()`)
	before, begin := r.CPU(), time.Now()
	r.OutboxEmpty(longLimit)
	elapsed := time.Since(begin)
	r.Logf("relays: %d relays %.0f messages/s, %s", relays, perSecond(n, elapsed), r.PerItem(before, n))
	for _, p := range started {
		p.Stop()
	}
	return perSecond(n, elapsed)
}

// fill writes the messages while no relay runs, and holds them back until all relays are ready: otherwise the first one
// would deliver some alone.
func fill(r *lab.Run, n int) {
	first := time.Now().Add(tomorrow).Truncate(time.Second)
	r.Posts(r.Tenant("With a backlog"), n, func(i int) time.Time { return first.Add(time.Duration(i) * time.Second) })
	execute(r, `UPDATE outbox SET not_before = 'infinity'`)
	execute(r, `VACUUM ANALYZE outbox`)
}

func execute(r *lab.Run, statement string) {
	_, err := r.SQL.Exec(r.Context(), statement)
	r.Check(err)
}
