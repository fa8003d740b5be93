package e2e_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// line decodes a line of JSON.
func line(t *testing.T, text string) map[string]any {
	t.Helper()
	var members map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &members), text)
	return members
}

// TestCommandLine is a session of a person with a key: sign in, create, wait, move, follow, clean up.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	s := running(t)
	c := s.NewCLI()
	require.Equal(t, 4, c.Run("", "channels", "list").Code)
	signed := c.Run(s.Key+"\n", "auth", "login", "--with-key")
	require.Zero(t, signed.Code, signed.Err)
	require.Contains(t, signed.Err, "Signed in to the workspace Test")
	info, err := os.Stat(filepath.Join(c.Home, ".config", "fencepost", "credentials.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Equal(t, s.Key, c.OK("auth", "token"))
	require.Equal(t, s.Workspace.String(), c.OK("auth", "status", "--jq", ".workspaceId"))

	require.Len(t, strings.Split(c.OK("channels", "list"), "\n"), len(s.Channels))
	threads := s.Channels[channel.Threads]
	require.Equal(t, threads.ID.String(), line(t, c.OK("channels", "list", "--type", "threads", "--json", "id"))["id"])

	picture := filepath.Join(c.Home, "a.jpg")
	require.NoError(t, os.WriteFile(picture, harness.Picture(t, 1), 0o600))
	created := strings.Split(c.OK("posts", "create", "--channel", "threads", "--channel", threads.Name, "--channel", "x", "--text", "Hello",
		"--text-for", "x=Hello X", "--media", "a.jpg", "--alt", "A picture", "--label", "cli", "--metadata", "from=test", "--now", "--wait"), "\n")
	require.Len(t, created, 2, "a channel that is named twice gets one post")
	require.Equal(t, "PUBLISHED", line(t, created[0])["status"])
	require.Equal(t, "Hello X", line(t, created[1])["content"])
	require.Equal(t, 1, s.Sandbox.Count("Hello X"))
	published, _ := line(t, created[0])["id"].(string)
	require.Equal(t, line(t, created[0])["postUrl"], c.OK("posts", "open", published, "--print"))
	require.Contains(t, c.OK("posts", "timeline", published, "--jq", ".kind"), "published")
	require.Equal(t, "A picture", c.OK("media", "list", "--jq", ".altText"))

	year := strconv.Itoa(time.Now().Year() + 1)
	later := line(t, c.OK("posts", "create", "-c", "linkedin-page", "-t", "Later", "--at", year+"-12-01 09:00", "--tz", "Europe/Berlin"))
	require.Contains(t, later["scheduledAt"], year+"-12-01T08:00:00")
	id, _ := later["id"].(string)
	require.Contains(t, c.OK("posts", "move", id, "--by", "90m", "--jq", ".scheduledAt"), year+"-12-01T09:30:00")
	require.Contains(t, c.OK("posts", "move", id, "--to", year+"-12-02 10:00", "--jq", ".scheduledAt"), year+"-12-02T10:00:00")
	require.Equal(t, "Changed", c.OK("posts", "edit", id, "--text", "Changed", "--jq", ".content"))
	require.Equal(t, id, c.OK("posts", "list", "--status", "scheduled", "--channel", "linkedin-page", "--jq", ".id"))
	require.Equal(t, 3, c.Run("", "posts", "open", id).Code, "it has no address")
	require.Equal(t, 2, c.Run("", "posts", "delete", id).Code, "not without a confirmation")
	require.Empty(t, c.OK("posts", "delete", id, "--yes"))
	gone := c.Run("", "posts", "get", id)
	require.Equal(t, 3, gone.Code)
	require.Regexp(t, `Request: \S+`, gone.Err)
}

// TestCommandLineRefusals checks the exit codes and the texts of what the service refuses.
func TestCommandLineRefusals(t *testing.T) {
	t.Parallel()
	s := running(t)
	c := s.NewCLI()
	c.Env = append(c.Env, "FENCEPOST_API_KEY="+s.Key)
	long := strings.Repeat("Too long. ", 60)
	refused := c.Run("", "posts", "create", "--channel", "x", "--text", long, "--now")
	require.Equal(t, 3, refused.Code, refused.Err)
	require.Contains(t, refused.Err, "VALIDATION_FAILED")
	require.Contains(t, refused.Err, "content: ")

	picture := filepath.Join(c.Home, "a.jpg")
	require.NoError(t, os.WriteFile(picture, harness.Picture(t, 2), 0o600))
	checked := c.Run("", "posts", "create", "--channel", "x", "--text", long, "--media", picture, "--dry-run")
	require.Equal(t, 3, checked.Code)
	require.Equal(t, false, line(t, strings.Split(checked.Out, "\n")[0])["valid"])
	require.Empty(t, c.OK("media", "list"), "a check leaves no file behind")
	require.Empty(t, c.OK("posts", "list"))

	s.Sandbox.Inject(harness.Fault{Platform: "threads", Step: "commit", Kind: "reject"})
	failed := c.Run("", "posts", "create", "--channel", "threads", "--text", "Refused", "--now", "--wait")
	require.Equal(t, 6, failed.Code, failed.Out+failed.Err)
	require.Equal(t, "FAILED", line(t, strings.Split(failed.Out, "\n")[0])["status"])

	reading := s.NewKey(credential.ChannelsRead)
	c.Env = append(c.Env, "FENCEPOST_API_KEY="+reading)
	forbidden := c.Run("", "posts", "create", "--channel", "x", "--text", "Hello")
	require.Equal(t, 3, forbidden.Code)
	require.Contains(t, forbidden.Err, "INSUFFICIENT_SCOPE")
	require.Contains(t, forbidden.Err, "Remedy: ")
	c.Env = append(c.Env, "FENCEPOST_API_KEY="+credential.APIKey.New())
	require.Equal(t, 4, c.Run("", "channels", "list").Code)
	require.Equal(t, 4, c.Run("x\n", "auth", "login", "--with-key").Code, "a key that does not work is not stored")
	require.NoFileExists(t, filepath.Join(c.Home, ".config", "fencepost", "credentials.json"))
}

// TestCommandLineForPrograms covers webhooks, the raw API, the doctor and the agents.
func TestCommandLineForPrograms(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.StartTools(1)
	c := s.NewCLI()
	c.Env = append(c.Env, "FENCEPOST_API_KEY="+s.Key)
	created := line(t, c.OK("webhooks", "create", s.Receiver.URL()+"/hook", "--events", "post.created", "--description", "Test"))
	id, _ := created["id"].(string)
	secret, _ := created["secret"].(string)
	s.Receiver.Trust(secret)
	require.Equal(t, "webhook.test", c.OK("webhooks", "test", id, "--jq", ".type"))
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		require.Equal(t, "SUCCEEDED", strings.TrimSpace(c.Run("", "webhooks", "deliveries", id, "--jq", ".status").Out))
	}, soon, 200*time.Millisecond)
	delivery := c.OK("webhooks", "deliveries", id, "--jq", ".id")
	require.Contains(t, c.OK("webhooks", "deliveries", id, delivery), `"statusCode":200`)
	c.OK("webhooks", "redeliver", id, delivery)
	require.Equal(t, "false", c.OK("webhooks", "edit", id, "--disable", "--jq", ".isActive"))
	require.Equal(t, "true", c.OK("webhooks", "edit", id, "--enable", "--events", "*", "--jq", ".isActive"))
	require.NotEqual(t, secret, c.OK("webhooks", "rotate-secret", id, "--jq", ".secret"))
	require.NotEmpty(t, c.OK("webhooks", "replay", id, "--since", "1h", "--all", "--jq", ".id"))
	require.Equal(t, id, c.OK("webhooks", "list", "--jq", ".id"))
	require.Equal(t, "Test", c.OK("webhooks", "get", id, "--jq", ".description"))
	c.OK("webhooks", "delete", id, "--yes")
	require.Empty(t, c.OK("webhooks", "list"))

	require.Equal(t, "Test", c.OK("api", "/v1/workspace", "--jq", ".name"))
	for _, text := range []string{"One", "Two", "Three"} {
		c.OK("api", "POST", "/v1/posts", "--field", "content="+text, "--value", `channelIds=["`+s.Channels[channel.Threads].ID.String()+`"]`)
	}
	require.Equal(t, "Three\nTwo\nOne", c.OK("api", "GET", "/v1/posts?limit=1", "--paginate", "--jq", ".content"))
	post := c.OK("posts", "list", "--limit", "1", "--jq", ".id")
	require.Empty(t, c.OK("api", "DELETE", "/v1/posts/"+post))
	require.Equal(t, 3, c.Run("", "api", "/v1/nothing").Code)

	checks := c.OK("doctor", "--jq", `select(.result != "ok")`)
	require.Empty(t, checks)
	require.Contains(t, c.OK("doctor", "--jq", ".detail"), s.MCPURL)
	c.OK("agent", "install", "claude")
	written, err := os.ReadFile(filepath.Join(c.Home, ".mcp.json"))
	require.NoError(t, err)
	require.JSONEq(t, `{"mcpServers": {"fencepost": {"type": "http", "url": "`+s.MCPURL+`"}}}`, string(written))
	require.FileExists(t, filepath.Join(c.Home, ".claude", "skills", "fencepost", "SKILL.md"))
}

