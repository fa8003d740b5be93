package post

import (
	"fmt"
	"time"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Actor is the originator of an action in the timeline.
type Actor string

// Actors of the timeline. An API credential is shown by its display prefix.
const (
	ActorService Actor = "service"
	ActorAPI     Actor = "api"
)

// Entry is one line of a post's timeline.
type Entry struct {
	At     time.Time
	Kind   EntryKind
	Actor  Actor
	Detail string
	// Repeats marks an entry that is counted: if the same entry occurs again in the same plan, the store updates it
	// instead of adding another one.
	Repeats bool
	Count   int       // number of occurrences; set by the store
	LastAt  time.Time // last occurrence; set by the store
	NextAt  time.Time // when the service checks or retries next; zero if it does not
}

// EntryKind is the kind of a timeline entry.
type EntryKind string

// Kinds of timeline entries (docs/contract.md, Timeline).
const (
	EntryCreated           EntryKind = "created"
	EntryEdited            EntryKind = "edited"
	EntryArchived          EntryKind = "archived"
	EntryUnarchived        EntryKind = "unarchived"
	EntryScheduled         EntryKind = "scheduled"
	EntryUnscheduled       EntryKind = "unscheduled"
	EntryPublishRequested  EntryKind = "publish_requested"
	EntryApprovalRequested EntryKind = "approval_requested"
	EntryApproved          EntryKind = "approved"
	EntryRejected          EntryKind = "rejected"
	EntryCommented         EntryKind = "commented"
	EntryAttemptStarted    EntryKind = "attempt_started"
	EntryAttemptFailed     EntryKind = "attempt_failed"
	EntryAttemptUnknown    EntryKind = "attempt_unknown"
	EntryWaiting           EntryKind = "waiting"
	EntryReconciled        EntryKind = "reconciled"
	EntryPublished         EntryKind = "published"
	EntryWarning           EntryKind = "warning" // the post was published without a part
	EntryFailed            EntryKind = "failed"
	EntryResumed           EntryKind = "resumed"               // the wait for the channel ended
	EntryLiveRequested     EntryKind = "live_change_requested" // a person asked to change the post on its network
	EntryLiveEdited        EntryKind = "live_edited"
	EntryLiveDeleted       EntryKind = "live_deleted"
	EntryLiveFailed        EntryKind = "live_change_failed"
)

// Change is a decided transition: the new state of the post, and all rows written with it in one transaction.
type Change struct {
	From     Post          // as read; the store verifies that status, revision and claim are unchanged
	Post     Post          // as it will be
	Action   Action        // the action; empty for a new post and for a wait
	Events   []event.Event // in the order in which they are numbered
	Timeline []Entry
	Wake     bool // the post's workflow must receive the new plan
	// Release releases an attempt whose result remained unknown, because a user decided to try again.
	Release bool
	// Approves is set if the change ends an approval round with success: the store keeps the content that was approved.
	Approves bool
	// Edited is set if the content changes too. The store then verifies that the content was not edited meanwhile.
	Edited bool
	// Parts are the parts of a post that was published, which are to be published after it.
	Parts []Change
	// GivenUpFrom is the index of the first part that a person gives up, with those after it; zero: none.
	GivenUpFrom int
	// Claimed is set by changes of the publish protocol, which holds the claim. All other changes are refused while the
	// claim is held.
	Claimed bool
}

// MissedAfter is the maximum delay of a post; later it fails (docs/contract.md, Late posts).
const MissedAfter = 24 * time.Hour

func (p Post) guard(action Action) error {
	if !p.Status.Allows(action) {
		return &apperr.Error{
			Code: apperr.InvalidState, CurrentStatus: string(p.Status),
			Message: fmt.Sprintf("A post in status %s does not allow %s.", p.Status, action),
		}
	}
	if !p.PublishingSince.IsZero() {
		return p.inProgress()
	}
	return nil
}

// inProgress returns the error for a change of a post that is being published. In a review the network has the post, so
// that no change could reach it, and another publication would be a second one.
func (p Post) inProgress() error {
	if w := p.Waiting; w != nil && w.Reason == WaitReview {
		return &apperr.Error{
			Code: apperr.PublishInProgress, CurrentStatus: string(p.Status),
			Message: "The network has accepted the post and reviews it. The post can be changed after the review, at " +
				event.FormatTime(w.Deadline) + " at the latest.",
		}
	}
	return InProgress(p.Status)
}

// InProgress returns the error for a change while the post is being published.
func InProgress(status Status) error {
	return &apperr.Error{
		Code: apperr.PublishInProgress, CurrentStatus: string(status),
		Message: "The post is being published. Read it again in a few seconds.",
	}
}

// to starts a change of the plan: a new revision without a wait.
func (p Post) to(action Action, status Status, now time.Time) Change {
	next := p
	next.Status, next.UpdatedAt = status, now
	next.Revision++
	next.Waiting, next.OverridesPause = nil, false
	return Change{From: p, Post: next, Action: action}
}

func (c Change) with(kind EntryKind, at time.Time, actor Actor, format string, args ...any) Change {
	c.Timeline = append(c.Timeline, Entry{At: at, Kind: kind, Actor: actor, Detail: fmt.Sprintf(format, args...)})
	return c
}

func (c Change) emits(typ event.Type, data any) (Change, error) {
	e, err := event.New(c.Post.WorkspaceID, typ, c.Post.UpdatedAt, data)
	if err != nil {
		return Change{}, err
	}
	c.Events = append(c.Events, e)
	return c, nil
}

// announced adds post.scheduled if the change sets or moves the time of a SCHEDULED post, and post.unscheduled if it
// returns one to a draft. They follow the event of the action.
func (c Change) announced() (Change, error) {
	was, is := c.From.Status == Scheduled, c.Post.Status == Scheduled
	switch {
	case is && (!was || !c.From.ScheduledAt.Equal(c.Post.ScheduledAt)):
		return c.emits(event.PostScheduled, c.Post.EventData())
	case was && c.Post.Status == Draft:
		return c.emits(event.PostUnscheduled, c.Post.EventData())
	default:
		return c, nil
	}
}

// NewPost is the input of a new post.
type NewPost struct {
	WorkspaceID ident.Workspace
	ChannelID   ident.Channel
	ChannelType string      // for events
	GroupID     ident.Group // zero: the post is created alone
	Own         []Member    // the members in which it differs from the base of its set
	AuthorID    ident.User  // zero: an API key
	Policy      approval.Policy
	Content     string
	Title       string
	ContentType ContentType
	MediaIDs    []ident.Media
	// MediaAltTexts must have texts of attachments only.
	MediaAltTexts AltTexts
	Options       Options
	HasOptions    bool // also if Options is zero
	Thread        []Part
	Comment       Comment
	Labels        []string
	CampaignID    ident.Campaign // zero: none
	ExternalID    string
	Metadata      Metadata
	ScheduleAt    time.Time // zero: a draft
	Now           bool      // publish immediately; ScheduleAt is then the current time
}

// Create returns a new post, a draft or scheduled, with its events: post.created, and post.scheduled for a scheduled one.
func Create(in NewPost, now time.Time, actor Actor) (Change, error) {
	if err := apperr.Invalid(append(in.MediaAltTexts.Faults(in.MediaIDs), PartFaults(in.Thread)...)); err != nil {
		return Change{}, err
	}
	p := Post{
		ID: ident.New[ident.Post](), WorkspaceID: in.WorkspaceID, ChannelID: in.ChannelID, AuthorID: in.AuthorID,
		Content: in.Content, Title: in.Title, ContentType: in.ContentType, MediaIDs: in.MediaIDs,
		MediaAltTexts: in.MediaAltTexts, Options: in.Options,
		HasOptions:  in.HasOptions || !in.Options.IsZero(),
		ChannelType: in.ChannelType, GroupID: in.GroupID, Own: in.Own, Labels: in.Labels, CampaignID: in.CampaignID, ExternalID: in.ExternalID,
		Metadata: in.Metadata, Policy: in.Policy, Thread: in.Thread, Comment: in.Comment,
		Status: Draft, CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	p.PartsState, p.Parts = p.plannedParts(), p.States(nil)
	if p.GroupID.IsZero() {
		p.GroupID = ident.Group(p.ID)
	}
	change := Change{Post: p}.with(EntryCreated, now, actor, "Created as a draft.")
	if !in.ScheduleAt.IsZero() {
		change.Post.Status, change.Post.ScheduledAt, change.Wake = Scheduled, in.ScheduleAt, true
		change.Timeline[0].Detail = "Created, to be published at " + event.FormatTime(in.ScheduleAt) + "."
		if in.Now {
			change.Timeline[0].Detail = "Created, to be published at once."
		}
	}
	change, err := change.emits(event.PostCreated, change.Post.EventData())
	if err != nil {
		return Change{}, err
	}
	return change.announced()
}

// Schedule sets or moves the publish time, which must be in the future.
func (p Post) Schedule(at, now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionSchedule); err != nil {
		return Change{}, err
	}
	if err := CheckTime(nil, "scheduledAt", at, now); err != nil {
		return Change{}, err
	}
	return p.plan(ActionSchedule, at, now).with(EntryScheduled, now, actor, "Scheduled for %s.", event.FormatTime(at)).announced()
}

// PublishNow queues the post for immediate publishing; it stays SCHEDULED until it is published.
func (p Post) PublishNow(now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionPublish); err != nil {
		return Change{}, err
	}
	return p.plan(ActionPublish, now, now).with(EntryPublishRequested, now, actor, "Queued for immediate publishing.").announced()
}

