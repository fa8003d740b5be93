package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/egress"
)

// TestMetadataIgnoresHostHeader checks that the metadata (RFC 8414) is accurate and does not depend on the Host
// header.
func TestMetadataIgnoresHostHeader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	honest := b.do(t, request{method: http.MethodGet, path: oauth.PathMetadata})
	spoofed := b.raw(t, "GET "+oauth.PathMetadata+
		" HTTP/1.1\r\nHost: evil.test\r\nX-Forwarded-Host: evil.test\r\nX-Forwarded-Proto: http\r\nForwarded: "+
		"host=evil.test\r\n\r\n")
	require.Equal(t, http.StatusOK, honest.status)
	require.Equal(t, honest.body, spoofed.body)
	require.Equal(t, "*", honest.header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "application/json", honest.header.Get("Content-Type"))
	reported := decoded(t, honest)
	require.Equal(t, baseURL, reported["issuer"], "no slash at its end")
	require.Equal(t, []any{"S256"}, reported["code_challenge_methods_supported"])
	require.Equal(t, []any{"code"}, reported["response_types_supported"])
	require.Equal(t, []any{"authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"}, reported["grant_types_supported"])
	require.Equal(t, []any{"none", "client_secret_basic", "client_secret_post"},
		reported["token_endpoint_auth_methods_supported"])
	require.Equal(t, true, reported["authorization_response_iss_parameter_supported"])
	require.Equal(t, true, reported["client_id_metadata_document_supported"])
	for name, value := range reported {
		if address, ok := value.(string); ok && strings.HasSuffix(name, "_endpoint") {
			require.True(t, strings.HasPrefix(address, baseURL+"/"), name)
			got := b.do(t, request{method: http.MethodOptions, path: strings.TrimPrefix(address, baseURL)})
			require.NotEqual(t, http.StatusNotFound, got.status, name)
		}
	}
	for _, path := range []string{
		"/.well-known/openid-configuration", oauth.PathMetadata + "/", "/.well-known/oauth-authorization-server/mcp",
	} {
		require.Equal(t, http.StatusNotFound, b.do(t, request{method: http.MethodGet, path: path}).status, path)
	}
}

// TestMetadataScopesMatchOperations compares the scopes of the metadata with those of the operations.
func TestMetadataScopesMatchOperations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var document struct {
		Paths map[string]map[string]struct {
			Security []map[string][]credential.Scope `json:"security"`
		} `json:"paths"`
	}
	b.do(t, request{method: http.MethodGet, path: "/v1/openapi.json"}).into(t, &document)
	var enforced []credential.Scope
	for _, item := range document.Paths {
		for _, operation := range item {
			for _, requirement := range operation.Security {
				enforced = append(enforced, requirement["bearer"]...)
			}
		}
	}
	slices.Sort(enforced)
	var reported oauth.ServerMetadata
	b.do(t, request{method: http.MethodGet, path: oauth.PathMetadata}).into(t, &reported)
	require.ElementsMatch(t, slices.Compact(enforced), reported.ScopesSupported)
}

// TestInvalidClientMetadata covers invalid client metadata (RFC 7591, section 3.2.2).
func TestInvalidClientMetadata(t *testing.T) {
	t.Parallel()
	b := setup(t)
	with := func(uri string) string { return `{"redirect_uris":[` + encode(t, uri) + `]}` }
	send := func(body string) response {
		return b.do(t, request{method: http.MethodPost, path: "/oauth/register", contentType: "application/json", body: body})
	}
	for body, want := range map[string]string{
		`{}`: "invalid_redirect_uri", with("javascript:alert(1)"): "invalid_redirect_uri",
		with("data:text/html,x"): "invalid_redirect_uri", with("cursor://cb"): "invalid_redirect_uri",
		with(callback + "#x"): "invalid_redirect_uri", with("https://*.example.net/cb"): "invalid_redirect_uri",
		with("http://planner.example.net/cb"):      "invalid_redirect_uri",
		with("https://ada@planner.example.net/cb"): "invalid_redirect_uri",
		with("https://a;script-src.test/cb"):       "invalid_redirect_uri",
		with("https://a,b.test/cb"):                "invalid_redirect_uri",
		with(`https://a"b.test/cb`):                "invalid_redirect_uri",
		with("https://b%C3%BCcher.test/cb"):        "invalid_redirect_uri",
		with("https://<a>/cb"):                     "invalid_redirect_uri",
		with("https://a.test:99999/cb"):            "invalid_redirect_uri",
		with("https://a.test/cb?x=%zz"):            "invalid_redirect_uri",
		with("https://a.test/cb?state=x"):          "invalid_redirect_uri",
		`{"redirect_uris":[` + strings.Repeat(`"`+callback+`",`, 499) + `"` + callback + `"]}`:  "invalid_redirect_uri",
		`{"redirect_uris":["` + callback + `"],"grant_types":["password"]}`:                     "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"grant_types":["client_credentials"]}`:           "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"response_types":["token"]}`:                     "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"tls_client_auth"}`: "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"scope":"admin"}`:                                "invalid_client_metadata",
		`{"redirect_uris":"` + callback + `"}`:                                                  "invalid_client_metadata",
		`[]`:                                                                                    "invalid_client_metadata",
		`<x>`:                                                                                   "invalid_client_metadata",
	} {
		requireRefused(t, send(body), want)
	}
	require.Equal(t, http.StatusRequestEntityTooLarge, send(`{"client_name":"`+strings.Repeat("x", 1<<20)+`"}`).status)
	require.Zero(t, b.count(t, "oauth_client"))
}

