package main

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/platformtest"
)

const instagramToken = "sandbox-instagram-acme"

// web serves files by their names, as storage does.
func web(t *testing.T, files map[string][]byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := files[strings.TrimPrefix(r.URL.Path, "/")]
		switch {
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/good.jpg", http.StatusFound)
		case !ok:
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = w.Write(file)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// files returns files for uploads to a network.
func files(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{
		"good.jpg": platformtest.Picture(t, 1).Bytes, "other.jpg": platformtest.Picture(t, 2).Bytes,
		"video.mp4": platformtest.Video(5000).Bytes, "animation.gif": platformtest.GIF(t).Bytes,
		"page.jpg": []byte("<html>"), "empty.jpg": {},
	}
	large := append([]byte{}, all["good.jpg"]...)
	all["large.jpg"] = append(large, make([]byte, 9<<20)...)
	for name, size := range map[string]image.Rectangle{
		"tall.jpg": image.Rect(0, 0, 100, 200), "wide.jpg": image.Rect(0, 0, 400, 200),
		"tall4to5.jpg": image.Rect(0, 0, 1080, 1350), "tall3to4.jpg": image.Rect(0, 0, 1080, 1440),
		"wide191.jpg": image.Rect(0, 0, 1080, 566),
	} {
		var file bytes.Buffer
		require.NoError(t, jpeg.Encode(&file, image.NewGray(size), nil))
		all[name] = file.Bytes()
	}
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, image.NewGray(image.Rect(0, 0, 400, 400))))
	all["good.png"] = file.Bytes()
	return all
}

func (b *bundle) instagram(t *testing.T, values ...string) reply {
	t.Helper()
	return b.form(t, "/instagram/v26.0/acme/media", append([]string{"access_token", instagramToken}, values...)...)
}

func (b *bundle) instagramPublish(t *testing.T, container string) reply {
	t.Helper()
	return b.form(t, "/instagram/v26.0/acme/media_publish", "access_token", instagramToken, "creation_id", container)
}

func (b *bundle) instagramRead(t *testing.T, path string) reply {
	t.Helper()
	return b.get(t, "/instagram/v26.0/"+path, instagramToken)
}

func TestInstagramPublishesPicture(t *testing.T) {
	t.Parallel()
	b, at := setup(t), web(t, files(t))
	created := b.instagram(t, "image_url", at+"good.jpg?signature=x", "caption", "hello").text(t, "id")
	require.Empty(t, b.posts(t, ""), "a container is not visible")
	b.restart(t)
	require.Equal(t, "FINISHED", b.instagramRead(t, created+"?fields=status_code,status").text(t, "status_code"))
	id := b.instagramPublish(t, created).text(t, "id")
	require.NotEqual(t, created, id)
	b.restart(t)
	require.Equal(t, "PUBLISHED", b.instagramRead(t, created).text(t, "status_code"))
	require.InDelta(t, 2207006, b.instagramPublish(t, created).at(t, "error", "error_subcode"), 0, "a second time")

	posts := b.posts(t, "?platform=INSTAGRAM_PROFESSIONAL")
	require.Len(t, posts, 1)
	require.Equal(t, "hello", posts[0]["text"])
	require.Len(t, posts[0]["media"], 1)
	shown := b.instagramRead(t, id+"?fields=id,permalink,media_type,media_product_type,timestamp,shortcode,caption")
	require.Equal(t, b.server.URL+"/p/instagram/"+id, shown.text(t, "permalink"))
	require.Equal(t, "IMAGE", shown.text(t, "media_type"))
	require.Equal(t, "FEED", shown.text(t, "media_product_type"))
	require.Equal(t, "2026-03-01T09:00:00+0000", shown.text(t, "timestamp"))
	require.Equal(t, "acme", b.instagramRead(t, "me?fields=user_id,username").text(t, "user_id"))
	require.Contains(t, b.instagramRead(t, "acme/content_publishing_limit?fields=config,quota_usage").body,
		`"quota_usage":1`)
}

