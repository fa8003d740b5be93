package trial

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/services/bench/internal/result"
	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/infra/postgres"
)

const (
	serialEvents  = 10_000
	serialTenants = 20
	serialRelays  = 4
	serialBatch   = 100 // of a relay
	serialQueued  = 1_000
)

// Serial measures what a single workspace and a single channel can do, because one row or lock serializes it: events
// that relays number for one workspace, and posts that are queued in one channel. The ceilings are as many for several.
func Serial(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	var rates []float64
	for _, tenants := range []int{serialTenants, 1, serialTenants, 1} {
		rate, err := numberEvents(ctx, l, tenants)
		if err != nil {
			return nil, err
		}
		l.Say("serial: events of %d workspaces %.0f/s", tenants, rate)
		rates = append(rates, rate)
	}
	_, stop, err := startAll(ctx, l, "api")
	defer stop()
	if err != nil {
		return nil, err
	}
	var queued []float64
	for _, channels := range []int{0, 1, 0, 1} {
		rate, err := queuePosts(ctx, l, channels)
		if err != nil {
			return nil, err
		}
		l.Say("serial: posts queued in %d channels (0: all) %.0f/s", channels, rate)
		queued = append(queued, rate)
	}
	return []result.Row{
		result.Against(result.SerialEvents, mean(rates[1], rates[3]), "events/s", mean(rates[0], rates[2])),
		result.Against(result.SerialQueue, mean(queued[1], queued[3]), "posts/s", mean(queued[0], queued[2])),
	}, nil
}

// numberEvents returns the rate at which relays number the events of drafts while no client writes.
func numberEvents(ctx context.Context, l *lab.Lab, tenants int) (float64, error) {
	for range tenants {
		t, err := l.Tenant(ctx, "With many events")
		if err != nil {
			return 0, err
		}
		if err := l.Posts(ctx, t, serialEvents/tenants, serialEvents/serialTenants, nil); err != nil {
			return 0, err
		}
	}
	events := postgres.NewEvents(l.DB)
	group, running := errgroup.WithContext(ctx)
	begin := l.Clock.Now()
	for range serialRelays {
		group.Go(func() error {
			for {
				if n, _, err := events.FanOut(running, serialBatch); n == 0 || err != nil {
					return err
				}
			}
		})
	}
	err := group.Wait()
	return perSecond(serialEvents, l.Clock.Now().Sub(begin)), err
}

// queuePosts returns the rate at which the API queues posts with next_slot in the first channels of a workspace, or in
// all. Each channel has a slot every half hour.
func queuePosts(ctx context.Context, l *lab.Lab, channels int) (float64, error) {
	t, err := l.Tenant(ctx, "With a queue")
	if err != nil {
		return 0, err
	}
	key, err := l.Key(ctx, t)
	if err != nil {
		return 0, err
	}
	if channels == 0 {
		channels = len(t.Channels)
	}
	var slots []slot.Slot
	for at := range 7 * 48 {
		slots = append(slots, slot.Slot{Weekday: time.Weekday(at / 48), Hour: at % 48 / 2, Minute: at % 2 * 30})
	}
	calls := make([]load.Call, serialQueued)
	for i := range calls {
		of := t.Channels[i%channels]
		if i < channels {
			if err := postgres.NewChannels(l.DB, l.Keys).SetSlots(ctx, of.ID, slots); err != nil {
				return 0, err
			}
		}
		body, err := json.Marshal(map[string]any{
			"channelIds": []string{of.ID.String()}, "content": "In the queue.", "schedule": apiforms.ScheduleNextSlot,
		})
		if err != nil {
			return 0, err
		}
		calls[i] = load.Call{
			Method: http.MethodPost, URL: l.APIURL + "/v1/posts", Key: key, Body: body, Want: http.StatusCreated,
		}
	}
	begin := l.Clock.Now()
	err = load.All(ctx, calls)
	return perSecond(len(calls), l.Clock.Now().Sub(begin)), err
}
