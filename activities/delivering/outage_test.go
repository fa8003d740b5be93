package delivering_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/delivering"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
)

var noon = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

func fails(class egress.Class, stage egress.Stage) error {
	return fmt.Errorf("sent: %w", &egress.Error{Class: class, Stage: stage})
}

func noName() error { return fails(egress.ClassDNS, egress.StageResolve) }

// watch is an outage detector with its own clock and captured log.
type watch struct {
	*delivering.Outage
	clock *clocktest.Fake
	log   *bytes.Buffer
	reg   *prometheus.Registry
}

func newWatch() watch {
	w := watch{clock: clocktest.New(noon), log: &bytes.Buffer{}, reg: prometheus.NewRegistry()}
	w.Outage = delivering.NewOutage(w.clock, slog.New(slog.NewTextHandler(w.log, nil)), delivering.NewMetrics(w.reg))
	return w
}

// tries notes one attempt for each of several endpoints, distributed over the workspaces, and returns the result of the
// last one.
func (w watch) tries(ctx context.Context, endpoints, workspaces int, err error) (ours bool) {
	tenants := make([]ident.Workspace, workspaces)
	for i := range tenants {
		tenants[i] = ident.New[ident.Workspace]()
	}
	for i := range endpoints {
		ours = delivering.Note(w.Outage, ctx, tenants[i%workspaces], ident.New[ident.Webhook](), err)
	}
	return ours
}

func TestOwnFailuresAreDistinguished(t *testing.T) {
	t.Parallel()
	refused := fails(egress.ClassConnectionRefused, egress.StageDial)
	for name, c := range map[string]struct {
		ours bool
		try  func(ctx context.Context, w watch) bool
	}{
		"nothing resolves": {
			true, func(ctx context.Context, w watch) bool { return w.tries(ctx, 10, 2, noName()) },
		},
		"nothing can be connected to": {
			true, func(ctx context.Context, w watch) bool { return w.tries(ctx, 10, 2, refused) },
		},
		"no connection comes about in time": {true, func(ctx context.Context, w watch) bool {
			return w.tries(ctx, 10, 2, fails(egress.ClassTimeout, egress.StageDial))
		}},
		"no name resolves in time": {true, func(ctx context.Context, w watch) bool {
			return w.tries(ctx, 10, 2, fails(egress.ClassTimeout, egress.StageResolve))
		}},
		"the failures of the last minute only": {false, func(ctx context.Context, w watch) bool {
			w.tries(ctx, 20, 2, noName())
			w.clock.Advance(61 * time.Second)
			w.tries(ctx, 9, 3, nil)
			return w.tries(ctx, 8, 1, noName())
		}},
		"too few attempts": {false, func(ctx context.Context, w watch) bool { return w.tries(ctx, 9, 3, noName()) }},
		"one tenant's":     {false, func(ctx context.Context, w watch) bool { return w.tries(ctx, 50, 1, noName()) }},
		"they hang": {false, func(ctx context.Context, w watch) bool {
			return w.tries(ctx, 50, 5, fails(egress.ClassTimeout, egress.StageExchange))
		}},
		"their TLS is broken": {false, func(ctx context.Context, w watch) bool {
			return w.tries(ctx, 50, 5, fails(egress.ClassTLS, egress.StageExchange))
		}},
		"they became private": {false, func(ctx context.Context, w watch) bool {
			return w.tries(ctx, 50, 5, fails(egress.ClassBlockedAddress, egress.StageDial))
		}},
		"an error without class": {
			false, func(ctx context.Context, w watch) bool { return w.tries(ctx, 50, 5, errors.New("other")) },
		},
		"half of them": {false, func(ctx context.Context, w watch) bool {
			w.tries(ctx, 8, 2, nil)
			return w.tries(ctx, 8, 2, noName())
		}},
		"more than half": {true, func(ctx context.Context, w watch) bool {
			w.tries(ctx, 8, 2, nil)
			return w.tries(ctx, 9, 2, noName())
		}},
		"the dead ones of one tenant beside the live one of another": {false, func(ctx context.Context, w watch) bool {
			w.tries(ctx, 1, 1, nil)
			return w.tries(ctx, 20, 1, noName())
		}},
		"one that fails while others do, by itself": {false, func(ctx context.Context, w watch) bool {
			w.tries(ctx, 20, 2, noName())
			return w.tries(ctx, 1, 1, nil)
		}},
		"long ago": {false, func(ctx context.Context, w watch) bool {
			w.tries(ctx, 20, 2, noName())
			w.clock.Advance(61 * time.Second)
			return w.tries(ctx, 1, 1, noName())
		}},
		"too few of the last minute": {false, func(ctx context.Context, w watch) bool {
			w.tries(ctx, 8, 2, nil)
			w.clock.Advance(61 * time.Second)
			return w.tries(ctx, 9, 3, noName())
		}},
		"less than half of the last minute": {false, func(ctx context.Context, w watch) bool {
			w.tries(ctx, 20, 2, noName())
			w.clock.Advance(61 * time.Second)
			w.tries(ctx, 9, 3, nil)
			return w.tries(ctx, 8, 2, noName())
		}},
		"one tenant's of the last minute": {false, func(ctx context.Context, w watch) bool {
			w.tries(ctx, 20, 20, noName())
			w.clock.Advance(61 * time.Second)
			return w.tries(ctx, 20, 1, noName())
		}},
		"spread over a minute": {true, func(ctx context.Context, w watch) bool {
			for range 9 {
				w.tries(ctx, 1, 1, noName())
				w.clock.Advance(6 * time.Second)
			}
			return w.tries(ctx, 1, 1, noName())
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.ours, c.try(t.Context(), newWatch()))
		})
	}
}

