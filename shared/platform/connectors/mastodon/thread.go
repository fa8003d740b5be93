package mastodon

import (
	"net/http"
	"strconv"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// parent returns the id of the status that the content replies to; empty: none.
func (s session) parent(to *platform.ReplyTo) (string, error) {
	switch {
	case to == nil:
		return "", nil
	case !idPattern.MatchString(to.ParentID):
		return "", s.ParentGone(*to, httpcall.ErrNoParent)
	default:
		return to.ParentID, nil
	}
}

// refused classifies the refusal of a status. A server that does not know the status above responds 404, for a moment also to
// a new one (github.com/mastodon/mastodon/issues/21932).
func (s session) refused(response httpcall.Response, to *platform.ReplyTo) *platform.Failure {
	refusal := failure(s.Client, response)
	if to == nil || refusal.Code != CodeRefused || response.Status != http.StatusNotFound {
		return refusal
	}
	return s.ParentMissing(*to, createdAt(to.ParentID), refusal.Cause)
}

// createdAt returns the time in the id of a status: milliseconds, followed by 16 bits. It returns a time long ago for the ids
// of other software.
func createdAt(id string) time.Time {
	const bits = 16
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(number >> bits)
}
