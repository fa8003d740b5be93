package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/harness"
)

// TestMetricsOfIdlePrograms checks every program's metrics when it has done nothing: how many series they are, that
// names follow the conventions of Prometheus, and that docs/reference/metrics.md describes each.
func TestMetricsOfIdlePrograms(t *testing.T) {
	t.Parallel()
	s := harness.New(t, harness.Options{})
	documented := documentedMetrics(t)
	described := make(map[string]bool)
	bounds := map[string]int{"api": 550, "worker": 1600, "mcp": 250, "console": 100, "pages": 150, "inbound": 150}
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		p := s.Start(name, "").Ready()
		text := scrape(t, p)
		families, series := familiesOf(text)
		t.Logf("%s: %d series", name, series)
		require.LessOrEqual(t, series, bounds[name], "%s has too many series while it is idle:\n%s", name, largest(text))
		for family := range families {
			own, ours := strings.CutPrefix(family, "fencepost_")
			if ours || strings.HasPrefix(family, "temporal_") {
				require.Contains(t, documented, own, "%s of %s is not in docs/reference/metrics.md", family, name)
				described[own] = true
				continue
			}
			require.Regexp(t, `^(go|process|promhttp)_`, family, "a metric of %s without the prefix", name)
		}
		problems, err := promlint.New(bytes.NewReader(text)).Lint()
		require.NoError(t, err)
		for _, problem := range problems {
			require.NotRegexp(t, `^(fencepost|temporal)_`, problem.Metric, "%s", problem.Text)
		}
	}
	require.Greater(t, len(described), 30)
	require.Contains(t, described, "temporal_request_total")
	require.Contains(t, described, "temporal_worker_task_slots_available")
}

func scrape(t *testing.T, p *harness.Process) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, p.OpsURL()+"/metrics",
		http.NoBody)
	require.NoError(t, err)
	response, err := new(http.Client).Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return text
}

// familiesOf returns the names of metrics, and the number of series.
func familiesOf(text []byte) (families map[string]bool, series int) {
	families = make(map[string]bool)
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "# TYPE "); ok {
			families[strings.Fields(name)[0]] = true
		} else if !strings.HasPrefix(lines.Text(), "#") {
			series++
		}
	}
	return families, series
}

// largest returns the number of series of each name, the most first.
func largest(text []byte) string {
	counts := make(map[string]int)
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), "#") {
			name, _, _ := strings.Cut(strings.Fields(lines.Text())[0], "{")
			counts[name]++
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return counts[b] - counts[a] })
	var list strings.Builder
	for _, name := range names[:min(len(names), 15)] {
		list.WriteString(name + " " + strings.Repeat("|", counts[name]/10) + "\n")
	}
	return list.String()
}

// documentedMetrics returns the names in docs/reference/metrics.md, without the prefix of the service.
func documentedMetrics(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "metrics.md"))
	require.NoError(t, err)
	var names []string
	for _, name := range regexp.MustCompile("`([a-z_]+)(?:\\{[a-z_,]*\\})?`").FindAllSubmatch(raw, -1) {
		names = append(names, string(name[1]))
	}
	return names
}
