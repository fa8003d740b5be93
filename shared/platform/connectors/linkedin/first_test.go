package linkedin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/linkedin"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	pageCall     = "POST /rest/socialActions/" + urn + "/comments"
	profileCall  = "POST /v2/socialActions/" + urn + "/comments"
	commentsCall = "GET /rest/socialActions/" + urn + "/comments"
	thread       = "urn:li:comment:(urn:li:activity:73,81)"
)

func first(root string) platform.Content {
	return platform.Content{
		ContentType: post.ContentPost, Text: "First (of all)! #now",
		ReplyTo: &platform.ReplyTo{Kind: post.PartComment, RootID: root, ParentID: root},
	}
}

// TestFirstComment checks that pages use the versioned resource, and profiles the other.
func TestFirstComment(t *testing.T) {
	t.Parallel()

	const update = "https://www.linkedin.com/feed/update/"
	marked := update + "urn:li:activity:73/?commentUrn=urn%3Ali%3Acomment%3A%28activity%3A73%2C81%29"
	body := func(response platformtest.Response, text string) platformtest.Response {
		response.Body = text
		return response
	}
	for name, test := range map[string]struct {
		response platformtest.Response
		id, url  string
	}{
		"versioned":   {body(created(), `{"id":"81","commentUrn":"`+thread+`"}`), "81", marked},
		"unversioned": {body(created(), `{"id":"81","$URN":"`+thread+`"}`), "81", marked},
		"header":      {created("X-RestLi-Id", "81"), "81", update + urn + "/"},
		"unnamed":     {created(), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{pageCall: {test.response}, profileCall: {test.response}})
			for _, c := range []struct {
				connector *linkedin.Connector
				account   platform.Account
				author    string
			}{{b.page, b.firm, "urn:li:organization:1234"}, {b.profile, b.member, "urn:li:person:abc_DE-1"}} {
				before := len(b.script.Requests())
				published, err := c.connector.Commit(t.Context(), c.account, first(urn), "")
				require.NoError(t, err)
				require.Equal(t, platform.Publication{ExternalID: test.id, URL: test.url}, published)
				var sent map[string]any
				require.Contains(t, b.script.Requests()[before].Path, "/urn%3Ali%3Ashare%3A7300000000000000001/")
				require.NoError(t, json.Unmarshal([]byte(b.script.Requests()[before].Body), &sent))
				require.Equal(t, map[string]any{
					"actor": c.author, "object": urn, "message": map[string]any{"text": "First (of all)! #now"},
				}, sent, "the text is not in the little format")
			}
		})
	}
}

func TestFirstCommentIsRefused(t *testing.T) {
	t.Parallel()

	refused := func(status int, code, message string) platformtest.Response {
		return platformtest.Response{Status: status, Body: fmt.Sprintf(`{"status":%d,"code":%q,"message":%q}`, status, code, message)}
	}
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"no permission": {
			refused(403, "ACCESS_DENIED", "Not enough permissions to access: partnerApiSocialActions.CREATE.20260901"),
			platform.ClassUser, "REPLY_NOT_ALLOWED",
		},
		"comments off":    {refused(403, "FORBIDDEN", "Comments are disabled on this thread"), platform.ClassRejected, "COMMENTS_DISABLED"},
		"post gone":       {refused(404, "NOT_FOUND", "Received error from domain authorization endpoint: 404"), platform.ClassRejected, platform.CodeParentGone},
		"without reason":  {refused(403, "FORBIDDEN", "member is unauthorized on it"), platform.ClassTransient, linkedin.CodeForbidden},
		"too long":        {refused(400, "FIELD_LENGTH_TOO_LONG", "exceeded the maximum allowed"), platform.ClassRejected, linkedin.CodeTooLong},
		"invalid":         {refused(400, "INVALID_INPUT", "wrong"), platform.ClassRejected, linkedin.CodeRefused},
		"conflict":        {refused(409, "CONFLICT", "wait"), platform.ClassTransient, linkedin.CodeForbidden},
		"limited":         {refused(429, "TOO_MANY_REQUESTS", "throttle"), platform.ClassRateLimited, post.ErrorRateLimited},
		"expired":         {refused(401, "EXPIRED_ACCESS_TOKEN", "expired"), platform.ClassRefresh, "TOKEN_EXPIRED"},
		"a passing fault": {refused(500, "INTERNAL", "oops"), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"of a proxy":      {platformtest.Response{Status: http.StatusForbidden, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{profileCall: {test.response}})
			_, err := b.profile.Commit(t.Context(), b.member, first(urn), "")
			failure := platformtest.Failure(t, err)
			require.Equal(t, []any{test.class, test.code}, []any{failure.Class, failure.Code}, "%v", err)
			require.Len(t, b.script.Requests(), 1)
		})
	}
	b := setup(t, nil)
	_, err := b.page.Commit(t.Context(), b.firm, first(""), "")
	require.Equal(t, platform.CodeParentGone, platformtest.Failure(t, err).Code)
	evidence, _, err := b.profile.Reconcile(t.Context(), b.member, first(urn), platform.Sent{Text: "First", At: now()})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceUnclear, evidence)
	require.Empty(t, b.script.Requests())
}

