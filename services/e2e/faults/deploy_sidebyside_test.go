package faults_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/shared/flow/postflow"
)

const deploymentName = "posts"

// named returns the environment of workers of a build.
func named(build string) []string {
	return []string{"TEMPORAL_DEPLOYMENT_NAME=" + deploymentName, "TEMPORAL_DEPLOYMENT_BUILD_ID=" + build}
}

// routes runs a command of "admin workers", which Temporal may refuse while it does not know all queues yet.
func routes(t *testing.T, l *lab.Lab, args ...string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		out, code := l.AdminRun(named(""), append([]string{"workers"}, args...)...)
		require.Zero(c, code, "%v: %s", args, out)
	}, time.Minute, time.Second)
}

type workerVersion struct {
	Build, Status string
	Percent       float64
	Pinned        int
}

// version returns the state of a build.
func version(t require.TestingT, l *lab.Lab, build string) workerVersion {
	out, code := l.AdminRun(named(""), "workers", "list", "--json")
	require.Zero(t, code, "%s", out)
	var all []workerVersion
	require.NoError(t, json.Unmarshal(out, &all))
	for _, v := range all {
		if v.Build == build {
			return v
		}
	}
	return workerVersion{}
}

// TestF63WorkersOfTwoVersionsSideBySide replaces workers by those of a version whose code cannot continue the posts of the
// old one. Only the routing keeps them apart. Then it replaces them by a compatible version, which continues the posts.
func TestF63WorkersOfTwoVersionsSideBySide(t *testing.T) {
	incompatible, compatible := worker(t, careless), worker(t, careful)
	l := lab.Begin(t, lab.Fault{
		ID: "F63", Title: "workers of two versions side by side with waiting posts: ramp, rollback, replacement, release",
		Expect: "I1 I2: posts stay on the version that began them; sleeping posts begin on the version that is " +
			"current at their time; released posts continue on the current one",
	})
	old := l.Start("worker", "", named("old")...)
	l.Workers = append(l.Workers, old)
	old.Ready()
	diagnosis, _ := l.AdminRun(named("old"), "doctor", "--json")
	require.Contains(t, string(diagnosis), "DEPLOYMENT_NOT_CURRENT")
	routes(t, l, "current", "old")
	diagnosis, _ = l.AdminRun(named("old"), "doctor", "--json")
	require.NotContains(t, string(diagnosis), "DEPLOYMENT_NOT_CURRENT")
	l.Run(0)
	within := time.Now().Add(50 * time.Minute) // its workflow begins at once
	begun, kept := l.Accept(6, within, 0), l.Accept(4, within, 0)
	sleeping := l.Accept(6, time.Now().Add(3*time.Hour), 0) // no task until shortly before its time
	requirePinned(t, l, "old", slices.Concat(begun, kept)...)

	next := l.StartProgram(incompatible, named("next")...).Ready()
	l.Injected("workers of incompatible code beside the old ones, with %d begun posts", len(begun)+len(kept))
	routes(t, l, "ramp", "next", "50")
	require.InDelta(t, 50, version(t, l, "next").Percent, 0.1)
	ramped := l.Accept(24, time.Now().Add(50*time.Minute), 0)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		first, second := len(pinned(c, l, "old")), len(pinned(c, l, "next"))
		require.Equal(c, len(begun)+len(kept)+len(ramped), first+second)
		require.Positive(c, second, "no post began on the ramping version")
		require.Greater(c, first, len(begun)+len(kept), "every post began on the ramping version")
	}, time.Minute, time.Second)
	fallDue(t, l, ramped)
	fallDue(t, l, begun[:2])
	requirePublished(t, l, slices.Concat(ramped, begun[:2])...)

	routes(t, l, "ramp", "next", "0") // rollback
	back := l.Accept(4, time.Now().Add(50*time.Minute), 0)
	requirePinned(t, l, "old", slices.Concat(begun[2:], kept, back)...)
	routes(t, l, "current", "next") // and forward
	fallDue(t, l, begun[2:4])
	fallDue(t, l, sleeping[:3])
	requirePublished(t, l, slices.Concat(begun[2:4], sleeping[:3])...)
	requirePinned(t, l, "old", slices.Concat(begun[4:], kept, back)...)

	last := l.StartProgram(compatible, named("last")...).Ready()
	routes(t, l, "current", "last")
	next.Stop()
	routes(t, l, "release", "old")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Zero(c, version(c, l, "old").Pinned)
	}, time.Minute, time.Second)
	old.Stop()
	l.Healed()
	fallDue(t, l, begun[4:])
	fallDue(t, l, kept)
	fallDue(t, l, back)
	fallDue(t, l, sleeping[3:])
	requirePublished(t, l, slices.Concat(begun[4:], kept, back, sleeping[3:])...)
	l.Settle(30 * time.Second)
	l.Check()
	last.Stop()
}

// pinned returns the running posts that only the build's workers continue.
func pinned(t require.TestingT, l *lab.Lab, build string) []string {
	found, err := l.FindWorkflows(fmt.Sprintf("WorkflowType = '%s' AND TemporalWorkerDeploymentVersion = '%s:%s' AND "+
		"TemporalWorkflowVersioningBehavior = 'Pinned' AND ExecutionStatus = 'Running'", postflow.Workflow, deploymentName, build))
	require.NoError(t, err)
	return found
}

// requirePinned waits until exactly these posts are pinned to the build.
func requirePinned(t *testing.T, l *lab.Lab, build string, posts ...lab.Accepted) {
	t.Helper()
	want := make([]string, len(posts))
	for i, p := range posts {
		want[i] = "post/" + p.ID
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.ElementsMatch(c, want, pinned(c, l, build))
	}, time.Minute, time.Second)
}
