// Package postflow defines the typed contract between the code that starts the post workflow, the workflow itself and
// its activities: names, IDs, queues, payloads. Workflows and activities share only this package.
package postflow

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// Workflow is the workflow's type name.
	Workflow    = "Post"
	idPrefix    = "post/"
	queuePrefix = "publish."
)

// ID returns the workflow ID of a post: one post has at most one open workflow.
func ID(id ident.Post) string { return idPrefix + id.String() }

// PostOf returns the post of a workflow ID.
func PostOf(workflowID string) (ident.Post, error) {
	return ident.Parse[ident.Post](strings.TrimPrefix(workflowID, idPrefix))
}

// Queue returns the task queue for the posts of one network, so that an outage or a limit of one network does not delay
// the others. The workflow and its activities share one queue, because the server can then return an activity task in
// its response to the completed workflow task (eager execution), which saves a round trip through matching.
func Queue(network channel.Network) string { return queuePrefix + string(network) }

// The kinds of messages about posts, which the database writes with a Plan as their payload.
const (
	KindPost    = "post"    // start or signal the post's workflow
	KindRestart = "restart" // the sweep found that the workflow may be missing
)

// Kinds returns the kinds.
func Kinds() []flow.Kind { return []flow.Kind{{Name: KindPost}, {Name: KindRestart}} }

// Priorities of the tasks of posts on one queue; lower ones go first (Temporal's priority key, 1 to 5). Within one
// priority, Temporal takes turns between workspaces (fairness key).
const (
	PriorityDue     = 2 // the post is due
	PrioritySlept   = 3 // the first task runs shortly before the post is due
	PriorityWaiting = 4 // the first task only begins to wait
)

// Plan is the workflow's view of a post: status and time in one revision. Content never enters a workflow history.
type Plan struct {
	Revision    int         `json:"revision"`
	Status      post.Status `json:"status"`
	ScheduledAt time.Time   `json:"scheduledAt,omitzero"`
	// HoldFrom is the time at which the first step starts. A worker holds the step until ScheduledAt, so that Temporal's
	// part is done before. Zero: the step starts at ScheduledAt, as in runs of older versions.
	HoldFrom time.Time `json:"holdFrom,omitzero"`
	// Signal is the name of the signal that carries the plan. It is empty if the plan was read from the post's current
	// state.
	Signal Signal `json:"signal,omitempty"`
}

// PlanOf returns the plan after a change.
func PlanOf(c post.Change) Plan {
	return Plan{Revision: c.Post.Revision, Status: c.Post.Status, ScheduledAt: c.Post.ScheduledAt, Signal: signalOf(c)}
}

// The first step of a post starts between HoldShortest and HoldLongest before its time, spread over posts due at one
// instant. HoldLongest plus the interval of heartbeats is below the heartbeat timeout of a step, so that holding needs no
// heartbeats, each of which is a write in Temporal's store.
const (
	HoldShortest = 2 * time.Second
	HoldLongest  = 8 * time.Second
)

// Held returns the plan with a first step that starts before ScheduledAt, by a share between 0 and 1 of the spread.
func (p Plan) Held(share float64) Plan {
	if p.Status == post.Scheduled {
		spread := time.Duration(share * float64(HoldLongest-HoldShortest))
		p.HoldFrom = p.ScheduledAt.Add(-HoldShortest - spread)
	}
	return p
}

// Holds reports whether a step that starts at this time is held until the post is due.
func (p Plan) Holds(now time.Time) bool { return !p.HoldFrom.IsZero() && now.Before(p.ScheduledAt) }

// Input starts the workflow. It contains no content and no secret.
type Input struct {
	PostID      ident.Post      `json:"postId"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	ChannelID   ident.Channel   `json:"channelId"`
	Network     channel.Network `json:"network"`
	ChannelName string          `json:"channelName,omitempty"` // for the operator; empty in runs of older versions
	Plan        Plan            `json:"plan"`
}

// nameLimit is the maximum number of characters of a channel's name shown to operators: Temporal accepts summaries of
// 400 bytes.
const nameLimit = 60

// Target describes the destination of the post for operators: the names of the network and the channel.
func (in Input) Target() string {
	name := []rune(strings.Map(plain, in.ChannelName))
	if len(name) > nameLimit {
		name = append(name[:nameLimit-1], '…')
	}
	if len(name) == 0 {
		return fmt.Sprintf("%s, channel %s", in.Network.Name(), in.ChannelID)
	}
	return fmt.Sprintf("%s, channel %s", in.Network.Name(), string(name))
}

// plain replaces control characters and characters that Temporal's UI would interpret as Markdown.
func plain(c rune) rune {
	if unicode.IsControl(c) || strings.ContainsRune("*_`<>[]()#|~\\", c) {
		return ' '
	}
	return c
}

