package mastodon_test

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/mastodon"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	createCall   = "POST /api/v1/statuses"
	uploadCall   = "POST /api/v2/media"
	mediaCall    = "GET /api/v1/media/71"
	instanceCall = "GET /api/v2/instance"
	listCall     = "GET /api/v1/accounts/14715/statuses"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

type bundle struct {
	clock     *clocktest.Fake
	script    *platformtest.Script
	connector *mastodon.Connector
	account   platform.Account
	content   platform.Content
}

func setup(t *testing.T, responses map[string][]platformtest.Response, attachments ...platformtest.Attachment) *bundle {
	t.Helper()
	all := map[string][]platformtest.Response{instanceCall: {limits(500, 4, 16<<20)}}
	for call, list := range responses {
		all[call] = list
	}
	script, clk := platformtest.NewScript(t, all), clocktest.New(now())
	connector, err := mastodon.New(mastodon.Config{
		Wire: httpcall.Config{BaseURL: script.URL, Clock: clk}, OneServer: true,
	})
	require.NoError(t, err)
	storage := platformtest.Files(t, attachments...)
	b := &bundle{
		clock: clk, script: script, connector: connector,
		account: platform.Account{
			Type: channel.Mastodon, ExternalID: "mastodon.example.com/14715", Username: "acme",
			Credentials: channel.Credentials{AccessToken: "access-1"},
		},
		content: platform.Content{PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: "Hello"},
	}
	for _, a := range attachments {
		b.content.Media, b.content.Files = append(b.content.Media, a.Asset), storage
	}
	t.Cleanup(func() { require.Zero(t, storage.Unclosed(), "files were not closed") })
	return b
}

func ok(body string) platformtest.Response { return platformtest.Response{Body: body} }

func limits(characters, files int, size int64) platformtest.Response {
	return ok(fmt.Sprintf(`{"configuration":{"statuses":{"max_characters":%d,"max_media_attachments":%d,`+
		`"characters_reserved_per_url":23},"media_attachments":{"image_size_limit":%d,"video_size_limit":%d,`+
		`"description_limit":5,"supported_mime_types":["image/jpeg","video/mp4"]}}}`, characters, files, size, size))
}

// TestIdempotencyKeyIsStable checks that every attempt sends the same key, and the body of the call.
func TestIdempotencyKeyIsStable(t *testing.T) {
	t.Parallel()

	b := setup(t, map[string][]platformtest.Response{
		createCall: {{Status: 502}, ok(`{"id":"1","url":"https://mastodon.example.com/@acme/1"}`)},
	})
	ready, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.Equal(t, platform.Preparation{Ready: true}, ready)
	require.Empty(t, b.script.Requests(), "a short text needs no preparation")
	_, err = b.connector.Commit(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.ClassUnknown, platformtest.Failure(t, err).Class)
	created, err := b.connector.Commit(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.Equal(t, platform.Publication{ExternalID: "1", URL: "https://mastodon.example.com/@acme/1"}, created)
	for _, request := range b.script.Requests() {
		require.Equal(t, b.content.PostID.String(), request.Header.Get("Idempotency-Key"))
		require.Equal(t, "Bearer access-1", request.Header.Get("Authorization"))
		require.JSONEq(t, `{"status":"Hello","visibility":"public"}`, request.Body)
	}
}

// TestConnectingRequestsSupportedScopes checks the scope profile, and that a passing failure registers nothing.
func TestConnectingRequestsSupportedScopes(t *testing.T) {
	t.Parallel()

	const described = `{"scopes_supported":["read","profile","write"]}`
	for name, c := range map[string]struct {
		response platformtest.Response
		scope    string
	}{
		"4.3":            {ok(described), "profile"},
		"4.2":            {platformtest.Response{Status: 404, Body: "<html>"}, "read:accounts"},
		"other software": {ok(`{"issuer":"x"}`), "read:accounts"},
		"unavailable":    {platformtest.Response{Status: 503}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{
				"GET /.well-known/oauth-authorization-server": {c.response},
				"POST /api/v1/apps":                           {ok(`{"client_id":"app-1","client_secret":"secret-1"}`)},
			})
			consent := platform.Consent{State: "s", Redirect: "https://app.example.com/callback", Challenge: "c"}
			first, err := b.connector.AuthorizeURL(t.Context(), consent)
			if c.scope == "" {
				require.Equal(t, mastodon.CodeServerDown, platformtest.Failure(t, err).Code)
				require.Len(t, b.script.Requests(), 1)
				return
			}
			require.NoError(t, err)
			form, err := url.ParseQuery(b.script.Requests()[1].Body)
			require.NoError(t, err)
			require.Equal(t, c.scope+" read:statuses write:statuses write:media", form.Get("scopes"))
			again, err := b.connector.AuthorizeURL(t.Context(), consent)
			require.NoError(t, err)
			require.Equal(t, first.Kept, again.Kept)
			require.Len(t, b.script.Requests(), 2, "the application is used again")
		})
	}
}

