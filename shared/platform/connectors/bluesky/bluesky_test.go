package bluesky_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/bluesky"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	did         = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
	createCall  = "POST /xrpc/com.atproto.repo.createRecord"
	recordCall  = "GET /xrpc/com.atproto.repo.getRecord"
	uploadCall  = "POST /xrpc/com.atproto.repo.uploadBlob"
	resolveCall = "GET /xrpc/com.atproto.identity.resolveHandle"
	sessionCall = "GET /xrpc/com.atproto.server.getSession"
	authCall    = "GET /xrpc/com.atproto.server.getServiceAuth"
	videoCall   = "POST /xrpc/app.bsky.video.uploadVideo"
	jobCall     = "GET /xrpc/app.bsky.video.getJobStatus"
	startCall   = "POST /xrpc/app.bsky.video.startUpload"
	partCall    = "POST /xrpc/app.bsky.video.uploadPart"
	finishCall  = "POST /xrpc/app.bsky.video.finishUpload"
	refreshCall = "POST /xrpc/com.atproto.server.refreshSession"
	postsCall   = "GET /xrpc/app.bsky.feed.getPosts"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

type bundle struct {
	clock     *clocktest.Fake
	script    *platformtest.Script
	connector *bluesky.Connector
	account   platform.Account
	content   platform.Content
	storage   *platformtest.Storage
}

func setup(t *testing.T, responses map[string][]platformtest.Response, attachments ...platformtest.Attachment) *bundle {
	t.Helper()
	script, clk := platformtest.NewScript(t, responses), clocktest.New(now())
	connector, err := bluesky.New(bluesky.Config{
		Wire: httpcall.Config{BaseURL: script.URL, Clock: clk}, VideoURL: script.URL,
	})
	require.NoError(t, err)
	b := &bundle{
		clock: clk, script: script, connector: connector, storage: platformtest.Files(t, attachments...),
		account: platform.Account{
			Type: channel.Bluesky, ExternalID: did, Username: "acme.example.com",
			Credentials: channel.Credentials{AccessToken: "access-1", RefreshToken: "refresh-1"},
		},
		content: platform.Content{PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: "Hello"},
	}
	for _, a := range attachments {
		b.content.Media, b.content.Files = append(b.content.Media, a.Asset), b.storage
	}
	t.Cleanup(func() { require.Zero(t, b.storage.Unclosed(), "files were not closed") })
	return b
}

func ok(body string) platformtest.Response { return platformtest.Response{Body: body} }

func refused(status int, code, message string) platformtest.Response {
	return platformtest.Response{Status: status, Body: fmt.Sprintf(`{"error":%q,"message":%q}`, code, message)}
}

func blobOf(link, kind string) string {
	return fmt.Sprintf(`{"$type":"blob","ref":{"$link":%q},"mimeType":%q,"size":12}`, link, kind)
}

const (
	firstCID  = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
	secondCID = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"
)

// prepare prepares the post to the end and returns the number of calls of Prepare.
func (b *bundle) prepare(t *testing.T, handle platform.Handle) (platform.Handle, int) {
	t.Helper()
	for rounds := 1; rounds < 20; rounds++ {
		ready, err := b.connector.Prepare(t.Context(), b.account, b.content, handle)
		require.NoError(t, err)
		if handle = ready.Handle; ready.Ready {
			return handle, rounds
		}
	}
	require.Fail(t, "never ready")
	return "", 0
}

// record returns the record that Commit sends, and the key.
func (b *bundle) record(t *testing.T, handle platform.Handle) (record map[string]any, key string) {
	t.Helper()
	_, _ = b.connector.Commit(t.Context(), b.account, b.content, handle)
	requests := b.script.Requests()
	last := requests[len(requests)-1]
	require.Equal(t, "/xrpc/com.atproto.repo.createRecord", last.Path)
	require.Equal(t, "Bearer access-1", last.Header.Get("Authorization"))
	var body struct {
		Repo, Collection, Rkey string
		Record                 map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(last.Body), &body))
	require.Equal(t, did, body.Repo)
	require.Equal(t, "app.bsky.feed.post", body.Collection)
	return body.Record, body.Rkey
}

