package egress_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"fencepost.internal/shared/infra/egress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeDNS responds from a table. A name may have several responses: each lookup takes the next, and the last one stays.
type fakeDNS struct {
	mu        sync.Mutex
	responses map[string][][]string
	lookups   map[string]int
}

func newFakeDNS(responses map[string][][]string) *fakeDNS {
	return &fakeDNS{responses: responses, lookups: map[string]int{}}
}

// LookupNetIP implements egress.Resolver.
func (d *fakeDNS) LookupNetIP(_ context.Context, network, host string) ([]netip.Addr, error) {
	d.mu.Lock()
	defer d.mu.Unlock()

	if network != "ip" {
		return nil, errors.New("fake DNS: unexpected network " + network)
	}

	sets, ok := d.responses[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, Server: "10.0.0.53:53", IsNotFound: true}
	}

	set := sets[min(d.lookups[host], len(sets)-1)]
	d.lookups[host]++

	addrs := make([]netip.Addr, 0, len(set))
	for _, text := range set {
		addrs = append(addrs, netip.MustParseAddr(text))
	}

	return addrs, nil
}

func (d *fakeDNS) count(host string) int {
	d.mu.Lock()
	defer d.mu.Unlock()

	return d.lookups[host]
}

func noInterfaces() ([]net.Addr, error) { return nil, nil }

// newPolicy returns a policy that does not depend on the test machine.
func newPolicy(tb testing.TB, config egress.PolicyConfig) *egress.Policy {
	tb.Helper()

	if config.Interfaces == nil {
		config.Interfaces = noInterfaces
	}

	policy, err := egress.NewPolicy(config)
	require.NoError(tb, err)

	return policy
}

func newClient(t *testing.T, config egress.Config) *egress.Client {
	t.Helper()

	if config.Policy == nil {
		config.Policy = newPolicy(t, egress.PolicyConfig{})
	}

	if config.Profile == 0 {
		config.Profile = egress.Webhook
	}

	config.UserAgent = "egress-test/1"

	client, err := egress.NewClient(config)
	require.NoError(t, err)

	return client
}

// newLoopbackClient returns a client with development settings: it may reach test servers.
func newLoopbackClient(t *testing.T, config egress.Config) *egress.Client {
	t.Helper()

	config.Policy = newPolicy(t, egress.PolicyConfig{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	if config.Timeout == 0 {
		config.Timeout = 10 * time.Second
	}

	return newClient(t, config)
}

// errReached ends a dial that passed the gate, in place of a connection to the internet.
var errReached = errors.New("reached")

// reached records the destinations of a client's connections.
type reached struct {
	attempts  atomic.Int64 // including those that the gate rejected
	mu        sync.Mutex
	addresses []string
}

func (r *reached) connect(ctx context.Context, network, address string, gate egress.Gate) (net.Conn, error) {
	r.attempts.Add(1)

	if err := gate(ctx, network, address, nil); err != nil {
		return nil, err
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	r.addresses = append(r.addresses, address)

	return nil, &net.OpError{Op: "dial", Net: network, Err: errors.Join(errReached, syscall.ECONNREFUSED)}
}

func (r *reached) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.addresses
}

// requireFailure asserts the class of an error, and that its text reveals nothing about the network.
func requireFailure(t *testing.T, err error, class egress.Class) {
	t.Helper()

	failure := new(egress.Error)
	require.ErrorAs(t, err, &failure)
	require.Equal(t, class, failure.Class, "%v: %v", err, failure.Cause)
	require.Equal(t, class, egress.ClassOf(err))
	require.NotEmpty(t, failure.Reason)
	require.Equal(t, string(class)+": "+failure.Reason, err.Error())
	require.NotRegexp(t, `\d+\.\d+\.\d+|::|[0-9a-f]:[0-9a-f]`, err.Error())
}

func requireStage(t *testing.T, err error, stage egress.Stage) {
	t.Helper()

	failure := new(egress.Error)
	require.ErrorAs(t, err, &failure)
	require.Equal(t, stage, failure.Stage)
}
