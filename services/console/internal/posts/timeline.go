package posts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
)

// entry is a line of the timeline.
type entry struct {
	post.Entry

	Tone  string
	Title string
	Text  string // what the title does not say
	Quote string // words of a person
	Code  string // for technical details
	Link  string // address of the post on its network
	By    string
	Facts *facts // of an attempt
}

// Glyph returns the shape of the entry; empty if it has an icon.
func (e *entry) Glyph() string {
	switch {
	case e.Kind == post.EntryWaiting:
		return "held"
	case e.Tone == "good":
		return "published"
	case e.Tone == "bad":
		return "failed"
	case e.Kind == post.EntryAttemptUnknown:
		return "checking"
	default:
		return ""
	}
}

// Icon returns the icon of an entry without a shape.
func (e *entry) Icon() string {
	switch e.Kind { //nolint:exhaustive // the others are something that happened
	case post.EntryCreated:
		return "plus"
	case post.EntryEdited, post.EntryLiveEdited:
		return "pencil"
	case post.EntryScheduled:
		return "clock"
	case post.EntryUnscheduled, post.EntryRejected:
		return "undo-2"
	case post.EntryApprovalRequested:
		return "shield-check"
	case post.EntryCommented:
		return "message-circle"
	case post.EntryArchived:
		return "archive"
	case post.EntryUnarchived:
		return "archive-restore"
	case post.EntryLiveDeleted:
		return "trash-2"
	default:
		return "send"
	}
}

// withFacts adds what is known about each attempt to its entry.
func withFacts(list []entry, attempts []postgres.Attempt, of channel.Channel) []entry {
	for i, e := range list {
		for _, a := range attempts {
			if e.Kind == post.EntryAttemptStarted && e.Detail == fmt.Sprintf("Publish attempt %d started.", a.N) {
				known := factsOf(a, of)
				list[i].Facts = &known
			}
		}
	}
	return list
}

// entries returns the timeline, the latest entry first. A repeated entry has the place of its last occurrence.
func entries(timeline []post.Entry, of channel.Channel) []entry {
	list := make([]entry, len(timeline))
	refused := "" // the detail of the last attempt that failed
	for i, e := range timeline {
		line := entryOf(e, of.Type.Network().Name())
		switch {
		case e.Kind == post.EntryAttemptFailed:
			refused = e.Detail
		case e.Kind == post.EntryFailed && e.Detail == refused: // the attempt says why
			line.Text, line.Code = "", ""
		}
		list[len(timeline)-1-i] = line
	}
	slices.SortStableFunc(list, func(a, b entry) int { return b.last().Compare(a.last()) })
	return list
}

func (e *entry) last() time.Time {
	if e.LastAt.After(e.At) {
		return e.LastAt
	}
	return e.At
}

// firstOfTwo begins the detail of the first of two approvals.
const firstOfTwo = "Approved by the first of two people"

// entryOf says an entry once: its recorded detail only where it says more than the title.
func entryOf(e post.Entry, network string) entry {
	line := entry{Entry: e, Tone: toneOf(e.Kind), By: frame.Actor(e.Actor)}
	detail := strings.TrimSuffix(e.Detail, ".")
	switch e.Kind { //nolint:exhaustive // further kinds are shown as recorded
	case post.EntryCreated:
		line.Title = strings.NewReplacer(", to be published at once", ", publish now", ", to be published at ", ", planned for ").
			Replace(detail)
	case post.EntryEdited:
		line.Title = "Edited"
		line.Text = strings.TrimPrefix(detail, "Edited: ")
	case post.EntryScheduled, post.EntryArchived, post.EntryUnarchived:
		line.Title, _, _ = strings.Cut(detail, ": ")
	case post.EntryUnscheduled:
		line.Title = "Moved back to drafts"
	case post.EntryPublishRequested:
		line.Title = "Publish now"
		if strings.Contains(e.Detail, "paused") {
			line.Title = "Publish now, although the channel is paused"
		}
	case post.EntryApprovalRequested:
		line.Title = "Sent for approval"
		if e.Detail != "Sent for approval." {
			line.Text = e.Detail
		}
	case post.EntryApproved:
		line.Title, line.Quote = "Approved", after(e.Detail, "Approved: ")
		if strings.HasPrefix(e.Detail, firstOfTwo) {
			line.Title, line.Quote = "Approved, one of two", after(e.Detail, firstOfTwo+": ")
		}
	case post.EntryCommented:
		line.Title, line.Quote = "Commented", e.Detail
	case post.EntryRejected:
		line.Title, line.Quote = "Changes requested", after(e.Detail, "Rejected: ")
	case post.EntryPublished:
		line.Title, line.Link = "Published", after(e.Detail, "Published at ")
	case post.EntryWarning:
		line.Title, line.Text = "Published without a part", e.Detail
	case post.EntryWaiting:
		line.Title, line.Text = "Waiting", e.Detail
	default:
		line.attempted(network)
	}
	return line
}

