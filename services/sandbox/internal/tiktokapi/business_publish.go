package tiktokapi

import (
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

const largestBusinessVideo = 1 << 30

func (a *API) registerBusinessPublishing(mux *http.ServeMux) {
	mux.HandleFunc(businessVideoPublish, a.asStep(business{}, fault.StepCommit, scopePublish, a.publishVideo))
	mux.HandleFunc(businessPhotoPublish, a.asStep(business{}, fault.StepCommit, scopePublish, a.publishPhotos))
	mux.HandleFunc(businessStatus, a.as(business{}, scopePublish, a.publishStatus))
}

// businessBody is the body of both calls that publish.
type businessBody struct {
	BusinessID string        `json:"business_id"`
	VideoURL   string        `json:"video_url"`
	Images     []string      `json:"photo_images"`
	Cover      int           `json:"photo_cover_index"`
	Info       *businessInfo `json:"post_info"`
}

type businessInfo struct {
	Title          string `json:"title"`
	Caption        string `json:"caption"`
	Privacy        string `json:"privacy_level"`
	BrandOrganic   *bool  `json:"is_brand_organic"`
	BrandContent   *bool  `json:"is_branded_content"`
	DisableComment bool   `json:"disable_comment"`
	DisableDuet    bool   `json:"disable_duet"`
	DisableStitch  bool   `json:"disable_stitch"`
	VideoDraft     bool   `json:"upload_to_draft"`
	PhotoDraft     bool   `json:"is_draft"`
}

// readPost decodes the body of a call that publishes. If it is invalid, it writes the error response.
func (a *API) readPost(w http.ResponseWriter, r request) (businessBody, bool) {
	var body businessBody
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind != "application/json" || json.Unmarshal(r.body, &body) != nil || body.Info == nil:
		businessError(w, codeParameter, "post_info: Missing data for required field.")
	case body.BusinessID != r.account:
		businessError(w, codeNoPermission, "No permission to operate this account.")
	case body.Info.BrandOrganic == nil || body.Info.BrandContent == nil:
		businessError(w, codeParameter, "post_info: is_brand_organic and is_branded_content are required.")
	case strings.Contains(r.account, "unverified"):
		businessError(w, codeParameter, "url_ownership_unverified: the URL property is not verified for the app.")
	case banned(r.account):
		businessError(w, codeParameter, "spam_risk_user_banned_from_posting")
	default:
		return body, true
	}
	return businessBody{}, false
}

// mayShow checks the interactions that the account has disabled.
func (a *API) mayShow(w http.ResponseWriter, r request, info businessInfo, photos bool) bool {
	may := allowedTo(r.account)
	disabled := may.CommentDisabled && !info.DisableComment ||
		!photos && (may.DuetDisabled && !info.DisableDuet || may.StitchDisabled && !info.DisableStitch)
	switch {
	case disabled:
		businessError(w, codeParameter, "The creator has disabled an interaction.")
	case photos && !slices.Contains(may.Privacies, info.Privacy):
		businessError(w, codeParameter, "post_info.privacy_level: is not among the options of the account.")
	default:
		return true
	}
	return false
}

// publishVideo makes a post of a video that TikTok fetches.
func (a *API) publishVideo(w http.ResponseWriter, r request) {
	body, ok := a.readPost(w, r)
	switch {
	case !ok:
	case body.VideoURL == "":
		businessError(w, codeParameter, "video_url: Missing data for required field.")
	case units(body.Info.Caption) > longestCaption:
		businessError(w, codeParameter, "post_info.caption: is too long.")
	case body.Info.VideoDraft: // every other setting is ignored
		a.collect(w, r, making{ID: "v_inbox_url~v2." + number(), Draft: true}, []string{body.VideoURL}, pulledVideo)
	case a.mayShow(w, r, *body.Info, false):
		a.collect(w, r, making{ID: "v_pub_url~v2." + number(), Text: body.Info.Caption}, []string{body.VideoURL}, pulledVideo)
	}
}

