package publishing_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

var errFault = errors.New("the statement is wrong")

// faulty stores fail in one method, once, with an error that does not pass by itself.
type faulty struct {
	*postgres.Attempts

	posts    publishing.Posts
	channels publishing.Channels
	media    publishing.Media
	method   string
}

// fault returns the error for the method that fails.
func (f *faulty) fault(method string) error {
	if f.method != method {
		return nil
	}
	f.method = ""
	return errFault
}

func (f *faulty) Claim(ctx context.Context, id ident.Post, revision int) (postgres.Job, error) {
	if err := f.fault("Claim"); err != nil {
		return postgres.Job{}, err
	}
	return f.Attempts.Claim(ctx, id, revision)
}

func (f *faulty) Load(ctx context.Context, id ident.Post) (postgres.Job, error) {
	if err := f.fault("Load"); err != nil {
		return postgres.Job{}, err
	}
	return f.Attempts.Load(ctx, id)
}

func (f *faulty) Prepared(ctx context.Context, job postgres.Job, intent postgres.Intent) error {
	if err := f.fault("Prepared"); err != nil {
		return err
	}
	return f.Attempts.Prepared(ctx, job, intent)
}

func (f *faulty) Intend(ctx context.Context, job postgres.Job, intent postgres.Intent) error {
	if f.method == "Withdraw" {
		return apperr.New(apperr.Unavailable, "The database does not respond.")
	}
	return f.Attempts.Intend(ctx, job, intent)
}

func (f *faulty) Withdraw(ctx context.Context, job postgres.Job, intent postgres.Intent) error {
	if err := f.fault("Withdraw"); err != nil {
		return err
	}
	return f.Attempts.Withdraw(ctx, job, intent)
}

func (f *faulty) Limit(ctx context.Context, id ident.Channel, hold time.Duration) error {
	if err := f.fault("Limit"); err != nil {
		return err
	}
	return f.Attempts.Limit(ctx, id, hold)
}

func (f *faulty) Turn(ctx context.Context, id ident.Channel, step time.Duration) (time.Duration, error) {
	if err := f.fault("Turn"); err != nil {
		return 0, err
	}
	return f.Attempts.Turn(ctx, id, step)
}

func (f *faulty) Record(ctx context.Context, change post.Change, result postgres.AttemptResult) error {
	if err := f.fault("Record"); err != nil {
		return err
	}
	return f.posts.Record(ctx, change, result)
}

func (f *faulty) Hold(ctx context.Context, change post.Change, result postgres.AttemptResult) error {
	if err := f.fault("Hold"); err != nil {
		return err
	}
	return f.posts.Hold(ctx, change, result)
}

func (f *faulty) NeedsReconnect(ctx context.Context, id ident.Channel, revision int) error {
	if err := f.fault("NeedsReconnect"); err != nil {
		return err
	}
	return f.channels.NeedsReconnect(ctx, id, revision)
}

func (f *faulty) InOrder(ctx context.Context, workspace ident.Workspace, ids []ident.Media) ([]media.Asset, error) {
	if err := f.fault("InOrder"); err != nil {
		return nil, err
	}
	return f.media.InOrder(ctx, workspace, ids)
}

// setupFaulty is setup with stores that fail once the returned value names a method.
func setupFaulty(t *testing.T, net *network) (*bundle, *faulty) {
	t.Helper()
	return setupFaultyWith(t, net, net)
}

// setupFaultyWith is setupWith with such stores.
func setupFaultyWith(t *testing.T, net *network, link platform.Link) (*bundle, *faulty) {
	t.Helper()
	f := &faulty{}
	b := setupWith(t, net, link, func(cfg *publishing.Config) {
		attempts, ok := cfg.Attempts.(*postgres.Attempts)
		require.True(t, ok)
		f.Attempts, f.posts, f.channels, f.media = attempts, cfg.Posts, cfg.Channels, cfg.Media
		cfg.Attempts, cfg.Posts, cfg.Channels, cfg.Media = f, f, f, f
	})
	return b, f
}