// Details lists, in Markdown, the resources to which the post belongs.
func (in Input) Details() string {
	return fmt.Sprintf(
		"Publishes to %s.\n\n- Post: %#q\n- Channel: %#q\n- Workspace: %#q\n\nThe queries %#q and %#q return its state "+
			"and the timeline of this run.",
		in.Target(), in.PostID, in.ChannelID, in.WorkspaceID, QueryPost, QueryTimeline)
}

// Step identifies the post and the revision for an activity.
type Step struct {
	PostID   ident.Post `json:"postId"`
	Revision int        `json:"revision"`
	// WorkspaceID is the workspace by which a worker takes turns. It is zero in steps of older versions.
	WorkspaceID ident.Workspace `json:"workspaceId,omitzero"`
	// HoldUntil is the time until which the worker holds the step. Zero: it starts at once.
	HoldUntil time.Time `json:"holdUntil,omitzero"`
}

// Next is the workflow's action after a step.
type Next string

// Actions returned by activities.
const (
	NextDone       Next = "done"       // the post reached a final state
	NextSuperseded Next = "superseded" // the plan changed; a newer one will arrive
	NextPublish    Next = "publish"    // run Publish again at At
	NextProcessing Next = "processing" // run CheckProcessing at At
	NextReconcile  Next = "reconcile"  // run Reconcile at At
)

// Outcome is the result of every publishing activity.
type Outcome struct {
	Next   Next        `json:"next"`
	At     time.Time   `json:"at,omitzero"`      // the time of the next step
	Status post.Status `json:"status,omitempty"` // NextDone: the final status
	URL    string      `json:"url,omitempty"`    // NextDone: the URL of the post
	Code   string      `json:"code,omitempty"`   // NextDone: the post's error code
	Note   string      `json:"note,omitempty"`   // the reason, for the operator
	// Deadline is the time at which the service stops retrying or reconciling; zero if there is no such limit or the
	// post reached a final state.
	Deadline time.Time `json:"deadline,omitzero"`
}

// Result is the result of a completed workflow. If the post ended FAILED, the workflow fails instead, with the error
// code as the error type.
type Result struct {
	Status post.Status `json:"status"`
	URL    string      `json:"url,omitempty"`
	Note   string      `json:"note,omitempty"`
}

// Activities. Each executes one step of the publish protocol. All may be repeated at any time, because database rows,
// not callers, determine what was done.
const (
	ActivityPublish         = "posts.Publish"
	ActivityCheckProcessing = "posts.CheckProcessing"
	ActivityReconcile       = "posts.Reconcile"
)

// Start starts an activity by name with its typed payload; its result is an Outcome.
func Start(ctx workflow.Context, activity string, step Step) workflow.Future {
	return workflow.ExecuteActivity(ctx, activity, step)
}

// Search attributes of the post workflow, registered by the migrate program.
var (
	AttrWorkspaceID = temporal.NewSearchAttributeKeyKeyword("WorkspaceId")
	AttrChannelID   = temporal.NewSearchAttributeKeyKeyword("ChannelId")
	AttrPlatform    = temporal.NewSearchAttributeKeyKeyword("Platform")
	AttrPostStatus  = temporal.NewSearchAttributeKeyKeyword("PostStatus")
	AttrScheduledAt = temporal.NewSearchAttributeKeyTime("ScheduledAt")
)

// Attributes returns the search attributes of posts, which the namespace must have.
func Attributes() []temporal.SearchAttributeKey {
	return []temporal.SearchAttributeKey{AttrWorkspaceID, AttrChannelID, AttrPlatform, AttrPostStatus, AttrScheduledAt}
}

// Retention is the time for which the namespace keeps the histories of ended workflows. Operators find the cause of a failed post
// in them, and a restore finds the posts that were published after the backup.
const Retention = 7 * 24 * time.Hour
