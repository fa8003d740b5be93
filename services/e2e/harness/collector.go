package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Span is one span that a collector received.
type Span struct {
	TraceID    string
	SpanID     string
	Parent     string
	Name       string
	Service    string
	Attributes map[string]string
}

// Collector is a real OpenTelemetry Collector (tools/collector), which receives the spans of programs.
type Collector struct {
	HTTP string // its address for OTLP over HTTP
	GRPC string // its address for OTLP over gRPC

	mu    sync.Mutex
	spans []Span
}

// StartCollector starts a collector that passes its spans on to the test. It ends with the test.
func StartCollector(t testing.TB) *Collector {
	t.Helper()
	program := collector(t)
	c := &Collector{HTTP: freeAddress(t), GRPC: freeAddress(t)}
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = c.take(body)
		}
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(sink.Close)
	config := filepath.Join(t.TempDir(), "collector.yaml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `
receivers: {otlp: {protocols: {grpc: {endpoint: '%s'}, http: {endpoint: '%s'}}}}
exporters: {otlp_http: {endpoint: '%s', encoding: json, compression: none}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [otlp_http]}}
`, c.GRPC, c.HTTP, sink.URL), 0o600))
	output := &tail{}
	cmd := exec.CommandContext(t.Context(), program, config)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = output, output, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	require.EventuallyWithT(t, func(a *assert.CollectT) {
		response, err := http.Post("http://"+c.HTTP+"/v1/traces", "application/json", http.NoBody) //nolint:forbidigo,noctx // a probe on this machine
		require.NoError(a, err, "%s", output)
		require.NoError(a, response.Body.Close())
	}, readyWithin, 100*time.Millisecond)
	return c
}

// collector returns the program in the environment variable COLLECTOR, which tools/test.sh builds, or builds it.
func collector(t testing.TB) string {
	t.Helper()
	if program := os.Getenv("COLLECTOR"); program != "" {
		return program
	}
	program, err := filepath.Abs(filepath.Join("..", "..", ".bin", "collector"))
	require.NoError(t, err)
	building.Lock()
	defer building.Unlock()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	cmd.Dir, cmd.Env = filepath.Join("..", "..", "tools", "collector"), append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

var building sync.Mutex

// take reads an export in the JSON form of OTLP.
func (c *Collector) take(body []byte) error {
	type value struct {
		Key   string `json:"key"`
		Value struct {
			Text   string `json:"stringValue"`
			Number string `json:"intValue"`
		} `json:"value"`
	}
	var export struct {
		Resources []struct {
			Resource struct {
				Attributes []value `json:"attributes"`
			} `json:"resource"`
			Scopes []struct {
				Spans []struct {
					TraceID    string  `json:"traceId"`
					SpanID     string  `json:"spanId"`
					Parent     string  `json:"parentSpanId"`
					Name       string  `json:"name"`
					Attributes []value `json:"attributes"`
				} `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	if err := json.Unmarshal(body, &export); err != nil {
		return err
	}
	texts := func(list []value) map[string]string {
		all := make(map[string]string)
		for _, one := range list {
			all[one.Key] = one.Value.Text + one.Value.Number
		}
		return all
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range export.Resources {
		service := texts(resource.Resource.Attributes)["service.name"]
		for _, scope := range resource.Scopes {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, Span{s.TraceID, s.SpanID, s.Parent, s.Name, service, texts(s.Attributes)})
			}
		}
	}
	return nil
}

// Spans returns the spans received until now.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}
