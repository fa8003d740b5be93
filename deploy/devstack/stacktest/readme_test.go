package stacktest_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/stack"
)

// TestREADME runs the commands of README.md, and those of the page with curl, against a separate stack.
func TestREADME(t *testing.T) {
	t.Parallel()
	s := newCheckout(t)
	t.Run("works", func(t *testing.T) {
		t.Parallel()
		testREADMEWorks(t, s)
	})
	t.Run("works with curl", func(t *testing.T) {
		t.Parallel()
		testCurlWorks(t, s)
	})
	t.Run("stops at a problem", func(t *testing.T) {
		t.Parallel()
		testREADMEStops(t, s)
	})
}

// testREADMEWorks runs the blocks in a fresh shell, in their order and unchanged.
func testREADMEWorks(t *testing.T, s *checkout) {
	t.Helper()
	executed := executedBlocks(t, readme)
	require.Len(t, executed, 2)
	require.Equal(t, 8, strings.Count(executed[0].text, "\n"), "lines of the quickstart")
	result := s.shell(t, script(executed))
	require.Zero(t, result.code, result.err)
	checkCommandLine(t, s, result.printed("Quickstart"))
	checkDotEnv(t, s, result.printed("Containers"))
}

// checkCommandLine checks what the quickstart prints: a JSON object on each line.
func checkCommandLine(t *testing.T, s *checkout, printed string) {
	t.Helper()
	lines := strings.Split(printed, "\n")
	channels := len(s.file.Workspaces[0].Channels)
	require.Greater(t, len(lines), channels+4)
	for i, kind := range []string{"THREADS", "TWITTER"} {
		post := decode[apiPost](t, lines[channels+i])
		require.Equal(t, "SCHEDULED", post.Status)
		require.Equal(t, s.channel(t, kind), post.ChannelID)
	}
	require.Contains(t, printed, `"kind":"published"`)
	require.Contains(t, printed, `"type":"post.published"`)
	require.Len(t, s.published(t, "mastodon", "Hello from the quickstart"), 1)
	for _, line := range lines {
		if strings.HasPrefix(line, "http") {
			require.Contains(t, get(t, line), "Hello from the quickstart")
		}
	}
}

// testCurlWorks runs the blocks of the page with curl. Every executed block has a check here.
func testCurlWorks(t *testing.T, s *checkout) {
	t.Helper()
	executed := executedBlocks(t, curled)
	cleanUp := slices.IndexFunc(executed, func(b block) bool { return b.name == "Clean up" })
	require.Positive(t, cleanUp)
	// On a busy machine, a reader sees the last post in the feed before the receiver prints its event.
	executed[cleanUp].text = `until grep -q "post.published .*$LOST" "$` + errorsVariable + `"; do sleep 0.1; done` + "\n" +
		executed[cleanUp].text
	result := s.shell(t, script(executed))
	require.Zero(t, result.code, result.err)

	checks := map[string]struct {
		statuses []string
		check    func(t *testing.T, s *checkout, printed string)
	}{
		"Functions":          {nil, requireNothing},
		"List the channels":  {[]string{"GET /v1/channels 200"}, checkChannels},
		"Register a webhook": {[]string{"POST /v1/webhooks 201", "GET / 405"}, requireNothing},
		"Create a post":      {[]string{"POST /v1/posts 201", "GET /v1/posts/ID 200"}, checkFirstPost},
		"See it":             {nil, checkAddresses},
		"Upload a picture":   {uploadStatuses(), checkPicture},
		"Read the first post's state and its timeline": {
			[]string{"GET /v1/posts/ID 200", "GET /v1/posts/ID/timeline 200"}, checkTimeline,
		},
		"Make a network fail": {failStatuses(), checkLostResponse},
		"Send it twice, create it once": {
			[]string{"POST /v1/posts 201", "GET /v1/channels/ID/schedule 200"}, checkRepeatedRequest,
		},
		"Do it as an AI agent does": {[]string{"POST /mcp 200"}, checkAgent},
		"Clean up":                  {[]string{"DELETE /v1/webhooks/ID 204"}, checkCleanUp},
	}
	var names []string
	for _, b := range executed {
		names = append(names, b.name)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(checks)), names,
		"every executed block has its check, and every check its block")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, checks[name].statuses, result.statuses(name))
			checks[name].check(t, s, result.printed(name))
		})
	}
	t.Run("the receiver", func(t *testing.T) { checkReceiver(t, result) })
}