// TestRevoke checks that a token is revoked as its application, and that an older connection, whose secret is not stored,
// is not reported as revoked.
func TestRevoke(t *testing.T) {
	t.Parallel()

	b := setup(t, map[string][]platformtest.Response{"POST /oauth/revoke": {ok(""), {Status: 403, Body: `{"error":"unauthorized_client"}`}}})
	require.Error(t, b.connector.Revoke(t.Context(), b.account))
	require.Empty(t, b.script.Requests())
	b.account.Credentials.ClientID, b.account.Credentials.ClientSecret = "app-1", "secret-1"
	require.NoError(t, b.connector.Revoke(t.Context(), b.account))
	form, err := url.ParseQuery(b.script.Requests()[0].Body)
	require.NoError(t, err)
	require.Equal(t, url.Values{"token": {"access-1"}, "client_id": {"app-1"}, "client_secret": {"secret-1"}}, form)
	require.Error(t, b.connector.Revoke(t.Context(), b.account))
}

// TestImageBeyondPixelLimit checks the limit of pixels of the account's server.
func TestImageBeyondPixelLimit(t *testing.T) {
	t.Parallel()

	b := setup(t, map[string][]platformtest.Response{
		instanceCall: {ok(`{"configuration":{"media_attachments":{"image_matrix_limit":307199}}}`)},
	}, platformtest.Picture(t, 1))
	_, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
	failure := platformtest.Failure(t, err)
	require.Equal(t, platform.CodeMediaRefused, failure.Code)
	require.Contains(t, failure.Message, "640 × 480")
}

// TestServerLimits checks that content is compared with the account's server, which is asked once an hour.
func TestServerLimits(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("a", 501)
	for name, c := range map[string]struct {
		text     string
		response platformtest.Response
		class    platform.Class
		says     string
	}{
		"too long":       {long, limits(500, 4, 0), platform.ClassRejected, "counts as 501 characters"},
		"a long limit":   {long, limits(5000, 4, 0), "", ""},
		"a long link":    {"https://example.com/" + long, limits(500, 4, 0), "", ""},
		"no limits":      {long, ok(`{}`), "", ""},
		"older software": {long, platformtest.Response{Status: 404, Body: `{"error":"Not found"}`}, "", ""},
		"unavailable":    {long, platformtest.Response{Status: 503}, platform.ClassTransient, ""},
		"odd":            {long, ok(`[]`), platform.ClassTransient, ""},
	} {
		b := setup(t, map[string][]platformtest.Response{instanceCall: {c.response}})
		b.content.Text = c.text
		ready, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
		if c.class == "" {
			require.NoError(t, err, name)
			require.Equal(t, platform.Preparation{Ready: true}, ready, name)
			_, err = b.connector.Prepare(t.Context(), b.account, b.content, "")
			require.NoError(t, err)
			require.Len(t, b.script.Requests(), 1, name)
			b.clock.Advance(61 * time.Minute)
			_, err = b.connector.Prepare(t.Context(), b.account, b.content, "")
			require.NoError(t, err)
			require.Len(t, b.script.Requests(), 2, name)
			continue
		}
		failure := platformtest.Failure(t, err)
		require.Equal(t, c.class, failure.Class, name)
		require.Contains(t, failure.Message, c.says, name)
	}

	for name, c := range map[string]struct {
		response platformtest.Response
		files    []platformtest.Attachment
	}{
		"too many":  {limits(500, 1, 0), platformtest.Pictures(t, 2)},
		"too large": {limits(500, 4, 100), platformtest.Pictures(t, 1)},
		"format":    {limits(500, 4, 0), []platformtest.Attachment{platformtest.GIF(t)}},
	} {
		b := setup(t, map[string][]platformtest.Response{instanceCall: {c.response}}, c.files...)
		_, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
		require.Equal(t, platform.CodeMediaRefused, platformtest.Failure(t, err).Code, name)
	}
}