// TestTextNeedsNoPreparation checks that no call precedes the irrevocable one, and that the record has what the
// lexicon requires.
func TestTextNeedsNoPreparation(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	for _, handle := range []platform.Handle{"", "left by another version"} {
		ready, err := b.connector.Prepare(t.Context(), b.account, b.content, handle)
		require.NoError(t, err)
		require.Equal(t, platform.Preparation{Ready: true}, ready)
	}
	require.Empty(t, b.script.Requests())
	record, _ := b.record(t, "")
	require.Equal(t, map[string]any{
		"$type": "app.bsky.feed.post", "text": "Hello", "createdAt": "2026-03-01T09:00:00.000Z",
	}, record)
}

// TestRecordKeyIsDeterministic checks that the key of the record depends on the post alone, is a TID, and sorts by the
// time of the post.
func TestRecordKeyIsDeterministic(t *testing.T) {
	t.Parallel()

	b, last, seen := setup(t, nil), "", make(map[string]bool)
	for range 200 {
		b.content.PostID = ident.New[ident.Post]()
		_, key := b.record(t, "")
		require.Regexp(t, `^[234567a-j][234567a-z]{12}$`, key)
		b.clock.Advance(time.Hour)
		b.content.Text += "!"
		_, again := b.record(t, "")
		require.Equal(t, key, again)
		require.False(t, seen[key])
		require.GreaterOrEqual(t, key[:9], last, "the first nine characters are a time")
		seen[key], last = true, key[:9]
	}
	id, err := ident.Parse[ident.Post]("019519f7-1f00-7fff-bfff-fffffffffcff")
	require.NoError(t, err)
	b.content.PostID = id
	_, key := b.record(t, "")
	require.Equal(t, tid(0x019519f71f00*1000+4095*1000/4096, 0xFF), key)
}

// tid encodes a time in microseconds and a clock id (atproto.com/specs/tid), by another way than the connector.
func tid(micros, clock uint64) string {
	bits := fmt.Sprintf("00%053b%010b", micros, clock)
	var key strings.Builder
	for at := 0; at < len(bits); at += 5 {
		value := 0
		for _, bit := range bits[at : at+5] {
			value = value*2 + int(bit-'0')
		}
		key.WriteByte("234567abcdefghijklmnopqrstuvwxyz"[value])
	}
	return key.String()
}

