package e2e_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// examplePrograms returns the commands of docs/examples/publisher, by language.
func examplePrograms(t *testing.T) map[string][]string {
	t.Helper()
	folder, err := filepath.Abs("../../docs/examples/publisher")
	require.NoError(t, err)
	return map[string][]string{
		"go":         {"go", "run", folder + "/go/main.go"},
		"python":     {"python3", folder + "/python/publisher.py"},
		"typescript": {"node", filepath.Join(compiled(t, filepath.Join(folder, "typescript")), "publisher.js")},
	}
}

// compiled compiles a TypeScript program and returns the folder of the result. The packages of its lock file stay in
// .bin, because installing them takes long.
func compiled(t *testing.T, folder string) string {
	t.Helper()
	work, err := filepath.Abs("../../.bin/examples-typescript")
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(work, 0o750))
	run := func(name string, arguments ...string) {
		cmd := exec.CommandContext(t.Context(), name, arguments...)
		cmd.Dir = work
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
	}
	before, _ := os.ReadFile(filepath.Join(work, "package-lock.json"))
	for _, name := range []string{"package.json", "package-lock.json", "tsconfig.json", "publisher.ts"} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(work, name), content, 0o600))
		if name != "package-lock.json" {
			continue
		}
		if _, err := os.Stat(work + "/node_modules/.package-lock.json"); err != nil || !bytes.Equal(before, content) {
			run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
		}
	}
	run("node_modules/.bin/tsc")
	return filepath.Join(work, "dist")
}

// faulty forwards requests to the API. It limits the first upload, and cuts the connection of the first creation of posts
// after the API has performed it.
type faulty struct {
	to           *httputil.ReverseProxy
	limited, cut atomic.Int32
}

// ServeHTTP implements http.Handler.
func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/v1/media/uploads" && f.limited.Add(1) == 1:
		w.Header().Set("Retry-After", "1")
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusTooManyRequests)
		_ = json.NewEncoder(w).Encode(map[string]string{"code": "RATE_LIMITED", "detail": "Too many requests."})
	case r.Method == http.MethodPost && r.URL.Path == "/v1/posts" && f.cut.Add(1) == 1:
		f.to.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler) //nolint:forbidigo // how a handler cuts a connection
	default:
		f.to.ServeHTTP(w, r)
	}
}

// TestExamplePrograms runs each program of docs/examples/publisher through a limit and a cut connection, again, and with a
// text that a network refuses.
func TestExamplePrograms(t *testing.T) {
	t.Parallel()
	s := running(t)
	picture := filepath.Join(t.TempDir(), "picture.jpg")
	require.NoError(t, os.WriteFile(picture, harness.Picture(t, 9), 0o600))
	api, err := url.Parse(s.APIURL)
	require.NoError(t, err)
	for language, command := range examplePrograms(t) {
		t.Run(language, func(t *testing.T) {
			proxy := &faulty{to: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(api) }}}
			front := httptest.NewServer(proxy)
			t.Cleanup(front.Close)
			run := func(short, long string) (string, error) {
				cmd := exec.CommandContext(t.Context(), command[0], append(command[1:len(command):len(command)], picture,
					language+"-1", "TWITTER="+short, "LINKEDIN_PAGE="+long)...)
				cmd.Env = append(os.Environ(), "API_URL="+front.URL, "API_KEY="+s.Key, "WEBHOOK="+s.Address(), "GOWORK=off")
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			refused, err := run(strings.Repeat("Too long. ", 50), "Hello")
			require.Error(t, err, refused)
			require.Contains(t, refused, "VALIDATION_FAILED")
			require.Contains(t, refused, "/variants/0/content")
			proxy.cut.Store(0)

			short, long := "Short text of "+language, "A longer text of "+language
			out, err := run(short, long)
			require.NoError(t, err, out)
			require.Equal(t, 2, strings.Count(out, "PUBLISHED http"), out)
			require.EqualValues(t, 2, proxy.cut.Load(), "sent again after the cut, by the program or by its library")
			for _, text := range []string{short, long} {
				seen := s.Sandbox.Accepted(text)
				require.Len(t, seen, 1, "published once")
				require.Len(t, seen[0].Media, 1)
			}
			again, err := run(short, long)
			require.NoError(t, err, again)
			require.Contains(t, again, "already posted: ")
			require.Equal(t, 1, s.Sandbox.Count(short))
			hooks, err := s.API.Webhooks.List(t.Context())
			require.NoError(t, err)
			require.Empty(t, hooks, "each program deletes its webhook")
		})
	}
}

// TestSamplesForCurl runs the commands that the API document shows. Their IDs are unknown to the service, but for those of channels.
func TestSamplesForCurl(t *testing.T) {
	t.Parallel()
	s := running(t)
	raw, err := os.ReadFile("../api/internal/httpapi/samples.json")
	require.NoError(t, err)
	var samples map[string][]struct{ Lang, Source string }
	require.NoError(t, json.Unmarshal(raw, &samples))
	responses := map[string]string{
		"POST /v1/posts": "201", "GET /v1/posts": "200", "GET /v1/posts/{}": "404", "POST /v1/posts/{}/publish": "404",
		"POST /v1/posts/{}/schedule": "404", "POST /v1/posts/{}/request-approval": "404", "POST /v1/posts/{}/approve": "404",
		"POST /v1/media/uploads": "201", "POST /v1/media/uploads/{}/complete": "404", "PATCH /v1/media/{}": "404",
		"POST /v1/webhooks": "201", "GET /v1/events": "422", // the cursor is another service's
		"GET /v1/analytics/posts/{}": "404",
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(responses)), slices.Collect(maps.Keys(samples)))
	here := strings.NewReplacer("0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59", s.Channels[channel.TelegramChannel].ID.String(),
		"2026-12-", time.Now().AddDate(1, 0, 0).Format("2006-")+"12-")
	for operation, of := range samples {
		require.Equal(t, "Shell", of[0].Lang, operation)
		cmd := exec.CommandContext(t.Context(), "sh", "-c",
			`curl() { command curl -sS -o /dev/null -w '%{http_code}' "$@"; }`+"\n"+here.Replace(of[0].Source))
		cmd.Env = append(os.Environ(), "FENCEPOST_URL="+s.APIURL, "FENCEPOST_API_KEY="+s.Key)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", operation, out)
		require.Equal(t, responses[operation], string(out), "%s: %s", operation, of[0].Source)
	}
}

// TestExampleProgramsAreShort keeps the programs readable: each is one file. Go needs more lines than the others.
func TestExampleProgramsAreShort(t *testing.T) {
	t.Parallel()
	for pattern, most := range map[string]int{"*.go": 135, "*.py": 100, "*.ts": 100} {
		files, err := filepath.Glob("../../docs/examples/publisher/*/" + pattern)
		require.NoError(t, err)
		require.Len(t, files, 1)
		content, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.LessOrEqual(t, bytes.Count(content, []byte("\n")), most, files[0])
	}
}
