package postflow

import (
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/kernel/ident"
)

// The queries of the workflow. Their answers hold no content and no secret.
const (
	QueryPost     = "post"     // returns a View
	QueryTimeline = "timeline" // returns a Timeline
)

// View is where the post stands, as far as its workflow knows.
type View struct {
	PostID      ident.Post      `json:"postId"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	ChannelID   ident.Channel   `json:"channelId"`
	Channel     string          `json:"channel,omitempty"` // its name
	Network     channel.Network `json:"network"`
	Status      post.Status     `json:"status"`
	Revision    int             `json:"revision"`
	ScheduledAt *time.Time      `json:"scheduledAt"`
	Waiting     *Waiting        `json:"waiting"` // null while a step runs and at the end
	Attempts    int             `json:"attempts"`
	URL         string          `json:"url,omitempty"`
	Error       string          `json:"error,omitempty"` // the code of the error
	Note        string          `json:"note,omitempty"`
}

// Waiting is what the workflow waits for.
type Waiting struct {
	For      string     `json:"for"`
	Until    *time.Time `json:"until"`    // null: without end
	Deadline *time.Time `json:"deadline"` // when the service gives up; null when it does not
}

// Timeline is what this run of the workflow did, oldest first. Runs before it, and everything that needs no workflow, are
// in the timeline of the API.
type Timeline struct {
	Entries []Moment `json:"entries"`
	Dropped int      `json:"dropped"` // entries in the middle that were dropped to bound the answer
}

// Moment is one entry of a Timeline. The same step or wait, one directly after the other, is one entry that counts.
type Moment struct {
	At     time.Time  `json:"at"`
	What   string     `json:"what"`
	Count  int        `json:"count"`
	LastAt time.Time  `json:"lastAt"`
	NextAt *time.Time `json:"nextAt,omitempty"` // when the next step follows
}