// TestFacets checks which parts of a text can be followed, at which bytes.
func TestFacets(t *testing.T) {
	t.Parallel()

	known := func(handle string) string { return "did:plc:" + strings.ReplaceAll(handle, ".", "") }
	for text, want := range map[string]map[string]string{
		"nothing":                       {},
		"🌍 https://a.com/ä?b=c.":        {"https://a.com/ä?b=c": "https://a.com/ä?b=c"},
		"(example.org) HTTP://A.COM":    {"example.org": "https://example.org", "HTTP://A.COM": "HTTP://A.COM"},
		"Grüße an @Bob.example.com!":    {"@Bob.example.com": known("bob.example.com")},
		"@a.com @b.com,@c.com (@d.com)": {"@a.com": known("a.com"), "@b.com": known("b.com"), "@d.com": known("d.com")},
		"me@example.com @nodots @x.1 @": {},
		"@gone.com":                     {},
		"👩‍👩‍👧‍👦 #Größe, #日本語! ＃wide": {"#Größe": "Größe", "#日本語": "日本語", "＃wide": "wide"},
		"#1 #2nd #️⃣ # #a#b a#c":      {"#2nd": "2nd", "#a": "a"},
		"#" + strings.Repeat("a", 64): {"#" + strings.Repeat("a", 64): strings.Repeat("a", 64)},
		"#" + strings.Repeat("a", 65): {},
		"https://a.com/#tag":          {"https://a.com/#tag": "https://a.com/#tag"},
		"see https://ja.wikipedia.org/wiki/日本語 end": {
			"https://ja.wikipedia.org/wiki/日本語": "https://ja.wikipedia.org/wiki/日本語",
		},
		"q https://a.com/search?q=東京&x=1, end": {"https://a.com/search?q=東京&x=1": "https://a.com/search?q=東京&x=1"},
		"https://a.com/items/{id}/edit":        {"https://a.com/items/{id}/edit": "https://a.com/items/{id}/edit"},
		"i https://bücher.de/straße?x=ü!":      {"https://bücher.de/straße?x=ü": "https://bücher.de/straße?x=ü"},
		"(https://a.com/日) https://b.org/c_(d)": {
			"https://a.com/日": "https://a.com/日", "https://b.org/c_(d)": "https://b.org/c_(d)",
		},
		"a.com/日本? httpbin.org/x":                 {"a.com/日本": "https://a.com/日本", "httpbin.org/x": "https://httpbin.org/x"},
		"first.me@example.com main.gox file.html": {},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()

			b := setup(t, nil)
			b.content.Text = text
			dids := map[string]string{"gone.com": ""}
			for _, handle := range []string{"bob.example.com", "a.com", "b.com", "d.com"} {
				dids[handle] = known(handle)
			}
			handle, err := json.Marshal(map[string]any{"v": 1, "dids": dids, "files": []any{}})
			require.NoError(t, err)
			record, _ := b.record(t, platform.Handle(handle))
			got, end := make(map[string]string), 0
			list, _ := record["facets"].([]any)
			for _, f := range list {
				var one struct {
					Index    struct{ ByteStart, ByteEnd int }
					Features []map[string]string
				}
				raw, err := json.Marshal(f)
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(raw, &one))
				require.GreaterOrEqual(t, one.Index.ByteStart, end, "in order, without overlap")
				end = one.Index.ByteEnd
				require.Len(t, one.Features, 1)
				of := one.Features[0]
				got[text[one.Index.ByteStart:end]] = of["uri"] + of["did"] + of["tag"]
			}
			require.Equal(t, want, got)
		})
	}
}

// TestMentionsAreLookedUpOnce checks that the accounts of mentions are part of the handle, that a handle without an
// account stays plain text, and that an unavailable server does not.
func TestMentionsAreLookedUpOnce(t *testing.T) {
	t.Parallel()

	b := setup(t, map[string][]platformtest.Response{
		resolveCall: {
			{Status: 502}, ok(`{"did":"did:plc:abc"}`), refused(400, "InvalidRequest", "Unable to resolve handle"),
		},
	})
	b.content.Text = "Hi @Bob.test, @gone.test and again @bob.test"
	_, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
	handle, rounds := b.prepare(t, "")
	require.Equal(t, 1, rounds)
	requested := len(b.script.Requests())
	require.Equal(t, 3, requested)
	require.Equal(t, "bob.test", b.script.Requests()[1].Query.Get("handle"))
	again, _ := b.prepare(t, handle)
	require.Equal(t, handle, again)
	require.Len(t, b.script.Requests(), requested, "no second lookup")
	record, _ := b.record(t, handle)
	require.Len(t, record["facets"], 2, "both mentions of the account that exists")

	b.content.Text += " @new.test"
	again, _ = b.prepare(t, handle)
	require.NotEqual(t, handle, again, "the text changed since")
}

