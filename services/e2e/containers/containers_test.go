// Package containers_test runs the images and the unmodified docker-compose.yml in a real container engine. make
// containers builds the images and calls it.
package containers_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/telemetry"
)

// programs returns the programs that keep running, with the port for machines.
func programs() map[string]string {
	return map[string]string{
		"api": "8180", "worker": "8184", "mcp": "8182", "console": "8181", "pages": "8183", "files": "8185", "inbound": "8186",
		"sandbox": "8190",
	}
}

// TestContainers runs its checks in order, on one stack. Each prints its result.
func TestContainers(t *testing.T) {
	s := newStack(t)
	t.Cleanup(func() {
		if t.Failed() {
			s.logs()
		}
		if os.Getenv("CONTAINERS_KEEP") == "" {
			s.compose("--profile", "*", "down", "--volumes", "--timeout", "20")
		}
	})
	for _, check := range []struct {
		name string
		run  func(*stack)
	}{
		{"everything starts with empty volumes", func(s *stack) { s.up() }},
		{"containers have no privileges and limited resources", (*stack).confined},
		{"images, programs and metrics name their version", (*stack).named},
		{"a post is published", (*stack).text},
		{"a picture is uploaded and published", (*stack).picture},
		{"database and files are backed up", (*stack).backup},
		{"everything restarts", (*stack).restart},
		{"three workers and two APIs publish each post once", (*stack).scale},
		{"volumes outlast their containers, and Caddy terminates TLS", (*stack).production},
		{"two containers of each program are replaced under load", (*stack).replace},
	} {
		begin := time.Now()
		passed := t.Run(check.name, func(t *testing.T) {
			s.t = t
			check.run(s)
		})
		s.t = t
		if !passed {
			return // the following checks need this one's state
		}
		t.Logf("ok  %-60s %4.0f s", check.name, time.Since(begin).Seconds())
	}
}

// confined checks what the engine enforces.
func (s *stack) confined() {
	for service := range programs() {
		for _, id := range s.containers(service) {
			c := s.inspect(id)
			require.Equal(s.t, "healthy", c.State.Health.Status, service)
			require.Zero(s.t, c.RestartCount, service)
			require.Equal(s.t, "65532:65532", c.Config.User, service)
			require.True(s.t, c.HostConfig.ReadonlyRootfs, service)
			require.Equal(s.t, []string{"ALL"}, c.HostConfig.CapDrop, service)
			require.Contains(s.t, c.HostConfig.SecurityOpt, "no-new-privileges:true", service)
		}
	}
	for _, service := range strings.Fields(s.compose("ps", "--services")) {
		for _, id := range s.containers(service) {
			c := s.inspect(id)
			require.Positive(s.t, c.HostConfig.Memory, service)
			require.NotEmpty(s.t, c.HostConfig.LogConfig.Config["max-size"], service)
			require.NotEmpty(s.t, c.HostConfig.LogConfig.Config["max-file"], service)
		}
	}
	require.Equal(s.t, "postgres", s.compose("exec", "-T", "postgres", "id", "-un"))
}

// named checks that labels, --version and the metric build_info agree.
func (s *stack) named() {
	revision := s.get("REVISION")
	require.Len(s.t, revision, 40, "the revision of this repository")
	version := telemetry.Version + "+" + revision[:12]
	for service, port := range programs() {
		labels := s.inspect(s.containers(service)[0]).Config.Labels
		require.Equal(s.t, telemetry.Version, labels["org.opencontainers.image.version"], service)
		require.Equal(s.t, revision, labels["org.opencontainers.image.revision"], service)
		require.Equal(s.t, service, labels["org.opencontainers.image.title"])
		require.Equal(s.t, version, s.compose("exec", "-T", service, "/"+service, "--version"))
		metrics := s.metrics(service, port)
		require.Regexp(s.t, fmt.Sprintf(`(?m)^\w*build_info{.*revision=%q.*version=.%s.} 1$`, revision,
			regexp.QuoteMeta(version)), metrics, service)
	}
	for _, program := range []string{"admin", "migrate"} {
		require.Equal(s.t, version, s.compose("run", "--rm", "--no-deps", "-T", program, "--version"))
	}
}

func (s *stack) api() string { return "http://127.0.0.1:" + s.get("API_PORT") }

// text publishes a post of text in a seeded workspace.
func (s *stack) text() {
	var seed struct {
		Workspaces []struct {
			APIKey   string `json:"apiKey"`
			Channels []struct {
				ID   string `json:"id"`
				Type string `json:"type"`
			} `json:"channels"`
		} `json:"workspaces"`
	}
	require.NoError(s.t, json.Unmarshal([]byte(s.compose("run", "--rm", "-T", "admin", "seed", "--json")), &seed))
	s.key = seed.Workspaces[0].APIKey
	for _, c := range seed.Workspaces[0].Channels {
		s.channels[c.Type] = c.ID
	}
	s.publish(s.api(), s.channels["THREADS"], "A post from a container")
	require.Len(s.t, s.ledger()["A post from a container"], 1)
}

