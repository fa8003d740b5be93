package faults_test

import (
	"bufio"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow/postflow"
)

// held waits until the workers hold the steps of that many posts, of those scheduled for the given time.
func held(t *testing.T, l *lab.Lab, posts int, due time.Time) {
	t.Helper()
	<-time.After(time.Until(due.Add(-postflow.HoldShortest)))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		total := 0
		for _, w := range l.Workers {
			total += heldBy(c, w)
		}
		require.Equal(c, posts, total)
	}, time.Until(due)-200*time.Millisecond, 50*time.Millisecond, "the machine is too slow: the steps were not held in time")
}

// heldBy returns the number of steps that a worker holds, by its metrics.
func heldBy(t require.TestingT, worker *harness.Process) (total int) {
	response, err := http.Get(worker.OpsURL() + "/metrics") //nolint:forbidigo,noctx // a probe on this machine
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		series, value, _ := strings.Cut(lines.Text(), " ")
		if strings.HasPrefix(series, "fencepost_publish_steps{") && strings.Contains(series, `state="held"`) {
			n, err := strconv.Atoi(value)
			require.NoError(t, err)
			total += n
		}
	}
	return total
}

// TestF55TheWorkerDiesWhileItHoldsSteps kills both workers, and then terminates one of them, while they hold the first
// steps of posts.
func TestF55TheWorkerDiesWhileItHoldsSteps(t *testing.T) {
	l := lab.Alone(t, lab.Fault{
		ID: "F55", Title: "Workers are killed, and one is terminated, while they hold steps of posts due within seconds",
		Expect: "I1 I2 I10: a kill delays by at most the heartbeat timeout; a terminated worker returns its " +
			"steps, which are on time; moved posts are published at their new times",
	})
	l.Run(2)
	const posts = 30
	due := time.Now().Add(15 * time.Second)
	l.Accept(posts, due, 0)
	held(t, l, posts, due)
	for _, w := range l.Workers {
		w.Kill()
	}
	l.Injected("both workers killed with %d held steps", posts)
	l.Settle(recovery)

	due = time.Now().Add(15 * time.Second)
	returned := l.Accept(posts, due, 0)
	held(t, l, posts, due)
	l.Workers[0].Signal(syscall.SIGTERM)
	l.Injected("one worker terminated with its part of %d held steps", posts)
	l.Settle(recovery)
	for _, p := range returned {
		require.Less(t, l.Get(p.ID).PublishedAt.Sub(p.At), 5*time.Second)
	}

	due = time.Now().Add(15 * time.Second)
	at := l.Accept(3, due, 0, channel.Threads)
	held(t, l, len(at), due)
	require.Equal(t, fencepost.PostStatusScheduled, l.Publish(at[0].ID).Status)
	require.Equal(t, http.StatusOK, schedule(t, l, at[1].ID, due.Add(4*time.Second)))
	require.Equal(t, http.StatusOK, unschedule(t, l, at[2].ID))
	l.Injected("held posts published now, moved and unscheduled")
	l.Healed()
	l.Settle(recovery)
	require.True(t, l.Get(at[0].ID).PublishedAt.Before(due))
	require.False(t, l.Get(at[1].ID).PublishedAt.Before(due.Add(4*time.Second)))
	require.Equal(t, fencepost.PostStatusDraft, l.Get(at[2].ID).Status)
	l.Check()
}
