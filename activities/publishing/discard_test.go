package publishing_test

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// leaving is a network whose preparation leaves something behind that can be deleted.
type leaving struct {
	*network

	discarded []platform.Handle
	tokens    []string
	err       error
}

func (l *leaving) Discard(_ context.Context, account platform.Account, handle platform.Handle) error {
	l.discarded, l.tokens = append(l.discarded, handle), append(l.tokens, account.Credentials.AccessToken)
	return l.err
}

// leaves returns a network whose preparation leaves an upload, and which ends the call as commit does.
func leaves(commit error) *leaving {
	net := &leaving{network: &network{}}
	net.prepare = func(platform.Handle) (platform.Preparation, error) {
		return platform.Preparation{Ready: true, Handle: "upload"}, nil
	}
	net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{ExternalID: "ext-1"}, commit
	}
	return net
}

// setupLeaving returns a bench of such a network.
func setupLeaving(t *testing.T, commit error) (*bundle, *leaving) {
	t.Helper()
	net := leaves(commit)
	return setupWith(t, net.network, net), net
}

// again publishes a failed post once more.
func (b *bundle) again(t *testing.T, p post.Post) post.Post {
	t.Helper()
	change, err := b.reload(t, p).Post.PublishNow(time.Now().UTC().Add(-time.Second), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), change))
	return change.Post
}

// edit changes the text of a post, as a user does.
func (b *bundle) edit(t *testing.T, p post.Post, text string) {
	t.Helper()
	change, _, err := b.reload(t, p).Post.Edit(post.Edit{Content: &text}, time.Now().UTC(), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), change))
}

// leftovers deletes leftovers as a worker does.
func (b *bundle) leftovers(t *testing.T, link platform.Link) *retry.Loop[postgres.Leftover] {
	t.Helper()
	registry, err := platform.NewRegistry(link)
	require.NoError(t, err)
	created, err := publishing.NewLeftovers(publishing.LeftoversConfig{
		Store: postgres.NewLeftovers(b.db, b.box), Access: b.keeper, Connectors: registry, Clock: clock.System(),
		Logger: slog.New(slog.DiscardHandler), Metrics: retry.NewMetrics(prometheus.NewRegistry()),
	})
	require.NoError(t, err)
	return created
}

// remaining returns the number of leftovers.
func (b *bundle) remaining(t *testing.T) int {
	t.Helper()
	return len(postgrestest.Column(t, b.address, `SELECT n FROM publish_attempt WHERE discard_after IS NOT NULL`))
}

// passes moves the times of all leftovers into the past.
func (b *bundle) passes(t *testing.T, d time.Duration) {
	t.Helper()
	postgrestest.Exec(t, b.address, `UPDATE publish_attempt SET discard_after = discard_after - $1 * interval '1 second',
		finished_at = finished_at - $1 * interval '1 second'`, d.Seconds())
}

// TestPreparationIsDeletedAfterFailure checks after which endings the preparation is deleted: never after a post that may
// be published, and not if a later attempt uses it.
func TestPreparationIsDeletedAfterFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		commit  error
		discard error
		want    []platform.Handle
	}{
		"refused":              {fails(platform.ClassRejected, "REFUSED"), nil, []platform.Handle{"upload"}},
		"the owner must act":   {fails(platform.ClassUser, "BANNED"), nil, []platform.Handle{"upload"}},
		"deletion fails":       {fails(platform.ClassRejected, "REFUSED"), errors.New("down"), []platform.Handle{"upload"}},
		"it is tried again":    {fails(platform.ClassTransient, "DOWN"), nil, nil},
		"the response is lost": {fails(platform.ClassUnknown, "LOST"), nil, nil},
		"published":            {nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			net := leaves(c.commit)
			net.err = c.discard
			b := setupWith(t, net.network, net, func(cfg *publishing.Config) {
				cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
			})
			p := b.due(t, time.Second)
			b.publish(t, p)
			require.Equal(t, c.want, net.discarded)
			require.Equal(t, c.discard != nil, b.remaining(t) == 1)
			require.Equal(t, c.discard != nil, strings.Contains(log.String(), "the upload of a failed post was not deleted"))
			if c.want != nil {
				require.Equal(t, post.Failed, b.reload(t, p).Post.Status)
			}
		})
	}
}