// TestInstagramProcessesVideos checks that a video is finished at the second read of its state, or after a
// moment.
func TestInstagramProcessesVideos(t *testing.T) {
	t.Parallel()
	b, at := setup(t), web(t, files(t))
	reel := b.instagram(t, "media_type", "REELS", "video_url", at+"video.mp4", "caption", "reel").text(t, "id")
	require.Equal(t, "IN_PROGRESS", b.instagramRead(t, reel).text(t, "status_code"))
	require.Equal(t, "FINISHED", b.instagramRead(t, reel).text(t, "status_code"))
	story := b.instagram(t, "media_type", "STORIES", "video_url", at+"video.mp4", "caption", "not shown").text(t, "id")
	require.InDelta(t, 2207027, b.instagramPublish(t, story).at(t, "error", "error_subcode"), 0)
	b.clock.Advance(time.Second)
	require.Equal(t, "FINISHED", b.instagramRead(t, story).text(t, "status_code"))

	b.instagramPublish(t, reel)
	b.instagramPublish(t, story)
	feed, stories := b.instagramRead(t, "acme/media?fields=id,caption,media_product_type"), b.instagramRead(t,
		"me/stories")
	require.Len(t, feed.at(t, "data"), 1)
	require.Contains(t, feed.body, `"REELS"`)
	require.Contains(t, feed.body, `"caption":"reel"`)
	require.Len(t, stories.at(t, "data"), 1)
	b.clock.Advance(25 * time.Hour)
	require.Empty(t, b.instagramRead(t, "me/stories").at(t, "data"), "stories last a day")
}

func TestInstagramCarousels(t *testing.T) {
	t.Parallel()
	b, at := setup(t), web(t, files(t))
	item := func(values ...string) string {
		return b.instagram(t, append([]string{"is_carousel_item", "true"}, values...)...).text(t, "id")
	}
	carousel := func(children ...string) reply {
		return b.instagram(t, "media_type", "CAROUSEL", "children", strings.Join(children, ","), "caption", "album")
	}
	first, second, video := item("image_url", at+"good.jpg"), item("image_url", at+"other.jpg"), item("media_type",
		"VIDEO", "video_url", at+"video.mp4")
	single := b.instagram(t, "image_url", at+"good.jpg").text(t, "id")
	for children, subcode := range map[string]int{
		first: 2207028, first + "," + "1": 2207006, first + "," + first: 2207006, first + "," + single: 2207006, "": 2207028,
		strings.Repeat(first+",", 10) + second: 2207028,
	} {
		require.InDelta(t, subcode, carousel(strings.Split(children, ",")...).at(t, "error", "error_subcode"), 0, children)
	}
	require.InDelta(t, 2207027, carousel(first, video).at(t, "error", "error_subcode"), 0, "an item is not finished")
	require.InDelta(t, 2207006, b.instagramPublish(t, first).at(t, "error", "error_subcode"), 0, "an item is no post")
	created := carousel(second, video, first).text(t, "id")
	require.Equal(t, "IN_PROGRESS", b.instagramRead(t, created).text(t, "status_code"))
	b.restart(t)
	b.clock.Advance(time.Second)
	id := b.instagramPublish(t, created).text(t, "id")
	require.Len(t, b.posts(t, "")[0]["media"], 3)
	require.Equal(t, "CAROUSEL_ALBUM", b.instagramRead(t, id+"?fields=media_type").text(t, "media_type"))

	b.clock.Advance(24 * time.Hour)
	require.InDelta(t, 2207020, carousel(first, second).at(t, "error", "error_subcode"), 0)
	require.InDelta(t, 2207020, b.instagramPublish(t, single).at(t, "error", "error_subcode"), 0)
	require.Equal(t, "EXPIRED", b.instagramRead(t, single).text(t, "status_code"))
}

// TestInstagramJudgesPictures checks that Instagram validates images by their bytes.
func TestInstagramJudgesPictures(t *testing.T) {
	t.Parallel()
	b, at := setup(t), web(t, files(t))
	for name, want := range map[string][2]int{
		"good.jpg": {}, "tall4to5.jpg": {}, "tall3to4.jpg": {}, "wide191.jpg": {},
		"good.png": {36001, 2207005}, "page.jpg": {36001, 2207005}, "animation.gif": {36001, 2207005},
		"video.mp4": {36001, 2207005},
		"tall.jpg":  {36003, 2207009}, "wide.jpg": {36003, 2207009}, "large.jpg": {36000, 2207004},
		"missing.jpg": {9004, 2207052}, "moved": {9004, 2207052}, "empty.jpg": {9004, 2207052}, "größe.jpg": {9004, 2207052},
	} {
		response := b.instagram(t, "image_url", at+name)
		if want == [2]int{} {
			require.Equal(t, http.StatusOK, response.status, "%s: %s", name, response.body)
			continue
		}
		require.Equal(t, http.StatusBadRequest, response.status, name)
		require.InDelta(t, want[0], response.at(t, "error", "code"), 0, name)
		require.InDelta(t, want[1], response.at(t, "error", "error_subcode"), 0, name)
	}
	require.Equal(t, http.StatusOK, b.instagram(t, "media_type", "STORIES", "image_url", at+"tall.jpg").status,
		"a story is fitted")
}