// testREADMEStops breaks one command at a time. Each time, the shell must report the problem and run no further
// command.
func testREADMEStops(t *testing.T, s *checkout) {
	t.Helper()
	for name, test := range map[string]struct{ block, old, changed, problem string }{
		"a request that the API refuses": {
			"Create a post", `"content": "Hello from curl"`, `"contents": "Hello"`, `"code":"VALIDATION_FAILED"`,
		},
		"a request whose response goes through a pipe": {
			"Register a webhook", `"events": ["*"]`, `"events": []`, `"code":"VALIDATION_FAILED"`,
		},
		"a key that another request has used": {
			"Do it as an AI agent does", `"idempotencyKey": "'$KEY_OF_CALL'"`, `"idempotencyKey": "'$KEY_OF_REQUEST'"`,
			`IDEMPOTENCY_KEY_REUSED`,
		},
		"a missing member": {"List the channels", `| field id`, `| field identity`, `there is no "identity"`},
	} {
		t.Run(name, func(t *testing.T) {
			// The intermediate steps are omitted, because they take a minute each time.
			kept := slices.DeleteFunc(executedBlocks(t, curled), func(b block) bool {
				return b.name != test.block && !slices.Contains([]string{
					"Functions", "List the channels", "Send it twice, create it once",
				}, b.name)
			})
			at := slices.IndexFunc(kept, func(b block) bool { return b.name == test.block })
			require.Contains(t, kept[at].text, test.old)
			kept[at].text = strings.Replace(kept[at].text, test.old, test.changed, 1)
			text := strings.ReplaceAll(script(kept), `"Once"`, `"Once more"`) // the other test counts its own posts
			result := s.shell(t, text+"echo reached\n")
			require.NotZero(t, result.code)
			require.Contains(t, result.err, test.problem)
			require.NotContains(t, result.out, "reached")
		})
	}
}

// TestREADMEExplainsSkippedBlocks covers the commands that the test above omits.
func TestREADMEExplainsSkippedBlocks(t *testing.T) {
	t.Parallel()
	var left []string
	for _, b := range blocks(t, readme) {
		if b.reason != "" {
			left = append(left, strings.Join(strings.Fields(regexp.MustCompile(`(?m)#.*$`).ReplaceAllString(b.text, "")), " "))
		}
	}
	require.Equal(t, []string{"make run make test", "docker compose up --build --wait docker compose run --rm admin seed"},
		left)
}

func uploadStatuses() []string {
	return []string{
		"POST /v1/media/uploads 201", "PUT /media/… 200", "POST /v1/media/uploads/ID/complete 200",
		"POST /v1/posts 201", "GET /v1/posts/ID 200", "POST /v1/posts 201", "GET /v1/posts/ID 200",
	}
}

func failStatuses() []string {
	return []string{
		"POST /_sandbox/faults 201", "POST /v1/posts 201", "GET /v1/posts/ID 200", "GET /v1/posts/ID/timeline 200",
		"GET /_sandbox/posts 200",
	}
}

// apiPost is a post in the API.
type apiPost struct {
	ID        string `json:"id"`
	ChannelID string `json:"channelId"`
	Status    string `json:"status"`
	Content   string `json:"content"`
	PostURL   string `json:"postUrl"`
}

// sandboxPost is a post on the sandbox network.
type sandboxPost struct {
	Text  string `json:"text"`
	Media []struct {
		ContentType string `json:"contentType"`
	} `json:"media"`
}

