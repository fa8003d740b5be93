package telegramapi

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
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
	Type                    kind
	Media, Caption          string
	Width, Height, Duration int
}

// caption returns the caption as it is shown.
func (in input) caption() string { return strings.TrimSpace(in.Caption) }

// sendFile publishes one file.
func (a *api) sendFile(as kind) func(stage.Request) stage.Response {
	return func(r stage.Request) stage.Response {
		in, file, bad := a.only(r, as)
		draft := ledger.Draft{Text: in.caption(), Media: []ledger.Media{in.keep(file)}}
		return a.publish(r, bad, draft, func(post ledger.Post) any { return in.message(post, 0, file) })
	}
}

// only returns the one file of a call.
func (a *api) only(r stage.Request, as kind) (input, stage.FormFile, stage.Check) {
	in := input{Type: as, Media: r.Values.Get(string(as)), Caption: r.Values.Get("caption")}
	in.Width, _ = strconv.Atoi(r.Values.Get("width"))
	in.Height, _ = strconv.Atoi(r.Values.Get("height"))
	in.Duration, _ = strconv.Atoi(r.Values.Get("duration"))
	file, found := r.Form.File(string(as))
	if !found {
		file, found = attached(r, in.Media)
	}
	bad := stage.If(!found && in.Media != "", invalid("wrong file identifier/HTTP URL specified")).
		Or(!found, invalid("there is no "+string(as)+" in the request"))
	return in, file, bad.Also(in.check(file))
}

// sendAlbum publishes several files as consecutive messages.
func (a *api) sendAlbum(r stage.Request) stage.Response {
	var album []input
	err := json.Unmarshal([]byte(r.Values.Get("media")), &album)
	bad := stage.If(err != nil, invalid("can't parse media JSON object")).
		Or(len(album) < albumLeast || len(album) > albumMost, invalid("an album has from 2 to 10 items"))
	draft, files := ledger.Draft{IDs: len(album)}, make([]stage.FormFile, len(album))
	for i, in := range album {
		var found bool
		files[i], found = attached(r, in.Media)
		bad = bad.Or(in.Type != photo && in.Type != video && in.Type != document,
			invalid("type of the media can't be used in an album")).
			Or((in.Type == document) != (album[0].Type == document), invalid("Document can't be mixed with other media types")).
			Or(!found, invalid("wrong file identifier/HTTP URL specified")).Also(in.check(files[i]))
		draft.Media = append(draft.Media, in.keep(files[i]))
		draft.Text = album[0].caption()
	}
	return a.publish(r, bad, draft, func(post ledger.Post) any {
		group, messages := rand.Text(), make([]stage.Object, len(album))
		for i, in := range album {
			messages[i] = in.message(post, i, files[i])
			messages[i]["media_group_id"] = group
		}
		return messages
	})
}

// attached returns the form's file that an attach:// address refers to.
func attached(r stage.Request, address string) (stage.FormFile, bool) {
	name, ok := strings.CutPrefix(address, "attach://")
	file, found := r.Form.File(name)
	return file, ok && found
}

// check refuses a file like Telegram, which uses only its bytes.
func (in input) check(file stage.FormFile) stage.Check {
	item, wrong := file.Item, invalid(map[kind]string{
		photo: "IMAGE_PROCESS_FAILED", video: "VIDEO_CONTENT_TYPE_INVALID", animation: "wrong type of the file",
		document: "wrong type of the file",
	}[in.Type])
	sides := item.Width+item.Height > longestSides || item.Width > longestRatio*max(item.Height, 1) ||
		item.Height > longestRatio*max(item.Width, 1)
	return stage.If(errors.Is(file.Err, mediastore.ErrTooLarge),
		refuse(http.StatusRequestEntityTooLarge, "Request Entity Too Large")).
		Or(errors.Is(file.Err, mediastore.ErrEmpty), invalid("file must be non-empty")).
		Or(errors.Is(file.Err, mediastore.ErrUnsupported), wrong).
		Or(file.Err != nil, broken()).
		Or(!in.takes(item), wrong).
		Or(in.Type == photo && item.Size > photoLimit, invalid("file is too big for a photo")).
		Or(in.Type == photo && sides, invalid("PHOTO_INVALID_DIMENSIONS")).
		Or(figures.UTF16(in.caption()) > captionLimit, invalid("message caption is too long"))
}

// takes reports whether Telegram accepts the file's type.
func (in input) takes(item mediastore.Item) bool {
	switch in.Type {
	case photo:
		return item.Type == media.GIF || item.Type == media.Image && item.ContentType != media.ContentTypeHEIC &&
			item.ContentType != media.ContentTypeAVIF
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

// keep returns the file as the post's media, with an opaque id in Telegram's format. The dimensions of a video come
// from the request.
func (in input) keep(file stage.FormFile) ledger.Media {
	kept := file.Item.Media("AgACAgIAAx0CU"+rand.Text(), "")
	if kept.Width == 0 {
		kept.Width, kept.Height = in.Width, in.Height
	}
	return kept
}

// message returns the post's message with that number and its file.
func (in input) message(post ledger.Post, number int, file stage.FormFile) stage.Object {
	kept := post.Media[number]
	shown := stage.Object{
		"file_id": kept.ID, "file_unique_id": kept.ID[len(kept.ID)-16:], "file_size": kept.Size,
		"mime_type": kept.ContentType, "file_name": file.Name,
	}
	sent := message(post, int64(number))
	if caption := in.caption(); caption != "" {
		sent["caption"] = caption
	}
	if in.Type != document {
		shown["width"], shown["height"] = kept.Width, kept.Height
	}
	sent[string(in.Type)] = shown
	switch in.Type {
	case photo:
		delete(shown, "mime_type")
		delete(shown, "file_name")
		sent["photo"] = []any{shown}
	case video, animation:
		shown["duration"] = in.Duration
	case document:
	}
	return sent
}
