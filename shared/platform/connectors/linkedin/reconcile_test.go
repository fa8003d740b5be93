package linkedin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

func page(posts ...string) platformtest.Response {
	return platformtest.Response{
		Body: fmt.Sprintf(`{"paging":{"start":0,"count":10,"links":[]},"elements":[%s]}`, strings.Join(posts, ",")),
	}
}

func listed(id, commentary string, at time.Duration) string {
	quoted, _ := json.Marshal(commentary)
	return fmt.Sprintf(`{"id":%q,"commentary":%s,"createdAt":%d,"lifecycleState":"PUBLISHED"}`, id, quoted,
		now().Add(at).UnixMilli())
}

func TestReconcile(t *testing.T) {
	t.Parallel()

	const other = "urn:li:share:8"
	long := strings.Repeat("long text ", 40)
	processing := strings.Replace(listed(urn, "Hello", 0), "PUBLISHED", "PUBLISH_REQUESTED", 1)
	for name, test := range map[string]struct {
		text  string
		pages []platformtest.Response
		taken string
		want  platform.Evidence
		id    string
	}{
		"found": {
			"Hello", []platformtest.Response{page(listed(urn, "Hello", 0))}, "", platform.EvidenceFound, urn,
		},
		"escaped": {
			"a (b) c_d", []platformtest.Response{page(listed(urn, `a \(b\) c\_d`, 0))}, "", platform.EvidenceFound, urn,
		},
		"given back plain": {
			`a (b) \(c`, []platformtest.Response{page(listed(urn, `a (b) \(c`, 0))}, "", platform.EvidenceFound, urn,
		},
		"a hashtag's template": {
			"we #hire", []platformtest.Response{page(listed(urn, `we {hashtag|\#|hire}`, 0))}, "", platform.EvidenceFound, urn,
		},
		"the template's other form": {
			"we #hire", []platformtest.Response{page(listed(urn, `we {hashtag|#|hire}`, 0))}, "", platform.EvidenceFound, urn,
		},
		"whitespace trimmed": {
			" Hello \n\n\n you ", []platformtest.Response{page(listed(urn, "Hello\n\nyou", 0))}, "", platform.EvidenceFound, urn,
		},
		"composed": {
			"de\u0301ja\u0300", []platformtest.Response{page(listed(urn, "déjà", 0))}, "", platform.EvidenceFound, urn,
		},
		"behind an edited old post": {
			"Hello",
			[]platformtest.Response{page(listed(other, "Old", -time.Hour), listed(urn, "Hello", 0))},
			"",
			platform.EvidenceFound, urn,
		},
		"old post, then second page": {
			"Hello",
			[]platformtest.Response{
				page(listed(other, "Old", -time.Hour), listed(other, "Other", 0)), page(listed(urn, "Hello", 0)),
			},
			"", platform.EvidenceFound, urn,
		},
		"on the second page": {
			"Hello",
			[]platformtest.Response{page(listed(other, "Other", 0)), page(listed(urn, "Hello", 0))},
			"",
			platform.EvidenceFound, urn,
		},
		"the nearest of two": {
			"Hello",
			[]platformtest.Response{page(listed(other, "Hello", 20*time.Minute), listed(urn, "Hello", time.Second))},
			"", platform.EvidenceFound, urn,
		},
		"taken by another post": {
			"Hello", []platformtest.Response{page(listed(urn, "Hello", 0)), page()}, urn, platform.EvidenceAbsent, "",
		},
		"taken, but there is another": {
			"Hello",
			[]platformtest.Response{page(listed(urn, "Hello", 0), listed(other, "Hello", 0))},
			urn,
			platform.EvidenceFound, other,
		},
		"nothing": {"Hello", []platformtest.Response{page()}, "", platform.EvidenceAbsent, ""},
		"others": {
			"Hello", []platformtest.Response{page(listed(urn, "Goodbye", 0)), page()}, "", platform.EvidenceAbsent, "",
		},
		"before the window": {
			"Hello", []platformtest.Response{page(listed(urn, "Hello", -time.Hour))}, "", platform.EvidenceAbsent, "",
		},
		"after the window": {
			"Hello", []platformtest.Response{page(listed(urn, "Hello", time.Hour)), page()}, "", platform.EvidenceAbsent, "",
		},
		"same words, other link": {
			"See https://a.example/b",
			[]platformtest.Response{page(listed(urn, "See https://lnkd.in/xyz", 0)), page()},
			"",
			platform.EvidenceUnclear, "",
		},
		"cut": {
			long, []platformtest.Response{page(listed(urn, long[:100], 0)), page()}, "", platform.EvidenceUnclear, "",
		},
		"not out yet": {
			"Hello", []platformtest.Response{page(processing), page()}, "", platform.EvidenceUnclear, "",
		},
		"hostile name": {
			"Hello",
			[]platformtest.Response{page(listed("urn:li:share:7/..", "Hello", 0)), page()},
			"",
			platform.EvidenceUnclear, "",
		},
		"without a time": {
			"Hello",
			[]platformtest.Response{page(`{"id":"urn:li:share:7","commentary":"Hello"}`)},
			"", platform.EvidenceUnclear,
			"",
		},
		"endless": {
			"Hello", []platformtest.Response{page(listed(urn, "Other", 0))}, "", platform.EvidenceUnclear, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{listCall: test.pages})
			evidence, publication, err := b.page.Reconcile(t.Context(), b.firm, b.content, platform.Sent{
				Text: test.text, At: now(), Taken: func(id string) bool { return id == test.taken },
			})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.Equal(t, test.id, publication.ExternalID)
			request := b.script.Requests()[0]
			require.Equal(t, "FINDER", request.Header.Get("X-RestLi-Method"))
			require.Equal(t, "202609", request.Header.Get("LinkedIn-Version"))
			require.Equal(t, "author", request.Query.Get("q"))
			require.Equal(t, "urn:li:organization:1234", request.Query.Get("author"))
			require.Equal(t, "CREATED", request.Query.Get("sortBy"))
			require.Equal(t, "0", request.Query.Get("start"))
			if len(b.script.Requests()) > 1 {
				require.Equal(t, "10", b.script.Requests()[1].Query.Get("start"))
			}
		})
	}
}

