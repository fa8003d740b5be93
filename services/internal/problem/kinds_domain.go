package problem

import (
	"net/http"

	"socialpub.internal/shared/kernel/apperr"
)

func conflictKinds() []Kind {
	return []Kind{
		{
			Code: apperr.InvalidState, Status: http.StatusConflict, Title: "Not possible in this state",
			Meaning: "The post, the webhook or the link page is in a state that does not allow this action. `currentStatus` says in which.",
			Remedy: []string{
				"Read the post or the webhook again and decide anew; somebody else may have acted on it.",
				"Schedule and publish work from `DRAFT`, `SCHEDULED` and `FAILED`; unschedule from `SCHEDULED`; request-approval from `DRAFT`; approve and reject from `PENDING_APPROVAL`.",
				"A link page is unpublished while it is `PUBLISHED`.",
				"A webhook takes redeliveries and replays while it is enabled (`DISABLED`: set `isActive` to true), one replay at a time (`RUNNING`), and another rotation of its secret when the overlap of the last one has ended, or with `force` (`OVERLAP`).",
			},
		},
		{
			Code: apperr.PublishInProgress, Status: http.StatusConflict, Title: "Publishing in progress",
			Meaning: "The post is being published, or changed by others, at this very moment: it is too late for this change.",
			Remedy:  []string{"Read the post again after a few seconds; by then it is out, has failed, or waits for another try."},
		},
		{
			Code: apperr.MediaInUse, Status: http.StatusConflict, Title: "Media in use",
			Meaning: "The asset cannot be deleted while something uses it. `references` lists what does, by type, id and name.",
			Remedy:  []string{"Take the asset out of everything that `references` lists, then delete it again."},
		},
		{
			Code: apperr.IdempotencyInProgress, Status: http.StatusConflict, Title: "First request still running",
			Meaning: "The first request with this `Idempotency-Key` has not ended yet. Nothing was done for this one.",
			Remedy:  []string{"Send the request again, with the same key, after as many seconds as the header `Retry-After` says."},
		},
		{
			Code: apperr.PreconditionFailed, Status: http.StatusPreconditionFailed, Title: "Changed meanwhile",
			Meaning: "The header `If-Match` names another version than there is: somebody has changed it since you read it. Nothing was changed.",
			Remedy: []string{
				"Read it again, decide anew, and send the change with the `ETag` of that answer.",
				"Leave `If-Match` out to change whatever there is.",
			},
		},
		{
			Code: apperr.UploadNotReceived, Status: http.StatusConflict, Title: "Upload not received",
			Meaning: "The upload was completed before its bytes had arrived in storage.",
			Remedy:  []string{"Send the bytes with a PUT to `uploadUrl` and wait for its answer, then complete the upload again."},
		},
	}
}

