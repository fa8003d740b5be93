package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
)

func TestF49EverythingRunsTwice(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID:     "F49",
		Title:  "Two APIs and four workers with a relay and a sweep each, and everything enqueued twice again",
		Expect: "I1 I3 I5: rows locked by another relay are skipped; published once, each event delivered once",
	}, "SWEEP_INTERVAL=1s")
	l.Run(4)
	l.Start("api", "", "API_ADDR="+l.Address()).Ready()
	const posts = 60
	l.Accept(posts, time.Now().Add(4*time.Second), 50*time.Millisecond, texts()...)
	again := func() bool { l.System.Run("worker", "rebuild"); return true }
	atOnce(again, again)
	<-time.After(3 * time.Second)
	atOnce(again, again)
	l.Injected("6 relays, 4 sweeps every second, `worker rebuild` 4 times")
	l.Settle(recovery)
	arrived := make(map[string]int)
	for _, r := range l.Receiver.All() {
		arrived[r.ID]++
		require.LessOrEqual(t, arrived[r.ID], 1, "%s of %v arrived again, although nothing died", r.Type, r.Data["postId"])
	}
	l.Check(lab.AllPublished(), lab.Late(10*time.Second))
}
