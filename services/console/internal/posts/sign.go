package posts

import (
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/domain/post"
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
	case !p.PublishingSince.IsZero():
		return sign{"info", "send", "Publishing"}
	case w.Reason == post.WaitReconnect:
		return sign{"warn", "plug", "On hold"}
	case w.Reason == post.WaitTime && of.IsQueuePaused:
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
	default:
		return sign{"info", "clock", "Scheduled"}
	}
}

// wait explains what a SCHEDULED post waits for besides its time.
type wait struct {
	Tone, Icon string
	Text       string // with times in UTC, for Prose
	Reconnect  bool   // a person must connect the channel again
}

// waitOf returns why a SCHEDULED post is not published, or what will keep it from being published at its time; zero if
// only its time has not come. Try is the number of the next try; zero if it is not known.
func waitOf(p post.Post, of channel.Channel, try int) wait {
	w := p.EffectiveWaiting()
	if w == nil || !p.PublishingSince.IsZero() {
		return wait{}
	}
	network, next := of.Type.Network().Name(), nextTry(w, try)
	switch w.Reason {
	case post.WaitTime:
		return beforeTime(p, of)
	case post.WaitReconnect:
		return wait{
			"warn", "plug", "Reconnect " + of.Name + " to publish this post. We hold it until " + event.FormatTime(w.Until) + ".", true,
		}
	case post.WaitRetrying:
		return wait{Tone: "info", Icon: "rotate-cw", Text: network + " did not take the post yet." + next}
	case post.WaitRateLimited:
		return wait{Tone: "info", Icon: "history", Text: network + " limits how much this channel can publish." + next}
	case post.WaitProcessing:
		return wait{Tone: "info", Icon: "refresh-cw", Text: network + " is processing the post." + next}
	case post.WaitReconciling:
		return wait{Tone: "info", Icon: "search", Text: network + " did not confirm the post. We look for it there first, so it cannot appear twice." + next}
	default:
		return wait{}
	}
}

// beforeTime returns what will keep a post from being published at its time.
func beforeTime(p post.Post, of channel.Channel) wait {
	at := event.FormatTime(p.ScheduledAt)
	switch {
	case of.IsQueuePaused:
		return wait{Tone: "warn", Icon: "pause", Text: of.Name + " is paused. This post waits until you resume it."}
	case !of.IsConnected:
		return wait{"warn", "plug", "Channel disconnected: will fail at " + at + ".", true}
	case !of.Ready():
		return wait{"warn", "plug", "Channel lost its access: will be held at " + at + ".", true}
	default:
		return wait{}
	}
}
