package telegramapi

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/count"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// Limits of files and captions.
const (
	photoLimit   = 10 << 20 // bytes
	fileLimit    = 50 << 20
	captionLimit = 1024
	longestSides = 10_000 // pixels, width and height of a photo added together
	longestRatio = 20
	albumLeast   = 2
	albumMost    = 10
)

// kind is the presentation of a file in Telegram. It is the type of an album's item and the field of a single file.
type kind string

const (
	photo     kind = "photo"
	video     kind = "video"
	animation kind = "animation"
	document  kind = "document"
)

// input is one file of a call, in the format of an album's item (InputMedia).
type input struct {
	Type     kind   `json:"type"`
	Media    string `json:"media"`
	Caption  string `json:"caption"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Duration int    `json:"duration"`
}

// sendFile publishes one file.
func (a *API) sendFile(as kind) func(http.ResponseWriter, request) {
	return func(w http.ResponseWriter, r request) {
		if !a.mayPost(w, r.chat) {
			return
		}
		in := input{Type: as, Media: r.values[string(as)], Caption: r.values["caption"]}
		in.Width, _ = strconv.Atoi(r.values["width"])
		in.Height, _ = strconv.Atoi(r.values["height"])
		in.Duration, _ = strconv.Atoi(r.values["duration"])
		file, found := r.file(string(as))
		if !found && in.Media != "" {
			file, found = r.attached(in.Media)
			if !found {
				refuse(w, http.StatusBadRequest, "Bad Request: wrong file identifier/HTTP URL specified")
				return
			}
		}
		if !found {
			refuse(w, http.StatusBadRequest, "Bad Request: there is no "+string(as)+" in the request")
			return
		}
		if status, refusal := in.check(file); refusal != "" {
			refuse(w, status, refusal)
			return
		}
		post, ok := a.publish(w, r, ledger.Draft{Text: strings.TrimSpace(in.Caption), Media: []ledger.Media{in.keep(file)}})
		if ok {
			r.answer(w, in.message(post, 0, file))
		}
	}
}

// sendAlbum publishes several files as consecutive messages.
func (a *API) sendAlbum(w http.ResponseWriter, r request) {
	if !a.mayPost(w, r.chat) {
		return
	}
	var album []input
	if err := json.Unmarshal([]byte(r.values["media"]), &album); err != nil {
		refuse(w, http.StatusBadRequest, "Bad Request: can't parse media JSON object")
		return
	}
	files, status, refusal := r.album(album)
	if refusal != "" {
		refuse(w, status, refusal)
		return
	}
	draft := ledger.Draft{Text: strings.TrimSpace(album[0].Caption), IDs: len(album)}
	for i, in := range album {
		draft.Media = append(draft.Media, in.keep(files[i]))
	}
	post, ok := a.publish(w, r, draft)
	if !ok {
		return
	}
	group := rand.Text()
	messages := make([]map[string]any, len(album))
	for i, in := range album {
		messages[i] = in.message(post, i, files[i])
		messages[i]["media_group_id"] = group
	}
	r.answer(w, messages)
}

// album returns the files of an album in its order, or the reason why it is invalid.
func (r request) album(album []input) (files []stage.FormFile, status int, refusal string) {
	if len(album) < albumLeast || len(album) > albumMost {
		return nil, http.StatusBadRequest, "Bad Request: an album has from 2 to 10 items"
	}
	for _, in := range album {
		switch {
		case in.Type != photo && in.Type != video && in.Type != document:
			return nil, http.StatusBadRequest, "Bad Request: type of the media can't be used in an album"
		case (in.Type == document) != (album[0].Type == document):
			return nil, http.StatusBadRequest, "Bad Request: Document can't be mixed with other media types"
		}
		file, found := r.attached(in.Media)
		if !found {
			return nil, http.StatusBadRequest, "Bad Request: wrong file identifier/HTTP URL specified"
		}
		if status, refusal := in.check(file); refusal != "" {
			return nil, status, refusal
		}
		files = append(files, file)
	}
	return files, 0, ""
}

func (r request) file(field string) (stage.FormFile, bool) {
	return stage.Form{Files: r.files}.File(field)
}

// attached returns the form's file that an attach:// address refers to.
func (r request) attached(address string) (stage.FormFile, bool) {
	name, ok := strings.CutPrefix(address, "attach://")
	if !ok {
		return stage.FormFile{}, false
	}
	return r.file(name)
}

// check returns the reason why Telegram rejects the file. It is empty if the file is accepted.
func (in input) check(file stage.FormFile) (status int, refusal string) {
	item := file.Item
	switch {
	case errors.Is(file.Err, mediastore.ErrTooLarge):
		return http.StatusRequestEntityTooLarge, "Request Entity Too Large"
	case errors.Is(file.Err, mediastore.ErrEmpty):
		return http.StatusBadRequest, "Bad Request: file must be non-empty"
	case errors.Is(file.Err, mediastore.ErrUnsupported):
		return http.StatusBadRequest, in.wrongType()
	case file.Err != nil:
		return http.StatusInternalServerError, "Internal Server Error"
	case !in.takes(item):
		return http.StatusBadRequest, in.wrongType()
	case in.Type == photo && item.Size > photoLimit:
		return http.StatusBadRequest, "Bad Request: file is too big for a photo"
	case in.Type == photo && !fits(item.Width, item.Height):
		return http.StatusBadRequest, "Bad Request: PHOTO_INVALID_DIMENSIONS"
	case count.UTF16(strings.TrimSpace(in.Caption)) > captionLimit:
		return http.StatusBadRequest, "Bad Request: message caption is too long"
	default:
		return 0, ""
	}
}

// takes reports whether Telegram accepts the file's type. Like Telegram, it uses only the bytes.
func (in input) takes(item mediastore.Item) bool {
	switch in.Type {
	case photo:
		return item.Type == media.Image && item.ContentType != media.ContentTypeHEIC && item.ContentType != media.ContentTypeAVIF ||
			item.Type == media.GIF
	case video:
		return item.ContentType == media.ContentTypeMP4
	case animation:
		return item.Type == media.GIF || item.ContentType == media.ContentTypeMP4
	case document:
		return true
	default:
		return false
	}
}

func (in input) wrongType() string {
	switch in.Type {
	case photo:
		return "Bad Request: IMAGE_PROCESS_FAILED"
	case video:
		return "Bad Request: VIDEO_CONTENT_TYPE_INVALID"
	case animation, document:
		return "Bad Request: wrong type of the file"
	default:
		return "Bad Request: wrong type of the file"
	}
}

func fits(width, height int) bool {
	return width+height <= longestSides && width <= longestRatio*max(height, 1) && height <= longestRatio*max(width, 1)
}

// keep returns the file as the post's media. The dimensions of a video come from the request.
func (in input) keep(file stage.FormFile) ledger.Media {
	kept := file.Item.Media(fileID(), "")
	if kept.Width == 0 {
		kept.Width, kept.Height = in.Width, in.Height
	}
	return kept
}

// fileID generates an opaque id in Telegram's format.
func fileID() string { return "AgACAgIAAx0CU" + rand.Text() }

// message returns the post's message with that number and its file.
func (in input) message(post ledger.Post, number int, file stage.FormFile) map[string]any {
	kept := post.Media[number]
	shown := map[string]any{
		"file_id": kept.ID, "file_unique_id": kept.ID[len(kept.ID)-16:], "file_size": kept.Size,
		"mime_type": kept.ContentType, "file_name": file.Name,
	}
	message := describeMessage(post, int64(number))
	if caption := strings.TrimSpace(in.Caption); caption != "" {
		message["caption"] = caption
	}
	if in.Type != document {
		shown["width"], shown["height"] = kept.Width, kept.Height
	}
	switch in.Type {
	case photo:
		delete(shown, "mime_type")
		delete(shown, "file_name")
		message["photo"] = []any{shown}
	case video, animation:
		shown["duration"] = in.Duration
		message[string(in.Type)] = shown
	case document:
		message["document"] = shown
	}
	return message
}