// TestImages checks that each upload is stored before the next one, and the embedded files.
func TestImages(t *testing.T) {
	t.Parallel()

	first, second := platformtest.Picture(t, 1), platformtest.Picture(t, 2)
	first.Asset.AltText, second.Asset.Probe = "A cat", media.Probe{}
	b := setup(t, map[string][]platformtest.Response{uploadCall: {
		ok(`{"blob":` + blobOf(firstCID, "image/jpeg") + `}`), ok(`{"blob":` + blobOf(secondCID, "image/jpeg") + `}`),
	}}, first, second)
	handle, rounds := b.prepare(t, "")
	require.Equal(t, 2, rounds)
	for i, a := range []platformtest.Attachment{first, second} {
		request := b.script.Requests()[i]
		require.Equal(t, string(a.Bytes), request.Body)
		require.Equal(t, "image/jpeg", request.Header.Get("Content-Type"))
	}
	record, _ := b.record(t, handle)
	blob := func(link string) map[string]any {
		return map[string]any{
			"$type": "blob", "ref": map[string]any{"$link": link}, "mimeType": "image/jpeg", "size": 12.0,
		}
	}
	require.Equal(t, map[string]any{"$type": "app.bsky.embed.images", "images": []any{
		map[string]any{
			"image": blob(firstCID), "alt": "A cat", "aspectRatio": map[string]any{"width": 640.0, "height": 480.0},
		},
		map[string]any{"image": blob(secondCID), "alt": ""},
	}}, record["embed"])
}

// TestGIFIsSentToVideoService checks that an animation is sent to the video service as it is, and loops.
func TestGIFIsSentToVideoService(t *testing.T) {
	t.Parallel()

	animation := platformtest.GIF(t)
	b := setup(t, videoResponses(
		ok(`{"jobStatus":{"jobId":"j1","state":"JOB_STATE_COMPLETED","blob":`+blobOf(firstCID, "video/mp4")+`}}`)), animation)
	handle, _ := b.prepare(t, "")
	sent := b.script.Requests()[2]
	require.Equal(t, "image/gif", sent.Header.Get("Content-Type"))
	require.Equal(t, b.content.Media[0].ID.String()+".gif", sent.Query.Get("name"))
	record, _ := b.record(t, handle)
	embed, _ := record["embed"].(map[string]any)
	require.Equal(t, "app.bsky.embed.video", embed["$type"])
	require.Equal(t, "gif", embed["presentation"])
}

// TestFiveImagesBecomeGallery checks that more images than app.bsky.embed.images takes are a gallery, which needs the
// dimensions of each.
func TestFiveImagesBecomeGallery(t *testing.T) {
	t.Parallel()

	b := setup(t, map[string][]platformtest.Response{
		uploadCall: {ok(`{"blob":` + blobOf(firstCID, "image/jpeg") + `}`)},
	}, platformtest.Pictures(t, 5)...)
	handle, _ := b.prepare(t, "")
	record, _ := b.record(t, handle)
	embed, _ := record["embed"].(map[string]any)
	require.Equal(t, "app.bsky.embed.gallery", embed["$type"])
	items, _ := embed["items"].([]any)
	require.Len(t, items, 5)
	item, _ := items[4].(map[string]any)
	require.Equal(t, "app.bsky.embed.gallery#image", item["$type"])
	require.Equal(t, map[string]any{"width": 640.0, "height": 480.0}, item["aspectRatio"])
}

