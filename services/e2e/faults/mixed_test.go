package faults_test

import (
	"testing"
	"time"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
)

// crashPoints returns crash points at every step of the publish protocol, of the relay and of a delivery. The number is
// the hit at which a process is killed, so that the kills are spread over the run. As each kill begins the count anew, it
// is small enough to be reached between any of the others: with at most seven other kills of the API, one of its
// processes accepts fifteen of the 120 posts.
func crashPoints() []string {
	return []string{
		"once.before_commit=kill#12", "once.after_commit=kill#8",
		"publish.after_claim=kill#4", "publish.after_prepare=kill#5", "publish.after_handle=kill#3",
		"publish.after_intent=kill#6",
		"publish.before_write=kill#5", "publish.after_response=kill#7", "publish.after_send=kill#6",
		"publish.after_record=kill#5",
		"reconcile.after_evidence=kill#1", "relay.after_fan_out=kill#4", "relay.before_start=kill#5",
		"relay.before_delete=kill#4",
		"deliver.before_send=kill#6", "deliver.after_send=kill#8", "deliver.after_record=kill#7",
		"relay.after_admit=kill#3",
	}
}

// TestFMixedEverythingDiesAtOnce publishes posts while programs and infrastructure are killed and networks inject every
// fault.
func TestFMixedEverythingDiesAtOnce(t *testing.T) {
	l := lab.Alone(t, lab.Fault{
		ID:     "MIX",
		Title:  "Everything at once: each crash point, kill -9 of API, worker, PostgreSQL and Temporal, networks that fail",
		Expect: "I1 to I12",
	})
	l.Run(2)
	l.Arm(crashPoints()...)
	networksFail(l)
	const posts = 120
	for i := range posts {
		l.AcceptOne(time.Now().Add(time.Duration(1000+i*40)*time.Millisecond), three()[i%3])
		switch i { // kills other than those at crash points
		case 20, 90:
			l.APIProcess.Kill()
		case 35:
			l.Workers[0].Kill()
		case 50:
			harness.Infrastructure(t, "postgres/stop?mode=immediate")
			harness.Infrastructure(t, "postgres/start")
		case 70:
			harness.Infrastructure(t, "temporal/kill")
			l.Workers[1].Kill()
			harness.Infrastructure(t, "temporal/start")
		}
	}
	l.Settle(5 * time.Minute)
	l.Injected(
		"%d crash points; API killed twice, workers twice, PostgreSQL stopped at once, Temporal killed; 7 faults of each "+
			"network", len(crashPoints()))
	l.Check(lab.AllPublished())
}

// networksFail injects faults of the networks.
func networksFail(l *lab.Lab) {
	for _, platform := range []string{"x", "threads", "telegram"} {
		for _, f := range []harness.Fault{
			{Kind: "timeout_after_accept", Step: "commit", Times: 2, DelayMs: 6000},
			{Kind: "timeout_before", Step: "commit", Times: 1, DelayMs: 6000},
			{Kind: "unavailable", Step: "commit", Times: 2},
			{Kind: "rate_limit", Step: "commit", Times: 2, DelayMs: 1000},
		} {
			f.Platform = platform
			l.Sandbox.Inject(f)
		}
	}
	l.Sandbox.Inject(harness.Fault{Platform: "threads", Step: "create", Kind: "unavailable", Times: 2})
	l.Sandbox.Inject(harness.Fault{Platform: "x", Step: "token", Kind: "slow", Times: 1, DelayMs: 500})
}