// attempted words the entries about calls to the network.
func (e *entry) attempted(network string) {
	code, message := coded(e.Detail)
	switch e.Kind { //nolint:exhaustive // further kinds are shown as recorded
	case post.EntryAttemptStarted:
		e.Title = cmp.Or(strings.TrimSuffix(strings.TrimPrefix(e.Detail, "Publish "), "."), "Attempt started")
		e.Title = strings.ToUpper(e.Title[:1]) + e.Title[1:]
	case post.EntryAttemptFailed:
		e.Title, e.Text, e.Code = refusal(code, network), message, code
	case post.EntryAttemptUnknown:
		e.Title, e.Text = network+" did not confirm the post", e.Detail
	case post.EntryReconciled:
		e.Title = "Found on " + network
	case post.EntryFailed:
		e.Title, e.Text, e.Code = "Failed", message, code
	case post.EntryResumed:
		e.Title, e.Text = "Released", e.Detail
	case post.EntryLiveRequested:
		e.Title = "Asked to edit the post on " + network
		if strings.HasPrefix(e.Detail, "Asked to delete") {
			e.Title = "Asked to delete the post from " + network
		}
	case post.EntryLiveEdited:
		e.Title = "Edited on " + network
	case post.EntryLiveDeleted:
		e.Title = "Deleted from " + network
	case post.EntryLiveFailed:
		e.Title, e.Text, e.Code = "Not changed on "+network, message, code
	default:
		e.Title, e.Text = frame.Words(e.Kind), e.Detail
	}
}

// refusal says how an attempt failed: by a refusal of the content, or by something that says nothing about it.
func refusal(code, network string) string {
	switch code {
	case post.ErrorPlatformDown:
		return network + " could not be reached"
	case post.ErrorRateLimited:
		return network + " asked to wait"
	case poststate.CodeRefused:
		return network + " refused it"
	default:
		return "Attempt failed"
	}
}

// coded splits a detail into the code of the failure and its message.
func coded(detail string) (code, message string) {
	code, message, found := strings.Cut(detail, ": ")
	if !found || strings.ToUpper(code) != code || strings.Contains(code, " ") {
		return "", detail
	}
	return code, message
}

// after returns the rest of a text that begins with a prefix; empty if it does not.
func after(text, prefix string) string {
	rest, found := strings.CutPrefix(text, prefix)
	if !found {
		return ""
	}
	return rest
}

// toneOf returns the color of a timeline entry.
func toneOf(kind post.EntryKind) string {
	switch kind { //nolint:exhaustive // the others are neutral
	case post.EntryPublished, post.EntryApproved, post.EntryReconciled:
		return "good"
	case post.EntryFailed, post.EntryAttemptFailed, post.EntryLiveFailed:
		return "bad"
	case post.EntryWarning, post.EntryAttemptUnknown, post.EntryWaiting, post.EntryRejected:
		return "warn"
	default:
		return ""
	}
}