// TestUploads checks that each upload is stored before the next one, with its description, and that processing is waited
// for.
func TestUploads(t *testing.T) {
	t.Parallel()

	picture := platformtest.Picture(t, 1)
	picture.Asset.AltText = "Größer"
	b := setup(t, map[string][]platformtest.Response{
		uploadCall: {{Status: 202, Body: `{"id":"71","url":null}`}, ok(`{"id":"72","url":"u"}`), {Status: 202, Body: `{"id":"71"}`}},
		mediaCall: {
			{Status: 206, Body: `{"id":"71","url":null}`},
			{Status: 404, Body: `{"error":"Record not found"}`},
			ok(`{"id":"71","url":"u"}`),
		},
	}, picture, platformtest.Picture(t, 2))
	handle, waits := platform.Handle(""), 0
	for ready := (platform.Preparation{}); !ready.Ready; handle = ready.Handle {
		var err error
		ready, err = b.connector.Prepare(t.Context(), b.account, b.content, handle)
		require.NoError(t, err)
		if ready.Wait > 0 {
			waits++
		}
	}
	require.Equal(t, 2, waits)
	var calls []string
	for _, r := range b.script.Requests() {
		calls = append(calls, r.Method+" "+r.Path)
	}
	require.Equal(t, []string{instanceCall, uploadCall, mediaCall, mediaCall, uploadCall, uploadCall, mediaCall}, calls)
	_, parameters, err := mime.ParseMediaType(b.script.Requests()[1].Header.Get("Content-Type"))
	require.NoError(t, err)
	form := multipart.NewReader(strings.NewReader(b.script.Requests()[1].Body), parameters["boundary"])
	parts := make(map[string]string)
	for part, err := form.NextPart(); err == nil; part, err = form.NextPart() {
		content, err := io.ReadAll(part)
		require.NoError(t, err)
		parts[part.FormName()] = string(content)
	}
	require.Equal(t, map[string]string{"description": "Größe", "file": string(picture.Bytes)}, parts)
	_, _ = b.connector.Commit(t.Context(), b.account, b.content, handle)
	last := b.script.Requests()[len(b.script.Requests())-1]
	require.JSONEq(t, `{"status":"Hello","media_ids":["72","71"],"visibility":"public"}`, last.Body)

	_, err = b.connector.Commit(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.CodeMediaNotUploaded, platformtest.Failure(t, err).Code)
	b.clock.Advance(21 * time.Hour)
	again, err := b.connector.Prepare(t.Context(), b.account, b.content, handle)
	require.NoError(t, err)
	require.NotEqual(t, handle, again.Handle, "the server may have deleted the files")
}

func listed(id, content string, at time.Time, files ...string) map[string]any {
	attached := []any{}
	for _, file := range files {
		attached = append(attached, map[string]any{"id": file})
	}
	return map[string]any{
		"id": id, "url": "https://mastodon.example.com/@acme/" + id, "content": content,
		"created_at": at.Format(time.RFC3339), "media_attachments": attached,
	}
}