// TestLargeVideoIsSentInParts checks the parts of a file, that each is sent once although a call fails, and that an
// upload that the service lost starts again.
func TestLargeVideoIsSentInParts(t *testing.T) {
	t.Parallel()

	video := platformtest.Video(5000)
	responses := videoResponses(
		ok(`{"jobStatus":{"jobId":"j2","state":"JOB_STATE_COMPLETED","blob":` + blobOf(firstCID, "video/mp4") + `}}`))
	responses[startCall] = []platformtest.Response{ok(`{"jobId":"u1","partSizeBytes":2000,"partCount":3}`)}
	responses[partCall] = []platformtest.Response{
		ok(`{}`), refused(400, "UploadNotFound", "x"), ok(`{}`),
		{Status: 503},
		ok(`{}`),
		refused(400, "UploadAlreadyCompleted", "x"),
	}
	responses[finishCall] = []platformtest.Response{
		refused(409, "UploadNotReady", "x"), ok(`{"completedJobId":"j2","jobStatus":{"jobId":"j2","state":"x"}}`),
	}
	b := setup(t, responses, video)
	b.connector.SendInParts(4999)
	var handle platform.Handle
	for ready := false; !ready; {
		prepared, err := b.connector.Prepare(t.Context(), b.account, b.content, handle)
		if err != nil {
			require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
			continue
		}
		handle, ready = prepared.Handle, prepared.Ready
	}
	var sent []string
	for _, request := range b.script.Requests() {
		switch request.Path {
		case "/xrpc/app.bsky.video.uploadPart":
			require.Equal(t, "u1", request.Query.Get("jobId"))
			sent = append(sent, request.Query.Get("partNumber")+":"+strconv.Itoa(len(request.Body)))
			require.Contains(t, string(video.Bytes), request.Body)
		case "/xrpc/app.bsky.video.startUpload":
			require.JSONEq(t, `{"sizeBytes":5000,"mimeType":"video/mp4","name":"`+b.content.Media[0].ID.String()+`.mp4",`+
				`"width":720,"height":1280,"durationMs":12000}`, request.Body)
		case "/xrpc/app.bsky.video.getJobStatus":
			require.Equal(t, "j2", request.Query.Get("jobId"))
		}
	}
	require.Equal(t, []string{"1:2000", "2:2000", "1:2000", "2:2000", "2:2000", "3:1000"}, sent)
}

// TestOldUploadsAreRepeated checks that an upload that the server may have deleted is made again, and that a record
// whose file is gone is prepared again.
func TestOldUploadsAreRepeated(t *testing.T) {
	t.Parallel()

	b := setup(t, map[string][]platformtest.Response{
		uploadCall: {ok(`{"blob":` + blobOf(firstCID, "image/jpeg") + `}`)},
		createCall: {refused(400, "BlobNotFound", "Could not find blob: "+firstCID)},
	}, platformtest.Picture(t, 1))
	handle, _ := b.prepare(t, "")
	b.clock.Advance(9 * time.Minute)
	b.prepare(t, handle)
	require.Len(t, b.script.Requests(), 1)
	_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
	b.clock.Advance(2 * time.Minute)
	b.prepare(t, handle)
	require.Len(t, b.script.Requests(), 3)

	_, err = b.connector.Commit(t.Context(), b.account, b.content, "{}")
	require.Equal(t, platform.CodeMediaNotUploaded, platformtest.Failure(t, err).Code, "not prepared")
	require.Len(t, b.script.Requests(), 3)
}

func videoResponses(jobs ...platformtest.Response) map[string][]platformtest.Response {
	return map[string][]platformtest.Response{
		sessionCall: {ok(`{"did":"` + did + `","handle":"h","didDoc":{"service":[{"id":"` + did + `#atproto_pds",` +
			`"serviceEndpoint":"https://pds.example.com"}]}}`)},
		authCall:  {ok(`{"token":"service-1"}`)},
		videoCall: {ok(`{"jobId":"j1","did":"` + did + `","state":"JOB_STATE_CREATED"}`)},
		jobCall:   jobs,
	}
}

