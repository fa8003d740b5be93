package command_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/cli/internal/command"
)

// channelsOf is the response of a workspace with two accounts on one network.
const channelsOf = `[{"id":"11111111-1111-1111-1111-111111111111","name":"My X","type":"TWITTER","username":"@acme","isConnected":true,"tokenStatus":"HEALTHY","timezone":"UTC"},
{"id":"22222222-2222-2222-2222-222222222222","name":"News","type":"THREADS","username":"acme_news","isConnected":true,"tokenStatus":"HEALTHY","timezone":"UTC"},
{"id":"33333333-3333-3333-3333-333333333333","name":"Shop","type":"THREADS","username":"acme_shop","isConnected":true,"tokenStatus":"EXPIRING","timezone":"UTC"}]`

// machine is a computer with the command line, and an API whose faults the test injects.
type machine struct {
	home     string
	environ  map[string]string
	terminal bool
	opened   []string
}

func newMachine(t *testing.T, api http.HandlerFunc) *machine {
	t.Helper()
	m := &machine{home: t.TempDir()}
	m.environ = map[string]string{"HOME": m.home, "FENCEPOST_API_KEY": "svc_test_x"}
	if api != nil {
		server := httptest.NewServer(api)
		t.Cleanup(server.Close)
		m.environ["FENCEPOST_URL"] = server.URL
	}
	return m
}

// run returns what a command prints, and its exit code.
func (m *machine) run(t *testing.T, in string, args ...string) (out, errs string, code int) {
	t.Helper()
	var printed, faults bytes.Buffer
	code = command.Main(t.Context(), args, command.Process{
		In: strings.NewReader(in), Out: &printed, Err: &faults, Environ: m.environ, Now: time.Now,
		Width: func(stream any) (int, bool) {
			if stream == io.Writer(&printed) && m.terminal {
				return 80, true
			}
			return 0, false
		},
		Secret: func() (string, error) { return "", io.EOF },
		Open: func(_ context.Context, address string) error {
			m.opened = append(m.opened, address)
			return nil
		},
	})
	return printed.String(), faults.String(), code
}

// TestWrongCommandLines checks for each command that a mistake is named and that nothing is sent.
func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	var sent atomic.Int32
	m := newMachine(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			sent.Add(1)
		}
		if r.URL.Path == "/v1/workspace" {
			_, _ = w.Write([]byte(`{"id":"w","timezone":"Europe/Berlin"}`))
			return
		}
		_, _ = w.Write([]byte(channelsOf))
	})
	for line, want := range map[string]string{
		"psots":                                       `did you mean "fencepost posts"`,
		"posts lits":                                  `did you mean "fencepost posts list"`,
		"nothing":                                     "--help lists the commands",
		"posts list --stauts x":                       "unknown flag: --stauts",
		"posts get":                                   "needs POST",
		"posts get a b":                               `does not take the argument "b"`,
		"posts list --json colour":                    `--json has no field "colour"`,
		"posts list --jq {":                           "--jq is not an expression",
		"posts create --text Hi":                      "a channel is missing",
		"posts create -c threads":                     `"threads" names 2 channels`,
		"posts create -c nowhere":                     `there is no channel "nowhere"`,
		"posts create -c x --at soon":                 `"soon" is not a time`,
		"posts create -c x --at 09:00 --tz Moon":      `"Moon" is not the name of an IANA time zone`,
		"posts create -c x --now --draft":             "none of the others can be",
		"posts create -c x --wait":                    "--wait needs a time",
		"posts create -c x --alt Hi":                  "has no file before it",
		"posts create -c x --media nowhere.jpg":       "cannot be read",
		"posts create -c x --media .":                 ". is not a file",
		"posts create -c x --text-for y":              "is not CHANNEL=TEXT",
		"posts create -c x --text-for News=Hi":        "name a channel of --channel",
		"posts create -c x --option colour=red":       `there is no option "colour"`,
		"posts create -c x --option longText=perhaps": "longText is true or false",
		"posts create -c x --option thumbOffset=one":  "thumbOffset is a whole number",
		"posts create -c x --metadata a":              "is not NAME=VALUE",
		"posts create -c x --text-file nowhere.txt":   "the text cannot be read",
		"posts move p":                                "at least one of the flags",
		"posts move p --by soon":                      "is not a duration",
		"posts edit p":                                "nothing to change",
		"posts delete p":                              "add --yes",
		"posts retry":                                 "needs POST…",
		"posts timeline":                              "needs POST",
		"posts open":                                  "needs POST",
		"media upload":                                "needs FILE…",
		"media upload nowhere.jpg":                    "cannot be read",
		"media import":                                "needs URL",
		"media list --since soon":                     "--since: ",
		"media delete m":                              "add --yes",
		"webhooks create":                             "needs URL",
		"webhooks edit w":                             "nothing to change",
		"webhooks edit w --enable --disable":          "none of the others can be",
		"webhooks replay w":                           "since",
		"webhooks redeliver w":                        "needs DELIVERY",
		"webhooks delete w":                           "add --yes",
		"listen --forward-to ftp://x":                 "is not an address",
		"trigger":                                     "needs TYPE",
		"trigger post.published":                      "add --forward-to",
		"api":                                         "needs PATH",
		"api v1/posts":                                "is not a path",
		"api https://evil.test/v1/posts":              "is not a path",
		"api BREW /v1/posts":                          "is not a method",
		"api POST /v1/posts --value a=b":              "is not JSON",
		"api POST /v1/posts --paginate --field a=b":   "--paginate is for GET",
		"api POST /v1/posts --input nowhere.json":     "the input cannot be read",
		"agent install emacs":                         `there is no agent "emacs"`,
		"agent install claude --scope moon":           "--scope is project or user",
		"auth login --device --with-key":              "none of the others can be",
		"auth login --url ftp://x":                    "is not an http or https address",
		"auth login --with-key":                       "has no API key",
		"auth status x":                               `does not take the argument "x"`,
		"doctor x":                                    `does not take the argument "x"`,
		"version x":                                   `does not take the argument "x"`,
	} {
		out, errs, code := m.run(t, "", strings.Fields(line)...)
		require.Equal(t, 2, code, "%s: %s%s", line, out, errs)
		require.Contains(t, errs, want, line)
		require.Empty(t, out, line)
	}
	require.Zero(t, sent.Load())
}

