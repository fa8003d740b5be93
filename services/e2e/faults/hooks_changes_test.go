package faults_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
)

// hook is an endpoint created through the API.
type hook struct {
	id, name, secret string
}

func newHook(t *testing.T, l *lab.Lab, farm *lab.Farm, name string) hook {
	t.Helper()
	response, err := l.API.Webhooks.Create(t.Context(), fencepost.CreateWebhookRequest{
		URL: farm.URL(name), Events: []fencepost.EventType{fencepost.EventTypeAll},
	})
	require.NoError(t, err)
	return hook{id: response.ID, name: name, secret: response.Secret}
}

// changes sends a PATCH request.
func (h hook) changes(t *testing.T, l *lab.Lab, change fencepost.UpdateWebhookRequest) {
	t.Helper()
	require.NoError(t, harness.Failure(l.API.Webhooks.Update(t.Context(), h.id, change)))
}

// rotates rotates the secret and returns the new one.
func (h hook) rotates(t *testing.T, l *lab.Lab, overlapHours int64, force bool) string {
	t.Helper()
	response, err := l.API.Webhooks.RotateSecret(t.Context(), h.id,
		fencepost.RotateSecretRequest{OverlapHours: &overlapHours, Force: &force})
	require.NoError(t, err)
	return response.Secret
}

// last waits until the endpoint has received the given number of requests, and returns the last one.
func (h hook) last(t *testing.T, farm *lab.Farm, requests int) lab.Got {
	t.Helper()
	var got []lab.Got
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		got = farm.Got(h.name)
		require.GreaterOrEqual(c, len(got), requests)
	}, recovery, 50*time.Millisecond, h.name)
	return got[len(got)-1]
}

func (h hook) state(t require.TestingT, l *lab.Lab, externalID string) string {
	found := l.Query(t, `SELECT state FROM delivery WHERE webhook_id = CAST($1 AS uuid) AND event_id = CAST($2 AS uuid)`,
		h.id, strings.TrimPrefix(externalID, "evt_"))
	require.Len(t, found, 1)
	return found[0]
}

// TestF45EndpointsChangeWhileDeliveriesArePending changes four endpoints while an event waits for its retry.
func TestF45EndpointsChangeWhileDeliveriesArePending(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F45",
		Title: "The secret is rotated, the events change, the endpoint is disabled or deleted under pending " +
			"deliveries",
		Expect: "I3: the next attempt has both signatures; subscribed events arrive; a deleted or disabled " +
			"endpoint gets nothing after a second, and the cancellation is recorded",
	})
	l.Run(2)
	farm := lab.NewFarm(t)
	rotated, narrowed, disabled, deleted := newHook(t, l, farm, "rotated"), newHook(t, l, farm, "narrowed"), newHook(t, l,
		farm, "disabled"), newHook(t, l, farm, "deleted")
	farm.BehaveAll(lab.Status(http.StatusServiceUnavailable))
	own := tenant{l: l, id: l.Workspace}
	began := time.Now()
	pending := onlyID(own.happen(t, 1))
	for _, h := range []hook{rotated, narrowed, disabled, deleted} {
		require.Equal(t, pending, h.last(t, farm, 1).ID)
	}

	fresh := rotated.rotates(t, l, 24, false)
	narrowed.changes(t, l, fencepost.UpdateWebhookRequest{Events: fencepost.Set([]fencepost.EventType{fencepost.EventTypeLeadCreated})})
	disabled.changes(t, l, fencepost.UpdateWebhookRequest{IsActive: fencepost.Set(false)})
	require.NoError(t, l.API.Webhooks.Delete(t.Context(), deleted.id))
	ended := time.Now()
	l.Injected(
		"one secret rotated, one list of events changed, one endpoint disabled and one deleted, with a retry pending at each")
	farm.BehaveAll(lab.Accept())
	l.Healed()

	l.Settle(recovery) // before the changes, a slow machine may have made more than one attempt
	again := rotated.last(t, farm, 2)
	require.Equal(t, pending, again.ID)
	requireSigned(t, again, fresh, rotated.secret)
	require.Equal(t, pending, narrowed.last(t, farm, 2).ID, "the endpoint was subscribed at the time of the event")
	attempts := farm.Count("narrowed")
	require.Equal(t, []string{strconv.Itoa(attempts)}, l.Query(t, `SELECT count(*) FROM delivery_attempt a
		JOIN delivery d ON d.id = a.delivery_id WHERE d.webhook_id = CAST($1 AS uuid)`, narrowed.id), "each is recorded once")

	meanwhile := own.happen(t, 3) // channel.connected, channel.disconnected, lead.created
	l.Settle(recovery)
	require.Equal(t, string(event.LeadCreated), narrowed.last(t, farm, attempts+1).Type)
	require.Equal(t, attempts+1, farm.Count("narrowed"))
	for _, h := range []hook{disabled, deleted} {
		require.Equal(t, "CANCELLED", h.state(t, l, pending))
		for _, g := range farm.Got(h.name) {
			require.Less(t, g.At.Sub(ended), time.Second, h.name)
		}
	}
	for id := range meanwhile {
		require.Equal(t, "SKIPPED", disabled.state(t, l, id))
	}
	replayed(t, l, farm, disabled, began, append(keys(meanwhile), pending))

	last := rotated.rotates(t, l, 0, true)
	before := farm.Count("rotated")
	own.happen(t, 1)
	requireSigned(t, rotated.last(t, farm, before+1), last)
	l.Settle(recovery)
	l.Check()
}

// replayed enables an endpoint and replays everything that it missed. The replayed events must have their original ids.
func replayed(t *testing.T, l *lab.Lab, farm *lab.Farm, h hook, since time.Time, missed []string) {
	t.Helper()
	before := farm.Count(h.name)
	h.changes(t, l, fencepost.UpdateWebhookRequest{IsActive: fencepost.Set(true)})
	require.NoError(t, harness.Failure(l.API.Webhooks.StartReplay(t.Context(), h.id, fencepost.StartReplayRequest{Since: since})))
	l.Settle(recovery)
	var got []string
	for _, g := range farm.Got(h.name)[before:] {
		got = append(got, g.ID)
	}
	require.ElementsMatch(t, missed, got)
	for _, id := range missed {
		require.Equal(t, "SUCCEEDED", h.state(t, l, id))
	}
}

// requireSigned checks that a request is signed with the secrets, in this order, and with no others.
func requireSigned(t *testing.T, g lab.Got, secrets ...string) {
	t.Helper()
	header := g.Header.Get(webhook.HeaderSignature)
	at, signatures, _ := strings.Cut(header, ",")
	parts := strings.Split(signatures, ",")
	require.Len(t, parts, len(secrets))
	for i, secret := range secrets {
		require.NoError(t, webhook.Verify(at+","+parts[i], g.Body, secret, g.At), "signature %d", i+1)
		require.NoError(t, webhook.Verify(header, g.Body, secret, g.At))
		require.NoError(t, webhook.VerifyStandard(g.Header, g.Body, secret, g.At))
	}
}

func onlyID(created map[string]time.Time) string { return keys(created)[0] }

func keys(created map[string]time.Time) (ids []string) {
	for id := range created {
		ids = append(ids, id)
	}
	return ids
}
