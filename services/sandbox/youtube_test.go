package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/platformtest"
)

const (
	tube      = "sandbox-youtube-acme"
	tubeQuery = "/upload/youtube/videos?uploadType=resumable&part=snippet,status"
	tubeUnit  = 256 << 10
	tubeVideo = `{"snippet":{"title":"Title","description":"Text","categoryId":"22"},"status":{"privacyStatus":"private"}}`
)

// insert creates an upload session.
func (b *bundle) insert(t *testing.T, size int, body string) reply {
	t.Helper()
	return b.insertAs(t, tube, size, body)
}

func (b *bundle) insertAs(t *testing.T, token string, size int, body string) reply {
	t.Helper()
	return b.raw(t, http.MethodPost, tubeQuery, body, "Authorization", "Bearer "+token, "Content-Type", "application/json",
		"X-Upload-Content-Length", strconv.Itoa(size), "X-Upload-Content-Type", "video/mp4")
}

// sessionIn returns the path of the session in a response.
func sessionIn(t *testing.T, opened reply) string {
	t.Helper()
	require.Equal(t, http.StatusOK, opened.status, opened.body)
	at, err := url.Parse(opened.header.Get("Location"))
	require.NoError(t, err)
	return at.RequestURI()
}

func (b *bundle) chunkTo(t *testing.T, session, contentRange, body string) reply {
	t.Helper()
	return b.raw(t, http.MethodPut, session, body, "Authorization", "Bearer "+tube, "Content-Range", contentRange)
}

// tubed uploads a video and returns its id.
func (b *bundle) tubed(t *testing.T, metadata string, file platformtest.Attachment) string {
	t.Helper()
	size := len(file.Bytes)
	session := sessionIn(t, b.insert(t, size, metadata))
	ended := b.chunkTo(t, session, fmt.Sprintf("bytes 0-%d/%d", size-1, size), string(file.Bytes))
	require.Equal(t, http.StatusOK, ended.status, ended.body)
	return ended.text(t, "id")
}

func (b *bundle) setsStatus(t *testing.T, id, status string) reply {
	t.Helper()
	return b.raw(t, http.MethodPut, "/youtube/videos?part=status", `{"id":"`+id+`","status":`+status+`}`,
		"Authorization", "Bearer "+tube, "Content-Type", "application/json")
}

// updatesVideo publishes a video that was uploaded and processed.
func updatesVideo(t *testing.T, b *bundle) reply {
	t.Helper()
	faults := b.get(t, "/_sandbox/faults", "").body
	b.call(t.Context(), t, http.MethodDelete, "/_sandbox/faults", "", "", "")
	id := b.tubed(t, tubeVideo, platformtest.Video(1))
	b.clock.Advance(time.Second)
	if strings.Contains(faults, `"kind"`) {
		kind := strings.Split(strings.Split(faults, `"kind":"`)[1], `"`)[0]
		b.inject(t, `{"platform":"youtube","kind":"`+kind+`","delayMs":35000}`)
	}
	return b.setsStatus(t, id, `{"privacyStatus":"public","license":"youtube","embeddable":true,"publicStatsViewable":true}`)
}

