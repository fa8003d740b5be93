package youtube_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	threadCall  = "POST /v3/commentThreads"
	threadsCall = "GET /v3/commentThreads"
)

func first(root string) platform.Content {
	return platform.Content{
		ContentType: post.ContentVideo, Text: "First!", ReplyTo: &platform.ReplyTo{Kind: post.PartComment, RootID: root, ParentID: root},
	}
}

func TestFirstComment(t *testing.T) {
	t.Parallel()

	b := setup(t, map[string][]platformtest.Response{
		threadCall: {ok(`{"id":"Ugx1","snippet":{"videoId":"v1","topLevelComment":{"id":"Ugx1","snippet":{"textOriginal":"First!"}}}}`)},
	})
	preparation, err := b.connector.Prepare(t.Context(), b.account, first("v1"), "")
	require.NoError(t, err)
	require.Equal(t, platform.Preparation{Ready: true}, preparation)
	require.NoError(t, b.connector.Discard(t.Context(), b.account, ""))
	require.Empty(t, b.connector.Note(first("v1"), ""))
	published, err := b.connector.Commit(t.Context(), b.account, first("v1"), "")
	require.NoError(t, err)
	require.Equal(t, platform.Publication{ExternalID: "Ugx1", URL: b.script.URL + "/v3/watch?lc=Ugx1&v=v1"}, published)
	require.Len(t, b.script.Requests(), 1)
	require.JSONEq(t, `{"snippet":{"channelId":"UC42","videoId":"v1","topLevelComment":{"snippet":{"textOriginal":"First!"}}}}`,
		b.script.Requests()[0].Body)

	_, err = b.connector.Commit(t.Context(), b.account, first(""), "")
	require.Equal(t, platform.CodeParentGone, platformtest.Failure(t, err).Code)
	require.Len(t, b.script.Requests(), 1)
}

func TestFirstCommentIsRefused(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"comments off":    {refusal(403, "commentsDisabled"), platform.ClassRejected, "COMMENTS_DISABLED"},
		"too long":        {refusal(400, "commentTextTooLong"), platform.ClassRejected, "CONTENT_TOO_LONG"},
		"video gone":      {refusal(404, "videoNotFound"), platform.ClassRejected, platform.CodeParentGone},
		"no permission":   {refusal(403, "insufficientPermissions"), platform.ClassUser, "REPLY_NOT_ALLOWED"},
		"forbidden":       {refusal(403, "forbidden"), platform.ClassUser, "REPLY_NOT_ALLOWED"},
		"invalid":         {refusal(400, "invalidCommentThreadMetadata"), platform.ClassRejected, "CONTENT_REFUSED"},
		"day used up":     {refusal(403, "quotaExceeded"), platform.ClassRateLimited, post.CodeDailyQuota},
		"too fast":        {refusal(403, "rateLimitExceeded"), platform.ClassRateLimited, post.ErrorRateLimited},
		"expired":         {refusal(401, "authError"), platform.ClassRefresh, "TOKEN_EXPIRED"},
		"a passing fault": {refusal(400, "processingFailure"), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"unavailable":     {refusal(http.StatusServiceUnavailable, "backendError"), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"without id":      {ok(`{"id":"Ugx1"}`), platform.ClassUnknown, post.ErrorOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{threadCall: {test.response}})
			_, err := b.connector.Commit(t.Context(), b.account, first("v1"), "")
			failure := platformtest.Failure(t, err)
			require.Equal(t, []any{test.class, test.code}, []any{failure.Class, failure.Code}, "%v", err)
		})
	}
}

func TestFirstCommentIsFound(t *testing.T) {
	t.Parallel()

	one := func(id, author, text string, at time.Duration) string {
		return `{"id":"` + id + `","snippet":{"topLevelComment":{"id":"` + id + `","snippet":{"textDisplay":"` + text +
			`","authorChannelId":{"value":"` + author + `"},"publishedAt":"` + now().Add(at).Format(time.RFC3339) + `"}}}}`
	}
	list := func(next, items string) platformtest.Response {
		return ok(`{"nextPageToken":"` + next + `","items":[` + items + `]}`)
	}
	for name, test := range map[string]struct {
		pages []platformtest.Response
		want  platform.Evidence
		class platform.Class
	}{
		"found":             {pages: []platformtest.Response{list("", one("Ugx1", "UC42", "First!", 0))}, want: platform.EvidenceFound},
		"on a further page": {pages: []platformtest.Response{list("p", one("Ugx2", "UC7", "Hi", 0)), list("", one("Ugx1", "UC42", "First!", 0))}, want: platform.EvidenceFound},
		"of another person": {pages: []platformtest.Response{list("", one("Ugx1", "UC7", "First!", 0))}, want: platform.EvidenceAbsent},
		"of another time":   {pages: []platformtest.Response{list("p", one("Ugx1", "UC42", "First!", -time.Hour))}, want: platform.EvidenceAbsent},
		"unknown author":    {pages: []platformtest.Response{list("", one("Ugx1", "", "First!", 0))}, want: platform.EvidenceUnclear},
		"malformed id":      {pages: []platformtest.Response{list("", one("/", "UC42", "First!", 0))}, want: platform.EvidenceUnclear},
		"endless":           {pages: []platformtest.Response{list("p", one("Ugx2", "UC7", "Hi", 0))}, want: platform.EvidenceUnclear},
		"no list":           {pages: []platformtest.Response{ok(`{}`)}, class: platform.ClassTransient},
		"other types":       {pages: []platformtest.Response{ok(`{"items":[7]}`)}, class: platform.ClassTransient},
		"no permission":     {pages: []platformtest.Response{refusal(403, "insufficientPermissions")}, class: platform.ClassUser},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{threadsCall: test.pages})
			evidence, found, err := b.connector.Reconcile(t.Context(), b.account, first("v1"), platform.Sent{Text: "First!", At: now()})
			require.Equal(t, "v1", b.script.Requests()[0].Query.Get("videoId"))
			if test.class != "" {
				require.Equal(t, test.class, platformtest.Failure(t, err).Class)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.Equal(t, test.want == platform.EvidenceFound, found.ExternalID == "Ugx1")
		})
	}
}
