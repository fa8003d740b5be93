// Package pds_test holds the Bluesky connector against the reference server (tools/bluesky.sh starts it).
package pds_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/connectors/bluesky"
	"fencepost.internal/shared/platform/platformtest"
)

// server is the running reference server with its accounts.
type server struct {
	URL      string `json:"url"`
	Sessions []struct {
		DID     string `json:"did"`
		Handle  string `json:"handle"`
		Access  string `json:"accessJwt"`
		Refresh string `json:"refreshJwt"`
	} `json:"sessions"`
}

// bench is the connector with an account, and a proxy that can lose responses.
type bench struct {
	server

	proxy     *proxy
	config    bluesky.Config
	connector *bluesky.Connector
	account   platform.Account
	content   platform.Content
}

func setup(t *testing.T) *bench {
	t.Helper()
	raw, err := os.ReadFile(os.Getenv("PDS_JSON"))
	require.NoError(t, err, "run it with: make check-bluesky")
	b := &bench{}
	require.NoError(t, json.Unmarshal(raw, &b.server))
	require.Len(t, b.Sessions, 2)
	b.proxy = newProxy(t, b.URL)
	b.config = bluesky.Config{Wire: connectors.Config{BaseURL: b.proxy.server.URL, Clock: clock.System()}}
	b.restart(t)
	own := b.Sessions[0]
	b.account = platform.Account{
		Type: channel.Bluesky, ExternalID: own.DID, Username: own.Handle,
		Credentials: channel.Credentials{AccessToken: own.Access, RefreshToken: own.Refresh},
	}
	b.content = platform.Content{PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: "Hello from " + t.Name()}
	return b
}

// restart replaces the connector by a new one, as a restart of the process does.
func (b *bench) restart(t *testing.T) {
	t.Helper()
	var err error
	b.connector, err = bluesky.New(b.config)
	require.NoError(t, err)
}

func (b *bench) carry(t *testing.T, attachments ...platformtest.Attachment) {
	t.Helper()
	b.content.Files = platformtest.Files(t, attachments...)
	for i, a := range attachments {
		a.Asset.AltText = fmt.Sprintf("Picture %d: ‘ä’ 🌍", i+1)
		b.content.Media = append(b.content.Media, a.Asset)
	}
}

// prepare prepares the post, with a new connector for each step.
func (b *bench) prepare(t *testing.T) (handle platform.Handle, steps int) {
	t.Helper()
	for steps = 1; steps < 20; steps++ {
		b.restart(t)
		ready, err := b.connector.Prepare(t.Context(), b.account, b.content, handle)
		if err != nil {
			require.Equal(t, platform.ClassTransient, platform.FailureOf(err).Class, "%v", err)
			continue
		}
		if handle = ready.Handle; ready.Ready {
			return handle, steps
		}
	}
	require.Fail(t, "the post was never ready")
	return "", 0
}

func (b *bench) commit(t *testing.T, handle platform.Handle) (platform.Publication, error) {
	t.Helper()
	return b.connector.Commit(t.Context(), b.account, b.content, handle)
}

func (b *bench) reconcile(t *testing.T, handle platform.Handle) (platform.Evidence, platform.Publication) {
	t.Helper()
	evidence, found, err := b.connector.Reconcile(t.Context(), b.account, b.content,
		platform.Sent{Handle: handle, Text: b.content.Text, At: time.Now()})
	require.NoError(t, err)
	return evidence, found
}

// listed returns the keys of the account's posts with the text of this test.
func (b *bench) listed(t *testing.T) []string {
	t.Helper()
	var list struct {
		Records []struct {
			URI   string `json:"uri"`
			Value struct {
				Text string `json:"text"`
			} `json:"value"`
		} `json:"records"`
	}
	b.read(t, "com.atproto.repo.listRecords", url.Values{
		"repo": {b.account.ExternalID}, "collection": {"app.bsky.feed.post"}, "limit": {"100"},
	}, &list)
	var keys []string
	for _, record := range list.Records {
		if record.Value.Text == b.content.Text {
			keys = append(keys, record.URI[strings.LastIndexByte(record.URI, '/')+1:])
		}
	}
	return keys
}

// read makes a call without the connector and the proxy.
func (b *bench) read(t *testing.T, method string, query url.Values, into any) {
	t.Helper()
	raw := b.bytes(t, method, query)
	require.NoError(t, json.Unmarshal(raw, into), "%s", raw)
}

