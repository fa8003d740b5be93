package faults_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/shared/domain/webhook"
)

// bad is a receiver that misbehaves, with the expected record of the first attempt: the error class or the status.
type bad struct {
	behavior lab.Behavior
	url      string // set if it misbehaves below HTTP
	want     string
}

func behaviors(t *testing.T) map[string]bad {
	t.Helper()
	return map[string]bad{
		"hangs":              {behavior: lab.Hang(), want: "timeout"},
		"never-tls":          {url: lab.Silent(t), want: "timeout"},
		"slow-tls":           {url: lab.SlowTLS(t), want: "timeout"},
		"trickles-head":      {behavior: lab.Trickle("HTTP/1.1 200 OK\r\nX-Slow: "), want: "timeout"},
		"trickles-body":      {behavior: lab.Trickle(lab.Head(500, 1<<20)), want: "status_5xx 500"},
		"gigabyte-head":      {behavior: lab.Flood("HTTP/1.1 200 OK\r\nX-Long: "), want: "too_large"},
		"gigabyte-body":      {behavior: lab.Flood(lab.Head(500, 1<<30)), want: "status_5xx 500"},
		"gigabyte-accepted":  {behavior: lab.Flood(lab.Head(200, 1<<30)), want: "200"},
		"closes-before-head": {behavior: lab.Drop(), want: "connection_reset"},
		"closes-in-head":     {behavior: lab.Raw("HTTP/1.1 200 OK\r\nX-Half"), want: "protocol_error"},
		"closes-in-body":     {behavior: lab.Raw(lab.Head(500, 1000) + "half of it"), want: "status_5xx 500"},
		"resets":             {behavior: lab.Reset(), want: "connection_reset"},
		"informs-for-ever":   {behavior: lab.Informing(), want: "too_large"},
		"no-http":            {behavior: lab.Raw("SSH-2.0-OpenSSH_9.2\r\n"), want: "protocol_error"},
		"switches": {
			behavior: lab.Raw("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
			want:     "status_1xx 101",
		},
		"redirects":           {behavior: lab.Status(http.StatusTemporaryRedirect), want: "status_3xx 307"},
		"refuses-connections": {url: lab.Closed(t), want: "connection_refused"},
	}
}

// TestF41ReceiversOfEveryBadKind sends one event to each bad receiver.
func TestF41ReceiversOfEveryBadKind(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F41", Title: "Receivers never finish TLS, trickle, send a gigabyte, disconnect, send 1xx forever",
		Expect: "I3 I12: the attempt ends within 15 s with its class; memory stays bounded",
	})
	l.Run(2)
	n, farm := newTenant(t, l), lab.NewFarm(t)
	all := behaviors(t)
	ids := make(map[string]string)
	for name, b := range all {
		if b.url == "" {
			farm.Behave(name, b.behavior)
			b.url = farm.URL(name)
		}
		ids[name] = n.subscribes(t, b.url).ID.String()
	}
	n.happen(t, 1)
	l.Injected("%d receivers, each with its own fault", len(all))
	const timeout = 40 * time.Second
	for name, b := range all {
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			first := l.Query(c,
				`SELECT concat_ws(' ', a.error_class, a.status_code) || '|' || a.duration_ms FROM delivery_attempt a
				JOIN delivery d ON d.id = a.delivery_id WHERE d.webhook_id = CAST($1 AS uuid) AND a.n = 1`, ids[name])
			require.Len(c, first, 1, name)
			class, elapsed, _ := strings.Cut(first[0], "|")
			require.Equal(c, b.want, class, name)
			ms, err := strconv.Atoi(elapsed)
			require.NoError(c, err)
			require.LessOrEqual(c, ms, int((webhook.AckTimeout + time.Second).Milliseconds()), name)
		}, timeout, 200*time.Millisecond)
	}
	require.Zero(t, farm.Count("elsewhere"), "redirects are not followed")

	farm.BehaveAll(lab.Accept())
	for name, b := range all { // receivers that misbehave below HTTP do not recover
		if b.url != "" {
			l.Exec(`UPDATE webhook SET url = $1 WHERE id = CAST($2 AS uuid)`, farm.URL(name), ids[name])
		}
	}
	l.Healed()
	l.Settle(recovery)
	for name := range all {
		require.Equal(t, []string{"SUCCEEDED"}, l.Query(t, `SELECT state FROM delivery WHERE webhook_id = CAST($1 AS uuid)`,
			ids[name]), name)
	}
	l.Check(lab.Bounded(lab.Ceiling{Memory: 400 << 20, Goroutines: 3000, Files: 1500}))
}

func TestF42ReceiverRespondsTooLate(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F42", Title: "The receiver accepts the event and responds after 16 s",
		Expect: "I3: a timeout; sent again with the same id and body and a new signature",
	})
	l.Run(2)
	n, farm := newTenant(t, l), lab.NewFarm(t)
	const late = webhook.AckTimeout + time.Second
	farm.Behave("late", lab.First(1, lab.LateResponse(late), lab.Accept()))
	farm.Behave("in-time", lab.LateResponse(webhook.AckTimeout-time.Second))
	lateOne, inTime := n.subscribes(t, farm.URL("late")), n.subscribes(t, farm.URL("in-time"))
	n.happen(t, 1)
	l.Injected("the first response arrives after %v", late)
	l.Healed()
	l.Settle(recovery)
	got := farm.Got("late")
	require.Len(t, got, 2)
	require.Equal(t, got[0].ID, got[1].ID)
	require.Equal(t, got[0].Body, got[1].Body)
	require.NotEqual(t, got[0].Header.Get(webhook.HeaderSignature), got[1].Header.Get(webhook.HeaderSignature))
	require.GreaterOrEqual(t, got[1].At.Sub(got[0].At), webhook.AckTimeout)
	require.Equal(t, []string{"1 timeout ", "2  200"}, attemptsAt(t, l, lateOne.ID))
	require.Equal(t, []string{"1  200"}, attemptsAt(t, l, inTime.ID), "a second less is in time")
	require.Equal(t, map[string]int{"SUCCEEDED": 1}, states(t, l, lateOne.ID))
	l.Check()
}

// attemptsAt returns the number, the error class and the status of each attempt of an endpoint's deliveries.
func attemptsAt(t *testing.T, l *lab.Lab, e fmt.Stringer) []string {
	t.Helper()
	return l.Query(t,
		`SELECT a.n || ' ' || coalesce(a.error_class, '') || ' ' || coalesce(a.status_code::text, '') FROM delivery_attempt a
		JOIN delivery d ON d.id = a.delivery_id WHERE d.webhook_id = CAST($1 AS uuid) ORDER BY d.id, a.n`, e.String())
}
