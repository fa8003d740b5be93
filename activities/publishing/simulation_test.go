package publishing_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// Times of the protocol as in production.
const (
	simWindow    = 15 * time.Second
	simReadDelay = 20 * time.Second
	simCommit    = time.Minute
	simHeartbeat = 15 * time.Second
)

// firstSeed is the seed of the first run; repeat a failing run with -simulate.seed=N -simulate.runs=1.
var (
	firstSeed = flag.Uint64("simulate.seed", 0, "first seed of the simulation")
	simulated = flag.Uint64("simulate.runs", 10_000, "runs of the simulation")
)

// TestSimulation publishes a post ten thousand times in a world where processes die, freeze and resume at any step, the
// database and the network lose calls and responses, and users change the plan. In every run, the network has the post
// at most once (I1), the post reaches a final state (I2), its state is correct (I4), and an unscheduled post is not
// published (I6).
func TestSimulation(t *testing.T) {
	t.Parallel()
	ends := make(map[string]int)
	for seed := *firstSeed; seed < *firstSeed+*simulated; seed++ {
		s := simulate(t, seed, false)
		ends[s.end()]++
		require.Empty(t, s.wrong(), "seed %d\n%s", seed, strings.Join(s.chaos.trace, "\n"))
	}
	t.Logf("ends: %v", ends)
	if *simulated > 1000 {
		require.Greater(t, ends["PUBLISHED"], int(*simulated/3)) //nolint:gosec // a small number
		require.Positive(t, ends["FAILED OUTCOME_UNKNOWN"])
	}
}

// TestSimulationDetectsLostRows checks that the simulation detects duplicate posts if sent attempts are
// ignored.
func TestSimulationDetectsLostRows(t *testing.T) {
	t.Parallel()
	twice := 0
	for seed := range uint64(500) {
		for _, what := range simulate(t, seed, true).wrong() {
			if strings.HasPrefix(what, "I1") {
				twice++
			}
		}
	}
	require.Positive(t, twice)
}

// simRules returns the rules of all networks. Making them takes an eighth of a run.
var simRules = sync.OnceValue(connectors.Rules)

// simulation is one run.
type simulation struct {
	*publishing.Publisher

	chaos *chaos
	store *memory
	net   *world
	news  chan int // revisions planned by a user
	lost  bool     // the driver gave up
}

func simulate(t *testing.T, seed uint64, broken bool) *simulation {
	t.Helper()
	var s *simulation
	synctest.Test(t, func(t *testing.T) {
		s = newSimulation(t, seed, broken)
		s.chaos.alive.Go(s.person)
		s.drive()
		s.chaos.alive.Wait() // including frozen executions that resume late
	})
	return s
}

func newSimulation(t *testing.T, seed uint64, broken bool) *simulation {
	t.Helper()
	c := &chaos{rng: rand.New(rand.NewPCG(seed, 1)), began: time.Now(), budget: 6} //nolint:gosec // repeatable on purpose
	s := &simulation{chaos: c, news: make(chan int, 8)}
	s.net = &world{chaos: c, refuses: c.chance(0.3)}
	s.net.strength = []platform.ReconcileStrength{
		platform.ReconcileNone, platform.ReconcileMatch, platform.ReconcileExact,
	}[c.upToN(3)]
	now := time.Now().UTC()
	change, err := post.Create(post.NewPost{
		WorkspaceID: ident.New[ident.Workspace](), ChannelID: ident.New[ident.Channel](), Content: "Hello",
		ContentType: post.ContentPost,
		ScheduleAt:  now.Add(time.Minute),
	}, now, post.ActorAPI)
	require.NoError(t, err)
	s.store = &memory{chaos: c, broken: broken, post: change.Post, channel: channel.Channel{
		ID: change.Post.ChannelID, Type: channel.Twitter, IsConnected: true, TokenStatus: channel.TokenHealthy,
		ExternalID: "1",
	}}
	s.Publisher = publisherOf(t, s.store, s.net)
	return s
}

