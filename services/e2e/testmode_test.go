package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/testnet"
)

// hasty shortens the waits of the protocol.
var hasty = []string{
	"RETRY_SCALE=0.1", "PUBLISH_SEND_WINDOW=3s", "PUBLISH_READ_DELAY=1s", "PUBLISH_COMMIT_TIMEOUT=2s", "SWEEP_INTERVAL=3s",
}

// inTestMode returns the system as the holder of a test key sees it.
func inTestMode(t *testing.T, s *harness.System) *harness.System {
	t.Helper()
	created := s.Admin("key", "create", "--test", "--name", "Test", "--scopes", "all")
	key, _ := created["apiKey"].(string)
	require.Regexp(t, `^svc_test_[0-9A-Za-z]{38}$`, key)
	test := s.In(t)
	test.Key, test.API, test.Channels = key, s.Client(key), make(map[channel.Type]channel.Channel)
	workspace, err := test.API.GetWorkspace(t.Context())
	require.NoError(t, err)
	require.Equal(t, fencepost.WorkspaceModeTest, workspace.Mode)
	test.Workspace, err = ident.Parse[ident.Workspace](workspace.ID)
	require.NoError(t, err)
	require.NotEqual(t, s.Workspace, test.Workspace)
	listed, err := test.API.Channels.List(t.Context(), fencepost.ListChannelsParams{})
	require.NoError(t, err)
	for _, c := range listed {
		id, err := ident.Parse[ident.Channel](c.ID)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(c.Name, "Test "), c.Name)
		test.Channels[channel.Type(c.Type)] = channel.Channel{ID: id, Type: channel.Type(c.Type)}
	}
	require.Len(t, test.Channels, len(channel.Types()))
	return test
}

// request sends a request with a key and returns the status and the body.
func request(t *testing.T, s *harness.System, key, method, path, body string) (int, map[string]any) {
	t.Helper()
	status, raw := s.In(t).Send(key, method, path, body)
	var decoded map[string]any
	if json.Unmarshal(raw, &decoded) != nil { // a list
		decoded = map[string]any{"raw": string(raw)}
	}
	return status, decoded
}

// scripted publishes a post with a script and returns its ID.
func scripted(t *testing.T, test *harness.System, typ channel.Type, script string) string {
	t.Helper()
	body := fmt.Sprintf(`[{"channelIds": [%q], "content": "A post to see %s", "schedule": "now", "metadata": {"test": %q}}]`,
		test.Channels[typ].ID, script, script)
	status, got := request(t, test, test.Key, http.MethodPost, "/v1/posts", body[1:len(body)-1])
	require.Equal(t, http.StatusCreated, status, "%v", got)
	var posts []struct{ ID string }
	raw, _ := got["raw"].(string)
	require.NoError(t, json.Unmarshal([]byte(raw), &posts))
	require.Len(t, posts, 1)
	return posts[0].ID
}

