package postflow

import "fencepost.internal/shared/domain/post"

// Signal is the name of a signal of the post workflow. Each carries a Plan; the name identifies the kind of change.
type Signal string

// Signals of the workflow.
const (
	SignalScheduled         Signal = "scheduled"
	SignalRescheduled       Signal = "rescheduled"
	SignalPublishRequested  Signal = "publishRequested"
	SignalUnscheduled       Signal = "unscheduled"
	SignalApprovalRequested Signal = "approvalRequested"
	SignalApproved          Signal = "approved"
	SignalRejected          Signal = "rejected"
	SignalDeleted           Signal = "deleted"
	SignalResumed           Signal = "resumed"
	// SignalChanged carries a plan without a known cause: every plan while a connected worker knows no other signal,
	// and plans that are read from the post's current state.
	SignalChanged Signal = "changed"
)

// Signals lists every signal.
func Signals() []Signal {
	return []Signal{
		SignalScheduled, SignalRescheduled, SignalPublishRequested, SignalUnscheduled,
		SignalApprovalRequested, SignalApproved, SignalRejected, SignalDeleted, SignalResumed,
		SignalChanged,
	}
}

// Description describes the signal in the Temporal UI.
func (s Signal) Description() string {
	switch s {
	case SignalScheduled:
		return "The post got a publish time."
	case SignalRescheduled:
		return "The publish time of the post moved."
	case SignalPublishRequested:
		return "The post is to be published at once."
	case SignalUnscheduled:
		return "The post went back to a draft and is not published."
	case SignalApprovalRequested:
		return "The post waits for an approver."
	case SignalApproved:
		return "An approver accepted the post."
	case SignalRejected:
		return "An approver rejected the post."
	case SignalDeleted:
		return "The post was deleted."
	case SignalResumed:
		return "The post no longer waits for its channel or for another post."
	case SignalChanged:
		return "The plan of the post changed."
	default:
		return ""
	}
}

func signalOf(c post.Change) Signal {
	if c.Post.Status == post.PendingApproval {
		return SignalApprovalRequested
	}
	switch c.Action {
	case post.ActionSchedule, post.ActionEdit:
		if c.From.Status == post.Scheduled {
			return SignalRescheduled
		}
		return SignalScheduled
	case post.ActionPublish:
		return SignalPublishRequested
	case post.ActionUnschedule:
		return SignalUnscheduled
	case post.ActionRequestApproval, post.ActionAwait:
		return SignalApprovalRequested
	case post.ActionApprove:
		return SignalApproved
	case post.ActionReject:
		return SignalRejected
	case post.ActionDelete:
		return SignalDeleted
	case post.ActionArchive, post.ActionUnarchive, post.ActionComplete, post.ActionFail, post.ActionRemove:
		return SignalChanged
	default:
		if c.From.Status == post.Scheduled {
			return SignalResumed
		}
		return SignalScheduled // a new post
	}
}
