package faults_test

import (
	"testing"
	"time"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/shared/domain/channel"
)

const (
	// recovery is the maximum time to settle after a fault, on a busy machine.
	recovery = 2 * time.Minute
	// reached is the maximum time until a fault occurs.
	reached = time.Minute
)

// point is a crash point and the number of times a process is killed there.
type point struct {
	name  string
	times int
}

// deaths publishes posts while processes are killed at the points, and checks that this causes only delay.
func deaths(t *testing.T, f lab.Fault, points []point, types ...channel.Type) *lab.Lab {
	t.Helper()
	l := lab.Begin(t, f)
	l.Run(2)
	var entries []string
	for _, p := range points {
		entries = append(entries, lab.Kills(p.name, p.times)...)
	}
	l.Arm(entries...)
	// Each kill ends the counts of one process, so that a later one needs up to four more hits in two processes, and more
	// in a relay that delivers only posts, because the express lane has all deliveries (DELIVERY_EXPRESS_AFTER=0).
	l.Accept(8*len(entries), time.Now().Add(time.Second), 100*time.Millisecond, types...)
	for _, p := range points {
		l.WaitFiredTimes(p.name, p.times, reached)
	}
	l.Settle(recovery)
	l.Check(lab.AllPublished())
	return l
}

func TestF05TheWorkerDiesBeforeTheIntent(t *testing.T) {
	deaths(t, lab.Fault{
		ID: "F05", Title: "The worker dies before the intent",
		Expect: "I1 I2: another worker retries; once on the network",
	}, []point{{"publish.after_claim", 2}, {"publish.after_prepare", 2}})
}

func TestF06TheWorkerDiesBeforeTheRequestLeaves(t *testing.T) {
	deaths(t, lab.Fault{
		ID: "F06", Title: "The worker dies after the intent, before a byte of the request leaves",
		Expect: "I1 I2 I4: certainly absent, so sent once; on Telegram, which cannot be read, OUTCOME_UNKNOWN",
	}, []point{{"publish.after_intent", 2}, {"publish.before_write", 2}})
}

func TestF07TheWorkerDiesAfterTheNetworkAccepted(t *testing.T) {
	deaths(t, lab.Fault{
		ID: "F07", Title: "The worker dies after the network accepted the post, before the response",
		Expect: "I1 I2 I4: found, PUBLISHED with the correct URL; never sent again",
	}, []point{{"publish.after_response", 3}})
}

func TestF08WorkerDiesBeforeOutcomeIsRecorded(t *testing.T) {
	deaths(t, lab.Fault{
		ID: "F08", Title: "The worker dies after the network's response, before the record",
		Expect: "I1 I4 I5: as F07, and one post.published event",
	}, []point{{"publish.after_send", 3}})
}

func TestF09TheWorkerDiesAfterTheRecord(t *testing.T) {
	deaths(t, lab.Fault{
		ID: "F09", Title: "The worker dies after the record, before Temporal knows",
		Expect: "I1 I5: the stored result; no second send, no second event",
	}, []point{{"publish.after_record", 3}})
}

func TestF10TheWorkerDiesBetweenContainerAndPublish(t *testing.T) {
	deaths(t, lab.Fault{
		ID: "F10", Title: "The worker dies between the container and its publication, on a network of two steps",
		Expect: "I1 I2: the stored container or another; published once",
	}, []point{{"publish.after_prepare", 2}, {"publish.after_handle", 3}, {"publish.after_intent", 2}}, channel.Threads)
}