// TestStoreErrorIsReturned checks that a step ends with the error of the store at the first try, so that Temporal runs the step
// again: it neither goes on without the statement nor repeats one that cannot succeed.
func TestStoreErrorIsReturned(t *testing.T) {
	t.Parallel()
	refused := map[string]error{
		"Prepared": fails(platform.ClassTransient, "DOWN"), "NeedsReconnect": fails(platform.ClassReconnect, "GONE"),
		"Hold":  fails(platform.ClassReconnect, "GONE"),
		"Limit": fails(platform.ClassRateLimited, "RATE"),
	}
	for _, method := range []string{
		"Claim", "InOrder", "Prepared", "Withdraw", "Record", "NeedsReconnect", "Hold", "Limit", "Turn",
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			b, stores := setupFaulty(t, &network{prepare: func(platform.Handle) (platform.Preparation, error) {
				return platform.Preparation{Ready: true}, refused[method]
			}})
			p := b.due(t, time.Second)
			if method == "Turn" {
				require.NoError(t, b.attempts.Limit(t.Context(), b.ch.ID, 0))
			}
			stores.method = method
			out, err := b.Publish(t.Context(), step(p))
			require.ErrorIs(t, err, errFault)
			require.Equal(t, postflow.Outcome{}, out)
			require.Equal(t, post.Scheduled, b.reload(t, p).Post.Status)
		})
	}
}

// TestStoreErrorDuringReconcileIsReturned checks the same for the stores that reconciling reads.
func TestStoreErrorDuringReconcileIsReturned(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"Load", "InOrder", "Record"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			b, stores := setupFaulty(t, &network{strength: platform.ReconcileMatch, reconcile: unclearAlways})
			p := b.due(t, time.Second)
			b.vanish(t, p)
			stores.method = method
			_, err := b.Reconcile(t.Context(), step(p))
			require.ErrorIs(t, err, errFault)
		})
	}
}

// TestRefusedPreparationEndsLimitAfterCancellation: the other posts of the channel must not wait for a limit
// that is over.
func TestRefusedPreparationEndsLimitAfterCancellation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := setup(t, &network{prepare: func(platform.Handle) (platform.Preparation, error) {
		cancel()
		return platform.Preparation{}, fails(platform.ClassRejected, "NO")
	}})
	require.NoError(t, b.attempts.Limit(t.Context(), b.ch.ID, 0))
	p := b.due(t, time.Second)
	out, err := b.Publish(ctx, step(p))
	require.NoError(t, err)
	require.Equal(t, postflow.NextDone, out.Next)
	require.False(t, b.reload(t, p).Limited)
}

// TestCallSurvivesCanceledActivity checks that a cancelled activity neither interrupts the irrevocable call nor loses its result.
func TestCallSurvivesCanceledActivity(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := setup(t, &network{commit: func(call context.Context, _ platform.Account) (platform.Publication, error) {
		cancel()
		return platform.Publication{ExternalID: "1"}, call.Err()
	}})
	p := b.due(t, time.Second)
	out, err := b.Publish(ctx, step(p))
	require.NoError(t, err)
	require.Equal(t, postflow.Outcome{Next: postflow.NextDone, Status: post.Published, Note: "Published."}, out)
	require.Equal(t, post.AttemptConfirmed, b.reload(t, p).Attempt.State)
}

// TestAttemptWithoutConnectorWaitsForSender checks what a version without the connector does with an attempt that a newer version
// sent: it waits for the sender, and does not ask the network.
func TestAttemptWithoutConnectorWaitsForSender(t *testing.T) {
	t.Parallel()
	b := setupWith(t, &network{}, &network{typ: channel.LinkedInProfile})
	p := b.due(t, time.Second)
	b.vanish(t, p)
	b.follow(t, p)
	require.Equal(t, post.ErrorOutcomeUnknown, b.reload(t, p).Post.Error.Code)
	unsent := b.due(t, time.Second)
	b.follow(t, unsent)
	require.Equal(t, post.ErrorChannelUnsupported, b.reload(t, unsent).Post.Error.Code)
}
