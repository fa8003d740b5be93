package renewing_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/renewing"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
)

const day = 24 * time.Hour

var start = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

// network is a network whose tokens live for sixty days and are renewed after thirty.
type network struct {
	response  error // of an exchange; nil: renewed
	exchanges int
	clock     *clocktest.Fake
}

func (*network) Types() []channel.Type { return []channel.Type{channel.Threads} }

func (*network) Identify(_ context.Context, a platform.Account) (platform.Identity, error) {
	return platform.Identity{ID: a.ExternalID}, nil
}

func (*network) Term(a platform.Account) platform.Term {
	end := a.Credentials.ExpiresAt
	return platform.Term{RenewBefore: end.Add(-30 * day), EndsAt: end, Extends: true}
}

func (n *network) Refresh(_ context.Context, a platform.Account) (channel.Credentials, error) {
	n.exchanges++
	fresh := a.Credentials
	fresh.AccessToken += "+"
	fresh.ExpiresAt = n.clock.Now().Add(60 * day)
	return fresh, n.response
}

type bundle struct {
	*renewing.Renewer

	net      *network
	clock    *clocktest.Fake
	db       *postgres.DB
	channels *postgres.Channels
	ch       channel.Channel
	registry *prometheus.Registry
}

// setup connects a channel whose token was issued at start.
func setup(t *testing.T) *bundle {
	t.Helper()
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	box, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	b := &bundle{clock: clocktest.New(start), registry: prometheus.NewRegistry()}
	b.net = &network{clock: b.clock}
	b.db, _ = postgrestest.OpenURL(t)
	b.channels = postgres.NewChannels(b.db, box)
	keeper, err := access.New(b.channels, b.clock)
	require.NoError(t, err)
	links, err := platform.NewRegistry(b.net)
	require.NoError(t, err)
	b.Renewer, err = renewing.New(renewing.Config{
		Store: postgres.NewRenewals(b.db, box), Access: keeper, Networks: links, Clock: b.clock,
		Logger: slog.New(slog.DiscardHandler), Metrics: renewing.NewMetrics(b.registry), RetryScale: 1,
	})
	require.NoError(t, err)
	tenant := ident.New[ident.Workspace]()
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), workspace.Workspace{
		ID: tenant, Name: "Acme", Plan: workspace.Growth, Timezone: "UTC", CreatedAt: start,
	}))
	b.ch = channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: tenant, Type: channel.Threads, Name: "Acme", ExternalID: "1",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: start,
	}
	require.NoError(t, b.channels.Insert(t.Context(), b.ch, channel.Credentials{
		AccessToken: "a", IssuedAt: start, StoredAt: start, ExpiresAt: start.Add(60 * day),
	}))
	return b
}

func (b *bundle) status(t *testing.T) channel.TokenStatus {
	t.Helper()
	found, err := b.channels.Get(t.Context(), b.ch.WorkspaceID, b.ch.ID)
	require.NoError(t, err)
	return found.TokenStatus
}

// kinds returns the kinds of the entries in the channel's timeline.
func (b *bundle) kinds(t *testing.T) (kinds []channel.NoteKind) {
	t.Helper()
	notes, err := b.channels.Timeline(t.Context(), b.ch.ID, 100)
	require.NoError(t, err)
	for _, n := range notes {
		kinds = append(kinds, n.Kind)
	}
	return kinds
}

func (b *bundle) input() flow.RenewalInput {
	return flow.RenewalInput{WorkspaceID: b.ch.WorkspaceID, ChannelID: b.ch.ID, Network: channel.NetworkThreads}
}

// counted returns the number of tries with the outcome.
func (b *bundle) counted(t *testing.T, outcome string) float64 {
	t.Helper()
	families, err := b.registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() != "token_renewals_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "outcome" && l.GetValue() == outcome {
					return m.GetCounter().GetValue()
				}
			}
		}
	}
	return 0
}

func refused(class platform.Class) *platform.Failure {
	return &platform.Failure{Class: class, Code: "CODE", Message: "The network said no.", Cause: errors.New("no")}
}

func TestSweepFindsChannelsDueForRenewal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	found, err := b.Sweep(t.Context(), flow.RenewalsPage{})
	require.NoError(t, err)
	require.Empty(t, found.Due)
	b.clock.Advance(30 * day)
	found, err = b.Sweep(t.Context(), flow.RenewalsPage{})
	require.NoError(t, err)
	require.Len(t, found.Due, 1)
	require.Equal(t, b.ch.ID, found.Due[0].ChannelID)
	require.Less(t, found.Due[0].Delay, time.Hour)
	require.False(t, found.More)
	require.NoError(t, testutil.GatherAndCompare(b.registry, bytes.NewBufferString(
		`# HELP token_renewals_found_total Due renewals of credentials that sweeps found.
# TYPE token_renewals_found_total counter
token_renewals_found_total 1
`), "token_renewals_found_total"))
}

