// Package postflow is the typed contract between those who start the post workflow, the workflow itself and the
// activities it runs: names, ids, queues, payloads. Workflows and activities meet only here.
package postflow

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/kernel/ident"
)

const (
	// Workflow is the workflow's type name.
	Workflow    = "Post"
	idPrefix    = "post/"
	queuePrefix = "publish."
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
	// Signal is the name of the signal that carries the plan; empty where the plan comes from the post's present state.
	Signal Signal `json:"signal,omitempty"`
}

// PlanOf is the plan that a change leaves.
func PlanOf(c post.Change) Plan {
	return Plan{Revision: c.Post.Revision, Status: c.Post.Status, ScheduledAt: c.Post.ScheduledAt, Signal: signalOf(c)}
}

// Input starts the workflow. It holds no content and no secret.
type Input struct {
	PostID      ident.Post      `json:"postId"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	ChannelID   ident.Channel   `json:"channelId"`
	Network     channel.Network `json:"network"`
	ChannelName string          `json:"channelName,omitempty"` // for the operator; runs of older versions have none
	Plan        Plan            `json:"plan"`
}

// nameLimit is how many characters of a channel's name are shown to the operator: Temporal takes summaries of 400 bytes.
const nameLimit = 60

// Target says where the post goes, for the operator: the network and the channel, by their names.
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

// plain drops what Temporal's UI would read as Markdown, and control characters.
func plain(c rune) rune {
	if unicode.IsControl(c) || strings.ContainsRune("*_`<>[]()#|~\\", c) {
		return ' '
	}
	return c
}

// Details names everything that the post belongs to, in Markdown.
func (in Input) Details() string {
	return fmt.Sprintf("Goes to %s.\n\n- Post: %#q\n- Channel: %#q\n- Workspace: %#q\n\nThe queries %#q and %#q say where it is and what happened in this run.",
		in.Target(), in.PostID, in.ChannelID, in.WorkspaceID, QueryPost, QueryTimeline)
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
	URL    string      `json:"url,omitempty"`    // NextDone: where the post is
	Code   string      `json:"code,omitempty"`   // NextDone: the post's error code
	Note   string      `json:"note,omitempty"`   // for the operator: why
	// Deadline is when the service stops trying or looking; zero when it does not, or at the end.
	Deadline time.Time `json:"deadline,omitzero"`
}

// Result is the result of a completed workflow. A post that ended FAILED fails its workflow instead, with the error code
// as the type of the error.
type Result struct {
	Status post.Status `json:"status"`
	URL    string      `json:"url,omitempty"`
	Note   string      `json:"note,omitempty"`
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