// TestExitCodesOfTheService checks the code, the cause and the remedy of each refusal.
func TestExitCodesOfTheService(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		code   int
		want   []string
	}{
		"a fault of a field": {
			422, `{"code":"VALIDATION_FAILED","detail":"The request is invalid.","requestId":"r1","errors":[{"pointer":"/content","message":"is too long"}]}`, 3,
			[]string{"The request is invalid. (422 VALIDATION_FAILED)", "  content: is too long", "Request: r1"},
		},
		"no such post":      {404, `{"code":"NOT_FOUND","detail":"There is no such post."}`, 3, []string{"There is no such post."}},
		"a revoked key":     {401, `{"code":"UNAUTHENTICATED","detail":"The key is revoked."}`, 4, []string{"fencepost auth login"}},
		"a missing scope":   {403, `{"code":"INSUFFICIENT_SCOPE","detail":"posts:write is missing."}`, 3, []string{"fencepost auth status"}},
		"a limit":           {429, `{"code":"RATE_LIMITED","detail":"Too many requests."}`, 5, []string{"Too many requests.", "again in 6m0s"}},
		"a used file":       {409, `{"code":"MEDIA_IN_USE","detail":"In use.","references":[{"type":"post","id":"p1","name":"Hello"}]}`, 3, []string{"used by post p1 Hello"}},
		"a page of a proxy": {501, `<html>`, 1, []string{"status 501"}},
		"a redirect":        {302, ``, 3, []string{"status 302"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "360") // longer than a call waits on its own
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			})
			out, errs, code := m.run(t, "", "posts", "get", "p1")
			require.Equal(t, test.code, code, errs)
			require.Empty(t, out)
			for _, want := range test.want {
				require.Contains(t, errs, want)
			}
		})
	}
	m := newMachine(t, nil)
	m.environ["FENCEPOST_URL"] = "http://127.0.0.1:1"
	_, errs, code := m.run(t, "", "webhooks", "get", "w")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "fencepost doctor")
}

