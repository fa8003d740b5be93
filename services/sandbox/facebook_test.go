package main

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/platformtest"
)

const facebookToken = "sandbox-facebook-acme"

func (b *bundle) pagePost(t *testing.T, message string, more ...string) reply {
	t.Helper()
	return b.form(t, "/facebook/v26.0/acme/feed",
		append([]string{"access_token", facebookToken, "message", message}, more...)...)
}

func TestFacebookPosts(t *testing.T) {
	t.Parallel()

	b := setup(t)
	id := b.pagePost(t, " Hello\n").text(t, "id")
	require.Regexp(t, `^acme_[0-9]{18}$`, id)
	require.Equal(t, id, b.newest(t, "?platform=FACEBOOK_PAGE&account=acme"))

	read := func(path string) reply { return b.get(t, "/facebook/v26.0/"+path, facebookToken) }
	link := read(id+"?fields=permalink_url").text(t, "permalink_url")
	require.Equal(t, b.server.URL+"/p/facebook/"+id, link)
	require.Equal(t, http.StatusOK, b.get(t, "/p/facebook/"+id, "").status)
	require.Equal(t, "/p/facebook/"+id, b.get(t, "/facebook/"+id, "").header.Get("Location"))
	require.NotContains(t, read(id+"?fields=permalink_url").body, "message", "only what was asked for")
	require.Equal(t, "Hello", read(id).text(t, "message"))
	require.Equal(t, "2026-03-01T09:00:00+0000", read(id).text(t, "created_time"))
	require.Equal(t, "acme", read("me").text(t, "id"))
	require.Contains(t, b.get(t, "/facebook/v26.0/me?access_token="+facebookToken, "").body, "acme")

	b.restart(t)
	require.Equal(t, id, read(id).text(t, "id"))
	other := b.call(t.Context(), t, http.MethodDelete, "/facebook/v26.0/"+id, "sandbox-facebook-other", "", "")
	require.InDelta(t, 33, other.at(t, "error", "error_subcode"), 0)
	require.Equal(t, true, b.call(t.Context(), t, http.MethodDelete, "/facebook/v26.0/"+id, facebookToken, "", "").at(t,
		"success"))
	require.InDelta(t, 100, read(id).at(t, "error", "code"), 0)
	require.Empty(t, b.posts(t, ""))
	b.restart(t)
	require.Greater(t, b.pagePost(t, "again").text(t, "id"), id, "ids are not used again")
}

// pagePhoto uploads a photo.
func (b *bundle) pagePhoto(t *testing.T, published string, file []byte) reply {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	require.NoError(t, form.WriteField("published", published))
	part, err := form.CreateFormFile("source", "photo.jpg")
	require.NoError(t, err)
	_, err = part.Write(file)
	require.NoError(t, err)
	require.NoError(t, form.Close())
	return b.call(t.Context(), t, http.MethodPost, "/facebook/v26.0/acme/photos", facebookToken, form.FormDataContentType(),
		body.String())
}

// pageBytes sends a file to the upload host from the offset.
func (b *bundle) pageBytes(t *testing.T, path, authorization, header string, offset, size int, file []byte) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.server.URL+path, bytes.NewReader(file))
	require.NoError(t, err)
	request.Header.Set("Authorization", authorization)
	request.Header.Set(header, strconv.Itoa(offset))
	request.Header.Set("File_size", strconv.Itoa(size))
	response, err := exchange(request)
	require.NoError(t, err)
	return response
}

const (
	reelsPath   = "/facebook/v26.0/acme/video_reels?upload_phase="
	uploadsPath = "/facebook/rupload/video-upload/v26.0/"
)

// pageReel publishes a reel and returns its id.
func (b *bundle) pageReel(t *testing.T) string {
	t.Helper()
	id := b.form(t, reelsPath+"start", "access_token", facebookToken).text(t, "video_id")
	video := platformtest.Video(3000).Bytes
	sent := b.pageBytes(t, uploadsPath+id, "OAuth "+facebookToken, "Offset", 0, len(video), video)
	require.Equal(t, http.StatusOK, sent.status, sent.body)
	done := b.form(t, reelsPath+"finish", "access_token", facebookToken, "video_id", id, "video_state", "PUBLISHED")
	require.Equal(t, http.StatusOK, done.status, done.body)
	return id
}

func picture(t *testing.T, number int) []byte {
	t.Helper()
	return platformtest.Picture(t, number).Bytes
}