// publishPhotos makes a post of photos that TikTok fetches.
func (a *API) publishPhotos(w http.ResponseWriter, r request) {
	body, ok := a.readPost(w, r)
	switch {
	case !ok:
	case len(body.Images) < 1, len(body.Images) > mostPhotos, body.Cover < 0, body.Cover >= len(body.Images):
		businessError(w, codeParameter, "photo_images: 1 to 35 photos are needed, and one of them is the cover.")
	case units(body.Info.Title) > longestPhotoTitle, units(body.Info.Caption) > longestPhotoText:
		businessError(w, codeParameter, "post_info: the title or the caption is too long.")
	case body.Info.PhotoDraft || a.mayShow(w, r, *body.Info, true):
		a.collect(w, r, making{
			ID: "p_pub_url~v2." + number(), Draft: body.Info.PhotoDraft, Title: body.Info.Title, Text: body.Info.Caption,
		}, body.Images, pulledPhoto)
	}
}

// pulled is a kind of file that TikTok fetches.
type pulled struct {
	largest int64
	failure string // reason of a post whose file cannot be fetched
	usable  func(mediastore.Item) bool
}

var (
	pulledVideo = pulled{largestBusinessVideo, "video_pull_failed", func(item mediastore.Item) bool {
		return item.Type == media.Video
	}}
	pulledPhoto = pulled{largestPhoto, "photo_pull_failed", func(item mediastore.Item) bool {
		return item.ContentType == media.ContentTypeJPEG || item.ContentType == media.ContentTypeWebP
	}}
)

// collect fetches the files and makes the post. TikTok accepts the call before it has the files: what is wrong with them,
// or with the number of the account's posts, is the reason of a failed post.
func (a *API) collect(w http.ResponseWriter, r request, made making, addresses []string, kind pulled) {
	made.Account, made.Pulled, made.Begun = r.account, true, a.stage.Clock.Now()
	made.Reason = a.full(r.account, made.Draft)
	items := make([]mediastore.Item, 0, len(addresses))
	for _, address := range addresses {
		item, err := a.stage.Media.Fetch(r.Context(), address, kind.largest)
		switch {
		case made.Reason != "":
		case err != nil:
			made.Reason = kind.failure
		case !kind.usable(item):
			made.Reason = "file_format_check_failed"
		}
		made.Got += item.Size
		items = append(items, item)
	}
	made.Done = a.stage.Clock.Now()
	if made.Reason == "" {
		if err := a.show(r.Request, &made, items...); err != nil {
			business{}.Unavailable(w)
			return
		}
	}
	if err := a.posts.Keep(made); err != nil {
		business{}.Unavailable(w)
		return
	}
	if !r.held.Lost(w, r.Request) {
		businessAnswer(w, http.StatusOK, codeOK, "OK", map[string]string{"share_id": made.ID})
	}
}

// full returns the reason for which an account can have no further post or draft today; empty if it can.
func (a *API) full(account string, draft bool) string {
	switch used := a.used(account, draft); {
	case draft && used >= draftsPerDay:
		return "spam_risk_too_many_pending_share"
	case !draft && used >= postsPerDay:
		return "spam_risk_too_many_posts"
	default:
		return ""
	}
}

// publishStatus returns the state of a post in the making.
func (a *API) publishStatus(w http.ResponseWriter, r request) {
	if !a.ofTheAccount(w, r) {
		return
	}
	id := r.URL.Query().Get("publish_id")
	made, ok := a.posts.Get(making{ID: id}.Key())
	if !ok || made.Account != r.account || made.ID != id {
		businessError(w, codeParameter, "publish_id: does not exist.")
		return
	}
	state, reason, posts := a.stateOf(made)
	if posts == nil {
		posts = []string{}
	}
	if !r.held.Lost(w, r.Request) {
		businessAnswer(w, http.StatusOK, codeOK, "OK", map[string]any{"status": state, "reason": reason, "post_ids": posts})
	}
}

// newestVideos returns the account's newest public posts, for a list without ids.
func (a *API) newestVideos(w http.ResponseWriter, r request, fields []string) {
	videos := []map[string]any{}
	for _, post := range a.public(r.account, mostVideos) {
		video := make(map[string]any)
		for name, value := range map[string]any{
			"item_id": post.ID, "caption": post.Text, "create_time": post.CreatedAt.Unix(),
			"share_url": a.stage.Base(r.Request) + stage.Page(post),
		} {
			if slices.Contains(fields, name) {
				video[name] = value
			}
		}
		videos = append(videos, video)
	}
	if !r.held.Lost(w, r.Request) {
		businessAnswer(w, http.StatusOK, codeOK, "OK", map[string]any{"videos": videos, "has_more": false, "cursor": 0})
	}
}
