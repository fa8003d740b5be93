package postflow

import (
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// Queries of the workflow. Their responses contain no content and no secret.
const (
	QueryPost     = "post"     // returns a View
	QueryTimeline = "timeline" // returns a Timeline
)

// View is the state of the post as known to its workflow.
type View struct {
	PostID      ident.Post      `json:"postId"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	ChannelID   ident.Channel   `json:"channelId"`
	Channel     string          `json:"channel,omitempty"` // the channel's name
	Network     channel.Network `json:"network"`
	Status      post.Status     `json:"status"`
	Revision    int             `json:"revision"`
	ScheduledAt *time.Time      `json:"scheduledAt"`
	Waiting     *Waiting        `json:"waiting"` // null while a step runs and in final states
	Attempts    int             `json:"attempts"`
	URL         string          `json:"url,omitempty"`
	Error       string          `json:"error,omitempty"` // the error code
	Note        string          `json:"note,omitempty"`
}

// Waiting describes a wait of the workflow.
type Waiting struct {
	For      string     `json:"for"`
	Until    *time.Time `json:"until"`    // null: without a time limit
	Deadline *time.Time `json:"deadline"` // when the service gives up; null if it does not
}

// Timeline lists the actions of this run of the workflow, oldest first. The API's timeline also contains earlier runs
// and actions without a workflow.
type Timeline struct {
	Entries []Moment `json:"entries"`
	Dropped int      `json:"dropped"` // entries removed from the middle to limit the size of the response
}

// Moment is one entry of a Timeline. Consecutive repetitions of a step or wait share one entry and are counted.
type Moment struct {
	At     time.Time  `json:"at"`
	What   string     `json:"what"`
	Count  int        `json:"count"`
	LastAt time.Time  `json:"lastAt"`
	NextAt *time.Time `json:"nextAt,omitempty"` // the time of the next step
}
