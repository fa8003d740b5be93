package tools

import (
	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/kernel/apperr"
)

// next returns the advice for an agent about a refusal.
func (t *Tools) next(code apperr.Code, failure *apperr.Error) string {
	switch code { //nolint:exhaustive // the others do not occur in tools or have only the default advice
	case apperr.InvalidState:
		return nextInState(failure.CurrentStatus)
	case apperr.ScheduledInPast:
		return "Choose a later time; it is now " + t.cfg.Clock.Now().UTC().Format(event.TimeFormat) + ". To publish at once, call publish_post, or create_post with schedule \"now\"."
	case apperr.RateLimited, apperr.IdempotencyInProgress, apperr.Unavailable:
		return "Nothing was done, or it goes on by itself. Wait retryAfterSeconds (2 seconds where it is missing), then call the tool again with the same arguments, idempotencyKey included."
	default:
		if text, ok := advice()[code]; ok {
			return text
		}
		return "Do not repeat the call as it is. Tell the person the detail and the requestId."
	}
}

// advice returns the advice for codes that need no further context.
func advice() map[apperr.Code]string {
	return map[apperr.Code]string{
		apperr.MalformedRequest:      "Send the arguments as one JSON object in which no member stands twice.",
		apperr.Unauthenticated:       "The person has to connect this program to the service again.",
		apperr.InsufficientScope:     "Ask the person to allow this program requiredScopes as well; the client is asked for them when it calls the tool over HTTP. Another credential with these scopes will do, too.",
		apperr.NotFound:              "Ids are those of this workspace alone. Take post ids from list_posts, channel ids from list_channels, media ids from create_media_upload, and the ids of link pages and blocks from list_link_pages and get_link_page.",
		apperr.ValidationFailed:      "Mend what errors points at (each pointer leads into the arguments) and call the tool again.",
		apperr.ChannelNotPublishable: "Choose another channel: list_channels tells by capabilities.publish which take posts.",
		apperr.ChannelDisconnected:   "A person has to connect the channel again in the application. Until then, keep the post as a draft, or choose another channel.",
		apperr.ChannelTypeMismatch:   "Choose a channel of the type that detail names: list_channels lists every channel with its type.",
		apperr.NoFreeSlot:            "Pass a time instead of next_slot: scheduledAt of schedule_post, or schedule of create_post.",
		apperr.QueuePaused:           "The channel's queue is paused. Pass a time instead of next_slot.",
		apperr.PublishInProgress:     "The post is going out at this moment. Call get_post in a few seconds to see what came of it.",
		apperr.IdempotencyKeyReused:  "The key belongs to another request. For a new post use a new key; to repeat the earlier call, send exactly its arguments.",
		apperr.UploadNotReceived:     "PUT the raw bytes to uploadUrl with the headers that create_media_upload gave, then call complete_media_upload again.",
		apperr.UploadMismatch:        "The upload is over. Call create_media_upload again with the exact size in bytes and the true type of the file.",
		apperr.QuotaExceeded:         "The workspace's plan allows no more of this. Tell the person what detail says.",
		apperr.PreconditionFailed:    "Somebody changed the page. Call get_link_page, look at it again, and pass its revision as expectedRevision.",
		apperr.InvalidCursor:         "Call list_posts without cursor, or with nextCursor of the page before, the same filters and the same sort.",
		apperr.PayloadTooLarge:       "Send less in one call.",
	}
}

// nextInState returns the possible actions on a post in a state.
func nextInState(status string) string {
	switch post.Status(status) {
	case post.Draft:
		return "The post is a draft: schedule_post, publish_post or request_approval can be called for it."
	case post.PendingApproval:
		return "The post waits for a decision: call approve_post or reject_post first."
	case post.Scheduled:
		return "The post is scheduled: schedule_post moves it, publish_post publishes it now, unschedule_post makes it a draft again."
	case post.Failed:
		return "Publishing the post failed: its error (get_post) says why. Once that is mended, call publish_post or schedule_post."
	case post.Published:
		return "The post is out and cannot be changed. Make a new one with create_post."
	case post.Archived:
		return "The post is archived; a person can bring it back in the application."
	default:
		return "Look at what it is now: get_post, or get_link_page."
	}
}