// TestVideoIsSentToVideoService checks the calls of a video: the token names the server that stores the account, the account's
// own token is never sent to the video service, and the conversion is waited for.
func TestVideoIsSentToVideoService(t *testing.T) {
	t.Parallel()

	video := platformtest.Video(5000)
	video.Asset.AltText = strings.Repeat("ä", 1001)
	b := setup(t, videoResponses(
		ok(`{"jobStatus":{"jobId":"j1","state":"JOB_STATE_ENCODING"}}`), platformtest.Response{Status: 503},
		ok(`{"jobStatus":{"jobId":"j1","state":"JOB_STATE_COMPLETED","blob":`+blobOf(firstCID, "video/mp4")+`}}`),
	), video)
	first, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.False(t, first.Ready)
	second, err := b.connector.Prepare(t.Context(), b.account, b.content, first.Handle)
	require.NoError(t, err)
	require.Positive(t, second.Wait)
	_, err = b.connector.Prepare(t.Context(), b.account, b.content, second.Handle)
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
	handle, _ := b.prepare(t, second.Handle)

	requests := b.script.Requests()
	require.Equal(t, "did:web:pds.example.com", requests[1].Query.Get("aud"))
	require.Equal(t, "com.atproto.repo.uploadBlob", requests[1].Query.Get("lxm"))
	require.Equal(t, "1772357400", requests[1].Query.Get("exp"))
	require.Equal(t, "Bearer service-1", requests[2].Header.Get("Authorization"))
	require.Equal(t, did, requests[2].Query.Get("did"))
	require.Equal(t, string(video.Bytes), requests[2].Body)
	for _, request := range requests[2:] {
		require.NotContains(t, request.Header.Get("Authorization")+request.RawQuery, "access-1")
	}
	record, _ := b.record(t, handle)
	embed, _ := record["embed"].(map[string]any)
	require.Equal(t, "app.bsky.embed.video", embed["$type"])
	require.Equal(t, strings.Repeat("ä", 1001), embed["alt"])
	require.Equal(t, map[string]any{"width": 720.0, "height": 1280.0}, embed["aspectRatio"])
}

// TestVideoFailures checks an upload that the service has already, a job that it does not know, a failed conversion, and
// refusals.
func TestVideoFailures(t *testing.T) {
	t.Parallel()

	done := ok(`{"jobStatus":{"jobId":"j1","state":"JOB_STATE_COMPLETED","blob":` + blobOf(firstCID, "video/mp4") + `}}`)
	for name, c := range map[string]struct {
		responses map[string][]platformtest.Response
		class     platform.Class
		code      string
		calls     int
	}{
		"known already": {map[string][]platformtest.Response{
			videoCall: {{Status: 409, Body: `{"jobId":"j0","state":"JOB_STATE_COMPLETED","error":"already_exists"}`}},
			jobCall:   {done},
		}, "", "", 4},
		"unknown job": {map[string][]platformtest.Response{
			jobCall: {refused(400, "InvalidRequest", "Job not found"), done},
		}, "", "", 8},
		"failed": {map[string][]platformtest.Response{
			jobCall: {ok(`{"jobStatus":{"jobId":"j1","state":"JOB_STATE_FAILED","error":"bad","message":"codec"}}`)},
		}, platform.ClassRejected, platform.CodeMediaRefused, 4},
		"refused": {map[string][]platformtest.Response{
			videoCall: {refused(400, "InvalidRequest", "too long")},
		}, platform.ClassRejected, platform.CodeMediaRefused, 3},
		"unconfirmed email": {map[string][]platformtest.Response{
			videoCall: {refused(401, "unconfirmed_email", "Please confirm")},
		}, platform.ClassUser, bluesky.CodeEmail, 3},
		"no profile": {map[string][]platformtest.Response{
			videoCall: {refused(401, "profile_not_found", "No profile")},
		}, platform.ClassUser, bluesky.CodeProfile, 3},
		"may not upload": {map[string][]platformtest.Response{
			videoCall: {refused(403, "UploadForbidden", "x")},
		}, platform.ClassUser, bluesky.CodeAccount, 3},
		"daily limit": {map[string][]platformtest.Response{
			videoCall: {refused(400, "DailyLimitExceeded", "x")},
		}, platform.ClassRateLimited, post.ErrorRateLimited, 3},
		"overloaded": {map[string][]platformtest.Response{
			videoCall: {refused(400, "ServiceOverloaded", "x")},
		}, platform.ClassTransient, post.ErrorPlatformDown, 3},
		"service token refused": {map[string][]platformtest.Response{
			videoCall: {refused(401, "AuthenticationRequired", "invalid service token")},
		}, platform.ClassTransient, post.ErrorPlatformDown, 3},
		"no service token": {
			map[string][]platformtest.Response{authCall: {ok(`{}`)}},
			platform.ClassTransient,
			post.ErrorPlatformDown, 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			responses := videoResponses(done)
			for call, list := range c.responses {
				responses[call] = list
			}
			b := setup(t, responses, platformtest.Video(5000))
			handle, err := platform.Handle(""), error(nil)
			for ready := (platform.Preparation{}); !ready.Ready && err == nil; handle = ready.Handle {
				ready, err = b.connector.Prepare(t.Context(), b.account, b.content, handle)
			}
			require.Len(t, b.script.Requests(), c.calls)
			if c.class == "" {
				require.NoError(t, err)
				return
			}
			failure := platformtest.Failure(t, err)
			require.Equal(t, c.class, failure.Class)
			require.Equal(t, c.code, failure.Code)
		})
	}
}

