package relay_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// scheduler is a Temporal client that supports only schedules.
type scheduler struct {
	client.Client // nil: the relay must not need more

	mu       sync.Mutex
	known    map[string]client.ScheduleOptions
	triggers map[string][]enums.ScheduleOverlapPolicy
}

func (s *scheduler) ScheduleClient() client.ScheduleClient { return scheduleClient{of: s} }

type scheduleClient struct {
	client.ScheduleClient

	of *scheduler
}

func (c scheduleClient) Create(_ context.Context, o client.ScheduleOptions) (client.ScheduleHandle, error) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if _, exists := c.of.known[o.ID]; exists {
		return nil, temporal.ErrScheduleAlreadyRunning
	}
	c.of.known[o.ID] = o
	return nil, nil //nolint:nilnil // the relay ignores the handle
}

func (c scheduleClient) GetHandle(_ context.Context, id string) client.ScheduleHandle {
	return scheduleHandle{id: id, of: c.of}
}

type scheduleHandle struct {
	client.ScheduleHandle

	id string
	of *scheduler
}

func (h scheduleHandle) Delete(context.Context) error {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if _, exists := h.of.known[h.id]; !exists {
		return serviceerror.NewNotFound("no such schedule")
	}
	delete(h.of.known, h.id)
	return nil
}

func (h scheduleHandle) Trigger(_ context.Context, options client.ScheduleTriggerOptions) error {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	h.of.triggers[h.id] = append(h.of.triggers[h.id], options.Overlap)
	return nil
}

func (s *scheduler) state(id string) (options client.ScheduleOptions, exists bool, triggers []enums.ScheduleOverlapPolicy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	options, exists = s.known[id]
	return options, exists, slices.Clone(s.triggers[id])
}

// connected creates a channel.
func connected(t *testing.T, db *postgres.DB) channel.Channel {
	t.Helper()
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	keyring, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Growth, Timezone: "UTC", CreatedAt: time.Now(),
	}
	require.NoError(t, postgres.NewWorkspaces(db).Insert(t.Context(), w))
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: w.ID, Name: "Acme", Type: channel.Threads, Username: "acme",
		ExternalID:  "1",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: time.Now(),
	}
	require.NoError(t, postgres.NewChannels(db, keyring).Insert(t.Context(), c, channel.Credentials{AccessToken: "token"}))
	return c
}

// TestSchedulesFollowTheirChannels checks that a schedule is created with its channel, triggered when wanted at once,
// left unchanged when it exists, and deleted with its channel, however often the message is delivered.
func TestSchedulesFollowTheirChannels(t *testing.T) {
	t.Parallel()
	db, address := postgrestest.OpenURL(t)
	c, store := connected(t, db), postgres.NewInsights(db)
	there := &scheduler{known: make(map[string]client.ScheduleOptions), triggers: make(map[string][]enums.ScheduleOverlapPolicy)}
	r, err := relay.New(relay.Config{
		Outbox: postgres.NewOutbox(db), Events: postgres.NewEvents(db), Queues: postgres.NewDeliveries(db, nil),
		Temporal:  there,
		Namespace: "test", Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
		Metrics: relay.NewMetrics(prometheus.NewRegistry(), false),
	})
	require.NoError(t, err)
	ctx, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	t.Cleanup(func() { end(); running.Wait() })
	drain := func() {
		r.Wake(relay.Messages)
		require.EventuallyWithT(t, func(e *assert.CollectT) {
			require.Equal(e, "0", strings.Join(postgrestest.Column(t, address, `SELECT count(*) FROM outbox`), ""))
		}, 20*time.Second, 20*time.Millisecond)
	}
	id := flow.InsightsScheduleID(c.ID)

	_, err = store.EnqueueSchedules(ctx, time.Hour, 10)
	require.NoError(t, err)
	drain()
	options, exists, _ := there.state(id)
	require.True(t, exists)
	requireSchedule(t, options, c)

	require.NoError(t, store.CollectNow(ctx, c.ID))
	drain()
	_, _, triggers := there.state(id)
	require.Equal(t, []enums.ScheduleOverlapPolicy{enums.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE}, triggers)
	postgrestest.Exec(t, address, `INSERT INTO outbox (kind, subject, payload) VALUES ('insights', $1, '{}')`,
		c.ID.String())
	drain()
	_, _, triggers = there.state(id)
	require.Len(t, triggers, 1, "one that is there is left alone")

	postgrestest.Exec(t, address, `DELETE FROM channel`)
	for range 2 {
		postgrestest.Exec(t, address, `INSERT INTO outbox (kind, subject, payload) VALUES ('insights', $1, '{"now": true}')`,
			c.ID.String())
		drain()
		_, exists, _ = there.state(id)
		require.False(t, exists)
	}
}

func requireSchedule(t *testing.T, o client.ScheduleOptions, c channel.Channel) {
	t.Helper()
	require.True(t, o.TriggerImmediately, "the first collection is made at once")
	require.Equal(t, enums.SCHEDULE_OVERLAP_POLICY_SKIP, o.Overlap)
	require.Equal(t, 24*time.Hour, o.CatchupWindow)
	require.Equal(t, []client.ScheduleIntervalSpec{{Every: 24 * time.Hour, Offset: flow.InsightsOffset(c.ID)}},
		o.Spec.Intervals)
	action, ok := o.Action.(*client.ScheduleWorkflowAction)
	require.True(t, ok)
	require.Equal(t, flow.QueueInsights, action.TaskQueue)
	require.Equal(t, []any{
		flow.InsightsInput{WorkspaceID: c.WorkspaceID, ChannelID: c.ID, Network: channel.NetworkThreads},
	}, action.Args)
	require.Equal(t, 3, action.TypedSearchAttributes.Size())
}

// TestChannelsAreSpreadOverDay checks that no hour of the day has more than its share.
func TestChannelsAreSpreadOverDay(t *testing.T) {
	t.Parallel()
	const channels = 24_000
	var hours [24]int
	for range channels {
		id := ident.New[ident.Channel]()
		offset := flow.InsightsOffset(id)
		require.Equal(t, offset, flow.InsightsOffset(id))
		require.True(t, offset >= 0 && offset < 24*time.Hour)
		hours[int(offset.Hours())]++
	}
	for hour, n := range hours {
		require.InDelta(t, channels/24, n, 200, "hour %d", hour)
	}
}
