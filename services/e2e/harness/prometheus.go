package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Prometheus is a real Prometheus server that scrapes the programs of a system.
type Prometheus struct {
	s    *System
	base string
}

// StartPrometheus starts a Prometheus that scrapes every started program every three seconds and evaluates the rules, which may be
// empty. It ends with the test.
func (s *System) StartPrometheus(rules string) *Prometheus {
	s.t.Helper()
	program, err := exec.LookPath("prometheus")
	require.NoError(s.t, err, "run tools/install.sh metrics")
	dir, address := s.t.TempDir(), freeAddress(s.t)
	var targets strings.Builder
	for _, p := range s.processes.list() {
		fmt.Fprintf(&targets, "  - targets: ['%s']\n    labels: {program: %s}\n", p.ops, p.name)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(s.t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("rules.yaml", rules)
	config := write("prometheus.yaml", "global: {scrape_interval: 3s, evaluation_interval: 1s}\nrule_files: [rules.yaml]\n"+
		"scrape_configs:\n- job_name: fencepost\n  scrape_timeout: 3s\n  static_configs:\n"+targets.String())
	if rules == "" {
		write("rules.yaml", "groups: []\n")
	}
	output := &tail{}
	cmd := exec.CommandContext(context.WithoutCancel(s.t.Context()), program,
		"--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address,
		"--log.level=warn")
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = output, output, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(s.t, cmd.Start())
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	p := &Prometheus{s: s, base: "http://" + address}
	require.EventuallyWithT(s.t, func(c *assert.CollectT) {
		_, err := p.get("/-/ready", nil)
		require.NoError(c, err, "%s", output)
	}, readyWithin, 100*time.Millisecond)
	return p
}

func (p *Prometheus) get(path string, query url.Values) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.s.t.Context()), 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+path+"?"+query.Encode(), http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := p.s.HTTP.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, body)
	}
	return body, err
}

// Point is one series of the result of a query, with its latest value.
type Point struct {
	Labels map[string]string
	Value  float64
}

// Query evaluates an expression now.
func (p *Prometheus) Query(expression string) ([]Point, error) {
	body, err := p.get("/api/v1/query", url.Values{"query": {expression}})
	if err != nil {
		return nil, err
	}
	var found struct {
		Data struct {
			Result []struct {
				Metric map[string]string `json:"metric"`
				Value  [2]any            `json:"value"`
			} `json:"result"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &found); err != nil {
		return nil, err
	}
	points := make([]Point, len(found.Data.Result))
	for i, one := range found.Data.Result {
		text, _ := one.Value[1].(string)
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, err
		}
		points[i] = Point{one.Metric, value}
	}
	return points, nil
}

// Fired returns the names of the alerts that fired at any moment since then, sorted.
func (p *Prometheus) Fired(since time.Time) ([]string, error) {
	expression := fmt.Sprintf(`count by (alertname) (max_over_time(ALERTS{alertstate="firing"}[%ds]))`,
		max(1, int(time.Since(since).Seconds())))
	points, err := p.Query(expression)
	names := make([]string, len(points))
	for i, point := range points {
		names[i] = point.Labels["alertname"]
	}
	slices.Sort(names)
	return names, err
}
