package xapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// Media categories and limits of X.
const (
	categoryImage = "tweet_image"
	categoryGIF   = "tweet_gif"
	categoryVideo = "tweet_video"
	categoryLong  = "amplify_video" // a video beyond 140 seconds, for accounts with a subscription

	largestImage, largestGIF, largestVideo = 5 << 20, 15 << 20, 512 << 20
	largestSegment                         = 5 << 20
	mostSegments                           = 1000
	widestGIF, highestGIF                  = 1280, 1080
	longestAltText                         = 1000
	// segmentBody is the largest request body of an append: a segment and the form around it.
	segmentBody = largestSegment + 64<<10
)

// takes returns the largest size of a file in the category and its allowed types. The size is zero for an unknown
// category.
func takes(category string) (size int64, types []string) {
	switch category {
	case categoryImage:
		return largestImage, []string{
			media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeWebP, media.ContentTypeGIF,
		}
	case categoryGIF:
		return largestGIF, []string{media.ContentTypeGIF}
	case categoryVideo, categoryLong:
		return largestVideo, []string{media.ContentTypeMP4, media.ContentTypeMOV}
	default:
		return 0, nil
	}
}

// broken reports that the sandbox's own disk failed.
func broken(w http.ResponseWriter) {
	problem(w, http.StatusInternalServerError, "", "Internal Server Error", "The sandbox's files cannot be written.")
}

// invalid writes X's response to an invalid request.
func invalid(w http.ResponseWriter, detail string) {
	problem(w, http.StatusBadRequest, "invalid-request", "Invalid Request", detail)
}

// initialize starts an upload.
func (a *API) initialize(w http.ResponseWriter, r request) {
	var body struct {
		MediaType string `json:"media_type"`
		Total     int64  `json:"total_bytes"`
		Category  string `json:"media_category"`
	}
	if err := json.Unmarshal(r.body, &body); err != nil {
		invalid(w, "The body is not JSON.")
		return
	}
	size, types := takes(body.Category)
	if body.Category == categoryLong && !premium(r.account) {
		problem(w, http.StatusForbidden, "", "Forbidden", "Your account is not permitted to access this feature.")
		return
	}
	switch {
	case size == 0:
		invalid(w, "media_category is not one of those that are known.")
		return
	case !slices.Contains(types, body.MediaType):
		invalid(w, "media_type does not belong to this media_category.")
		return
	case body.Total < 1 || body.Total > size:
		invalid(w, "File size exceeds "+strconv.FormatInt(size, 10)+" bytes, or is none.")
		return
	}
	upload, err := a.uploads.Begin(r.account, body.MediaType, body.Category, body.Total)
	if err != nil {
		broken(w)
		return
	}
	a.answerUpload(w, r, http.StatusOK, upload)
}

// append stores a segment. It replaces an earlier segment with the same index.
func (a *API) append(w http.ResponseWriter, r request) {
	upload, ok := a.open(w, r)
	if !ok {
		return
	}
	index, segment, ok := segmentOf(r)
	switch {
	case !ok || index < 0 || index >= mostSegments || len(segment) == 0:
		invalid(w, "segment_index or media is missing or wrong.")
		return
	case len(segment) > largestSegment:
		problem(w, http.StatusRequestEntityTooLarge, "", "Payload Too Large", "The segment is too large.")
		return
	}
	if err := a.uploads.Add(upload, index, segment); err != nil {
		broken(w)
		return
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"data": map[string]int64{"expires_at": upload.CreatedAt.Add(uploadLife).Unix()},
		})
	}
}

// open returns the upload in the path if it is not finalized. Otherwise it writes an error response and returns false.
func (a *API) open(w http.ResponseWriter, r request) (Upload, bool) {
	upload, ok := a.uploads.Of(r.account, r.PathValue("id"))
	switch {
	case !ok:
		invalid(w, "Media ID is invalid.")
		return Upload{}, false
	case !upload.EndedAt.IsZero():
		invalid(w, "The upload is finalized already.")
		return Upload{}, false
	default:
		return upload, true
	}
}

// segmentOf parses the form of an append.
func segmentOf(r request) (index int, segment []byte, ok bool) {
	_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return 0, nil, false
	}
	form := multipart.NewReader(bytes.NewReader(r.body), parameters["boundary"])
	index = -1
	for {
		part, err := form.NextRawPart()
		if err != nil {
			return index, segment, errors.Is(err, io.EOF)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return 0, nil, false
		}
		switch part.FormName() {
		case "media":
			segment = content
		case "segment_index":
			if index, err = strconv.Atoi(string(content)); err != nil {
				return 0, nil, false
			}
		}
	}
}