// TestReconcile checks that only the record under the post's key counts.
func TestReconcile(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	_, key := b.record(t, "")
	found := `{"uri":"at://` + did + `/app.bsky.feed.post/` + key + `","cid":"bafy","value":{}}`
	for name, c := range map[string]struct {
		response platformtest.Response
		evidence platform.Evidence
		class    platform.Class
	}{
		"found":         {ok(found), platform.EvidenceFound, ""},
		"absent":        {refused(400, "RecordNotFound", "Could not locate record"), platform.EvidenceAbsent, ""},
		"another":       {ok(strings.Replace(found, key, "3zzzzzzzzzzzz", 1)), 0, platform.ClassTransient},
		"unavailable":   {refused(502, "UpstreamFailure", "x"), 0, platform.ClassTransient},
		"absent, 500":   {refused(500, "RecordNotFound", "x"), 0, platform.ClassTransient},
		"expired token": {refused(400, "ExpiredToken", "x"), 0, platform.ClassRefresh},
		"repo gone":     {refused(400, "RepoDeactivated", "x"), 0, platform.ClassUser},
	} {
		own := setup(t, map[string][]platformtest.Response{recordCall: {c.response}})
		own.content.PostID = b.content.PostID
		evidence, created, err := own.connector.Reconcile(t.Context(), own.account, own.content, platform.Sent{})
		require.Equal(t, c.evidence, evidence, name)
		require.Equal(t, key, own.script.Requests()[0].Query.Get("rkey"))
		if c.class != "" {
			require.Equal(t, c.class, platformtest.Failure(t, err).Class, name)
			continue
		}
		require.NoError(t, err, name)
		if evidence == platform.EvidenceFound {
			require.Equal(t, platform.Publication{
				ExternalID: key, URL: "https://bsky.app/profile/" + did + "/post/" + key,
			}, created)
		}
	}
}

