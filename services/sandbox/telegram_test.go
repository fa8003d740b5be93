package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/platformtest"
)

const telegramBot = "/telegram/bot42:sandbox-demo/"

// uploaded contains the files of a form by field.
type uploaded map[string][]byte

// send builds a form with the files and sends it to the Bot API.
func (b *bundle) send(t *testing.T, method string, fields map[string]string, files uploaded) reply {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		require.NoError(t, form.WriteField(name, value))
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		part, err := form.CreateFormFile(name, name+".bin")
		require.NoError(t, err)
		_, err = part.Write(files[name])
		require.NoError(t, err)
	}
	require.NoError(t, form.Close())
	return b.call(t.Context(), t, http.MethodPost, telegramBot+method, "", form.FormDataContentType(), body.String())
}

// pngOf returns a PNG image of the given size.
func pngOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, image.NewGray(image.Rect(0, 0, width, height))))
	return file.Bytes()
}

func TestTelegramTakesFiles(t *testing.T) {
	t.Parallel()

	b := setup(t)
	picture, video := platformtest.Picture(t, 1), platformtest.Video(9_000)
	chat := map[string]string{
		"chat_id": "@acme", "caption": " hello\n", "width": "720", "height": "1280", "duration": "12",
	}

	photo := b.send(t, "sendPhoto", chat, uploaded{"photo": picture.Bytes})
	require.Equal(t, http.StatusOK, photo.status, photo.body)
	require.Equal(t, "hello", photo.text(t, "result", "caption"))
	sizes, ok := photo.at(t, "result", "photo").([]any)
	require.True(t, ok)
	require.Len(t, sizes, 1)
	kept := b.posts(t, "")[0]
	require.Equal(t, "hello", kept["text"])
	media, ok := kept["media"].([]any)
	require.True(t, ok)
	require.Len(t, media, 1)

	sent := b.send(t, "sendVideo", chat, uploaded{"video": video.Bytes})
	require.InDelta(t, 12, sent.at(t, "result", "video", "duration"), 0)
	require.InDelta(t, 720, sent.at(t, "result", "video", "width"), 0)
	require.Equal(t, "video/mp4", sent.text(t, "result", "video", "mime_type"))
	named := b.send(t, "sendPhoto", map[string]string{"chat_id": "@acme", "photo": "attach://one"},
		uploaded{"one": picture.Bytes})
	require.Equal(t, http.StatusOK, named.status, named.body)
	require.Equal(t, http.StatusOK, b.send(t, "sendAnimation", chat,
		uploaded{"animation": platformtest.GIF(t).Bytes}).status)
	require.Equal(t, http.StatusOK, b.send(t, "sendDocument", chat, uploaded{"document": picture.Bytes}).status)
	require.Len(t, b.posts(t, ""), 5)
}

