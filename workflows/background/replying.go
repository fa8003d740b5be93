package background

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow"
)

const (
	// replyTimeout bounds one step, which uploads a file, makes one call to the network, and records it.
	replyTimeout = 15 * time.Minute
	// replyHeartbeat is the time after which a step whose worker has died is repeated.
	replyHeartbeat = 30 * time.Second
	// codeNotReplied is the type of the error of an answer that was not sent.
	codeNotReplied = "REPLY_NOT_SENT"
)

// Reply is the workflow that sends one answer of the inbox. The activity decides whether it may still be sent. An answer that
// was not sent ends as Failed.
func Reply(ctx workflow.Context, in flow.ReplyInput) error {
	ctx = bounded(ctx, replyTimeout, replyHeartbeat)
	return repeat(ctx, triesPerRun, flow.WorkflowReply, &in, func() (step, error) {
		out, err := flow.SendReply(ctx, in)
		in.Tries++
		return step{done: out.Done, refused: refusal(out.Refused, codeNotReplied), wait: out.Wait, note: out.Note}, err
	})
}
