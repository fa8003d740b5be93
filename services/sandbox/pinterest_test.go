package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/platformtest"
)

const pinToken = "sandbox-pinterest-acme"

// pinterest calls Pinterest's API as acme.
func (b *bundle) pinterest(t *testing.T, method, path, body string) reply {
	t.Helper()
	return b.call(t.Context(), t, method, "/pinterest/v5"+path, pinToken, "application/json", body)
}

// board returns the id of acme's first board.
func (b *bundle) board(t *testing.T) string {
	t.Helper()
	boards, ok := b.pinterest(t, http.MethodGet, "/boards", "").at(t, "items").([]any)
	require.True(t, ok)
	first, ok := boards[0].(map[string]any)
	require.True(t, ok)
	return fmt.Sprint(first["id"])
}

// pin creates a pin with the media source and further members.
func (b *bundle) pin(t *testing.T, source, more string) reply {
	t.Helper()
	return b.pinterest(t, http.MethodPost, "/pins", fmt.Sprintf(`{"board_id":%q,"media_source":%s%s}`, b.board(t), source, more))
}

func inline(a platformtest.Attachment) string {
	return fmt.Sprintf(`"content_type":%q,"data":%q`, a.Asset.ContentType, base64.StdEncoding.EncodeToString(a.Bytes))
}

func TestPinterestTakesPins(t *testing.T) {
	t.Parallel()

	b := setup(t)
	picture := platformtest.Picture(t, 1)
	board := b.board(t)
	sections, ok := b.pinterest(t, http.MethodGet, "/boards/"+board+"/sections", "").at(t, "items").([]any)
	require.True(t, ok)
	first, ok := sections[0].(map[string]any)
	require.True(t, ok)
	section := fmt.Sprint(first["id"])
	created := b.pin(t, `{"source_type":"image_base64",`+inline(picture)+`}`,
		`,"title":"T","description":"D","link":"https://example.com/","alt_text":"A","board_section_id":"`+section+`"`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	id := created.text(t, "id")
	published := b.posts(t, "")[0]
	require.Equal(t, "T", published["title"])
	require.Equal(t, "D", published["text"])
	require.Equal(t, "https://example.com/", published["link"])
	require.Contains(t, fmt.Sprint(published["media"]), picture.SHA256())
	require.Contains(t, fmt.Sprint(published["media"]), "altText:A")
	require.Equal(t, map[string]any{"Board": board, "Section": section, "Kind": "image"}, published["details"])
	require.Contains(t, b.get(t, "/p/pinterest/"+id, "").body, "https://example.com/")

	for _, path := range []string{"/boards/" + board + "/pins", "/boards/" + board + "/sections/" + section + "/pins"} {
		list := b.pinterest(t, http.MethodGet, path, "")
		require.Contains(t, list.body, `"id":"`+id+`"`, path)
		require.Contains(t, list.body, `"created_at":"2026-03-01T09:00:00"`)
	}
	require.Empty(t, b.pinterest(t, http.MethodGet, "/boards/"+board+"/sections/"+board+"2/pins", "").at(t, "items"))
	require.Equal(t, id, b.pinterest(t, http.MethodGet, "/pins/"+id, "").text(t, "id"))
	require.Equal(t, http.StatusNoContent, b.pinterest(t, http.MethodDelete, "/pins/"+id, "").status)
	require.Equal(t, http.StatusNotFound, b.pinterest(t, http.MethodGet, "/pins/"+id, "").status)
}

func TestPinterestTakesCarouselsAndAddresses(t *testing.T) {
	t.Parallel()

	b := setup(t)
	pictures := platformtest.Pictures(t, 2)
	storage := platformtest.Files(t, pictures...)
	created := b.pin(t, `{"source_type":"multiple_image_base64","index":0,"items":[{`+inline(pictures[0])+`},{`+inline(pictures[1])+`}]}`, "")
	require.Equal(t, http.StatusCreated, created.status, created.body)
	require.Len(t, b.posts(t, "")[0]["media"], 2)
	link, err := storage.Link(t.Context(), pictures[0].Asset)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, b.pin(t, `{"source_type":"image_url","url":"`+link+`"}`, "").status)

	small := platformtest.GIF(t)
	small.Asset.ContentType = "image/png"
	for name, source := range map[string]string{
		"one image":      `{"source_type":"multiple_image_base64","index":0,"items":[{` + inline(pictures[0]) + `}]}`,
		"no such index":  `{"source_type":"multiple_image_base64","index":2,"items":[{` + inline(pictures[0]) + `},{` + inline(pictures[1]) + `}]}`,
		"another type":   `{"source_type":"image_base64",` + inline(small) + `}`,
		"not base64":     `{"source_type":"image_base64","content_type":"image/png","data":"%"}`,
		"unreachable":    `{"source_type":"image_url","url":"http://127.0.0.1:1/x.jpg"}`,
		"no kind":        `{"source_type":"pin_url"}`,
		"unknown member": `{"source_type":"image_base64","name":"x",` + inline(pictures[0]) + `}`,
		"no video":       `{"source_type":"video_id","media_id":"1","cover_image_key_frame_time":1}`,
	} {
		require.Equal(t, http.StatusBadRequest, b.pin(t, source, "").status, name)
	}
	source := `{"source_type":"image_base64",` + inline(pictures[0]) + `}`
	for name, more := range map[string]string{
		"title":       `,"title":"` + strings.Repeat("a", 101) + `"`,
		"description": `,"description":"` + strings.Repeat("a", 801) + `"`,
		"alt text":    `,"alt_text":"` + strings.Repeat("a", 501) + `"`,
		"link":        `,"link":"example"`,
		"section":     `,"board_section_id":"x"`,
	} {
		require.Equal(t, http.StatusBadRequest, b.pin(t, source, more).status, name)
	}
	foreign := b.pinterest(t, http.MethodPost, "/pins", `{"board_id":"1","media_source":`+source+`}`)
	require.Equal(t, http.StatusNotFound, foreign.status)
	require.Equal(t, "Board not found.", foreign.text(t, "message"))
	require.Equal(t, http.StatusNotFound, b.pin(t, source, `,"board_section_id":"1"`).status)
}

