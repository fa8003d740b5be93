package problem

import (
	"net/http"

	"fencepost.internal/shared/kernel/apperr"
)

func stateKinds() []Kind {
	return []Kind{
		{
			Code: apperr.InvalidState, Status: http.StatusConflict, Title: "Invalid state",
			Meaning: "The state of the post, the webhook or the link page does not allow this action. `currentStatus` " +
				"contains the state.",
			Remedy: []string{
				"Read the resource again; another client may have changed it.",
				"Schedule and publish require `DRAFT`, `SCHEDULED` or `FAILED`; unschedule requires `SCHEDULED`; " +
					"request-approval requires `DRAFT`; approve and reject require `PENDING_APPROVAL`.",
				"Unpublishing a link page requires `PUBLISHED`.",
				"Webhooks: `DISABLED` means that redeliveries and replays require an enabled webhook; set `isActive` to true. " +
					"`RUNNING` means that a replay is running; wait for its end. `OVERLAP` means that the previous secret still " +
					"signs; wait, or rotate with `force`.",
			},
		},
		{
			Code: apperr.ApprovalRequired, Status: http.StatusConflict, Title: "Approval required",
			Meaning: "The approval policy of the channel (`approvalPolicy`) does not let the post out without the approval of " +
				"other people. Nothing was changed.",
			Remedy: []string{
				"Keep the post as a draft with its time as `scheduledAt`, then request approval. Once a person decides in " +
					"the application, it is scheduled for that time.",
				"API keys and programs cannot approve under the policies `REQUIRED` and `TWO_STEP`.",
			},
		},
	}
}

func conflictKinds() []Kind {
	return []Kind{
		{
			Code: apperr.PublishInProgress, Status: http.StatusConflict, Title: "Publishing in progress",
			Meaning: "The post is being published or changed by another request, so the change was rejected.",
			Remedy: []string{"Read the post again after a few seconds. It is then published, failed, or waiting for the " +
				"next attempt."},
		},
		{
			Code: apperr.MediaInUse, Status: http.StatusConflict, Title: "Media in use",
			Meaning: "The asset cannot be deleted while it is used. `references` lists the uses by type, ID and name.",
			Remedy:  []string{"Remove the asset from everything in `references`, then delete it again."},
		},
		{
			Code: apperr.ExternalIDInUse, Status: http.StatusConflict, Title: "External ID in use",
			Meaning: "Another post of the channel has this `externalId`. `postId` is its ID. Nothing was changed.",
			Remedy: []string{
				"If the post in `postId` is the one that you meant to create, an earlier request has created it: continue with it.",
				"Otherwise send another `externalId`, or remove it from that post.",
			},
		},
		{
			Code: apperr.IdempotencyInProgress, Status: http.StatusConflict, Title: "First request still running",
			Meaning: "The first request with this `Idempotency-Key` is still running. This request had no effect.",
			Remedy: []string{"Wait the number of seconds in the header `Retry-After`, then send the request again with the " +
				"same key."},
		},
		{
			Code: apperr.PreconditionFailed, Status: http.StatusPreconditionFailed, Title: "Changed meanwhile",
			Meaning: "The resource has another version than the header `If-Match`: it was changed after it was read. Nothing " +
				"was changed.",
			Remedy: []string{
				"Read the resource again, then send the change with the `ETag` of that response.",
				"Omit `If-Match` to change any version.",
			},
		},
		{
			Code: apperr.UploadNotReceived, Status: http.StatusConflict, Title: "Upload not received",
			Meaning: "The upload cannot be completed, because its bytes are not in storage.",
			Remedy:  []string{"Send the bytes to `uploadUrl` by PUT, wait for the response, then complete the upload again."},
		},
	}
}

