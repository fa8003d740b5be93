package publishing_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/platform"
)

func absentAlways(platform.Sent) (platform.Evidence, platform.Publication, error) {
	return platform.EvidenceAbsent, platform.Publication{}, nil
}

func TestForeignDuplicateFailsPost(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{
		strength: platform.ReconcileMatch, reconcile: absentAlways,
		commit: func(context.Context, platform.Account) (platform.Publication, error) {
			return platform.Publication{}, fails(platform.ClassUnknown, platform.CodeDuplicate)
		},
	})
	p := b.due(t, time.Second)
	b.follow(t, p)
	job := b.reload(t, p)
	require.Equal(t, platform.CodeDuplicate, job.Post.Error.Code)
	require.False(t, job.Post.Error.Retryable)
	require.EqualValues(t, 1, b.net.commits.Load())
}

func TestPreparationIsReusedAfterAbsence(t *testing.T) {
	t.Parallel()
	var handles []platform.Handle
	net := &network{strength: platform.ReconcileExact, reconcile: absentAlways}
	net.prepare = func(h platform.Handle) (platform.Preparation, error) {
		handles = append(handles, h)
		return platform.Preparation{Handle: "container", Ready: true}, nil
	}
	net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
		if net.commits.Load() == 1 {
			return platform.Publication{}, fails(platform.ClassUnknown, "TIMEOUT")
		}
		return platform.Publication{ExternalID: "1"}, nil
	}
	b := setup(t, net)
	p := b.due(t, time.Second)
	b.follow(t, p)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.Equal(t, []platform.Handle{"", "container"}, handles)
}

// TestPreparationSurvivesTransientFailure checks that a preparation is reused. Repeating it would use up the
// account's limits and, for media, take much time.
func TestPreparationSurvivesTransientFailure(t *testing.T) {
	t.Parallel()
	for class, kept := range map[platform.Class]bool{
		platform.ClassTransient: true, platform.ClassRateLimited: true, platform.ClassRejected: false,
	} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			var handles []platform.Handle
			b := setup(t, &network{
				prepare: func(h platform.Handle) (platform.Preparation, error) {
					handles = append(handles, h)
					if len(handles) == 2 {
						return platform.Preparation{}, fails(class, "AT_THE_SECOND_LOOK")
					}
					return platform.Preparation{Handle: "container", Ready: len(handles) > 2, Wait: time.Millisecond}, nil
				},
				commit: func(context.Context, platform.Account) (platform.Publication, error) {
					return platform.Publication{ExternalID: "1"}, nil
				},
			})
			p := b.due(t, time.Second)
			b.follow(t, p)
			if !kept {
				require.Equal(t, post.Failed, b.reload(t, p).Post.Status)
				return
			}
			require.Equal(t, post.Published, b.reload(t, p).Post.Status)
			require.Equal(t, []platform.Handle{"", "container", "container"}, handles)
		})
	}
}

func TestPublishedPreparationIsReconciled(t *testing.T) {
	t.Parallel()
	var sent platform.Sent
	b := setup(t, &network{
		strength: platform.ReconcileExact,
		prepare: func(h platform.Handle) (platform.Preparation, error) {
			if h == "" {
				return platform.Preparation{Handle: "container", Wait: time.Millisecond}, nil
			}
			return platform.Preparation{}, fails(platform.ClassUnknown, "ALREADY_PUBLISHED")
		},
		reconcile: func(s platform.Sent) (platform.Evidence, platform.Publication, error) {
			sent = s
			return platform.EvidenceFound, platform.Publication{ExternalID: string(s.Handle) + "-post"}, nil
		},
	})
	p := b.due(t, time.Second)
	b.follow(t, p)
	job := b.reload(t, p)
	require.Equal(t, post.Published, job.Post.Status)
	require.Equal(t, post.AttemptConfirmed, job.Attempt.State)
	require.Equal(t, "container-post", job.Attempt.ExternalID)
	require.WithinDuration(t, time.Now(), sent.At, time.Minute, "the time of the first try")
	require.Zero(t, b.net.commits.Load())
}

// TestReconcileUsesHandleOfSameExecution checks that the network is asked for the handle which the same execution received:
// the attempt that was loaded at its start has none.
func TestReconcileUsesHandleOfSameExecution(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{
		strength: platform.ReconcileExact,
		prepare: func(h platform.Handle) (platform.Preparation, error) {
			if h == "" {
				return platform.Preparation{Handle: "container", Ready: true}, nil
			}
			return platform.Preparation{}, fails(platform.ClassUnknown, "ALREADY_PUBLISHED")
		},
		commit: func(context.Context, platform.Account) (platform.Publication, error) {
			return platform.Publication{}, fails(platform.ClassRefresh, "EXPIRED")
		},
		reconcile: func(s platform.Sent) (platform.Evidence, platform.Publication, error) {
			return platform.EvidenceFound, platform.Publication{ExternalID: string(s.Handle) + "-post"}, nil
		},
	})
	p := b.due(t, time.Second)
	require.Equal(t, postflow.NextDone, b.publish(t, p).Next)
	require.Equal(t, "container-post", b.reload(t, p).Attempt.ExternalID)
	require.EqualValues(t, 1, b.net.commits.Load())
}

// TestRetryAfterUnknownOutcomePreparesAgain checks that the preparation of an abandoned attempt is not used again:
// the owner decided to publish although that attempt may have succeeded.
func TestRetryAfterUnknownOutcomePreparesAgain(t *testing.T) {
	t.Parallel()
	var handles []platform.Handle
	b := setup(t, &network{
		strength: platform.ReconcileNone,
		prepare: func(h platform.Handle) (platform.Preparation, error) {
			handles = append(handles, h)
			return platform.Preparation{Handle: "container", Ready: true}, nil
		},
		commit: lost,
	})
	p := b.due(t, time.Second)
	b.follow(t, p)
	again, err := b.reload(t, p).Post.PublishNow(time.Now().UTC().Add(-time.Second), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), again))
	b.follow(t, again.Post)
	require.Equal(t, []platform.Handle{"", ""}, handles)
}

func TestReconcilingRefreshesExpiredCredentials(t *testing.T) {
	t.Parallel()
	requested := 0
	b := setup(t, &network{
		strength: platform.ReconcileMatch,
		commit: func(context.Context, platform.Account) (platform.Publication, error) {
			return platform.Publication{}, fails(platform.ClassUnknown, "TIMEOUT")
		},
		reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
			if requested++; requested == 1 {
				return 0, platform.Publication{}, fails(platform.ClassRefresh, "EXPIRED")
			}
			return platform.EvidenceFound, platform.Publication{ExternalID: "1"}, nil
		},
	})
	p := b.due(t, time.Second)
	require.Equal(t, []postflow.Next{postflow.NextReconcile, postflow.NextDone}, b.follow(t, p))
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.EqualValues(t, 1, b.net.refreshes.Load())
}

func TestFailedReconcileIsRetried(t *testing.T) {
	t.Parallel()
	requested := 0
	b := setup(t, &network{
		strength: platform.ReconcileMatch,
		commit: func(context.Context, platform.Account) (platform.Publication, error) {
			return platform.Publication{}, fails(platform.ClassUnknown, "TIMEOUT")
		},
		reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
			if requested++; requested < 3 {
				return 0, platform.Publication{}, fails(platform.ClassTransient, "DOWN")
			}
			return platform.EvidenceFound, platform.Publication{ExternalID: "1"}, nil
		},
	})
	p := b.due(t, time.Second)
	b.follow(t, p)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.Equal(t, 3, requested)
}