// TestUploadIsKeptForRetry covers a post that fails because its retries are used up. Publishing it again
// continues with the upload.
func TestUploadIsKeptForRetry(t *testing.T) {
	t.Parallel()
	b, net := setupLeaving(t, fails(platform.ClassTransient, "DOWN"))
	var handles []platform.Handle
	net.prepare = func(h platform.Handle) (platform.Preparation, error) {
		handles = append(handles, h)
		return platform.Preparation{Ready: true, Handle: "upload"}, nil
	}
	p := b.due(t, time.Second)
	b.publish(t, p)
	b.sentAgo(t, 31*time.Minute)
	require.Equal(t, postflow.NextDone, b.publish(t, p).Next)
	require.Equal(t, post.Failed, b.reload(t, p).Post.Status)
	require.Empty(t, net.discarded)
	require.Zero(t, b.remaining(t))
	net.commit = nil
	b.follow(t, b.again(t, p))
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.Equal(t, []platform.Handle{"", "upload", "upload"}, handles)
}

// refusing is a network that refuses every post in its review.
type refusing struct{ *leaving }

func (refusing) Review(context.Context, platform.Account, string) (platform.Publication, error) {
	return platform.Publication{}, fails(platform.ClassRejected, "POLICY_VIOLATION")
}

// TestUploadIsKeptAfterRefusedReview checks that the upload of a post that the network accepted is not
// deleted: it belongs to the network's post.
func TestUploadIsKeptAfterRefusedReview(t *testing.T) {
	t.Parallel()
	net := leaves(nil)
	net.commit = inReview
	b := setupWith(t, net.network, refusing{net})
	p := b.due(t, time.Second)
	b.follow(t, p)
	require.Equal(t, "POLICY_VIOLATION", b.reload(t, p).Post.Error.Code)
	require.Empty(t, net.discarded)
	require.Zero(t, b.remaining(t))
}

// TestFailedAttemptDeletesOnlyItsUpload checks that an attempt deletes neither the upload that it replaced nor that of
// an earlier attempt.
func TestFailedAttemptDeletesOnlyItsUpload(t *testing.T) {
	t.Parallel()
	b, net := setupLeaving(t, fails(platform.ClassRejected, "REFUSED"))
	net.prepare = func(h platform.Handle) (platform.Preparation, error) {
		if h == "" {
			return platform.Preparation{Handle: "first", Wait: time.Millisecond}, nil
		}
		return platform.Preparation{Handle: "second", Ready: true}, nil
	}
	p := b.due(t, time.Second)
	b.follow(t, p)
	require.Equal(t, []platform.Handle{"second"}, net.discarded)

	net.prepare = func(platform.Handle) (platform.Preparation, error) {
		return platform.Preparation{}, fails(platform.ClassRejected, "REFUSED")
	}
	b.follow(t, b.again(t, p))
	require.Equal(t, 2, b.reload(t, p).Attempt.N)
	require.Equal(t, []platform.Handle{"second"}, net.discarded, "the second attempt left nothing")
}

// TestUploadOfAbsentAttemptIsDeleted checks that the upload of an attempt that another execution made is
// deleted when the attempt is certainly not published and the post fails.
func TestUploadOfAbsentAttemptIsDeleted(t *testing.T) {
	t.Parallel()
	b, net := setupLeaving(t, fails(platform.ClassUnknown, platform.CodeDuplicate))
	net.strength, net.reconcile = platform.ReconcileMatch, absentAlways
	p := b.due(t, time.Second)
	b.follow(t, p)
	require.Equal(t, platform.CodeDuplicate, b.reload(t, p).Post.Error.Code)
	require.Equal(t, []platform.Handle{"upload"}, net.discarded)
}

// TestLeftoverIsDeletedLater checks that a worker deletes what the execution that failed a post did not delete, with
// fresh credentials, not before that execution has had its time, and not twice.
func TestLeftoverIsDeletedLater(t *testing.T) {
	t.Parallel()
	b, net := setupLeaving(t, fails(platform.ClassRejected, "REFUSED"))
	net.err = errors.New("down")
	b.publish(t, b.due(t, time.Second))
	require.Len(t, net.discarded, 1)
	later := b.leftovers(t, net)
	require.NoError(t, later.Round(t.Context()))
	require.Len(t, net.discarded, 1, "the execution may still be deleting it")

	b.passes(t, 2*time.Minute)
	require.ErrorContains(t, later.Round(t.Context()), "down")
	require.Len(t, net.discarded, 2)
	require.NoError(t, later.Round(t.Context()))
	require.Len(t, net.discarded, 2, "it waits after a failure")

	b.passes(t, 15*time.Minute)
	net.err = nil
	ended, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { later.Run(ended) })
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Zero(c, b.remaining(t)) }, 10*time.Second, 20*time.Millisecond)
	end()
	running.Wait()
	require.Equal(t, []platform.Handle{"upload", "upload", "upload"}, net.discarded)
	require.Equal(t, []string{"old", "old", "old"}, net.tokens)
	require.NoError(t, later.Round(t.Context()))
	require.Len(t, net.discarded, 3)
}

