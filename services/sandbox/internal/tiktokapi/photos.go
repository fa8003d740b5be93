package tiktokapi

import (
	"net/http"
	"strings"

	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/shared/domain/media"
)

// initPhotos makes a post of photos, which TikTok fetches.
func (a *API) initPhotos(w http.ResponseWriter, r request) {
	body, ok := initOf(w, r)
	if !ok {
		return
	}
	draft := body.Mode == "MEDIA_UPLOAD"
	images := body.Source.Images
	switch {
	case body.Media != "PHOTO", !draft && body.Mode != "DIRECT_POST", body.Source.Source != "PULL_FROM_URL", body.Post == nil:
		personalError(w, http.StatusBadRequest, "invalid_params", "media_type, post_mode or source is invalid.")
		return
	case len(images) < 1, len(images) > mostPhotos, body.Source.Cover < 0, body.Source.Cover >= len(images):
		personalError(w, http.StatusBadRequest, "invalid_params", "There must be 1 to 35 photos, and one of them is the cover.")
		return
	case units(body.Post.Title) > longestPhotoTitle, units(body.Post.Description) > longestPhotoText:
		personalError(w, http.StatusBadRequest, "invalid_params", "The title or the description is too long.")
		return
	case strings.Contains(r.account, "unverified"):
		personalError(w, http.StatusForbidden, "url_ownership_unverified",
			"Please review our URL ownership verification rules.")
		return
	case draft && body.Post.Privacy != "":
		personalError(w, http.StatusBadRequest, "invalid_params", "A draft has no privacy_level.")
		return
	}
	post := *body.Post
	post.DisableDuet, post.DisableStitch = true, true // photos have neither
	if !draft && !a.permitted(w, r, post) {
		return
	}
	made := making{
		ID: "p_pub_url~v2." + number(), Account: r.account, Draft: draft, Pulled: true, Privacy: post.Privacy, Title: post.Title,
		Text: post.Description, Begun: a.stage.Clock.Now(),
	}
	a.pull(w, r, made, images)
}

// pull fetches the photos and makes the post.
func (a *API) pull(w http.ResponseWriter, r request, made making, images []string) {
	items := make([]mediastore.Item, 0, len(images))
	for _, address := range images {
		item, err := a.stage.Media.Fetch(r.Context(), address, largestPhoto)
		switch {
		case err != nil:
			made.Reason = "photo_pull_failed"
		case item.ContentType != media.ContentTypeJPEG && item.ContentType != media.ContentTypeWebP:
			made.Reason = "file_format_check_failed"
		}
		made.Got += item.Size
		items = append(items, item)
	}
	made.Done = a.stage.Clock.Now()
	if made.Reason == "" {
		if err := a.show(r.Request, &made, items...); err != nil {
			broken(w)
			return
		}
	}
	if err := a.posts.Keep(made); err != nil {
		broken(w)
		return
	}
	if !r.held.Lost(w, r.Request) {
		personalAnswer(w, map[string]any{"publish_id": made.ID})
	}
}
