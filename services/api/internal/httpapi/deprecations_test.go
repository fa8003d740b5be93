package httpapi_test

import (
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/shared/domain/channel"
)

const deprecationLink = `<` + baseURL + `/docs/guides/deprecation>; rel="deprecation"; type="text/html"`

// TestDeprecatedPartsAreAnnounced declares an operation, a parameter and members as deprecated, and sends requests with and
// without them.
func TestDeprecatedPartsAreAnnounced(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	sunset := time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)
	b := setup(t, func(cfg *httpapi.Config) {
		httpapi.DeprecateOperation(cfg, "get-workspace", "", since, sunset, "Use `GET /v1/tenant`.")
		httpapi.DeprecateOperation(cfg, "list-posts", "label", since, sunset, "")
		httpapi.DeprecateOperation(cfg, "list-posts", "q", since, sunset.AddDate(0, 0, -30), "")
		httpapi.DeprecateMember(cfg, "CreatePosts", "title", since, time.Time{})
		httpapi.DeprecateMember(cfg, "Channel", "avatar", since, sunset)
	})
	const day, earlier = "Tue, 01 Jun 2027 00:00:00 GMT", "Sun, 02 May 2027 00:00:00 GMT"
	body := `"channelIds":["` + b.ours.channel.String() + `"],"content":"x"`
	for name, c := range map[string]struct {
		response response
		sunset   string
		none     bool
	}{
		"operation":                     {response: b.get(t, "/v1/workspace"), sunset: day},
		"operation, refused":            {response: b.do(t, request{method: http.MethodGet, path: "/v1/workspace"}), sunset: day},
		"parameter":                     {response: b.get(t, "/v1/posts?label=x"), sunset: day},
		"two parameters: the first end": {response: b.get(t, "/v1/posts?label=x&q=y"), sunset: earlier},
		"without the parameter":         {response: b.get(t, "/v1/posts?limit=1"), none: true},
		"member of a body":              {response: b.post(t, "/v1/posts", `{`+body+`,"title":"x"}`)},
		"member of a body with a fault": {response: b.post(t, "/v1/posts", `{`+body+`,"title":1}`)},
		"without the member":            {response: b.post(t, "/v1/posts", `{`+body+`}`), none: true},
		"malformed body":                {response: b.post(t, "/v1/posts", `{`), none: true},
		"another operation":             {response: b.get(t, "/v1/webhooks"), none: true},
		"member of a response":          {response: b.get(t, "/v1/channels/"+b.ours.channel.String()), sunset: day},
	} {
		header := c.response.header
		if c.none {
			require.Empty(t, header.Get("Deprecation"), name)
			require.Empty(t, header.Get("Sunset"), name)
			require.Empty(t, header.Get("Link"), name)
			continue
		}
		require.Equal(t, "@1767323045", header.Get("Deprecation"), name)
		require.Equal(t, c.sunset, header.Get("Sunset"), name)
		require.Equal(t, deprecationLink, header.Get("Link"), name)
	}

	var document struct {
		Paths map[string]map[string]struct {
			Deprecated  bool
			Description string
			Sunset      string `json:"x-sunset"` //nolint:tagliatelle // an extension of OpenAPI
		}
	}
	b.get(t, "/v1/openapi.json").into(t, &document)
	operation := document.Paths["/v1/workspace"]["get"]
	require.True(t, operation.Deprecated)
	require.Equal(t, "2027-06-01", operation.Sunset)
	require.Contains(t, operation.Description, "Use `GET /v1/tenant`.")
	page := b.get(t, "/docs/reference/get-workspace").body
	require.Contains(t, page, "<strong>Deprecated.</strong> The operation ends on 2027-06-01.")
	require.Contains(t, page, "Use <code>GET /v1/tenant</code>.")
	require.Contains(t, b.get(t, "/docs/reference/list-posts").body, `<span class="badge warn">deprecated, ends on 2027-05-02</span>`)
	require.Contains(t, b.get(t, "/docs/reference/create-posts").body, `<code class="name">title</code> <span class="kind">string or null</span> <span class="badge warn">deprecated</span>`)
}

// TestDeprecatedNow checks what is deprecated today, and that docs/reference/deprecation.md lists it.
func TestDeprecatedNow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	of, id := b.on(t, "/v1/posts/tiktok")
	require.Equal(t, channel.TikTokBusiness, of.types[0])
	old := b.post(t, of.path, of.body(t, id, map[string]any{"privacyLevel": "SELF_ONLY"}))
	require.Equal(t, http.StatusCreated, old.status, old.body)
	require.Equal(t, "@1795305600", old.header.Get("Deprecation"))
	require.Empty(t, old.header.Get("Sunset"), "no end is set")
	require.Equal(t, deprecationLink, old.header.Get("Link"))
	require.Empty(t, b.post(t, of.path, of.body(t, id, nil)).header.Get("Deprecation"))
	page, err := os.ReadFile("../../../../docs/reference/deprecation.md")
	require.NoError(t, err)
	for _, name := range httpapi.DeprecatedNames() {
		require.Contains(t, string(page), "`"+name+"`")
	}
}

// TestUnknownDeprecationsAreRefused checks that a declaration cannot be misspelt.
func TestUnknownDeprecationsAreRefused(t *testing.T) {
	t.Parallel()
	for _, declare := range []func(*httpapi.Config){
		func(cfg *httpapi.Config) {
			httpapi.DeprecateOperation(cfg, "get-workspaces", "", time.Now(), time.Now(), "")
		},
		func(cfg *httpapi.Config) {
			httpapi.DeprecateOperation(cfg, "list-posts", "lable", time.Now(), time.Now(), "")
		},
		func(cfg *httpapi.Config) {
			httpapi.DeprecateMember(cfg, "CreatePosts", "titel", time.Now(), time.Now())
		},
		func(cfg *httpapi.Config) { httpapi.DeprecateMember(cfg, "NoSchema", "title", time.Now(), time.Now()) },
	} {
		b := world(t)
		b.registry, b.logs = prometheus.NewRegistry(), &logLines{}
		cfg := b.config(t)
		declare(&cfg)
		_, err := httpapi.New(cfg)
		require.ErrorContains(t, err, "concerns no operation")
	}
}