// TestUploadOfEditedContentIsDeleted covers a post that is edited after its upload, while the network processes it or
// before it is tried again, and published with its new content.
func TestUploadOfEditedContentIsDeleted(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]struct {
		prepared platform.Preparation
		commit   error
		uploads  []platform.Handle
	}{
		"processing": {platform.Preparation{Handle: "old", Wait: time.Millisecond}, nil, []platform.Handle{"old"}},
		"retrying": {
			platform.Preparation{Handle: "old", Ready: true}, fails(platform.ClassTransient, "BUSY"), []platform.Handle{"old"},
		},
		"nothing uploaded": {platform.Preparation{Ready: true}, fails(platform.ClassTransient, "BUSY"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, net := setupLeaving(t, first.commit)
			net.prepare = func(platform.Handle) (platform.Preparation, error) { return first.prepared, nil }
			p := b.due(t, time.Second)
			b.publish(t, p)
			b.publish(t, p)
			require.Zero(t, b.remaining(t), "the upload of the current content is kept")
			b.edit(t, p, "Bye")
			var given []platform.Handle
			net.prepare = func(handle platform.Handle) (platform.Preparation, error) {
				given = append(given, handle)
				return platform.Preparation{Ready: true, Handle: "new"}, nil
			}
			net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
				return platform.Publication{ExternalID: "ext-1"}, nil
			}
			require.Equal(t, post.Published, b.publish(t, p).Status)
			require.Equal(t, []platform.Handle{""}, given)
			require.Equal(t, len(first.uploads), b.remaining(t))
			b.passes(t, 2*time.Minute)
			require.NoError(t, b.leftovers(t, net).Round(t.Context()))
			require.Equal(t, first.uploads, net.discarded)
			require.Zero(t, b.remaining(t))
			attempts, err := b.attempts.ListByPost(t.Context(), p.ID)
			require.NoError(t, err)
			last := attempts[len(attempts)-1]
			require.Equal(t, post.AttemptConfirmed, last.State)
			require.Equal(t, "new", last.Handle)
			for _, earlier := range attempts[:len(attempts)-1] {
				require.Equal(t, post.AttemptRejected, earlier.State)
				require.Equal(t, len(first.uploads) > 0 && earlier.N == last.N-1, earlier.Code == "CONTENT_EDITED")
			}
		})
	}
}

// TestEditedContentIsNotPreparedBeforeItsAttempt checks that a fault of the store loses no upload.
func TestEditedContentIsNotPreparedBeforeItsAttempt(t *testing.T) {
	t.Parallel()
	net := leaves(nil)
	net.prepare = func(platform.Handle) (platform.Preparation, error) {
		return platform.Preparation{Handle: "old", Wait: time.Millisecond}, nil
	}
	b, stores := setupFaultyWith(t, net.network, net)
	p := b.due(t, time.Second)
	require.Equal(t, postflow.NextProcessing, b.publish(t, p).Next)
	b.edit(t, p, "Bye")
	prepared := 0
	net.prepare = func(platform.Handle) (platform.Preparation, error) {
		prepared++
		return platform.Preparation{Ready: true, Handle: "new"}, nil
	}
	stores.method = "Record"
	_, err := b.Publish(t.Context(), step(p))
	require.ErrorIs(t, err, errFault)
	require.Zero(t, prepared)
	require.Zero(t, b.remaining(t))
	require.Equal(t, post.Published, b.publish(t, p).Status)
	require.Equal(t, 1, prepared)
	require.Equal(t, 1, b.remaining(t))
}

// TestUploadIsDeletedAfterRefusedEdit covers a post that is edited after its upload, and whose new content
// the network refuses.
func TestUploadIsDeletedAfterRefusedEdit(t *testing.T) {
	t.Parallel()
	b, net := setupLeaving(t, nil)
	net.prepare = func(platform.Handle) (platform.Preparation, error) {
		return platform.Preparation{Handle: "upload", Wait: time.Millisecond}, nil
	}
	p := b.due(t, time.Second)
	require.Equal(t, postflow.NextProcessing, b.publish(t, p).Next)
	b.edit(t, p, "Bye")
	net.prepare = func(platform.Handle) (platform.Preparation, error) {
		return platform.Preparation{}, fails(platform.ClassRejected, "REFUSED")
	}
	require.Equal(t, postflow.NextDone, b.publish(t, p).Next)
	require.Equal(t, 1, b.remaining(t))
	b.passes(t, 2*time.Minute)
	require.NoError(t, b.leftovers(t, net).Round(t.Context()))
	require.Equal(t, []platform.Handle{"upload"}, net.discarded)
}

