package facebook_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

const listCall = "GET /v26.0/42/published_posts"

func listed(id, text, at string) string {
	return fmt.Sprintf(`{"id":%q,"message":%q,"created_time":%q,"permalink_url":"https://www.facebook.com/42/posts/%s"}`,
		id, text, at, id)
}

// attached is a listed post with an attachment, which has an id unless it is elsewhere.
func attached(id, text, at, kind, target string) string {
	return fmt.Sprintf(`{"id":%q,"message":%q,"created_time":%q,"permalink_url":"https://www.facebook.com/42/posts/%s",`+
		`"attachments":{"data":[{"media_type":%q,"target":{"id":%q}}]}}`, id, text, at, id, kind, target)
}

// page returns a page of the list. Facebook returns cursors even on the last page.
func page(more bool, posts ...string) platformtest.Response {
	next := ""
	if more {
		next = `,"next":"https://graph.facebook.com/v26.0/42/published_posts?after=more"`
	}
	return ok(`{"data":[` + strings.Join(posts, ",") + `],"paging":{"cursors":{"before":"b","after":"more"}` + next + `}}`)
}

func TestReconcile(t *testing.T) {
	t.Parallel()

	const at = "2026-03-01T09:00:05+0000"
	for name, test := range map[string]struct {
		pages []platformtest.Response
		want  platform.Evidence
		id    string
		calls int
	}{
		"found": {
			[]platformtest.Response{page(false, listed("42_180", "Hello", at))}, platform.EvidenceFound, "42_180", 1,
		},
		"whitespace trimmed": {
			[]platformtest.Response{page(false, listed("42_180", " Hello\n", "2026-03-01T09:00:05Z"))},
			platform.EvidenceFound,
			"42_180", 1,
		},
		"on the second page": {
			[]platformtest.Response{page(true, listed("42_181", "Other", at)), page(false, listed("42_180", "Hello", at))},
			platform.EvidenceFound, "42_180", 2,
		},
		"another is taken": {
			[]platformtest.Response{page(false, listed("42_999", "Hello", at), listed("42_180", "Hello", at))},
			platform.EvidenceFound, "42_180", 1,
		},
		"taken": {
			[]platformtest.Response{page(false, listed("42_999", "Hello", at))}, platform.EvidenceAbsent, "", 1,
		},
		"others": {
			[]platformtest.Response{page(false, listed("42_180", "Goodbye", at), `{"id":"42_181"}`)},
			platform.EvidenceAbsent,
			"", 1,
		},
		"nothing": {[]platformtest.Response{ok(`{"data":[]}`)}, platform.EvidenceAbsent, "", 1},
		"too early": {
			[]platformtest.Response{page(false, listed("42_180", "Hello", "2026-03-01T08:00:00+0000"))},
			platform.EvidenceAbsent,
			"", 1,
		},
		"almost the text": {
			[]platformtest.Response{page(false, listed("42_180", "Hello!", at))}, platform.EvidenceUnclear, "", 1,
		},
		"no time": {
			[]platformtest.Response{page(false, listed("42_180", "Hello", "today"))}, platform.EvidenceUnclear, "", 1,
		},
		"hostile id": {
			[]platformtest.Response{page(false, listed("../me", "Hello", at))}, platform.EvidenceUnclear, "", 1,
		},
		"more, no cursor": {
			[]platformtest.Response{ok(`{"data":[],"paging":{"next":"https://graph.facebook.com/"}}`)},
			platform.EvidenceUnclear,
			"", 1,
		},
		"endless": {[]platformtest.Response{page(true)}, platform.EvidenceUnclear, "", 20},
		"a link to a video elsewhere": {
			[]platformtest.Response{page(false, attached("42_180", "Hello", at, "video", ""))}, platform.EvidenceFound, "42_180", 1,
		},
		"a link to a video of Facebook": {
			[]platformtest.Response{page(false, attached("42_180", "Hello", at, "video", "5"))}, platform.EvidenceUnclear, "", 1,
		},
		"a video of equal text": {
			[]platformtest.Response{page(false, attached("42_180", "Hello", at, "video", "5"), listed("42_181", "Hello", at))},
			platform.EvidenceFound, "42_181", 1,
		},
		"a video of another post": {
			[]platformtest.Response{page(false, attached("42_180", "Hello", at, "video", "999"))}, platform.EvidenceAbsent, "", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{listCall: test.pages})
			evidence, publication, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{
				Text: "Hello", At: now(), Taken: func(id string) bool { return id == "42_999" || id == "999" },
			})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.Equal(t, test.id, publication.ExternalID)
			if test.id != "" {
				require.Equal(t, "https://www.facebook.com/42/posts/"+test.id, publication.URL)
			}
			requests := b.script.Requests()
			require.Len(t, requests, test.calls)
			require.Equal(t, "1772355480", requests[0].Query.Get("since"))
			require.Equal(t, "1772357400", requests[0].Query.Get("until"))
			require.Empty(t, requests[0].Query.Get("after"))
			require.Empty(t, requests[0].Query.Get("access_token"))
			if test.calls > 1 {
				require.Equal(t, "more", requests[1].Query.Get("after"))
			}
		})
	}
}

func TestReconcileFailures(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
	}{
		"down":          {platformtest.Response{Status: 503}, platform.ClassTransient},
		"a page":        {ok("<html>"), platform.ClassTransient},
		"no data":       {ok("{}"), platform.ClassTransient},
		"expired":       {graph(401, 190, 463, "expired"), platform.ClassReconnect},
		"limited":       {graph(400, 80001, 0, "limit"), platform.ClassRateLimited},
		"other members": {ok(`{"data":{"id":"1"}}`), platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{listCall: {test.response}})
			evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{Text: "Hello", At: now()})
			require.Equal(t, platform.EvidenceUnclear, evidence)
			require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
			require.NotContains(t, err.Error(), "token/1")
		})
	}

	b := setup(t, nil)
	b.account.Credentials.AccessToken = ""
	_, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{})
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}

// TestReconcileRestoredPhotos searches for a post with a photo whose upload is not known, as after a restore of the
// database: by its text, among the posts with photos.
func TestReconcileRestoredPhotos(t *testing.T) {
	t.Parallel()

	of := func(text, kind string) string { return attached("42_180", text, "2026-03-01T09:00:05+0000", kind, "5") }
	for name, test := range map[string]struct {
		list platformtest.Response
		want platform.Evidence
	}{
		"a photo":         {page(false, of("Hello", "photo")), platform.EvidenceFound},
		"an album":        {page(false, of("Hello", "album")), platform.EvidenceFound},
		"almost the text": {page(false, of("Hello!", "photo")), platform.EvidenceUnclear},
		"a video":         {page(false, of("Hello", "video")), platform.EvidenceUnclear},
		"a text":          {page(false, listed("42_180", "Hello", "2026-03-01T09:00:05+0000")), platform.EvidenceUnclear},
		"another text":    {page(false, of("Goodbye", "photo")), platform.EvidenceAbsent},
		"nothing":         {page(false), platform.EvidenceAbsent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := carry(t, post.ContentPost, map[string][]platformtest.Response{listCall: {test.list}}, platformtest.Picture(t, 1))
			evidence, found, err := c.connector.Reconcile(t.Context(), c.account, c.content,
				platform.Sent{Text: "Hello", At: now()})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.Equal(t, test.want == platform.EvidenceFound, found.ExternalID == "42_180")
		})
	}
}
