package telegram

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// kind is the way Telegram displays a file: the type of an album's item, and the field of a single file.
type kind string

const (
	photo     kind = "photo"
	video     kind = "video"
	animation kind = "animation"
	document  kind = "document"
)

// method returns the API method that sends one file of the kind.
func (k kind) method() string {
	switch k {
	case photo:
		return "sendPhoto"
	case video:
		return "sendVideo"
	case animation:
		return "sendAnimation"
	case document:
		return "sendDocument"
	default:
		return ""
	}
}

// kindOf returns the best kind for a content type. A type that Telegram does not display as a photo, video or animation
// is sent as a document.
func kindOf(contentType string) kind {
	switch contentType {
	case media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeWebP:
		return photo
	case media.ContentTypeMP4:
		return video
	case media.ContentTypeGIF:
		return animation
	default:
		return document
	}
}

// item is one file of a message, in the API's format for albums.
type item struct {
	Type              kind   `json:"type"`
	Media             string `json:"media"` // the name of the form's part with the file
	Caption           string `json:"caption,omitempty"`
	Width             int    `json:"width,omitempty"` // pixels
	Height            int    `json:"height,omitempty"`
	Duration          int    `json:"duration,omitempty"` // seconds
	SupportsStreaming bool   `json:"supports_streaming,omitempty"`
	Spoiler           bool   `json:"has_spoiler,omitempty"`
}

// items returns the files' descriptions. An album consists of photos and videos, or of only documents. If one file is
// neither a photo nor a video, all are sent as documents.
func (a attachments) items(caption string) []item {
	items := make([]item, len(a))
	for i, attached := range a {
		items[i] = item{Type: kindOf(attached.file.ContentType()), Media: "attach://" + part(i)}
	}
	items[0].Caption = caption
	files := len(items) > 1 && slices.ContainsFunc(items, func(i item) bool { return i.Type != photo && i.Type != video })
	for i, attached := range a {
		if files {
			items[i].Type = document
		}
		items[i] = items[i].measured(attached.asset.Probe)
	}
	return items
}

// measured sets the dimensions and duration of videos and animations. Telegram determines those of photos and documents
// itself.
func (i item) measured(probe media.Probe) item {
	if i.Type != video && i.Type != animation {
		return i
	}
	i.Width, i.Height = probe.Width, probe.Height
	if probe.Duration > 0 {
		i.Duration = max(1, int(math.Round(probe.Duration.Seconds()))) // Telegram shows no duration for zero
	}
	i.SupportsStreaming = i.Type == video
	return i
}

// part returns the name of a file's part in the form.
func part(i int) string { return "file" + strconv.Itoa(i) }

// request returns the request that sends the post to the chat as plain text, without markup.
func (a attachments) request(account platform.Account, content platform.Content, chat any) httpcall.Request {
	text, set := content.Text, settingsOf(content.Options)
	request := httpcall.Request{
		Operation: "publish", Method: http.MethodPost, Secrets: []string{account.Credentials.AccessToken},
	}
	method := "sendMessage"
	switch len(a) {
	case 0:
		body := sendBody{ChatID: chat, Text: text, LinkPreview: linkPreviewOf(content.Options.LinkPreview), settings: set}
		if rich := richOf(text); rich != nil {
			method, body = "sendRichMessage", sendBody{ChatID: chat, Rich: rich, settings: set}
		}
		if len(content.Options.PollOptions) > 0 {
			method, body = "sendPoll", sendBody{ChatID: chat, poll: pollOf(content), settings: set}
		}
		request.JSON = body
	case 1:
		only := hidden(content.Options, a.items(text))[0]
		method = only.Type.method()
		request.Multipart = &httpcall.Multipart{
			Fields: append(only.fields(chat), set.fields()...), Files: a.parts(string(only.Type)),
		}
	default:
		method = "sendMediaGroup"
		album, _ := json.Marshal(hidden(content.Options, a.items(text))) // only strings, numbers and flags: cannot fail
		fields := [][2]string{{"chat_id", fmt.Sprint(chat)}, {"media", string(album)}}
		request.Multipart = &httpcall.Multipart{Fields: append(fields, set.fields()...), Files: a.parts("")}
	}
	request.Path = []string{"bot" + account.Credentials.AccessToken, method}
	return request
}

// fields returns the form fields of a single file's method.
func (i item) fields(chat any) [][2]string {
	fields := [][2]string{{"chat_id", fmt.Sprint(chat)}}
	if i.Caption != "" {
		fields = append(fields, [2]string{"caption", i.Caption})
	}
	for _, number := range []struct {
		name  string
		value int
	}{{"width", i.Width}, {"height", i.Height}, {"duration", i.Duration}} {
		if number.value > 0 {
			fields = append(fields, [2]string{number.name, strconv.Itoa(number.value)})
		}
	}
	if i.SupportsStreaming {
		fields = append(fields, [2]string{"supports_streaming", "true"})
	}
	if i.Spoiler {
		fields = append(fields, [2]string{"has_spoiler", "true"})
	}
	return fields
}