// TestReconcile checks which statuses are the post of a lost response.
func TestReconcile(t *testing.T) {
	t.Parallel()

	const text = "A & B <c>\n\nhttps://example.com/a?b=1&c=2 by @bob@other.example.com\nend"
	const shown = `<p>A &amp; B &lt;c&gt;</p><p><a href="https://example.com/a?b=1&amp;c=2" rel="nofollow"><span class="invisible">` +
		`https://</span><span class="ellipsis">example.com/a</span><span class="invisible">?b=1&amp;c=2</span></a> by ` +
		`<span class="h-card"><a href="https://other.example.com/@bob" class="u-url mention">@<span>bob</span></a></span><br />end</p>`
	old := now().Add(-time.Hour)
	for name, c := range map[string]struct {
		text  string
		files []string // ids of the uploads; empty ones are of a database that was restored
		list  []map[string]any
		want  platform.Evidence
	}{
		"nothing":        {text, nil, []map[string]any{}, platform.EvidenceAbsent},
		"found":          {text, nil, []map[string]any{listed("2", "<p>x</p>", now()), listed("1", shown, now())}, platform.EvidenceFound},
		"older":          {text, nil, []map[string]any{listed("1", shown, old)}, platform.EvidenceAbsent},
		"similar":        {text, nil, []map[string]any{listed("1", strings.ReplaceAll(shown, "&lt;c&gt;", "c!"), now()), listed("0", "", old)}, platform.EvidenceUnclear},
		"taken":          {text, nil, []map[string]any{listed("99", shown, now()), listed("0", "", old)}, platform.EvidenceAbsent},
		"with media":     {text, nil, []map[string]any{listed("1", shown, now(), "7"), listed("0", "", old)}, platform.EvidenceAbsent},
		"the uploads":    {"", []string{"71"}, []map[string]any{listed("1", "<p>changed</p>", now(), "71")}, platform.EvidenceFound},
		"other uploads":  {"", []string{"71"}, []map[string]any{listed("1", "", now(), "70"), listed("0", "", old)}, platform.EvidenceAbsent},
		"without a time": {text, nil, []map[string]any{{"id": "1", "content": shown}, listed("0", "", old)}, platform.EvidenceUnclear},
		"restored":       {text, []string{"", ""}, []map[string]any{listed("1", shown, now(), "70", "71")}, platform.EvidenceFound},
		"restored, other number": {
			text, []string{"", ""}, []map[string]any{listed("1", shown, now(), "70"), listed("0", "", old)}, platform.EvidenceAbsent,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			body, err := json.Marshal(c.list)
			require.NoError(t, err)
			attachments := platformtest.Pictures(t, len(c.files))
			b := setup(t, map[string][]platformtest.Response{listCall: {ok(string(body)), ok(`[]`)}}, attachments...)
			handle := platform.Handle("")
			if len(c.files) > 0 && c.files[0] != "" {
				handle = platform.Handle(fmt.Sprintf(`{"v":1,"files":[{"asset":%q,"id":%q,"ready":true,"at":%d}]}`,
					b.content.Media[0].ID, c.files[0], now().Unix()))
			}
			evidence, found, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{
				Handle: handle, Text: c.text, At: now(), Taken: func(id string) bool { return id == "99" },
			})
			require.NoError(t, err)
			require.Equal(t, c.want, evidence)
			if evidence == platform.EvidenceFound {
				require.Equal(t, "1", found.ExternalID)
			}
		})
	}
}

// TestReconcileReadsPages checks that further pages are read until the time of the call.
func TestReconcileReadsPages(t *testing.T) {
	t.Parallel()

	page := func(id string, at time.Time) platformtest.Response {
		body, err := json.Marshal([]map[string]any{listed(id, "<p>x</p>", at)})
		require.NoError(t, err)
		return ok(string(body))
	}
	b := setup(t, map[string][]platformtest.Response{listCall: {page("9", now()), page("8", now().Add(-time.Hour))}})
	evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{Text: "Hello", At: now()})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceAbsent, evidence)
	require.Len(t, b.script.Requests(), 2)
	require.Equal(t, "9", b.script.Requests()[1].Query.Get("max_id"))

	endless := setup(t, map[string][]platformtest.Response{listCall: {page("9", now())}})
	evidence, _, err = endless.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{Text: "Hello", At: now()})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceUnclear, evidence)
}

// TestAccountIDDeterminesServer checks that the server in an account's id is called, under the rules for servers that users
// choose, and that a token is never sent to another one.
func TestAccountIDDeterminesServer(t *testing.T) {
	t.Parallel()

	usual := platformtest.NewScript(t, nil)
	connector, err := mastodon.New(mastodon.Config{Wire: httpcall.Config{BaseURL: usual.URL, Clock: clocktest.New(now())}})
	require.NoError(t, err)
	for _, id := range []string{"other.example.com/1", "127.0.0.1/1", "", "a.com/", "c.com/a b", "x.com/path/1", "X.com/1", "1@x.com"} {
		account := platform.Account{ExternalID: id, Credentials: channel.Credentials{AccessToken: "a"}}
		_, err := connector.Identify(t.Context(), account)
		require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class, id)
		_, err = connector.Commit(t.Context(), account, platform.Content{Text: "a"}, "")
		require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class, id)
	}
	require.Empty(t, usual.Requests())
	_, err = connector.Identify(t.Context(), platform.Account{
		ExternalID: "1", Credentials: channel.Credentials{AccessToken: "a", Server: "https://other.example.com"},
	})
	require.Error(t, err)
	require.Len(t, usual.Requests(), 1)
	require.Equal(t, http.MethodGet, usual.Requests()[0].Method)
}
