package httpapi_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/platformtest"
)

// The calls to the networks.
const (
	boardsCall        = "GET /pinterest/v5/boards"
	boardsTokenCall   = "POST /pinterest/v5/oauth/token"
	personalCall      = "POST /tiktok/v2/post/publish/creator_info/query/"
	personalTokenCall = "POST /tiktok/v2/oauth/token/"
	businessCall      = "GET /tiktok-business/open_api/v1.3/business/video/settings/"
	profileCall       = "GET /tiktok-business/open_api/v1.3/business/get/"
)

// networked returns a bundle with scripted networks and a fake clock.
func networked(
	t testing.TB, responses map[string][]platformtest.Response,
) (*bundle, *platformtest.Script, *clocktest.Fake) {
	t.Helper()
	tt, ok := t.(*testing.T)
	require.True(t, ok)
	b, clk, script := world(t), clocktest.New(time.Now()), platformtest.NewScript(tt, responses)
	b.clock, b.sandbox = clk, script.URL
	b.build(t)
	b.serve(t)
	return b, script, clk
}

// account creates a channel of ours with refreshable credentials.
func (b *bundle) account(t testing.TB, typ channel.Type) ident.Channel {
	t.Helper()
	id := b.channel(t, b.ours.id, typ, true)
	c := channel.Channel{ID: id, WorkspaceID: b.ours.id, TokenStatus: channel.TokenHealthy}
	credentials := channel.Credentials{
		AccessToken: "access/1", RefreshToken: "refresh/1", ExpiresAt: b.clock.Now().Add(time.Hour),
	}
	require.NoError(t, postgres.NewChannels(b.db, b.keyring).Replace(t.Context(), c, credentials))
	return id
}

func (b *bundle) boards(t testing.TB, id ident.Channel) response {
	t.Helper()
	return b.get(t, "/v1/channels/"+id.String()+"/pinterest/boards")
}

func (b *bundle) creator(t testing.TB, id ident.Channel) response {
	t.Helper()
	return b.get(t, "/v1/channels/"+id.String()+"/tiktok/creator-info")
}

func says(status int, body string) platformtest.Response {
	return platformtest.Response{Status: status, Body: body}
}

// requested returns the calls to the network, in order.
func requested(script *platformtest.Script) []string {
	var out []string
	for _, r := range script.Requests() {
		out = append(out, r.Method+" "+r.Path)
	}
	return out
}

const (
	someBoards    = `{"items":[{"id":"11","name":"Tiles & more","privacy":"PUBLIC","pin_count":5},{"id":"12","name":"Secret","privacy":"SECRET"}],"bookmark":null}`
	freshTokens   = `{"access_token":"access/2","refresh_token":"refresh/2","expires_in":3600}`
	personalOK    = `{"data":{"creator_nickname":"Acme","creator_avatar_url":"https://p16.example/a.jpeg","privacy_level_options":["PUBLIC_TO_EVERYONE","SELF_ONLY"],"comment_disabled":true,"duet_disabled":false,"stitch_disabled":true,"max_video_post_duration_sec":600},"error":{"code":"ok"}}`
	personalStale = `{"data":{},"error":{"code":"access_token_invalid","message":"canary of the network"}}`
)

func TestBoards(t *testing.T) {
	t.Parallel()
	b, script, clk := networked(t, map[string][]platformtest.Response{boardsCall: {
		says(200, someBoards), says(200, `{"items":[],"bookmark":null}`), says(200, someBoards),
	}})
	id := b.account(t, channel.Pinterest)
	read := b.boards(t, id)
	require.Equal(t, http.StatusOK, read.status, read.body)
	require.Equal(t, []map[string]any{
		{"id": "11", "name": "Tiles & more", "privacy": "PUBLIC", "pinCount": 5.0},
		{"id": "12", "name": "Secret", "privacy": "SECRET", "pinCount": 0.0},
	}, read.list(t))
	require.Equal(t, "Bearer access/1", script.Requests()[0].Header.Get("Authorization"))

	clk.Advance(30*time.Second - time.Millisecond)
	require.Equal(t, read.body, b.boards(t, id).body)
	require.Len(t, script.Requests(), 1, "known for 30 seconds")
	clk.Advance(time.Millisecond)
	require.JSONEq(t, `[]`, b.boards(t, id).body)
	require.Len(t, script.Requests(), 2)
	another := b.account(t, channel.Pinterest)
	require.Len(t, b.boards(t, another).list(t), 2, "what is known is known of one channel")
	require.Len(t, script.Requests(), 3)
}