func (b *bench) bytes(t *testing.T, method string, query url.Values) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.URL+"/xrpc/"+method+"?"+query.Encode(), nil)
	require.NoError(t, err)
	response, err := new(http.Client).Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", raw)
	return raw
}

// stored is a post as the server stores it.
type stored struct {
	Value struct {
		Text      string    `json:"text"`
		CreatedAt time.Time `json:"createdAt"`
		Facets    []struct {
			Index struct {
				Start int `json:"byteStart"`
				End   int `json:"byteEnd"`
			} `json:"index"`
			Features []map[string]string `json:"features"`
		} `json:"facets"`
		Embed struct {
			Images []struct {
				Alt    string         `json:"alt"`
				Aspect map[string]int `json:"aspectRatio"`
				Image  struct {
					Ref map[string]string `json:"ref"`
				} `json:"image"`
			} `json:"images"`
		} `json:"embed"`
	} `json:"value"`
}

func (b *bench) stored(t *testing.T, key string) stored {
	t.Helper()
	var found stored
	b.read(t, "com.atproto.repo.getRecord", url.Values{
		"repo": {b.account.ExternalID}, "collection": {"app.bsky.feed.post"}, "rkey": {key},
	}, &found)
	return found
}

// TestIdentity checks that the server reports the account of the token.
func TestIdentity(t *testing.T) { //nolint:paralleltest // one server and one account serve all
	b := setup(t)
	found, err := b.connector.Identify(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, platform.Identity{ID: b.Sessions[0].DID, Username: "alice.test"}, found)
}

// TestFacets checks the byte offsets of links, mentions and tags behind emoji and other characters of several bytes, on
// the record that the server stored.
func TestFacets(t *testing.T) { //nolint:paralleltest // one server and one account serve all
	b := setup(t)
	b.content.Text = "👩‍👩‍👧‍👦 Grüße @bob.test, naïve 🇩🇪 https://example.com/ä?q=1 und example.org! #日本語 #tag2🎉 @missing.test é"
	handle, steps := b.prepare(t)
	created, err := b.commit(t, handle)
	require.NoError(t, err)
	require.Equal(t, "https://bsky.app/profile/"+b.account.ExternalID+"/post/"+created.ExternalID, created.URL)

	found := b.stored(t, created.ExternalID).Value
	require.Equal(t, b.content.Text, found.Text)
	require.WithinDuration(t, time.Now(), found.CreatedAt, time.Minute)
	got := make(map[string]string)
	for _, f := range found.Facets {
		require.Len(t, f.Features, 1)
		of := f.Features[0]
		got[found.Text[f.Index.Start:f.Index.End]] = of["uri"] + of["did"] + of["tag"]
	}
	require.Equal(t, map[string]string{
		"@bob.test": b.Sessions[1].DID, "https://example.com/ä?q=1": "https://example.com/ä?q=1",
		"example.org": "https://example.org", "#日本語": "日本語", "#tag2🎉": "tag2🎉",
	}, got)
	t.Logf("%d facets at the right bytes of %d, prepared in %d steps", len(got), len(found.Text), steps)
}

// TestImages checks that four images arrive byte for byte, in order, with their texts and dimensions.
func TestImages(t *testing.T) { //nolint:paralleltest // one server and one account serve all
	b := setup(t)
	pictures := platformtest.Pictures(t, 4)
	b.carry(t, pictures...)
	handle, steps := b.prepare(t)
	require.Equal(t, 4, steps, "each upload is stored before the next one")
	created, err := b.commit(t, handle)
	require.NoError(t, err)
	images := b.stored(t, created.ExternalID).Value.Embed.Images
	require.Len(t, images, 4)
	for i, image := range images {
		raw := b.bytes(t, "com.atproto.sync.getBlob", url.Values{"did": {b.account.ExternalID}, "cid": {image.Image.Ref["$link"]}})
		sum := sha256.Sum256(raw)
		require.Equal(t, pictures[i].SHA256(), hex.EncodeToString(sum[:]))
		require.Equal(t, b.content.Media[i].AltText, image.Alt)
		require.Equal(t, map[string]int{"width": 640, "height": 480}, image.Aspect)
	}
	t.Logf("4 images equal by SHA-256, with alternative texts and dimensions")
}