func TestFacebookRefusesUploads(t *testing.T) {
	t.Parallel()

	b := setup(t)
	subcode := func(r reply) any { return r.at(t, "error", "error_subcode") }
	require.InDelta(t, 1366046, subcode(b.pagePhoto(t, "false", []byte("no photo"))), 0)
	require.InDelta(t, 1366046, subcode(b.pagePhoto(t, "false", platformtest.Video(3000).Bytes)), 0)
	require.InDelta(t, 100, b.pagePhoto(t, "true", picture(t, 1)).at(t, "error", "code"), 0)
	old := b.pagePhoto(t, "false", picture(t, 1)).text(t, "id")
	b.clock.Advance(24 * time.Hour)
	photo := b.pagePhoto(t, "false", picture(t, 2)).text(t, "id")
	attach := func(more ...string) reply {
		return b.form(t, "/facebook/v26.0/acme/feed", append([]string{"access_token", facebookToken}, more...)...)
	}
	media := func(id string) string { return `[{"media_fbid":"` + id + `"}]` }
	for name, refused := range map[string]reply{
		"an expired photo": attach("attached_media", media(old)), "no photo": attach("attached_media", media("1")),
		"no list":    attach("attached_media", "1"),
		"and a link": attach("attached_media", media(photo), "link", "https://example.com"),
		"facebook":   attach("link", "https://www.facebook.com/acme"), "no URL": attach("link", "example"),
		"a story of no photo": b.form(t, "/facebook/v26.0/acme/photo_stories", "access_token", facebookToken, "photo_id", "1"),
	} {
		require.InDelta(t, 100, refused.at(t, "error", "code"), 0, name)
	}
	require.Equal(t, http.StatusOK, attach("attached_media", media(photo)).status)
	require.InDelta(t, 1366051, subcode(b.form(t, "/facebook/v26.0/acme/photo_stories", "access_token", facebookToken,
		"photo_id", photo)), 0)
	b.restart(t)
	require.InDelta(t, 1366051, subcode(attach("attached_media", media(photo))), 0)
	require.Len(t, b.posts(t, ""), 1)
}

func TestFacebookReceivesVideosInOrder(t *testing.T) {
	t.Parallel()

	b := setup(t)
	video := platformtest.Video(3000).Bytes
	id := b.form(t, reelsPath+"start", "access_token", facebookToken).text(t, "video_id")
	finish := func(state string) reply {
		return b.form(t, reelsPath+"finish", "access_token", facebookToken, "video_id", id, "video_state", state)
	}
	send := func(offset, size int, file []byte) string {
		r := b.pageBytes(t, uploadsPath+id, "OAuth "+facebookToken, "Offset", offset, size, file)
		if r.status == http.StatusOK {
			return ""
		}
		return r.text(t, "debug_info", "type")
	}
	require.InDelta(t, 1363130, finish("PUBLISHED").at(t, "error", "error_subcode"), 0, "no bytes yet")
	require.Equal(t, "OffsetInvalidError", send(1, len(video), video[1:]))
	require.Equal(t, "PartialRequestError", send(0, len(video), video[:1000]))
	require.Equal(t, http.StatusBadRequest,
		b.pageBytes(t, uploadsPath+id, "Bearer "+facebookToken, "Offset", 0, len(video), video).status)
	require.Empty(t, send(0, len(video), video))
	require.Equal(t, "OffsetInvalidError", send(len(video), len(video), nil), "complete")
	b.restart(t)
	require.InDelta(t, 100, finish("DRAFT").at(t, "error", "code"), 0)
	require.Empty(t, b.posts(t, ""))
	require.Equal(t, http.StatusOK, finish("PUBLISHED").status)
	require.InDelta(t, 100, finish("PUBLISHED").at(t, "error", "code"), 0, "published already")
	require.Len(t, b.posts(t, ""), 1)
	require.Equal(t, "/p/facebook/"+id, b.get(t, "/facebook/reel/"+id+"/", "").header.Get("Location"))
	listed := b.get(t, "/facebook/v26.0/acme/published_posts?fields=id,attachments", facebookToken)
	require.Contains(t, listed.body, `"id":"acme_`+id+`"`)
	require.Contains(t, listed.body, `"media_type":"video"`)
}