func requireNothing(t *testing.T, _ *checkout, printed string) {
	t.Helper()
	require.Empty(t, printed)
}

func checkChannels(t *testing.T, s *checkout, printed string) {
	t.Helper()
	listed := decode[[]stack.Channel](t, printed)
	require.ElementsMatch(t, s.file.Workspaces[0].Channels, listed)
}

func checkFirstPost(t *testing.T, s *checkout, printed string) {
	t.Helper()
	post := decode[apiPost](t, printed)
	require.Equal(t, "PUBLISHED", post.Status)
	require.Equal(t, "Hello from curl", post.Content)
	require.Equal(t, s.channel(t, "THREADS"), post.ChannelID)
	require.Contains(t, get(t, post.PostURL), "Hello from curl")
	require.Len(t, s.published(t, "threads", "Hello from curl"), 1)
}

func checkAddresses(t *testing.T, s *checkout, printed string) {
	t.Helper()
	feed, workflows, two := strings.Cut(printed, "\n")
	require.True(t, two)
	require.Contains(t, get(t, feed), "Hello from curl")
	require.Contains(t, get(t, workflows), "<html")
	_, query, found := strings.Cut(workflows, "?query=")
	require.True(t, found)
	listed := get(t, s.file.TemporalUIURL+"/api/v1/namespaces/default/workflows?query="+query)
	require.Regexp(t, `"workflowId":\s*"post/[0-9a-f-]{36}"`, listed)
}

func checkPicture(t *testing.T, s *checkout, printed string) {
	t.Helper()
	lines := strings.Split(printed, "\n")
	require.Len(t, lines, 3)
	asset := decode[map[string]any](t, lines[0])
	require.Equal(t, "sunrise.jpg", asset["name"])
	for i, channel := range []string{"INSTAGRAM_PROFESSIONAL", "TWITTER"} {
		post := decode[apiPost](t, lines[i+1])
		require.Equal(t, "PUBLISHED", post.Status)
		require.Equal(t, s.channel(t, channel), post.ChannelID)
	}
	for _, network := range []string{"instagram", "x"} {
		found := s.published(t, network, "Good morning")
		require.Len(t, found, 1, network)
		require.Len(t, found[0].Media, 1, network)
		require.Equal(t, "image/jpeg", found[0].Media[0].ContentType)
	}
}

func checkTimeline(t *testing.T, _ *checkout, printed string) {
	t.Helper()
	post, timeline, two := strings.Cut(printed, "\n")
	require.True(t, two)
	require.Equal(t, "PUBLISHED", decode[apiPost](t, post).Status)
	kinds := kindsOf(t, timeline)
	require.Equal(t, "created", kinds[0])
	require.Equal(t, "published", kinds[len(kinds)-1])
}

func checkLostResponse(t *testing.T, s *checkout, printed string) {
	t.Helper()
	lines := strings.Split(printed, "\n")
	require.Len(t, lines, 4)
	post := decode[apiPost](t, lines[1])
	require.Equal(t, "PUBLISHED", post.Status)
	require.Equal(t, "Is it out?", post.Content)
	require.Contains(t, strings.Join(kindsOf(t, lines[2]), " "), "reconcil", "the fault did not meet the post")
	require.Contains(t, lines[3], "Is it out?")
	require.Len(t, s.published(t, "threads", "Is it out?"), 1)
}

func checkRepeatedRequest(t *testing.T, s *checkout, printed string) {
	t.Helper()
	lines := strings.Split(printed, "\n")
	require.Len(t, lines, 3)
	created := decode[[]apiPost](t, lines[0])
	require.Len(t, created, 1)
	require.Equal(t, "Once", created[0].Content)
	require.Equal(t, "SCHEDULED", created[0].Status)
	require.Equal(t, lines[0], lines[1])
	require.Equal(t, 1, strings.Count(s.api(t, "/v1/posts?limit=100"), `"content":"Once"`))
	require.Equal(t, s.channel(t, "THREADS"), decode[map[string]any](t, lines[2])["channelId"])
}