// TestALostResponse checks that a post whose response was lost is found, and that a second call publishes no second one.
func TestALostResponse(t *testing.T) { //nolint:paralleltest // one server and one account serve all
	b := setup(t)
	b.carry(t, platformtest.Picture(t, 7))
	handle, _ := b.prepare(t)
	evidence, _ := b.reconcile(t, handle)
	require.Equal(t, platform.EvidenceAbsent, evidence, "not sent yet")

	b.proxy.lose("com.atproto.repo.createRecord")
	_, err := b.commit(t, handle)
	require.Equal(t, platform.ClassUnknown, platform.FailureOf(err).Class, "%v", err)
	evidence, found := b.reconcile(t, handle)
	require.Equal(t, platform.EvidenceFound, evidence)
	require.Equal(t, []string{found.ExternalID}, b.listed(t))

	b.proxy.lose("")
	b.restart(t)
	_, err = b.commit(t, handle)
	failure := platform.FailureOf(err)
	require.Equal(t, platform.ClassUnknown, failure.Class, "%v", err)
	require.Equal(t, []string{found.ExternalID}, b.listed(t), "a repeated call publishes nothing")
	evidence, again := b.reconcile(t, handle)
	require.Equal(t, platform.EvidenceFound, evidence)
	require.Equal(t, found, again)
	t.Logf("found %s after a lost response; a second call under the key: %v", found.ExternalID, failure.Cause)
}

// TestAnExpiredToken checks that an expired token is recognized, renewed, and that the post is then published.
func TestAnExpiredToken(t *testing.T) { //nolint:paralleltest // one server and one account serve all
	b := setup(t)
	b.account.ExternalID = b.Sessions[1].DID
	b.account.Credentials = channel.Credentials{
		AccessToken: expired(t, b.Sessions[1].Access), RefreshToken: b.Sessions[1].Refresh,
	}
	b.carry(t, platformtest.Picture(t, 3))
	_, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.ClassRefresh, platform.FailureOf(err).Class, "%v", err)
	b.content.Media = nil
	_, err = b.commit(t, "")
	require.Equal(t, platform.ClassRefresh, platform.FailureOf(err).Class, "%v", err)
	refused := platform.FailureOf(err).Cause

	fresh, err := b.connector.Refresh(t.Context(), b.account)
	require.NoError(t, err)
	require.NotEqual(t, b.Sessions[1].Refresh, fresh.RefreshToken, "it rotates")
	require.WithinDuration(t, time.Now().Add(2*time.Hour), fresh.ExpiresAt, 5*time.Minute)
	require.WithinDuration(t, time.Now().Add(90*24*time.Hour), fresh.RefreshExpiresAt, 24*time.Hour)
	b.account.Credentials = fresh
	_, err = b.commit(t, "")
	require.NoError(t, err)
	require.Len(t, b.listed(t), 1)

	b.account.Credentials.RefreshToken = "x" + fresh.RefreshToken
	_, err = b.connector.Refresh(t.Context(), b.account)
	require.Equal(t, platform.ClassReconnect, platform.FailureOf(err).Class, "%v", err)
	t.Logf("%v; renewed until %s", refused, fresh.ExpiresAt.Format(time.RFC3339))
}

