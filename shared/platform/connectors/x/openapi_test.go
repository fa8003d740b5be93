package x_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/x"
	"fencepost.internal/shared/platform/platformtest"
)

func description(t *testing.T) platformtest.OpenAPI {
	t.Helper()
	return platformtest.LoadOpenAPI(t, filepath.Join("testdata", "openapi.yaml"), "CONTRACT_OPENAPI_X", "")
}

// everyRequest makes every call of the connector and returns its requests.
func everyRequest(t *testing.T, dialect x.Dialect) []platformtest.Recorded {
	t.Helper()
	list := platformtest.Response{Body: `{"data":[{"id":"1","text":"t"}],"meta":{"result_count":1,"next_token":"more"}}`}
	last := platformtest.Response{Body: `{"meta":{"result_count":0}}`}
	u := setupUpload(t, map[string][]platformtest.Response{
		finalizeCall:             {info("pending", `,"check_after_secs":1`)},
		statusCall:               {info("succeeded", "")},
		"GET /2/users/42/tweets": {list, last},
		meCall:                   {{Body: `{"data":{"id":"42","username":"acme"}}`}},
		lookupCall:               {{Body: `{"data":[{"id":"` + idOf(1) + `"}]}`}},
		publishCall:              {{Status: http.StatusCreated, Body: `{"data":{"id":"1"}}`}},
		metadataCall:             {{Body: `{"data":{"id":"71"}}`}},
	}, platformtest.Described(platformtest.Pictures(t, 2))...)
	connector, err := x.New(x.Config{
		Wire: httpcall.Config{BaseURL: u.script.URL, Clock: clocktest.New(now())}, ClientID: "client", Dialect: dialect,
	})
	require.NoError(t, err)
	u.connector = connector
	u.account.ExternalID = "42"
	handle := u.prepare(t, "").Handle
	handle = u.prepare(t, handle).Handle
	_, err = connector.Commit(t.Context(), u.account, u.content, handle)
	require.NoError(t, err)
	_, _, err = connector.Reconcile(t.Context(), u.account, u.content, platform.Sent{Text: "other", At: now()})
	require.NoError(t, err)
	_, err = connector.Identify(t.Context(), u.account)
	require.NoError(t, err)
	_, err = connector.Facts(t.Context(), u.account)
	require.NoError(t, err)
	_, err = connector.AccountInsights(t.Context(), u.account, today(), today())
	require.NoError(t, err)
	_, err = connector.PostInsights(t.Context(), u.account, []string{idOf(1), idOf(90)})
	require.NoError(t, err)
	text := u.content
	text.Media = nil
	text.ReplyTo = &platform.ReplyTo{Kind: post.PartReply, RootID: "1", ParentID: "1"}
	_, err = connector.Commit(t.Context(), u.account, text, "")
	require.NoError(t, err)
	text.ReplyTo = nil
	for _, o := range []post.Options{
		{Replies: "mentioned", PollOptions: []string{"Blue", "Green"}, AIGenerated: new(true), BrandContent: new(true)},
		{Replies: "everyone", Quote: "https://twitter.com/acme/status/12"},
	} {
		text.Options = o
		_, err = connector.Commit(t.Context(), u.account, text, "")
		require.NoError(t, err)
	}
	text.Options = post.Options{}
	_, err = connector.Commit(t.Context(), u.account, text, "")
	require.NoError(t, err)
	text.Text = ""
	_, err = connector.Commit(t.Context(), u.account, text, "")
	require.NoError(t, err)
	return u.script.Requests()
}

// TestRequestsMatchOpenAPIDescription checks every request against X's description, which has only post.fields.
func TestRequestsMatchOpenAPIDescription(t *testing.T) {
	t.Parallel()
	requests := everyRequest(t, x.PostFields)
	description(t).Check(t, requests)
	paths := make(map[string]bool)
	for _, r := range requests {
		paths[r.Method+" "+r.Path] = true
	}
	for _, call := range []string{
		publishCall, metadataCall, initializeCall, appendCall, finalizeCall, statusCall, meCall, lookupCall, "GET /2/users/42/tweets",
	} {
		require.True(t, paths[call], call)
	}
}

// TestOpenAPIDescriptionRefusesUnknownMembers checks that the check above can fail.
func TestOpenAPIDescriptionRefusesUnknownMembers(t *testing.T) {
	t.Parallel()
	document := description(t)
	json := http.Header{"Content-Type": {"application/json"}}
	for name, r := range map[string]platformtest.Recorded{
		"member":      {Method: http.MethodPost, Path: "/2/tweets", Header: json, Body: `{"text":"t","mediaIds":["1"]}`},
		"type":        {Method: http.MethodPost, Path: "/2/tweets", Header: json, Body: `{"text":7}`},
		"path":        {Method: http.MethodGet, Path: "/2/nothing", Header: json},
		"parameter":   listing("tweet.fields", "id"),
		"field":       listing("post.fields", "note_tweet"),
		"large pages": listing("max_results", "101"),
	} {
		require.Error(t, document.Fault(t, r), name)
	}
}

func listing(parameter, value string) platformtest.Recorded {
	query := url.Values{parameter: {value}}
	return platformtest.Recorded{
		Method: http.MethodGet, Path: "/2/users/42/tweets", Query: query, RawQuery: query.Encode(),
	}
}

// TestDialectsDifferOnlyInNames checks the requests with tweet.fields, which the description lacks. What a post refers to is an
// expansion of the newer dialect, and a field of the older one.
func TestDialectsDifferOnlyInNames(t *testing.T) {
	t.Parallel()
	old, fresh := everyRequest(t, x.TweetFields), everyRequest(t, x.PostFields)
	require.Len(t, old, len(fresh))
	renamed := strings.NewReplacer("tweet.fields", "post.fields", "note_tweet", "note_post", "%2Creferenced_tweets", "")
	for i, r := range old {
		want, err := url.ParseQuery(fresh[i].RawQuery)
		require.NoError(t, err)
		if strings.HasSuffix(r.Path, "/42/tweets") {
			require.Contains(t, r.RawQuery, "referenced_tweets")
			require.Equal(t, "referenced_posts", want.Get("expansions"))
			want.Del("expansions")
		}
		got, err := url.ParseQuery(renamed.Replace(r.RawQuery))
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, fresh[i].Path, r.Path)
	}
}

// TestEmptyTextIsSent checks that the text is a member even of a post of pictures alone (truth check X3).
func TestEmptyTextIsSent(t *testing.T) {
	t.Parallel()
	sent := everyRequest(t, x.PostFields)
	require.JSONEq(t, `{"text":""}`, sent[len(sent)-1].Body)
}

// TestSegmentSizeIsConfigurable checks that an upload keeps the size it began with (truth check X4).
func TestSegmentSizeIsConfigurable(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{1, 5_000_001} {
		_, err := x.New(x.Config{Wire: httpcall.Config{Clock: clocktest.New(now())}, SegmentSize: size})
		require.ErrorContains(t, err, "segment size")
	}
	_, err := x.New(x.Config{Wire: httpcall.Config{Clock: clocktest.New(now())}, Dialect: "fields"})
	require.ErrorContains(t, err, "dialect")
}