// TestTestModeFollowsScripts publishes posts by real workflows. The network must have each post exactly as often as its
// script says, and the sandbox, which replaces the real networks, none.
func TestTestModeFollowsScripts(t *testing.T) {
	t.Parallel()
	s := running(t, hasty...)
	test := inTestMode(t, s)
	const once, never = "1", "0"
	published, failed := fencepost.PostStatusPublished, fencepost.PostStatusFailed
	cases := map[string]struct {
		typ      channel.Type
		status   fencepost.PostStatus
		code     string // of the error
		accepted string // times that the network accepted the post
		attempts string
	}{
		testnet.ScriptAccept:             {channel.Twitter, published, "", once, "1"},
		testnet.ScriptSlow:               {channel.Twitter, published, "", once, "1"},
		testnet.ScriptProcessing:         {channel.Threads, published, "", once, "1"},
		testnet.ScriptRateLimited:        {channel.Threads, published, "", once, "2"},
		testnet.ScriptUnavailableOnce:    {channel.Bluesky, published, "", once, "2"},
		testnet.ScriptTokenExpired:       {channel.Mastodon, published, "", once, "2"},
		testnet.ScriptTimeoutAfterAccept: {channel.Twitter, published, "", once, "1"},
		testnet.ScriptTimeoutLost:        {channel.Twitter, published, "", once, "2"},
		testnet.ScriptReviewAccepted:     {channel.FacebookPage, published, "", once, "1"},
		testnet.ScriptRefuse:             {channel.Twitter, failed, testnet.CodeRefused, never, "1"},
		testnet.ScriptReviewRefused:      {channel.GoogleBusiness, failed, testnet.CodeRefused, once, "1"},
		testnet.ScriptRemovedLater:       {channel.LinkedInPage, failed, "PLATFORM_REMOVED", once, "1"},
		testnet.ScriptUnavailable:        {channel.Bluesky, failed, "PLATFORM_UNAVAILABLE", never, ""},
		testnet.ScriptLostForGood:        {channel.Twitter, failed, "OUTCOME_UNKNOWN", never, "1"},
		// as live: the network cannot be read
		"unreadable": {channel.TelegramChannel, failed, "OUTCOME_UNKNOWN", once, "1"},
	}
	for script, want := range cases {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			test := test.In(t)
			if script == "unreadable" {
				script = testnet.ScriptTimeoutAfterAccept
			}
			id := scripted(t, test, want.typ, script)
			var p fencepost.Post
			require.EventuallyWithT(t, func(c *assert.CollectT) {
				p = test.Get(id)
				require.Equal(c, want.status, p.Status)
			}, 2*soon, 100*time.Millisecond)
			if want.code != "" {
				require.Equal(t, want.code, p.Error.Code)
			} else {
				require.Equal(t, s.AppURL+"/w/"+test.Workspace.String()+"/posts/"+id, *p.PostURL)
			}
			require.Equal(t, []string{want.accepted}, postgrestest.Column(t, s.Database(),
				`SELECT count(*) FROM test_post WHERE accepted_at IS NOT NULL AND post_id = $1`, id))
			if want.attempts != "" {
				require.Equal(t, []string{want.attempts}, postgrestest.Column(t, s.Database(),
					`SELECT count(*) FROM publish_attempt WHERE post_id = $1`, id))
			}
		})
	}
	t.Cleanup(func() { require.Empty(t, s.Sandbox.Ledger(), "a network was reached") })
	for _, defined := range testnet.Scripts() {
		if _, tried := cases[defined.Name]; !tried {
			require.Equal(t, testnet.ScriptTokenRevoked, defined.Name, "has a test of its own")
		}
	}
}

// TestRevokedTestConnectionIsRestored checks that posts wait for a channel that a script has cut off, until a person
// reconnects it in the application.
func TestRevokedTestConnectionIsRestored(t *testing.T) {
	t.Parallel()
	s := running(t, hasty...)
	s.Start("console", "").Ready()
	test := inTestMode(t, s)
	person := s.NewPerson("dana@example.com").At(test.Workspace)
	require.NoError(t, person.SignIn(t.Context()))
	id := scripted(t, test, channel.Twitter, testnet.ScriptTokenRevoked)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		waiting := test.Get(id).Waiting
		require.NotNil(c, waiting)
		require.Equal(c, fencepost.WaitingReasonChannelReconnect, waiting.Reason)
	}, soon, 100*time.Millisecond)
	status, got := request(t, test, test.Key, http.MethodPost, "/v1/posts", fmt.Sprintf(
		`{"channelIds": [%q], "content": "x", "schedule": "now"}`, test.Channels[channel.Twitter].ID))
	require.Equal(t, http.StatusUnprocessableEntity, status, "%v", got)
	require.Equal(t, "CHANNEL_DISCONNECTED", got["code"])
	page := "/channels/" + test.Channels[channel.Twitter].ID.String()
	text, err := person.Submit(t.Context(), page, page+"/reconnect", url.Values{})
	require.NoError(t, err)
	require.Contains(t, text, "Test X is connected again.")
	require.Contains(t, text, "Posts here reach no network.")
	p := settled(t, test, id, soon)
	require.Equal(t, fencepost.PostStatusPublished, p.Status, "%+v", p.Error)
	text, err = person.Open(t.Context(), "/posts/"+id)
	require.NoError(t, err)
	require.Contains(t, text, "A post to see token_revoked", "the address of a test post is its page")
	for _, path := range []string{"/connect", "/connect/twitter", "/settings/members", "/settings/networks"} {
		_, err := person.Open(t.Context(), path)
		require.ErrorContains(t, err, "belongs to the live workspace", path)
	}
	require.Empty(t, s.Sandbox.Ledger(), "a network was reached")
}

