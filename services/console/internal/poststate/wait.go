package poststate

import (
	"fmt"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
)

// Wait explains what a SCHEDULED post waits for besides its time.
type Wait struct {
	Tone, Icon string
	Text       string // with times in UTC, for Prose
	// Action ends the wait, on the page Path within the workspace. It needs a permission.
	Action, Path, Needs string
}

// WaitOf returns why a SCHEDULED post is not published, or what will keep it from being published at its time; zero if
// only its time has not come.
func WaitOf(p post.Post, of channel.Channel) Wait {
	w := p.EffectiveWaiting()
	if w == nil || !p.PublishingSince.IsZero() && w.Reason != post.WaitReview {
		return Wait{}
	}
	network, next := of.Type.Network().Name(), nextTry(w)
	switch w.Reason {
	case post.WaitReview:
		return Wait{
			Tone: "info", Icon: "search",
			Text: network + " took the post and reviews it before showing it. We look again until " + event.FormatTime(w.Deadline) + ".",
		}
	case post.WaitTime:
		return beforeTime(p, of)
	case post.WaitPaused:
		return paused(of)
	case post.WaitAfterPost:
		return afterPost(p, w)
	case post.WaitReconnect:
		return reconnect(of, "Reconnect "+of.Name+" to publish this post. We hold it until "+event.FormatTime(w.Until)+".")
	case post.WaitRetrying:
		return Wait{Tone: "info", Icon: "rotate-cw", Text: network + " did not take the post yet." + next}
	case post.WaitRateLimited:
		return Wait{Tone: "info", Icon: "history", Text: network + " limits how much this channel can publish." + next}
	case post.WaitProcessing:
		return Wait{Tone: "info", Icon: "refresh-cw", Text: network + " is processing the post." + next}
	case post.WaitReconciling:
		return Wait{
			Tone: "info", Icon: "search",
			Text: network + " did not confirm the post. We look for it there first, so it cannot appear twice." + next,
		}
	default:
		return Wait{Tone: "info", Icon: "refresh-cw", Text: frame.Words(w.Reason) + "." + next}
	}
}

// beforeTime returns what will keep a post from being published at its time.
func beforeTime(p post.Post, of channel.Channel) Wait {
	at := event.FormatTime(p.ScheduledAt)
	switch {
	case of.Paused() && !p.OverridesPause:
		return paused(of)
	case !of.IsConnected:
		return reconnect(of, "Channel disconnected: will fail at "+at+".")
	case !of.Ready():
		return reconnect(of, "Channel lost its access: will be held at "+at+".")
	default:
		return Wait{}
	}
}

func paused(of channel.Channel) Wait {
	w := Wait{Tone: "warn", Icon: "pause", Action: "Resume", Needs: string(credential.PostsPublish)}
	if of.PublishingStopped {
		w.Icon, w.Path, w.Text = "octagon-pause", "/publishing", "All publishing is stopped. This post waits."
	} else {
		w.Path, w.Text = "/channels/"+of.ID.String(), of.Name+" is paused. This post waits."
	}
	return w
}

func afterPost(p post.Post, w *post.Waiting) Wait {
	out := Wait{Tone: "info", Icon: "link", Text: "Waits until the post before it is published."}
	if w.Until.After(p.UpdatedAt) {
		out.Text = "Follows the post before it at " + event.FormatTime(w.Until) + "."
	}
	return out
}

func reconnect(of channel.Channel, text string) Wait {
	return Wait{
		"warn", "plug", text, "Reconnect", "/channels/" + of.ID.String() + "/reconnect", string(credential.ChannelsConnect),
	}
}

// nextTry says when the service acts next on a post that waits, and when it gives up; empty if neither is known.
func nextTry(w *post.Waiting) string {
	text := ""
	switch {
	case w.Until.IsZero():
	case w.Try > 0:
		text = fmt.Sprintf(" Try %d at %s.", w.Try, event.FormatTime(w.Until))
	default:
		text = " Next look at " + event.FormatTime(w.Until) + "."
	}
	if !w.Deadline.IsZero() {
		text += " Gives up at " + event.FormatTime(w.Deadline.Truncate(time.Minute)) + "."
	}
	return text
}