func TestFacebookLimitsReels(t *testing.T) {
	t.Parallel()

	b := setup(t)
	require.Equal(t, http.StatusOK, b.control(t, "/limits", `{"strict":true}`).status)
	for range 30 {
		b.pageReel(t)
	}
	id := b.form(t, reelsPath+"start", "access_token", facebookToken).text(t, "video_id")
	video := platformtest.Video(3000).Bytes
	b.pageBytes(t, uploadsPath+id, "OAuth "+facebookToken, "Offset", 0, len(video), video)
	refused := b.form(t, reelsPath+"finish", "access_token", facebookToken, "video_id", id, "video_state", "PUBLISHED")
	require.InDelta(t, 9, refused.at(t, "error", "code"), 0)
	require.Len(t, b.posts(t, ""), 30)
}

func TestFacebookRefuses(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for name, test := range map[string]struct {
		response reply
		code     float64
	}{
		"no text":          {b.pagePost(t, " "), 100},
		"too long":         {b.pagePost(t, strings.Repeat("a", 63_207)), 100},
		"pictures":         {b.pagePost(t, "t", "attached_media", `[{"media_fbid":"1"}]`), 100},
		"unpublished":      {b.pagePost(t, "t", "published", "false"), 100},
		"another Page":     {b.form(t, "/facebook/v26.0/other/feed", "access_token", facebookToken, "message", "t"), 100},
		"another's token":  {b.form(t, "/facebook/v26.0/acme/feed", "access_token", threadsToken, "message", "t"), 190},
		"no token":         {b.form(t, "/facebook/v26.0/acme/feed", "message", "t"), 104},
		"no version":       {b.form(t, "/facebook/latest/acme/feed", "access_token", facebookToken, "message", "t"), 2500},
		"unknown field":    {b.get(t, "/facebook/v26.0/acme/published_posts?fields=id,text", facebookToken), 100},
		"unknown time":     {b.get(t, "/facebook/v26.0/acme/published_posts?since=today", facebookToken), 100},
		"an unknown call":  {b.get(t, "/facebook/v26.0/acme/likes", facebookToken), 2500},
		"an unknown thing": {b.get(t, "/facebook/v26.0/123", facebookToken), 100},
	} {
		require.Equal(t, http.StatusBadRequest, test.response.status, name)
		require.InDelta(t, test.code, test.response.at(t, "error", "code"), 0, name)
	}
	require.Empty(t, b.posts(t, ""))

	require.Equal(t, http.StatusOK, b.pagePost(t, "same").status)
	require.InDelta(t, 506, b.pagePost(t, "same").at(t, "error", "code"), 0)
	b.clock.Advance(time.Minute)
	require.Equal(t, http.StatusOK, b.pagePost(t, "same").status)

	b.inject(t, `{"platform":"facebook","account":"acme","step":"commit","kind":"rate_limit","delayMs":90000}`)
	limited := b.pagePost(t, "limited")
	require.InDelta(t, 80001, limited.at(t, "error", "code"), 0)
	require.Contains(t, limited.header.Get("X-Business-Use-Case-Usage"), `"estimated_time_to_regain_access":2`)
	b.inject(t, `{"platform":"facebook","kind":"expired_token"}`)
	require.InDelta(t, 463, b.pagePost(t, "expired").at(t, "error", "error_subcode"), 0)
	require.Equal(t, http.StatusBadRequest, b.pagePost(t, "expired").status, "nothing refreshes it")
	b.call(t.Context(), t, http.MethodDelete, "/_sandbox/faults", "", "", "")
	require.Equal(t, http.StatusOK, b.pagePost(t, "connected anew").status)
}

func TestFacebookPages(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for i := range 5 {
		b.pagePost(t, strings.Repeat("x", i+1))
		b.clock.Advance(time.Minute)
	}
	const path = "/facebook/v26.0/acme/published_posts?limit=2&fields=message&since=1772355600&until=1772355780"
	first := b.get(t, path, facebookToken)
	require.Contains(t, first.body, `"message":"xxxx"`, "the fifth is too late")
	require.Len(t, first.at(t, "data"), 2)
	next := strings.TrimPrefix(first.text(t, "paging", "next"), b.server.URL)
	require.Contains(t, next, "after="+first.text(t, "paging", "cursors", "after"))
	require.NotContains(t, next, facebookToken)
	last := b.get(t, next, facebookToken)
	require.Len(t, last.at(t, "data"), 2)
	require.Nil(t, last.at(t, "paging", "next"))
	require.NotEmpty(t, last.text(t, "paging", "cursors", "after"), "cursors do not indicate more pages")
	require.JSONEq(t, `{"data":[]}`, b.get(t, "/facebook/v26.0/acme/feed?since=1872355600", facebookToken).body)
}
