package tools

import (
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
)

// next returns the advice for an agent about a refusal.
func (t *Tools) next(code apperr.Code, failure *apperr.Error) string {
	switch code { //nolint:exhaustive // the others do not occur in tools or have only the default advice
	case apperr.InvalidState:
		return nextInState(failure.CurrentStatus)
	case apperr.ScheduledInPast:
		return "Choose a later time; it is now " + t.cfg.Clock.Now().UTC().Format(event.TimeFormat) +
			". To publish at once, call publish_post, or create_post with schedule \"now\"."
	case apperr.RateLimited, apperr.IdempotencyInProgress, apperr.Unavailable:
		return "The call had no effect, or the operation is still running. Wait retryAfterSeconds (2 seconds if it is " +
			"missing), then call the tool again with the same arguments, including idempotencyKey."
	default:
		if text, ok := advice()[code]; ok {
			return text
		}
		return "Do not repeat the call unchanged. Report detail and requestId to the user."
	}
}

// advice returns the advice for codes that need no further context.
func advice() map[apperr.Code]string {
	return map[apperr.Code]string{
		apperr.MalformedRequest: "Send the arguments as one JSON object without duplicate fields.",
		apperr.Unauthenticated:  "The user must connect this program to the service again.",
		apperr.InsufficientScope: "Ask the user for access with requiredScopes: another API key that has them, or a " +
			"new authorization of this program by a person whose role allows them.",
		apperr.ApprovalRequired: "Create the post as a draft, or keep it; set its time with update_post, and call request_approval. " +
			"A person decides in the application.",
		apperr.NotFound: "Use IDs of this workspace only. Get post IDs from list_posts, channel IDs from " +
			"list_channels, media IDs from list_media, import_media or complete_media_upload, and the IDs of link pages and blocks from list_link_pages " +
			"and get_link_page.",
		apperr.ValidationFailed: "Fix the arguments that errors lists (each pointer is a location in the arguments) " +
			"and call the tool again.",
		apperr.ChannelNotPublishable: "Choose another channel: in list_channels, capabilities.publish marks channels that " +
			"accept posts.",
		apperr.ChannelDisconnected: "A person must reconnect the channel in the application, under Channels. Until then, keep the post " +
			"as a draft, or choose another channel.",
		apperr.ChannelTypeMismatch: "Choose a channel of the type in detail: list_channels returns channels with " +
			"their types.",
		apperr.NoFreeSlot: "Pass a time instead of next_slot: scheduledAt of schedule_post, or schedule of " +
			"create_post.",
		apperr.QueuePaused: "A person paused the channel, or all publishing. Pass a time instead of next_slot: the post is " +
			"accepted, and waits until a person resumes the channel.",
		apperr.PublishInProgress: "The post is being published. Call get_post in a few seconds to check the outcome.",
		apperr.IdempotencyKeyReused: "The key belongs to another request. Use a new key for a new post; to repeat the " +
			"earlier call, send the same arguments.",
		apperr.ImportFailed: "Pass the URL of the file itself, which must be public; detail is the cause. For a local file, " +
			"call create_media_upload.",
		apperr.UploadNotReceived: "Send the raw bytes to uploadUrl by PUT with the headers from create_media_upload, " +
			"then call complete_media_upload again.",
		apperr.UploadMismatch: "The upload was rejected. Call create_media_upload again with the exact size in " +
			"bytes and the type of the file.",
		apperr.QuotaExceeded: "The workspace has reached a limit of its plan. Report detail to the user.",
		apperr.PreconditionFailed: "The page was changed. Call get_link_page, check the page, and pass its revision as " +
			"expectedRevision.",
		apperr.InvalidCursor: "Call the list without cursor, or with nextCursor of the previous page, the same " +
			"filters and the same sort.",
		apperr.PayloadTooLarge: "Send fewer or shorter arguments per call.",
	}
}

// nextInState returns the possible actions on a post in a state.
func nextInState(status string) string {
	switch post.Status(status) {
	case post.Draft:
		return "The post is a draft: call schedule_post, publish_post or request_approval."
	case post.PendingApproval:
		return "The post waits for a decision: call approve_post or reject_post first."
	case post.Scheduled:
		return "The post is scheduled: schedule_post moves it, publish_post publishes it now, unschedule_post makes it a " +
			"draft again."
	case post.Failed:
		return "Publishing the post failed: error in get_post contains the reason. Fix it, then call publish_post or " +
			"schedule_post."
	case post.Published:
		return "The post is published and cannot be changed. Create a new post with create_post."
	case post.Archived:
		return "The post is archived; a person can unarchive it in the application."
	default:
		return "Read the current state with get_post or get_link_page."
	}
}
