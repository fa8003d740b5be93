package post

import (
	"time"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/apperr"
)

// MaxComment is the maximum length of the comment of an approval decision, in characters (docs/contract.md, Approval).
const MaxComment = 2000

// RequestApproval submits a draft for approval; where the policy requires approvals, also a FAILED post that changed.
func (p Post) RequestApproval(now time.Time, actor Actor) (Change, error) {
	if p.Status != Failed || p.Policy.People() == 0 {
		if err := p.guard(ActionRequestApproval); err != nil {
			return Change{}, err
		}
	}
	change := p.to(ActionRequestApproval, PendingApproval, now)
	change.Post.Approval, change.Post.Consents, change.Wake = &Approval{Status: ApprovalPending}, nil, true
	change.Post.Error, change.Release = nil, p.Status == Failed
	change = change.with(EntryApprovalRequested, now, actor, "Sent for approval.")
	return change.emits(event.PostApprovalRequested, change.Post.approvalData(""))
}

// Approve approves a pending post, at another time if at is not zero. It becomes SCHEDULED if its publish time is in the
// future, and otherwise a draft without a time. If the policy asks for another person too, the post keeps waiting.
func (p Post) Approve(by approval.Party, comment string, at, now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionApprove); err != nil {
		return Change{}, err
	}
	if err := p.mayApprove(by); err != nil {
		return Change{}, err
	}
	intended := p.ScheduledAt
	if !at.IsZero() {
		if err := CheckTime(nil, "scheduledAt", at, now); err != nil {
			return Change{}, err
		}
		intended = at
	}
	next := p
	next.Consents, next.ScheduledAt = p.agreed(by, now), intended
	if !next.Cleared() {
		return p.halfApproved(next, comment, now, actor)
	}
	status := Draft
	if intended.After(now) {
		status = Scheduled
	} else {
		intended = time.Time{}
	}
	change := p.decided(ActionApprove, status, ApprovalApproved, comment, now)
	change.Post.Consents, change.Post.ScheduledAt, change.Approves = next.Consents, intended, true
	change = change.with(EntryApproved, now, actor, "Approved%s", withComment(comment))
	change, err := change.emits(event.PostApproved, change.Post.approvalData(comment))
	if err != nil {
		return Change{}, err
	}
	return change.announced()
}

// halfApproved records the first of two approvals. The post asks for the other one.
func (p Post) halfApproved(next Post, comment string, now time.Time, actor Actor) (Change, error) {
	next.UpdatedAt, next.Approval = p.editedAt(now), &Approval{Status: ApprovalPending, Comment: comment}
	change := Change{From: p, Post: next, Action: ActionApprove}
	change = change.with(EntryApproved, now, actor, "Approved by the first of two people%s", withComment(comment))
	return change.emits(event.PostApprovalRequested, change.Post.approvalData(""))
}

// mayApprove returns why the party cannot approve the post; nil if it can.
func (p Post) mayApprove(by approval.Party) error {
	switch {
	case p.Policy.People() == 0:
		return nil
	case !by.InPerson:
		return apperr.New(apperr.InsufficientScope,
			"The approval policy %s lets only people approve: API keys and programs cannot.", p.Policy)
	case !by.Approves:
		return apperr.New(apperr.InsufficientScope, "Your role doesn’t allow this. Ask an editor to approve the post.")
	case !by.Counts(p.Writers):
		return &apperr.Error{
			Code: apperr.ApprovalRequired, CurrentStatus: string(p.Status),
			Message: "You wrote this post or changed it last. Another person must approve it.",
		}
	case p.AgreedBy(by.Person):
		return &apperr.Error{
			Code: apperr.ApprovalRequired, CurrentStatus: string(p.Status),
			Message: "You have approved this post. One more person must approve it.",
		}
	}
	return nil
}

// Reject returns a pending post to its author as a draft; its intended time is kept.
func (p Post) Reject(comment string, now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionReject); err != nil {
		return Change{}, err
	}
	change := p.decided(ActionReject, Draft, ApprovalRejected, comment, now)
	change.Post.Consents = nil
	change = change.with(EntryRejected, now, actor, "Rejected%s",
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
