package poststate

import (
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// CodeRefused is the code of connectors for content that the network does not take.
const CodeRefused = "CONTENT_REFUSED"

// Remedy advises a person about a failed post.
type Remedy struct {
	Text string
	// Reconnect, Look and Retry are the actions that the text names. Retry is the main action if Fit.
	Reconnect, Look bool
	Fit             bool
	Retry           string // text of the button
}

// RemedyOf returns what can be done about the error of a post.
func RemedyOf(e *post.Error, of channel.Channel) Remedy {
	network := of.Type.Network().Name()
	again := Remedy{Fit: true, Retry: "Try again"}
	switch e.Code {
	case post.ErrorMissedSchedule:
		again.Text, again.Retry = "Its time passed while we could not publish. Publish it now if it is still right.", "Publish now"
	case post.ErrorOutcomeUnknown:
		return Remedy{
			Text: "Look at " + of.Name + " on " + network + " first: the post may be there. Publish again only if it is not.",
			Look: true, Retry: "Publish again",
		}
	case post.ErrorNeedsReconnect:
		if !of.Ready() {
			return Remedy{Text: "Reconnect " + of.Name + ", then try again.", Reconnect: true, Retry: "Try again"}
		}
		again.Text = of.Name + " is connected again."
	case post.ErrorRateLimited, post.ErrorPlatformDown, post.ErrorProcessingTimeout:
		again.Text = "Nothing was published, and nothing is wrong with the post."
	case post.ErrorRemoved:
		return Remedy{
			Text: "It was public before. Read the notice of " + network + " to " + of.Name + " before you publish it again.",
			Look: true, Retry: "Publish again",
		}
	case platform.CodeHeldBack:
		return Remedy{
			Text: "Finish it on " + network + ". Publishing it again here would make a second post.", Look: true, Retry: "Publish again",
		}
	case post.ErrorChannelUnsupported:
		return Remedy{Text: "We cannot publish to this kind of channel."}
	default:
		if e.Retryable {
			return again
		}
		return Remedy{
			Text:  "Trying again unchanged will fail again. Change it, then try again.",
			Retry: "Try again",
		}
	}
	return again
}
