package ceiling

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/clock"
)

// The settings of services/worker. The comparison requires equal values.
const (
	workflowCache       = 2000
	publishConcurrency  = 50
	deliveryConcurrency = 100
)

// Stats counts the work done since the last reset, with the time of the last item.
type Stats struct {
	Acted     int       `json:"acted"` // activities
	LastActed time.Time `json:"lastActed"`
	Ended     int       `json:"ended"` // workflows
	LastEnded time.Time `json:"lastEnded"`
}

type process struct {
	clock clock.Clock
	http  *http.Client
	mu    sync.Mutex
	stats Stats
}

// Config holds the settings of the ceiling's worker.
type Config struct {
	Temporal  string
	Namespace string
	Address   string // of /readyz, /stats and /reset
	Clock     clock.Clock
}

// Serve runs the workers until the context ends.
func Serve(ctx context.Context, cfg Config) error {
	c, err := client.Dial(client.Options{
		HostPort: cfg.Temporal, Namespace: cfg.Namespace,
		ConnectionOptions: client.ConnectionOptions{GrpcCompression: &client.GrpcCompressionNone{}},
	})
	if err != nil {
		return err
	}
	defer c.Close()
	p := &process{clock: cfg.Clock, http: &http.Client{Timeout: activityTimeout}}
	worker.SetStickyWorkflowCacheSize(workflowCache)
	var running []worker.Worker
	defer func() {
		for _, w := range running {
			w.Stop()
		}
	}()
	for _, w := range p.workers(c) {
		if err := w.Start(); err != nil {
			return err
		}
		running = append(running, w)
	}
	return p.serve(ctx, cfg.Address)
}

func (p *process) workers(c client.Client) []worker.Worker {
	direct := worker.New(c, queueDirect, worker.Options{MaxConcurrentActivityExecutionSize: deliveryConcurrency})
	direct.RegisterWorkflowWithOptions(p.direct, workflow.RegisterOptions{Name: workflowDirect})
	direct.RegisterWorkflowWithOptions(p.send, workflow.RegisterOptions{Name: workflowSend})
	direct.RegisterActivityWithOptions(p.empty, activity.RegisterOptions{Name: activityEmpty})
	direct.RegisterActivityWithOptions(p.post, activity.RegisterOptions{Name: activitySend})
	all := []worker.Worker{direct}
	for _, queue := range timedQueues() {
		w := worker.New(c, queue, worker.Options{MaxConcurrentActivityExecutionSize: publishConcurrency})
		w.RegisterWorkflowWithOptions(p.timed, workflow.RegisterOptions{Name: workflowTimed})
		w.RegisterActivityWithOptions(p.empty, activity.RegisterOptions{Name: activityEmpty})
		all = append(all, w)
	}
	return all
}

func (p *process) ended() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats.Ended++
	p.stats.LastEnded = p.clock.Now()
}

// empty is an activity without effect.
func (p *process) empty(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats.Acted++
	p.stats.LastActed = p.clock.Now()
	return nil
}

// post is an activity that sends one request.
func (p *process) post(ctx context.Context, in sendInput) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, in.URL, strings.NewReader(in.Body))
	if err != nil {
		return err
	}
	request.Header.Set(webhook.HeaderDelivery, in.ID)
	answer, err := p.http.Do(request)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

func (p *process) serve(ctx context.Context, address string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("GET /stats", func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = json.NewEncoder(w).Encode(p.stats)
	})
	mux.HandleFunc("POST /reset", func(http.ResponseWriter, *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.stats = Stats{}
	})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	const headerTimeout = 5 * time.Second
	server := &http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