// TestListenLosesNoEvent forwards events while the API, the program and the command line itself are down in turn.
func TestListenLosesNoEvent(t *testing.T) {
	t.Parallel()
	s := harness.New(t, harness.Options{})
	api := s.Start("api", "").Ready()
	s.Start("worker", "").Ready()
	c := s.NewCLI()
	c.Env = append(c.Env, "FENCEPOST_API_KEY="+s.Key)
	s.Create(channel.Threads, "Before", "draft")
	require.EventuallyWithT(t, func(t *assert.CollectT) { // it is in the log
		require.Equal(t, "1", strings.TrimSpace(c.Run("", "api", "/v1/events", "--jq", ".data | length").Out))
	}, soon, 100*time.Millisecond)
	r := c.Start("listen", "--forward-to", s.Receiver.URL()+"/hook")
	said := r.Says("Waiting for events")
	secret := regexp.MustCompile(`whsec_\S+`).FindString(said)
	s.Receiver.Trust(secret)
	arrived := func(text string) {
		t.Helper()
		id := s.Create(channel.Threads, text, "draft").ID
		require.EventuallyWithT(t, func(t *assert.CollectT) {
			all := s.Receiver.All()
			require.NotEmpty(t, all)
			require.Equal(t, id, all[len(all)-1].Data["postId"])
		}, soon, 50*time.Millisecond)
	}
	arrived("First")

	// While the API is down, a post is published.
	s.Create(channel.Threads, "Meanwhile", harness.At(time.Now().Add(3*time.Second)))
	api.Stop()
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		require.Len(t, s.Sandbox.Accepted("Meanwhile"), 1)
	}, soon, 50*time.Millisecond)
	s.Start("api", api.Ops()).Ready()
	arrived("After the restart of the API")

	var stored struct{ Sequence int }
	require.EventuallyWithT(t, func(t *assert.CollectT) { // after the response of the program
		raw, err := os.ReadFile(filepath.Join(c.Home, ".local", "state", "fencepost", "listen-"+s.Workspace.String()+".json"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, &stored))
		require.Equal(t, len(s.Receiver.All())+1, stored.Sequence)
	}, soon, 20*time.Millisecond)

	// While the command line is down, something happens; it continues where it was killed.
	r.Signal(syscall.SIGKILL)
	r.Wait()
	s.Create(channel.Threads, "While listen is down", "draft")
	again := c.Start("listen", "--forward-to", s.Receiver.URL()+"/hook")
	require.Contains(t, again.Says("Waiting for events"), secret, "the secret stays")
	arrived("After the restart of listen")
	again.Signal(syscall.SIGINT)
	require.Zero(t, again.Wait())

	want := postgrestest.Column(t, s.Database(), `SELECT 'evt_' || id FROM event WHERE seq > 1 ORDER BY seq`)
	var got []string
	for _, received := range s.Receiver.All() {
		require.True(t, received.Verified, "signed as the service signs")
		got = append(got, received.ID)
	}
	require.Equal(t, want, got, "each once, in order, without those before the first start")

	sample := line(t, c.OK("trigger", "post.published"))
	require.InDelta(t, 200, sample["status"], 0)
	all := s.Receiver.All()
	require.True(t, all[len(all)-1].Verified)
	require.Equal(t, "post.published", all[len(all)-1].Type)
	require.Len(t, strings.Split(c.OK("listen", "--since", "1h", "--once"), "\n"), len(want)+1)
}

