// Package control implements the HTTP API, on loopback only, with which tests stop, kill and restart the
// infrastructure.
package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"fencepost.internal/devstack/internal/postgres"
	"fencepost.internal/devstack/internal/unit"
)

// Usage is the API reference in devstack's help.
const Usage = `The control API, on 127.0.0.1 (exec: $DEVSTACK_CONTROL; run: controlUrl in dev.json):
  GET  /status                        what runs: state, pid, since, residentBytes of each part
  POST /{part}/stop                   graceful stop; postgres takes ?mode=fast (default) or ?mode=immediate
  POST /{part}/kill                   SIGKILL to the process, its group and its descendants
  POST /{part}/start                  start, and wait until it is ready
  POST /{part}/restart                stop (takes mode as stop does) and start
  POST /temporal/wipe                 stop, make Temporal's databases anew, start: everything it knew is lost
{part} is postgres, temporal or minio. Answers 200 with the part's status when done, 404 for an unknown part,
400 for an unknown mode, 503 with {"error"} on failure. Stopping a stopped part or starting a running one is not an error.`

const (
	readHeaderTimeout = 5 * time.Second
	shutdownTimeout   = 2 * time.Second
)

// Part is a part that the API controls. *unit.Unit implements it.
type Part interface {
	Name() string
	Start(ctx context.Context) error
	StopWith(ctx context.Context, signal os.Signal) error
	Stop(ctx context.Context) error
	Kill() error
	Measured() unit.Status
}

// Config holds the parts and callbacks of the API.
type Config struct {
	Parts []Part
	// Wipe deletes all data of Temporal.
	Wipe func(ctx context.Context) error
	// Report receives a description of each request.
	Report func(message string)
}

type api struct {
	cfg   Config
	parts map[string]Part
}

// NewHandler returns the API. An action continues when the client disconnects, because a partial start is of no use.
// The API refuses cross-origin requests from web pages.
func NewHandler(cfg Config) http.Handler {
	handler := &api{cfg: cfg, parts: make(map[string]Part, len(cfg.Parts))}
	for _, part := range cfg.Parts {
		handler.parts[part.Name()] = part
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", handler.status)
	mux.HandleFunc("POST /temporal/wipe", handler.wipe)
	mux.HandleFunc("POST /{part}/{action}", handler.act)
	return http.NewCrossOriginProtection().Handler(mux)
}

// Serve serves the API until ctx ends.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("control API: %w", err)
	case <-ctx.Done():
	}
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(stopCtx); err != nil {
		return errors.Join(fmt.Errorf("control API: %w", err), server.Close())
	}
	return nil
}

func (a *api) status(w http.ResponseWriter, _ *http.Request) {
	statuses := make(map[string]unit.Status, len(a.parts))
	for name, part := range a.parts {
		statuses[name] = part.Measured()
	}
	answer(w, http.StatusOK, statuses)
}

func (a *api) wipe(w http.ResponseWriter, r *http.Request) {
	a.finish(w, a.parts["temporal"], "wipe", a.cfg.Wipe(context.WithoutCancel(r.Context())))
}

// stopSignals returns the signals of mode, per part.
func stopSignals() map[string]map[string]os.Signal {
	return map[string]map[string]os.Signal{
		"postgres": {"fast": postgres.FastShutdown, "immediate": postgres.ImmediateShutdown},
	}
}

func (a *api) act(w http.ResponseWriter, r *http.Request) {
	part, known := a.parts[r.PathValue("part")]
	if !known {
		fail(w, http.StatusNotFound, fmt.Errorf("unknown part %q", r.PathValue("part")))
		return
	}
	mode := r.URL.Query().Get("mode")
	signal, known := stopSignals()[part.Name()][mode]
	if mode != "" && !known {
		fail(w, http.StatusBadRequest, fmt.Errorf("%s cannot be stopped with mode %q", part.Name(), mode))
		return
	}
	action := r.PathValue("action")
	err := perform(context.WithoutCancel(r.Context()), part, action, signal)
	if errors.Is(err, errUnknownAction) {
		fail(w, http.StatusNotFound, err)
		return
	}
	a.finish(w, part, action, err)
}

var errUnknownAction = errors.New("unknown action: stop, kill, start or restart")

func perform(ctx context.Context, part Part, action string, signal os.Signal) error {
	switch action {
	case "start":
		return part.Start(ctx)
	case "stop":
		return stop(ctx, part, signal)
	case "kill":
		return part.Kill()
	case "restart":
		if err := stop(ctx, part, signal); err != nil {
			return err
		}
		return part.Start(ctx)
	default:
		return errUnknownAction
	}
}

func stop(ctx context.Context, part Part, signal os.Signal) error {
	if signal == nil {
		return part.Stop(ctx)
	}
	return part.StopWith(ctx, signal)
}

func (a *api) finish(w http.ResponseWriter, part Part, action string, err error) {
	if err != nil {
		a.cfg.Report(fmt.Sprintf("%s %s failed: %v", action, part.Name(), err))
		fail(w, http.StatusServiceUnavailable, err)
		return
	}
	a.cfg.Report(fmt.Sprintf("%s %s: done, requested through the control API", action, part.Name()))
	answer(w, http.StatusOK, part.Measured())
}

func fail(w http.ResponseWriter, status int, err error) {
	answer(w, status, map[string]string{"error": err.Error()})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only if the client has disconnected
}
