package posts

import (
	"socialpub.internal/services/console/internal/frame"
	"socialpub.internal/shared/domain/post"
)

// Tone returns the color of a post's state.
func (i item) Tone() string { return tone(i.Post.Status) }

// State returns the state in plain words.
func (i item) State() string { return state(i.Post.Status) }

func tone(status post.Status) string {
	switch status {
	case post.Published:
		return "good"
	case post.Failed:
		return "bad"
	case post.PendingApproval:
		return "warn"
	case post.Scheduled:
		return "info"
	case post.Draft, post.Archived:
	}
	return ""
}

func state(status post.Status) string {
	switch status {
	case post.Draft:
		return "Draft"
	case post.PendingApproval:
		return "Waiting for approval"
	case post.Scheduled:
		return "Scheduled"
	case post.Published:
		return "Published"
	case post.Failed:
		return "Failed"
	case post.Archived:
		return "Archived"
	}
	return string(status)
}

// waiting explains why a SCHEDULED post is not published yet; empty if only its time has not come.
func waiting(p post.Post) string {
	w := p.EffectiveWaiting()
	if w == nil {
		return ""
	}
	switch w.Reason {
	case post.WaitTime:
		return ""
	case post.WaitRetrying:
		return "The network did not accept the post yet. The service tries again."
	case post.WaitRateLimited:
		return "The network limits how much this channel may publish. The service tries again when it may."
	case post.WaitProcessing:
		return "The network is processing the files of the post."
	case post.WaitReconciling:
		return "The network did not say whether it published the post. The service looks for it there before it does anything else."
	case post.WaitReconnect:
		return "The channel must be reconnected. The post is published when it is, unless that takes too long."
	default:
		return frame.Words(w.Reason)
	}
}

// advice returns what a person can do about a failed post.
func advice(e *post.Error) string {
	switch e.Code {
	case post.ErrorMissedSchedule:
		return "The time passed while the service could not publish. Publish it now, or schedule it again."
	case post.ErrorOutcomeUnknown:
		return "Look at the account on the network first: the post may be there. Publish again only if it is not."
	case post.ErrorNeedsReconnect:
		return "Reconnect the channel, then publish again."
	case post.ErrorRateLimited, post.ErrorPlatformDown:
		return "Publish again later."
	case post.ErrorProcessingTimeout:
		return "The network did not finish processing the files. Publish again."
	case post.ErrorContentInvalid:
		return "Change the post so that the network accepts it, then publish again."
	case post.ErrorChannelUnsupported:
		return "This service cannot publish to this kind of channel."
	default:
		if e.Retryable {
			return "Publish again."
		}
		return "Change the post according to the network's message, then publish again."
	}
}

// toneOf returns the color of a timeline entry.
func toneOf(kind post.EntryKind) string {
	switch kind { //nolint:exhaustive // the others are neutral
	case post.EntryPublished, post.EntryApproved:
		return "good"
	case post.EntryFailed, post.EntryAttemptFailed, post.EntryRejected:
		return "bad"
	case post.EntryWarning, post.EntryAttemptUnknown, post.EntryWaiting:
		return "warn"
	default:
		return ""
	}
}
