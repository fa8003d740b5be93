package flow

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// WorkflowMail is the type name of the workflow that sends one mail.
	WorkflowMail = "Mail"
	// QueueMails is the task queue of the workflow and its activity for mails.
	QueueMails = "mails"
	// QueueHooks is that for Slack. Each way has its own, so that none delays another.
	QueueHooks = "hooks"
	// QueueMattermost is that for Mattermost.
	QueueMattermost = "notices-mattermost"
	// QueueTelegram is that for Telegram.
	QueueTelegram = "notices-telegram"
	// QueuePush is that for devices.
	QueuePush = "notices-push"
	// ActivitySendMail makes one try to send a mail.
	ActivitySendMail = "mails.Send"

	mailPrefix = "mail/"
)

// MailID returns the ID of the workflow of a mail.
func MailID(id ident.Mail) string { return mailPrefix + id.String() }

// MailInput starts the workflow, and is the input of each try. It contains neither an address nor text of the mail.
type MailInput struct {
	MailID      ident.Mail      `json:"mailId"`
	WorkspaceID ident.Workspace `json:"workspaceId,omitzero"`
	Kind        mail.Kind       `json:"kind"`
	Way         mail.Way        `json:"way,omitempty"`   // empty: a mail
	Tries       int             `json:"tries,omitempty"` // that failed
}

const kindMail = "mail"

// mailKinds returns the kind of messages that start mails.
func mailKinds() []Kind {
	return []Kind{Starts(kindMail, func(in MailInput) Start {
		return Start{ID: MailID(in.MailID), Queue: in.queue(), Workflow: WorkflowMail, Workspace: in.WorkspaceID}
	})}
}

func (in MailInput) queue() string {
	switch in.Way {
	case mail.Slack:
		return QueueHooks
	case mail.Mattermost:
		return QueueMattermost
	case mail.Telegram:
		return QueueTelegram
	case mail.Push:
		return QueuePush
	case mail.ByMail:
	}
	return QueueMails
}

// Message returns the message that starts the mail.
func (in MailInput) Message() Message {
	return Message{Kind: kindMail, Workspace: in.WorkspaceID, Subject: in.MailID, In: in}
}

// MailOutcome is the result of a try.
type MailOutcome struct {
	Done    bool          `json:"done"`
	Refused bool          `json:"refused,omitempty"` // for good: the mail was not sent
	Wait    time.Duration `json:"wait,omitempty"`    // if not done: the wait before the next try
	Note    string        `json:"note,omitempty"`    // for the operator
}

// SendMail runs the activity.
func SendMail(ctx workflow.Context, in MailInput) (MailOutcome, error) {
	var out MailOutcome
	err := workflow.ExecuteActivity(ctx, ActivitySendMail, in).Get(ctx, &out)
	return out, err
}
