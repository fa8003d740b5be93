package youtube_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	playlistCall    = "GET /v3/playlistItems"
	deleteCall      = "DELETE /v3/videos"
	uploadsPlaylist = `{"items":[{"contentDetails":{"relatedPlaylists":{"uploads":"UU1"}}}]}`
)

// listed returns an item of the playlist of uploads.
func listed(id, title, privacy string, at time.Time) string {
	return fmt.Sprintf(`{"snippet":{"title":%q,"description":"A text","publishedAt":%q},"contentDetails":{"videoId":%q},
		"status":{"privacyStatus":%q}}`, title, at.Format(time.RFC3339), id, privacy)
}

func sized(id, size string) string {
	return `{"id":"` + id + `","fileDetails":{"fileSize":"` + size + `"},"status":{"privacyStatus":"private","uploadStatus":"uploaded"}}`
}

// TestVideoOfLostSessionIsFound checks which uploads count as the video of a session that YouTube no longer has.
func TestVideoOfLostSessionIsFound(t *testing.T) {
	t.Parallel()
	const size, other = "655360", "aaaaaaaaaaa"
	mine := listed(createdID, "A title", "private", now())
	for name, c := range map[string]struct {
		listed, sized []string
		found         bool
	}{
		"found":              {[]string{mine}, []string{sized(createdID, size)}, true},
		"found among others": {[]string{mine, listed(other, "A title", "private", now())}, []string{sized(createdID, size), sized(other, "1")}, true},
		"none":               {nil, nil, false},
		"another size":       {[]string{mine}, []string{sized(createdID, "1")}, false},
		"no size":            {[]string{mine}, []string{`{"id":"` + createdID + `"}`}, false},
		"two":                {[]string{mine, listed(other, "A title", "private", now())}, []string{sized(createdID, size), sized(other, size)}, false},
		"another title":      {[]string{listed(createdID, "Other", "private", now())}, []string{sized(createdID, size)}, false},
		"public":             {[]string{listed(createdID, "A title", "public", now())}, []string{sized(createdID, size)}, false},
		"earlier":            {[]string{listed(createdID, "A title", "private", now().Add(-time.Hour))}, []string{sized(createdID, size)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, content := uploading(t, map[string][]platformtest.Response{
				chunkCall: {{Status: http.StatusNotFound}}, channelsCall: {ok(uploadsPlaylist)},
				playlistCall: {ok(`{"items":[` + strings.Join(c.listed, ",") + `]}`)},
				videosCall:   {ok(`{"items":[` + strings.Join(c.sized, ",") + `]}`)},
			})
			b.script.Set(openCall, located(b.script.URL))
			begun, err := b.connector.Prepare(t.Context(), b.account, content, "")
			require.NoError(t, err)
			after, err := b.connector.Prepare(t.Context(), b.account, content, begun.Handle)
			require.NoError(t, err)
			require.False(t, after.Ready)
			require.Equal(t, c.found, strings.Contains(string(after.Handle), createdID))
			require.Equal(t, !c.found, strings.Contains(string(after.Handle), "again"))
		})
	}
}

// TestVideoOfFailedPostIsDeleted checks that only a private video is deleted, and that a repetition does no harm.
func TestVideoOfFailedPostIsDeleted(t *testing.T) {
	t.Parallel()
	handle := platform.Handle(`{"v":1,"asset":"a","video":"` + createdID + `"}`)
	for name, c := range map[string]struct {
		seen     string
		response platformtest.Response
		deletes  bool
		class    platform.Class // empty: no failure
	}{
		"private":        {created("private", "processed"), platformtest.Response{Status: http.StatusNoContent}, true, ""},
		"gone meanwhile": {created("private", "processed"), platformtest.Response{Status: http.StatusNotFound, Body: "{}"}, true, ""},
		"public":         {created("public", "processed"), platformtest.Response{}, false, ""},
		"gone":           {"", platformtest.Response{}, false, ""},
		"down":           {created("private", "processed"), platformtest.Response{Status: http.StatusBadGateway}, true, platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := uploading(t, map[string][]platformtest.Response{
				videosCall: {ok(`{"items":[` + c.seen + `]}`)}, deleteCall: {c.response},
			})
			err := b.connector.Discard(t.Context(), b.account, handle)
			if c.class == "" {
				require.NoError(t, err)
			} else {
				require.Equal(t, c.class, platformtest.Failure(t, err).Class)
			}
			requests := b.script.Requests()
			require.Equal(t, c.deletes, requests[len(requests)-1].Method == http.MethodDelete)
		})
	}
	b, _ := uploading(t, nil)
	require.NoError(t, b.connector.Discard(t.Context(), b.account, ""))
	require.Empty(t, b.script.Requests())
}
