package googlebusinessapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// moderation is the time that a post is in review before it is shown.
const moderation = 2 * time.Second

// Limits of a photo, in bytes.
const smallestPhoto, largestPhoto = 10 << 10, 5 << 20

// The states of a post.
const (
	stateProcessing = "PROCESSING"
	stateLive       = "LIVE"
	stateRejected   = "REJECTED"
)

// phoneNumber matches only unambiguous phone numbers. Google forbids all phone numbers.
var phoneNumber = regexp.MustCompile(`\+[1-9][0-9]{0,2}[ -][0-9][0-9 -]{6,}[0-9]`)

// create publishes a post. A post that breaks Google's policy is accepted too, but gets the state REJECTED and is never
// shown.
func (a *API) create(w http.ResponseWriter, r request) {
	var draft wanted
	decoder := json.NewDecoder(bytes.NewReader(r.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&draft); err != nil {
		apiError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "Invalid JSON payload received. "+err.Error())
		return
	}
	if field, message := draft.check(); field != "" {
		invalid(w, field, message)
		return
	}
	if len(draft.Media) > 0 && draft.Media[0].MediaFormat == formatVideo {
		apiError(w, http.StatusInternalServerError, "INTERNAL", "Internal error encountered.")
		return
	}
	files, ok := a.fetch(r, draft)
	if !ok || phoneNumber.MatchString(draft.Summary) {
		now := a.stage.Clock.Now()
		hidden := ledger.Post{
			ID: strconv.FormatInt(ledger.IDAt("190", now), 10), Text: draft.Summary, CreatedAt: now,
			Details: draft.details(),
		}
		shown := a.present(r, hidden)
		shown["state"] = stateRejected
		delete(shown, "searchUrl")
		r.answer(w, shown)
		return
	}
	post, err := a.stage.Ledger.Publish(ledger.Draft{
		Platform: network, Account: r.account, Author: r.PathValue("location"), Text: draft.Summary,
		RequestID: stage.RequestID(r.Request), Media: files, Details: draft.details(),
	})
	if err != nil {
		dialect{}.Unavailable(w)
		return
	}
	r.answer(w, a.present(r, post))
}

// fetch fetches the photo of the post. It returns false if there is none at the address, or a wrong one. Google does so
// while it reviews the post, and rejects it later.
func (a *API) fetch(r request, draft wanted) ([]ledger.Media, bool) {
	if len(draft.Media) == 0 {
		return nil, true
	}
	item, err := a.stage.Media.Fetch(r.Context(), draft.Media[0].SourceURL, largestPhoto)
	formats := []string{media.ContentTypeJPEG, media.ContentTypePNG}
	if err != nil || item.Size < smallestPhoto || !slices.Contains(formats, item.ContentType) {
		return nil, false
	}
	return []ledger.Media{item.Media("1", "")}, true
}

// present returns a post in Google's JSON.
func (a *API) present(r request, post ledger.Post) map[string]any {
	state := stateLive
	if a.stage.Clock.Now().Before(post.CreatedAt.Add(moderation)) {
		state = stateProcessing
	}
	if end, set := a.stage.Reviewed(network, r.account, post.CreatedAt); set {
		state = map[stage.ReviewEnd]string{
			stage.ReviewNever: stateProcessing, stage.ReviewShown: stateLive, stage.ReviewRefused: stateRejected,
		}[end]
	}
	at := post.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z")
	shown := map[string]any{
		"name": r.place + "/localPosts/" + post.ID, "languageCode": "en", "summary": strings.TrimSpace(post.Text),
		"topicType": cmp.Or(post.Details[detailTopic], topicStandard), "state": state, "createTime": at, "updateTime": at,
		"searchUrl": a.stage.Base(r.Request) + stage.Page(post),
	}
	for name, text := range post.Details {
		if name != detailTopic {
			shown[name] = json.RawMessage(text)
		}
	}
	if len(post.Media) > 0 {
		shown["media"] = []map[string]string{{
			"name": r.place + "/media/localPosts/" + post.Media[0].ID, "mediaFormat": "PHOTO",
			"googleUrl": a.stage.Base(r.Request) + stage.MediaPath(post.Media[0].SHA256),
		}}
	}
	return shown
}

// list returns one page of the location's posts, newest first. Google's APIs omit empty members.
func (a *API) list(w http.ResponseWriter, r request) {
	const usual, most = 20, 100
	query, size := r.URL.Query(), usual
	filter := ledger.Filter{Platform: network, Account: r.account}
	if text := query.Get("pageSize"); text != "" {
		number, err := strconv.Atoi(text)
		if size = number; err != nil || size < 1 || size > most {
			invalid(w, "page_size", "Must be from 1 to 100")
			return
		}
	}
	if page := query.Get("pageToken"); page != "" {
		var err error
		if filter.Before, err = strconv.ParseUint(page, 10, 64); err != nil {
			invalid(w, "page_token", "Is not a token of this list")
			return
		}
	}
	filter.Limit = size + 1
	posts := a.stage.Ledger.List(filter)
	answer := map[string]any{}
	if len(posts) > size {
		posts = posts[:size]
		answer["nextPageToken"] = strconv.FormatUint(posts[size-1].Seq, 10)
	}
	shown := make([]map[string]any, 0, len(posts))
	for _, post := range posts {
		shown = append(shown, a.present(r, post))
	}
	if len(shown) > 0 {
		answer["localPosts"] = shown
	}
	r.answer(w, answer)
}

func (a *API) one(w http.ResponseWriter, r request) {
	post, ok := a.stage.Ledger.Get(network, r.PathValue("id"))
	if !ok || post.Account != r.account {
		missing(w)
		return
	}
	r.answer(w, a.present(r, post))
}

func (a *API) remove(w http.ResponseWriter, r request) {
	id := r.PathValue("id")
	post, ok := a.stage.Ledger.Get(network, id)
	if !ok || post.Account != r.account {
		missing(w)
		return
	}
	if _, err := a.stage.Ledger.Delete(network, id); err != nil {
		dialect{}.Unavailable(w)
		return
	}
	r.answer(w, map[string]any{})
}