func contentKinds() []Kind {
	return []Kind{
		{
			Code: apperr.ValidationFailed, Status: http.StatusUnprocessableEntity, Title: "Validation failed",
			Meaning: "Fields or parameters of the request are not valid. `errors` lists every fault with its location: a " +
				"JSON Pointer (RFC 6901) into the body, or the name of a parameter.",
			Remedy: []string{
				"Fix every fault in `errors` and send the request again.",
				"Check the spelling of fields and parameters: unknown names are faults.",
			},
		},
		{
			Code: apperr.InvalidCursor, Status: http.StatusUnprocessableEntity, Title: "Invalid cursor",
			Meaning: "The cursor does not belong to this list: it is damaged, belongs to another workspace or other filters, " +
				"or is too old.",
			Remedy: []string{"Send `nextCursor` of the previous page unchanged, with the same filters, or start again " +
				"without a cursor."},
		},
		{
			Code: apperr.ChannelNotPublishable, Status: http.StatusUnprocessableEntity, Title: "Channel cannot be published to",
			Meaning: "Posts cannot be created for channels of this type: the network does not allow publishing, or the " +
				"service does not support it yet.",
			Remedy: []string{"Choose a channel whose `capabilities.publish` is true; `detail` names the rejected channel."},
		},
		{
			Code: apperr.ChannelDisconnected, Status: http.StatusUnprocessableEntity, Title: "Channel is not connected",
			Meaning: "The channel is no longer connected, or its network rejects the access of the service: `isConnected` is " +
				"false, or `tokenStatus` is `NEEDS_RECONNECT`.",
			Remedy: []string{
				"Reconnect the channel in the application, under Channels. Until then, keep posts for it as drafts.",
			},
		},
		{
			Code: apperr.ScheduledInPast, Status: http.StatusUnprocessableEntity, Title: "Time in the past",
			Meaning: "The time at which the post is to be published is not in the future.",
			Remedy:  []string{"Choose a later time, or publish at once. Check the offset: `09:00+02:00` is `07:00Z`."},
		},
		{
			Code: apperr.ChannelTypeMismatch, Status: http.StatusUnprocessableEntity, Title: "Channel of another platform",
			Meaning: "The operation does not support channels of this platform. `detail` lists the supported types.",
			Remedy:  []string{"Send the ID of a channel of that platform; `GET /v1/channels` lists channels with their types."},
		},
		{
			Code: apperr.NoFreeSlot, Status: http.StatusUnprocessableEntity, Title: "No free slot",
			Meaning: "The channel has no posting schedule, or every slot within the next 90 days has a scheduled post.",
			Remedy:  []string{"Add time slots to the channel's schedule, on its page in the application, or send a time."},
		},
		{
			Code: apperr.QueuePaused, Status: http.StatusUnprocessableEntity, Title: "Queue paused",
			Meaning: "The channel is paused, or all publishing of the workspace is stopped, and its queue accepts no posts.",
			Remedy:  []string{"Resume the queue in the application, or send a time."},
		},
	}
}

func uploadKinds() []Kind {
	return []Kind{
		{
			Code: apperr.IdempotencyKeyReused, Status: http.StatusUnprocessableEntity, Title: "Idempotency key reused",
			Meaning: "The `Idempotency-Key` was used in this workspace within the last 24 hours with another method, path " +
				"or body.",
			Remedy: []string{
				"Send each new request with a new key, and each repetition with the same key, path and body.",
			},
		},
		{
			Code: apperr.UploadMismatch, Status: http.StatusUnprocessableEntity, Title: "Upload differs from its declaration",
			Meaning: "The size or the detected type of the uploaded file differs from the size or type declared when the " +
				"upload was started.",
			Remedy: []string{"Start a new upload with the exact size and type of the file."},
		},
		{
			Code: apperr.ImportFailed, Status: http.StatusUnprocessableEntity, Title: "Import failed",
			Meaning: "The file could not be downloaded, its URL is not allowed, or its type is not supported. `detail` " +
				"contains the cause.",
			Remedy: []string{"Check that the URL is public, needs no sign-in, and returns an image, a video or a PDF."},
		},
	}
}

func serviceKinds() []Kind {
	return []Kind{
		{
			Code: apperr.Internal, Status: http.StatusInternalServerError, Title: "Internal error",
			Meaning: "The service has an internal error. It is logged with the `requestId`.",
			Remedy: []string{
				"Check whether the request took effect before you send it again.",
				"If the error persists, contact support with the `requestId`.",
			},
		},
		{
			Code: apperr.Unavailable, Status: http.StatusServiceUnavailable, Title: "Temporarily unavailable",
			Meaning: "A dependency of the service is unavailable or did not respond in time, or other requests block " +
				"this one. `detail` contains the cause. Nothing was changed, unless the response says that a change may have " +
				"been made.",
			Remedy: []string{
				"Wait the number of seconds in the header `Retry-After`, then send the request again. Increase the delay with " +
					"each attempt.",
				"Send an `Idempotency-Key` with requests that create something, so that they can be repeated safely.",
			},
		},
	}
}
