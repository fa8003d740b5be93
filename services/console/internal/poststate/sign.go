// Package poststate says in words, colors and glyphs what state a post is in, and what it waits for.
package poststate

import (
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
)

// Sign is the state of a post as people see it: its color, its icon and its words.
type Sign struct{ Tone, Icon, Text string }

// Of returns the state of a post on a channel. Deleted reports that a person deleted it from its network.
func Of(p post.Post, of channel.Channel, deleted bool) Sign {
	switch p.Status {
	case post.Draft:
		return draftSign(p.Approval)
	case post.PendingApproval:
		return Sign{"warn", "user", "In review"}
	case post.Scheduled:
		return scheduledSign(p, of)
	case post.Published:
		if deleted {
			return Sign{"", "trash-2", "Deleted from " + of.Type.Network().Name()}
		}
		switch p.PartsState {
		case post.PartsInProgress:
			return Sign{"info", "send", "Publishing parts"}
		case post.PartsIncomplete:
			return Sign{"bad", "circle-alert", "Incomplete"}
		case post.PartsPending, post.PartsComplete:
		}
		return Sign{"good", "circle-check", "Published"}
	case post.Failed:
		if p.Error != nil && p.Error.Code == post.ErrorRemoved {
			return Sign{"bad", "circle-alert", "Removed by " + of.Type.Network().Name()}
		}
		return Sign{"bad", "circle-alert", "Failed"}
	case post.Archived:
		return Sign{"", "archive", "Archived"}
	}
	return Sign{"", "circle-alert", string(p.Status)}
}

func draftSign(last *post.Approval) Sign {
	switch {
	case last != nil && last.Status == post.ApprovalApproved:
		return Sign{"good", "shield-check", "Approved"}
	case last != nil && last.Status == post.ApprovalRejected:
		return Sign{"warn", "undo-2", "Changes requested"}
	default:
		return Sign{"", "pencil", "Draft"}
	}
}

func scheduledSign(p post.Post, of channel.Channel) Sign {
	switch w := p.EffectiveWaiting(); {
	case w.Reason == post.WaitReview:
		return Sign{"info", "search", "Under review"}
	case !p.PublishingSince.IsZero():
		return Sign{"info", "send", "Publishing"}
	case w.Reason == post.WaitReconnect:
		return Sign{"warn", "plug", "On hold"}
	case w.Reason == post.WaitPaused, w.Reason == post.WaitTime && of.Paused() && !p.OverridesPause:
		return Sign{"warn", "pause", "Paused"}
	case w.Reason == post.WaitTime && !of.Ready():
		return Sign{"warn", "plug", "Disconnected"}
	case w.Reason == post.WaitRetrying:
		return Sign{"info", "rotate-cw", "Trying again"}
	case w.Reason == post.WaitRateLimited:
		return Sign{"info", "history", "Rate limited"}
	case w.Reason == post.WaitProcessing:
		return Sign{"info", "refresh-cw", "Processing"}
	case w.Reason == post.WaitReconciling:
		return Sign{"info", "search", "Checking"}
	case w.Reason != post.WaitTime:
		return Sign{"info", "refresh-cw", "Waiting"}
	default:
		return Sign{"info", "clock", "Scheduled"}
	}
}

// Glyph returns the name of the shape of a post's state: draft, pending, held, scheduled, sending, waiting, checking,
// published, failed or archived. A shape says whose turn it is without words.
func Glyph(p post.Post, of channel.Channel) string {
	switch p.Status {
	case post.Draft:
		return "draft"
	case post.PendingApproval:
		return "pending"
	case post.Scheduled:
		return scheduledGlyph(p, of)
	case post.Published:
		switch p.PartsState {
		case post.PartsInProgress:
			return "sending"
		case post.PartsIncomplete:
			return "failed"
		case post.PartsPending, post.PartsComplete:
		}
		return "published"
	case post.Failed:
		return "failed"
	case post.Archived:
		return "archived"
	}
	return "waiting"
}

func scheduledGlyph(p post.Post, of channel.Channel) string {
	switch w := p.EffectiveWaiting(); {
	case w.Reason == post.WaitReview, w.Reason == post.WaitReconciling:
		return "checking"
	case !p.PublishingSince.IsZero():
		return "sending"
	case w.Reason == post.WaitReconnect, w.Reason == post.WaitPaused:
		return "held"
	case w.Reason != post.WaitTime:
		return "waiting"
	case of.Paused() && !p.OverridesPause, !of.Ready():
		return "held"
	default:
		return "scheduled"
	}
}
