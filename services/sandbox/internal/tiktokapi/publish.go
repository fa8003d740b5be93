package tiktokapi

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/partfile"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
)

// uploadPath is the path of upload addresses.
const uploadPath = "/tiktok/upload/"

func (a *API) registerPublishing(mux *http.ServeMux) {
	const publish = "POST /tiktok/v2/post/publish/"
	mux.HandleFunc(publish+"video/init/{$}", a.asStep(personal{}, fault.StepCreate, scopePublish, a.initVideo))
	mux.HandleFunc(publish+"inbox/video/init/{$}", a.asStep(personal{}, fault.StepCreate, scopeUpload, a.initDraft))
	mux.HandleFunc(publish+"content/init/{$}", a.asStep(personal{}, fault.StepCommit, scopePublish, a.initPhotos))
	mux.HandleFunc(publish+"status/fetch/{$}", a.as(personal{}, scopePublish, a.fetchStatus))
	mux.HandleFunc("POST /tiktok/v2/video/list/{$}", a.as(personal{}, scopeVideos, a.listVideos))
	mux.HandleFunc("PUT "+uploadPath+"{$}", a.upload)
	for _, kind := range []string{"video", "photo"} {
		for _, prefix := range []string{"/tiktok/", "/tiktok-business/"} {
			mux.HandleFunc("GET "+prefix+"{name}/"+kind+"/{id}", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, stage.Page(ledger.Post{Platform: network, ID: r.PathValue("id")}), http.StatusFound)
			})
		}
	}
}

// info is the part of a request that describes the post.
type info struct {
	Title          string `json:"title"`
	Description    string `json:"description"`
	Privacy        string `json:"privacy_level"`
	DisableComment bool   `json:"disable_comment"`
	DisableDuet    bool   `json:"disable_duet"`
	DisableStitch  bool   `json:"disable_stitch"`
	BrandContent   bool   `json:"brand_content_toggle"`
}

// source is the part of a request that says where the files come from.
type source struct {
	Source string   `json:"source"`
	Size   int64    `json:"video_size"`
	Chunk  int64    `json:"chunk_size"`
	Chunks int      `json:"total_chunk_count"`
	Images []string `json:"photo_images"`
	Cover  int      `json:"photo_cover_index"`
}

type initBody struct {
	Post   *info  `json:"post_info"`
	Source source `json:"source_info"`
	Media  string `json:"media_type"`
	Mode   string `json:"post_mode"`
}

// initOf reads the request of a new post. If it is invalid, it writes an error response and returns false.
func initOf(w http.ResponseWriter, r request) (initBody, bool) {
	var body initBody
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "application/json" || json.Unmarshal(r.body, &body) != nil {
		personalError(w, http.StatusBadRequest, "invalid_params", "The body is not JSON.")
		return initBody{}, false
	}
	return body, true
}

// permitted checks the settings of a direct post against those of the account. If they are not allowed, it writes an
// error response and returns false.
func (a *API) permitted(w http.ResponseWriter, r request, post info) bool {
	may := allowedTo(r.account)
	private := !slices.Contains(may.Privacies, publicToEveryone)
	switch {
	case banned(r.account):
		personalError(w, http.StatusForbidden, "spam_risk_user_banned_from_posting",
			"The user is banned from making new posts.")
	case strings.Contains(r.account, "oldapp"):
		personalError(w, http.StatusForbidden, "app_version_check_failed",
			"The user's TikTok app does not support this feature; it must be updated.")
	case strings.Contains(r.account, "unaudited") && (!private || post.Privacy != selfOnly):
		personalError(w, http.StatusForbidden, "unaudited_client_can_only_post_to_private_accounts",
			"Please review our integration guidelines.")
	case !slices.Contains(may.Privacies, post.Privacy):
		personalError(w, http.StatusBadRequest, "privacy_level_option_mismatch",
			"The privacy level is not among the creator's options.")
	case post.BrandContent && post.Privacy == selfOnly:
		personalError(w, http.StatusBadRequest, "invalid_params", "Branded content visibility cannot be set to private.")
	case may.CommentDisabled && !post.DisableComment, may.DuetDisabled && !post.DisableDuet,
		may.StitchDisabled && !post.DisableStitch:
		personalError(w, http.StatusBadRequest, "invalid_params", "The creator has disabled an interaction.")
	case a.used(r.account, false) >= postsPerDay:
		personalError(w, http.StatusForbidden, "spam_risk_too_many_posts",
			"The daily post cap from the API is reached for the current user.")
	default:
		return true
	}
	return false
}

