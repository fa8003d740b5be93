package comments

import (
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// CodeFirstTooLong is the code of a first comment that is longer than the network allows.
const CodeFirstTooLong = "CONTENT_TOO_LONG"

// FirstCodes returns the codes of refused first comments, beside those of refused posts. Nothing was published.
func FirstCodes() []string {
	return []string{CodeOff, CodeNotAllowed, CodeFirstTooLong, platform.CodeParentGone}
}

// IsFirst reports whether the content is the first comment below a post.
func IsFirst(content platform.Content) bool {
	return content.ReplyTo != nil && content.ReplyTo.Kind == post.PartComment
}

// Off returns the failure of a first comment below a post that takes none. The reason may add to it; empty: nothing.
func (n Network) Off(cause error, reason string) *platform.Failure {
	return n.Fail(platform.ClassRejected, CodeOff, cause,
		"Comments are turned off below this post%s. Turn them on at %s, then continue the post.", reason, n.Name())
}

// Unwritten returns the failure of a first comment, as classified for posts. The missing permission is that which the
// connection lacks; empty: the refusal has another reason.
func (n Network) Unwritten(failure *platform.Failure, missing string) *platform.Failure {
	switch {
	case missing != "":
		return n.Fail(platform.ClassUser, CodeNotAllowed, failure.Cause,
			"%s does not let this connection comment. Connect the channel again and allow it there (%s), then continue the post.",
			n.Name(), missing)
	case failure.Class == platform.ClassRejected:
		return n.Fail(platform.ClassRejected, failure.Code, failure.Cause,
			"%s refused the first comment. Write it there yourself, with another text.", n.Name())
	case failure.Class == platform.ClassUser:
		return n.Fail(platform.ClassUser, failure.Code, failure.Cause,
			"%s does not let this account comment at present. Sign in there, follow its instructions, then continue the post.", n.Name())
	case failure.Class == platform.ClassOperator:
		return n.Fail(platform.ClassOperator, failure.Code, failure.Cause,
			"%s does not let this service comment at present. Its operator has to act; then continue the post.", n.Name())
	}
	return n.FirstFailure(failure)
}

// FirstTooLong returns the failure of a first comment that is too long.
func (n Network) FirstTooLong(cause error) *platform.Failure {
	return n.Fail(platform.ClassRejected, CodeFirstTooLong, cause,
		"The first comment is longer than %s allows. Write a shorter one there yourself.", n.Name())
}

// FirstFailure words a failure of the irrevocable call for a first comment.
func (n Network) FirstFailure(err error) *platform.Failure {
	failure := platform.FailureOf(err)
	switch failure.Code {
	case post.ErrorOutcomeUnknown:
		failure.Message = n.Name() + " did not confirm whether the first comment was published."
	case post.ErrorRateLimited:
		failure.Message = n.Name() + " limits how often this account may comment."
	case platform.CodeDuplicate:
		failure.Message = n.Name() + " refused the first comment because this account has written the same text already."
	case platform.CodeSendWindowClosed:
		failure.Message = "The first comment was not sent in its time window."
	}
	return failure
}

// mostPages is the number of pages that are searched for a first comment.
const mostPages = 20

// Page is a page of the comments below a post.
type Page struct {
	Listed []readback.Listed // those of the account, and without an ID those whose author is unknown
	Last   bool              // no comment of the time of the call follows
}

// Search searches the comments below a post for the first comment of a call. Absence is certain only if all pages were
// read and none has a comment that may be it.
func Search(search *readback.Search, next func() (Page, error)) (platform.Evidence, platform.Publication, error) {
	for range mostPages {
		page, err := next()
		if err != nil {
			return platform.EvidenceUnclear, platform.Publication{}, err
		}
		if found, ok := search.Read(page.Listed); ok {
			return platform.EvidenceFound, found, nil
		}
		if page.Last {
			return search.Absence(), platform.Publication{}, nil
		}
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}