func TestYouTubeTakesVideoInChunks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	file := platformtest.Video(2*tubeUnit + 7)
	size, content := len(file.Bytes), string(file.Bytes)
	session := sessionIn(t, b.insert(t, size, tubeVideo))
	total := strconv.Itoa(size)

	state := b.chunkTo(t, session, "bytes */"+total, "")
	require.Equal(t, http.StatusPermanentRedirect, state.status)
	require.Empty(t, state.header.Get("Range"), "it has nothing")
	sent := b.chunkTo(t, session, "bytes 0-262143/"+total, content[:tubeUnit])
	require.Equal(t, http.StatusPermanentRedirect, sent.status)
	require.Equal(t, "bytes=0-262143", sent.header.Get("Range"))
	b.restart(t)
	require.Equal(t, "bytes=0-262143", b.chunkTo(t, session, "bytes */"+total, "").header.Get("Range"))
	b.inject(t, `{"platform":"youtube","step":"upload","kind":"timeout_after_accept","delayMs":1}`)
	require.Zero(t, b.chunkTo(t, session, "bytes 262144-524287/"+total, content[tubeUnit:2*tubeUnit]).status)
	require.Equal(t, "bytes=0-524287", b.chunkTo(t, session, "bytes */"+total, "").header.Get("Range"))
	b.inject(t, `{"platform":"youtube","step":"upload","kind":"unavailable"}`)
	last := fmt.Sprintf("bytes 524288-%d/%s", size-1, total)
	require.Equal(t, http.StatusServiceUnavailable, b.chunkTo(t, session, last, content[2*tubeUnit:]).status)
	require.Equal(t, "bytes=0-524287", b.chunkTo(t, session, "bytes */"+total, "").header.Get("Range"), "without effect")

	ended := b.chunkTo(t, session, last, content[2*tubeUnit:])
	require.Equal(t, http.StatusOK, ended.status, ended.body)
	id := ended.text(t, "id")
	require.Equal(t, id, b.chunkTo(t, session, "bytes */"+total, "").text(t, "id"), "the session reports the video again")
	require.Equal(t, "uploaded", ended.text(t, "status", "uploadStatus"))
	require.Empty(t, b.posts(t, ""), "a private video is not published")

	seen := b.get(t, "/youtube/videos?part=status,processingDetails&id="+id, tube)
	require.Contains(t, seen.body, `"processingStatus":"processing"`)
	other := b.get(t, "/youtube/videos?part=status&id="+id, "sandbox-youtube-other")
	require.Contains(t, other.body, `"items":[]`, "a private video of another channel")
	b.clock.Advance(time.Second)
	created := b.setsStatus(t, id, `{"privacyStatus":"unlisted","license":"creativeCommon","selfDeclaredMadeForKids":true}`)
	require.Equal(t, "processed", created.text(t, "status", "uploadStatus"), created.body)
	require.Equal(t, "unlisted", created.text(t, "status", "privacyStatus"))
	require.Equal(t, true, created.at(t, "status", "selfDeclaredMadeForKids"))
	require.Equal(t, http.StatusOK, b.setsStatus(t, id, `{"privacyStatus":"unlisted"}`).status, "as often as it is asked")

	posts := b.posts(t, "")
	require.Len(t, posts, 1)
	require.Equal(t, "Title", posts[0]["title"])
	require.Equal(t, "unlisted", posts[0]["visibility"])
	require.Contains(t, fmt.Sprint(posts[0]["media"]), file.SHA256())
	for _, path := range []string{"/youtube/watch?v=" + id, "/youtube/shorts/" + id} {
		require.Equal(t, "/p/youtube/"+id, b.get(t, path, "").header.Get("Location"))
	}
	require.Contains(t, b.get(t, "/p/youtube/"+id, "").body, "Title")
}

func TestYouTubeRefusesUploads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	with := func(snippet, status string) string {
		return `{"snippet":{` + snippet + `},"status":{` + status + `}}`
	}
	for name, test := range map[string]struct {
		body   string
		reason string
	}{
		"no title":      {with(`"categoryId":"22"`, ``), "invalidTitle"},
		"a long title":  {with(`"title":"`+strings.Repeat("t", 101)+`","categoryId":"22"`, ``), "invalidTitle"},
		"an angle":      {with(`"title":"a","description":"a>b","categoryId":"22"`, ``), "invalidDescription"},
		"a long text":   {with(`"title":"a","description":"`+strings.Repeat("é", 2501)+`","categoryId":"22"`, ``), "invalidDescription"},
		"no category":   {with(`"title":"a"`, ``), "invalidCategoryId"},
		"many tags":     {with(`"title":"a","categoryId":"1","tags":["`+strings.Repeat("t ", 250)+`"]`, ``), "invalidTags"},
		"a visibility":  {with(`"title":"a","categoryId":"1"`, `"privacyStatus":"friends"`), "invalidVideoMetadata"},
		"a license":     {with(`"title":"a","categoryId":"1"`, `"privacyStatus":"private","license":"mine"`), "forbiddenLicenseSetting"},
		"not even JSON": {"{", "parseError"},
	} {
		got := b.insert(t, 5, test.body)
		require.Contains(t, got.body, `"reason":"`+test.reason+`"`, name)
	}
	require.Contains(t, b.insert(t, 0, tubeVideo).body, "mediaBodyRequired")
	plain := b.raw(t, http.MethodPost, "/upload/youtube/videos?part=snippet,status", tubeVideo, "Authorization", "Bearer "+tube)
	require.Contains(t, plain.body, "missingRequiredParameter")
	require.Equal(t, http.StatusUnauthorized, b.raw(t, http.MethodPost, tubeQuery, tubeVideo).status)

	session := sessionIn(t, b.insert(t, 2*tubeUnit, tubeVideo))
	chunk := strings.Repeat("x", tubeUnit)
	for name, sent := range map[string]reply{
		"no range":         b.chunkTo(t, session, "", chunk),
		"another size":     b.chunkTo(t, session, "bytes 0-262143/9999999", chunk),
		"not from there":   b.chunkTo(t, session, "bytes 262144-524287/524288", chunk),
		"no multiple":      b.chunkTo(t, session, "bytes 0-99999/524288", chunk[:100_000]),
		"a short body":     b.chunkTo(t, session, "bytes 0-262143/524288", chunk[1:]),
		"a long body":      b.chunkTo(t, session, "bytes 0-262143/524288", chunk+"x"),
		"an unknown state": b.chunkTo(t, session, "bytes */1", ""),
	} {
		require.Equal(t, http.StatusBadRequest, sent.status, name)
	}
	require.Equal(t, http.StatusNotFound, b.chunkTo(t, "/upload/youtube/videos?upload_id=1", "bytes */5", "").status)
	other := b.raw(t, http.MethodPut, session, "", "Authorization", "Bearer sandbox-youtube-other", "Content-Range", "bytes */524288")
	require.Equal(t, http.StatusNotFound, other.status, "another channel's")
	b.clock.Advance(8 * 24 * time.Hour)
	late := b.raw(t, http.MethodPut, session, "", "Authorization", "Bearer "+tube+".1", "Content-Range", "bytes */524288")
	require.Equal(t, http.StatusNotFound, late.status, "expired")
}

