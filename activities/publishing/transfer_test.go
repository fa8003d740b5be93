package publishing_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/telegram"
)

// album creates a post with files of the given sizes, whose sender has recorded its intent.
func (b *bundle) album(t *testing.T, sizes ...int64) (post.Post, postgres.Job) {
	t.Helper()
	in := post.NewPost{Content: "Hello"}
	for _, size := range sizes {
		a := postgrestest.Asset(t, b.db, media.Asset{
			ID: ident.New[ident.Media](), WorkspaceID: b.ch.WorkspaceID, Name: "cat.mp4", Type: media.Video,
			ContentType: "video/mp4",
			Size:        size, CreatedAt: time.Now().UTC(),
		})
		b.lookInto(t, a)
		in.MediaIDs = append(in.MediaIDs, a.ID)
	}
	p := b.dueWith(t, time.Second, in)
	return p, b.vanish(t, p)
}

// sentAgo moves the attempts of all posts into the past.
func (b *bundle) sentAgo(t *testing.T, ago time.Duration) {
	t.Helper()
	postgrestest.Exec(t, b.address,
		fmt.Sprintf(`UPDATE publish_attempt SET started_at = now() - interval '%[1]d milliseconds',
		sent_at = CASE WHEN sent_at IS NULL THEN NULL ELSE now() - interval '%[1]d milliseconds' END`, ago.Milliseconds()))
	postgrestest.Exec(t, b.address, fmt.Sprintf(`UPDATE post SET publishing_since = now() - interval '%d milliseconds'
		WHERE publishing_since IS NOT NULL`, ago.Milliseconds()))
}