func TestProfileReconcileIsUnclear(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	evidence, publication, err := b.profile.Reconcile(t.Context(), b.member, b.content,
		platform.Sent{Text: "Hello", At: now()})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceUnclear, evidence)
	require.Equal(t, platform.Publication{}, publication)
	require.Empty(t, b.script.Requests())
}

func TestReconcileFailures(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"down":        {platformtest.Response{Status: 503}, platform.ClassTransient, post.ErrorPlatformDown},
		"a page":      {platformtest.Response{Body: "<html>"}, platform.ClassTransient, post.ErrorPlatformDown},
		"no elements": {platformtest.Response{Body: "{}"}, platform.ClassTransient, post.ErrorPlatformDown},
		"expired":     {platformtest.Response{Status: 401, Body: "{}"}, platform.ClassRefresh, "TOKEN_EXPIRED"},
		"limited":     {platformtest.Response{Status: 429, Body: "{}"}, platform.ClassRateLimited, post.ErrorRateLimited},
		"role or scope missing": {
			platformtest.Response{Status: 403, Body: `{"code":"ACCESS_DENIED","status":403}`},
			platform.ClassUser,
			platform.CodeReadRefused,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{listCall: {test.response}})
			evidence, _, err := b.page.Reconcile(t.Context(), b.firm, b.content, platform.Sent{Text: "Hello", At: now()})
			require.Equal(t, platform.EvidenceUnclear, evidence)
			require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
			require.Equal(t, test.code, platformtest.Failure(t, err).Code)
		})
	}

	b := setup(t, nil)
	b.firm.ExternalID = ""
	_, _, err := b.page.Reconcile(t.Context(), b.firm, b.content, platform.Sent{})
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}