// used returns the number of posts or drafts of the account in a day. The caps exist only while the sandbox is strict.
func (a *API) used(account string, draft bool) int {
	if !a.stage.Strict() {
		return 0
	}
	since := a.stage.Clock.Now().Add(-day)
	return len(a.posts.List(func(m making) bool {
		return m.Account == account && m.Draft == draft && m.Post != "" && m.Done.After(since)
	}))
}

// initVideo creates the upload of a direct post.
func (a *API) initVideo(w http.ResponseWriter, r request) {
	body, ok := initOf(w, r)
	switch {
	case !ok:
	case body.Post == nil, units(body.Post.Title) > longestCaption:
		personalError(w, http.StatusBadRequest, "invalid_params", "post_info is missing, or its title is too long.")
	case a.permitted(w, r, *body.Post):
		a.begin(w, r, body.Source, making{Text: body.Post.Title, Privacy: body.Post.Privacy})
	}
}

// initDraft creates the upload of a draft, whose settings its creator chooses in the application.
func (a *API) initDraft(w http.ResponseWriter, r request) {
	body, ok := initOf(w, r)
	switch {
	case !ok:
	case body.Post != nil:
		personalError(w, http.StatusBadRequest, "invalid_params", "A draft has no post_info.")
	case a.used(r.account, true) >= draftsPerDay:
		personalError(w, http.StatusForbidden, "spam_risk_too_many_pending_share",
			"The creator has too many pending drafts.")
	default:
		a.begin(w, r, body.Source, making{Draft: true})
	}
}

// begin creates an upload, and checks the declared chunks.
func (a *API) begin(w http.ResponseWriter, r request, from source, made making) {
	whole := from.Chunks == 1 && from.Chunk == from.Size && from.Size <= largestChunk
	chunked := from.Chunk >= smallestChunk && from.Chunk <= largestChunk && from.Chunks <= mostChunks &&
		int64(from.Chunks) == from.Size/from.Chunk
	if from.Source != "FILE_UPLOAD" || from.Size < 1 || from.Size > largestVideo || !whole && !chunked {
		personalError(w, http.StatusBadRequest, "invalid_params", "The total chunk count or the chunk size is invalid.")
		return
	}
	prefix := "v_pub_file~v2-1."
	if made.Draft {
		prefix = "v_inbox_file~v2."
	}
	made.ID, made.Secret, made.Account, made.Begun = prefix+number(), rand.Text(), r.account, a.stage.Clock.Now()
	made.Total, made.Chunk, made.Chunks = from.Size, from.Chunk, from.Chunks
	if err := a.posts.Keep(made); err != nil {
		broken(w)
		return
	}
	if !r.held.Lost(w, r.Request) {
		address := url.Values{"upload_id": {made.Key()}, "upload_token": {made.Secret}}
		personalAnswer(w, map[string]any{
			"publish_id": made.ID, "upload_url": "http://" + r.Host + uploadPath + "?" + address.Encode(),
		})
	}
}

// number returns the digits of an id.
func number() string {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails
	n := uint64(0)
	for _, b := range raw {
		n = n<<8 | uint64(b)
	}
	return strconv.FormatUint(n, 10)
}

// upload receives a chunk. The body goes to disk while it arrives. The last chunk makes the post.
func (a *API) upload(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	made, known := a.posts.Get(query.Get("upload_id"))
	known = known && made.Secret != "" && made.Secret == query.Get("upload_token")
	at, err := partfile.ParseRange(r.Header.Get("Content-Range"))
	fits := err == nil && !at.Status && at.Total == made.Total && at.From == made.Got && made.Done.IsZero()
	call := stage.Call{Network: channel.NetworkTikTok, Account: made.Account, Step: fault.StepUpload}
	if fits && made.last(at.From) {
		call.Step = fault.StepCommit
	}
	if known && fits && at.Length() == made.length(at.From) {
		err = a.posts.Write(made.Key(), at.From, at.Length(), r.Body)
	}
	_, _ = io.Copy(io.Discard, r.Body) // so that the client reads the response
	held, ok := a.stage.Enter(w, r, call, personal{})
	switch {
	case !ok:
	case !known:
		w.WriteHeader(http.StatusNotFound)
	case a.stage.Clock.Now().Sub(made.Begun) > addressLife:
		w.WriteHeader(http.StatusForbidden)
	case err != nil, at.Status, at.Total != made.Total, !strings.HasPrefix(r.Header.Get("Content-Type"), "video/"):
		w.WriteHeader(http.StatusBadRequest)
	case !fits:
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
	case at.Length() != made.length(at.From):
		w.WriteHeader(http.StatusBadRequest)
	default:
		a.arrived(w, r, held, made, at)
	}
}