// TestInstagramJudgesVideos checks that the container of a faulty video reports the error.
func TestInstagramJudgesVideos(t *testing.T) {
	t.Parallel()
	b, at := setup(t), web(t, files(t))
	for name, number := range map[string]string{"missing.mp4": "2207077", "good.jpg": "2207026", "page.jpg": "2207026"} {
		created := b.instagram(t, "media_type", "REELS", "video_url", at+name).text(t, "id")
		require.Equal(t, "IN_PROGRESS", b.instagramRead(t, created).text(t, "status_code"))
		failed := b.instagramRead(t, created)
		require.Equal(t, "ERROR", failed.text(t, "status_code"))
		require.Contains(t, failed.text(t, "status"), number)
		require.InDelta(t, 2207008, b.instagramPublish(t, created).at(t, "error", "error_subcode"), 0)
	}
}

func TestInstagramRefuses(t *testing.T) {
	t.Parallel()
	b, at := setup(t), web(t, files(t))
	picture, video := at+"good.jpg", at+"video.mp4"
	for name, c := range map[string]struct {
		values []string
		code   int
	}{
		"nothing":                {nil, 100},
		"two files":              {[]string{"image_url", picture, "video_url", video}, 100},
		"a video without a type": {[]string{"video_url", video}, 100},
		"a video as VIDEO":       {[]string{"media_type", "VIDEO", "video_url", video}, 100},
		"a picture as reel":      {[]string{"media_type", "REELS", "image_url", picture}, 100},
		"a word":                 {[]string{"media_type", "ALBUM", "image_url", picture}, 100},
		"a long caption":         {[]string{"image_url", picture, "caption", strings.Repeat("ä", 2201)}, 100},
		"many mentions":          {[]string{"image_url", picture, "caption", strings.Repeat("@you ", 21)}, 100},
	} {
		response := b.instagram(t, c.values...)
		require.Equal(t, http.StatusBadRequest, response.status, name)
		require.InDelta(t, c.code, response.at(t, "error", "code"), 0, name)
	}
	require.Equal(t, http.StatusOK, b.instagram(t, "image_url", picture, "caption", strings.Repeat("ä", 2200)).status)

	mine := b.instagram(t, "image_url", picture).text(t, "id")
	stolen := b.form(t, "/instagram/v26.0/me/media_publish", "access_token", "sandbox-instagram-thief", "creation_id",
		mine)
	require.Equal(t, http.StatusBadRequest, stolen.status)
	other := b.form(t, "/instagram/v26.0/other/media", "access_token", instagramToken, "image_url", picture)
	require.InDelta(t, 33, other.at(t, "error", "error_subcode"), 0, "no token posts for another account")
	require.InDelta(t, 190, b.get(t, "/instagram/v26.0/me", "sandbox-threads-acme").at(t, "error", "code"), 0)
	require.InDelta(t, 100, b.instagramRead(t, "me/media?fields=likes").at(t, "error", "code"), 0)
	require.InDelta(t, 33, b.instagramRead(t, "123").at(t, "error", "error_subcode"), 0)
	require.Equal(t, http.StatusNotFound, b.get(t, "/instagram/media/me", instagramToken).status, "without a version")
	require.Equal(t, http.StatusNotFound, b.get(t, "/instagram/", "").status)
	require.Empty(t, b.posts(t, ""))
}

func TestInstagramPages(t *testing.T) {
	t.Parallel()
	b, at := setup(t), web(t, files(t))
	for i := range 5 {
		b.instagramPublish(t, b.instagram(t, "image_url", at+"good.jpg", "caption", "post "+strconv.Itoa(i)).text(t, "id"))
		b.clock.Advance(time.Minute)
	}
	page := b.instagramRead(t, "me/media?fields=caption&limit=3")
	require.Len(t, page.at(t, "data"), 3)
	require.Contains(t, page.body, "post 4")
	page = b.instagramRead(t, "me/media?fields=caption&limit=3&after="+page.text(t, "paging", "cursors", "after"))
	require.Len(t, page.at(t, "data"), 2)
	require.Contains(t, page.body, "post 0")
	page = b.instagramRead(t, "me/media?limit=3&after="+page.text(t, "paging", "cursors", "after"))
	require.Empty(t, page.at(t, "data"))
	require.Nil(t, page.at(t, "paging"))
}