// TestPreparationOfInvalidPostIsDeleted covers a post that became invalid while the network processed its
// upload.
func TestPreparationOfInvalidPostIsDeleted(t *testing.T) {
	t.Parallel()
	b, net := setupLeaving(t, nil)
	net.prepare = func(platform.Handle) (platform.Preparation, error) {
		return platform.Preparation{Handle: "upload", Wait: time.Millisecond}, nil
	}
	p := b.due(t, time.Second)
	require.Equal(t, postflow.NextProcessing, b.publish(t, p).Next)
	b.edit(t, p, strings.Repeat("a", 281))
	require.Equal(t, postflow.NextDone, b.publish(t, p).Next)
	failed := b.reload(t, p)
	require.Equal(t, post.ErrorContentInvalid, failed.Post.Error.Code)
	require.Equal(t, post.AttemptRejected, failed.Attempt.State)
	require.Equal(t, post.ErrorContentInvalid, failed.Attempt.Code)
	require.Equal(t, []platform.Handle{"upload"}, net.discarded)
	require.Zero(t, b.remaining(t))
	require.Zero(t, net.commits.Load())
}

// TestLeftoverIsGivenUp checks the end of trying, and a build whose connector deletes nothing.
func TestLeftoverIsGivenUp(t *testing.T) {
	t.Parallel()
	b, net := setupLeaving(t, fails(platform.ClassRejected, "REFUSED"))
	net.err = errors.New("down")
	b.publish(t, b.due(t, time.Second))
	b.passes(t, 8*24*time.Hour)
	require.NoError(t, b.leftovers(t, net).Round(t.Context()))
	require.Len(t, net.discarded, 1)
	require.Zero(t, b.remaining(t))

	b.publish(t, b.due(t, time.Second))
	require.Equal(t, 1, b.remaining(t))
	b.passes(t, time.Hour)
	require.NoError(t, b.leftovers(t, net.network).Round(t.Context()))
	require.Len(t, net.discarded, 2)
	require.Zero(t, b.remaining(t))
}

// shelf is a store with one leftover, which no database keeps.
type shelf struct{ err error }

func (shelf) Claim(context.Context, retry.Turn, time.Duration, time.Duration) ([]postgres.Leftover, error) {
	return []postgres.Leftover{{N: 1, Channel: channel.Channel{Type: channel.Twitter}, Handle: "upload"}}, nil
}

func (s shelf) Discarded(context.Context, ident.Post, int) error { return s.err }

// caller calls the network without credentials.
type caller struct{}

func (caller) Do(
	ctx context.Context, _ platform.Link, _ channel.Channel, call func(context.Context, platform.Account) error,
) error {
	return call(ctx, platform.Account{})
}

// shelved is the configuration of leftovers without a database.
func shelved(t *testing.T, link platform.Link, err error) publishing.LeftoversConfig {
	t.Helper()
	registry, failure := platform.NewRegistry(link)
	require.NoError(t, failure)
	return publishing.LeftoversConfig{
		Store: shelf{err}, Access: caller{}, Connectors: registry, Clock: clock.System(),
		Logger: slog.New(slog.DiscardHandler), Metrics: retry.NewMetrics(prometheus.NewRegistry()),
	}
}

// TestUnrecordedDeletionIsReported checks that the round fails although the network has deleted the upload: it is
// deleted again after the lease.
func TestUnrecordedDeletionIsReported(t *testing.T) {
	t.Parallel()
	net := leaves(nil)
	created, err := publishing.NewLeftovers(shelved(t, net, errFault))
	require.NoError(t, err)
	require.ErrorIs(t, created.Round(t.Context()), errFault)
	require.Equal(t, []platform.Handle{"upload"}, net.discarded)
}

func TestLeftoversRequireEveryDependency(t *testing.T) {
	t.Parallel()
	complete := shelved(t, &network{}, nil)
	for i := range reflect.TypeFor[publishing.LeftoversConfig]().NumField() {
		cfg := complete
		reflect.ValueOf(&cfg).Elem().Field(i).SetZero()
		_, err := publishing.NewLeftovers(cfg)
		require.ErrorContains(t, err, "dependency")
	}
}