func checkAgent(t *testing.T, s *checkout, printed string) {
	t.Helper()
	created, listed, two := strings.Cut(printed, "\n")
	require.True(t, two)
	for _, response := range []string{created, listed} {
		result := decode[struct {
			Result struct {
				IsError bool            `json:"isError"`
				Content json.RawMessage `json:"content"`
			} `json:"result"`
		}](t, response)
		require.False(t, result.Result.IsError, response)
		require.Contains(t, string(result.Result.Content), "From an agent")
	}
	require.Equal(t, 1, strings.Count(s.api(t, "/v1/posts?limit=100"), `"content":"From an agent"`))
}

func checkCleanUp(t *testing.T, s *checkout, printed string) {
	t.Helper()
	require.Empty(t, printed)
	require.JSONEq(t, `{"data":[],"nextCursor":null}`, s.api(t, "/v1/webhooks"))
	require.Empty(t, get(t, "http://127.0.0.1:"+s.receiverPort), "the receiver still listens")
}

// checkDotEnv requires a value for every secret, and a file that only its owner can read.
func checkDotEnv(t *testing.T, s *checkout, printed string) {
	t.Helper()
	require.Empty(t, printed)
	path := filepath.Join(s.folder, ".env")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	values := make(map[string]bool)
	for line := range strings.Lines(string(raw)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if name == "COMPOSE_PROFILES" { // no secret
			require.Equal(t, "development", value)
			continue
		}
		if ok && !strings.HasPrefix(name, "#") {
			require.Regexp(t, `^([0-9a-f]{32}|k1:[A-Za-z0-9+/]{43}=)$`, value, name)
			require.False(t, values[value], "%s has the value of another secret", name)
			values[value] = true
		}
	}
	require.Len(t, values, 6)
}

// checkReceiver requires that the receiver verified every delivery and received the events of both posts on Threads.
func checkReceiver(t *testing.T, result shellResult) {
	t.Helper()
	require.NotContains(t, result.err, "refused:")
	for _, name := range []string{"Create a post", "Make a network fail"} {
		id := regexp.MustCompile(`"id":"([0-9a-f-]{36})","channelId"|"id":"([0-9a-f-]{36})"`).FindStringSubmatch(
			result.printed(name))
		require.NotNil(t, id, name)
		for _, event := range []string{"post.created", "post.published"} {
			require.Regexp(t, event+` evt_[0-9a-f-]{36} \{[^\n]*`+regexp.QuoteMeta(id[1]+id[2]), result.err, name)
		}
	}
}

func kindsOf(t *testing.T, timeline string) []string {
	t.Helper()
	var kinds []string
	for _, kind := range regexp.MustCompile(`"kind":"([^"]+)"`).FindAllStringSubmatch(timeline, -1) {
		kinds = append(kinds, kind[1])
	}
	require.NotEmpty(t, kinds, timeline)
	return kinds
}

// channel returns the id of the first workspace's channel of the type.
func (s *checkout) channel(t *testing.T, kind string) string {
	t.Helper()
	for _, channel := range s.file.Workspaces[0].Channels {
		if channel.Type == kind {
			return channel.ID
		}
	}
	require.Fail(t, "no channel", kind)
	return ""
}

// published returns the posts with the text on a network.
func (s *checkout) published(t *testing.T, network, text string) []sandboxPost {
	t.Helper()
	posts := decode[[]sandboxPost](t, get(t, s.file.SandboxURL+"/_sandbox/posts?platform="+network))
	return slices.DeleteFunc(posts, func(p sandboxPost) bool { return p.Text != text })
}

// api reads a resource of the first workspace.
func (s *checkout) api(t *testing.T, path string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.file.APIURL+path, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+s.file.Workspaces[0].APIKey)
	return fetch(t, request)
}
