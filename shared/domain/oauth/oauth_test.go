package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/kernel/ident"
)

const (
	issuer = "https://api.example.com"
	tools  = "https://mcp.example.com/mcp"
)

func rules() oauth.Rules { return oauth.Rules{Resources: []string{issuer, tools}} }

func codeOf(t *testing.T, err error) oauth.ErrorCode {
	t.Helper()
	if err == nil {
		return ""
	}
	var refused *oauth.Error
	require.ErrorAs(t, err, &refused)
	require.NotEmpty(t, refused.Description)
	require.False(t, strings.ContainsFunc(refused.Description,
		func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }), refused.Description)
	return refused.Code
}

func TestRegistrableRedirectURIs(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"https://app.example.com/cb", "https://app.example.com", "https://app.example.com:8443/cb?x=1", "http://127.0.0.1/cb",
		"http://127.0.0.1:33418/",
		"http://[::1]:8080/cb", "http://localhost:6274/oauth/callback",
	} {
		require.NoError(t, oauth.CheckRedirectURI(good), good)
	}
	for _, bad := range []string{
		"", "/cb", "app.example.com/cb", "http://app.example.com/cb", "javascript:alert(1)", "data:text/html,x",
		"cursor://cb", "https:app.example.com",
		"https:///cb", "https://a.example.com/cb#x", "https://a.example.com/cb#", "https://user@a.example.com/cb",
		"https://*.example.com/cb", "https://a.example.com/c b",
		"https://a.example.com\\@evil.test/", "https://a.example.com/\r\nSet-Cookie: a=b", "http://localhost.evil.test/cb",
		"http://127.0.0.1.evil.test/", "http://10.0.0.1/cb",
		"https://a.example.com/ü", "https://a;script-src/cb", "https://a,b.example.com/cb", `https://a"b/cb`,
		"https://<a>/cb", "https://b%C3%BCcher.test/cb",
		"https://a.example.com:/cb", "https://a.example.com:99999/cb", "https://a..b/cb", "https://-a.test/cb",
		"http://[::1%25lo]/cb", "https://[a.test]/cb",
		"https://a.example.com/cb?a;b", "https://a.example.com/cb?%zz", "https://a.example.com/cb?code=x",
		"https://a.example.com/cb?x=1&state=y", "https://a.example.com/" + strings.Repeat("x", 2048),
	} {
		require.Equal(t, oauth.InvalidRedirectURI, codeOf(t, oauth.CheckRedirectURI(bad)), bad)
	}
}

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func verifier() string { return strings.Repeat("verifier-", 6) }

func requested(changes ...string) url.Values {
	v := url.Values{
		"response_type": {"code"}, "client_id": {"c"}, "redirect_uri": {"https://app.example.com/cb"}, "state": {"xyz"},
		"code_challenge": {challenge(verifier())}, "code_challenge_method": {"S256"},
	}
	for _, change := range changes {
		name, value, set := strings.Cut(change, "=")
		switch {
		case !set:
			v.Del(name)
		case strings.HasPrefix(name, "+"):
			v.Add(name[1:], value)
		default:
			v.Set(name, value)
		}
	}
	return v
}

func client(redirects ...string) oauth.Client {
	return oauth.Client{
		ID: "c", Kind: oauth.Registered, RedirectURIs: append(redirects, "https://app.example.com/cb"),
		AuthMethod: oauth.AuthNone,
	}
}