// expired returns the access token with an end in the past. The reference server for development signs with this
// secret.
func expired(t *testing.T, token string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	require.Len(t, parts, 3)
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	require.NoError(t, err)
	var claims map[string]any
	require.NoError(t, json.Unmarshal(raw, &claims))
	claims["exp"] = time.Now().Add(-time.Hour).Unix()
	claims["iat"] = time.Now().Add(-3 * time.Hour).Unix()
	raw, err = json.Marshal(claims)
	require.NoError(t, err)
	signed := parts[0] + "." + base64.RawURLEncoding.EncodeToString(raw)
	mac := hmac.New(sha256.New, []byte("jwt-secret"))
	mac.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// TestACrashAtEveryStep cuts the connection of every call, before the server receives it and after. The connector ends
// with each call and another one continues from the stored handle. Every post is published once, and whole.
func TestACrashAtEveryStep(t *testing.T) { //nolint:paralleltest // one server and one account serve all
	for _, after := range []bool{false, true} {
		for call := 1; ; call++ {
			b := setup(t)
			b.content.Text = fmt.Sprintf("Crash at call %d (after: %v) of %s by @bob.test", call, after, b.content.PostID)
			b.carry(t, platformtest.Pictures(t, 4)...)
			b.proxy.cut(call, after)
			handle, _ := b.prepare(t)
			created := b.published(t, handle)
			require.Equal(t, []string{created.ExternalID}, b.listed(t))
			found := b.stored(t, created.ExternalID).Value
			require.Len(t, found.Embed.Images, 4)
			require.Len(t, found.Facets, 1)
			if !b.proxy.wasCut() {
				t.Logf("after=%v: %d calls cut, every post published once", after, call-1)
				require.Greater(t, call, 6, "a lookup, four uploads and the record")
				break
			}
		}
	}
}

// published makes the call and, if its outcome is unknown, does what the publish protocol does: it looks, and calls
// again only if the post is absent.
func (b *bench) published(t *testing.T, handle platform.Handle) platform.Publication {
	t.Helper()
	for range 5 {
		b.restart(t)
		created, err := b.commit(t, handle)
		if err == nil {
			return created
		}
		require.Equal(t, platform.ClassUnknown, platform.FailureOf(err).Class, "%v", err)
		b.restart(t)
		if evidence, found := b.reconcile(t, handle); evidence == platform.EvidenceFound {
			return found
		}
	}
	require.Fail(t, "not published")
	return platform.Publication{}
}

// TestRefusals checks the classes of refusals of the reference server.
func TestRefusals(t *testing.T) { //nolint:paralleltest // one server and one account serve all
	b := setup(t)
	for name, c := range map[string]struct {
		edit  func(b *bench)
		class platform.Class
		code  string
	}{
		"too long": {func(b *bench) { b.content.Text = strings.Repeat("é", 301) }, platform.ClassRejected, bluesky.CodeRefused},
		"longest": {func(b *bench) {
			b.content.Text = strings.Repeat("👩‍👩‍👧‍👦", 100) + strings.Repeat("a", 200)
		}, "", ""},
		"no such blob":  {func(b *bench) { b.carry(t, platformtest.Picture(t, 9)) }, platform.ClassTransient, platform.CodeMediaNotUploaded},
		"unknown token": {func(b *bench) { b.account.Credentials.AccessToken = "no-token" }, platform.ClassRefresh, "TOKEN_EXPIRED"},
		"another account": {
			func(b *bench) { b.account.ExternalID = b.Sessions[1].DID }, platform.ClassRefresh, "TOKEN_EXPIRED",
		},
	} {
		own := *b
		own.content.PostID, own.content.Media = ident.New[ident.Post](), nil
		c.edit(&own)
		handle := platform.Handle("")
		if len(own.content.Media) > 0 { // of a file that was never uploaded
			const unknown = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
			handle = platform.Handle(fmt.Sprintf(`{"v":1,"files":[{"asset":%q,"blob":{"$type":"blob","ref":{"$link":%q},`+
				`"mimeType":"image/jpeg","size":12},"at":%d}]}`, own.content.Media[0].ID, unknown, time.Now().Unix()))
		}
		_, err := own.commit(t, handle)
		if c.class == "" {
			require.NoError(t, err, name)
			continue
		}
		failure := platform.FailureOf(err)
		require.Equal(t, c.class, failure.Class, "%s: %v", name, err)
		require.Equal(t, c.code, failure.Code, "%s: %v", name, err)
		t.Logf("%s: %v", name, failure.Cause)
	}
}

// proxy forwards calls to the server, and loses responses.
type proxy struct {
	server *httptest.Server

	mu    sync.Mutex
	lost  string // the method whose responses are lost
	cutAt int
	after bool
	calls int
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	address, err := url.Parse(target)
	require.NoError(t, err)
	p := &proxy{}
	forward := httputil.NewSingleHostReverseProxy(address)
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r = r.WithContext(context.WithoutCancel(r.Context()))
		r.Body = io.NopCloser(bytes.NewReader(body))
		p.mu.Lock()
		p.calls++
		cut := p.calls == p.cutAt
		lost, after := p.lost != "" && strings.HasSuffix(r.URL.Path, p.lost), p.after
		p.mu.Unlock()
		if !cut && !lost {
			forward.ServeHTTP(w, r)
			return
		}
		if lost || after {
			forward.ServeHTTP(httptest.NewRecorder(), r)
		}
		panic(http.ErrAbortHandler) //nolint:forbidigo // closes the connection without a response
	}))
	t.Cleanup(p.server.Close)
	return p
}

// lose loses the responses of a method; empty: of none.
func (p *proxy) lose(method string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = method
}

// cut closes the connection of the call with this number, counted from one, after it was forwarded or instead.
func (p *proxy) cut(call int, after bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutAt, p.after = call, after
}

// wasCut reports whether there was a call with the number.
func (p *proxy) wasCut() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls >= p.cutAt
}
