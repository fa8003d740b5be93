package publishing

import (
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
)

const (
	// storyLimit is the maximum number of timeline entries of a run: the first ones and the last ones are kept.
	storyLimit = 100
	storyFirst = 20
)

// respondToQueries sets the query handlers.
func (r *postRun) respondToQueries(ctx workflow.Context) error {
	err := workflow.SetQueryHandlerWithOptions(ctx, postflow.QueryPost, r.view,
		workflow.QueryHandlerOptions{Description: "State of the post and what it waits for."})
	if err != nil {
		return fmt.Errorf("query %s: %w", postflow.QueryPost, err)
	}
	err = workflow.SetQueryHandlerWithOptions(ctx, postflow.QueryTimeline, r.story.timeline,
		workflow.QueryHandlerOptions{Description: "Timeline of this run, oldest first."})
	if err != nil {
		return fmt.Errorf("query %s: %w", postflow.QueryTimeline, err)
	}
	return nil
}

// view returns the current state of the post.
func (r *postRun) view() (postflow.View, error) {
	view := postflow.View{
		PostID: r.in.PostID, WorkspaceID: r.in.WorkspaceID, ChannelID: r.in.ChannelID, Channel: r.in.ChannelName,
		Network: r.in.Network,
		Status:  r.plan.Status, Revision: r.plan.Revision, ScheduledAt: pointer(r.plan.ScheduledAt), Waiting: r.waiting,
		Attempts: r.steps[postflow.ActivityPublish],
	}
	if r.result.Status != "" {
		view.Status, view.URL, view.Note = r.result.Status, r.result.URL, r.result.Note
	}
	if view.Status == post.Failed {
		view.Error = r.outcome.Code
	}
	return view, nil
}

// story is the timeline of a run.
type story struct {
	entries []postflow.Moment
	dropped int
}

// add appends an entry, or increments the last entry's count if the text repeats it.
func (s *story) add(at time.Time, what string, next time.Time) {
	if n := len(s.entries); n > 0 && s.entries[n-1].What == what {
		last := &s.entries[n-1]
		last.Count, last.LastAt, last.NextAt = last.Count+1, at, pointer(next)
		return
	}
	if len(s.entries) == storyLimit {
		s.entries = slices.Delete(s.entries, storyFirst, storyFirst+1)
		s.dropped++
	}
	s.entries = append(s.entries, postflow.Moment{At: at, What: what, Count: 1, LastAt: at, NextAt: pointer(next)})
}

func (s *story) timeline() (postflow.Timeline, error) {
	return postflow.Timeline{Entries: s.entries, Dropped: s.dropped}, nil
}
