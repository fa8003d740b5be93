package pinterest_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

func description(t *testing.T) platformtest.OpenAPI {
	t.Helper()
	return platformtest.LoadOpenAPI(t, filepath.Join("testdata", "openapi.yaml"), "CONTRACT_OPENAPI_PINTEREST", "/v5")
}

// TestRequestsMatchOpenAPIDescription checks every request against Pinterest's description.
func TestRequestsMatchOpenAPIDescription(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		analyticsCall:          {ok(`{"all":{"daily_metrics":[]}}`)},
		accountCall:            {ok(`{"username":"acme","follower_count":1}`)},
		figuresOf("1"):         {ok(`{"all":{}}`)},
		figuresOf("2"):         {ok(`{"all":{}}`)},
		"GET /v5/boards":       {ok(`{"items":[],"bookmark":"more"}`), ok(`{"items":[]}`)},
		sectionsCall:           {ok(`{"items":[],"bookmark":"more"}`), ok(`{"items":[]}`)},
		"POST /v5/oauth/token": {ok(`{"access_token":"a","refresh_token":"r","expires_in":2592000}`)},
	})
	_, err := b.connector.Identify(t.Context(), b.account)
	require.NoError(t, err)
	_, err = b.connector.Boards(t.Context(), b.account)
	require.NoError(t, err)
	_, err = b.connector.BoardSections(t.Context(), b.account, "11")
	require.NoError(t, err)
	_, err = b.connector.Refresh(t.Context(), b.account)
	require.NoError(t, err)
	_, err = b.connector.AccountInsights(t.Context(), b.account, today().Add(-3), today())
	require.NoError(t, err)
	_, err = b.connector.PostInsights(t.Context(), b.account, []string{"1", "2"})
	require.NoError(t, err)
	description(t).Check(t, b.script.Requests())
	require.GreaterOrEqual(t, len(b.script.Requests()), 6)
}

// TestPinsMatchOpenAPIDescription checks the requests of every kind of pin.
func TestPinsMatchOpenAPIDescription(t *testing.T) {
	t.Parallel()
	for name, files := range map[string][]platformtest.Attachment{
		"image": platformtest.Pictures(t, 1), "carousel": platformtest.Pictures(t, 2),
		"animation": {platformtest.GIF(t)}, "video": {platformtest.Video(1000)},
	} {
		p := setupPin(t, map[string][]platformtest.Response{
			listCall: {pins("")}, "GET /v5/boards/11/sections/12/pins": {pins("more"), pins("")},
		}, files...)
		_, err := p.publish(t)
		require.NoError(t, err, name)
		for _, section := range []string{"12", ""} {
			p.content.Options.BoardSectionID = section
			_, _, err = p.connector.Reconcile(t.Context(), p.account, p.content, platform.Sent{Text: "Tiles", At: now()})
			require.NoError(t, err, name)
		}
		calls := slices.DeleteFunc(p.script.Requests(), func(r platformtest.Recorded) bool { return r.Path == "/s3/" })
		require.GreaterOrEqual(t, len(calls), 4)
		description(t).Check(t, calls)
	}
}

// TestOpenAPIDescriptionRefusesUnknownMembers checks that the check above can fail.
func TestOpenAPIDescriptionRefusesUnknownMembers(t *testing.T) {
	t.Parallel()
	document := description(t)
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	for name, r := range map[string]platformtest.Recorded{
		"missing":   {Method: http.MethodPost, Path: "/v5/oauth/token", Header: form, Body: "refresh_token=r"},
		"path":      {Method: http.MethodGet, Path: "/v5/nothing", Header: form},
		"parameter": {Method: http.MethodGet, Path: "/v5/boards", Query: url.Values{"size": {"1"}}, RawQuery: "size=1"},
		"value": {
			Method: http.MethodGet, Path: "/v5/boards", Query: url.Values{"page_size": {"251"}}, RawQuery: "page_size=251",
		},
	} {
		require.Error(t, document.Fault(t, r), name)
	}
}