// TestModesAreIsolated checks that a key sees and changes nothing of the other mode, and that the webhooks of a mode get
// its events only.
func TestModesAreIsolated(t *testing.T) {
	t.Parallel()
	s := running(t, hasty...)
	test := inTestMode(t, s)
	s.Subscribe()
	test.Subscribe()
	ids := map[*harness.System]map[string]string{s: {}, test: {}}
	for _, of := range []*harness.System{s, test} {
		of := of.In(t)
		found := ids[s]
		if of.Key == test.Key {
			found = ids[test]
		}
		found["channels"] = of.Channels[channel.Twitter].ID.String()
		found["posts"] = of.Create(channel.Twitter, "Isolated", "draft").ID
		found["media"] = of.Upload("a.jpg", "image/jpeg", harness.Picture(t, 1)).ID
		hooks, err := of.API.Webhooks.List(t.Context())
		require.NoError(t, err)
		found["webhooks"] = hooks[0].ID
		boards, err := of.API.Ideas.ListBoards(t.Context())
		require.NoError(t, err)
		found["idea-boards"] = boards[0].ID
	}
	for _, c := range []struct{ own, other *harness.System }{{s, test}, {test, s}} {
		for subject, calls := range map[string][]string{
			"channels":    {"GET /schedule", "GET /boards"},
			"posts":       {"GET ", "GET /timeline", "PATCH ", "POST /publish", "POST /unschedule", "POST /request-approval", "DELETE "},
			"media":       {"GET ", "PATCH ", "DELETE "},
			"webhooks":    {"GET ", "PATCH ", "POST /test", "POST /rotate-secret", "GET /deliveries", "POST /replay", "DELETE "},
			"idea-boards": {"GET "},
		} {
			for _, call := range calls {
				method, rest, _ := strings.Cut(call, " ")
				body := map[string]string{"PATCH": `{"content": "x"}`}[method]
				switch {
				case method == http.MethodPatch && subject == "media":
					body = `{"altText": "x"}`
				case method == http.MethodPatch && subject == "webhooks":
					body = `{"description": "x"}`
				case rest == "/replay":
					body = `{"since": "2026-01-01T00:00:00Z"}`
				}
				path := "/v1/" + subject + "/" + ids[c.other][subject] + rest
				status, got := request(t, s, c.own.Key, method, path, body)
				require.Equal(t, http.StatusNotFound, status, "%s %s: %v", method, path, got)
			}
			if subject != "channels" {
				status, got := request(t, s, c.own.Key, http.MethodGet, "/v1/"+subject+"/"+ids[c.own][subject], "")
				require.Equal(t, http.StatusOK, status, "%v", got)
			}
		}
		for body, kind := range map[string]string{
			`{"channelIds": ["` + ids[c.other]["channels"] + `"], "content": "x"}`:                                              "a channel",
			`{"channelIds": ["` + ids[c.own]["channels"] + `"], "content": "x", "mediaIds": ["` + ids[c.other]["media"] + `"]}`: "a file",
		} {
			status, got := request(t, s, c.own.Key, http.MethodPost, "/v1/posts", body)
			require.Equal(t, http.StatusNotFound, status, "%s of the other mode: %v", kind, got)
		}
	}
	p := settled(t, test, scripted(t, test, channel.Twitter, testnet.ScriptAccept), soon)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		var got []string
		for _, r := range s.Receiver.All() {
			if r.Data["postId"] == p.ID {
				require.True(c, r.Verified, "with the secret of the test webhook")
				require.Contains(c, string(r.Body), `"workspaceId":"`+test.Workspace.String()+`"`)
				got = append(got, r.Type)
			}
		}
		require.Contains(c, got, "post.published")
		require.Len(c, slices.Compact(slices.Sorted(slices.Values(got))), len(got), "each once: %v", got)
	}, soon, 50*time.Millisecond)
	status, got := request(t, s, s.Key, http.MethodGet, "/v1/workspace", "")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "live", got["mode"])
}

