package postflow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/kernel/ident"
)

var now = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

// TestSignalNamesChange covers each change that is sent to a workflow.
func TestSignalNamesChange(t *testing.T) {
	t.Parallel()
	at := now.Add(time.Hour)
	in := func(status post.Status) post.Post {
		return post.Post{ID: ident.New[ident.Post](), Status: status, ScheduledAt: at, Revision: 1}
	}
	for name, c := range map[string]struct {
		decide func() (post.Change, error)
		want   postflow.Signal
	}{
		"create": {
			func() (post.Change, error) { return post.Create(post.NewPost{ScheduleAt: at}, now, post.ActorAPI) },
			postflow.SignalScheduled,
		},
		"schedule a draft": {
			func() (post.Change, error) { return in(post.Draft).Schedule(at, now, post.ActorAPI) }, postflow.SignalScheduled,
		},
		"schedule a failed": {
			func() (post.Change, error) { return in(post.Failed).Schedule(at, now, post.ActorAPI) }, postflow.SignalScheduled,
		},
		"schedule a scheduled": {
			func() (post.Change, error) { return in(post.Scheduled).Schedule(at, now, post.ActorAPI) },
			postflow.SignalRescheduled,
		},
		"edit the time": {func() (post.Change, error) {
			moved := at.Add(time.Hour)
			change, _, err := in(post.Scheduled).Edit(post.Edit{ScheduledAt: &moved}, now, post.ActorAPI)
			return change, err
		}, postflow.SignalRescheduled},
		"publish": {
			func() (post.Change, error) { return in(post.Failed).PublishNow(now, post.ActorAPI) },
			postflow.SignalPublishRequested,
		},
		"unschedule": {
			func() (post.Change, error) { return in(post.Scheduled).Unschedule(now, post.ActorAPI) },
			postflow.SignalUnscheduled,
		},
		"request approval": {
			func() (post.Change, error) { return in(post.Draft).RequestApproval(now, post.ActorAPI) },
			postflow.SignalApprovalRequested,
		},
		"approve": {
			func() (post.Change, error) {
				return in(post.PendingApproval).Approve(approval.Party{}, "", time.Time{}, now, post.ActorAPI)
			},
			postflow.SignalApproved,
		},
		"reject": {
			func() (post.Change, error) { return in(post.PendingApproval).Reject("", now, post.ActorAPI) },
			postflow.SignalRejected,
		},
		"resume": {
			func() (post.Change, error) {
				return in(post.Scheduled).Resume(post.WaitPaused, now, "The channel is back."), nil
			},
			postflow.SignalResumed,
		},
		"delete": {func() (post.Change, error) { return in(post.Scheduled).Delete(now) }, postflow.SignalDeleted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change, err := c.decide()
			require.NoError(t, err)
			require.True(t, change.Wake, "the workflow is signaled")
			require.Equal(t, postflow.Plan{
				Revision: change.Post.Revision, Status: change.Post.Status, ScheduledAt: change.Post.ScheduledAt, Signal: c.want,
			}, postflow.PlanOf(change))
			require.Contains(t, postflow.Signals(), c.want)
		})
	}
}

// TestTargetIsPlainText checks the channel's name, which a tenant chooses and an operator sees.
func TestTargetIsPlainText(t *testing.T) {
	t.Parallel()
	in := postflow.Input{Network: channel.NetworkGoogleBusiness, ChannelName: "Acme [x](https://evil.test)\n<b>"}
	require.Equal(t, "Google Business, channel Acme  x  https://evil.test   b ", in.Target())
	in.ChannelName = ""
	require.Equal(t, "Google Business, channel "+in.ChannelID.String(), in.Target())
}