var userCode = regexp.MustCompile(`[B-Z]{4}-[B-Z]{4}`)

// TestSigningInOnADevice signs in with a code, refreshes the tokens from two processes, and signs out.
func TestSigningInOnADevice(t *testing.T) {
	t.Parallel()
	s := harness.New(t, harness.Options{})
	s.Start("api", "").Ready()
	s.Start("console", "").Ready()
	c, person := s.NewCLI(), s.NewPerson("mara@example.com")
	require.NoError(t, person.SignIn(t.Context()))

	denied := c.Start("auth", "login", "--device")
	_, err := person.AllowDevice(t.Context(), userCode.FindString(denied.Says("The code is valid until")), "deny")
	require.NoError(t, err)
	require.Equal(t, 3, denied.Wait())

	r := c.Start("auth", "login", "--device")
	said := r.Says("The code is valid until")
	require.Contains(t, said, s.AppURL+"/device")
	text, err := person.AllowDevice(t.Context(), strings.ToLower(userCode.FindString(said)), "allow")
	require.NoError(t, err)
	require.Contains(t, text, "Access allowed")
	require.Zero(t, r.Wait(), r.Err.String())
	require.Equal(t, s.Workspace.String(), c.OK("auth", "status", "--jq", ".workspaceId"))

	path := filepath.Join(c.Home, ".config", "fencepost", "credentials.json")
	before := c.OK("auth", "token")
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	expired := regexp.MustCompile(`"expiresAt": "[^"]+"`).ReplaceAll(raw, []byte(`"expiresAt": "2020-01-01T00:00:00Z"`))
	require.NoError(t, os.WriteFile(path, expired, 0o600))
	tokens := make([]string, 4)
	var group sync.WaitGroup
	for i := range tokens {
		group.Go(func() { tokens[i] = strings.TrimSpace(c.Run("", "auth", "token").Out) })
	}
	group.Wait()
	for _, token := range tokens {
		require.Equal(t, tokens[0], token, "one process refreshes for all")
		require.NotEqual(t, before, token)
	}
	c.OK("channels", "list")

	require.Zero(t, c.Run("", "auth", "logout").Code)
	require.Equal(t, 4, c.Run("", "channels", "list").Code)
	c.Env = append(c.Env, "FENCEPOST_API_KEY="+tokens[0])
	require.EventuallyWithT(t, func(t *assert.CollectT) { // within a second (docs/oauth.md)
		require.Equal(t, 4, c.Run("", "channels", "list").Code, "the access is revoked")
	}, 3*time.Second, 100*time.Millisecond)
}

