package tiktokapi

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
)

// uploadPath is the path of upload addresses.
const uploadPath = "/tiktok/upload/"

// Limits of both products. Lengths are in UTF-16 units.
const (
	longestCaption    = 2200
	longestPhotoTitle = 90
	longestPhotoText  = 4000
	mostPhotos        = 35
	largestPhoto      = 20 << 20
	largestVideo      = 4 << 30
	smallestChunk     = 5 << 20
	largestChunk      = 64 << 20
	mostChunks        = 1000
	postsPerDay       = 15 // of an account, over all applications
	draftsPerDay      = 5
	addressLife       = time.Hour

	stateComplete = "PUBLISH_COMPLETE"
	stateFailed   = "FAILED"
	wrongFormat   = "file_format_check_failed"
)

// publication is a post that is being published, or an upload that becomes one.
type publication struct {
	ID      string    `json:"id"`               // the publish_id, or the share_id of the business product
	Secret  string    `json:"secret,omitempty"` // in the upload address
	Account string    `json:"account"`
	Draft   bool      `json:"draft,omitempty"`
	Pulled  bool      `json:"pulled,omitempty"`  // TikTok fetches the files
	Privacy string    `json:"privacy,omitempty"` // empty: public
	Title   string    `json:"title,omitempty"`
	Text    string    `json:"text,omitempty"`
	Begun   time.Time `json:"begun"`

	Total  int64 `json:"total,omitempty"` // bytes
	Chunk  int64 `json:"chunk,omitempty"`
	Chunks int   `json:"chunks,omitempty"`
	Got    int64 `json:"got,omitempty"`

	Done   time.Time `json:"done,omitzero"` // when TikTok had all files; zero before
	Reason string    `json:"reason,omitempty"`
	Post   string    `json:"post,omitempty"` // id of the post that it became
}

// Key returns the id, without the characters that a file's name cannot have.
func (p publication) Key() string { return strings.NewReplacer("~", "-", ".", "-").Replace(p.ID) }

// last reports whether the range from this byte on is the last chunk.
func (p publication) last(from int64) bool { return from == int64(p.Chunks-1)*p.Chunk }

// length returns the length of the chunk from this byte on.
func (p publication) length(from int64) int64 {
	if p.last(from) {
		return p.Total - from
	}
	return p.Chunk
}

// state returns the state of the post now, as the review that was set for its account leaves it, and the ids of public posts
// once they are known. TikTok reports no id of a post that it moderates.
func (a *api) state(p publication) (state, reason string, posts []string) {
	const moderatedFor = 300 * time.Millisecond
	now := a.Stage.Clock.Now()
	words := mediastore.Progress{
		Waiting: "PROCESSING_UPLOAD", Processing: "PROCESSING_UPLOAD", Failed: stateFailed, Done: stateComplete,
		Time: 150 * time.Millisecond,
	}
	if p.Pulled {
		words.Processing = "PROCESSING_DOWNLOAD"
	}
	if p.Draft {
		words.Done = "SEND_TO_USER_INBOX"
	}
	if state = words.State(p.Done, now, p.Reason != ""); state != stateComplete {
		return state, p.Reason, nil
	}
	end, set := a.Stage.Reviewed(network, p.Account, p.Done)
	switch named := p.Privacy == "" || p.Privacy == publicToEveryone; {
	case set && end == stage.ReviewRefused:
		return stateFailed, "spam_risk_text", nil
	case set && end == stage.ReviewNever, now.Sub(p.Done) < moderatedFor, !named:
		return state, "", nil
	default:
		return state, "", []string{p.Post}
	}
}

// found returns the account's publication with that id.
func (a *api) found(account, id string) (publication, bool) {
	p, ok := a.posts.Get(publication{ID: id}.Key())
	return p, ok && p.Account == account && p.ID == id
}

// info is the part of a request that describes the post, in both products.
type info struct {
	Title          string `json:"title"`
	Description    string `json:"description"`
	Caption        string `json:"caption"`
	Privacy        string `json:"privacy_level"`
	DisableComment bool   `json:"disable_comment"`
	DisableDuet    bool   `json:"disable_duet"`
	DisableStitch  bool   `json:"disable_stitch"`
	Cover          int32  `json:"video_cover_timestamp_ms"` // beyond the video: the first frame
	Branded        bool   `json:"brand_content_toggle"`
	AI             bool   `json:"is_aigc"`
	BrandOrganic   *bool  `json:"is_brand_organic"`
	BrandContent   *bool  `json:"is_branded_content"`
	VideoDraft     bool   `json:"upload_to_draft"`
	PhotoDraft     bool   `json:"is_draft"`
}

