package publishing_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// hiccup is a database that fails the first write between the network's response and its record.
type hiccup struct {
	*postgres.Attempts

	channels publishing.Channels
	intended atomic.Bool // only writes after the intent fail
	failed   atomic.Int32
}

func (h *hiccup) silent() error {
	if h.intended.Load() && h.failed.Add(1) == 1 {
		return apperr.New(apperr.Unavailable, "The database does not respond.")
	}
	return nil
}

func (h *hiccup) Intend(ctx context.Context, job postgres.Job, intent postgres.Intent) error {
	err := h.Attempts.Intend(ctx, job, intent)
	h.intended.Store(err == nil)
	return err
}

func (h *hiccup) Prepared(ctx context.Context, job postgres.Job, intent postgres.Intent) error {
	if err := h.silent(); err != nil {
		return err
	}
	return h.Attempts.Prepared(ctx, job, intent)
}

func (h *hiccup) Limit(ctx context.Context, id ident.Channel, hold time.Duration) error {
	if err := h.silent(); err != nil {
		return err
	}
	return h.Attempts.Limit(ctx, id, hold)
}

func (h *hiccup) NeedsReconnect(ctx context.Context, id ident.Channel, revision int) error {
	if err := h.silent(); err != nil {
		return err
	}
	return h.channels.NeedsReconnect(ctx, id, revision)
}

// TestDefiniteResponseSurvivesDatabaseOutage checks that a network's refusal does not become an unknown outcome
// because the database is briefly unavailable before the record. The response cannot be requested again.
func TestDefiniteResponseSurvivesDatabaseOutage(t *testing.T) {
	t.Parallel()
	for class, c := range map[platform.Class]struct {
		next    postflow.Next
		hiccups bool // the class has a write before the record
	}{
		platform.ClassRateLimited: {postflow.NextPublish, true},
		platform.ClassReconnect:   {postflow.NextPublish, true}, // held
		platform.ClassTransient:   {postflow.NextPublish, false},
		platform.ClassRejected:    {postflow.NextDone, false},
	} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			net := &network{
				strength: platform.ReconcileNone,
				commit: func(context.Context, platform.Account) (platform.Publication, error) {
					return platform.Publication{}, fails(class, "NO")
				},
			}
			h := &hiccup{}
			b := setupWith(t, net, net, func(cfg *publishing.Config) {
				attempts, ok := cfg.Attempts.(*postgres.Attempts)
				require.True(t, ok)
				h.Attempts, h.channels = attempts, cfg.Channels
				cfg.Attempts, cfg.Channels = h, h
			})
			p := b.due(t, time.Second)
			require.Equal(t, c.next, b.publish(t, p).Next)
			job := b.reload(t, p)
			require.Equal(t, post.AttemptRejected, job.Attempt.State)
			require.Equal(t, 1, job.Attempt.N)
			require.NotEqual(t, post.ErrorOutcomeUnknown, job.Attempt.Code)
			require.Equal(t, c.hiccups, h.failed.Load() > 0)
			require.EqualValues(t, 1, net.commits.Load())
		})
	}
}
