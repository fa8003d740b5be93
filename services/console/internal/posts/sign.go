package posts

import (
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
)

// sign is the state of a post as people see it: its color, its icon and its words.
type sign struct{ Tone, Icon, Text string }

// signOf returns the sign of a post on a channel. Deleted reports that a person deleted it from its network.
func signOf(p post.Post, of channel.Channel, deleted bool) sign {
	switch p.Status {
	case post.Draft:
		return draftSign(p.Approval)
	case post.PendingApproval:
		return sign{"warn", "user", "In review"}
	case post.Scheduled:
		return scheduledSign(p, of)
	case post.Published:
		if deleted {
			return sign{"", "trash-2", "Deleted from " + of.Type.Network().Name()}
		}
		return sign{"good", "circle-check", "Published"}
	case post.Failed:
		if p.Error != nil && p.Error.Code == post.ErrorRemoved {
			return sign{"bad", "circle-alert", "Removed by " + of.Type.Network().Name()}
		}
		return sign{"bad", "circle-alert", "Failed"}
	case post.Archived:
		return sign{"", "archive", "Archived"}
	}
	return sign{"", "circle-alert", string(p.Status)}
}

func draftSign(last *post.Approval) sign {
	switch {
	case last != nil && last.Status == post.ApprovalApproved:
		return sign{"good", "shield-check", "Approved"}
	case last != nil && last.Status == post.ApprovalRejected:
		return sign{"warn", "undo-2", "Changes requested"}
	default:
		return sign{"", "pencil", "Draft"}
	}
}

func scheduledSign(p post.Post, of channel.Channel) sign {
	switch w := p.EffectiveWaiting(); {
	case w.Reason == post.WaitReview:
		return sign{"info", "search", "Under review"}
	case !p.PublishingSince.IsZero():
		return sign{"info", "send", "Publishing"}
	case w.Reason == post.WaitReconnect:
		return sign{"warn", "plug", "On hold"}
	case w.Reason == post.WaitPaused, w.Reason == post.WaitTime && of.Paused() && !p.OverridesPause:
		return sign{"warn", "pause", "Paused"}
	case w.Reason == post.WaitTime && !of.Ready():
		return sign{"warn", "plug", "Disconnected"}
	case w.Reason == post.WaitRetrying:
		return sign{"info", "rotate-cw", "Trying again"}
	case w.Reason == post.WaitRateLimited:
		return sign{"info", "history", "Rate limited"}
	case w.Reason == post.WaitProcessing:
		return sign{"info", "refresh-cw", "Processing"}
	case w.Reason == post.WaitReconciling:
		return sign{"info", "search", "Checking"}
	case w.Reason != post.WaitTime:
		return sign{"info", "refresh-cw", "Waiting"}
	default:
		return sign{"info", "clock", "Scheduled"}
	}
}