func TestCreatorInfo(t *testing.T) {
	t.Parallel()
	b, _, _ := networked(t, map[string][]platformtest.Response{
		personalCall: {says(200, personalOK)},
		businessCall: {says(200, `{"code":0,"data":{"max_video_post_duration_sec":60}}`)},
		profileCall:  {says(200, `{"code":0,"data":{"display_name":"Acme Business"}}`)},
	})
	personal := b.creator(t, b.account(t, channel.TikTokPersonal))
	require.Equal(t, http.StatusOK, personal.status, personal.body)
	require.Equal(t, map[string]any{
		"nickname": "Acme", "avatarUrl": "https://p16.example/a.jpeg",
		"privacyLevelOptions": []any{"PUBLIC_TO_EVERYONE", "SELF_ONLY"},
		"commentDisabled":     true, "duetDisabled": false, "stitchDisabled": true, "maxVideoDurationSec": 600.0,
	}, personal.object(t))
	business := b.creator(t, b.account(t, channel.TikTokBusiness))
	require.Equal(t, http.StatusOK, business.status, business.body)
	require.Equal(t, map[string]any{
		"nickname": "Acme Business", "avatarUrl": nil, "privacyLevelOptions": []any{"PUBLIC_TO_EVERYONE"},
		"commentDisabled": false, "duetDisabled": false, "stitchDisabled": false, "maxVideoDurationSec": 60.0,
	}, business.object(t))
}

func TestConcurrentRequestsCallNetworkOnce(t *testing.T) {
	t.Parallel()
	b, script, _ := networked(t, map[string][]platformtest.Response{boardsCall: {says(200, someBoards)}})
	id := b.account(t, channel.Pinterest)
	for _, a := range atOnce(20, func(int) response { return b.boards(t, id) }) {
		require.Equal(t, http.StatusOK, a.status, a.body)
	}
	require.Len(t, script.Requests(), 1)
}

func TestExpiredAccessIsRenewed(t *testing.T) {
	t.Parallel()
	b, script, clk := networked(t, map[string][]platformtest.Response{
		boardsCall: {says(401, `{"code":2,"message":"x"}`), says(200, someBoards)}, boardsTokenCall: {says(200, freshTokens)},
		personalCall: {says(200, personalOK)}, personalTokenCall: {says(200, freshTokens)},
	})
	require.Equal(t, http.StatusOK, b.boards(t, b.account(t, channel.Pinterest)).status)
	require.Equal(t, []string{boardsCall, boardsTokenCall, boardsCall}, requested(script))
	require.Equal(t, "Bearer access/2", script.Requests()[2].Header.Get("Authorization"))

	personal := b.account(t, channel.TikTokPersonal)
	clk.Advance(59*time.Minute + time.Second) // close to its expiry
	require.Equal(t, http.StatusOK, b.creator(t, personal).status)
	require.Equal(t, []string{personalTokenCall, personalCall}, requested(script)[3:], "renewed beforehand")
	require.Equal(t, []string{"HEALTHY"}, b.column(t, `SELECT DISTINCT token_status FROM channel`))
}

// TestLostAccessRequiresReconnect checks that the error asks the client to reconnect, and that the channel shows it.
func TestLostAccessRequiresReconnect(t *testing.T) {
	t.Parallel()
	stale, dead := says(401, `{"code":2,"message":"canary of the network"}`), says(400,
		`{"code":283,"message":"canary of the network"}`)
	for name, c := range map[string]struct {
		typ       channel.Type
		responses map[string][]platformtest.Response
	}{
		"the refresh is refused": {
			channel.Pinterest, map[string][]platformtest.Response{boardsCall: {stale}, boardsTokenCall: {dead}},
		},
		"fresh access is refused too": {
			channel.Pinterest,
			map[string][]platformtest.Response{boardsCall: {stale}, boardsTokenCall: {says(200, freshTokens)}},
		},
		"what was granted is not much": {
			channel.Pinterest,
			map[string][]platformtest.Response{boardsCall: {says(403, `{"code":3,"message":"canary of the network"}`)}},
		},
		"TikTok refuses the refresh": {channel.TikTokPersonal, map[string][]platformtest.Response{
			personalCall: {says(401, personalStale)}, personalTokenCall: {
				says(400, `{"error":"invalid_grant","error_description":"canary of the network"}`),
			},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, script, _ := networked(t, c.responses)
			id := b.account(t, c.typ)
			read := b.boards
			if c.typ != channel.Pinterest {
				read = b.creator
			}
			refused := read(t, id)
			requireProblem(t, refused, http.StatusUnprocessableEntity, "CHANNEL_DISCONNECTED")
			require.NotContains(t, refused.body, "canary")
			require.Equal(t, "NEEDS_RECONNECT", b.get(t, "/v1/channels/"+id.String()).object(t)["tokenStatus"])
			calls := len(script.Requests())
			requireProblem(t, read(t, id), http.StatusUnprocessableEntity, "CHANNEL_DISCONNECTED")
			require.Len(t, script.Requests(), calls, "not asked again")
			for _, secret := range []string{"access/", "refresh/", "canary"} {
				require.NotContains(t, b.logs.String(), secret)
			}
		})
	}
}