// finalize ends an upload and checks the file.
func (a *API) finalize(w http.ResponseWriter, r request) {
	upload, ok := a.open(w, r)
	if !ok {
		return
	}
	if a.uploads.Size(upload) != upload.Total {
		invalid(w, "Segments do not add up to provided total file size.")
		return
	}
	limit, _ := takes(upload.Category)
	file := a.uploads.Open(upload)
	item, err := a.stage.Media.Put(r.Context(), file, limit)
	err = errors.Join(err, file.Close())
	fault, readable := unusable(upload, item, err)
	switch {
	case !readable:
		broken(w)
		return
	case fault != "" && upload.Category == categoryImage:
		invalid(w, fault)
		return
	}
	upload.EndedAt, upload.Failure, upload.Media = a.stage.Clock.Now(), fault, item.Media(mediaKey(upload), "")
	if err := a.uploads.Keep(upload); err != nil {
		broken(w)
		return
	}
	_ = a.uploads.Drop(upload) // the bytes are in the media store
	a.answerUpload(w, r, http.StatusOK, upload)
}

// unusable returns the reason why X cannot use the file, or an empty fault. readable is false if the sandbox itself
// failed.
func unusable(upload Upload, item mediastore.Item, err error) (fault string, readable bool) {
	const wrong = "InvalidMedia: the file is not of the declared type."
	switch {
	case errors.Is(err, mediastore.ErrUnsupported), errors.Is(err, mediastore.ErrTooLarge), errors.Is(err,
		mediastore.ErrEmpty):
		return wrong, true
	case err != nil:
		return "", false
	case item.ContentType != upload.MediaType:
		return wrong, true
	case upload.Category == categoryGIF && (item.Width > widestGIF || item.Height > highestGIF):
		return "InvalidMedia: the animation is too large.", true
	default:
		return "", true
	}
}

// status returns the processing state of an upload.
func (a *API) status(w http.ResponseWriter, r request) {
	query := r.URL.Query()
	upload, ok := a.uploads.Of(r.account, query.Get("media_id"))
	if query.Get("command") != "STATUS" || !ok {
		invalid(w, "Media ID is invalid.")
		return
	}
	a.answerUpload(w, r, http.StatusOK, upload)
}

func (a *API) answerUpload(w http.ResponseWriter, r request, status int, upload Upload) {
	left := upload.CreatedAt.Add(uploadLife).Sub(a.stage.Clock.Now())
	data := map[string]any{
		"id": upload.ID, "media_key": mediaKey(upload), "size": upload.Total, "expires_after_secs": int64(left.Seconds()),
	}
	if state := a.uploads.state(upload); state != "" {
		info := map[string]any{"state": state}
		switch state {
		case "failed":
			info["error"] = map[string]any{"code": 1, "name": "InvalidMedia", "message": upload.Failure}
		case "succeeded":
			info["progress_percent"] = 100
		default:
			info["check_after_secs"] = 1
		}
		data["processing_info"] = info
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, status, map[string]any{"data": data})
	}
}

// mediaKey returns X's media key of an upload: a number for its kind, and its id.
func mediaKey(upload Upload) string {
	switch upload.Category {
	case categoryImage:
		return "3_" + upload.ID
	case categoryGIF:
		return "16_" + upload.ID
	case categoryLong:
		return "13_" + upload.ID
	default:
		return "7_" + upload.ID
	}
}

// metadata stores the alternative text of a file.
func (a *API) metadata(w http.ResponseWriter, r request) {
	var body struct {
		ID       string `json:"id"`
		Metadata struct {
			AltText struct {
				Text string `json:"text"`
			} `json:"alt_text"`
		} `json:"metadata"`
	}
	err := json.Unmarshal(r.body, &body)
	upload, ok := a.uploads.Of(r.account, body.ID)
	words := body.Metadata.AltText.Text
	if err != nil || !ok || upload.EndedAt.IsZero() || strings.HasSuffix(upload.Category, "_video") ||
		utf8.RuneCountInString(words) > longestAltText {
		invalid(w, "One or more parameters to your request was invalid.")
		return
	}
	upload.Media.AltText = strings.TrimSpace(words)
	if err := a.uploads.Keep(upload); err != nil {
		broken(w)
		return
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{"data": map[string]any{"id": upload.ID}})
	}
}

// attached returns the uploads that a post refers to. The fault is the reason why the post cannot use them.
func (a *API) attached(account string, ids []string) (files []ledger.Media, fault string) {
	const mostPictures = 4
	for _, id := range ids {
		upload, ok := a.uploads.Of(account, id)
		state := a.uploads.state(upload)
		switch {
		case !ok || upload.EndedAt.IsZero() || (state != "" && state != "succeeded"):
			return nil, "Your media IDs are invalid."
		case len(ids) > 1 && upload.Category != categoryImage:
			return nil, "Only photos can be combined in one post."
		case len(ids) > mostPictures:
			return nil, "A post takes at most 4 photos."
		}
		files = append(files, upload.Media)
	}
	return files, ""
}