// form sends a video to the object storage, with the fields in the given order.
func (b *bundle) uploadForm(t *testing.T, fields [][2]string, file []byte, fileFirst bool) reply {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	add := func() {
		part, err := form.CreateFormFile("file", "video.mp4")
		require.NoError(t, err)
		_, err = part.Write(file)
		require.NoError(t, err)
	}
	if fileFirst {
		add()
	}
	for _, field := range fields {
		require.NoError(t, form.WriteField(field[0], field[1]))
	}
	if !fileFirst {
		add()
	}
	require.NoError(t, form.Close())
	return b.call(t.Context(), t, http.MethodPost, "/pinterest-s3/", "", form.FormDataContentType(), body.String())
}

func TestPinterestTakesVideos(t *testing.T) {
	t.Parallel()

	b := setup(t)
	video := platformtest.Video(100_000)
	require.Equal(t, http.StatusBadRequest, b.pinterest(t, http.MethodPost, "/media", `{"media_type":"image"}`).status)
	begun := b.pinterest(t, http.MethodPost, "/media", `{"media_type":"video"}`)
	require.Equal(t, http.StatusCreated, begun.status, begun.body)
	id := begun.text(t, "media_id")
	state := func() string { return b.pinterest(t, http.MethodGet, "/media/"+id, "").text(t, "status") }
	require.Equal(t, "registered", state())
	given, ok := begun.at(t, "upload_parameters").(map[string]any)
	require.True(t, ok)
	var fields [][2]string
	for name, value := range given {
		fields = append(fields, [2]string{name, fmt.Sprint(value)})
	}
	require.Equal(t, http.StatusForbidden, b.uploadForm(t, fields, video.Bytes, true).status, "S3 ignores what follows the file")
	require.Equal(t, http.StatusForbidden, b.uploadForm(t, fields[1:], video.Bytes, false).status, "a field is missing")
	source := `{"source_type":"video_id","media_id":"` + id + `","cover_image_key_frame_time":1}`
	require.Equal(t, http.StatusBadRequest, b.pin(t, source, "").status, "not uploaded")
	for range 2 {
		require.Equal(t, http.StatusNoContent, b.uploadForm(t, fields, video.Bytes, false).status)
	}
	require.Equal(t, "processing", state())
	b.restart(t)
	b.clock.Advance(time.Second)
	require.Equal(t, "succeeded", state())
	require.Contains(t, b.pin(t, `{"source_type":"video_id","media_id":"`+id+`"}`, "").body, "cover_image_url")
	for member, fault := range map[string]string{
		`"cover_image_key_frame_time":-1`:                        "must not be negative",
		`"cover_image_url":"http://127.0.0.1:1/cover.jpg"`:       "Unable to reach the URL",
		`"cover_image_url":"` + b.server.URL + `/unknown/a.jpg"`: "Unable to reach the URL",
	} {
		require.Contains(t, b.pin(t, `{"source_type":"video_id","media_id":"`+id+`",`+member+`}`, "").body, fault)
	}
	covered := b.pin(t, `{"source_type":"video_id","media_id":"`+id+`","cover_image_url":"`+b.server.URL+`/avatars/acme"}`, "")
	require.Equal(t, http.StatusCreated, covered.status, covered.body)
	created := b.pin(t, source, "")
	require.Equal(t, http.StatusCreated, created.status, created.body)
	require.Contains(t, fmt.Sprint(b.posts(t, "")[0]["media"]), video.SHA256())

	require.Equal(t, http.StatusNoContent, b.uploadForm(t, fields, []byte("no video at all"), false).status)
	b.clock.Advance(time.Second)
	require.Equal(t, "failed", state())
	b.clock.Advance(time.Hour)
	require.Equal(t, http.StatusForbidden, b.uploadForm(t, fields, video.Bytes, false).status, "expired")
	require.Equal(t, http.StatusNotFound, b.pinterest(t, http.MethodGet, "/media/1", "").status)
}