// picture uploads a file through the files gateway. The network fetches it from there.
func (s *stack) picture() {
	drawn := image.NewRGBA(image.Rect(0, 0, 640, 640))
	for x := range 640 {
		for y := range 640 {
			drawn.Set(x, y, color.RGBA{R: uint8(x / 4), G: uint8(y / 4), A: 255})
		}
	}
	var file bytes.Buffer
	require.NoError(s.t, jpeg.Encode(&file, drawn, nil))
	var upload struct {
		MediaID string            `json:"mediaId"`
		URL     string            `json:"uploadUrl"`
		Headers map[string]string `json:"headers"`
	}
	s.ask(http.MethodPost, "/v1/media/uploads", map[string]any{
		"fileName": "tiles.jpg", "contentType": "image/jpeg", "sizeBytes": file.Len(),
	}, &upload)
	require.Contains(s.t, upload.URL, "http://files.localhost:"+s.get("FILES_PORT"))
	require.NoError(s.t, s.client.send(s.t.Context(), call{
		method: http.MethodPut, url: upload.URL, headers: upload.Headers, body: file.Bytes(),
	}, nil))
	s.ask(http.MethodPost, "/v1/media/uploads/"+upload.MediaID+"/complete", nil, nil)
	var asset struct {
		URL          string `json:"url"`
		ThumbnailURL string `json:"thumbnailUrl"`
	}
	s.eventually(func() bool {
		s.ask(http.MethodGet, "/v1/media/"+upload.MediaID, nil, &asset)
		return asset.ThumbnailURL != ""
	}, "the worker makes a thumbnail")
	s.publish(s.api(), s.channels["THREADS"], "A picture from a container", upload.MediaID)
	accepted := s.ledger()["A picture from a container"]
	require.Len(s.t, accepted, 1)
	require.Len(s.t, accepted[0].Media, 1)
	fetched, sum := accepted[0].Media[0], sha256.Sum256(file.Bytes())
	require.Equal(s.t, int64(file.Len()), fetched.Size)
	require.Equal(s.t, hex.EncodeToString(sum[:]), fetched.SHA256, "the file has no metadata, so it is sent as it is")
}

// ask sends a request to the API.
func (s *stack) ask(method, path string, body, result any) {
	s.t.Helper()
	require.NoError(s.t, s.client.send(s.t.Context(), call{
		method: method, url: s.api() + path, key: s.key, body: body,
	}, result))
}

// backup takes a backup into the volume of the operator's command line, and verifies it in another container.
func (s *stack) backup() {
	admin := func(result any, args ...string) {
		out := s.compose(append([]string{"run", "--rm", "-T", "admin", "backup", "--json"}, args...)...)
		require.NoError(s.t, json.Unmarshal([]byte(out), result), "%s", out)
	}
	var taken, verified struct {
		Path    string `json:"path"`
		Objects int    `json:"objects"`
	}
	admin(&taken, "take", "/backups")
	require.GreaterOrEqual(s.t, taken.Objects, 2, "the picture and its thumbnail")
	admin(&verified, "verify", taken.Path)
	require.Equal(s.t, taken, verified)
}

// restart restarts every container at once.
func (s *stack) restart() {
	s.compose("restart", "--timeout", "45")
	s.up()
	require.Len(s.t, s.ledger()["A post from a container"], 1)
	s.publish(s.api(), s.channels["THREADS"], "A post after the restart")
	require.Len(s.t, s.ledger()["A post after the restart"], 1)
}

// scale runs several workers and APIs. An empty port lets the engine choose one for each container.
func (s *stack) scale() {
	const posts = 20
	fixed := s.get("API_PORT")
	s.set("BASE_URL", s.api())
	s.set("API_PORT", "")
	s.up("--scale", "worker=3", "--scale", "api=2")
	require.Len(s.t, s.containers("worker"), 3)
	require.Len(s.t, s.containers("api"), 2)
	addresses := []string{
		s.compose("port", "--index", "1", "api", "8080"), s.compose("port", "--index", "2", "api", "8080"),
	}
	require.NotEqual(s.t, addresses[0], addresses[1])
	ids := make([]string, posts)
	for i := range posts {
		created, err := s.create(s.t.Context(), "http://"+addresses[i%2], s.key, s.channels["THREADS"], fmt.Sprintf("Scaled post %d", i))
		require.NoError(s.t, err)
		ids[i] = created.ID
	}
	for _, id := range ids {
		s.published("http://"+addresses[0], s.key, id)
	}
	accepted := s.ledger()
	for i := range posts {
		require.Len(s.t, accepted[fmt.Sprintf("Scaled post %d", i)], 1)
	}
	s.set("API_PORT", fixed)
}