// PublishDespitePause is PublishNow for a person who publishes although the channel is paused.
func (p Post) PublishDespitePause(now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionPublish); err != nil {
		return Change{}, err
	}
	change := p.plan(ActionPublish, now, now)
	change.Post.OverridesPause = true
	return change.with(EntryPublishRequested, now, actor, "Queued for immediate publishing, although the channel is paused.").
		announced()
}

func (p Post) plan(action Action, at, now time.Time) Change {
	change := p.to(action, Scheduled, now)
	change.Post.ScheduledAt, change.Post.Error = at, nil
	change.Wake, change.Release = true, p.Status == Failed
	return change
}

// yearsAhead limits how far ahead a post can be scheduled (docs/contract.md, Times).
const yearsAhead = 5

// TimeFault returns what is wrong with a publish time, or "".
func TimeFault(at, now time.Time) string {
	switch {
	case !at.After(now):
		return fmt.Sprintf("%s is not in the future; it is %s now", event.FormatTime(at), event.FormatTime(now))
	case at.After(now.AddDate(yearsAhead, 0, 0)):
		return fmt.Sprintf("%s is more than %d years ahead; send an earlier time", event.FormatTime(at), yearsAhead)
	default:
		return ""
	}
}

// CheckTime returns the faults of a request with that of its publish time, which a field of the body names: nil without
// any fault, SCHEDULED_IN_PAST for a time in the past alone, and otherwise VALIDATION_FAILED.
func CheckTime(faults []apperr.Field, field string, at, now time.Time) error {
	wrong := TimeFault(at, now)
	if wrong == "" {
		return apperr.Invalid(faults)
	}
	faults = append(faults, apperr.Field{Pointer: "/" + field, Message: wrong})
	if len(faults) > 1 || at.After(now) {
		return apperr.Invalid(faults)
	}
	return &apperr.Error{Code: apperr.ScheduledInPast, Message: field + " " + wrong + ".", Fields: faults}
}

// Unschedule returns the post to a draft without a time; it will not be published.
func (p Post) Unschedule(now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionUnschedule); err != nil {
		return Change{}, err
	}
	change := p.to(ActionUnschedule, Draft, now)
	change.Post.ScheduledAt, change.Wake = time.Time{}, true
	return change.with(EntryUnscheduled, now, actor, "Unscheduled; will not be published.").announced()
}