// publisherOf returns a publisher with the times of production.
func publisherOf(t *testing.T, store *memory, link platform.Link) *publishing.Publisher {
	t.Helper()
	registry, err := platform.NewRegistry(link)
	require.NoError(t, err)
	p, err := publishing.NewPublisher(publishing.Config{
		NotifyLoss: func(context.Context, ident.Channel, time.Time) error { return nil },
		Attempts:   store, Posts: store, Channels: store, Media: store, Access: store, Files: files{}, Renditions: &forms{},
		Connectors: registry, Rules: simRules(),
		Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
		Metrics: publishing.NewMetrics(prometheus.NewRegistry()), Wake: func() {},
		SendWindow: simWindow, ReadDelay: simReadDelay, RetryScale: 1, CommitTimeout: simCommit,
	})
	require.NoError(t, err)
	return p
}

// person changes the plan once or twice, if possible.
func (s *simulation) person() {
	for range s.chaos.upToN(3) {
		pass(s.chaos.upTo(4 * time.Minute))
		s.store.mu.Lock()
		now := time.Now().UTC()
		change, err := s.store.post.Schedule(now.Add(time.Second+s.chaos.upTo(time.Minute)), now, post.ActorAPI)
		if s.chaos.chance(0.3) {
			change, err = s.store.post.Unschedule(now, post.ActorAPI)
		}
		if err == nil && s.store.post.Status == post.Scheduled {
			err = s.store.change(change)
		}
		revision := s.store.post.Revision
		s.store.mu.Unlock()
		s.chaos.note(fmt.Sprintf("a person plans revision %d", revision), err)
		s.news <- revision
	}
}

// drive acts like the workflow of a post on Temporal: a step is repeated if its result does not arrive.
func (s *simulation) drive() {
	const longest = 400
	first := s.store.present()
	revision, next, at := first.Revision, postflow.NextPublish, first.ScheduledAt
	for range longest {
		superseded := next == postflow.NextSuperseded
		if newer := s.wait(at, revision); newer > revision {
			revision, next = newer, postflow.NextPublish
			planned := s.store.present()
			if planned.Status == post.Draft {
				return
			}
			at = planned.ScheduledAt
			continue
		}
		if superseded { // the workflow ends: no new plan arrived
			break
		}
		out := s.step(next, postflow.Step{PostID: first.ID, Revision: revision})
		s.chaos.note(fmt.Sprintf("the step says %s at %s", out.Next, out.At.Sub(s.chaos.began)), nil)
		switch next, at = out.Next, out.At; next {
		case postflow.NextDone:
			return
		case postflow.NextSuperseded:
			at = time.Now().Add(time.Minute)
		case postflow.NextPublish, postflow.NextProcessing, postflow.NextReconcile:
		}
	}
	s.lost = true
}

// wait waits until the time, or until a newer plan arrives.
func (s *simulation) wait(until time.Time, revision int) int {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	for {
		select {
		case newer := <-s.news:
			if newer > revision {
				return newer
			}
		case <-timer.C:
			return revision
		}
	}
}

// execution is one run of an activity on a worker.
type execution struct {
	result chan postflow.Outcome // no value if its process dies
	died   chan struct{}
	silent chan struct{} // its heartbeats time out
	once   sync.Once
}

type executionKey struct{}

// step runs an activity until one execution of it returns.
func (s *simulation) step(kind postflow.Next, in postflow.Step) postflow.Outcome {
	for pause := time.Second; ; pause = min(2*pause, 15*time.Second) {
		e := &execution{result: make(chan postflow.Outcome, 1), died: make(chan struct{}), silent: make(chan struct{})}
		s.chaos.alive.Go(func() { s.execute(e, kind, in) })
		select {
		case out := <-e.result:
			return out
		case <-e.silent: // another worker takes over, and the frozen one may resume
		case <-e.died:
			pass(pause)
		}
	}
}

func (s *simulation) execute(e *execution, kind postflow.Next, in postflow.Step) {
	defer close(e.died)
	ctx := context.WithValue(context.Background(), executionKey{}, e)
	var out postflow.Outcome
	var err error
	switch kind {
	case postflow.NextProcessing:
		out, err = s.CheckProcessing(ctx, in)
	case postflow.NextReconcile:
		out, err = s.Reconcile(ctx, in)
	case postflow.NextPublish, postflow.NextDone, postflow.NextSuperseded:
		out, err = s.Publish(ctx, in)
	}
	s.chaos.note("an execution of "+string(kind)+" ends", err)
	if err == nil {
		e.result <- out
	}
}