// TestAgentWithTestKeyUsesTestChannels checks that tools show a test key its test channels only, and that a post follows
// its script.
func TestAgentWithTestKeyUsesTestChannels(t *testing.T) {
	t.Parallel()
	s := running(t, hasty...)
	s.StartTools(1)
	test := inTestMode(t, s)
	a := connected(t, test, s.MCPURL, "")
	all := does[channelsFound](a, "list_channels", nil).Data
	require.Len(t, all, len(test.Channels))
	for _, c := range all {
		require.Equal(t, test.Channels[channel.Type(c.Type)].ID.String(), c.ID)
	}
	pinterest := test.Channels[channel.Pinterest].ID.String()
	boards := does[struct {
		Data     []struct{ ID, Name string } `json:"data"`
		Sections []struct{ ID, Name string } `json:"sections"`
	}](a, "list_boards", args{"channelId": pinterest, "boardId": "1001"})
	require.Equal(t, "Test board", boards.Data[0].Name)
	require.Len(t, boards.Sections, 1)
	live := s.Channels[channel.Twitter].ID.String()
	_, err := call[any](t.Context(), a.Agent, "create_post", args{"channelIds": []string{live}, "content": "x"})
	require.ErrorContains(t, err, "NOT_FOUND")

	x := []string{test.Channels[channel.Twitter].ID.String()}
	create := func(script string) string {
		return does[postsCreated](a, "create_post", args{
			"channelIds": x, "content": "By an agent: " + script, "schedule": "now", "metadata": args{"test": script},
		}).Posts[0].ID
	}
	accepted, refused := create(testnet.ScriptTimeoutAfterAccept), create(testnet.ScriptRefuse)
	require.Equal(t, s.AppURL+"/w/"+test.Workspace.String()+"/posts/"+accepted, *a.published(accepted).PostURL)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		got := does[postChanged](a, "get_post", args{"postId": refused}).Post
		require.Equal(c, fencepost.PostStatusFailed, got.Status)
		require.Equal(c, testnet.CodeRefused, got.Error.Code)
	}, soon, 100*time.Millisecond)
	_, err = call[any](t.Context(), a.Agent, "create_post", args{
		"channelIds": x, "content": "x", "metadata": args{"test": "no such script"},
	})
	require.ErrorContains(t, err, "/metadata/test")
	require.Empty(t, s.Sandbox.Ledger(), "a network was reached")
}

// TestUnknownScriptIsRefusedInTestModeOnly checks creation and changes.
func TestUnknownScriptIsRefusedInTestModeOnly(t *testing.T) {
	t.Parallel()
	s := running(t, hasty...)
	test := inTestMode(t, s)
	for _, of := range []*harness.System{s, test} {
		create := fmt.Sprintf(`{"channelIds": [%q], "content": "x", "metadata": {"test": "Refuse"}}`,
			of.Channels[channel.Twitter].ID)
		draft := of.Create(channel.Twitter, "A draft", "draft").ID
		for path, body := range map[string]string{
			"POST /v1/posts": create, "POST /v1/posts/validate": create,
			"PATCH /v1/posts/" + draft: `{"metadata": {"test": "Refuse"}}`,
		} {
			method, path, _ := strings.Cut(path, " ")
			status, got := request(t, s, of.Key, method, path, body)
			if of.Key == s.Key {
				require.Less(t, status, 300, "%s %s: %v", method, path, got)
				continue
			}
			require.Equal(t, http.StatusUnprocessableEntity, status, "%s %s: %v", method, path, got)
			errs, _ := got["errors"].([]any)
			require.Len(t, errs, 1, "%v", got)
			fault, _ := errs[0].(map[string]any)
			require.Equal(t, "/metadata/test", fault["pointer"])
			for _, script := range testnet.Scripts() {
				require.Contains(t, fault["message"], script.Name)
			}
		}
	}
	status, got := request(t, s, test.Key, http.MethodPost, "/v1/posts/bulk", fmt.Sprintf(
		`{"posts": [{"channelIds": [%[1]q], "content": "x", "metadata": {"test": "no"}}, {"channelIds": [%[1]q], "content": "x"}]}`,
		test.Channels[channel.Twitter].ID))
	require.Equal(t, http.StatusOK, status, "%v", got)
	items, _ := json.Marshal(got)
	require.Contains(t, string(items), "no test script")
}
