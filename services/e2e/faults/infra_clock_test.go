package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/infra"
	"fencepost.internal/services/e2e/faults/lab"
)

// TestF37PostgreSQLsClockJumps moves the database's clock one hour forward and one hour back while posts are created
// and published. Only the database's clock decides whether a post is due. The timers use another clock.
func TestF37PostgreSQLsClockJumps(t *testing.T) {
	server := infra.StartPostgres(t, infra.PostgresOptions{OwnTime: true})
	l := lab.Alone(t, lab.Fault{
		ID: "F37", Title: "PostgreSQL's clock jumps by +1 h, back, by -1 h, and back",
		Expect: "I1 I10: no post is early by the database's clock or sent twice; limits and signatures stay " +
			"valid",
	}, "REQUESTS_PER_MINUTE=6000")
	l.Run(1)
	before := l.Accept(6, time.Now().Add(time.Second), 50*time.Millisecond)
	ahead := l.Accept(3, time.Now().Add(30*time.Minute), 0)
	l.Settle(30 * time.Second)

	server.Jump(time.Hour)
	l.Injected("PostgreSQL's clock +1 h")
	during := l.Accept(6, time.Now().Add(time.Second), 50*time.Millisecond)
	requireOut(t, l, during)
	server.Jump(0)
	requireOut(t, l, l.Accept(6, time.Now().Add(time.Second), 50*time.Millisecond))

	server.Jump(-time.Hour)
	l.Injected("PostgreSQL's clock -1 h")
	early := l.Accept(6, time.Now().Add(time.Second), 50*time.Millisecond)
	<-time.After(4 * time.Second) // time in which an incorrect publication would show
	for _, p := range append(early, ahead...) {
		require.Equal(t, fencepost.PostStatusScheduled, l.Get(p.ID).Status, "not due by the database's clock")
		require.Zero(t, l.Sandbox.Count(p.Text))
	}
	for _, p := range append(before, during...) {
		require.Equal(t, 1, l.Sandbox.Count(p.Text))
	}
	server.Jump(0)
	l.Healed()
	l.Settle(60 * time.Second)
	requireOut(t, l, early)
	for _, p := range ahead {
		require.Equal(t, fencepost.PostStatusScheduled, l.Get(p.ID).Status)
	}
	requireAlive(t, l)
	l.Check()
}

func requireOut(t *testing.T, l *lab.Lab, posts []lab.Accepted) {
	t.Helper()
	for _, p := range posts {
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			require.Equal(c, fencepost.PostStatusPublished, l.Get(p.ID).Status)
		}, 30*time.Second, 100*time.Millisecond)
	}
}
