// Package postflow is the typed contract between those who start the post workflow, the workflow itself and the
// activities it runs: names, ids, queues, payloads. Workflows and activities meet only here.
package postflow

import (
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/post"
)

const (
	// Workflow is the workflow's type name.
	Workflow = "Post"
	// SignalChanged carries a new Plan.
	SignalChanged = "changed"
	idPrefix      = "post/"
	queuePrefix   = "publish."
)

// ID is the workflow id of a post: one post has at most one open workflow.
func ID(id ident.Post) string { return idPrefix + id.String() }

// PostOf is the post of a workflow id.
func PostOf(workflowID string) (ident.Post, error) {
	return ident.Parse[ident.Post](strings.TrimPrefix(workflowID, idPrefix))
}

// Queue is the task queue of the posts of one network, for the workflow and its activities, so that one network's outage
// or limit starves no other. Both on one queue lets the server hand a step to the worker in the same answer that its
// workflow task ends with (eager execution), which saves a round trip through matching.
func Queue(network channel.Network) string { return queuePrefix + string(network) }

// Plan is what the workflow acts on: a post's status and time in one revision. Content never enters a history.
type Plan struct {
	Revision    int         `json:"revision"`
	Status      post.Status `json:"status"`
	ScheduledAt time.Time   `json:"scheduledAt,omitzero"`
}

// PlanOf is the plan of a post.
func PlanOf(p post.Post) Plan {
	return Plan{Revision: p.Revision, Status: p.Status, ScheduledAt: p.ScheduledAt}
}

// Input starts the workflow.
type Input struct {
	PostID      ident.Post      `json:"postId"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	ChannelID   ident.Channel   `json:"channelId"`
	Network     channel.Network `json:"network"`
	Plan        Plan            `json:"plan"`
}

// Step names the post and the revision an activity is to act on.
type Step struct {
	PostID   ident.Post `json:"postId"`
	Revision int        `json:"revision"`
}

// Next is what the workflow does after a step.
type Next string

// The answers of an activity.
const (
	NextDone       Next = "done"       // the post reached an end
	NextSuperseded Next = "superseded" // the plan changed; a newer one is on its way
	NextPublish    Next = "publish"    // run Publish again at At
	NextProcessing Next = "processing" // run CheckProcessing at At
	NextReconcile  Next = "reconcile"  // run Reconcile at At
)

// Outcome is the answer of every publishing activity.
type Outcome struct {
	Next   Next        `json:"next"`
	At     time.Time   `json:"at,omitzero"`      // when to take the next step
	Status post.Status `json:"status,omitempty"` // NextDone: how it ended
	Note   string      `json:"note,omitempty"`   // for the operator: why
}

// The activities. Each is one line of the publish protocol; all may be run again at any time, because what was done is
// decided by rows in the database, not by who asks.
const (
	ActivityPublish         = "posts.Publish"
	ActivityCheckProcessing = "posts.CheckProcessing"
	ActivityReconcile       = "posts.Reconcile"
)

// Run runs an activity by name with its typed payloads.
func Run(ctx workflow.Context, activity string, step Step) (Outcome, error) {
	var out Outcome
	err := workflow.ExecuteActivity(ctx, activity, step).Get(ctx, &out)
	return out, err
}

// Search attributes of the post workflow, registered by the migrate program.
var (
	AttrWorkspaceID = temporal.NewSearchAttributeKeyKeyword("WorkspaceId")
	AttrChannelID   = temporal.NewSearchAttributeKeyKeyword("ChannelId")
	AttrPlatform    = temporal.NewSearchAttributeKeyKeyword("Platform")
	AttrPostStatus  = temporal.NewSearchAttributeKeyKeyword("PostStatus")
	AttrScheduledAt = temporal.NewSearchAttributeKeyTime("ScheduledAt")
)