// end describes the end of the run.
func (s *simulation) end() string {
	if s.store.post.Error != nil {
		return string(s.store.post.Status) + " " + s.store.post.Error.Code
	}
	return string(s.store.post.Status)
}

// wrong compares the post with the network and returns violated invariants.
func (s *simulation) wrong() (wrong []string) {
	p, n := s.store.post, len(s.net.entries)
	if n > 1 {
		wrong = append(wrong, fmt.Sprintf("I1: the network has the post %d times", n))
	}
	if p.Status == post.Draft { // unscheduled by a user
		if n > 0 {
			wrong = append(wrong, "I6: the post was unscheduled, and the network has it")
		}
		return wrong
	}
	if s.lost || p.Status != post.Published && p.Status != post.Failed {
		wrong = append(wrong, "I2: the post has no end: "+s.end())
	}
	ends := slices.DeleteFunc(slices.Clone(s.store.events), func(typ string) bool {
		return typ == string(event.PostScheduled) || typ == string(event.PostUnscheduled) // by people
	})
	if len(ends) != 1 || p.Status == post.Published != (ends[0] == string(event.PostPublished)) {
		wrong = append(wrong, fmt.Sprintf("I5: the post is %s and its events are %v", p.Status, s.store.events))
	}
	switch {
	case p.Status == post.Published && (n == 0 || p.PostURL == "" || p.PublishedAt.IsZero()):
		wrong = append(wrong, "I4: the post is PUBLISHED and the network does not have it, or its address is missing")
	case p.Status == post.Failed && p.Error.Code == post.ErrorOutcomeUnknown && p.Error.Retryable:
		wrong = append(wrong, "I4: the outcome is unknown, but a retry is reported as safe")
	case p.Status == post.Failed && p.Error.Code != post.ErrorOutcomeUnknown && p.Error.Code != platform.CodeDuplicate &&
		n > 0:
		wrong = append(wrong, "I4: the post is "+s.end()+" and the network has it")
	}
	confirmed := 0
	for _, a := range s.store.attempts {
		if a.State == post.AttemptConfirmed {
			confirmed++
		}
	}
	if confirmed > 1 || p.Status == post.Published && confirmed == 0 {
		wrong = append(wrong, fmt.Sprintf("I4: the post is %s with %d confirmed attempts", s.end(), confirmed))
	}
	return wrong
}

// chaos injects a bounded number of failures per run.
type chaos struct {
	mu     sync.Mutex
	rng    *rand.Rand
	budget int
	began  time.Time
	trace  []string
	alive  sync.WaitGroup
}

// strikes may inject a failure into the calling process: the process dies, it freezes, or its next operation fails, in
// which case strikes returns true. Mostly it does nothing.
func (c *chaos) strikes(ctx context.Context, where string) (fails bool) {
	if !c.chance(0.15) || !c.spend() {
		return false
	}
	e, _ := ctx.Value(executionKey{}).(*execution)
	switch what := c.upToN(3); {
	case what == 0 && e != nil:
		c.note("dies "+where, nil)
		runtime.Goexit()
	case what == 1 && e != nil:
		frozen := c.upTo(2 * time.Minute)
		c.note(fmt.Sprintf("freezes for %s %s", frozen, where), nil)
		pass(min(frozen, simHeartbeat))
		if frozen > simHeartbeat {
			e.once.Do(func() { close(e.silent) })
			pass(frozen - simHeartbeat)
		}
		c.note("thaws "+where, nil)
		return false
	}
	c.note("fails "+where, nil)
	return true
}

func (c *chaos) spend() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.budget--
	return c.budget >= 0
}

func (c *chaos) chance(p float64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rng.Float64() < p
}

func (c *chaos) upToN(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rng.IntN(n)
}

// upTo returns a random duration of at least a millisecond.
func (c *chaos) upTo(d time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Millisecond + time.Duration(c.rng.Int64N(int64(max(d, time.Millisecond))))
}

// note records an event for the analysis of a failed run.
func (c *chaos) note(what string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		what += ": " + err.Error()
	}
	c.trace = append(c.trace, fmt.Sprintf("%8.3fs %s", time.Since(c.began).Seconds(), what))
}

// pass waits; in a synctest bubble this takes no real time.
func pass(d time.Duration) { <-time.After(d) }
