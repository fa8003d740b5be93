package faults_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

func networkAlerts() []string {
	return []string{
		"OutcomeUnknown", "OperatorMustAct", "PostsFail", "DeliveriesFail", "WebhookOutage", "WorkLost", "WorkflowTasksFail",
		"LaterPostsPileUp", "FiguresNotCollected", "RenewalsOverdue",
	}
}

// lonely is a network that only one worker serves.
const lonely = channel.NetworkMastodon

// TestF65NetworksFailAndTheirAlertsFire makes networks, receivers and Temporal misbehave, while a real Prometheus
// evaluates the alerts.
func TestF65NetworksFailAndTheirAlertsFire(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F65", Title: "Networks refuse the service or lose responses, receivers are down, workflows are lost or strange",
		Expect: "I1: each alert fires on its fault alone, with the network's name, and ends with it",
	}, usual)
	capped := new(atomic.Bool)
	front := "NETWORKS_SANDBOX_URL=" + spending(t, l, capped)
	runWith(l, 1, front, "WORKER_NETWORKS="+others(l))
	alone := l.Start("worker", "", front, "WORKER_NETWORKS="+string(lonely)).Ready()
	w := watch(t, l)
	stop := w.repeat(2*time.Second, w.tryToPost)
	w.silent(40 * time.Second)
	stop()

	refuse(w, capped)
	unreachable(t, w)
	lose(t, w)
	behind(t, w)
	alone.Stop()
	strange(w, func() *harness.Process {
		return l.Start("worker", alone.Ops(), front, "WORKER_NETWORKS="+string(lonely)).Ready()
	})

	for _, name := range networkAlerts() {
		require.True(t, w.fired[name], "no fault of this scenario is for %s", name)
	}
	l.Healed()
	l.Settle(recovery)
	l.Check(lab.Without("I3")) // two tenants have only receivers that do not exist
}

// strange gives the worker of the lonely network, which is stopped before, a workflow with the history of other code.
func strange(w *watched, start func() *harness.Process) {
	w.t.Helper()
	wake, end := w.StrangeWorkflow("post/strange", lonely)
	begin := time.Now()
	w.scraped(start(), begin)
	wake()
	w.fires("a workflow with the history of other code", time.Minute, end, []string{"ProcessDown"}, "WorkflowTasksFail")
}

// spending returns an address of the networks at which X reports an exhausted budget while capped is set.
func spending(t *testing.T, l *lab.Lab, capped *atomic.Bool) string {
	t.Helper()
	target, err := url.Parse(l.Sandbox.URL())
	require.NoError(t, err)
	through := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if capped.Load() && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/x/2/tweets") {
			out.Header().Set("Content-Type", "application/problem+json")
			out.WriteHeader(http.StatusPaymentRequired)
			_, _ = out.Write([]byte(`{"title":"CreditsDepleted","type":"https://api.twitter.com/2/problems/credits"}`))
			return
		}
		through.ServeHTTP(out, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// others returns the networks of the system's channels, without the lonely one.
func others(l *lab.Lab) string {
	var names []string
	for typ := range l.Channels {
		if n := typ.Network(); n != lonely && !slices.Contains(names, string(n)) {
			names = append(names, string(n))
		}
	}
	return strings.Join(names, ",")
}

// refuse lets three networks refuse posts, each in its way.
func refuse(w *watched, capped *atomic.Bool) {
	w.t.Helper()
	capped.Store(true)
	w.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "commit", Kind: "error_after_accept", Times: 1})
	w.Sandbox.Inject(harness.Fault{Platform: "linkedin", Step: "any", Kind: "reject", Times: -1})
	at := time.Now().Add(time.Second)
	w.Accept(10, at, 100*time.Millisecond, channel.LinkedInPage)
	w.AcceptOne(at, channel.Twitter)
	w.AcceptOne(at, channel.TelegramChannel)
	w.fires("X reports an exhausted budget, LinkedIn refuses every post, a response of Telegram is lost", 2*time.Minute,
		func() {
			for alert, network := range map[string]string{
				"OutcomeUnknown": "telegram", "OperatorMustAct": "x", "PostsFail": "linkedin",
			} {
				points, err := w.tower.Query(`ALERTS{alertname="` + alert + `", alertstate="firing"}`)
				require.NoError(w.t, err)
				for _, point := range points {
					require.Equal(w.t, network, point.Labels["network"], alert)
				}
			}
			capped.Store(false)
			w.Sandbox.Heal()
		}, nil, "OutcomeUnknown", "OperatorMustAct", "PostsFail")
}