// disabled reports whether the account has disabled an interaction that the post allows. Photos have only comments.
func (i info) disabled(may allowed, photos bool) bool {
	return may.CommentDisabled && !i.DisableComment ||
		!photos && (may.DuetDisabled && !i.DisableDuet || may.StitchDisabled && !i.DisableStitch)
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

// request is the body of a request for a new post.
type request struct {
	Post   *info  `json:"post_info"`
	Source source `json:"source_info"`
	Media  string `json:"media_type"`
	Mode   string `json:"post_mode"`
}

func bodyOf(r stage.Request) (body request, rule stage.Rule[stage.Response]) {
	fails := !r.IsJSON() || json.Unmarshal(r.Body, &body) != nil
	return body, stage.If(fails, invalid("The body is not JSON."))
}

// permitted checks the settings of a direct post against those of the account.
func (a *api) permitted(r stage.Request, post info, photos bool) stage.Rule[stage.Response] {
	may := allowedTo(r.Account)
	private := !slices.Contains(may.Privacies, publicToEveryone)
	forbidden := func(code, message string) stage.Response { return refuse(http.StatusForbidden, code, message) }
	return stage.If(banned(r.Account), forbidden("spam_risk_user_banned_from_posting",
		"The user is banned from making new posts.")).
		Or(strings.Contains(r.Account, "oldapp"), forbidden("app_version_check_failed",
			"The user's TikTok app does not support this feature; it must be updated.")).
		Or(strings.Contains(r.Account, "unaudited") && (!private || post.Privacy != selfOnly),
			forbidden("unaudited_client_can_only_post_to_private_accounts", "Please review our integration guidelines.")).
		Or(!slices.Contains(may.Privacies, post.Privacy), refuse(http.StatusBadRequest, "privacy_level_option_mismatch",
			"The privacy level is not among the creator's options.")).
		Or(post.Branded && post.Privacy == selfOnly, invalid("Branded content visibility cannot be set to private.")).
		Or(post.disabled(may, photos), invalid("The creator has disabled an interaction.")).
		Or(a.used(r.Account, false) >= postsPerDay, forbidden("spam_risk_too_many_posts",
			"The daily post cap from the API is reached for the current user."))
}

// used returns the number of posts or drafts of the account in a day. The caps exist only while the sandbox is strict.
func (a *api) used(account string, draft bool) int {
	if !a.Stage.Strict() {
		return 0
	}
	since := a.Stage.Clock.Now().Add(-day)
	return len(a.posts.List(func(p publication) bool {
		return p.Account == account && p.Draft == draft && p.Post != "" && p.Done.After(since)
	}))
}

// initVideo creates the upload of a direct post.
func (a *api) initVideo(r stage.Request) stage.Response {
	body, rule := bodyOf(r)
	rule = rule.Or(body.Post == nil || figures.UTF16(body.Post.Title) > longestCaption,
		invalid("post_info is missing, or its title is too long.")).
		Or(body.Post != nil && body.Post.Cover < 0, invalid("The video cover timestamp is invalid."))
	if !rule.Broken {
		rule = a.permitted(r, *body.Post, false)
	}
	if rule.Broken {
		return rule.Fault
	}
	return a.begin(r, body.Source, publication{
		ID: "v_pub_file~v2-1." + number(), Text: body.Post.Title, Privacy: body.Post.Privacy,
	})
}

// initDraft creates the upload of a draft, whose settings its creator chooses in the application.
func (a *api) initDraft(r stage.Request) stage.Response {
	body, rule := bodyOf(r)
	rule = rule.Or(body.Post != nil, invalid("A draft has no post_info.")).
		Or(a.used(r.Account, true) >= draftsPerDay, refuse(http.StatusForbidden, "spam_risk_too_many_pending_share",
			"The creator has too many pending drafts."))
	if rule.Broken {
		return rule.Fault
	}
	return a.begin(r, body.Source, publication{ID: "v_inbox_file~v2." + number(), Draft: true})
}

// begin creates an upload, and checks the declared chunks.
func (a *api) begin(r stage.Request, from source, p publication) stage.Response {
	whole := from.Chunks == 1 && from.Chunk == from.Size && from.Size <= largestChunk
	chunked := from.Chunk >= smallestChunk && from.Chunk <= largestChunk && from.Chunks <= mostChunks &&
		int64(from.Chunks) == from.Size/from.Chunk
	if from.Source != "FILE_UPLOAD" || from.Size < 1 || from.Size > largestVideo || !whole && !chunked {
		return invalid("The total chunk count or the chunk size is invalid.")
	}
	p.Secret, p.Account, p.Begun = rand.Text(), r.Account, a.Stage.Clock.Now()
	p.Total, p.Chunk, p.Chunks = from.Size, from.Chunk, from.Chunks
	address := url.Values{"upload_id": {p.Key()}, "upload_token": {p.Secret}}
	return a.After(a.posts.Keep(p), respond(stage.Object{
		"publish_id": p.ID, "upload_url": "http://" + r.Host + uploadPath + "?" + address.Encode(),
	}))
}

// number returns the digits of an id.
func number() string {
	n, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 64)) // never fails
	return n.String()
}