func unclearAlways(platform.Sent) (platform.Evidence, platform.Publication, error) {
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

// TestSlowTransferIsNotReconciledEarly checks that no decision is made about a call with attachments while it may still run,
// although its sender has not reported. Without attachments there is no such wait.
func TestSlowTransferIsNotReconciledEarly(t *testing.T) {
	t.Parallel()
	const mebibyte = 1 << 20
	// transfer is the time for a form of 1 MiB and this number of mebibytes in base64.
	transfer := func(mebibytes int64) time.Duration { return 4*time.Second + time.Duration(mebibytes)*16*time.Second/3 }
	preset := max(telegram.DefaultCommitTimeout, platform.DefaultCommitTimeout)
	for name, c := range map[string]struct {
		sizes   []int64
		timeout time.Duration // of the worker itself
		call    time.Duration // maximum duration of the call
	}{
		"text alone":     {nil, time.Hour, 0},
		"a picture":      {[]int64{mebibyte}, 0, preset + transfer(1)},
		"an album":       {[]int64{mebibyte, 3 * mebibyte, 10 * mebibyte}, 0, preset + transfer(14)},
		"own timeout":    {[]int64{mebibyte}, 2 * time.Second, 2*time.Second + transfer(1)},
		"a heavy album":  {[]int64{300 * mebibyte, 300 * mebibyte}, 0, preset + 30*time.Minute},
		"longer timeout": {[]int64{mebibyte}, 2 * time.Hour, 2*time.Hour + transfer(1)},
	} {
		for says, link := range map[string]*network{
			"cannot be asked": {strength: platform.ReconcileNone},
			"absent":          {strength: platform.ReconcileMatch, reconcile: absentAlways},
			"unclear":         {strength: platform.ReconcileMatch, reconcile: unclearAlways},
		} {
			t.Run(name+", "+says, func(t *testing.T) {
				t.Parallel()
				net := &network{strength: link.strength, reconcile: link.reconcile}
				b := setupWith(t, net, carrier{net}, func(cfg *publishing.Config) { cfg.CommitTimeout = c.timeout })
				p, _ := b.album(t, c.sizes...)
				over := sendWindow + c.call + readDelay
				if says == "unclear" {
					over = max(over, 30*time.Minute)
				}
				if c.call > 0 {
					b.sentAgo(t, over-5*time.Second)
					now := time.Now()
					out, err := b.Reconcile(t.Context(), step(p))
					require.NoError(t, err)
					require.Equal(t, postflow.NextReconcile, out.Next)
					require.Equal(t, post.AttemptSent, b.reload(t, p).Attempt.State)
					if says != "unclear" {
						require.WithinDuration(t, now.Add(5*time.Second), out.At, 2*time.Second)
					}
				}
				b.sentAgo(t, over+time.Millisecond)
				_, err := b.Reconcile(t.Context(), step(p))
				require.NoError(t, err)
				if says == "absent" {
					require.Equal(t, post.AttemptRejected, b.reload(t, p).Attempt.State, "it goes again")
					return
				}
				require.Equal(t, post.ErrorOutcomeUnknown, b.reload(t, p).Post.Error.Code)
			})
		}
	}
}

// TestLateResultOfSlowSenderApplies checks that a late result applies although other executions have followed up the attempt.
func TestLateResultOfSlowSenderApplies(t *testing.T) {
	t.Parallel()
	net := &network{strength: platform.ReconcileNone}
	b := setupWith(t, net, carrier{net})
	p, job := b.album(t, 100<<20)
	b.sentAgo(t, 5*time.Minute)
	for _, follow := range []func(context.Context, postflow.Step) (postflow.Outcome, error){b.Publish, b.Reconcile} {
		out, err := follow(t.Context(), step(p))
		require.NoError(t, err)
		require.Equal(t, postflow.NextReconcile, out.Next)
	}
	change, err := job.Post.Complete("https://network.test/slow", true, time.Now())
	require.NoError(t, err)
	require.NoError(t, b.posts.Record(t.Context(), change,
		postgres.AttemptResult{N: 1, State: post.AttemptConfirmed, ExternalID: "slow"}))
	out, err := b.Reconcile(t.Context(), step(p))
	require.NoError(t, err)
	require.Equal(t, postflow.NextDone, out.Next)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
}

// TestReadDelayStartsAtEndOfCall checks that the report of the sender counts, however long its call took or may
// have taken.
func TestReadDelayStartsAtEndOfCall(t *testing.T) {
	t.Parallel()
	const readDelay = time.Hour // longer than the test takes on any machine
	for name, c := range map[string]struct{ elapsed, mayTake time.Duration }{
		"a slow call": {2 * readDelay, time.Minute}, "a fast call": {0, 10 * readDelay},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &network{strength: platform.ReconcileMatch, commit: lost, reconcile: absentAlways}
			b := setupWith(t, net, carrier{net}, func(cfg *publishing.Config) {
				cfg.ReadDelay, cfg.CommitTimeout = readDelay, c.mayTake
			})
			p := b.dueWith(t, time.Second, post.NewPost{Content: "Hello", MediaIDs: []ident.Media{b.asset(t)}})
			require.Equal(t, postflow.NextReconcile, b.publish(t, p).Next)
			postgrestest.Exec(t, b.address, `UPDATE publish_attempt SET sent_at = sent_at - $1 * interval '1 second'`,
				c.elapsed.Seconds())
			out, err := b.Reconcile(t.Context(), step(p))
			require.NoError(t, err)
			require.Equal(t, postflow.NextReconcile, out.Next)
			require.WithinDuration(t, b.reload(t, p).Attempt.FinishedAt.Add(readDelay), out.At, readDelay/2)
		})
	}
}

// TestReportedSenderIsNotAwaited covers a sender that has reported the end of its call.
func TestReportedSenderIsNotAwaited(t *testing.T) {
	t.Parallel()
	net := &network{strength: platform.ReconcileMatch, reconcile: absentAlways}
	net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
		if net.commits.Load() == 1 {
			return platform.Publication{}, fails(platform.ClassUnknown, "TIMEOUT")
		}
		return platform.Publication{ExternalID: "1"}, nil
	}
	b := setupWith(t, net, carrier{net})
	p := b.dueWith(t, time.Second, post.NewPost{Content: "Hello", MediaIDs: []ident.Media{b.asset(t)}})
	b.follow(t, p) // really waits, but no longer than the read delay
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
}
