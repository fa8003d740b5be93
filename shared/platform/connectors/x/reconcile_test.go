package x_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

const listCall = "GET /2/users/42/tweets"

func page(next string, posts ...string) platformtest.Response {
	return platformtest.Response{
		Body: fmt.Sprintf(`{"data":[%s],"meta":{"result_count":%d,"next_token":%q}}`, strings.Join(posts, ","), len(posts),
			next),
	}
}

func listed(id, text string, at time.Duration, more string) string {
	return fmt.Sprintf(`{"id":%q,"text":%q,"created_at":%q%s}`, id, text, now().Add(at).Format(time.RFC3339), more)
}

// TestBusyAccountIsReadInLargePages checks the page sizes. The first page is small, because X bills each listed post.
func TestBusyAccountIsReadInLargePages(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		listCall: {page("p2", listed("9", "Other", 0, "")), page("p3"), page("", listed("7", "Hello", 0, ""))},
	})
	requested := 0
	evidence, publication, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{
		Text: "Hello", At: now(), Taken: func(string) bool { requested++; return false },
	})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceFound, evidence)
	require.Equal(t, "7", publication.ExternalID)
	require.Equal(t, 1, requested, "whose a post is, is asked of those that could be ours alone")
	var sizes []string
	for _, r := range b.script.Requests() {
		sizes = append(sizes, r.Query.Get("max_results"))
	}
	require.Equal(t, []string{"10", "100", "100"}, sizes)
}

func TestReconcile(t *testing.T) {
	t.Parallel()

	const link = `,"entities":{"urls":[{"url":"https://t.co/AbC123","expanded_url":"http://example.com/a"}]}`
	const media = `,"entities":{"urls":[{"url":"https://t.co/pic","expanded_url":"https://x.com/p","media_key":"3_1"}]}`
	long := strings.Repeat("long text ", 40)
	for name, test := range map[string]struct {
		text  string
		pages []platformtest.Response
		taken string
		want  platform.Evidence
		id    string
	}{
		"found": {
			"Hello", []platformtest.Response{page("", listed("7", "Hello", 0, ""))}, "", platform.EvidenceFound, "7",
		},
		"escaped": {
			"a < b & c",
			[]platformtest.Response{page("", listed("7", "a &lt; b &amp; c", 0, ""))},
			"", platform.EvidenceFound,
			"7",
		},
		"holding an escape": {
			"use &amp; here",
			[]platformtest.Response{page("", listed("7", "use &amp;amp; here", 0, ""))},
			"",
			platform.EvidenceFound, "7",
		},
		"short link expanded": {
			"See example.com/a!",
			[]platformtest.Response{page("", listed("7", "See https://t.co/AbC123!", 0, link))},
			"",
			platform.EvidenceFound, "7",
		},
		"media link dropped": {
			"Hello",
			[]platformtest.Response{page("", listed("7", "Hello https://t.co/pic", 0, media))},
			"",
			platform.EvidenceFound, "7",
		},
		"whitespace trimmed": {
			" Hello \n\n\n you ",
			[]platformtest.Response{page("", listed("7", "Hello\n\nyou", 0, ""))},
			"",
			platform.EvidenceFound, "7",
		},
		"composed": {
			"de\u0301ja\u0300", []platformtest.Response{page("", listed("7", "déjà", 0, ""))}, "", platform.EvidenceFound, "7",
		},
		"whole of a long text": {
			long,
			[]platformtest.Response{page("", listed("7", long[:100]+"…", 0, fmt.Sprintf(`,"note_tweet":{"text":%q}`, long)))},
			"", platform.EvidenceFound, "7",
		},
		"on the second page": {
			"Hello",
			[]platformtest.Response{page("p2", listed("8", "Other", 0, "")), page("", listed("7", "Hello", 0, ""))},
			"",
			platform.EvidenceFound, "7",
		},
		"the nearest of two": {
			"Hello",
			[]platformtest.Response{page("", listed("8", "Hello", 20*time.Minute, ""), listed("7", "Hello", time.Second, ""))},
			"", platform.EvidenceFound, "7",
		},
		"taken by another post": {
			"Hello", []platformtest.Response{page("", listed("7", "Hello", 0, ""))}, "7", platform.EvidenceAbsent, "",
		},
		"taken, but there is another": {
			"Hello",
			[]platformtest.Response{page("", listed("7", "Hello", 0, ""), listed("8", "Hello", 0, ""))},
			"7",
			platform.EvidenceFound, "8",
		},
		"nothing": {"Hello", []platformtest.Response{page("")}, "", platform.EvidenceAbsent, ""},
		"others": {
			"Hello", []platformtest.Response{page("", listed("7", "Goodbye", 0, ""))}, "", platform.EvidenceAbsent, "",
		},
		"before the window": {
			"Hello", []platformtest.Response{page("", listed("7", "Hello", -time.Hour, ""))}, "", platform.EvidenceAbsent, "",
		},
		"after the window": {
			"Hello", []platformtest.Response{page("", listed("7", "Hello", time.Hour, ""))}, "", platform.EvidenceAbsent, "",
		},
		"same words, other link": {
			"See example.com/b!",
			[]platformtest.Response{page("", listed("7", "See https://t.co/AbC123!", 0, link))},
			"",
			platform.EvidenceUnclear, "",
		},
		"cut": {
			long, []platformtest.Response{page("", listed("7", long[:100]+"…", 0, ""))}, "", platform.EvidenceUnclear, "",
		},
		"partial errors": {
			"Hello",
			[]platformtest.Response{{Body: `{"errors":[{"detail":"x"}],"meta":{"result_count":0}}`}},
			"",
			platform.EvidenceUnclear, "",
		},
		"partial errors, but it is there": {
			"Hello",
			[]platformtest.Response{
				{Body: `{"data":[` + listed("7", "Hello", 0, "") + `],"errors":[{"detail":"x"}],"meta":{"result_count":1}}`},
			},
			"", platform.EvidenceFound, "7",
		},
		"hostile id": {
			"Hello", []platformtest.Response{page("", listed("7\r\n", "Hello", 0, ""))}, "", platform.EvidenceUnclear, "",
		},
		"endless": {"Hello", []platformtest.Response{page("again")}, "", platform.EvidenceUnclear, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{listCall: test.pages})
			evidence, publication, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{
				Text: test.text, At: now(), Taken: func(id string) bool { return id == test.taken },
			})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.Equal(t, test.id, publication.ExternalID)
			query := b.script.Requests()[0].Query
			require.Equal(t, "2026-03-01T08:58:00Z", query.Get("start_time"))
			require.Equal(t, "retweets", query.Get("exclude"))
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
		"a page":        {platformtest.Response{Body: "<html>"}, platform.ClassTransient},
		"no meta":       {platformtest.Response{Body: "{}"}, platform.ClassTransient},
		"count differs": {platformtest.Response{Body: `{"meta":{"result_count":2}}`}, platform.ClassTransient},
		"expired":       {platformtest.Response{Status: 401, Body: "{}"}, platform.ClassRefresh},
		"limited":       {platformtest.Response{Status: 429, Body: "{}"}, platform.ClassRateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{listCall: {test.response}})
			evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{Text: "Hello", At: now()})
			require.Equal(t, platform.EvidenceUnclear, evidence)
			require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
		})
	}

	b := setup(t, nil)
	b.account.ExternalID = ""
	_, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{})
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}
