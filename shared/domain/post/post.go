// Package post defines posts: their fields, the state table and the decisions that change their state.
//
// Every decision is a pure function: it takes the post as read, and returns a Change, or an error if the state table
// does not allow the action. The store applies a Change in one statement that also verifies that the post has not
// changed since it was read (docs/contract.md, Post states).
package post

import (
	"time"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/kernel/ident"
)

// ContentType is the kind of content of a post.
type ContentType string

// Content types (docs/contract.md, Post).
const (
	ContentPost  ContentType = "POST"
	ContentReel  ContentType = "REEL"
	ContentStory ContentType = "STORY"
	ContentVideo ContentType = "VIDEO"
)

// Known reports whether the content type exists.
func (c ContentType) Known() bool {
	switch c {
	case ContentPost, ContentReel, ContentStory, ContentVideo:
		return true
	default:
		return false
	}
}

// Post is a post for exactly one channel.
type Post struct {
	ID          ident.Post
	WorkspaceID ident.Workspace
	ChannelID   ident.Channel
	ChannelType string // for events
	// GroupID is the set of the post; the id of the post itself for a post that was created alone.
	GroupID ident.Group
	// Own names the members in which a post of a set differs from the base of its set.
	Own []Member
	// AuthorID is the person who wrote the post, also through a program; zero for a post of an API key.
	AuthorID    ident.User
	Content     string
	Title       string // empty if there is none
	ContentType ContentType
	MediaIDs    []ident.Media
	// MediaAltTexts has texts of attachments only.
	MediaAltTexts AltTexts
	Options       Options
	// HasOptions reports whether the post has options, which may be empty: a post created by a platform endpoint, or
	// one whose options were edited.
	HasOptions bool
	Labels     []string       // in the spelling of the workspace
	CampaignID ident.Campaign // zero: none
	ExternalID string         // the id of the post in the system of a client; empty if there is none
	Metadata   Metadata
	After      After // zero: the post waits for no other one
	// Thread has the parts after the first one, which is the post itself; Comment the first comment under it.
	Thread      []Part
	Comment     Comment
	PartsState  PartsState  // empty: the post has no parts
	Parts       []PartState // of a post with parts, the post itself first; filled when the post is read for a client
	PartOf      PartOf      // zero: the post is no part of another one
	Status      Status
	ScheduledAt time.Time // zero if there is none
	PublishedAt time.Time // zero until published
	CreatedAt   time.Time
	UpdatedAt   time.Time

	// Revision counts the changes of the plan (status or time), not of the content. A decision applies only to the
	// revision on which it was made, and a workflow ignores plans older than its current one.
	Revision int

	// PublishingSince is set while a worker publishes the post; it cannot be changed then.
	PublishingSince time.Time
	// OverridesPause is set if a person published the post although its channel was paused. It ends with the plan.
	OverridesPause bool
	Waiting        *Waiting
	PostURL        string
	// Confirmed reports whether the network is known to show the post; nil before the post is published.
	Confirmed    *bool
	Error        *Error
	Approval     *Approval
	Policy       approval.Policy // of the channel, the stricter of its own and the workspace's
	Consents     []Consent       // of the people whose word counts
	Writers      []ident.User    // who wrote the content, and who changed it last, also through programs and keys
	ArchivedFrom Status          // ARCHIVED: the status that Unarchive restores
}

// WaitReason is the reason why a SCHEDULED post is not published yet.
type WaitReason string

// Wait reasons (docs/contract.md, Waits).
const (
	WaitTime        WaitReason = "time"
	WaitRetrying    WaitReason = "retrying"
	WaitRateLimited WaitReason = "rate_limited"
	WaitProcessing  WaitReason = "platform_processing"
	WaitReconciling WaitReason = "reconciling"
	WaitReconnect   WaitReason = "channel_reconnect" // a person must connect the channel again
	WaitReview      WaitReason = "platform_review"   // the network accepted the post, and does not show it yet
	WaitPaused      WaitReason = "channel_paused"    // a person must resume the channel, or the workspace
	WaitAfterPost   WaitReason = "after_post"        // another post must be published first, or the delay after it is not over
)

// Waiting is the wait of a SCHEDULED post.
type Waiting struct {
	Reason WaitReason
	Until  time.Time // the earliest end; zero if only a person can end the wait
	// Try is the number of the next attempt, as in the timeline; zero if the wait does not end with an attempt.
	Try      int
	Deadline time.Time // when the service gives up; zero if it does not
}

// Error is the reason why publishing failed, and whether a retry can help.
type Error struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
}

// Codes of post errors returned by the publish protocol itself; connectors add their own.
const (
	ErrorMissedSchedule     = "MISSED_SCHEDULE"
	ErrorOutcomeUnknown     = "OUTCOME_UNKNOWN"
	ErrorNeedsReconnect     = "CHANNEL_NEEDS_RECONNECT"
	ErrorRateLimited        = "PLATFORM_RATE_LIMITED"
	ErrorPlatformDown       = "PLATFORM_UNAVAILABLE"
	ErrorContentInvalid     = "CONTENT_INVALID"
	ErrorChannelUnsupported = "CHANNEL_UNSUPPORTED"
	ErrorProcessingTimeout  = "PLATFORM_PROCESSING_TIMEOUT"
	ErrorRemoved            = "PLATFORM_REMOVED" // by the network, after it had shown the post
)

// ApprovalStatus is the state of the last approval round.
type ApprovalStatus string

// States of an approval round.
const (
	ApprovalPending  ApprovalStatus = "PENDING"
	ApprovalApproved ApprovalStatus = "APPROVED"
	ApprovalRejected ApprovalStatus = "REJECTED"
)

// Approval is the last approval round: its state, the approver's comment and the time of the decision.
type Approval struct {
	Status    ApprovalStatus
	Comment   string
	DecidedAt time.Time // zero while pending
}

// DueAt returns the time from which the delay of the post counts: its publish time, or the end of its wait for a person or
// another post, which is no delay of the service.
func (p Post) DueAt() time.Time {
	w := p.Waiting
	if w == nil || !w.Until.After(p.ScheduledAt) {
		return p.ScheduledAt
	}
	if w.Reason == WaitReconnect || w.Reason == WaitPaused || w.Reason == WaitAfterPost {
		return w.Until
	}
	return p.ScheduledAt
}

// EffectiveWaiting returns the wait shown to clients: the recorded wait, or the post's publish time. A review lasts until
// its deadline, not until the service looks again.
func (p Post) EffectiveWaiting() *Waiting {
	if p.Status != Scheduled {
		return nil
	}
	if w := p.Waiting; w != nil && w.Reason == WaitReview {
		return &Waiting{Reason: w.Reason, Until: w.Deadline, Deadline: w.Deadline}
	}
	if p.Waiting != nil {
		return p.Waiting
	}
	return &Waiting{Reason: WaitTime, Until: p.ScheduledAt}
}