// TestCompressedBodiesAreRefused checks that compressed bodies are rejected, because a small one could fill the memory.
func TestCompressedBodiesAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write(bytes.Repeat([]byte(" "), 8<<20))
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	for path, contentType := range map[string]string{
		oauth.PathToken: "application/x-www-form-urlencoded", oauth.PathRevoke: "application/x-www-form-urlencoded",
		oauth.PathIntrospect: "application/x-www-form-urlencoded",
		oauth.PathRegister:   "application/json",
	} {
		for _, encoding := range []string{"gzip", "identity, gzip", "br", "deflate"} {
			got := b.do(t, request{
				method: http.MethodPost, path: path, contentType: contentType,
				header: map[string]string{"Content-Encoding": encoding}, body: packed.String(),
			})
			requireProblem(t, got, http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
		}
	}
	id := b.publicClient(t)
	got := b.do(t, request{
		method: http.MethodPost, path: oauth.PathToken, contentType: "application/x-www-form-urlencoded; charset=UTF-8",
		header: map[string]string{"Content-Encoding": "identity"},
		body:   "grant_type=refresh_token&client_id=" + id,
	})
	requireRefused(t, got, "invalid_grant")
}

// TestRegistrationCannotSetTrust checks that registration ignores fields reserved for the operator, ids and secrets.
func TestRegistrationCannotSetTrust(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := b.do(t, request{
		method: http.MethodPost, path: "/oauth/register", contentType: "application/json",
		body: `{"redirect_uris":["` + callback + `"],
		"kind":"FIRST_PARTY","Kind":"FIRST_PARTY","trusted":true,"first_party":true,"client_id":"https://claude.example/client.json","client_secret":"mine","expires_at":null,
		"scope":"posts:write nonsense","client_name":"A \u202eevil\u0000 name","client_uri":"javascript:alert(1)","logo_uri":"http://127.0.0.1/x"}`,
	})
	require.Equal(t, http.StatusCreated, got.status, got.body)
	require.Equal(t, "no-store", got.header.Get("Cache-Control"))
	created := decoded(t, got)
	require.NotEqual(t, "https://claude.example/client.json", created["client_id"])
	require.NotEqual(t, "mine", created["client_secret"])
	require.NotContains(t, created, "scope", "what it begins with is no bound for what people may allow it later")
	require.Equal(t, "A evil name", created["client_name"])
	require.NotContains(t, created, "client_uri")
	require.NotContains(t, created, "logo_uri")
	require.Contains(t, created, "client_id_issued_at")
	require.Equal(t, []string{"REGISTERED"}, b.column(t,
		`SELECT kind FROM oauth_client WHERE expires_at > now() + interval '89 days'`))
}

// TestRegistrationsAreLimitedPerNetwork checks that registrations are limited per address, and per customer network for IPv6.
func TestRegistrationsAreLimitedPerNetwork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	send := func(from string) int {
		return b.do(t, request{
			method: http.MethodPost, path: "/oauth/register", contentType: "application/json",
			header: map[string]string{"X-Forwarded-For": from}, body: `{}`,
		}).status
	}
	require.Equal(t, http.StatusBadRequest, send("2001:db8::1"))
	require.Equal(t, []string{"register:2001:db8::/64"},
		b.column(t, `SELECT subject FROM rate_bucket WHERE subject LIKE 'register:%'`))
}

// documents is a fake network with the addresses of published clients.
type documents map[string]*egress.Response

func (d documents) Do(_ context.Context, r egress.Request) (*egress.Response, error) {
	if page := d[r.URL]; page != nil {
		return page, nil
	}
	return nil, &egress.Error{Class: egress.ClassDNS}
}