// TestOutput checks the table of a terminal, the lines of a pipe, fields, queries and colors.
func TestOutput(t *testing.T) {
	t.Parallel()
	m := newMachine(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(channelsOf)) })
	piped, _, code := m.run(t, "", "channels", "list")
	require.Zero(t, code)
	lines := strings.Split(strings.TrimSpace(piped), "\n")
	require.Len(t, lines, 3)
	for _, text := range lines {
		require.True(t, json.Valid([]byte(text)), text)
	}
	out, _, _ := m.run(t, "", "channels", "list", "--json", "name,type")
	require.True(t, strings.HasPrefix(out, `{"name":"My X","type":"TWITTER"}`+"\n"), out)
	out, _, _ = m.run(t, "", "channels", "list", "--jq", "select(.type == \"THREADS\") | .name")
	require.Equal(t, "News\nShop\n", out)

	m.terminal = true
	table, _, _ := m.run(t, "", "channels", "list")
	require.Contains(t, table, "\x1b[1mNAME")
	require.Contains(t, table, "\x1b[32mHEALTHY\x1b[0m")
	m.environ["NO_COLOR"] = "1"
	table, _, _ = m.run(t, "", "channels", "list")
	require.NotContains(t, table, "\x1b")
	rows := strings.Split(table, "\n")
	require.True(t, strings.HasPrefix(rows[0], "NAME"), table)
	require.Equal(t, strings.Index(rows[0], "TYPE"), strings.Index(rows[1], "TWITTER"), "aligned")
	for _, row := range rows {
		require.LessOrEqual(t, len([]rune(row)), 120)
	}
	out, _, _ = m.run(t, "", "channels", "list", "--json", "id")
	require.True(t, strings.HasPrefix(out, `{"id":`), "JSON on a terminal too")
}

