package facebook

import (
	"context"
	"errors"

	"fencepost.internal/shared/platform"
)

// draftState is the publish status of a video that Facebook hides until a person publishes it.
const draftState = "draft"

var errDraft = errors.New("the video is ready and stays a draft")

// heldBack reports whether Facebook has finished the video and keeps it as a draft, as it does with some vertical videos
// ("Your reel is ready").
func (v video) heldBack() bool {
	return v.Status.Video == videoReady && v.Status.Publishing.State == draftState
}

// Review reads the state of a published video, which Facebook processes before it shows it. Posts of other kinds are
// shown at once.
func (c *Connector) Review(
	ctx context.Context, account platform.Account, externalID string,
) (platform.Publication, error) {
	if !usable(account) {
		return platform.Publication{}, c.client.Reconnect(errNoToken)
	}
	if !objectPattern.MatchString(externalID) {
		return c.publication(externalID, c.permalinkOf(ctx, account, externalID)), nil
	}
	found, err := c.video(ctx, "review", account, externalID)
	if err != nil { // a refused read says nothing about the post
		return platform.Publication{}, c.client.Unavailable(err)
	}
	if found.failed() {
		return platform.Publication{}, c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, found.cause(),
			"Facebook could not process the video. Replace it, or convert it to an MP4 video, then publish the post again.")
	}
	if found.heldBack() {
		return platform.Publication{}, c.client.Fail(platform.ClassRejected, platform.CodeHeldBack, errDraft,
			"Facebook keeps the video as a draft. Open Meta Business Suite, Content, Drafts, and press Publish there. Or delete "+
				"the draft there, then publish the post again.")
	}
	return c.videoPublication(found, !found.public()), nil
}
