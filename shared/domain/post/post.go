// Package post holds the post: its fields, its state table and the decisions that move it from state to state.
//
// Every decision is a pure function: it takes the post as read, and returns a Change, or an error when the state
// table has no such row. The store applies a Change in one statement that also checks that the post is still as it
// was read (specification, States and transitions; decisions, sections 4 and 5).
package post

import (
	"time"

	"socialpub.internal/shared/kernel/ident"
)

// ContentType is the kind of content a post carries.
type ContentType string

// The content types of the specification.
const (
	ContentPost  ContentType = "POST"
	ContentReel  ContentType = "REEL"
	ContentStory ContentType = "STORY"
	ContentVideo ContentType = "VIDEO"
)

// Known reports whether the content type is one of the specification's.
func (c ContentType) Known() bool {
	switch c {
	case ContentPost, ContentReel, ContentStory, ContentVideo:
		return true
	default:
		return false
	}
}

// Post targets exactly one channel.
type Post struct {
	ID          ident.Post
	WorkspaceID ident.Workspace
	ChannelID   ident.Channel
	Content     string
	Title       string // empty when there is none
	ContentType ContentType
	MediaIDs    []ident.Media
	Options     Options
	// HasOptions reports whether the post has a set of options, which may be empty: a post made by a platform endpoint, or one whose
	// options were edited.
	HasOptions  bool
	Status      Status
	ScheduledAt time.Time // zero when there is none
	PublishedAt time.Time // zero until published
	CreatedAt   time.Time
	UpdatedAt   time.Time

	// Revision counts the changes of the plan (status or time), not of the content. A decision applies only to the
	// revision it was made on, and a workflow ignores plans older than the one it holds.
	Revision int

	// PublishingSince is set while a worker publishes the post: then it is too late to change it.
	PublishingSince time.Time
	Waiting         *Waiting
	PostURL         string
	Error           *Error
	Approval        *Approval
	ArchivedFrom    Status // ARCHIVED: the state that un-archiving restores
}

// WaitReason says why a SCHEDULED post is not out yet.
type WaitReason string

// The reasons of the decisions, section 4.
const (
	WaitTime        WaitReason = "time"
	WaitRetrying    WaitReason = "retrying"
	WaitRateLimited WaitReason = "rate_limited"
	WaitProcessing  WaitReason = "platform_processing"
	WaitReconciling WaitReason = "reconciling"
)

// Waiting tells what a SCHEDULED post waits for and until when it does at the least.
type Waiting struct {
	Reason WaitReason
	Until  time.Time
}

// Error says why publishing failed and whether trying again can help.
type Error struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
}

// Codes of post errors that the publish protocol itself gives; connectors give their own beside them.
const (
	ErrorMissedSchedule     = "MISSED_SCHEDULE"
	ErrorOutcomeUnknown     = "OUTCOME_UNKNOWN"
	ErrorNeedsReconnect     = "CHANNEL_NEEDS_RECONNECT"
	ErrorRateLimited        = "PLATFORM_RATE_LIMITED"
	ErrorPlatformDown       = "PLATFORM_UNAVAILABLE"
	ErrorContentInvalid     = "CONTENT_INVALID"
	ErrorChannelUnsupported = "CHANNEL_UNSUPPORTED"
	ErrorProcessingTimeout  = "PLATFORM_PROCESSING_TIMEOUT"
)

// ApprovalStatus is where the last approval round stands.
type ApprovalStatus string

// The states of an approval round.
const (
	ApprovalPending  ApprovalStatus = "PENDING"
	ApprovalApproved ApprovalStatus = "APPROVED"
	ApprovalRejected ApprovalStatus = "REJECTED"
)

// Approval is the last approval round: its state, the decider's comment and when it was decided.
type Approval struct {
	Status    ApprovalStatus
	Comment   string
	DecidedAt time.Time // zero while pending
}

// EffectiveWaiting is what a client is told: the recorded wait, or the post's own time.
func (p Post) EffectiveWaiting() *Waiting {
	if p.Status != Scheduled {
		return nil
	}
	if p.Waiting != nil {
		return p.Waiting
	}
	return &Waiting{Reason: WaitTime, Until: p.ScheduledAt}
}