func TestOnlyRegisteredRedirectsAreAllowed(t *testing.T) {
	t.Parallel()
	c := client("http://127.0.0.1/cb", "http://localhost:1234/cb?a=b", "http://[::1]:9/cb")
	for _, good := range []string{
		"https://app.example.com/cb", "http://127.0.0.1/cb", "http://127.0.0.1:51004/cb", "http://localhost:8/cb?a=b",
		"http://[::1]:50000/cb",
	} {
		_, redirect, err := rules().ReadRequest(c, requested("redirect_uri="+good))
		require.NoError(t, err, good)
		require.True(t, redirect)
	}
	for _, bad := range []string{
		"", "https://app.example.com/cb/", "https://app.example.com/cb?", "https://app.example.com/cb?x=1",
		"https://app.example.com/CB", "https://APP.example.com/cb",
		"https://app.example.com:443/cb", "https://user@app.example.com/cb", "https://app.example.com/cb#f",
		"https://x.app.example.com/cb", "https://app.example.com/x/../cb",
		"https://app.example.com.evil.test/cb", "https://evil-app.example.com/cb",
		"https://evil.test/?https://app.example.com/cb", "http://app.example.com/cb",
		"http://127.0.0.1:80/other", "http://127.0.0.2/cb", "http://localhost/cb", "http://localhost:1/cb?a=c",
		"https://127.0.0.1/cb", "http://x@127.0.0.1/cb",
		"http://127.0.0.1:99999999/cb#", "//app.example.com/cb", "/cb", "https://app.example.com/%63b",
	} {
		_, redirect, err := rules().ReadRequest(c, requested("redirect_uri="+bad))
		require.Equal(t, oauth.InvalidRequest, codeOf(t, err), bad)
		require.False(t, redirect, "%s: no redirect", bad)
	}
	_, redirect, err := rules().ReadRequest(c, requested("+redirect_uri=https://app.example.com/cb"))
	require.Equal(t, oauth.InvalidRequest, codeOf(t, err))
	require.False(t, redirect)
}

func TestAuthorizationRequests(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]oauth.ErrorCode{
		"x=1": "", "state": "", "response_mode=query": "", "scope=posts:write links:read": "", "resource=" + tools: "",
		"resource=HTTPS://MCP.EXAMPLE.COM/mcp": "",
		"resource=" + issuer + "/":             "", "response_type": oauth.InvalidRequest,
		"response_type=token":      oauth.UnsupportedResponseType,
		"response_type=code token": oauth.UnsupportedResponseType, "response_mode=fragment": oauth.InvalidRequest,
		"+response_type=code": oauth.InvalidRequest,
		"+state=abc":          oauth.InvalidRequest, "state=a\r\nSet-Cookie: x": oauth.InvalidRequest,
		"state=" + strings.Repeat("x", 2049): oauth.InvalidRequest,
		"code_challenge":                     oauth.InvalidRequest, "code_challenge_method": oauth.InvalidRequest,
		"code_challenge_method=plain":               oauth.InvalidRequest,
		"code_challenge_method=s256":                oauth.InvalidRequest,
		"code_challenge=" + strings.Repeat("a", 42): oauth.InvalidRequest,
		"code_challenge=" + strings.Repeat("a", 44): oauth.InvalidRequest,
		"code_challenge=" + strings.Repeat("+", 43): oauth.InvalidRequest,
		"scope=posts:write admin":                   oauth.InvalidScope, "scope=offline_access": oauth.InvalidScope,
		"scope=POSTS:WRITE":           oauth.InvalidScope,
		"resource=https://other.test": oauth.InvalidTarget, "resource=" + tools + "/": oauth.InvalidTarget,
		"resource=https://mcp.example.com/MCP": oauth.InvalidTarget,
		"resource=" + tools + "#":              oauth.InvalidTarget, "resource=/mcp": oauth.InvalidTarget,
		"resource=https://u@mcp.example.com/mcp": oauth.InvalidTarget,
	} {
		request, redirect, err := rules().ReadRequest(client(), requested(change))
		require.Equal(t, want, codeOf(t, err), change)
		require.True(t, redirect, change)
		require.Equal(t, "https://app.example.com/cb", request.RedirectURI)
		if strings.HasPrefix(change, "state=a") {
			require.Empty(t, request.State)
		}
	}
	_, _, err := rules().ReadRequest(client(), requested("resource="+tools, "+resource="+issuer))
	require.Equal(t, oauth.InvalidTarget, codeOf(t, err))

	request, _, err := rules().ReadRequest(client(), requested())
	require.NoError(t, err)
	require.Equal(t, issuer, request.Resource)
	require.Equal(t, credential.DefaultScopes(), request.Scopes)
	narrow := client()
	narrow.Scopes = []credential.Scope{credential.PostsWrite, credential.LinksRead}
	request, _, err = rules().ReadRequest(narrow, requested())
	require.NoError(t, err)
	require.Equal(t, []credential.Scope{credential.PostsWrite}, request.Scopes)
	_, _, err = rules().ReadRequest(narrow, requested("scope=posts:publish"))
	require.Equal(t, oauth.InvalidScope, codeOf(t, err))
	narrow.Scopes = []credential.Scope{credential.LinksRead}
	_, _, err = rules().ReadRequest(narrow, requested())
	require.Equal(t, oauth.InvalidScope, codeOf(t, err))

	_, err = oauth.ReadClientID(requested("+client_id=d"))
	require.Equal(t, oauth.InvalidRequest, codeOf(t, err))
	_, err = oauth.ReadClientID(requested("client_id"))
	require.Equal(t, oauth.InvalidRequest, codeOf(t, err))
}

