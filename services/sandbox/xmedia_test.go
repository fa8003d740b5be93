package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	uploads  = "/x/2/media/upload/"
	acme     = "sandbox-x-acme"
	xPicture = "tweet_image"
	xGIF     = "tweet_gif"
	xVideo   = "tweet_video"
)

// xCall makes a JSON call to X as acme.
func (b *bundle) xCall(t *testing.T, path, body string) reply {
	t.Helper()
	return b.call(t.Context(), t, http.MethodPost, path, acme, "application/json", body)
}

func (b *bundle) initialize(t *testing.T, category, contentType string, size int) reply {
	t.Helper()
	return b.xCall(t, uploads+"initialize", fmt.Sprintf(`{"media_type":%q,"total_bytes":%d,"media_category":%q}`,
		contentType, size, category))
}

func (b *bundle) segment(t *testing.T, id, index string, content []byte) reply {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	require.NoError(t, form.WriteField("segment_index", index))
	file, err := form.CreateFormFile("media", "blob")
	require.NoError(t, err)
	_, err = file.Write(content)
	require.NoError(t, err)
	require.NoError(t, form.Close())
	return b.call(t.Context(), t, http.MethodPost, uploads+id+"/append", acme, form.FormDataContentType(), body.String())
}

// upload sends a file in segments of the given size, the last one first and each one twice.
func (b *bundle) upload(t *testing.T, category string, file platformtest.Attachment, size int) (string, reply) {
	t.Helper()
	begun := b.initialize(t, category, file.Asset.ContentType, len(file.Bytes))
	require.Equal(t, http.StatusOK, begun.status, begun.body)
	id := begun.text(t, "data", "id")
	for index := (len(file.Bytes) - 1) / size; index >= 0; index-- {
		segment := file.Bytes[index*size : min(len(file.Bytes), (index+1)*size)]
		require.Equal(t, http.StatusOK, b.segment(t, id, strconv.Itoa(index), bytes.Repeat([]byte("x"), len(segment))).status)
		require.Equal(t, http.StatusOK, b.segment(t, id, strconv.Itoa(index), segment).status)
	}
	return id, b.xCall(t, uploads+id+"/finalize", "")
}

func (b *bundle) tweetWith(t *testing.T, text string, ids ...string) reply {
	t.Helper()
	body, err := json.Marshal(map[string]any{"text": text, "media": map[string]any{"media_ids": ids}})
	require.NoError(t, err)
	return b.xCall(t, "/x/2/tweets", string(body))
}

func TestXTakesMedia(t *testing.T) {
	t.Parallel()

	b := setup(t)
	picture := platformtest.Picture(t, 1)
	id, ended := b.upload(t, xPicture, picture, 1000)
	require.Equal(t, http.StatusOK, ended.status, ended.body)
	require.Nil(t, ended.at(t, "data", "processing_info"))
	require.Equal(t, "3_"+id, ended.text(t, "data", "media_key"))
	require.InDelta(t, 86_400, ended.at(t, "data", "expires_after_secs"), 0)
	described := b.xCall(t, "/x/2/media/metadata",
		fmt.Sprintf(`{"id":%q,"metadata":{"alt_text":{"text":"squares <b>"}}}`, id))
	require.Equal(t, http.StatusOK, described.status, described.body)

	b.restart(t)
	created := b.tweetWith(t, "look", id)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	require.Regexp(t, `^look https://t\.co/\w{10}$`, created.text(t, "data", "text"))
	post := b.posts(t, "")[0]
	require.Equal(t, []any{map[string]any{
		"id": "3_" + id, "type": "IMAGE", "contentType": "image/jpeg", "sha256": picture.SHA256(),
		"size":  float64(len(picture.Bytes)),
		"width": 640.0, "height": 480.0, "altText": "squares <b>", "url": b.server.URL + "/media/" + picture.SHA256(),
	}}, post["media"])
	list := b.get(t, "/x/2/users/acme/tweets?tweet.fields=attachments,entities", acme)
	require.Contains(t, list.body, `"media_keys":["3_`+id+`"]`)
	require.Contains(t, list.body, `"media_key":"3_`+id+`"`)

	require.Contains(t, b.tweetWith(t, "look", id).text(t, "detail"), "duplicate content")
	other, _ := b.upload(t, xPicture, platformtest.Picture(t, 2), 1<<20)
	require.Equal(t, http.StatusCreated, b.tweetWith(t, "look", other).status, "another picture")
	alone := b.tweetWith(t, "", other, id)
	require.Equal(t, http.StatusCreated, alone.status, "no text")
	require.Regexp(t, `^https://t\.co/\w{10}$`, alone.text(t, "data", "text"))
}