func TestYouTubeProcessesVideos(t *testing.T) {
	t.Parallel()
	b := setup(t)
	state := func(id string) string {
		b.clock.Advance(time.Second)
		return b.get(t, "/youtube/videos?part=status&id="+id, tube).body
	}
	broken := b.tubed(t, tubeVideo, platformtest.Picture(t, 1))
	require.Contains(t, state(broken), `"failureReason":"invalidFile"`)
	again := b.tubed(t, strings.Replace(tubeVideo, "Title", "[duplicate]", 1), platformtest.Video(1))
	require.Contains(t, state(again), `"rejectionReason":"duplicate"`)
	direct := b.tubed(t, `{"snippet":{"title":"Direct","categoryId":"22"}}`, platformtest.Video(1))
	require.Contains(t, state(direct), `"privacyStatus":"public"`, "a video without a privacy is public")
	require.Len(t, b.posts(t, ""), 1)

	require.Equal(t, http.StatusNotFound, b.setsStatus(t, "nothing", `{"privacyStatus":"public"}`).status)
	require.Equal(t, http.StatusBadRequest, b.setsStatus(t, direct, `{"privacyStatus":"none"}`).status)
	snippet := b.raw(t, http.MethodPut, "/youtube/videos?part=snippet", `{"id":"`+direct+`"}`, "Authorization", "Bearer "+tube)
	require.Equal(t, http.StatusBadRequest, snippet.status)
	outsider := b.raw(t, http.MethodPut, "/youtube/videos?part=status", `{"id":"`+direct+`","status":{"privacyStatus":"private"}}`,
		"Authorization", "Bearer sandbox-youtube-other", "Content-Type", "application/json")
	require.Equal(t, http.StatusForbidden, outsider.status)
}

func TestYouTubeTakesThumbnails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	set := func(token, id, body string) reply {
		return b.raw(t, http.MethodPost, "/upload/youtube/thumbnails/set?videoId="+id, body, "Authorization", "Bearer "+token)
	}
	picture, id := string(platformtest.Picture(t, 1).Bytes), b.tubed(t, tubeVideo, platformtest.Video(1))
	require.Equal(t, http.StatusOK, set(tube, id, picture).status)
	require.Equal(t, http.StatusBadRequest, set(tube, id, "<html>").status)
	require.Equal(t, http.StatusBadRequest, set(tube, id, string(platformtest.GIF(t).Bytes)).status)
	require.Equal(t, http.StatusNotFound, set(tube, "nothing", picture).status)
	require.Equal(t, http.StatusNotFound, set("sandbox-youtube-other", id, picture).status)

	const unverified = "sandbox-youtube-unverified"
	file := platformtest.Video(1)
	session := sessionIn(t, b.insertAs(t, unverified, len(file.Bytes), tubeVideo))
	ended := b.raw(t, http.MethodPut, session, string(file.Bytes), "Authorization", "Bearer "+unverified, "Content-Range",
		fmt.Sprintf("bytes 0-%d/%d", len(file.Bytes)-1, len(file.Bytes)))
	require.Equal(t, http.StatusForbidden, set(unverified, ended.text(t, "id"), picture).status)
}

// TestYouTubeCountsUploadsOfDay checks the quota of the project, whose day ends at midnight in California.
func TestYouTubeCountsUploadsOfDay(t *testing.T) {
	t.Parallel()
	b := setup(t) // 01:00 in California
	b.call(t.Context(), t, http.MethodPost, "/_sandbox/limits", "", "application/json", `{"strict":true}`)
	for i := range 100 {
		require.Equal(t, http.StatusOK, b.insertAs(t, fmt.Sprintf("sandbox-youtube-a%d", i%7), 5, tubeVideo).status)
	}
	refused := b.insert(t, 5, tubeVideo)
	require.Equal(t, http.StatusForbidden, refused.status)
	require.Contains(t, refused.body, `"reason":"quotaExceeded"`)
	b.clock.Advance(23*time.Hour - time.Second)
	require.Equal(t, http.StatusForbidden, b.insertAs(t, tube+".1", 5, tubeVideo).status)
	b.clock.Advance(time.Second)
	require.Equal(t, http.StatusOK, b.insertAs(t, tube+".1", 5, tubeVideo).status)
}