func (d documents) put(address, redirect string) {
	d[address] = &egress.Response{
		Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: []byte(`{"client_id":"` + address + `","client_name":"Agent","redirect_uris":["` + redirect +
			`"],"logo_uri":"http://127.0.0.1/logo"}`),
	}
}

// publishing returns a server that reads the documents.
func publishing(t *testing.T, d documents) (*bundle, func(time.Duration)) {
	t.Helper()
	b, clk := at(t, sunday())
	return b.twin(t, func(c *httpapi.Config) {
		server, err := authserver.New(authserver.Config{
			DB: b.db, Keyring: b.keyring, Issuer: baseURL, Resources: []string{baseURL, toolsURL}, Fetch: d, Clock: b.clock,
			Logger: slog.New(slog.DiscardHandler),
		})
		require.NoError(t, err)
		c.Authorizations = server
	}), func(d time.Duration) { clk.Advance(d) }
}

// TestClientIDMetadataDocument covers Client ID Metadata Documents. The client keeps working while its address is
// unavailable for a while.
func TestClientIDMetadataDocument(t *testing.T) {
	t.Parallel()
	const address = "https://agent.example.net/client.json"
	d := documents{}
	b, advance := publishing(t, d)
	d.put(address, callback)
	access, refresh := b.pair(t, address)
	require.True(t, b.serves(t, access))
	require.Equal(t, http.StatusBadRequest, b.authorize(t,
		authorizeQuery(address, "redirect_uri=https://evil.test/cb")).status)

	d.put(address, "https://moved.example.net/cb")
	require.Equal(t, appURL, origin(b.authorize(t, authorizeQuery(address)).target(t)), "fresh for five minutes at least")
	advance(5 * time.Minute)
	require.Equal(t, http.StatusBadRequest, b.authorize(t, authorizeQuery(address)).status,
		"the redirect is no more the client's")
	delete(d, address)
	advance(time.Hour)
	require.Equal(t, http.StatusBadRequest, b.authorize(t, authorizeQuery(address)).status)
	_, refresh = pairOf(t, b.refresh(t, address, refresh))
	require.Equal(t, http.StatusOK, b.posts(t, "/oauth/revoke",
		url.Values{"client_id": {address}, "token": {refresh}}).status)
	requireRefused(t, b.refresh(t, address, refresh), "invalid_grant")
}

// TestInvalidClientDocuments checks that invalid documents are rejected before the user is involved.
func TestInvalidClientDocuments(t *testing.T) {
	t.Parallel()
	d := documents{}
	b, _ := publishing(t, d)
	spoil := map[string]func(*egress.Response){
		"moved":     func(r *egress.Response) { r.Status = http.StatusFound },
		"missing":   func(r *egress.Response) { r.Status = http.StatusNotFound },
		"html":      func(r *egress.Response) { r.Header.Set("Content-Type", "text/html") },
		"long":      func(r *egress.Response) { r.Truncated = true },
		"broken":    func(r *egress.Response) { r.Body = r.Body[:20] },
		"another's": func(r *egress.Response) { r.Body = []byte(strings.Replace(string(r.Body), "agent", "other", 1)) },
		"secret": func(r *egress.Response) {
			r.Body = []byte(strings.Replace(string(r.Body), "{", `{"token_endpoint_auth_method":"client_secret_post",`, 1))
		},
	}
	for name, change := range spoil {
		address := "https://agent.example.net/" + name
		d.put(address, callback)
		change(d[address])
		require.Equal(t, http.StatusBadRequest, b.authorize(t, authorizeQuery(address)).status, name)
	}
	address := "https://93.184.216.34/client.json"
	d.put(address, callback)
	require.Equal(t, http.StatusBadRequest, b.authorize(t, authorizeQuery(address)).status,
		"a numeric address identifies no operator")
	require.Zero(t, b.count(t, "oauth_client"))
}

// TestTokenEndpointFetchesNoDocuments checks it because any caller could use any address as client_id.
func TestTokenEndpointFetchesNoDocuments(t *testing.T) {
	t.Parallel()
	d := documents{}
	b, _ := publishing(t, d)
	d.put("https://agent.example.net/client.json", callback)
	for _, path := range []string{"/oauth/token", "/oauth/revoke", "/oauth/introspect"} {
		got := b.form(t, path, nil, "grant_type", "refresh_token", "client_id", "https://agent.example.net/client.json",
			"token", "x")
		require.Equal(t, "invalid_client", decoded(t, got)["error"], path)
	}
	require.Zero(t, b.count(t, "oauth_client"))
}
