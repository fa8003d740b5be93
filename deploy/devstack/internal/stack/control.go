package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/servers"
)

// ControlUsage is the control API's reference in devstack's help. With the API, tests stop, kill and restart the
// infrastructure.
const ControlUsage = `The control API, on 127.0.0.1 (exec: $DEVSTACK_CONTROL; run: controlUrl in dev.json):
  GET  /status                        what runs: state, pid and since of each part
  POST /{part}/stop                   graceful stop; postgres takes ?mode=fast (default) or ?mode=immediate
  POST /{part}/kill                   SIGKILL to the process, its group and its descendants
  POST /{part}/start                  start, and wait until it is ready
  POST /{part}/restart                stop (takes mode as stop does) and start
  POST /temporal/wipe                 stop, create Temporal's databases again, start: everything it knew is lost
{part} is postgres, temporal or minio. The response is 200 with the part's status when done, 404 for an unknown part,
400 for an unknown mode, 503 with {"error"} on failure. Stopping a stopped part or starting a running one is not an error.`

// Part is a part that the API controls. *process.Unit implements it.
type Part interface {
	Start(ctx context.Context) error
	StopWith(ctx context.Context, signal os.Signal) error
	Stop(ctx context.Context) error
	Kill() error
	Status() process.Status
}

// Control is the configuration of the control API.
type Control struct {
	Parts map[string]Part
	// Wipe deletes all data of Temporal.
	Wipe func(ctx context.Context) error
	// Report receives a description of each request.
	Report func(message string)
}

// serveControl serves the control API until ctx ends, and returns its URL.
func serveControl(
	ctx context.Context, port int, infrastructure *servers.Servers, report func(string),
) (url string, err error) {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return "", fmt.Errorf("control API: %w", err)
	}
	control := Control{Parts: make(map[string]Part), Wipe: infrastructure.WipeTemporal, Report: report}
	for _, unit := range infrastructure.Units() {
		control.Parts[unit.Name()] = unit
	}
	server := &http.Server{Handler: control.Handler(), ReadHeaderTimeout: time.Minute}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			report("control API: " + err.Error())
		}
	}()
	return "http://" + address, nil
}

// Handler returns the API. An action continues when the client disconnects, because a partial start is of no use. The API
// refuses cross-origin requests from web pages.
func (c Control) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		statuses := make(map[string]process.Status)
		for name, part := range c.Parts {
			statuses[name] = part.Status()
		}
		respond(w, http.StatusOK, statuses)
	})
	mux.HandleFunc("POST /{part}/{action}", c.act)
	return http.NewCrossOriginProtection().Handler(mux)
}

func (c Control) act(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("part")
	part, known := c.Parts[name]
	if !known {
		fail(w, http.StatusNotFound, fmt.Errorf("unknown part %q", name))
		return
	}
	stop := part.Stop
	if mode := r.URL.Query().Get("mode"); mode != "" {
		signals := map[string]os.Signal{"fast": servers.FastShutdown, "immediate": servers.ImmediateShutdown}
		signal, known := signals[mode]
		if !known || name != "postgres" {
			fail(w, http.StatusBadRequest, fmt.Errorf("%s cannot be stopped with mode %q", name, mode))
			return
		}
		stop = func(ctx context.Context) error { return part.StopWith(ctx, signal) }
	}
	actions := map[string]func(context.Context) error{
		"start": part.Start, "stop": stop, "kill": func(context.Context) error { return part.Kill() },
		"restart": func(ctx context.Context) error {
			if err := stop(ctx); err != nil {
				return err
			}
			return part.Start(ctx)
		},
	}
	if name == "temporal" {
		actions["wipe"] = c.Wipe
	}
	verb := r.PathValue("action")
	action, known := actions[verb]
	if !known {
		fail(w, http.StatusNotFound, errors.New("unknown action: stop, kill, start or restart"))
		return
	}
	if err := action(context.WithoutCancel(r.Context())); err != nil {
		c.Report(fmt.Sprintf("%s %s failed: %v", verb, name, err))
		fail(w, http.StatusServiceUnavailable, err)
		return
	}
	c.Report(fmt.Sprintf("%s %s: done, requested through the control API", verb, name))
	respond(w, http.StatusOK, part.Status())
}

func fail(w http.ResponseWriter, status int, err error) {
	respond(w, status, map[string]string{"error": err.Error()})
}

func respond(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only if the client has disconnected
}