func TestXProcessesVideos(t *testing.T) {
	t.Parallel()

	b := setup(t)
	state := func(id string) string {
		return b.get(t, "/x/2/media/upload?command=STATUS&media_id="+id, acme).text(t, "data", "processing_info", "state")
	}
	video, ended := b.upload(t, xVideo, platformtest.Video(6<<20), 4<<20)
	require.Equal(t, "pending", ended.text(t, "data", "processing_info", "state"))
	require.InDelta(t, 1, ended.at(t, "data", "processing_info", "check_after_secs"), 0)
	require.Equal(t, http.StatusBadRequest, b.tweetWith(t, "early", video).status)
	b.clock.Advance(200 * time.Millisecond)
	require.Equal(t, "in_progress", state(video))
	b.restart(t)
	b.clock.Advance(time.Second)
	require.Equal(t, "succeeded", state(video))
	require.Equal(t, http.StatusCreated, b.tweetWith(t, "now", video).status)

	animation, ended := b.upload(t, xGIF, platformtest.GIF(t), 1<<20)
	require.Equal(t, "pending", ended.text(t, "data", "processing_info", "state"))
	b.clock.Advance(time.Second)
	require.Equal(t, http.StatusCreated, b.tweetWith(t, "", animation).status)

	wrong := platformtest.Picture(t, 1)
	wrong.Asset.ContentType = media.ContentTypeMP4
	broken, ended := b.upload(t, xVideo, wrong, 1<<20)
	require.Equal(t, http.StatusOK, ended.status)
	b.clock.Advance(time.Second)
	require.Equal(t, "failed", state(broken))
	require.Equal(t, http.StatusBadRequest, b.tweetWith(t, "broken", broken).status)
}

func TestXRefusesMedia(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for name, begun := range map[string]reply{
		"a category that is none": b.initialize(t, "tweet_song", media.ContentTypeMP4, 100),
		"a type that is none":     b.initialize(t, xPicture, media.ContentTypeHEIC, 100),
		"another category's type": b.initialize(t, xVideo, media.ContentTypeGIF, 100),
		"no size":                 b.initialize(t, xPicture, media.ContentTypePNG, 0),
		"a large picture":         b.initialize(t, xPicture, media.ContentTypePNG, 5<<20+1),
		"a large animation":       b.initialize(t, xGIF, media.ContentTypeGIF, 15<<20+1),
		"a large video":           b.initialize(t, xVideo, media.ContentTypeMOV, 512<<20+1),
		"no JSON":                 b.xCall(t, uploads+"initialize", "{"),
		"an unknown upload":       b.segment(t, "7", "0", []byte("x")),
		"the end of nothing":      b.xCall(t, uploads+"7/finalize", ""),
		"the state of nothing":    b.get(t, "/x/2/media/upload?command=STATUS&media_id=7", acme),
		"words for nothing":       b.xCall(t, "/x/2/media/metadata", `{"id":"7","metadata":{"alt_text":{"text":"x"}}}`),
		"a post with nothing":     b.tweetWith(t, "x"),
		"a post with an unknown":  b.tweetWith(t, "x", "7"),
	} {
		require.Equal(t, http.StatusBadRequest, begun.status, "%s: %s", name, begun.body)
	}

	picture := platformtest.Picture(t, 1)
	id := b.initialize(t, xPicture, media.ContentTypeJPEG, len(picture.Bytes)).text(t, "data", "id")
	for _, index := range []string{"-1", "1000", "x", ""} {
		require.Equal(t, http.StatusBadRequest, b.segment(t, id, index, picture.Bytes).status, index)
	}
	require.Equal(t, http.StatusBadRequest, b.segment(t, id, "0", nil).status, "nothing in it")
	require.Equal(t, http.StatusRequestEntityTooLarge, b.segment(t, id, "0", make([]byte, 5<<20+1)).status)
	require.Equal(t, http.StatusBadRequest, b.xCall(t, uploads+id+"/append", `{}`).status, "no form")
	b.segment(t, id, "1", picture.Bytes)
	require.Equal(t, http.StatusBadRequest, b.xCall(t, uploads+id+"/finalize", "").status, "the first segment is missing")
	b.segment(t, id, "0", picture.Bytes)
	require.Equal(t, http.StatusBadRequest, b.xCall(t, uploads+id+"/finalize", "").status, "too much")
	require.Equal(t, http.StatusBadRequest, b.tweetWith(t, "x", id).status, "not finalized")

	wrong := platformtest.GIF(t)
	wrong.Asset.ContentType = media.ContentTypePNG
	_, ended := b.upload(t, xPicture, wrong, 1<<20)
	require.Equal(t, http.StatusBadRequest, ended.status, "another type than declared")
	require.Empty(t, b.posts(t, ""))
}

