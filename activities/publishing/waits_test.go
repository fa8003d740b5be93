package publishing_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// TestRetryBackoffGrowsWithElapsedTime checks the backoff of production: 5 seconds, then as long as the retries have lasted, and
// 5 minutes at most, each with 20 % of jitter.
func TestRetryBackoffGrowsWithElapsedTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ since, wait time.Duration }{
		"first try":            {0, 5 * time.Second},
		"after a second":       {time.Second, 5 * time.Second},
		"after a minute":       {time.Minute, time.Minute},
		"after twenty minutes": {20 * time.Minute, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &network{prepare: func(platform.Handle) (platform.Preparation, error) {
				return platform.Preparation{}, fails(platform.ClassTransient, "DOWN")
			}}
			b := setupWith(t, net, net, func(cfg *publishing.Config) { cfg.RetryScale = 1 })
			p := b.due(t, time.Second)
			out := b.publish(t, p)
			if c.since > 0 {
				b.sentAgo(t, c.since)
				out = b.publish(t, p)
			}
			wait := time.Until(out.At)
			require.Greater(t, wait, c.wait*8/10-2*time.Second)
			require.Less(t, wait, c.wait*12/10+2*time.Second)
		})
	}
}

// holds notes for how long a channel is limited.
type holds struct {
	*postgres.Attempts

	hold time.Duration
}

func (h *holds) Limit(ctx context.Context, id ident.Channel, hold time.Duration) error {
	h.hold = hold
	return h.Attempts.Limit(ctx, id, hold)
}

// TestChannelLimitEndsAsNetworkSays checks how long the other posts of the channel are held: until the time that the network
// names, and as long as the wait of the refused post when it names none.
func TestChannelLimitEndsAsNetworkSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ says, least, most time.Duration }{
		"a time before the retry": {3 * time.Second, 0, 3 * time.Second},
		"a time after the retry":  {time.Minute, 50 * time.Second, time.Minute},
		"no time":                 {0, 4 * time.Second, 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &network{commit: func(context.Context, platform.Account) (platform.Publication, error) {
				failure := &platform.Failure{Class: platform.ClassRateLimited, Code: "RATE", Message: "Too many."}
				if c.says > 0 {
					failure.Until = time.Now().Add(c.says)
				}
				return platform.Publication{}, failure
			}}
			h := &holds{}
			b := setupWith(t, net, net, func(cfg *publishing.Config) {
				attempts, ok := cfg.Attempts.(*postgres.Attempts)
				require.True(t, ok)
				h.Attempts = attempts
				cfg.Attempts, cfg.RetryScale = h, 1
			})
			b.publish(t, b.due(t, time.Second))
			require.Greater(t, h.hold, c.least-time.Millisecond)
			require.Less(t, h.hold, c.most+time.Millisecond)
		})
	}
}

// heartbeats runs an activity on the fake time of a bubble, and counts its heartbeats.
func heartbeats(t *testing.T, act func(context.Context) error) (count int) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(act)
	env.SetOnActivityHeartbeatListener(func(*activity.Info, converter.EncodedValues) { count++ })
	_, err := env.ExecuteActivity(act)
	require.NoError(t, err)
	synctest.Wait()
	return count
}

// slow is a network that responds after ten seconds.
type slow struct{ *network }

func (s slow) Prepare(
	ctx context.Context, a platform.Account, c platform.Content, h platform.Handle,
) (platform.Preparation, error) {
	pass(10 * time.Second)
	return s.network.Prepare(ctx, a, c, h)
}

func (slow) Reconcile(
	context.Context, platform.Account, platform.Content, platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	pass(10 * time.Second)
	return platform.EvidenceFound, platform.Publication{ExternalID: "1"}, nil
}

// TestStepsSendHeartbeats checks that a step sends heartbeats while the network is slow. Without them Temporal runs it a second time.
func TestStepsSendHeartbeats(t *testing.T) {
	t.Parallel()
	for name, commit := range map[string]func(context.Context, platform.Account) (platform.Publication, error){
		"publish": nil, "reconcile": lost,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSimulation(t, 0, false)
				s.chaos.budget = 0
				link := slow{&network{strength: platform.ReconcileMatch, commit: commit}}
				registry, err := platform.NewRegistry(link)
				require.NoError(t, err)
				cfg := s.Config
				cfg.Connectors = registry
				publisher, err := publishing.NewPublisher(cfg)
				require.NoError(t, err)
				at := step(s.store.present())
				pass(2 * time.Minute)
				run := publishing.Step(publisher.Publish)
				if commit != nil {
					out, err := publisher.Publish(t.Context(), at)
					require.NoError(t, err)
					require.Equal(t, postflow.NextReconcile, out.Next)
					run = publisher.Reconcile
				}
				run = publishing.NewGate(channel.NetworkX, 1, s.Clock, s.Metrics).Admit(run)
				var out postflow.Outcome
				require.Positive(t, heartbeats(t, func(ctx context.Context) error {
					out, err = run(ctx, at)
					return err
				}))
				require.Equal(t, postflow.NextDone, out.Next)
			})
		})
	}
}