// TestSigningInWithABrowser signs in through the loopback of this machine.
func TestSigningInWithABrowser(t *testing.T) {
	t.Parallel()
	s := harness.New(t, harness.Options{})
	s.Start("api", "").Ready()
	s.Start("console", "").Ready()
	c, person := s.NewCLI(), s.NewPerson("mara@example.com")
	r := c.Start("auth", "login", "--profile", "work", "--scope", "channels:read")
	page := regexp.MustCompile(`http\S+/oauth/authorize\S+`).FindString(r.Says("/oauth/authorize"))
	target, err := url.Parse(page)
	require.NoError(t, err)
	back := target.Query().Get("redirect_uri")
	got, err := person.Allow(t.Context(), &auth.AuthorizationArgs{URL: page})
	require.NoError(t, err)

	forged := url.Values{"code": {"svc_oac_forged"}, "state": {"forged"}, "iss": {got.Iss}}
	require.Equal(t, http.StatusBadRequest, fetched(t.Context(), t, back+"?"+forged.Encode()), "of another page on this machine")
	sent := url.Values{"code": {got.Code}, "state": {got.State}, "iss": {got.Iss}}
	require.Equal(t, http.StatusOK, fetched(t.Context(), t, back+"?"+sent.Encode()))
	require.Zero(t, r.Wait(), r.Err.String())
	require.Equal(t, "channels:read", c.OK("auth", "status", "--profile", "work", "--jq", ".scopes[]"))
	require.Equal(t, 4, c.Run("", "auth", "status").Code, "there is no default profile")
}

func fetched(ctx context.Context, t *testing.T, address string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request) //nolint:forbidigo // a program on this machine
	require.NoError(t, err)
	_, _ = io.Copy(io.Discard, response.Body)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

// TestQuickstartOfTheREADME runs the commands of README.md, unchanged, against the system.
func TestQuickstartOfTheREADME(t *testing.T) {
	t.Parallel()
	s := running(t)
	c := s.NewCLI()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(readme), "## Quickstart\n")
	require.True(t, found)
	_, commands, _ := strings.Cut(section, "```sh\n")
	commands, _, _ = strings.Cut(commands, "```\n")
	require.Equal(t, 8, strings.Count(commands, "\n"))

	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(filepath.Join(root, "docs"), filepath.Join(c.Home, "docs")))
	require.NoError(t, os.MkdirAll(filepath.Join(c.Home, ".bin"), 0o700))
	require.NoError(t, os.Symlink(c.Path, filepath.Join(c.Home, ".bin", "fencepost")))
	require.NoError(t, os.MkdirAll(filepath.Join(c.Home, ".run"), 0o700))
	file, err := json.MarshalIndent(map[string]any{
		"apiUrl": s.APIURL, "workspaces": []any{
			map[string]string{"apiKey": s.Key, "readOnlyApiKey": "svc_live_other"}, map[string]string{"apiKey": "svc_live_second"},
		},
	}, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(c.Home, ".run", "dev.json"), file, 0o600))
	ran := c.Shell(commands)
	require.Zero(t, ran.Code, ran.Out+ran.Err)
	require.Equal(t, 1, s.Sandbox.Count("Hello from the quickstart"))
	require.Contains(t, ran.Out, `"kind":"published"`)
	require.Contains(t, ran.Out, `"type":"post.published"`)
	scheduled := c.OK("posts", "list", "--status", "scheduled", "--jq", ".content")
	require.Equal(t, "Good morning\nGood morning", scheduled)
}
