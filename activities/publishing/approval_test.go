package publishing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// TestUnapprovedPostIsNotSent sets the approval policy before the claim, and between claim and intent. The post goes to
// those who approve, and is sent once they have approved it.
func TestUnapprovedPostIsNotSent(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]bool{"before the claim": false, "before the intent": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &network{}
			b := setup(t, net)
			tighten := func() {
				err := postgres.NewWorkspaces(b.db).SetApprovalPolicy(t.Context(), b.ch.WorkspaceID, approval.Required)
				if err != nil {
					t.Error(err)
				}
			}
			net.prepare = func(h platform.Handle) (platform.Preparation, error) {
				if meanwhile && h == "" {
					tighten()
				}
				return platform.Preparation{Handle: "h1", Ready: true}, nil
			}
			p := b.due(t, time.Minute)
			if !meanwhile {
				tighten()
			}
			b.parked(t, p)
			b.approves(t, p)
		})
	}
}

// parked publishes a post that the policy returns to those who approve it.
func (b *bundle) parked(t *testing.T, p post.Post) {
	t.Helper()
	require.Equal(t, postflow.NextSuperseded, b.publish(t, p).Next)
	waiting := b.reload(t, p).Post
	require.Equal(t, post.PendingApproval, waiting.Status)
	require.True(t, waiting.PublishingSince.IsZero())
	require.Equal(t, []string{"1 SCHEDULED scheduled", "2 PENDING_APPROVAL approvalRequested"}, b.plans(t, p))
	require.Zero(t, b.net.commits.Load())
	require.Equal(t, postflow.NextSuperseded, b.publish(t, p).Next, "the step may be repeated")
}

// approves approves the post in the name of another person, and publishes it.
func (b *bundle) approves(t *testing.T, p post.Post) {
	t.Helper()
	by := approval.Party{Person: ident.New[ident.User](), Name: "Ada", Approves: true, InPerson: true}
	now := time.Now().UTC().Truncate(time.Millisecond)
	change, err := b.reload(t, p).Post.Approve(by, "", now.Add(time.Second), now, "user Ada")
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), change))
	p.Revision = change.Post.Revision
	steps := b.follow(t, p)
	require.Equal(t, postflow.NextDone, steps[len(steps)-1])
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.EqualValues(t, 1, b.net.commits.Load())
}