// TestRefresh checks that a renewal sends the refresh token alone, and that the ends are those of the tokens.
func TestRefresh(t *testing.T) {
	t.Parallel()

	token := func(end time.Time) string {
		claims := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"exp":%d}`, end.Unix()))
		return "h." + claims + ".s"
	}
	response := func(access, refresh string) platformtest.Response {
		return ok(fmt.Sprintf(`{"did":%q,"accessJwt":%q,"refreshJwt":%q}`, did, access, refresh))
	}
	soon, late := now().Add(20*time.Minute), now().AddDate(0, 2, 0)
	b := setup(t, map[string][]platformtest.Response{refreshCall: {
		response(token(soon), token(late)), response("opaque", token(now().AddDate(-1, 0, 0))),
		response("a b", "r"), ok(`{"did":"did:plc:other","accessJwt":"a","refreshJwt":"r"}`),
		{Status: 502},
		refused(400, "InvalidToken", "x"), refused(401, "AccountTakedown", "x"), refused(429, "RateLimitExceeded", "x"),
	}})
	b.account.Credentials.Server = b.script.URL
	fresh, err := b.connector.Refresh(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, channel.Credentials{
		AccessToken: token(soon), RefreshToken: token(late), ExpiresAt: soon, RefreshExpiresAt: late, IssuedAt: now(),
		Server: b.script.URL,
	}, fresh)
	require.Equal(t, "Bearer refresh-1", b.script.Requests()[0].Header.Get("Authorization"))
	require.Empty(t, b.script.Requests()[0].Body)
	term := b.connector.Term(platform.Account{Credentials: fresh})
	require.Equal(t, late, term.EndsAt)
	require.True(t, term.Extends)

	fresh, err = b.connector.Refresh(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, now().Add(2*time.Hour), fresh.ExpiresAt)
	require.Equal(t, now().AddDate(0, 0, 90), fresh.RefreshExpiresAt)
	for _, class := range []platform.Class{
		platform.ClassTransient, platform.ClassTransient, platform.ClassTransient, platform.ClassReconnect,
		platform.ClassReconnect, platform.ClassRateLimited,
	} {
		_, err := b.connector.Refresh(t.Context(), b.account)
		require.Equal(t, class, platformtest.Failure(t, err).Class)
	}
	b.account.Credentials.RefreshToken = ""
	_, err = b.connector.Refresh(t.Context(), b.account)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}

// TestServerWithoutRulesIsRefused checks that every operation refuses a server without rules for outgoing requests.
func TestServerWithoutRulesIsRefused(t *testing.T) {
	t.Parallel()

	b := setup(t, nil, platformtest.Picture(t, 1))
	b.account.Credentials.Server = "https://127.0.0.1"
	for name, call := range map[string]func() error{
		"identify": func() error { _, err := b.connector.Identify(t.Context(), b.account); return err },
		"refresh":  func() error { _, err := b.connector.Refresh(t.Context(), b.account); return err },
		"prepare":  func() error { _, err := b.connector.Prepare(t.Context(), b.account, b.content, ""); return err },
		"commit":   func() error { _, err := b.connector.Commit(t.Context(), b.account, b.content, ""); return err },
		"posts": func() error {
			_, err := b.connector.PostInsights(t.Context(), b.account, []string{"3zzzzzzzzzzzz"})
			return err
		},
	} {
		require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, call()).Class, name)
	}
	require.Empty(t, b.script.Requests())
}

// TestPostInsights checks that posts are read in batches, and that figures of other posts are ignored.
func TestPostInsights(t *testing.T) {
	t.Parallel()

	keys := make([]string, 30)
	for i := range keys {
		keys[i] = "3zzzzzzzzzz" + string(rune('a'+i/26)) + string(rune('a'+i%26))
	}
	uri := "at://" + did + "/app.bsky.feed.post/"
	b := setup(t, map[string][]platformtest.Response{postsCall: {
		ok(`{"posts":[{"uri":"` + uri + keys[0] + `","likeCount":3,"replyCount":1,"repostCount":2,"quoteCount":1},` +
			`{"uri":"at://did:plc:other/app.bsky.feed.post/` + keys[1] + `","likeCount":9},{"uri":"` + uri + keys[2] + `"}]}`),
		ok(`{"posts":[{"uri":"` + uri + keys[29] + `","bookmarkCount":0}]}`),
	}})
	found, err := b.connector.PostInsights(t.Context(), b.account, keys)
	require.NoError(t, err)
	require.Len(t, b.script.Requests(), 2)
	require.Len(t, b.script.Requests()[0].Query["uris"], 25)
	require.Len(t, found, 2)
	require.Equal(t, int64(3), *found[keys[0]].Shares)
	require.Equal(t, int64(3), *found[keys[0]].Likes)
	require.Nil(t, found[keys[0]].Saves)
	require.Equal(t, int64(0), *found[keys[29]].Saves)
}