func TestUnresponsiveNetworks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		response platformtest.Response
		wait     time.Duration // 0: any
	}{
		"broken":         {says(500, `{"code":1,"message":"canary"}`), 0},
		"a proxy's page": {says(503, `<html>canary</html>`), 0},
		"not understood": {says(200, `<html>canary</html>`), 0},
		"refused":        {says(400, `{"code":1,"message":"canary"}`), 0},
		"limited": {
			platformtest.Response{
				Status: 429, Header: map[string]string{"Retry-After": "40"}, Body: `{"code":8,"message":"canary"}`,
			},
			40 * time.Second,
		},
		"limited somehow": {says(429, ``), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, script, _ := networked(t, map[string][]platformtest.Response{boardsCall: {c.response}})
			id := b.account(t, channel.Pinterest)
			refused := b.boards(t, id)
			requireProblem(t, refused, http.StatusServiceUnavailable, "UNAVAILABLE")
			require.NotContains(t, refused.body, "canary")
			wait, err := strconv.Atoi(refused.header.Get("Retry-After"))
			require.NoError(t, err)
			require.Positive(t, wait)
			if c.wait > 0 {
				require.InDelta(t, c.wait.Seconds(), wait, 10)
			}
			require.Equal(t, "HEALTHY", b.get(t, "/v1/channels/"+id.String()).object(t)["tokenStatus"])
			calls := len(script.Requests())
			b.boards(t, id)
			require.Greater(t, len(script.Requests()), calls, "failures are not kept")
		})
	}
	silent := setup(t) // no server listens at the address
	requireProblem(t, silent.boards(t, silent.account(t, channel.Pinterest)), http.StatusServiceUnavailable, "UNAVAILABLE")
}

// TestErrorsWithoutNetworkCall covers the errors that need no call to a network.
func TestErrorsWithoutNetworkCall(t *testing.T) {
	t.Parallel()
	b, script, _ := networked(t, map[string][]platformtest.Response{
		boardsCall: {says(200, someBoards)}, personalCall: {says(200, personalOK)},
	})
	for _, typ := range channel.Types() {
		id := b.channel(t, b.ours.id, typ, true)
		if typ != channel.Pinterest {
			p := requireProblem(t, b.boards(t, id), http.StatusUnprocessableEntity, "CHANNEL_TYPE_MISMATCH")
			require.Contains(t, p["detail"], "PINTEREST")
		}
		if !strings.HasPrefix(string(typ), "TIKTOK") {
			p := requireProblem(t, b.creator(t, id), http.StatusUnprocessableEntity, "CHANNEL_TYPE_MISMATCH")
			require.Contains(t, p["detail"], "TIKTOK_PERSONAL or TIKTOK_BUSINESS")
		}
	}
	for _, read := range []func(testing.TB, ident.Channel) response{b.boards, b.creator} {
		for _, id := range []ident.Channel{
			b.theirs.channels[channel.Pinterest], b.theirs.channels[channel.TikTokBusiness], ident.New[ident.Channel](),
		} {
			requireProblem(t, read(t, id), http.StatusNotFound, "NOT_FOUND")
		}
	}
	requireProblem(t, b.boards(t, b.channel(t, b.ours.id, channel.Pinterest, false)), http.StatusUnprocessableEntity,
		"CHANNEL_DISCONNECTED")
	path := fmt.Sprintf("/v1/channels/%s/pinterest/boards", b.account(t, channel.Pinterest))
	refused := b.do(t, request{method: http.MethodGet, path: path, key: b.key(t, b.ours.id, credential.PostsWrite)})
	requireProblem(t, refused, http.StatusForbidden, "INSUFFICIENT_SCOPE")
	require.Empty(t, script.Requests())
}