func TestXCountsMedia(t *testing.T) {
	t.Parallel()

	b := setup(t)
	ids := make([]string, 5)
	for i := range ids {
		ids[i], _ = b.upload(t, xPicture, platformtest.Picture(t, i), 1<<20)
	}
	animation, _ := b.upload(t, xGIF, platformtest.GIF(t), 1<<20)
	b.clock.Advance(time.Second)
	require.Equal(t, http.StatusBadRequest, b.tweetWith(t, "five", ids...).status)
	require.Equal(t, http.StatusBadRequest, b.tweetWith(t, "mixed", ids[0], animation).status)
	require.Equal(t, http.StatusBadRequest, b.xCall(t, uploads+ids[0]+"/finalize", "").status, "again")
	outsider := b.call(t.Context(), t, http.MethodPost, "/x/2/tweets", "sandbox-x-other", "application/json",
		`{"text":"x","media":{"media_ids":["`+ids[0]+`"]}}`)
	require.Equal(t, http.StatusBadRequest, outsider.status, "another account's")
	require.Equal(t, http.StatusCreated, b.tweetWith(t, "four", ids[:4]...).status)
	b.clock.Advance(24 * time.Hour)
	late := b.call(t.Context(), t, http.MethodPost, "/x/2/tweets", acme+".1", "application/json",
		`{"text":"late","media":{"media_ids":["`+ids[4]+`"]}}`)
	require.Equal(t, http.StatusBadRequest, late.status, "expired")
}

func TestFaultsApplyToUploads(t *testing.T) {
	t.Parallel()

	b := setup(t)
	b.inject(t, `{"platform":"x","account":"acme","step":"upload","kind":"unavailable"}`)
	require.Equal(t, http.StatusServiceUnavailable, b.initialize(t, xPicture, media.ContentTypePNG, 10).status)
	b.inject(t, `{"platform":"x","step":"status","kind":"rate_limit"}`)
	require.Equal(t, http.StatusTooManyRequests, b.get(t, "/x/2/media/upload?command=STATUS&media_id=7", acme).status)
	id := b.initialize(t, xPicture, media.ContentTypeJPEG, len(platformtest.Picture(t, 1).Bytes)).text(t, "data", "id")
	for _, send := range []func() reply{
		func() reply { return b.segment(t, id, "0", platformtest.Picture(t, 1).Bytes) },
		func() reply { return b.xCall(t, uploads+id+"/finalize", "") },
		func() reply { return b.xCall(t, "/x/2/media/metadata", `{"id":"`+id+`"}`) },
	} {
		b.inject(t, `{"platform":"x","step":"upload","kind":"timeout_after_accept","delayMs":1}`)
		require.Zero(t, send().status)
	}
	require.Equal(t, http.StatusCreated, b.tweetWith(t, "x", id).status, "each took effect")
}