// arrived counts a chunk that is on disk.
func (a *API) arrived(w http.ResponseWriter, r *http.Request, held stage.Held, made making, at partfile.Range) {
	made.Got = at.To + 1
	status := http.StatusPartialContent
	if made.Got == made.Total {
		status = http.StatusCreated
		if err := a.complete(r, &made); err != nil {
			broken(w)
			return
		}
	}
	if err := a.posts.Keep(made); err != nil {
		broken(w)
		return
	}
	if status == http.StatusCreated {
		a.posts.Drop(made.Key()) // the bytes are in the media store
	}
	if !held.Lost(w, r) {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", made.Got-1, made.Total))
		w.WriteHeader(status)
	}
}

// complete makes the post of an uploaded video, unless the file cannot be used.
func (a *API) complete(r *http.Request, made *making) error {
	file, err := a.posts.Open(made.Key(), made.Total)
	if err != nil {
		return err
	}
	item, err := a.stage.Media.Put(r.Context(), file, largestVideo)
	err = errors.Join(err, file.Close())
	made.Done = a.stage.Clock.Now()
	switch {
	case errors.Is(err, mediastore.ErrUnsupported), err == nil && item.Type != media.Video:
		made.Reason = "file_format_check_failed"
		return nil
	case err != nil:
		return err
	default:
		return a.show(r, made, item)
	}
}

// show publishes the post, or puts the draft into the creator's inbox.
func (a *API) show(r *http.Request, made *making, items ...mediastore.Item) error {
	files := make([]ledger.Media, len(items))
	for i, item := range items {
		files[i] = item.Media(strconv.Itoa(i+1), "")
	}
	visibility := cmp.Or(made.Privacy, publicToEveryone)
	if made.Draft {
		visibility = visibilityOfDrafts
	}
	post, err := a.stage.Ledger.Publish(ledger.Draft{
		Platform: network, Account: made.Account, Author: username(made.Account), Title: made.Title, Text: made.Text,
		Visibility: visibility, Media: files, RequestID: stage.RequestID(r), Origin: made.ID, OneOrigin: true,
	})
	made.Post = post.ID
	return err
}

// fetchStatus returns the state of a post in the making.
func (a *API) fetchStatus(w http.ResponseWriter, r request) {
	var body struct {
		ID string `json:"publish_id"`
	}
	_ = json.Unmarshal(r.body, &body)
	made, ok := a.posts.Get(making{ID: body.ID}.Key())
	if !ok || made.Account != r.account || made.ID != body.ID {
		personalError(w, http.StatusBadRequest, "invalid_publish_id", "The publish_id does not exist.")
		return
	}
	state, reason, posts := a.stateOf(made)
	data := map[string]any{"status": state}
	if state == stateFailed {
		data["fail_reason"] = reason
	}
	if made.Pulled {
		data["downloaded_bytes"] = made.Got
	} else {
		data["uploaded_bytes"] = made.Got
	}
	if len(posts) > 0 {
		data["publicaly_available_post_id"] = []json.Number{json.Number(posts[0])}
	}
	if !r.held.Lost(w, r.Request) {
		personalAnswer(w, data)
	}
}

// listVideos returns the account's public posts, newest first.
func (a *API) listVideos(w http.ResponseWriter, r request) {
	var body struct {
		Max int `json:"max_count"`
	}
	if json.Unmarshal(r.body, &body) != nil || body.Max < 1 || body.Max > mostVideos {
		personalError(w, http.StatusBadRequest, "invalid_params", "max_count must be from 1 to 20.")
		return
	}
	fields := strings.Split(r.URL.Query().Get("fields"), ",")
	videos := []map[string]any{}
	for _, post := range a.public(r.account, body.Max) {
		video := make(map[string]any)
		for name, value := range map[string]any{
			"id": post.ID, "create_time": post.CreatedAt.Unix(), "video_description": post.Text, "title": post.Title,
			"share_url": a.stage.Base(r.Request) + stage.Page(post),
		} {
			if slices.Contains(fields, name) {
				video[name] = value
			}
		}
		videos = append(videos, video)
	}
	if !r.held.Lost(w, r.Request) {
		personalAnswer(w, map[string]any{"videos": videos, "cursor": 0, "has_more": false})
	}
}

// public returns the newest public posts of an account.
func (a *API) public(account string, most int) []ledger.Post {
	posts := a.stage.Ledger.List(ledger.Filter{Platform: network, Account: account})
	posts = slices.DeleteFunc(posts, func(p ledger.Post) bool { return p.Visibility != publicToEveryone })
	return posts[:min(len(posts), most)]
}

// broken reports that the sandbox's own disk failed.
func broken(w http.ResponseWriter) {
	personalError(w, http.StatusInternalServerError, "internal_error", "The sandbox's files cannot be written.")
}