// upload receives a chunk. The body goes to disk while it arrives. The last chunk makes the post.
func (a *api) upload(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	p, known := a.posts.Get(query.Get("upload_id"))
	known = known && p.Secret != "" && p.Secret == query.Get("upload_token")
	at, err := mediastore.ParseRange(r.Header.Get("Content-Range"))
	fits := err == nil && !at.Status && at.Total == p.Total && at.From == p.Got && p.Done.IsZero()
	call := stage.Call{Network: channel.NetworkTikTok, Account: p.Account, Step: stage.StepUpload}
	if fits && p.last(at.From) {
		call.Step = stage.StepCommit
	}
	if known && fits && at.Length() == p.length(at.From) {
		err = a.posts.Write(p.Key(), at.From, at.Length(), r.Body)
	}
	_, _ = io.Copy(io.Discard, r.Body) // so that the client reads the response
	a.Stage.Perform(w, r, a.Words, func() stage.Response {
		video := strings.HasPrefix(r.Header.Get("Content-Type"), "video/")
		wrong := err != nil || at.Status || at.Total != p.Total || !video
		rule := stage.If(!known, http.StatusNotFound).
			Or(a.Stage.Clock.Now().Sub(p.Begun) > addressLife, http.StatusForbidden).
			Or(wrong, http.StatusBadRequest).
			Or(!fits, http.StatusRequestedRangeNotSatisfiable).
			Or(at.Length() != p.length(at.From), http.StatusBadRequest)
		if rule.Broken {
			return stage.Refuse(rule.Fault, nil)
		}
		return a.arrived(r, p, at)
	}, call)
}

// arrived counts a chunk that is on disk.
func (a *api) arrived(r *http.Request, p publication, at mediastore.Range) stage.Response {
	p.Got = at.To + 1
	status, err := http.StatusPartialContent, error(nil)
	if p.Got == p.Total {
		status, err = http.StatusCreated, a.complete(r, &p)
	}
	if err == nil {
		err = a.posts.Keep(p)
	}
	if err == nil && status == http.StatusCreated {
		err = a.posts.Drop(p.Key()) // the bytes are in the media store
	}
	return a.After(err, stage.Empty(status).With("Content-Range", fmt.Sprintf("bytes 0-%d/%d", p.Got-1, p.Total)))
}

// complete makes the post of an uploaded video, unless the file cannot be used.
func (a *api) complete(r *http.Request, p *publication) error {
	item, usable, err := a.posts.Check(r.Context(), a.Stage.Media, p.Key(), p.Total, largestVideo, string(media.Video))
	p.Done = a.Stage.Clock.Now()
	switch {
	case err != nil:
		return err
	case !usable:
		p.Reason = wrongFormat
		return nil
	default:
		return a.show(r, p, item)
	}
}

// show publishes the post, or puts the draft into the creator's inbox.
func (a *api) show(r *http.Request, p *publication, items ...mediastore.Item) error {
	files := make([]ledger.Media, len(items))
	for i, item := range items {
		files[i] = item.Media(strconv.Itoa(i+1), "")
	}
	visibility := cmp.Or(p.Privacy, publicToEveryone)
	if p.Draft {
		visibility = "DRAFT"
	}
	post, err := a.Stage.Ledger.Publish(ledger.Draft{
		Platform: network, Account: p.Account, Author: username(p.Account), Title: p.Title, Text: p.Text,
		Visibility: visibility, Media: files, RequestID: stage.RequestID(r), Origin: p.ID, OneOrigin: true,
	})
	p.Post = post.ID
	return err
}

// pull fetches the files and makes the post. TikTok accepts the call before it has the files: what is wrong with them is
// the reason of a failed post.
func (a *api) pull(
	r stage.Request, p publication, addresses []string, largest int64, failure string, types ...string,
) error {
	p.Account, p.Pulled, p.Begun = r.Account, true, a.Stage.Clock.Now()
	items := make([]mediastore.Item, 0, len(addresses))
	for _, address := range addresses {
		item, err := a.Stage.Media.Fetch(r.Context(), address, largest)
		usable := slices.Contains(types, item.ContentType) || slices.Contains(types, string(item.Type))
		p.Reason = cmp.Or(p.Reason, stage.If(err != nil, failure).Or(!usable, wrongFormat).Fault)
		p.Got += item.Size
		items = append(items, item)
	}
	p.Done = a.Stage.Clock.Now()
	if p.Reason == "" {
		if err := a.show(r.Request, &p, items...); err != nil {
			return err
		}
	}
	return a.posts.Keep(p)
}

func (a *api) pullPhotos(r stage.Request, p publication, addresses []string) error {
	return a.pull(r, p, addresses, largestPhoto, "photo_pull_failed", media.ContentTypeJPEG, media.ContentTypeWebP)
}
