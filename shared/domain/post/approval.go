package post

import (
	"time"

	"fencepost.internal/shared/domain/event"
)

// MaxComment is the maximum length of the comment of an approval decision, in characters (docs/contract.md, Approval).
const MaxComment = 2000

// RequestApproval submits a draft for approval.
func (p Post) RequestApproval(now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionRequestApproval); err != nil {
		return Change{}, err
	}
	change := p.to(ActionRequestApproval, PendingApproval, now)
	change.Post.Approval, change.Wake = &Approval{Status: ApprovalPending}, true
	change = change.with(EntryApprovalRequested, now, actor, "Sent for approval.")
	return change.emits(event.PostApprovalRequested, change.Post.approvalData(""))
}

// Approve approves a pending post. It becomes SCHEDULED if its publish time is in the future, and otherwise a draft
// without a time.
func (p Post) Approve(comment string, now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionApprove); err != nil {
		return Change{}, err
	}
	status := Draft
	if p.ScheduledAt.After(now) {
		status = Scheduled
	}
	change := p.decided(ActionApprove, status, ApprovalApproved, comment, now)
	if status == Draft {
		change.Post.ScheduledAt = time.Time{}
	}
	change = change.with(EntryApproved, now, actor, "Approved%s", withComment(comment))
	change, err := change.emits(event.PostApproved, change.Post.approvalData(comment))
	if err != nil {
		return Change{}, err
	}
	return change.announced()
}

// Reject returns a pending post to its author as a draft; its intended time is kept.
func (p Post) Reject(comment string, now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionReject); err != nil {
		return Change{}, err
	}
	change := p.decided(ActionReject, Draft, ApprovalRejected, comment, now).with(EntryRejected, now, actor, "Rejected%s",
		withComment(comment))
	return change.emits(event.PostRejected, change.Post.approvalData(comment))
}

func (p Post) decided(action Action, status Status, approval ApprovalStatus, comment string, now time.Time) Change {
	change := p.to(action, status, now)
	change.Post.Approval = &Approval{Status: approval, Comment: comment, DecidedAt: now}
	change.Wake = true
	return change
}

func withComment(comment string) string {
	if comment == "" {
		return "."
	}
	return ": " + comment
}

// EventData returns the data of the post's events.
func (p Post) EventData() event.PostData {
	data := event.PostData{
		PostID: p.ID, ChannelID: p.ChannelID, ChannelType: p.ChannelType, Status: string(p.Status), GroupID: p.GroupID,
		Labels: p.Labels, Metadata: p.Metadata,
	}
	if p.Labels == nil {
		data.Labels = []string{}
	}
	if p.Metadata == nil {
		data.Metadata = map[string]string{}
	}
	if p.ExternalID != "" {
		data.ExternalID = &p.ExternalID
	}
	if !p.ScheduledAt.IsZero() {
		at := event.FormatTime(p.ScheduledAt)
		data.ScheduledAt = &at
	}
	if !p.PublishedAt.IsZero() {
		at := event.FormatTime(p.PublishedAt)
		data.PublishedAt = &at
	}
	if p.PostURL != "" {
		data.PostURL = &p.PostURL
	}
	data.Confirmed = p.Confirmed
	if p.Error != nil {
		data.Error = p.Error
	}
	return data
}

func (p Post) approvalData(comment string) event.ApprovalData {
	data := event.ApprovalData{PostData: p.EventData()}
	if comment != "" {
		data.Comment = &comment
	}
	return data
}
