package facebook

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// Bounds of reading the Page's posts. A page is small because a text may have hundreds of kilobytes.
const (
	pageSize    = 10
	longestList = 20 // pages
)

// The fields of listed posts and videos.
const (
	postFields  = "id,message,created_time,permalink_url,attachments{media_type,target{id},subattachments{target{id}}}"
	videoFields = "id,description,created_time,permalink_url,published"
)

// listed is one post or video of a list.
type listed struct {
	ID          string `json:"id"`
	Message     string `json:"message"`
	Description string `json:"description"` // the text of a video
	CreatedTime string `json:"created_time"`
	Permalink   string `json:"permalink_url"`
	Attachments struct {
		Data []attachment `json:"data"`
	} `json:"attachments"`
}

// attachment is a link, a photo, an album or a video of a listed post.
type attachment struct {
	Type   string `json:"media_type"`
	Target struct {
		ID string `json:"id"`
	} `json:"target"`
	Sub struct {
		Data []attachment `json:"data"`
	} `json:"subattachments"`
}

// listing is one page of the Page's posts. Only Next indicates a further page: the last page also has cursors.
type listing struct {
	Data   []listed `json:"data"`
	Paging struct {
		Next    string `json:"next"`
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
	} `json:"paging"`
}

// Reconcile determines the outcome in the way that the form of the post allows. A reel and a story have their ids
// before they are published. Photos report the post that they belong to. Texts and feed videos are listed and compared.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if !usable(account) {
		return platform.EvidenceUnclear, platform.Publication{}, c.client.Reconnect(errNoToken)
	}
	if comments.IsFirst(content) {
		return c.reconcileFirst(ctx, account, content, sent)
	}
	kept, ok := parse(sent.Handle)
	switch {
	case len(content.Media) == 0:
		return c.search(ctx, account, sent, textual(), postFields, "published_posts")
	case sent.Handle == "": // of a database that was restored; the text identifies the post, if it has one
		return c.searchForm(ctx, account, formOf(content), sent)
	case !ok || !kept.ready() || len(kept.Uploads) == 0:
		return platform.EvidenceUnclear, platform.Publication{}, nil // nothing identifies the post
	}
	switch kept.Form {
	case formReel, formVideoStory:
		return c.findVideo(ctx, account, kept.Uploads[0].ID)
	case formPhotoStory:
		return c.findStory(ctx, account, kept.Uploads[0].ID, sent)
	case formPhotos:
		return c.findPhotos(ctx, account, kept.ids(), sent)
	case formVideo:
		return c.search(ctx, account, sent, inFeed(), videoFields, "videos")
	case formText:
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

// searchForm searches for a post with files whose uploads are not known by its text. Reels and stories are not listed with
// their texts.
func (c *Connector) searchForm(
	ctx context.Context, account platform.Account, of form, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	switch of {
	case formPhotos:
		return c.search(ctx, account, sent, illustrated(), postFields, "published_posts")
	case formVideo:
		return c.search(ctx, account, sent, inFeed(), videoFields, "videos")
	case formText, formReel, formPhotoStory, formVideoStory:
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

// findVideo reads the state of a reel or of a video story.
func (c *Connector) findVideo(
	ctx context.Context, account platform.Account, id string,
) (platform.Evidence, platform.Publication, error) {
	if !objectPattern.MatchString(id) {
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	found, err := c.video(ctx, "reconcile", account, id)
	switch {
	case errors.Is(err, httpcall.ErrGone): // Facebook deletes drafts after a day, and people delete reels
		return platform.EvidenceUnclear, platform.Publication{}, nil
	case err != nil:
		return platform.EvidenceUnclear, platform.Publication{}, err
	case found.public():
		return platform.EvidenceFound, c.videoPublication(found, false), nil
	case found.untouched():
		return platform.EvidenceAbsent, platform.Publication{}, nil
	case found.accepted():
		return platform.EvidenceFound, c.videoPublication(found, true), nil
	default: // the end of the processing decides
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
}

// findPhotos reads the post of the photos, and otherwise searches the Page's posts for one with these photos. Photos can
// be posted only once, so a post of equal text with other photos is another one.
func (c *Connector) findPhotos(
	ctx context.Context, account platform.Account, photos []string, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if !objectPattern.MatchString(photos[0]) {
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	response, err := c.get(ctx, "reconcile", account, url.Values{"fields": {"page_story_id"}}, photos[0])
	if err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	missing := graph.ErrorOf(response).Missing()
	if !response.OK() && !missing {
		return platform.EvidenceUnclear, platform.Publication{}, c.unreadable(response)
	}
	var photo struct {
		ID    string `json:"id"`
		Story string `json:"page_story_id"`
	}
	if err := response.Decode(&photo); err != nil || !missing && photo.ID != photos[0] {
		return platform.EvidenceUnclear, platform.Publication{}, c.client.Unclear(response, "no photo in the response")
	}
	if idPattern.MatchString(photo.Story) {
		found := c.publication(photo.Story, c.permalinkOf(ctx, account, photo.Story))
		return platform.EvidenceFound, found, nil
	}
	evidence, found, err := c.search(ctx, account, sent, pictured(photos), postFields, "published_posts")
	if missing && evidence == platform.EvidenceAbsent { // the photos may have been deleted with their post
		evidence = platform.EvidenceUnclear
	}
	return evidence, found, err
}

// kind selects the posts of a list that can be the one in question.
type kind struct {
	text func(listed) string
	// fits reports whether the attachments are those of the post. If they are not, an equal text leaves a doubt.
	fits func(listed) bool
	// exact means that the attachments identify the post, whatever its text.
	exact bool
}

func message(l listed) string { return l.Message }

// textual selects posts without photos and videos of Facebook, which have an id. A text may have a link, and Facebook lists
// a link to a video elsewhere as a video.
func textual() kind {
	return kind{text: message, fits: func(l listed) bool {
		return !slices.ContainsFunc(l.Attachments.Data, func(a attachment) bool {
			return a.Target.ID != "" && (a.Type == "photo" || a.Type == "album" || a.Type == "video")
		})
	}}
}

// illustrated selects posts with photos.
func illustrated() kind {
	return kind{text: message, fits: func(l listed) bool {
		return slices.ContainsFunc(l.Attachments.Data, func(a attachment) bool { return a.Type == "photo" || a.Type == "album" })
	}}
}

// inFeed selects all videos.
func inFeed() kind {
	return kind{text: func(l listed) string { return l.Description }, fits: func(listed) bool { return true }}
}

// pictured selects posts with one of the photos.
func pictured(photos []string) kind {
	return kind{exact: true, text: message, fits: func(l listed) bool {
		return slices.ContainsFunc(l.Attachments.Data, func(a attachment) bool {
			return slices.ContainsFunc(append([]attachment{a}, a.Sub.Data...), func(one attachment) bool {
				return slices.Contains(photos, one.Target.ID)
			})
		})
	}}
}

// search lists the posts or videos that the Page published around the time of the call and searches for the text. It
// skips those that belong to other posts of this service, so that two posts with equal texts cannot claim the same one.
// Absence is certain only if the whole list was read without a near match.
func (c *Connector) search(
	ctx context.Context, account platform.Account, sent platform.Sent, of kind, fields, edge string,
) (platform.Evidence, platform.Publication, error) {
	search := readback.NewSearch(sent)
	if of.exact {
		search = readback.NewSearchBy(sent, func(string) readback.Match { return readback.Exact })
	}
	query := url.Values{
		"fields": {fields},
		"since":  {strconv.FormatInt(search.Since().Unix(), 10)},
		"until":  {strconv.FormatInt(search.Until().Unix(), 10)},
		"limit":  {strconv.Itoa(pageSize)},
	}
	for range longestList {
		page, err := c.list(ctx, account, query, edge)
		if err != nil {
			return platform.EvidenceUnclear, platform.Publication{}, err
		}
		if found, ok := search.Read(page.posts(of, search)); ok {
			if objectPattern.MatchString(found.ExternalID) {
				return platform.EvidenceFound, c.videoPublication(video{ID: found.ExternalID, Permalink: found.URL}, false), nil
			}
			return platform.EvidenceFound, c.publication(found.ExternalID, found.URL), nil
		}
		if page.Paging.Next == "" {
			return search.Absence(), platform.Publication{}, nil
		}
		if page.Paging.Cursors.After == "" {
			break // there is another page, but no cursor for it
		}
		query.Set("after", page.Paging.Cursors.After)
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

func (c *Connector) list(
	ctx context.Context, account platform.Account, query url.Values, edge string,
) (listing, error) {
	response, err := c.get(ctx, "reconcile", account, query, account.ExternalID, edge)
	if err != nil {
		return listing{}, err
	}
	if !response.OK() {
		return listing{}, c.unreadable(response)
	}
	var page listing
	if err := response.Decode(&page); err != nil || page.Data == nil {
		return listing{}, c.client.Unclear(response, "not a listing of posts")
	}
	return page, nil
}

// unreadable classifies a refused read of the Page's posts.
func (c *Connector) unreadable(response httpcall.Response) *platform.Failure {
	failure := c.failure(response)
	if graph.ErrorOf(response).Meaning(response.Status) == graph.Forbidden {
		return c.client.ReadRefused(failure, "pages_read_engagement")
	}
	return failure
}

// posts converts the posts of the page that can be the one in question. One with other attachments has no id, so that
// the search doubts it if its text matches.
func (l listing) posts(of kind, search *readback.Search) []readback.Listed {
	posts := make([]readback.Listed, 0, len(l.Data))
	for _, post := range l.Data {
		fits := of.fits(post)
		if !fits && (of.exact || post.taken(search)) {
			continue
		}
		one := readback.Listed{Text: of.text(post), URL: post.Permalink}
		if fits && (idPattern.MatchString(post.ID) || objectPattern.MatchString(post.ID)) {
			one.ID = post.ID
		}
		if at, err := graph.ParseTime(post.CreatedTime); err == nil {
			one.At = at
		}
		posts = append(posts, one)
	}
	return posts
}

// taken reports whether the post, or the photo or video in it, belongs to another post of this service.
func (l listed) taken(search *readback.Search) bool {
	return search.Taken(l.ID) || slices.ContainsFunc(l.Attachments.Data, func(a attachment) bool {
		return search.Taken(a.Target.ID)
	})
}
