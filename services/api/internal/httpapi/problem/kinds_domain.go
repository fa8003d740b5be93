package problem

import (
	"net/http"

	"socialpub.internal/shared/apperr"
)

func conflictKinds() []Kind {
	return []Kind{
		{
			Code: apperr.InvalidState, Status: http.StatusConflict, Title: "Not possible in this state",
			Meaning: "The post is in a state that does not allow this action. `currentStatus` says in which.",
			Remedy: []string{
				"Read the post again and decide anew; somebody else may have acted on it.",
				"Schedule and publish work from `DRAFT`, `SCHEDULED` and `FAILED`; unschedule from `SCHEDULED`; request-approval from `DRAFT`; approve and reject from `PENDING_APPROVAL`.",
			},
		},
		{
			Code: apperr.PublishInProgress, Status: http.StatusConflict, Title: "Publishing in progress",
			Meaning: "The post is being published, or changed by others, at this very moment: it is too late for this change.",
			Remedy:  []string{"Read the post again after a few seconds; by then it is out, has failed, or waits for another try."},
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
			Meaning: "Something that the service needs does not answer at the moment, or did not answer in time.",
			Remedy:  []string{"Send the request again after as many seconds as the header `Retry-After` says, and wait longer each time."},
		},
	}
}
