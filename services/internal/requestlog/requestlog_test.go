package requestlog_test

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/requestlog"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// store fails as the test says, and keeps what it gets once.
type store struct {
	mu      sync.Mutex
	faults  []error
	batches []int
	kept    map[ident.Request]credential.Request
}

// Add implements requestlog.Store.
func (s *store) Add(_ context.Context, batch []credential.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, len(batch))
	if len(s.faults) > 0 {
		err := s.faults[0]
		s.faults = s.faults[1:]
		return err
	}
	for _, r := range batch {
		s.kept[r.ID] = r
	}
	return nil
}

func newLog(t *testing.T, faults ...error) (*requestlog.Log, *store, *prometheus.Registry) {
	t.Helper()
	s, registry := &store{faults: faults, kept: map[ident.Request]credential.Request{}}, prometheus.NewRegistry()
	l, err := requestlog.New(requestlog.Config{Store: s, Logger: slog.New(slog.DiscardHandler), Registerer: registry})
	require.NoError(t, err)
	return l, s, registry
}

func requireDropped(t *testing.T, registry *prometheus.Registry, full, limited, refused string) {
	t.Helper()
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP request_log_dropped_total Requests of credentials that are missing in their log, by reason: full, limited or refused.
# TYPE request_log_dropped_total counter
request_log_dropped_total{reason="full"} `+full+`
request_log_dropped_total{reason="limited"} `+limited+`
request_log_dropped_total{reason="refused"} `+refused+`
`), "request_log_dropped_total"))
}

func TestEntriesAreWrittenTogether(t *testing.T) {
	t.Parallel()
	l, s, registry := newLog(t)
	for range 2500 {
		l.Add(credential.Request{Status: 200})
	}
	require.Empty(t, s.batches, "a request does not wait")
	require.NoError(t, l.Flush(t.Context()))
	require.Equal(t, []int{1000, 1000, 500}, s.batches)
	require.Len(t, s.kept, 2500, "each has an ID of its own")
	require.NoError(t, l.Flush(t.Context()))
	require.Len(t, s.batches, 3, "nothing is left")
	requireDropped(t, registry, "0", "0", "0")
}

// TestEntriesWaitForDatabase checks that an outage loses nothing as long as the entries fit into memory.
func TestEntriesWaitForDatabase(t *testing.T) {
	t.Parallel()
	down := apperr.New(apperr.Unavailable, "down")
	l, s, registry := newLog(t, down, down, down, down, down)
	for range 20_000 {
		l.Add(credential.Request{Status: 200})
	}
	for range 5 {
		require.ErrorIs(t, l.Flush(t.Context()), down)
		l.Add(credential.Request{Status: 200})
	}
	require.NoError(t, l.Flush(t.Context()))
	require.Len(t, s.kept, 20_000)
	requireDropped(t, registry, "5", "0", "0")
	l.Add(credential.Request{Status: 200})
	require.NoError(t, l.Flush(t.Context()))
	require.Len(t, s.kept, 20_001, "there is room again")
}

// TestRefusedBatchBlocksNoOther checks that a batch that the database never takes is dropped.
func TestRefusedBatchBlocksNoOther(t *testing.T) {
	t.Parallel()
	refused := errors.New("a constraint")
	l, s, registry := newLog(t, refused, refused, refused)
	l.Add(credential.Request{RequestID: "first"})
	require.ErrorIs(t, l.Flush(t.Context()), refused)
	require.ErrorIs(t, l.Flush(t.Context()), refused)
	require.NoError(t, l.Flush(t.Context()), "the third refusal drops the batch")
	l.Add(credential.Request{RequestID: "second"})
	require.NoError(t, l.Flush(t.Context()))
	require.Len(t, s.kept, 1)
	requireDropped(t, registry, "0", "0", "1")
}

// TestFloodOfOneCredentialIsBounded checks that requests that a rate limit refuses do not fill the log.
func TestFloodOfOneCredentialIsBounded(t *testing.T) {
	t.Parallel()
	l, s, registry := newLog(t)
	loud, calm := ident.New[ident.Credential](), ident.New[ident.Credential]()
	for range 500 {
		l.Add(credential.Request{Credential: loud, Status: 429, Code: string(apperr.RateLimited)})
	}
	l.Add(credential.Request{Credential: loud, Status: 200})
	l.Add(credential.Request{Credential: calm, Status: 429, Code: string(apperr.RateLimited)})
	require.NoError(t, l.Flush(t.Context()))
	require.Len(t, s.kept, 12)
	requireDropped(t, registry, "0", "490", "0")
}

func TestRemainingEntriesAreWrittenAtTheEnd(t *testing.T) {
	t.Parallel()
	l, s, _ := newLog(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); l.Run(ctx) }()
	l.Add(credential.Request{Status: 200})
	stop()
	<-ended
	require.Len(t, s.kept, 1)
}

func TestPersonalPartsAreHidden(t *testing.T) {
	t.Parallel()
	id := ident.New[ident.Post]().String()
	for _, c := range []struct{ template, path, want string }{
		{"/v1/posts", "/v1/posts", "/v1/posts"},
		{"/v1/posts/{id}", "/v1/posts/" + id, "/v1/posts/" + id},
		{"/v1/posts/{id}/publish", "/v1/posts/ada@example.com/publish", "/v1/posts/…/publish"},
		{"/v1/events/{id}", "/v1/events/evt_" + id, "/v1/events/evt_" + id},
		{"/v1/posts/{id}", "/v1/posts", "/v1/posts/…"},
		{"/v1/link-pages/{id}/blocks/{blockId}", "/v1/link-pages/" + id + "/blocks/x", "/v1/link-pages/" + id + "/blocks/…"},
	} {
		require.Equal(t, c.want, requestlog.Path(c.template, c.path))
	}
	known := []string{"limit", "q", "status", "cursor", "from"}
	for query, want := range map[string]string{
		"":                                     "",
		"limit=2&status=DRAFT,FAILED":          "limit=2&status=DRAFT,FAILED",
		"q=Ada+Lovelace&cursor=abc":            "q=…&cursor=…",
		"ada@example.com":                      "…",
		"status=ada%40example.com":             "status=…",
		"from=2026-12-01T09%3A00%3A00%2B01:00": "from=2026-12-01T09:00:00+01:00",
		"limit=%zz&%zz=1":                      "limit=…&…",
		"unknown=1&limit":                      "…&limit=",
	} {
		require.Equal(t, want, requestlog.Query(known, query), query)
	}
	require.LessOrEqual(t, len([]rune(requestlog.Query(known, strings.Repeat("x=1&", 5000)))), 301)
	for address, want := range map[string]string{
		"192.0.2.17": "192.0.2.0/24", "2001:db8:1:2::3": "2001:db8:1::/48", "::ffff:192.0.2.17": "192.0.2.0/24", "fe80::1%eth0": "fe80::/48",
	} {
		require.Equal(t, want, requestlog.Network(netip.MustParseAddr(address)))
	}
	require.Empty(t, requestlog.Network(netip.Addr{}))
	require.Equal(t, "curl/8", requestlog.Text("cu\x00rl\n/\xff8"))
}