func TestTelegramKeepsAlbumsInOrder(t *testing.T) {
	t.Parallel()

	b := setup(t)
	first, second, third := platformtest.Picture(t, 1), platformtest.Video(9_000), platformtest.Picture(t, 3)
	response := b.send(t, "sendMediaGroup", map[string]string{"chat_id": "@acme", "media": `[
		{"type":"photo","media":"attach://c","caption":"album"},
		{"type":"video","media":"attach://a","width":720,"height":1280},
		{"type":"photo","media":"attach://b"}]`}, uploaded{"a": second.Bytes, "b": third.Bytes, "c": first.Bytes})
	require.Equal(t, http.StatusOK, response.status, response.body)
	var album struct {
		Result []struct {
			MessageID int64  `json:"message_id"`
			Group     string `json:"media_group_id"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(response.body), &album))
	require.Len(t, album.Result, 3)

	posts := b.posts(t, "")
	require.Len(t, posts, 1, "an album is one post")
	require.Equal(t, "album", posts[0]["text"])
	media, ok := posts[0]["media"].([]any)
	require.True(t, ok)
	require.Len(t, media, 3)
	for i, attachment := range []platformtest.Attachment{first, second, third} {
		shown, ok := media[i].(map[string]any)
		require.True(t, ok)
		require.Equal(t, attachment.SHA256(), shown["sha256"])
		require.Equal(t, album.Result[0].Group, album.Result[i].Group)
		require.Equal(t, album.Result[0].MessageID+int64(i), album.Result[i].MessageID)
	}
	next := b.form(t, telegramBot+"sendMessage", "chat_id", "@acme", "text", "next")
	require.Greater(t, next.at(t, "result", "message_id"), float64(album.Result[2].MessageID),
		"no two messages have one id")
}

func TestTelegramRefusesFiles(t *testing.T) {
	t.Parallel()

	b := setup(t)
	picture, video, paper := platformtest.Picture(t,
		1).Bytes, platformtest.Video(9_000).Bytes, platformtest.Document().Bytes
	items := func(kinds ...string) string {
		list := make([]string, len(kinds))
		for i, kind := range kinds {
			list[i] = `{"type":"` + kind + `","media":"attach://a"}`
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	for name, test := range map[string]struct {
		method      string
		fields      map[string]string
		files       uploaded
		status      int
		description string
	}{
		"no file": {"sendPhoto", nil, nil, 400, "there is no photo in the request"},
		"address": {
			"sendPhoto", map[string]string{"photo": "https://example.com/a.jpg"}, nil, 400, "wrong file identifier",
		},
		"unknown part": {
			"sendPhoto", map[string]string{"photo": "attach://x"}, nil, 400, "wrong file identifier",
		},
		"video as a photo":      {"sendPhoto", nil, uploaded{"photo": video}, 400, "IMAGE_PROCESS_FAILED"},
		"text as a photo":       {"sendPhoto", nil, uploaded{"photo": []byte("hello")}, 400, "IMAGE_PROCESS_FAILED"},
		"empty photo":           {"sendPhoto", nil, uploaded{"photo": {}}, 400, "non-empty"},
		"photo as a video":      {"sendVideo", nil, uploaded{"video": picture}, 400, "VIDEO_CONTENT_TYPE_INVALID"},
		"photo as an animation": {"sendAnimation", nil, uploaded{"animation": picture}, 400, "wrong type"},
		"long photo": {
			"sendPhoto", nil, uploaded{"photo": pngOf(t, 2_100, 100)}, 400, "PHOTO_INVALID_DIMENSIONS",
		},
		"wide photo": {
			"sendPhoto", nil, uploaded{"photo": pngOf(t, 9_500, 501)}, 400, "PHOTO_INVALID_DIMENSIONS",
		},
		"photo of eleven megabytes": {
			"sendPhoto", nil, uploaded{"photo": append(slices.Clone(picture), make([]byte, 11<<20)...)}, 400, "too big",
		},
		"video of 51 megabytes": {
			"sendVideo", nil, uploaded{"video": append(slices.Clone(video), make([]byte, 51<<20)...)}, 413, "Too Large",
		},
		"long caption": {
			"sendPhoto",
			map[string]string{"caption": strings.Repeat("a", 1025)},
			uploaded{"photo": picture},
			400,
			"caption is too long",
		},
		"missing chat": {
			"sendPhoto", map[string]string{"chat_id": "@missing"}, uploaded{"photo": picture}, 400, "chat not found",
		},
		"kicked":   {"sendMediaGroup", map[string]string{"chat_id": "@kicked"}, nil, 403, "kicked"},
		"no album": {"sendMediaGroup", nil, nil, 400, "can't parse"},
		"album of one": {
			"sendMediaGroup", map[string]string{"media": items("photo")}, uploaded{"a": picture}, 400, "from 2 to 10",
		},
		"album of eleven": {
			"sendMediaGroup",
			map[string]string{"media": items(slices.Repeat([]string{"photo"}, 11)...)},
			uploaded{"a": picture},
			400, "from 2 to 10",
		},
		"album of animations": {
			"sendMediaGroup",
			map[string]string{"media": items("animation", "animation")},
			uploaded{"a": picture},
			400,
			"can't be used",
		},
		"documents and photos": {
			"sendMediaGroup",
			map[string]string{"media": items("photo", "document")},
			uploaded{"a": picture},
			400,
			"can't be mixed",
		},
		"album without a file": {
			"sendMediaGroup",
			map[string]string{"media": items("document", "document")},
			uploaded{"b": paper},
			400,
			"wrong file identifier",
		},
		"album of wrong files": {
			"sendMediaGroup",
			map[string]string{"media": items("photo", "video")},
			uploaded{"a": picture},
			400,
			"VIDEO_CONTENT_TYPE_INVALID",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			fields := map[string]string{"chat_id": "@acme"}
			maps.Copy(fields, test.fields)
			response := b.send(t, test.method, fields, test.files)
			require.Equal(t, test.status, response.status, response.body)
			require.Contains(t, response.text(t, "description"), test.description)
			require.Empty(t, b.posts(t, ""))
		})
	}
	broken := b.call(t.Context(), t, http.MethodPost, telegramBot+"sendPhoto", "", "multipart/form-data; boundary=x",
		"--x\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n@acme")
	require.Equal(t, http.StatusBadRequest, broken.status)
}
