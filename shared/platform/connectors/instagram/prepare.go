package instagram

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

var errNoMedia = errors.New("the post has no image and no video")

// Prepare creates the container, preceded by one container per file if there are several, or checks whether it is
// ready. A container that has expired, is gone, or failed for a passing reason is replaced. Containers are invisible,
// so this is safe.
func (c *Connector) Prepare(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Preparation, error) {
	if comments.IsFirst(content) {
		return platform.Preparation{Ready: true}, nil
	}
	if len(content.Media) == 0 {
		return platform.Preparation{}, c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, errNoMedia,
			"Instagram has no posts without media. Add an image or a video, then publish the post again.")
	}
	c = c.of(account)
	preparation, err := c.api.Prepare(ctx, account, plan(content), handle)
	return preparation, c.untilQuota(ctx, account, err)
}

func plan(content platform.Content) graph.Plan {
	if video, cover, ok := coveredReel(content); ok {
		return graph.Plan{Whole: func(ctx context.Context, _ []string) (url.Values, error) {
			form, err := graph.WithFile(ctx, content, video, single(video, content))
			if err != nil {
				return nil, err
			}
			link, err := content.Files.Link(ctx, cover)
			form.Set("cover_url", link)
			return form, err
		}}
	}
	if len(content.Media) > 1 {
		return graph.Plan{
			Items: graph.Items(content, func(asset media.Asset) url.Values { return itemOf(asset, content) }),
			Whole: func(_ context.Context, items []string) (url.Values, error) {
				form := url.Values{"media_type": {"CAROUSEL"}, "children": {strings.Join(items, ",")}}
				return withSettings(captioned(form, content), content), nil
			},
		}
	}
	asset := content.Media[0]
	return graph.Plan{Whole: func(ctx context.Context, _ []string) (url.Values, error) {
		return graph.WithFile(ctx, content, asset, single(asset, content))
	}}
}

// coveredReel returns the video of a reel and the picture that is its cover; false for other posts.
func coveredReel(content platform.Content) (video, cover media.Asset, ok bool) {
	if content.ContentType != post.ContentReel && content.ContentType != post.ContentVideo || len(content.Media) != 2 {
		return video, cover, false
	}
	video, cover = content.Media[0], content.Media[1]
	if cover.Type == media.Video {
		video, cover = cover, video
	}
	return video, cover, video.Type == media.Video && cover.Type == media.Image
}

// itemOf returns the parameters of a carousel's item. Items have no caption. The first picture has the tags of the post.
func itemOf(asset media.Asset, content platform.Content) url.Values {
	if asset.Type == media.Video {
		return url.Values{"media_type": {"VIDEO"}}
	}
	form := described(url.Values{}, asset)
	picture := slices.IndexFunc(content.Media, func(of media.Asset) bool { return of.Type != media.Video })
	if asset.ID == content.Media[picture].ID {
		form = tagged(form, content.Options.UserTags, true)
	}
	return form
}

// described adds the alternative text of an image. Instagram has none for reels and stories (IG User Media, alt_text).
func described(form url.Values, asset media.Asset) url.Values {
	if asset.AltText != "" {
		form.Set("alt_text", asset.AltText)
	}
	return form
}

// covered adds the options of a reel.
func covered(form url.Values, options post.Options) url.Values {
	if options.CoverURL != "" {
		form.Set("cover_url", options.CoverURL)
	}
	if options.ThumbOffset != nil {
		form.Set("thumb_offset", strconv.FormatInt(*options.ThumbOffset, 10))
	}
	if options.ShareToFeed != nil {
		form.Set("share_to_feed", strconv.FormatBool(*options.ShareToFeed))
	}
	return form
}

// single returns the parameters of a post with one file. A single video is always a reel, because Instagram has no
// other posts with a single video. A story shows no caption.
func single(asset media.Asset, content platform.Content) url.Values {
	switch {
	case content.ContentType == post.ContentStory:
		return url.Values{"media_type": {"STORIES"}}
	case asset.Type == media.Video:
		form := covered(captioned(url.Values{"media_type": {"REELS"}}, content), content.Options)
		return withSettings(tagged(form, content.Options.UserTags, false), content)
	default:
		form := described(captioned(url.Values{}, content), asset)
		return withSettings(tagged(form, content.Options.UserTags, true), content)
	}
}

func captioned(form url.Values, content platform.Content) url.Values {
	if content.Text != "" {
		form.Set("caption", content.Text)
	}
	return form
}

// readContainer reads a container's status.
func (c *Connector) readContainer(response httpcall.Response) (graph.Look, error) {
	var result struct {
		Code   string `json:"status_code"`
		Status string `json:"status"` // text, with an error code if the container failed
	}
	if err := response.Decode(&result); err != nil || result.Code == "" {
		return graph.Look{}, c.client.Unclear(response, "no status in the response")
	}
	look := graph.Look{State: graph.ParseState(result.Code)}
	if look.State == graph.Failed {
		look.Failure, look.Passing = c.containerFailure(result.Status)
	}
	return look, nil
}