// TestHostileTextsDoNotReachTheTerminal checks that a text cannot control the terminal.
func TestHostileTextsDoNotReachTheTerminal(t *testing.T) {
	t.Parallel()
	m := newMachine(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/channels") {
			_, _ = w.Write([]byte(channelsOf))
			return
		}
		_, _ = w.Write([]byte(`{"id":"p","status":"DRAFT","content":"a\u001b[2Jb\nc\u202e"}`))
	})
	m.terminal = true
	m.environ["NO_COLOR"] = "1"
	out, _, _ := m.run(t, "", "posts", "get", "p")
	require.NotContains(t, out, "\x1b")
	require.NotContains(t, out, "\u202e")
	require.Contains(t, out, "a[2Jb\n")
	refusing := newMachine(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"code":"NOT_FOUND","detail":"\u001b[2J gone"}`))
	})
	_, errs, _ := refusing.run(t, "", "posts", "get", "p")
	require.Contains(t, errs, "[2J gone")
	require.NotContains(t, errs, "\x1b")
}

// TestChannelsAreNamed checks every way to name a channel, in the request that is sent.
func TestChannelsAreNamed(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"11111111-1111-1111-1111-111111111111": "11111111-1111-1111-1111-111111111111",
		"my x":                                 "11111111-1111-1111-1111-111111111111", "@acme": "11111111-1111-1111-1111-111111111111",
		"x": "11111111-1111-1111-1111-111111111111", "twitter": "11111111-1111-1111-1111-111111111111",
		"acme_shop": "33333333-3333-3333-3333-333333333333", "News": "22222222-2222-2222-2222-222222222222",
	} {
		body := created(t, "--channel", name, "--text", "Hello")
		require.Equal(t, []any{want}, body["channelIds"], name)
	}
	_, errs, code := newMachine(t, serveChannels(nil)).run(t, "", "posts", "create", "--channel", "threads", "--text", "Hello")
	require.Equal(t, 2, code)
	require.Contains(t, errs, "22222222-2222-2222-2222-222222222222  THREADS  acme_news  News")
	require.Contains(t, errs, "acme_shop")
}

// serveChannels serves the channels, and a post for each creation, whose body it stores.
func serveChannels(body *map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/channels":
			_, _ = w.Write([]byte(channelsOf))
		case "/v1/workspace":
			_, _ = w.Write([]byte(`{"id":"w","timezone":"America/New_York"}`))
		default:
			_ = json.NewDecoder(r.Body).Decode(body)
			_, _ = w.Write([]byte(`[{"id":"p","status":"DRAFT"}]`))
		}
	}
}

func created(t *testing.T, args ...string) map[string]any {
	t.Helper()
	var body map[string]any
	_, errs, code := newMachine(t, serveChannels(&body)).run(t, "From standard input\n", append([]string{"posts", "create"}, args...)...)
	require.Zero(t, code, errs)
	return body
}

// TestPostsOfTheCommandLine checks what the flags of create send.
func TestPostsOfTheCommandLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, "From standard input", created(t, "-c", "x", "-t", "-")["content"])
	require.Equal(t, "draft", created(t, "-c", "x", "-t", "Hi")["schedule"])
	require.Equal(t, "now", created(t, "-c", "x", "-t", "Hi", "--now")["schedule"])
	require.Equal(t, "next_slot", created(t, "-c", "x", "-t", "Hi", "--next-slot")["schedule"])
	require.Equal(t, "2036-12-01T09:00:00+01:00", created(t, "-c", "x", "-t", "Hi", "--at", "2036-12-01 09:00", "--tz", "Europe/Berlin")["schedule"])
	require.Equal(t, "2036-12-01T09:00:00-05:00", created(t, "-c", "x", "-t", "Hi", "--at", "2036-12-01 09:00")["schedule"], "of the workspace")

	body := created(t, "-c", "x", "-c", "News", "-t", "All", "--text-for", "x=a=b", "--label", "a,b", "--metadata", "k=v=w",
		"--external-id", "e", "--type", "post", "--title", "T", "--option", "longText=true", "--option", "threads:topicType=EVENT")
	require.Equal(t, map[string]any{
		"channelIds": []any{"11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"},
		"content":    "All", "labels": []any{"a", "b"}, "metadata": map[string]any{"k": "v=w"}, "externalId": "e", "contentType": "POST",
		"title": "T", "schedule": "draft", "options": map[string]any{"longText": true},
		"variants": []any{
			map[string]any{"channelId": "11111111-1111-1111-1111-111111111111", "content": "a=b"},
			map[string]any{"channelId": "22222222-2222-2222-2222-222222222222", "options": map[string]any{"longText": true, "topicType": "EVENT"}},
		},
	}, body, "threads is unique among the chosen ones")
	require.Equal(t, map[string]any{"pollOptions": []any{"Blue", "Green tiles"}},
		created(t, "-c", "x", "-t", "Hi", "--option", "pollOptions=Blue|Green tiles")["options"])
}

// TestAgentConfigurationIsMerged checks that other servers and settings stay.
func TestAgentConfigurationIsMerged(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(m.home, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(m.home, name), []byte(text), 0o600))
	}
	write(".claude.json", `{"theme": "dark", "mcpServers": {"other": {"url": "https://other.test"}}}`)
	write(".codex/config.toml", "model = \"x\"\n\n[mcp_servers.fencepost]\nurl = \"https://old.test\"\n\n[other]\na = 1\n")
	for _, agent := range []string{"claude", "codex"} {
		for range 2 {
			_, errs, code := m.run(t, "", "agent", "install", agent, "--scope", "user", "--tools-url", "https://mcp.test/mcp", "--with-key")
			require.Zero(t, code, errs)
		}
	}
	raw, err := os.ReadFile(filepath.Join(m.home, ".claude.json"))
	require.NoError(t, err)
	require.JSONEq(t, `{"theme": "dark", "mcpServers": {"other": {"url": "https://other.test"}, "fencepost": {"type": "http",
		"url": "https://mcp.test/mcp", "headers": {"Authorization": "Bearer ${FENCEPOST_API_KEY}"}}}}`, string(raw))
	raw, err = os.ReadFile(filepath.Join(m.home, ".codex", "config.toml"))
	require.NoError(t, err)
	require.Equal(t, "model = \"x\"\n\n[other]\na = 1\n\n[mcp_servers.fencepost]\nurl = \"https://mcp.test/mcp\"\n"+
		"bearer_token_env_var = \"FENCEPOST_API_KEY\"\n", string(raw))
	info, err := os.Stat(filepath.Join(m.home, ".claude.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "the mode stays")
	require.FileExists(t, filepath.Join(m.home, ".agents", "skills", "fencepost", "SKILL.md"))

	write(".claude.json", "{")
	_, errs, code := m.run(t, "", "agent", "install", "claude", "--scope", "user", "--tools-url", "https://mcp.test/mcp")
	require.Equal(t, 2, code)
	require.Contains(t, errs, "is not JSON")
	out, _, code := m.run(t, "", "agent", "install", "codex", "--scope", "user", "--tools-url", "https://mcp.test/mcp", "--print")
	require.Zero(t, code)
	require.Contains(t, out, "[mcp_servers.fencepost]")
}

// TestProfiles checks which credential is used.
func TestProfiles(t *testing.T) {
	t.Parallel()
	var key atomic.Value
	m := newMachine(t, func(w http.ResponseWriter, r *http.Request) {
		key.Store(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		_, _ = w.Write([]byte(`{"id":"w","name":"Shop","mode":"live","grantedScopes":["channels:read"]}`))
	})
	address := m.environ["FENCEPOST_URL"]
	delete(m.environ, "FENCEPOST_API_KEY")
	for profile, secret := range map[string]string{"": "one", "shop": "two"} {
		args := []string{"auth", "login", "--with-key"}
		if profile != "" {
			args = append(args, "--profile", profile)
		}
		_, errs, code := m.run(t, secret+"\n", args...)
		require.Zero(t, code, errs)
	}
	delete(m.environ, "FENCEPOST_URL")
	used := func(want string, args ...string) {
		t.Helper()
		_, errs, code := m.run(t, "", append([]string{"auth", "status"}, args...)...)
		require.Zero(t, code, errs)
		require.Equal(t, want, key.Load())
	}
	used("one")
	used("two", "--profile", "shop")
	m.environ["FENCEPOST_PROFILE"] = "shop"
	used("two")
	m.environ["FENCEPOST_API_KEY"] = "three"
	used("three")
	used("one", "--profile", "default")

	m.environ["FENCEPOST_URL"] = "https://other.test"
	_, errs, code := m.run(t, "", "auth", "status", "--profile", "shop")
	require.Equal(t, 2, code, "a credential is for one address")
	require.Contains(t, errs, address)
	delete(m.environ, "FENCEPOST_URL")
	_, _, code = m.run(t, "", "auth", "logout", "--profile", "shop")
	require.Zero(t, code)
	_, errs, code = m.run(t, "", "auth", "status", "--profile", "shop")
	require.Equal(t, 4, code)
	require.Contains(t, errs, "with the profile shop")
	require.Contains(t, errs, "choose a profile with --profile: default")
}

// TestEveryCommandHasHelp checks the help of every command, and that the reference names it.
func TestEveryCommandHasHelp(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	reference, _, code := m.run(t, "", "reference")
	require.Zero(t, code)
	written, err := os.ReadFile("../../../../docs/reference/cli.md")
	require.NoError(t, err)
	require.Equal(t, string(written), reference, "run make generate")
	for _, path := range []string{
		"auth login", "auth logout", "auth status", "auth token", "channels list", "posts create", "posts list", "posts get", "posts edit",
		"posts move", "posts retry", "posts delete", "posts timeline", "posts open", "media upload", "media import", "media list",
		"media delete", "webhooks list", "webhooks create", "webhooks get", "webhooks edit", "webhooks delete", "webhooks rotate-secret",
		"webhooks test", "webhooks deliveries", "webhooks redeliver", "webhooks replay", "listen", "trigger", "api", "doctor",
		"agent install", "version",
	} {
		out, _, code := m.run(t, "", append(strings.Fields(path), "--help")...)
		require.Zero(t, code, path)
		require.Contains(t, out, "Usage:\n  fencepost "+path, path)
		require.Contains(t, reference, "### fencepost "+path+"\n", path)
	}
	m = newMachine(t, serveChannels(nil))
	for line, want := range map[string]string{
		"posts create --channel m": "My X\tTWITTER\n", "posts list --status ": "failed\n", "trigger ": "post.published\n", "agent install ": "codex\n",
	} {
		out, _, code := m.run(t, "", append([]string{"__complete"}, strings.Split(line, " ")...)...)
		require.Zero(t, code)
		require.Contains(t, out, want, line)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		out, _, code := m.run(t, "", "completion", shell)
		require.Zero(t, code)
		require.Contains(t, out, "fencepost")
	}
}
