package facebook

import (
	"context"
	"net/url"
	"regexp"
	"strconv"

	"fencepost.internal/shared/platform"
)

// storyPattern matches the id of a story.
var storyPattern = regexp.MustCompile(`^[0-9]{1,32}(_[0-9]{1,32})?$`)

// storyLimit is the number of stories per page. A Page rarely has more in a day.
const storyLimit = 100

// listedStory is a story of a list.
type listedStory struct {
	PostID  string `json:"post_id"`
	MediaID string `json:"media_id"` // of the photo or the video
	URL     string `json:"url"`
}

// storyList is one page of the Page's stories.
type storyList struct {
	Data   []listedStory `json:"data"`
	Paging struct {
		Next string `json:"next"`
	} `json:"paging"`
}

// of returns the story of the photo; it is zero if there is none.
func (l storyList) of(photo string) listedStory {
	for _, story := range l.Data {
		if story.MediaID == photo {
			return story
		}
	}
	return listedStory{}
}

// stories lists the Page's newest stories.
func (c *Connector) stories(
	ctx context.Context, operation string, account platform.Account, query url.Values,
) (storyList, error) {
	query.Set("fields", "post_id,status,creation_time,media_type,media_id,url")
	query.Set("limit", strconv.Itoa(storyLimit))
	response, err := c.get(ctx, operation, account, query, account.ExternalID, "stories")
	if err != nil {
		return storyList{}, err
	}
	if !response.OK() {
		return storyList{}, c.unreadable(response)
	}
	var page storyList
	if err := response.Decode(&page); err != nil || page.Data == nil {
		return storyList{}, c.client.Unclear(response, "not a listing of stories")
	}
	return page, nil
}

// findStory lists the stories since the call and searches for the one of the photo. Absence is certain only while the
// story would still be shown, because Facebook lists older ones only if the Page archives them. Facebook refuses a
// second story of the same photo.
func (c *Connector) findStory(
	ctx context.Context, account platform.Account, photo string, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	page, err := c.stories(ctx, "reconcile", account,
		url.Values{"since": {strconv.FormatInt(sent.Earliest().Unix(), 10)}})
	if err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	found := page.of(photo)
	switch {
	case storyPattern.MatchString(found.PostID):
		return platform.EvidenceFound, c.publication(found.PostID, found.URL), nil
	case found.MediaID != "", page.Paging.Next != "", c.client.Now().After(sent.At.Add(uploadLife)):
		return platform.EvidenceUnclear, platform.Publication{}, nil
	default:
		return platform.EvidenceAbsent, platform.Publication{}, nil
	}
}
