package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
)

// dashboard has the parts of Grafana's format that the test reads.
type dashboard struct {
	UID    string `json:"uid"`
	Title  string `json:"title"`
	Panels []struct {
		Title   string `json:"title"`
		Type    string `json:"type"`
		Targets []struct {
			Expr string `json:"expr"`
		} `json:"targets"`
	} `json:"panels"`
}

// TestDashboardsShowARunningSystem runs every query of every dashboard on a real Prometheus that watches a system at
// work. Each returns data. A panel whose metric may be absent adds a zero in its query.
func TestDashboardsShowARunningSystem(t *testing.T) {
	t.Parallel()
	s := harness.New(t, harness.Options{Env: []string{"SWEEP_INTERVAL=3s"}})
	for _, name := range []string{"api", "worker", "console", "pages"} {
		s.Start(name, "").Ready()
	}
	tools := s.StartTools(1)
	tower := s.StartPrometheus("")
	work(t, s, tools)
	metrics := make(map[string]bool)
	for file, board := range dashboards(t) {
		for _, panel := range board.Panels {
			require.Equal(t, panel.Type == "row", len(panel.Targets) == 0, "%s: %s", file, panel.Title)
			for _, target := range panel.Targets {
				expression := strings.ReplaceAll(target.Expr, "$__rate_interval", "60s")
				require.NotContains(t, expression, "$", "%s: an unknown variable", file)
				require.EventuallyWithT(t, func(c *assert.CollectT) {
					points, err := tower.Query(expression)
					require.NoError(c, err)
					require.NotEmpty(c, points, "no data")
				}, time.Minute, time.Second, "%s: %s: %s", file, panel.Title, expression)
				for _, name := range regexp.MustCompile(`fencepost_[a-z_]+`).FindAllString(expression, -1) {
					metrics[regexp.MustCompile(`_bucket$`).ReplaceAllString(name, "")] = true
				}
			}
		}
	}
	documented := documentedMetrics(t)
	for name := range metrics {
		require.Contains(t, documented, strings.TrimPrefix(name, "fencepost_"), "a dashboard shows a metric that is not documented")
	}
}

// dashboards returns the dashboards of deploy/grafana by their file.
func dashboards(t *testing.T) map[string]dashboard {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "deploy", "grafana", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	found, uids := make(map[string]dashboard), make(map[string]bool)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var board dashboard
		require.NoError(t, json.Unmarshal(raw, &board), file)
		require.NotEmpty(t, board.Title, file)
		require.False(t, uids[board.UID], "%s has the uid of another dashboard", file)
		found[file], uids[board.UID] = board, true
	}
	return found
}

// work uses every part of the system once, so that each metric has values.
func work(t *testing.T, s *harness.System, tools *harness.Tools) {
	t.Helper()
	s.Subscribe()
	picture := s.Upload("picture.jpg", "image/jpeg", harness.Picture(t, 1))
	source := httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(harness.Picture(t, 2)) }))
	t.Cleanup(source.Close)
	require.NoError(t, harness.Failure(s.API.Media.Import(t.Context(), fencepost.ImportMediaRequest{URL: source.URL + "/a.jpg"})))
	created := s.CreateWith(channel.Threads, fencepost.ContentTypePOST, "a picture", "now", picture.ID)
	text := s.Create(channel.Twitter, "a text", "now")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, fencepost.PostStatusPublished, s.Get(created.ID).Status)
		require.Equal(c, fencepost.PostStatusPublished, s.Get(text.ID).Status)
		require.Empty(c, s.Unprocessed())
		require.NotEmpty(c, s.Receiver.All())
	}, time.Minute, 100*time.Millisecond)
	s.Admin("insights", "collect", s.Channels[channel.Threads].ID.String())
	agent, err := harness.NewAgent(t.Context(), harness.AgentConfig{Endpoint: tools.Endpoints[0], Token: s.Key})
	require.NoError(t, err)
	require.NoError(t, agent.Call(t.Context(), "list_channels", nil, new(map[string]any)))
	require.NoError(t, agent.Close())
	w := &site{System: s, t: t, store: postgres.NewLinkPages(s.DB), bases: []string{s.PagesURL}}
	page := w.publish(w.draft("shown", "Shown"), linkpage.Edit{})
	w.everywhere("/"+page.Handle, titled("Shown"))
}
