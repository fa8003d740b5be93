package comments

import (
	"errors"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// Codes of refused answers to comments and reviews. Nothing was sent.
const (
	CodeGone       = httpcall.CodeGone   // the comment, or the post below which it was
	CodeOff        = "COMMENTS_DISABLED" // the post takes no comments
	CodeTooLong    = "TEXT_TOO_LONG"
	CodeNotAllowed = "REPLY_NOT_ALLOWED" // a permission is missing
	CodeRefused    = "REPLY_REFUSED"
	CodeModerated  = "REPLY_MODERATED" // the network refused the answer after it accepted it
)

// Codes returns the codes of refused answers.
func Codes() []string {
	return []string{CodeGone, CodeOff, CodeTooLong, CodeNotAllowed, CodeRefused, CodeModerated}
}

// Network words the failures of a network in calls about comments.
type Network struct {
	*httpcall.Client

	What string // "comments" or "reviews"
}

// Unread returns the failure of a read, as classified for calls about posts. The missing permission is that which the
// connection lacks; empty: the refusal has another reason.
func (n Network) Unread(failure *platform.Failure, missing string) *platform.Failure {
	switch {
	case missing != "":
		return n.Fail(platform.ClassUser, platform.CodeReadRefused, failure.Cause,
			"%s does not show %s to this connection. Connect the channel again and allow it there (%s).", n.Name(), n.What, missing)
	case failure.Class == platform.ClassRateLimited:
		failure.Message = n.Name() + " limits how often " + n.What + " may be read."
	case failure.Class == platform.ClassRejected, failure.Class == platform.ClassUser:
		return n.Fail(failure.Class, failure.Code, failure.Cause, "%s does not show %s of this account at present.", n.Name(), n.What)
	}
	return failure
}

// Unsent returns the failure of an answer, as classified for posts. The missing permission is that which the connection
// lacks; empty: the refusal has another reason.
func (n Network) Unsent(failure *platform.Failure, missing string) *platform.Failure {
	switch {
	case missing != "":
		return n.Fail(platform.ClassUser, CodeNotAllowed, failure.Cause,
			"%s does not let this connection answer. Connect the channel again and allow it there (%s), then send the answer again.",
			n.Name(), missing)
	case failure.Class == platform.ClassRejected:
		return n.Fail(platform.ClassRejected, CodeRefused, failure.Cause,
			"%s refused the answer. Check its text, then send it again.", n.Name())
	case failure.Class == platform.ClassUser:
		return n.Fail(platform.ClassUser, failure.Code, failure.Cause,
			"%s does not let this account write at present. Sign in there, follow its instructions, then send the answer again.", n.Name())
	case failure.Class == platform.ClassOperator:
		return n.Fail(platform.ClassOperator, failure.Code, failure.Cause,
			"%s does not let this service answer at present. Its operator has to act.", n.Name())
	}
	return n.ReplyFailure(failure)
}

// TooLong returns the failure of an answer that is too long.
func (n Network) TooLong(cause error) *platform.Failure {
	return n.Fail(platform.ClassRejected, CodeTooLong, cause, "The answer is longer than %s allows. Shorten it, then send it again.",
		n.Name())
}

// Unchanged returns the failure of a call that hides or removes a comment.
func (n Network) Unchanged(failure *platform.Failure, missing string) *platform.Failure {
	switch {
	case missing != "":
		return n.Fail(platform.ClassUser, CodeNotAllowed, failure.Cause,
			"%s does not let this connection hide or remove comments. Connect the channel again and allow it there (%s).", n.Name(),
			missing)
	case failure.Class == platform.ClassRejected, failure.Class == platform.ClassUser:
		return n.Fail(failure.Class, CodeRefused, failure.Cause, "%s refused to hide or remove the comment. Look there.", n.Name())
	case failure.Class == platform.ClassRateLimited:
		failure.Message = n.Name() + " limits how often comments may be changed."
	}
	return failure
}

var errNotListed = errors.New("the answer is not listed yet")

// Found returns the ID of the answer among the account's own comments in its conversation. It is empty if the list is whole,
// and the call is over for so long that the answer will not appear any more.
func (n Network) Found(reply platform.Reply, sentAt time.Time, own []readback.Listed, whole bool) (string, error) {
	sent := platform.Sent{Text: reply.Text, At: sentAt}
	search := readback.NewSearch(sent)
	if found, ok := search.Read(own); ok {
		return found.ExternalID, nil
	}
	if !whole || search.Absence() != platform.EvidenceAbsent || n.Now().Before(sent.Latest()) {
		return "", n.Unavailable(errNotListed)
	}
	return "", nil
}