func TestRenewalStoresCredentialsAndNote(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.clock.Advance(31 * day)
	out, err := b.Renew(t.Context(), b.input())
	require.NoError(t, err)
	require.True(t, out.Done)
	require.False(t, out.Refused)
	require.Equal(t, []channel.NoteKind{channel.NoteRenewed}, b.kinds(t))
	require.InDelta(t, 1, b.counted(t, "ok"), 0)

	out, err = b.Renew(t.Context(), b.input())
	require.NoError(t, err)
	require.True(t, out.Done, "another execution has renewed them")
	require.Equal(t, 1, b.net.exchanges)
	found, err := b.Sweep(t.Context(), flow.RenewalsPage{})
	require.NoError(t, err)
	require.Empty(t, found.Due)
}

func TestFailedRenewalIsRetriedWithBackoff(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.clock.Advance(31 * day)
	b.net.response = refused(platform.ClassTransient)
	in, last := b.input(), time.Duration(0)
	for in.Tries < 200 {
		out, err := b.Renew(t.Context(), in)
		require.NoError(t, err)
		if out.Done {
			break
		}
		require.Greater(t, out.Wait, min(last, 9*time.Hour)/2)
		last = out.Wait
		in.Begun, in.Tries = out.Begun, in.Tries+1
		b.clock.Advance(out.Wait)
	}
	require.Greater(t, in.Tries, 8)
	require.Greater(t, b.clock.Now().Sub(in.Begun), 2*day)
	require.Less(t, b.clock.Now().Sub(in.Begun), 3*day, "the next sweep begins again")
	require.Equal(t, []channel.NoteKind{channel.NoteRenewalFailed}, b.kinds(t), "one entry for all tries")
	require.InDelta(t, in.Tries+1, b.counted(t, "failed"), 0)
}

func TestRateLimitSetsWait(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.clock.Advance(31 * day)
	limit := refused(platform.ClassRateLimited)
	limit.Until = b.clock.Now().Add(37 * time.Minute)
	b.net.response = limit
	out, err := b.Renew(t.Context(), b.input())
	require.NoError(t, err)
	require.Equal(t, 37*time.Minute, out.Wait)
}

func TestDefiniteRefusalRequiresReconnect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.clock.Advance(61 * day) // the token has expired: no read can show that it still works
	b.net.response = refused(platform.ClassReconnect)
	out, err := b.Renew(t.Context(), b.input())
	require.NoError(t, err)
	require.True(t, out.Refused)
	require.Contains(t, b.kinds(t), channel.NoteRenewalRefused)
	require.InDelta(t, 1, b.counted(t, "refused"), 0)
	out, err = b.Renew(t.Context(), b.input())
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Equal(t, 1, b.net.exchanges, "the channel waits for a person")
}

func TestRefusedRenewalOfWorkingTokenIsRetried(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.clock.Advance(31 * day)
	b.net.response = refused(platform.ClassReconnect)
	out, err := b.Renew(t.Context(), b.input())
	require.NoError(t, err)
	require.False(t, out.Done)
	require.Positive(t, out.Wait)
	require.Equal(t, []channel.NoteKind{channel.NoteRenewalFailed}, b.kinds(t))
}

func TestRemovedChannelEndsRenewal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.input()
	in.ChannelID = ident.New[ident.Channel]()
	out, err := b.Renew(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Zero(t, b.net.exchanges)
}

func TestNonRenewableConnectionIsExpiring(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Sweep(t.Context(), flow.RenewalsPage{})
	require.NoError(t, err)
	b.clock.Advance(54 * day) // overdue for weeks: no renewal has worked
	_, err = b.Sweep(t.Context(), flow.RenewalsPage{})
	require.NoError(t, err)
	require.Equal(t, channel.TokenExpiring, b.status(t))
	require.Equal(t, []channel.NoteKind{channel.NoteExpiring}, b.kinds(t))
	out, err := b.Renew(t.Context(), b.input())
	require.NoError(t, err)
	require.True(t, out.Done)
	_, err = b.Sweep(t.Context(), flow.RenewalsPage{})
	require.NoError(t, err)
	require.Equal(t, channel.TokenHealthy, b.status(t))
}

func TestEveryDependencyIsRequired(t *testing.T) {
	t.Parallel()
	_, err := renewing.New(renewing.Config{})
	require.Error(t, err)
}
