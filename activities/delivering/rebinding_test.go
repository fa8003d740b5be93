package delivering_test

import (
	"context"
	"errors"
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/delivering"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/kernel/ident"
)

// resolver fails for every name at first, and later resolves all names to this machine.
type resolver struct{ turned bool }

// LookupNetIP returns the same result for every name.
func (r *resolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	if !r.turned {
		return nil, errors.New("no such host")
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// TestDNSRebindingIsBlocked resolves a receiver's name to 127.0.0.1 between two attempts (DNS rebinding). The
// tests of package egress cover established connections, with a name that resolved to a server before.
func TestDNSRebindingIsBlocked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	names := &resolver{}
	policy, err := egress.NewPolicy(egress.PolicyConfig{})
	require.NoError(t, err)
	cfg := b.Config
	cfg.Sender, err = egress.NewClient(egress.Config{
		Policy: policy, Profile: egress.Webhook, UserAgent: "test/1", Timeout: 5 * time.Second, Resolver: names,
	})
	require.NoError(t, err)
	d, err := delivering.New(cfg)
	require.NoError(t, err)
	_, err = b.webhooks.Update(t.Context(), b.endpoint.WorkspaceID, b.endpoint.ID,
		webhook.Change{URL: new("https://receiver.example.com/hook")})
	require.NoError(t, err)

	_, in := b.deliver(t, ident.Webhook{})
	for i := range webhook.MaxAttempts {
		out, err := d.Attempt(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, i == webhook.MaxAttempts-1, out.Done)
		names.turned = true
		b.comesDue(t, in)
	}
	attempts, err := b.lines.Attempts(t.Context(), in.DeliveryID, math.MaxInt32)
	require.NoError(t, err)
	require.Len(t, attempts, webhook.MaxAttempts)
	require.Equal(t, string(egress.ClassDNS), attempts[0].ErrorClass)
	for _, a := range attempts[1:] {
		require.Equal(t, string(egress.ClassBlockedAddress), a.ErrorClass)
		require.Zero(t, a.StatusCode)
		require.Empty(t, a.Response)
	}
	require.Equal(t, 1, b.reload(t).ConsecutiveFailures, "it counts as the receiver's failure")
}