func TestMediaOfPosts(t *testing.T) {
	t.Parallel()

	b := setup(t)
	picture, video := platformtest.Picture(t, 1), platformtest.Video(5000)
	id, _ := b.upload(t, xPicture, picture, 1<<20)
	b.xCall(t, "/x/2/media/metadata", `{"id":"`+id+`","metadata":{"alt_text":{"text":"\"><script>alert(1)</script>"}}}`)
	second, _ := b.upload(t, xPicture, platformtest.Picture(t, 2), 1<<20)
	videoID, _ := b.upload(t, xVideo, video, 1<<20)
	b.clock.Advance(time.Second)
	b.tweetWith(t, "album", id, second)
	b.tweetWith(t, "video", videoID)

	for _, path := range []string{"/", "/posts", "/p/x/" + b.newest(t, "")} {
		require.Contains(t, b.get(t, path, "").body, `<video src="/media/`+video.SHA256()+`" controls preload="metadata"`,
			path)
	}
	page := b.get(t, "/", "")
	require.Contains(t, page.body, `<img src="/media/`+picture.SHA256()+
		`" alt="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;" width="640" height="480"`)
	require.Contains(t, page.body, `alt="Picture 2 of 2, without a description"`)
	require.NotContains(t, page.body, "<script>")
	require.Contains(t, page.header.Get("Content-Security-Policy"), "media-src 'self'")

	served := b.get(t, "/media/"+picture.SHA256(), "")
	require.Equal(t, string(picture.Bytes), served.body)
	require.Equal(t, "image/jpeg", served.header.Get("Content-Type"))
	require.Equal(t, "nosniff", served.header.Get("X-Content-Type-Options"))
	require.Contains(t, served.header.Get("Content-Security-Policy"), "sandbox")
	part := b.raw(t, http.MethodGet, "/media/"+video.SHA256(), "", "Range", "bytes=4-7")
	require.Equal(t, http.StatusPartialContent, part.status)
	require.Equal(t, "ftyp", part.body)
	for _, path := range []string{strings.Repeat("0", 64), "..%2fposts.jsonl", "incoming-1"} {
		require.Equal(t, http.StatusNotFound, b.get(t, "/media/"+path, "").status, path)
	}
	require.Equal(t, "[]\n", b.get(t, "/_sandbox/fetches", "").body)

	b.call(t.Context(), t, http.MethodDelete, "/_sandbox/posts", "", "", "")
	require.Equal(t, http.StatusNotFound, b.get(t, "/media/"+picture.SHA256(), "").status)
	require.Equal(t, http.StatusBadRequest, b.tweetWith(t, "gone", id).status)
	for folder, want := range map[string]int{"media": 0, "x-uploads": 1} {
		entries, err := os.ReadDir(filepath.Join(b.folder, folder))
		require.NoError(t, err)
		require.Len(t, entries, want, folder)
	}
}

func TestUndisplayableFilesAreLinks(t *testing.T) {
	t.Parallel()

	b := setup(t)
	document := platformtest.Document()
	for kind, contentType := range map[media.Type]string{
		media.Document: media.ContentTypePDF, media.Image: media.ContentTypeHEIC,
	} {
		_, err := b.sandbox.Ledger.Publish(ledger.Draft{
			Platform: "telegram", Account: "@town",
			Media: []ledger.Media{
				{ID: "1", Type: string(kind), ContentType: contentType, SHA256: document.SHA256(), Size: 3 << 20},
			},
		})
		require.NoError(t, err)
	}
	page := b.get(t, "/", "").body
	require.Contains(t, page, `<a href="/media/`+document.SHA256()+`" aria-label="Document, without a description">`)
	require.Contains(t, page, "application/pdf, 3.0 MiB")
	require.Contains(t, page, "image/heic, 3.0 MiB")
	require.NotContains(t, page, "<img")
	require.NotContains(t, page, `class="text"`, "there is none")

	stored := filepath.Join(b.folder, "media", document.SHA256())
	require.NoError(t, os.WriteFile(stored, document.Bytes, 0o600))
	served := b.get(t, "/media/"+document.SHA256(), "")
	require.Contains(t, served.header.Get("Content-Disposition"), "attachment")
	require.NoError(t, os.WriteFile(stored, []byte("<html>"), 0o600))
	require.Equal(t, http.StatusInternalServerError, b.get(t, "/media/"+document.SHA256(), "").status, "not what it was")
}
