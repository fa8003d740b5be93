package flow

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// WorkflowReply is the type name of the workflow that sends one answer of the inbox.
	WorkflowReply = "Reply"
	// ActivitySendReply takes one step to send an answer.
	ActivitySendReply = "replies.Send"

	replyPrefix = "reply/"
	kindReply   = "reply"
)

// QueueReplies returns the task queue of the workflows and activities for a network's answers. Each network has its own, so
// that none delays another.
func QueueReplies(n channel.Network) string { return "reply." + string(n) }

// ReplyID returns the ID of the workflow of an answer.
func ReplyID(id ident.Message) string { return replyPrefix + id.String() }

// ReplyInput starts the workflow, and is the input of each step. It contains no text of the conversation.
type ReplyInput struct {
	MessageID   ident.Message   `json:"messageId"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	Network     channel.Network `json:"network"`
	Tries       int             `json:"tries,omitempty"` // that sent nothing
}

func replyKinds() []Kind {
	return []Kind{Starts(kindReply, func(in ReplyInput) Start {
		return Start{
			ID: ReplyID(in.MessageID), Queue: QueueReplies(in.Network), Workflow: WorkflowReply, Workspace: in.WorkspaceID,
		}
	})}
}

// Message returns the message that starts the answer.
func (in ReplyInput) Message() Message {
	return Message{Kind: kindReply, Workspace: in.WorkspaceID, Subject: in.MessageID, In: in}
}

// ReplyOutcome is the result of a step.
type ReplyOutcome struct {
	Done    bool          `json:"done"`
	Refused bool          `json:"refused,omitempty"` // for good: the answer was not sent
	Wait    time.Duration `json:"wait,omitempty"`    // if not done: the wait before the next step
	Note    string        `json:"note,omitempty"`    // for the operator
}

// SendReply runs the activity.
func SendReply(ctx workflow.Context, in ReplyInput) (ReplyOutcome, error) {
	var out ReplyOutcome
	err := workflow.ExecuteActivity(ctx, ActivitySendReply, in).Get(ctx, &out)
	return out, err
}