func TestResponses(t *testing.T) {
	t.Parallel()
	request := oauth.AuthorizationRequest{RedirectURI: "https://app.example.com/cb?tenant=7", State: "a b&iss=x"}
	u, err := oauth.Response{Code: "c0de"}.RedirectTo(request, issuer)
	require.NoError(t, err)
	require.Equal(t, url.Values{"tenant": {"7"}, "code": {"c0de"}, "state": {"a b&iss=x"}, "iss": {issuer}}, u.Query())
	require.Equal(t, "app.example.com", u.Host)
	u, err = oauth.Response{Error: oauth.Refuse(oauth.AccessDenied, "no")}.RedirectTo(request, issuer)
	require.NoError(t, err)
	require.Equal(t, "access_denied", u.Query().Get("error"))
	require.Equal(t, issuer, u.Query().Get("iss"))
	require.False(t, u.Query().Has("code"))
}

func TestClientMetadata(t *testing.T) {
	t.Parallel()
	const redirects = `"redirect_uris":["https://app.example.com/cb"]`
	for body, want := range map[string]oauth.ErrorCode{
		`{` + redirects + `}`: "",
		`{` + redirects +
			`,"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none"}`: "",
		`{` + redirects +
			`,"kind":"FIRST_PARTY","Kind":"FIRST_PARTY","trusted":true,"logo_uri":"http://127.0.0.1/"}`: "",
		`{` + redirects +
			`,"grant_types":["password"]}`: oauth.InvalidClientMetadata,
		`{` + redirects + `,"grant_types":["authorization_code","urn:ietf:params:oauth:grant-type:device_code"]}`: "",
		`{` + redirects +
			`,"grant_types":["implicit"]}`: oauth.InvalidClientMetadata,
		`{` + redirects +
			`,"response_types":["token"]}`: oauth.InvalidClientMetadata,
		`{` + redirects +
			`,"token_endpoint_auth_method":"private_key_jwt"}`: oauth.InvalidClientMetadata,
		`{` + redirects +
			`,"scope":"admin"}`: oauth.InvalidClientMetadata,
		`{}`: oauth.InvalidRedirectURI,
		`{"redirect_uris":["https://app.example.com/cb","javascript:alert(1)"]}`: oauth.InvalidRedirectURI,
		`{"redirect_uris":[` + strings.Repeat(`"https://a.test/",`,
			500) + `"https://a.test/"]}`: oauth.InvalidRedirectURI,
		`{"redirect_uris":"https://app.example.com/cb"}`: oauth.InvalidClientMetadata,
		`[]`: oauth.InvalidClientMetadata, `<html>`: oauth.InvalidClientMetadata,
		`{"redirect_uris":["` + strings.Repeat("x", oauth.MaxMetadata) + `"]}`: oauth.InvalidClientMetadata,
	} {
		m, err := oauth.ReadMetadata([]byte(body))
		var c oauth.Client
		if err == nil {
			c, err = m.Client(oauth.Registered)
		}
		require.Equal(t, want, codeOf(t, err), body)
		if err == nil {
			require.Equal(t, oauth.Registered, c.Kind)
		}
	}
	m, err := oauth.ReadMetadata([]byte(`{` + redirects + `,"client_name":"  Good\u202eevil\u0000 \n <b>App</b>` +
		strings.Repeat("x", 100) + `","client_uri":"javascript:x","scope":"posts:write nothing posts:write"}`))
	require.NoError(t, err)
	c, err := m.Client(oauth.Registered)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(c.Name, "Goodevil <b>App</b>xxx"))
	require.Len(t, []rune(c.Name), 81)
	require.False(t, strings.ContainsFunc(c.Name, func(r rune) bool { return !unicode.IsPrint(r) }))
	require.Empty(t, c.URI)
	require.Empty(t, c.Scopes, "what it begins with is no bound")
	ours, err := m.Client(oauth.FirstParty)
	require.NoError(t, err)
	require.Equal(t, []credential.Scope{credential.PostsWrite}, ours.Scopes, "the operator's word is")
	require.Equal(t, oauth.AuthBasic, c.AuthMethod, "the default of RFC 7591")
	published, err := m.Client(oauth.Published)
	require.NoError(t, err)
	require.Equal(t, oauth.AuthNone, published.AuthMethod)
	m.TokenEndpointAuthMethod = oauth.AuthPost
	_, err = m.Client(oauth.Published)
	require.Equal(t, oauth.InvalidClientMetadata, codeOf(t, err))
}

