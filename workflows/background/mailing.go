package background

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow"
)

const (
	// sendTimeout bounds one try, which makes one connection to the mail server.
	sendTimeout = time.Minute
	// codeNotSent is the type of the error of a mail that was not sent.
	codeNotSent = "MAIL_NOT_SENT"
)

// Mail is the workflow that sends one mail, however long the mail server is down. The activity gives a mail up after its
// time. A mail that was given up ends as Failed.
func Mail(ctx workflow.Context, in flow.MailInput) error {
	ctx = bounded(ctx, sendTimeout, 0)
	return repeat(ctx, triesPerRun, flow.WorkflowMail, &in, func() (step, error) {
		out, err := flow.SendMail(ctx, in)
		in.Tries++
		return step{done: out.Done, refused: refusal(out.Refused, codeNotSent), wait: out.Wait, note: out.Note}, err
	})
}