// unreachable sends events to receivers that refuse connections, in several workspaces. Afterwards the worker sends
// none: the alert must end without a successful attempt.
func unreachable(t *testing.T, w *watched) {
	t.Helper()
	const endpoints = 6
	tenants := []tenant{newTenant(t, w.Lab), newTenant(t, w.Lab)}
	for _, one := range tenants {
		for range endpoints {
			one.subscribes(t, lab.Closed(t))
		}
	}
	stop := w.repeat(time.Second, func() {
		for _, one := range tenants {
			one.happen(t, 1)
		}
	})
	w.fires("the receivers of two workspaces refuse connections", 3*time.Minute, func() {
		stop()
		w.Exec(`UPDATE webhook SET is_active = false WHERE workspace_id <> $1`, w.Workspace.String())
		w.Exec(`UPDATE delivery SET state = 'CANCELLED', completed_at = now(), next_attempt_at = NULL, lane = NULL
			WHERE state = 'PENDING' AND workspace_id <> $1`, w.Workspace.String())
	}, nil, "DeliveriesFail", "WebhookOutage")
}

// lose terminates the workflow of a scheduled post.
func lose(t *testing.T, w *watched) {
	t.Helper()
	p := w.AcceptOne(time.Now().Add(10*time.Second), channel.Threads)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		status, err := w.Workflow(p.ID)
		require.NoError(c, err)
		require.Equal(c, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, status)
	}, 8*time.Second, 100*time.Millisecond)
	w.Terminate(p.ID)
	w.fires("the workflow of a post is terminated", 2*time.Minute, func() {}, nil, "WorkLost")
	require.Equal(t, fencepost.PostStatusPublished, w.Get(p.ID).Status)
}

// behind makes credentials wait for their renewal, posts of later wait for Temporal, and figures fail.
func behind(t *testing.T, w *watched) {
	t.Helper()
	w.Exec(`INSERT INTO outbox (kind, subject, workspace_id, payload, lane, due_at, not_before)
		SELECT 'post', gen_random_uuid(), $1, '{}', 1, now() + interval '1 day', now() + interval '1 hour'
		FROM generate_series(1, 10001)`, w.Workspace.String())
	stop := w.repeat(time.Second, func() {
		w.Exec(`UPDATE channel SET renew_at = now() - interval '7 hours', assessed_rev = credentials_rev WHERE id = $1`,
			w.Channels[channel.Twitter].ID.String())
	})
	w.Sandbox.Inject(harness.Fault{Platform: "threads", Step: "any", Kind: "unavailable", Times: -1})
	figures := w.Channels[channel.Threads].ID.String()
	w.Admin("insights", "collect", figures)
	w.fires("a renewal waits for 7 hours, 10,001 messages of later wait, Threads returns no figures", 5*time.Minute, func() {
		stop()
		w.Exec(`UPDATE channel SET renew_at = NULL WHERE id = $1`, w.Channels[channel.Twitter].ID.String())
		w.Exec(`DELETE FROM outbox WHERE lane = 1 AND not_before > now() + interval '10 minutes'`)
		w.Sandbox.Heal()
		collect(t, w.Lab, figures)
	}, nil, "LaterPostsPileUp", "RenewalsOverdue", "FiguresNotCollected")
}