func TestMetadataAddresses(t *testing.T) {
	t.Parallel()
	require.False(t, oauth.IsMetadataURL("http://app.example.com/client.json"))
	require.True(t, oauth.IsMetadataURL("https://app.example.com/client.json"))
	require.NoError(t, oauth.CheckMetadataURL("https://app.example.com/client.json"))
	for _, bad := range []string{
		"https://app.example.com", "https://app.example.com/", "https://app.example.com/x#y", "https://app.example.com/x#",
		"https://u@app.example.com/x", "https:///x",
		"https://app.example.com/a/../b", "https://app.example.com/./b", "https://app.example.com/ x",
		"https://app.example.com/\\x", "https://app.example.com/%zz",
		"https://app.example.com/a/%2e%2e/b", "https://93.184.216.34/x", "https://[2606:4700::1]/x", "https://localhost/x",
		"https://2130706433/x", "https://a;b.test/x",
	} {
		require.Equal(t, oauth.InvalidClient, codeOf(t, oauth.CheckMetadataURL(bad)), bad)
	}
}

func TestClientDisplayName(t *testing.T) {
	t.Parallel()
	c := oauth.Client{
		ID: "https://app.example.com/client.json", Kind: oauth.Published, RedirectURIs: []string{"http://localhost/cb"},
	}
	require.Equal(t, "app.example.com", c.Host())
	require.Equal(t, "app.example.com", c.Title())
	c = client()
	c.Name = "Planner"
	require.Equal(t, "Planner", c.Title())
	require.Equal(t, "app.example.com", c.Host())
	c.RedirectURIs = append(c.RedirectURIs, "https://evil.test/cb", "https://evil.test/cb2", "http://127.0.0.1/cb")
	require.Equal(t, "app.example.com, evil.test, 127.0.0.1", c.Host(), "every host is shown")
	for i := range 20 {
		c.RedirectURIs = append(c.RedirectURIs, fmt.Sprintf("https://%d.%s.test/cb", i, strings.Repeat("x", 60)))
	}
	c.Name = ""
	require.Len(t, []rune(c.Title()), 81, "there is not room for all of them everywhere")
	require.Equal(t, "c", oauth.Client{ID: "c"}.Host())
	for redirect, want := range map[string]string{
		"https://evil.test/cb": "evil.test", "http://[::1]:9/cb": "::1", "http://localhost:1/cb": "localhost", "%": "",
	} {
		request := oauth.AuthorizationRequest{RedirectURI: redirect}
		require.Equal(t, want, request.Host())
		require.Equal(t, strings.HasPrefix(redirect, "http:"), request.Local(), redirect)
	}
}

