package stack_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/servers"
	"fencepost.internal/devstack/internal/stack"
)

var errDown = errors.New("down")

// fakePart records the calls of its methods.
type fakePart struct {
	done []string
	fail bool
}

func (p *fakePart) Status() process.Status { return process.Status{State: process.Running, PID: 7} }

func (p *fakePart) note(what string) error {
	p.done = append(p.done, what)
	if p.fail {
		return errDown
	}
	return nil
}

func (p *fakePart) Start(context.Context) error { return p.note("start") }
func (p *fakePart) Stop(context.Context) error  { return p.note("stop") }
func (p *fakePart) Kill() error                 { return p.note("kill") }
func (p *fakePart) StopWith(_ context.Context, signal os.Signal) error {
	return p.note("stop with " + signal.String())
}

type bundle struct {
	postgres, temporal *fakePart
	wiped              int
	handler            http.Handler
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{postgres: new(fakePart), temporal: new(fakePart)}
	b.handler = stack.Control{
		Parts:  map[string]stack.Part{"postgres": b.postgres, "temporal": b.temporal},
		Wipe:   func(context.Context) error { b.wiped++; return nil },
		Report: func(string) {},
	}.Handler()
	return b
}

func (b *bundle) call(t *testing.T, method, target string) *httptest.ResponseRecorder {
	t.Helper()
	recorder := httptest.NewRecorder()
	b.handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), method, target, http.NoBody))
	return recorder
}

func TestControlActions(t *testing.T) {
	t.Parallel()
	for target, want := range map[string][]string{
		"/postgres/start":                  {"start"},
		"/postgres/stop":                   {"stop"},
		"/postgres/stop?mode=fast":         {"stop with " + servers.FastShutdown.String()},
		"/postgres/stop?mode=immediate":    {"stop with " + servers.ImmediateShutdown.String()},
		"/postgres/kill":                   {"kill"},
		"/postgres/restart":                {"stop", "start"},
		"/postgres/restart?mode=immediate": {"stop with " + servers.ImmediateShutdown.String(), "start"},
	} {
		b := setup(t)
		response := b.call(t, http.MethodPost, target)
		require.Equal(t, http.StatusOK, response.Code, target)
		require.Equal(t, want, b.postgres.done, target)
		require.Empty(t, b.temporal.done, target)
		require.Contains(t, response.Body.String(), `"state":"running"`)
	}
}

func TestControlWipe(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, http.StatusOK, b.call(t, http.MethodPost, "/temporal/wipe").Code)
	require.Equal(t, 1, b.wiped)
	require.Equal(t, http.StatusNotFound, b.call(t, http.MethodPost, "/postgres/wipe").Code)
}

func TestControlStatus(t *testing.T) {
	t.Parallel()
	response := setup(t).call(t, http.MethodGet, "/status")
	require.Equal(t, http.StatusOK, response.Code)
	var status map[string]process.Status
	require.NoError(t, json.Unmarshal(response.Body.Bytes(), &status))
	require.Len(t, status, 2)
	require.Equal(t, 7, status["temporal"].PID)
}

func TestControlRefusesUnknownRequests(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for target, want := range map[string]int{
		"/mysql/stop":              http.StatusNotFound,
		"/postgres/explode":        http.StatusNotFound,
		"/postgres/stop?mode=slow": http.StatusBadRequest,
		"/temporal/stop?mode=fast": http.StatusBadRequest,
	} {
		require.Equal(t, want, b.call(t, http.MethodPost, target).Code, target)
	}
	require.Equal(t, http.StatusMethodNotAllowed, b.call(t, http.MethodGet, "/postgres/stop").Code)
	require.Empty(t, b.postgres.done)
	require.Empty(t, b.temporal.done)
}

func TestControlReportsFailure(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.temporal.fail = true
	response := b.call(t, http.MethodPost, "/temporal/restart")
	require.Equal(t, http.StatusServiceUnavailable, response.Code)
	require.JSONEq(t, `{"error": "down"}`, response.Body.String())
	require.Equal(t, []string{"stop"}, b.temporal.done, "a failed stop is not followed by a start")
}

func TestControlRefusesCrossOriginRequests(t *testing.T) {
	t.Parallel()
	b := setup(t)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/postgres/kill", http.NoBody)
	request.Header.Set("Origin", "https://other.example")
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	recorder := httptest.NewRecorder()
	b.handler.ServeHTTP(recorder, request)
	require.Equal(t, http.StatusForbidden, recorder.Code)
	require.Empty(t, b.postgres.done)
}