func contentKinds() []Kind {
	return []Kind{
		{
			Code: apperr.ValidationFailed, Status: http.StatusUnprocessableEntity, Title: "Validation failed",
			Meaning: "The request can be read, but breaks rules. `errors` lists every fault with the place where it is: a JSON Pointer (RFC 6901) into the body, or the name of a parameter.",
			Remedy: []string{
				"Mend every fault in `errors` and send the request again.",
				"Members that the operation does not know are faults too, so that a misspelt one does not silently do nothing.",
			},
		},
		{
			Code: apperr.InvalidCursor, Status: http.StatusUnprocessableEntity, Title: "Invalid cursor",
			Meaning: "The cursor does not belong to this list: it is damaged, was made for another workspace or other filters, or is too old.",
			Remedy:  []string{"Send `nextCursor` of the previous page unchanged, with the same filters; or start again without a cursor."},
		},
		{
			Code: apperr.ChannelNotPublishable, Status: http.StatusUnprocessableEntity, Title: "Channel cannot be published to",
			Meaning: "Posts cannot be made for channels of this type: the network offers no way to publish, or the service does not support it yet.",
			Remedy:  []string{"Choose a channel whose `capabilities.publish` is true; `detail` names the one that is not."},
		},
		{
			Code: apperr.ChannelDisconnected, Status: http.StatusUnprocessableEntity, Title: "Channel is not connected",
			Meaning: "The channel is not connected any more, or its network does not accept the service's access: `isConnected` is false, or `tokenStatus` is `NEEDS_RECONNECT`.",
			Remedy:  []string{"Reconnect the channel in the application. Until then posts for it can be kept as drafts."},
		},
		{
			Code: apperr.ScheduledInPast, Status: http.StatusUnprocessableEntity, Title: "Time has passed",
			Meaning: "The time at which the post is to be published is not in the future.",
			Remedy:  []string{"Choose a later time, or publish at once. Check the offset: `09:00+02:00` is `07:00Z`."},
		},
		{
			Code: apperr.ChannelTypeMismatch, Status: http.StatusUnprocessableEntity, Title: "Channel of another platform",
			Meaning: "The operation is for channels of one platform, and this channel is of another one. `detail` says of which types it may be.",
			Remedy:  []string{"Send the id of a channel of that platform; `GET /v1/channels` lists them with their types."},
		},
		{
			Code: apperr.NoFreeSlot, Status: http.StatusUnprocessableEntity, Title: "No free slot",
			Meaning: "The channel has no posting schedule, or every slot of it within the next 90 days is taken by a scheduled post.",
			Remedy:  []string{"Add time slots to the channel's schedule in the application, or schedule the post for a time of your choice."},
		},
		{
			Code: apperr.QueuePaused, Status: http.StatusUnprocessableEntity, Title: "Queue paused",
			Meaning: "The channel's queue is paused, so that no post can be put into it.",
			Remedy:  []string{"Resume the queue in the application, or schedule the post for a time of your choice."},
		},
	}
}

func uploadKinds() []Kind {
	return []Kind{
		{
			Code: apperr.IdempotencyKeyReused, Status: http.StatusUnprocessableEntity, Title: "Idempotency key reused",
			Meaning: "The `Idempotency-Key` was used in this workspace within the last 24 hours for another request: another method, path or body.",
			Remedy: []string{
				"Send each request with a key of its own, and a repetition of it with the same key, path and body.",
			},
		},
		{
			Code: apperr.UploadMismatch, Status: http.StatusUnprocessableEntity, Title: "Upload is not what was declared",
			Meaning: "The size of the uploaded file, or its type as its bytes show it, differs from what was declared when the upload was started.",
			Remedy:  []string{"Start a new upload with the file's real size and type."},
		},
		{
			Code: apperr.ImportFailed, Status: http.StatusUnprocessableEntity, Title: "Import failed",
			Meaning: "The file could not be fetched from its address, the address is not allowed, or the file is of no supported type. `detail` says which.",
			Remedy:  []string{"Check that the address is public, answers without signing in, and leads to a picture, a video or a PDF."},
		},
	}
}

func serviceKinds() []Kind {
	return []Kind{
		{
			Code: apperr.Internal, Status: http.StatusInternalServerError, Title: "Internal error",
			Meaning: "Something went wrong inside the service. It has been recorded under `requestId`.",
			Remedy: []string{
				"Look whether the request had its effect before you send it again.",
				"If it stays so, tell support the `requestId`.",
			},
		},
		{
			Code: apperr.Unavailable, Status: http.StatusServiceUnavailable, Title: "Temporarily unavailable",
			Meaning: "Something that the service needs does not answer at the moment, or did not answer in time; or other requests hold what " +
				"this one needs, and `detail` says so. Nothing was done, unless the answer says that a change may have been made.",
			Remedy: []string{
				"Send the request again after as many seconds as the header `Retry-After` says, and wait longer each time.",
				"Give requests that create something an `Idempotency-Key`: then it is safe to send them again in either case.",
			},
		},
	}
}
