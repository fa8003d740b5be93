package facebook_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	commentCall = "POST /v26.0/42_180/comments"
	belowCall   = "GET /v26.0/42_180/comments"
)

// first returns the content of a first comment below a post.
func first(root string) platform.Content {
	return platform.Content{
		ContentType: post.ContentPost, Text: "First!", ReplyTo: &platform.ReplyTo{Kind: post.PartComment, RootID: root, ParentID: root},
	}
}

// below is a comment in a list; an empty author is hidden.
func below(id, author, text string, at time.Duration) string {
	from := ""
	if author != "" {
		from = `"from":{"id":"` + author + `","name":"Acme"},`
	}
	return fmt.Sprintf(`{"id":%q,%s"message":%q,"created_time":%q,"permalink_url":"https://www.facebook.com/42/posts/180?comment_id=7"}`,
		id, from, text, now().Add(at).Format("2006-01-02T15:04:05-0700"))
}

func comments(after string, list ...string) platformtest.Response {
	return ok(`{"data":[` + strings.Join(list, ",") + `],"paging":{"cursors":{"before":"a","after":"` + after + `"}}}`)
}

func TestFirstComment(t *testing.T) {
	t.Parallel()

	const own = "https://www.facebook.com/acme/posts/pfbid02?comment_id=7"
	for name, test := range map[string]struct {
		read platformtest.Response
		url  string
	}{
		"with permalink":    {ok(`{"id":"180_7","permalink_url":"` + own + `"}`), own},
		"without permalink": {platformtest.Response{Status: 500}, "https://www.facebook.com/42_180?comment_id=7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{commentCall: {ok(`{"id":"180_7"}`)}, "GET /v26.0/180_7": {test.read}})
			published, err := b.connector.Commit(t.Context(), b.account, first("42_180"), "")
			require.NoError(t, err)
			require.Equal(t, platform.Publication{ExternalID: "180_7", URL: test.url}, published)
			sent := b.script.Requests()[0]
			require.Equal(t, "First!", sent.Form(t).Get("message"))
			require.Equal(t, "Bearer token/1", sent.Header.Get("Authorization"))
			reviewed, err := b.connector.Review(t.Context(), b.account, "180_7")
			require.NoError(t, err)
			require.False(t, reviewed.InReview)
		})
	}
}

func TestFirstCommentWithoutPostSendsNothing(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	for _, root := range []string{"", "..", "42/180", "pfbid02"} {
		_, err := b.connector.Commit(t.Context(), b.account, first(root), "")
		require.Equal(t, platform.CodeParentGone, platformtest.Failure(t, err).Code, root)
		evidence, _, err := b.connector.Reconcile(t.Context(), b.account, first(root), platform.Sent{Text: "First!", At: now()})
		require.NoError(t, err)
		require.Equal(t, platform.EvidenceUnclear, evidence)
	}
	require.Empty(t, b.script.Requests())
}

func TestFirstCommentIsRefused(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"no permission":    {graph(403, 200, 0, "You do not have sufficient permissions"), platform.ClassUser, "REPLY_NOT_ALLOWED"},
		"post gone":        {graph(400, 100, 33, "Object with ID '42_180' does not exist"), platform.ClassRejected, platform.CodeParentGone},
		"comments off":     {graph(400, 100, 0, "Commenting is disabled on this post"), platform.ClassRejected, "COMMENTS_DISABLED"},
		"invalid":          {graph(400, 100, 0, "Invalid parameter"), platform.ClassRejected, "CONTENT_REFUSED"},
		"against rules":    {graph(400, 1404102, 1404102, "Community standards"), platform.ClassRejected, "POLICY_VIOLATION"},
		"duplicate":        {graph(400, 506, 0, "Duplicate status message"), platform.ClassUnknown, platform.CodeDuplicate},
		"blocked":          {graph(400, 368, 0, "Blocked"), platform.ClassUser, "ACCOUNT_RESTRICTED"},
		"limited":          {graph(400, 80001, 0, "Too many calls"), platform.ClassRateLimited, post.ErrorRateLimited},
		"expired":          {graph(401, 190, 463, "Session has expired"), platform.ClassReconnect, post.ErrorNeedsReconnect},
		"a passing fault":  {graph(500, 2, 0, "Service temporarily unavailable"), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"without id":       {ok(`{"success":true}`), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"with a malformed": {ok(`{"id":"../7"}`), platform.ClassUnknown, post.ErrorOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{commentCall: {test.response}})
			_, err := b.connector.Commit(t.Context(), b.account, first("42_180"), "")
			failure := platformtest.Failure(t, err)
			require.Equal(t, []any{test.class, test.code}, []any{failure.Class, failure.Code}, "%v", err)
			require.NotContains(t, failure.Message, "publish the post")
			require.Len(t, b.script.Requests(), 1)
		})
	}
}

func TestFirstCommentIsFound(t *testing.T) {
	t.Parallel()

	recent := comments("more", below("180_6", "7", "Nice", time.Minute))
	for name, test := range map[string]struct {
		pages []platformtest.Response
		want  platform.Evidence
		id    string
		class platform.Class
	}{
		"found":             {pages: []platformtest.Response{comments("", below("180_7", "42", "First!", 0))}, want: platform.EvidenceFound, id: "180_7"},
		"on a further page": {pages: []platformtest.Response{recent, comments("", below("180_7", "42", " First!\n", 0))}, want: platform.EvidenceFound, id: "180_7"},
		"of another person": {pages: []platformtest.Response{comments("", below("180_7", "7", "First!", 0))}, want: platform.EvidenceAbsent},
		"of another time":   {pages: []platformtest.Response{comments("more", below("180_7", "42", "First!", -time.Hour))}, want: platform.EvidenceAbsent},
		"taken":             {pages: []platformtest.Response{comments("", below("180_9", "42", "First!", 0))}, want: platform.EvidenceAbsent},
		"none":              {pages: []platformtest.Response{comments("")}, want: platform.EvidenceAbsent},
		"almost":            {pages: []platformtest.Response{comments("", below("180_7", "42", "First", 0))}, want: platform.EvidenceUnclear},
		"hidden author":     {pages: []platformtest.Response{comments("", below("180_7", "", "First!", 0))}, want: platform.EvidenceUnclear},
		"malformed id":      {pages: []platformtest.Response{comments("", below("/7", "42", "First!", 0))}, want: platform.EvidenceUnclear},
		"endless":           {pages: []platformtest.Response{recent}, want: platform.EvidenceUnclear},
		"no list":           {pages: []platformtest.Response{ok(`{}`)}, class: platform.ClassTransient},
		"other types":       {pages: []platformtest.Response{ok(`{"data":[{"id":7}]}`)}, class: platform.ClassTransient},
		"no permission":     {pages: []platformtest.Response{graph(403, 10, 0, "No permission")}, class: platform.ClassUser},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{belowCall: test.pages})
			evidence, found, err := b.connector.Reconcile(t.Context(), b.account, first("42_180"), platform.Sent{
				Text: "First!", At: now(), Taken: func(id string) bool { return id == "180_9" },
			})
			require.Equal(t, "toplevel", b.script.Requests()[0].Query.Get("filter"))
			if test.class != "" {
				require.Equal(t, test.class, platformtest.Failure(t, err).Class)
				require.Equal(t, platform.EvidenceUnclear, evidence)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []any{test.want, test.id}, []any{evidence, found.ExternalID})
			require.Equal(t, test.id != "", found.URL != "")
		})
	}
}
