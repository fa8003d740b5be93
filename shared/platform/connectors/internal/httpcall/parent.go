package httpcall

import (
	"errors"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// ErrNoParent is the cause of a failure of content whose post above has no id of the network.
var ErrNoParent = errors.New("the post above has no id of the network")

// ParentGone returns the failure of a reply or a comment to a post that no longer exists.
func (c *Client) ParentGone(to platform.ReplyTo, cause error) *platform.Failure {
	if to.Kind == post.PartComment {
		return c.Fail(platform.ClassRejected, platform.CodeParentGone, cause,
			"The post no longer exists on %s, so it takes no comments. Publish it again to comment on it.", c.config.Name)
	}
	return c.Fail(platform.ClassRejected, platform.CodeParentGone, cause,
		"The part before no longer exists on %s, so nothing can follow it. Publish the remaining parts as a new post.", c.config.Name)
}

// settling is the time for which a network may not show a new post to its own calls.
const settling = time.Minute

// ParentMissing returns the failure for a network's response that it does not know the post above, which was created at the
// given time (zero: long ago). Networks say so of new posts too.
func (c *Client) ParentMissing(to platform.ReplyTo, created time.Time, cause error) *platform.Failure {
	if c.Now().Sub(created) < settling {
		return c.Fail(platform.ClassTransient, platform.CodeParentNotShown, cause, "%s does not show the part before yet.", c.config.Name)
	}
	return c.ParentGone(to, cause)
}