func TestClientSecrets(t *testing.T) {
	t.Parallel()
	require.True(t, client().Proven(""))
	require.False(t, client().Proven("x"))
	secret := credential.ClientSecret.New()
	sum, err := credential.ClientSecret.Hash(secret)
	require.NoError(t, err)
	c := oauth.Client{AuthMethod: oauth.AuthBasic, SecretHash: sum[:]}
	require.True(t, c.Proven(secret))
	for _, wrong := range []string{"", "x", credential.ClientSecret.New(), string(sum[:])} {
		require.False(t, c.Proven(wrong))
	}
	require.False(t, oauth.Client{AuthMethod: oauth.AuthPost}.Proven(""))
	now := time.Now()
	require.False(t, oauth.Client{}.Expired(now))
	require.True(t, oauth.Client{ExpiresAt: now}.Expired(now))
}

func TestChallenges(t *testing.T) {
	t.Parallel()
	// RFC 7636, appendix B.
	require.True(t, oauth.VerifyChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
		"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
	for _, wrong := range []string{
		"", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXl", strings.Repeat("a", 42), strings.Repeat("a", 129),
		strings.Repeat("ü", 43), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
	} {
		require.False(t, oauth.VerifyChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", wrong), wrong)
	}
	for _, odd := range []string{strings.Repeat("a", 42), strings.Repeat("a", 129), strings.Repeat("a", 42) + "+"} {
		require.False(t, oauth.VerifyChallenge(challenge(odd), odd), "outside of the form of RFC 7636")
	}
}

func TestCodesAreRedeemedOnce(t *testing.T) {
	t.Parallel()
	now := time.Now()
	good := oauth.Code{
		Grant: oauth.Grant{ID: ident.New[ident.Grant](), ClientID: "c"}, RedirectURI: "https://app.example.com/cb",
		Challenge: challenge(verifier()), ExpiresAt: now.Add(time.Second),
	}
	for name, tc := range map[string]struct {
		change func(*oauth.Code, *oauth.Client)
		uri    string
		proof  string
		want   oauth.ErrorCode
		revoke bool
	}{
		"good":         {},
		"other client": {change: func(_ *oauth.Code, c *oauth.Client) { c.ID = "d" }, want: oauth.InvalidGrant},
		"expired":      {change: func(c *oauth.Code, _ *oauth.Client) { c.ExpiresAt = now }, want: oauth.InvalidGrant},
		"used": {
			change: func(c *oauth.Code, _ *oauth.Client) { c.UsedAt = now.Add(-time.Minute) }, want: oauth.InvalidGrant,
			revoke: true,
		},
		"revoked": {
			change: func(c *oauth.Code, _ *oauth.Client) { c.Grant.RevokedAt = now }, want: oauth.InvalidGrant,
		},
		"other redirect": {uri: "https://app.example.com/cb2", want: oauth.InvalidGrant},
		"wrong verifier": {proof: strings.Repeat("x", 50), want: oauth.InvalidGrant},
		"no verifier":    {proof: "-", want: oauth.InvalidGrant},
		"used by another": {
			change: func(c *oauth.Code, by *oauth.Client) { c.UsedAt, by.ID = now, "d" }, want: oauth.InvalidGrant,
		},
	} {
		code, by, uri, proof := good, client(), good.RedirectURI, verifier()
		if tc.change != nil {
			tc.change(&code, &by)
		}
		if tc.uri != "" {
			uri = tc.uri
		}
		if tc.proof != "" {
			proof = strings.TrimPrefix(tc.proof, "-")
		}
		revoke, err := code.Redeem(by, uri, proof, now)
		require.Equal(t, tc.want, codeOf(t, err), name)
		require.Equal(t, tc.revoke, revoke, name)
	}
}

func TestRefreshTokensRotate(t *testing.T) {
	t.Parallel()
	now := time.Now()
	fresh := oauth.Refresh{Grant: oauth.Grant{ClientID: "c"}, ExpiresAt: now.Add(time.Hour)}
	used := func(ago time.Duration, successorUsed bool) oauth.Refresh {
		r := fresh
		r.UsedAt, r.SuccessorUsed = now.Add(-ago), successorUsed
		return r
	}
	ended := fresh
	ended.Grant.RevokedAt = now
	require.Equal(t, oauth.Rotated, fresh.Present(client(), now))
	require.Equal(t, oauth.Refused, fresh.Present(oauth.Client{ID: "d"}, now))
	require.Equal(t, oauth.Refused, fresh.Present(client(), now.Add(time.Hour)))
	require.Equal(t, oauth.Refused, ended.Present(client(), now))
	require.Equal(t, oauth.Repeated, used(29*time.Second, false).Present(client(), now))
	require.Equal(t, oauth.Stolen, used(30*time.Second, false).Present(client(), now))
	require.Equal(t, oauth.Stolen, used(time.Second, true).Present(client(), now))
	require.Equal(t, oauth.Refused, used(time.Second, true).Present(oauth.Client{ID: "d"}, now),
		"another client ends nothing")
}

func TestGrantsAreNeverWidened(t *testing.T) {
	t.Parallel()
	g := oauth.Grant{Scopes: []credential.Scope{credential.PostsWrite, credential.PostsPublish}, Resource: tools}
	scopes, err := g.Narrow("")
	require.NoError(t, err)
	require.Equal(t, g.Scopes, scopes)
	scopes, err = g.Narrow("posts:write")
	require.NoError(t, err)
	require.Equal(t, []credential.Scope{credential.PostsWrite}, scopes)
	_, err = g.Narrow("posts:write media:write")
	require.Equal(t, oauth.InvalidScope, codeOf(t, err))
	require.NoError(t, g.For(rules(), nil))
	require.NoError(t, g.For(rules(), []string{tools}))
	require.Equal(t, oauth.InvalidTarget, codeOf(t, g.For(rules(), []string{issuer})))
	require.Equal(t, oauth.InvalidTarget, codeOf(t, g.For(rules(), []string{"https://other.test"})))
	now := time.Now()
	a := oauth.Access{Grant: g, Scopes: scopes, ExpiresAt: now.Add(time.Second)}
	require.True(t, a.Valid(now))
	require.False(t, a.Valid(now.Add(time.Second)))
	require.True(t, a.Allows(credential.PostsWrite))
	require.False(t, a.Allows(credential.PostsPublish))
	a.Grant.RevokedAt = now
	require.False(t, a.Valid(now))
}

func TestMetadataMatchesServer(t *testing.T) {
	t.Parallel()
	m := oauth.Metadata(issuer, "", []string{issuer, tools})
	require.Equal(t, issuer, m.Issuer)
	require.Equal(t, credential.Scopes(), m.ScopesSupported)
	require.Equal(t, []string{"S256"}, m.ChallengeMethods)
	for _, endpoint := range []string{
		m.AuthorizationEndpoint, m.TokenEndpoint, m.RevocationEndpoint, m.IntrospectionEndpoint, m.RegistrationEndpoint,
		m.DeviceEndpoint,
	} {
		require.True(t, strings.HasPrefix(endpoint, issuer+"/oauth/"), endpoint)
	}
	r := oauth.ProtectedResource(tools, "Tools", issuer, credential.Scopes())
	require.Equal(t, tools, r.Resource)
	require.NotContains(t, fmt.Sprint(r.ScopesSupported), "offline_access")
}

func TestErrorDescriptionsAreSanitized(t *testing.T) {
	t.Parallel()
	err := oauth.Refuse(oauth.InvalidScope, "no \"%s\"\r\n\\ü", "x")
	require.Equal(t, "no 'x'????", err.Description)
	require.Equal(t, "invalid_scope: no 'x'????", err.Error())
}

func FuzzReadRequest(f *testing.F) {
	f.Add("https://app.example.com/cb", "xyz", "posts:write", tools)
	f.Add("http://127.0.0.1:1/cb", "", "", "")
	f.Fuzz(func(t *testing.T, redirectURI, state, scope, resource string) {
		request, redirect, err := rules().ReadRequest(client("http://127.0.0.1/cb"),
			requested("redirect_uri="+redirectURI, "state="+state, "scope="+scope, "resource="+resource))
		if !redirect {
			require.Error(t, err)
			return
		}
		u, err := url.Parse(request.RedirectURI)
		require.NoError(t, err)
		require.Contains(t, []string{"app.example.com", "127.0.0.1"}, u.Hostname())
		response, err := oauth.Response{Code: "c"}.RedirectTo(request, issuer)
		require.NoError(t, err)
		require.NotContains(t, response.String(), "\n")
		require.Equal(t, u.Host, response.Host)
	})
}
