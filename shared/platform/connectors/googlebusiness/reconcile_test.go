package googlebusiness_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

func listed(id, text, at, more string) string {
	return fmt.Sprintf(`{"name":"%s/localPosts/%s","summary":%q,"createTime":%q,"topicType":"STANDARD","searchUrl":%q%s}`,
		location, id, text, at, searchURL, more)
}

func page(next string, posts ...string) platformtest.Response {
	return ok(fmt.Sprintf(`{"localPosts":[%s],"nextPageToken":%q}`, strings.Join(posts, ","), next))
}

func TestReconcile(t *testing.T) {
	t.Parallel()

	const at = "2026-03-01T09:00:05.123456Z"
	event := strings.Replace(listed("180", "Hello", at, ""), "STANDARD", "EVENT", 1)
	for name, test := range map[string]struct {
		pages []platformtest.Response
		want  platform.Evidence
		id    string
		calls int
	}{
		"found": {
			[]platformtest.Response{page("", listed("180", "Hello", at, `,"state":"LIVE"`))}, platform.EvidenceFound, "180", 1,
		},
		"processing": {
			[]platformtest.Response{page("", listed("180", " Hello\n", at, `,"state":"PROCESSING"`))},
			platform.EvidenceFound,
			"180", 1,
		},
		"on the second page": {
			[]platformtest.Response{page("p2", listed("181", "Other", at, "")), page("", listed("180", "Hello", at, ""))},
			platform.EvidenceFound, "180", 2,
		},
		"after old ones": {
			[]platformtest.Response{
				page("p2", listed("181", "Other", "2020-01-01T00:00:00Z", "")), page("", listed("180", "Hello", at, "")),
			},
			platform.EvidenceFound, "180", 2,
		},
		"another is taken": {
			[]platformtest.Response{page("", listed("999", "Hello", at, ""), listed("180", "Hello", at, ""))},
			platform.EvidenceFound, "180", 1,
		},
		"taken": {
			[]platformtest.Response{page("", listed("999", "Hello", at, ""))}, platform.EvidenceAbsent, "", 1,
		},
		"refused by Google": {
			[]platformtest.Response{page("", listed("180", "Hello", at, `,"state":"REJECTED"`))}, platform.EvidenceAbsent, "", 1,
		},
		"an event of that text": {[]platformtest.Response{page("", event)}, platform.EvidenceAbsent, "", 1},
		"others": {
			[]platformtest.Response{page("", listed("180", "Goodbye", at, ""))}, platform.EvidenceAbsent, "", 1,
		},
		"a location without any": {[]platformtest.Response{ok("{}")}, platform.EvidenceAbsent, "", 1},
		"too early": {
			[]platformtest.Response{page("", listed("180", "Hello", "2026-03-01T08:00:00Z", ""))},
			platform.EvidenceAbsent, "",
			1,
		},
		"almost the text": {
			[]platformtest.Response{page("", listed("180", "hello!", at, ""))}, platform.EvidenceUnclear, "", 1,
		},
		"no time": {
			[]platformtest.Response{page("", listed("180", "Hello", "today", ""))}, platform.EvidenceUnclear, "", 1,
		},
		"hostile name": {
			[]platformtest.Response{page("", listed("1/../2", "Hello", at, ""))}, platform.EvidenceUnclear, "", 1,
		},
		"endless": {[]platformtest.Response{page("again")}, platform.EvidenceUnclear, "", 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{listCall: test.pages})
			evidence, publication, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{
				Text: "Hello", At: now(), Taken: func(id string) bool { return id == "999" },
			})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.Equal(t, test.id, publication.ExternalID)
			if test.id != "" {
				require.Equal(t, searchURL, publication.URL)
			}
			requests := b.script.Requests()
			require.Len(t, requests, test.calls)
			require.Equal(t, "50", requests[0].Query.Get("pageSize"))
			require.False(t, requests[0].Query.Has("pageToken"))
			require.Equal(t, "Bearer access-1", requests[0].Header.Get("Authorization"))
			if test.calls > 1 {
				require.NotEmpty(t, requests[1].Query.Get("pageToken"))
			}
		})
	}
}

func TestReconcileHidesHostileLink(t *testing.T) {
	t.Parallel()

	hostile := strings.Replace(listed("180", "Hello", "2026-03-01T09:00:05Z", ""), "https://", "javascript:", 1)
	b := setup(t, map[string][]platformtest.Response{listCall: {page("", hostile)}})
	evidence, publication, err := b.connector.Reconcile(t.Context(), b.account, b.content,
		platform.Sent{Text: "Hello", At: now()})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceFound, evidence)
	require.Equal(t, platform.Publication{ExternalID: "180"}, publication)
}

func TestReconcileFailures(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
	}{
		"down":          {platformtest.Response{Status: 503}, platform.ClassTransient},
		"a page":        {ok("<html>"), platform.ClassTransient},
		"other members": {ok(`{"localPosts":{"name":"1"}}`), platform.ClassTransient},
		"expired":       {refusal(401, "UNAUTHENTICATED", "expired", ""), platform.ClassRefresh},
		"moved":         {refusal(404, "NOT_FOUND", "gone", ""), platform.ClassReconnect},
		"limited":       {refusal(429, "RESOURCE_EXHAUSTED", "slow", ""), platform.ClassRateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{listCall: {test.response}})
			evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{Text: "Hello", At: now()})
			require.Equal(t, platform.EvidenceUnclear, evidence)
			require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
			require.NotContains(t, err.Error(), "access-1")
		})
	}
}
