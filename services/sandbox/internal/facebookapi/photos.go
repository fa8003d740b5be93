package facebookapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// photoLimit is the largest size of a photo, in bytes.
const photoLimit = 10 << 20

// Subcodes of Facebook's errors about photos.
const (
	subcodePhoto  = 1366046
	subcodePosted = 1366051
)

// photo stores an unpublished photo.
func (a *API) photo(w http.ResponseWriter, r request) {
	file, ok := r.form.File("source")
	switch {
	case !ok && r.values.Get("url") == "":
		graphError(w, http.StatusBadRequest, 324, 0, "(#324) Requires upload file")
		return
	case r.values.Get("published") != "false":
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param published: the sandbox accepts only unpublished photos")
		return
	}
	if !ok {
		file.Item, file.Err = a.stage.Media.Fetch(r.Context(), r.values.Get("url"), photoLimit)
	}
	formats := []string{media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeGIF}
	switch {
	case errors.Is(file.Err, mediastore.ErrTooLarge), errors.Is(file.Err, mediastore.ErrUnsupported),
		errors.Is(file.Err, mediastore.ErrEmpty), file.Err == nil && !slices.Contains(formats, file.Item.ContentType),
		file.Err == nil && file.Item.Height == 0:
		graphError(w, http.StatusBadRequest, 1, subcodePhoto, "Your photos couldn't be uploaded. Photos should be smaller "+
			"than 4 MB and saved as JPG, PNG, GIF, TIFF, HEIF or WebP files.")
		return
	case file.Err != nil:
		dialect{}.Unavailable(w)
		return
	}
	made, err := a.objects.add(object{
		Account: r.account, Kind: kindPhoto, Media: file.Item.Media("", r.values.Get("alt_text_custom")),
		Total: file.Item.Size, EndedAt: a.stage.Clock.Now(),
	})
	if err != nil {
		dialect{}.Unavailable(w)
		return
	}
	r.answer(w, map[string]string{"id": made.ID})
}

// attached returns the photos that the parameter attached_media of a post lists. If it is not valid, attached writes an
// error response and returns false.
func (a *API) attached(w http.ResponseWriter, r request) ([]object, bool) {
	if !r.values.Has("attached_media") {
		return nil, true
	}
	var list []struct {
		ID string `json:"media_fbid"`
	}
	if json.Unmarshal([]byte(r.values.Get("attached_media")), &list) != nil || len(list) == 0 {
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param attached_media must be an array.")
		return nil, false
	}
	photos := make([]object, 0, len(list))
	for _, one := range list {
		found, ok := a.objects.of(r.account, one.ID)
		switch {
		case !ok || found.Kind != kindPhoto:
			graphError(w, http.StatusBadRequest, 100, 0, "(#100) Invalid photo id "+one.ID)
			return nil, false
		case found.Post != "", slices.ContainsFunc(photos, func(p object) bool { return p.ID == one.ID }):
			graphError(w, http.StatusBadRequest, 1, subcodePosted, "These photos were already posted.")
			return nil, false
		}
		photos = append(photos, found)
	}
	return photos, true
}

// use records that the post contains the objects.
func (a *API) use(post ledger.Post, used ...object) error {
	if len(used) == 0 {
		return nil
	}
	for i := range used {
		used[i].Post, used[i].PostedAt, used[i].Text = post.ID, post.CreatedAt, post.Text
	}
	return a.objects.keep(used...)
}

// publishStory publishes a photo as a story.
func (a *API) publishStory(w http.ResponseWriter, r request) {
	defer a.objects.using(r.account)()
	found, ok := a.objects.of(r.account, r.values.Get("photo_id"))
	switch {
	case !ok || found.Kind != kindPhoto:
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Invalid photo id")
		return
	case found.Post != "":
		graphError(w, http.StatusBadRequest, 1, subcodePosted, "This photo was already posted.")
		return
	}
	post, err := a.publish(r, ledger.Draft{
		Media: []ledger.Media{found.Media}, Origin: found.ID, OneOrigin: true, ID: storyID(found.ID),
	}, found)
	if err != nil {
		dialect{}.Unavailable(w)
		return
	}
	r.answer(w, map[string]any{"success": true, "post_id": post.ID})
}

// storyID returns the id of the story of a photo or a video.
func storyID(object string) string { return object + "0" }

// isStory reports whether the post is a story.
func (a *API) isStory(post ledger.Post) bool {
	made, _ := a.objects.of(post.Account, post.Origin)
	return post.Origin != "" && post.ID == storyID(post.Origin) || made.Kind == kindStory
}

// detailLink is the detail with the address that a post shows as a card.
const detailLink = "link"

// publish stores the post that contains the objects.
func (a *API) publish(r request, draft ledger.Draft, used ...object) (ledger.Post, error) {
	draft.Platform, draft.Account, draft.Author = network, r.account, r.account
	draft.RequestID = stage.RequestID(r.Request)
	post, err := a.stage.Ledger.Publish(draft)
	if err != nil {
		return ledger.Post{}, err
	}
	return post, a.use(post, used...)
}

// stories lists the Page's stories of the last day, newest first.
func (a *API) stories(w http.ResponseWriter, r request) {
	wanted, ok := known(w, r, storyNode())
	if !ok {
		return
	}
	filter := ledger.Filter{Platform: network, Account: r.account, Since: a.stage.Clock.Now().Add(-objectLife)}
	data := []map[string]any{}
	for _, post := range a.stage.Ledger.List(filter) {
		if !a.isStory(post) || post.CreatedAt.Unix() < number(r, "since") {
			continue
		}
		kind, id := "photo", post.ID
		if post.Media[0].Type == string(media.Video) {
			kind, id = "video", storyID(post.ID)
		}
		all := map[string]any{
			"post_id": id, "status": "PUBLISHED", "creation_time": post.CreatedAt.Unix(), "media_type": kind,
			"media_id": post.Media[0].ID, "url": a.stage.Base(r.Request) + stage.Page(post),
		}
		data = append(data, pick(all, wanted))
	}
	r.answer(w, map[string]any{"data": data, "paging": map[string]any{}})
}