func TestEndpointCountsByLastAttempt(t *testing.T) {
	t.Parallel()
	w := newWatch()
	tenants := []ident.Workspace{ident.New[ident.Workspace](), ident.New[ident.Workspace]()}
	endpoints := make([]ident.Webhook, 12)
	for i := range endpoints {
		endpoints[i] = ident.New[ident.Webhook]()
	}
	all := func(err error) (ours bool) {
		for i, e := range endpoints {
			ours = delivering.Note(w.Outage, t.Context(), tenants[i%2], e, err)
			w.clock.Advance(time.Second)
		}
		return ours
	}
	require.True(t, all(noName()))
	require.True(t, all(noName()))
	require.False(t, all(nil))
	require.False(t, all(nil))
	require.True(t, all(noName()))
	require.Equal(t, 2, strings.Count(w.log.String(), "level=ERROR"), "said once each time it begins:\n%s", w.log)
	require.Equal(t, 1, strings.Count(w.log.String(), "level=INFO"), "and once when it is over")
	require.Equal(t, 1, gauge(t, w.reg, "webhook_outage"))
	w.clock.Advance(2 * time.Minute)
	require.Zero(t, gauge(t, w.reg, "webhook_outage"), "without attempts, there is nothing to report")
	require.True(t, all(noName()))
	require.Equal(t, 1, gauge(t, w.reg, "webhook_outage"))
	require.False(t, all(nil))
	require.Zero(t, gauge(t, w.reg, "webhook_outage"))
}

// gauge returns the value of a metric without labels.
func gauge(t *testing.T, reg *prometheus.Registry, name string) int {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == name {
			return int(f.GetMetric()[0].GetGauge().GetValue() + f.GetMetric()[0].GetCounter().GetValue())
		}
	}
	require.Fail(t, "no such metric", name)
	return 0
}

// sender replaces the network.
type sender func(request egress.Request) (*egress.Response, error)

func (s sender) Do(_ context.Context, request egress.Request) (*egress.Response, error) {
	return s(request)
}

// TestOwnOutageDisablesNoEndpoint uses 12 endpoints of two tenants whose names do not resolve; only one of them
// responds, with status 500.
func TestOwnOutageDisablesNoEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reg := prometheus.NewRegistry()
	cfg := b.Config
	cfg.Clock, cfg.Metrics = clocktest.New(time.Now()), delivering.NewMetrics(reg)
	cfg.Sender = sender(func(r egress.Request) (*egress.Response, error) {
		if r.URL == "https://500.test/" {
			return &egress.Response{Status: 500}, nil
		}
		return nil, noName()
	})
	d, err := delivering.New(cfg)
	require.NoError(t, err)
	second := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Other", Plan: workspace.Free, Timezone: "UTC",
		CreatedAt: b.endpoint.CreatedAt,
	}
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), second))
	tenants := []ident.Workspace{b.endpoint.WorkspaceID, second.ID}
	for i := range 11 {
		e := b.endpoint
		e.ID = ident.New[ident.Webhook]()
		e.WorkspaceID = tenants[i%2]
		e.URL = "https://" + []string{"500", "a"}[min(i, 1)] + ".test/"
		require.NoError(t, b.webhooks.Insert(t.Context(), e, secret))
	}
	failures := func() (counted map[string]int) {
		counted = make(map[string]int)
		for _, ws := range tenants {
			list, err := b.webhooks.List(t.Context(), ws)
			require.NoError(t, err)
			for _, e := range list {
				require.True(t, e.IsActive)
				counted[e.URL] += e.ConsecutiveFailures
			}
		}
		return counted
	}
	b.happens(t, ident.Webhook{})
	b.endpoint.WorkspaceID = second.ID
	b.happens(t, ident.Webhook{})
	admitted := b.admit(t)
	require.Len(t, admitted, 12)
	for range webhook.MaxAttempts { // repeatedly, like the retries
		for _, in := range admitted {
			_, err := d.Attempt(t.Context(), in)
			require.NoError(t, err)
			b.comesDue(t, in)
		}
	}
	require.Equal(t, map[string]int{"https://500.test/": 1, "https://a.test/": 0, b.endpoint.URL: 0}, failures())
	require.Equal(t, 11, gauge(t, reg, "webhook_failures_excused_total"))
	count, err := testutil.GatherAndCount(reg, "webhook_outage")
	require.NoError(t, err)
	require.Equal(t, 1, count)
	for _, in := range admitted {
		out, err := d.Attempt(t.Context(), flow.DeliveryInput{
			DeliveryID: in.DeliveryID, WebhookID: in.WebhookID, WorkspaceID: in.WorkspaceID, Run: in.Run,
		})
		require.NoError(t, err)
		require.True(t, out.Done, "they are over all the same")
	}
}
