package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
)

func TestF01TheAPIDiesBeforeTheCommitOfACreation(t *testing.T) {
	creations(t, lab.Fault{
		ID: "F01", Title: "The API dies before the COMMIT of a creation; the client retries",
		Expect: "I7 I5: one post per key",
	}, "once.before_commit")
}

func TestF02TheAPIDiesAfterTheCommitOfACreation(t *testing.T) {
	creations(t, lab.Fault{
		ID: "F02", Title: "The API dies after the COMMIT of a creation, before it responds",
		Expect: "I7 I2: the stored response, byte for byte; one post per key, all published",
	}, "once.after_commit")
}

// creations kills the API three times while posts are created.
func creations(t *testing.T, f lab.Fault, name string) {
	t.Helper()
	l := lab.Begin(t, f)
	l.Run(1)
	const deaths, posts = 3, 8 // enough hits for the third kill in one process
	l.Arm(lab.Kills(name, deaths)...)
	created := l.Accept(posts, time.Now().Add(8*time.Second), 50*time.Millisecond)
	l.WaitFiredTimes(name, deaths, reached)
	require.Equal(t, deaths+1, l.APIProcess.Starts())
	again := make(map[string]bool)
	for _, p := range created { // repeated requests must return the first response
		body, replayed := l.AskAgain(p)
		again[p.ID] = replayed && p.Body == body
	}
	l.Settle(recovery)
	l.Check(lab.AllPublished())
	for _, p := range created {
		require.True(t, again[p.ID], "%s: the response differs", p.ID)
	}
}

func TestF03TheRelayDiesBeforeItStartsAWorkflow(t *testing.T) {
	deaths(t, lab.Fault{
		ID: "F03", Title: "The relay dies after it took an outbox row",
		Expect: "I2: another relay delivers the row; one workflow, published once",
	}, []point{{"relay.before_start", 3}, {"relay.after_fan_out", 2}})
}

func TestF04TheRelayDiesBeforeItDeletesTheRow(t *testing.T) {
	deaths(t, lab.Fault{
		ID: "F04", Title: "The relay dies after it started the workflow, before the row is deleted",
		Expect: "I1: the second start has no effect; published once, each event delivered",
	}, []point{{"relay.before_delete", 3}})
}