func TestFirstCommentIsFound(t *testing.T) {
	t.Parallel()

	const firm = "urn:li:organization:1234"
	one := func(id, actor, text string, at time.Duration) string {
		return fmt.Sprintf(`{"id":%q,"actor":%q,"message":{"text":%q},"created":{"time":%d},"commentUrn":"urn:li:comment:(%s,81)"}`,
			id, actor, text, now().Add(at).UnixMilli(), urn)
	}
	const text = "See https://example.com/a"
	short := strings.Replace(text, "https://example.com/a", "https://lnkd.in/x", 1)
	for name, test := range map[string]struct {
		pages []platformtest.Response
		want  platform.Evidence
		class platform.Class
	}{
		"found":             {pages: []platformtest.Response{page(one("81", firm, text, 0)), page()}, want: platform.EvidenceFound},
		"on a further page": {pages: []platformtest.Response{page(one("80", "urn:li:person:7", "Hi", 0)), page(one("81", firm, text, 0))}, want: platform.EvidenceFound},
		"of another person": {pages: []platformtest.Response{page(one("81", "urn:li:person:7", text, 0)), page()}, want: platform.EvidenceAbsent},
		"of another time":   {pages: []platformtest.Response{page(one("81", firm, text, -time.Hour)), page()}, want: platform.EvidenceAbsent},
		"shortened link":    {pages: []platformtest.Response{page(one("81", firm, short, 0)), page()}, want: platform.EvidenceUnclear},
		"unknown author":    {pages: []platformtest.Response{page(one("81", "", text, 0)), page()}, want: platform.EvidenceUnclear},
		"malformed id":      {pages: []platformtest.Response{page(one("x", firm, text, 0)), page()}, want: platform.EvidenceUnclear},
		"endless":           {pages: []platformtest.Response{page(one("80", firm, "Hi", 0))}, want: platform.EvidenceUnclear},
		"no list":           {pages: []platformtest.Response{{Body: `{}`}}, class: platform.ClassTransient},
		"no permission":     {pages: []platformtest.Response{{Status: 403, Body: `{"status":403,"code":"ACCESS_DENIED","message":"Not enough permissions"}`}}, class: platform.ClassUser},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{commentsCall: test.pages})
			evidence, found, err := b.page.Reconcile(t.Context(), b.firm, first(urn), platform.Sent{Text: text, At: now()})
			if test.class != "" {
				require.Equal(t, test.class, platformtest.Failure(t, err).Class)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.Equal(t, test.want == platform.EvidenceFound, found.ExternalID == "81")
			require.Equal(t, test.want == platform.EvidenceFound, strings.Contains(found.URL, "commentUrn="))
		})
	}
}
