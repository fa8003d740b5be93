package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/control"
	"fencepost.internal/devstack/internal/postgres"
	"fencepost.internal/devstack/internal/unit"
)

var errDown = errors.New("down")

// fakePart records the calls of its methods.
type fakePart struct {
	name string
	done []string
	fail bool
}

func (p *fakePart) Name() string          { return p.name }
func (p *fakePart) Measured() unit.Status { return unit.Status{State: unit.Running, PID: 7} }

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
	b := &bundle{postgres: &fakePart{name: "postgres"}, temporal: &fakePart{name: "temporal"}}
	b.handler = control.NewHandler(control.Config{
		Parts:  []control.Part{b.postgres, b.temporal},
		Wipe:   func(context.Context) error { b.wiped++; return nil },
		Report: func(string) {},
	})
	return b
}

func (b *bundle) call(t *testing.T, method, target string) *httptest.ResponseRecorder {
	t.Helper()
	recorder := httptest.NewRecorder()
	b.handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), method, target, http.NoBody))
	return recorder
}

func TestActions(t *testing.T) {
	t.Parallel()
	for target, want := range map[string][]string{
		"/postgres/start":                  {"start"},
		"/postgres/stop":                   {"stop"},
		"/postgres/stop?mode=fast":         {"stop with " + postgres.FastShutdown.String()},
		"/postgres/stop?mode=immediate":    {"stop with " + postgres.ImmediateShutdown.String()},
		"/postgres/kill":                   {"kill"},
		"/postgres/restart":                {"stop", "start"},
		"/postgres/restart?mode=immediate": {"stop with " + postgres.ImmediateShutdown.String(), "start"},
	} {
		b := setup(t)
		answer := b.call(t, http.MethodPost, target)
		require.Equal(t, http.StatusOK, answer.Code, target)
		require.Equal(t, want, b.postgres.done, target)
		require.Empty(t, b.temporal.done, target)
		require.Contains(t, answer.Body.String(), `"state":"running"`)
	}
}

func TestWipe(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, http.StatusOK, b.call(t, http.MethodPost, "/temporal/wipe").Code)
	require.Equal(t, 1, b.wiped)
	require.Equal(t, http.StatusNotFound, b.call(t, http.MethodPost, "/postgres/wipe").Code)
}

func TestStatus(t *testing.T) {
	t.Parallel()
	answer := setup(t).call(t, http.MethodGet, "/status")
	require.Equal(t, http.StatusOK, answer.Code)
	var status map[string]unit.Status
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &status))
	require.Len(t, status, 2)
	require.Equal(t, 7, status["temporal"].PID)
}

func TestRefusals(t *testing.T) {
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

func TestAFailedActionSaysWhy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.temporal.fail = true
	answer := b.call(t, http.MethodPost, "/temporal/restart")
	require.Equal(t, http.StatusServiceUnavailable, answer.Code)
	require.JSONEq(t, `{"error": "down"}`, answer.Body.String())
	require.Equal(t, []string{"stop"}, b.temporal.done, "a failed stop is not followed by a start")
}

func TestWebPagesOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/postgres/kill", http.NoBody)
	request.Header.Set("Origin", "https://elsewhere.example")
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	recorder := httptest.NewRecorder()
	b.handler.ServeHTTP(recorder, request)
	require.Equal(t, http.StatusForbidden, recorder.Code)
	require.Empty(t, b.postgres.done)
}