func TestInstagramTokensAndFaults(t *testing.T) {
	t.Parallel()
	b, at := setup(t), web(t, files(t))
	fresh := b.get(t, "/instagram/refresh_access_token?grant_type=ig_refresh_token&access_token="+instagramToken, "")
	require.Equal(t, "sandbox-instagram-acme.1", fresh.text(t, "access_token"))
	require.Equal(t, http.StatusBadRequest, b.get(t,
		"/instagram/refresh_access_token?grant_type=x&access_token="+instagramToken, "").status)
	require.InDelta(t, 190, b.get(t,
		"/instagram/refresh_access_token?grant_type=ig_refresh_token&access_token=x", "").at(t, "error", "code"), 0)

	for _, step := range []string{"upload", "create"} {
		b.inject(t, `{"platform":"instagram","account":"acme","step":"`+step+`","kind":"reject"}`)
		require.Equal(t, http.StatusBadRequest, b.instagram(t, "image_url", at+"good.jpg").status, step)
	}
	b.inject(t, `{"platform":"INSTAGRAM_PROFESSIONAL","step":"create","kind":"rate_limit","delayMs":90000}`)
	limited := b.instagram(t, "image_url", at+"good.jpg")
	require.InDelta(t, 80002, limited.at(t, "error", "code"), 0)
	require.Contains(t, limited.header.Get("X-Business-Use-Case-Usage"), `"estimated_time_to_regain_access":2`)
	b.inject(t, `{"platform":"instagram","step":"upload","kind":"timeout_after_accept","delayMs":1}`)
	require.Zero(t, b.instagram(t, "image_url", at+"good.jpg").status)
	created := b.instagram(t, "image_url", at+"good.jpg").text(t, "id")
	b.inject(t, `{"platform":"instagram","step":"status","kind":"unavailable"}`)
	require.Equal(t, http.StatusServiceUnavailable, b.instagramRead(t, created).status)
	b.inject(t, `{"platform":"instagram","step":"commit","kind":"timeout_after_accept","delayMs":1}`)
	require.Zero(t, b.instagramPublish(t, created).status)
	require.Len(t, b.posts(t, "?platform=instagram"), 1)
	b.call(t.Context(), t, http.MethodDelete, "/_sandbox/posts", "", "", "")
	require.InDelta(t, 33, b.instagramRead(t, created).at(t, "error", "error_subcode"), 0, "containers are deleted too")
}

func TestThreadsMedia(t *testing.T) {
	t.Parallel()
	b, at := setup(t), web(t, files(t))
	item := func(values ...string) reply { return b.container(t, append(values, "is_carousel_item", "true")...) }
	for name, subcode := range map[string]int{
		"page.jpg": 2207005, "animation.gif": 2207005, "large.jpg": 2207004, "missing.jpg": 2207052,
	} {
		require.InDelta(t, subcode, b.container(t, "media_type", "IMAGE", "image_url", at+name).at(t, "error",
			"error_subcode"), 0, name)
	}
	picture := item("media_type", "IMAGE", "image_url", at+"good.png").text(t, "id")
	video := item("media_type", "VIDEO", "video_url", at+"video.mp4").text(t, "id")
	carousel := func(children string) reply {
		return b.container(t, "media_type", "CAROUSEL", "children", children, "text", "album")
	}
	require.InDelta(t, 4279009, carousel(picture+","+video).at(t, "error", "error_subcode"), 0, "not finished")
	require.InDelta(t, 100, carousel(picture).at(t, "error", "code"), 0)
	require.InDelta(t, 100, carousel(strings.Repeat(picture+",", 20)+video).at(t, "error", "code"), 0)
	require.InDelta(t, 24, carousel(picture+",1").at(t, "error", "code"), 0)
	require.InDelta(t, 24, b.release(t, picture).at(t, "error", "code"), 0, "an item is no post")
	created := carousel(picture+","+video).text(t, "id")
	require.Equal(t, "IN_PROGRESS", b.read(t, created).text(t, "status"))
	require.Equal(t, "FINISHED", b.read(t, created).text(t, "status"))
	id := b.release(t, created).text(t, "id")
	require.Equal(t, "CAROUSEL_ALBUM", b.read(t, id).text(t, "media_type"))
	require.Len(t, b.posts(t, "")[0]["media"], 2)

	failed := b.container(t, "media_type", "VIDEO", "video_url", at+"missing.mp4").text(t, "id")
	require.Equal(t, "IN_PROGRESS", b.read(t, failed).text(t, "status"))
	require.Equal(t, "FAILED_DOWNLOADING_VIDEO", b.read(t, failed).text(t, "error_message"))
	require.Equal(t, http.StatusBadRequest, b.container(t, "media_type", "VIDEO", "image_url", at+"good.jpg").status)
	require.Equal(t, http.StatusBadRequest, b.container(t, "media_type", "ALBUM").status)
}
