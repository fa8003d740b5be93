package post

import "slices"

// Status is the state of a post.
type Status string

// States (docs/contract.md, Post states).
const (
	Draft           Status = "DRAFT"
	PendingApproval Status = "PENDING_APPROVAL"
	Scheduled       Status = "SCHEDULED"
	Published       Status = "PUBLISHED"
	Failed          Status = "FAILED"
	Archived        Status = "ARCHIVED"
)

// Statuses lists every state in the published order.
func Statuses() []Status {
	return []Status{Draft, PendingApproval, Scheduled, Published, Failed, Archived}
}

// Known reports whether the status exists.
func (s Status) Known() bool { return slices.Contains(Statuses(), s) }

// Action is an operation on a post by a client or by the service.
type Action string

// Actions of the state table.
const (
	ActionSchedule        Action = "schedule"
	ActionPublish         Action = "publish"
	ActionUnschedule      Action = "unschedule"
	ActionRequestApproval Action = "request-approval"
	ActionApprove         Action = "approve"
	ActionReject          Action = "reject"
	ActionEdit            Action = "edit"
	ActionDelete          Action = "delete"
	ActionArchive         Action = "archive"   // only by the application
	ActionUnarchive       Action = "unarchive" // only by the application
	ActionComplete        Action = "complete"  // the network accepted the post
	ActionFail            Action = "fail"      // the network refused it, or it cannot be published
	ActionRemove          Action = "remove"    // the network removed it after it was published
	ActionAwait           Action = "await"     // the approval policy does not let it out
)

// Actions lists every action.
func Actions() []Action {
	return []Action{
		ActionSchedule, ActionPublish, ActionUnschedule, ActionRequestApproval, ActionApprove, ActionReject,
		ActionEdit, ActionDelete, ActionArchive, ActionUnarchive, ActionComplete, ActionFail, ActionRemove, ActionAwait,
	}
}

// Transition is one row of the state table. To has several states if the outcome depends on the post's time or history,
// and none if the post is deleted.
type Transition struct {
	From   Status
	Action Action
	To     []Status
}

// Transitions returns the state table. An action that is not in it is refused with INVALID_STATE.
func Transitions() []Transition {
	return []Transition{
		{Draft, ActionSchedule, []Status{Scheduled}},
		{Scheduled, ActionSchedule, []Status{Scheduled}}, // moves the time
		{Failed, ActionSchedule, []Status{Scheduled}},    // a new attempt
		{Draft, ActionPublish, []Status{Scheduled}},
		{Scheduled, ActionPublish, []Status{Scheduled}},
		{Failed, ActionPublish, []Status{Scheduled}},
		{Scheduled, ActionUnschedule, []Status{Draft}},
		{Draft, ActionRequestApproval, []Status{PendingApproval}},
		{Scheduled, ActionAwait, []Status{PendingApproval}},
		// SCHEDULED only if the time is in the future; PENDING_APPROVAL if another person must approve it too
		{PendingApproval, ActionApprove, []Status{Scheduled, Draft, PendingApproval}},
		{PendingApproval, ActionReject, []Status{Draft}},
		{Draft, ActionEdit, []Status{Draft, PendingApproval}},    // it was approved with other content
		{PendingApproval, ActionEdit, []Status{PendingApproval}}, // only in the application
		{Scheduled, ActionEdit, []Status{Scheduled, PendingApproval}},
		{Failed, ActionEdit, []Status{Failed}},
		{Draft, ActionDelete, nil},
		{PendingApproval, ActionDelete, nil},
		{Scheduled, ActionDelete, nil},
		{Failed, ActionDelete, nil},
		{Archived, ActionDelete, nil},
		{Draft, ActionArchive, []Status{Archived}},
		{Published, ActionArchive, []Status{Archived}},
		{Failed, ActionArchive, []Status{Archived}},
		{Archived, ActionUnarchive, []Status{Draft, Published, Failed}}, // the previous state
		{Scheduled, ActionComplete, []Status{Published}},
		{Scheduled, ActionFail, []Status{Failed}},
		{Published, ActionRemove, []Status{Failed}}, // within RemovedWithin
	}
}

// Allows reports whether the state table has a row for the action.
func (s Status) Allows(action Action) bool {
	return slices.ContainsFunc(Transitions(), func(t Transition) bool { return t.From == s && t.Action == action })
}
