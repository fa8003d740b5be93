package livechange_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/livechange"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

var at = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

// memory is a store with one change.
type memory struct {
	job    postgres.LiveJob
	ended  []post.LiveChange
	waits  []time.Duration
	leases []time.Duration
	stale  bool
}

func (m *memory) Request(_ context.Context, c post.LiveChange, _ uuid.UUID, lease time.Duration) (postgres.LiveKey, error) {
	m.job.Change = c
	m.job.Change.N = 1
	m.leases = append(m.leases, lease)
	return postgres.LiveKey{PostID: c.PostID, N: 1}, nil
}

func (m *memory) Claim(context.Context, retry.Turn, time.Duration) ([]postgres.LiveKey, error) {
	return []postgres.LiveKey{{PostID: m.job.Change.PostID, N: 1}}, nil
}

func (m *memory) Take(context.Context, postgres.LiveKey, uuid.UUID, time.Duration) (postgres.LiveJob, error) {
	if m.stale {
		return postgres.LiveJob{}, postgres.ErrStale
	}
	m.job.Change.State = post.LiveSent
	m.job.Change.Tries++
	return m.job, nil
}

func (m *memory) Conclude(_ context.Context, c post.LiveChange, _ uuid.UUID, wait time.Duration) error {
	m.ended, m.waits = append(m.ended, c), append(m.waits, wait)
	return nil
}

// direct calls the network without credentials.
type direct struct{}

func (direct) Do(
	ctx context.Context, _ platform.Link, c channel.Channel, call func(context.Context, platform.Account) error,
) error {
	return call(ctx, platform.Account{Type: c.Type})
}

// network is a connector whose changes end with an error, or succeed.
type network struct {
	platform.Connector

	err    error
	calls  []string
	sendBy time.Time
}

func (*network) Types() []channel.Type { return []channel.Type{channel.TelegramChannel} }

func (n *network) EditLive(ctx context.Context, _ platform.Account, live platform.Live, text string) error {
	n.sendBy, _ = platform.SendBy(ctx)
	n.calls = append(n.calls, "edit "+live.ExternalID+" "+text)
	return n.err
}

func (n *network) DeleteLive(_ context.Context, _ platform.Account, live platform.Live) error {
	n.calls = append(n.calls, "delete "+live.ExternalID)
	return n.err
}

func (*network) DeleteWithin() time.Duration { return time.Hour }

func setup(t *testing.T) (*livechange.Changer, *memory, *network) {
	t.Helper()
	m, n := &memory{}, &network{}
	m.job = postgres.LiveJob{
		Channel: channel.Channel{Type: channel.TelegramChannel}, Published: postgres.Published{ExternalID: "7"},
	}
	registry, err := platform.NewRegistry(n)
	require.NoError(t, err)
	c, err := livechange.New(livechange.Config{
		Changes: m, Access: direct{}, Connectors: registry, Clock: clocktest.New(at), Logger: slog.New(slog.DiscardHandler),
		Wake: func() {}, SendWindow: 10 * time.Second, CommitTimeout: 20 * time.Second,
	})
	require.NoError(t, err)
	return c, m, n
}

func edit() post.LiveChange {
	return post.LiveChange{
		PostID: ident.New[ident.Post](), Action: post.LiveEdit, Text: "New", State: post.LiveRequested, RequestedAt: at,
	}
}

// TestResults checks the state of a change after each class of failure.
func TestResults(t *testing.T) {
	t.Parallel()
	fail := func(class platform.Class) error { return &platform.Failure{Class: class, Code: "X", Message: "No."} }
	for name, c := range map[string]struct {
		err  error
		want post.LiveState
	}{
		"success": {nil, post.LiveDone}, "rejected": {fail(platform.ClassRejected), post.LiveRefused},
		"transient": {fail(platform.ClassTransient), post.LiveRequested}, "limited": {fail(platform.ClassRateLimited), post.LiveRequested},
		"expired": {fail(platform.ClassRefresh), post.LiveRefused}, "reconnect": {fail(platform.ClassReconnect), post.LiveRefused},
		"user": {fail(platform.ClassUser), post.LiveRefused}, "operator": {fail(platform.ClassOperator), post.LiveRefused},
		"unknown": {fail(platform.ClassUnknown), post.LiveUnknown}, "new class": {fail("new"), post.LiveUnknown},
		"no failure of the network": {errors.New("database"), post.LiveRequested},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changer, m, n := setup(t)
			n.err = c.err
			got, err := changer.Begin(t.Context(), edit())
			require.NoError(t, err)
			require.Equal(t, c.want, got.State)
			require.Equal(t, []post.LiveChange{got}, m.ended)
			require.Equal(t, []string{"edit 7 New"}, n.calls)
			require.Equal(t, at.Add(10*time.Second), n.sendBy)
			require.Equal(t, []time.Duration{35 * time.Second}, m.leases, "window, call and record")
		})
	}
}

// round continues the changes that are due.
func round(t *testing.T, c *livechange.Changer) error {
	t.Helper()
	loop, err := c.Loop(retry.NewMetrics(prometheus.NewRegistry()))
	require.NoError(t, err)
	return loop.Round(t.Context())
}

// TestWaits checks that the pauses double, and obey the network.
func TestWaits(t *testing.T) {
	t.Parallel()
	changer, m, n := setup(t)
	n.err = &platform.Failure{Class: platform.ClassTransient, Code: "X"}
	_, err := changer.Begin(t.Context(), edit())
	require.NoError(t, err)
	for range 8 {
		require.NoError(t, round(t, changer))
	}
	n.err = &platform.Failure{Class: platform.ClassRateLimited, Until: at.Add(time.Hour)}
	require.NoError(t, round(t, changer))
	require.Equal(t, []time.Duration{
		5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second, 160 * time.Second,
		5 * time.Minute, 5 * time.Minute, 5 * time.Minute, time.Hour,
	}, m.waits)
}

func TestDeletionsAndLostChanges(t *testing.T) {
	t.Parallel()
	changer, m, n := setup(t)
	deletion := edit()
	deletion.Action = post.LiveDelete
	got, err := changer.Begin(t.Context(), deletion)
	require.NoError(t, err)
	require.Equal(t, post.LiveDone, got.State)
	require.Equal(t, []string{"delete 7"}, n.calls)

	m.stale = true
	require.NoError(t, round(t, changer), "another execution has it")
	m.stale, m.job.Published.ExternalID = false, ""
	got, err = changer.Begin(t.Context(), edit())
	require.NoError(t, err)
	require.Equal(t, post.LiveRefused, got.State, "the network's id was deleted with the history")
	m.job.Published.ExternalID, m.job.Channel.Type = "7", channel.Twitter
	got, err = changer.Begin(t.Context(), edit())
	require.NoError(t, err)
	require.Equal(t, post.ErrorChannelUnsupported, got.Code)
	require.Len(t, n.calls, 1)
}

func TestNewRequiresDependencies(t *testing.T) {
	t.Parallel()
	_, err := livechange.New(livechange.Config{})
	require.Error(t, err)
}
