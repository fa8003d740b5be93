package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/services/bench/internal/result"
	"fencepost.internal/shared/kernel/ident"
)

const (
	burstSamples  = 50
	burstEvery    = 2 * time.Second // between two samples
	burstNowEvery = 5 * time.Second // between two posts with schedule "now"
	burstAhead    = 24 * time.Hour
	burstLimit    = 30 * time.Minute // until Temporal has the whole burst
)

// Burst measures how late posts are while one workspace schedules thousands of posts for tomorrow over the API: posts
// of another workspace that are due one after another, and posts of the same workspace with schedule "now".
func Burst(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	started, stop, err := startAll(ctx, l, "sandbox", "worker", "api")
	defer stop()
	if err != nil {
		return nil, err
	}
	quiet, err := sampleLateness(ctx, l, burstSamples, "burst-none", started[1])
	if err != nil {
		return nil, err
	}
	b := &burst{Lab: l, processes: started}
	if err := b.prepare(ctx); err != nil {
		return nil, err
	}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	late, err := lateness(ctx, l, b.singles, burstSamples)
	if err != nil {
		return nil, err
	}
	now, err := b.latencies(ctx)
	if err != nil {
		return nil, err
	}
	b.report(quiet, late, now)
	return []result.Row{
		result.Against(result.Burst, percentile(late, tail).Seconds(), "s", percentile(quiet, tail).Seconds()),
		result.Against(result.BurstP50, percentile(late, median).Seconds(), "s", percentile(quiet, median).Seconds()),
		result.Plain(result.BurstPosts, perSecond(len(b.calls), b.accepted), "posts/s"),
		result.Plain(result.NowInBurst, percentile(now, tail).Seconds(), "s"),
	}, nil
}

type burst struct {
	*lab.Lab

	processes []*lab.Process
	tenant    lab.Tenant // schedules the burst
	key       string
	singles   lab.Tenant // has the posts that are due meanwhile
	first     time.Time  // when the first of them is due
	calls     []load.Call

	accepted  time.Duration // until the last request had its response
	delivered time.Duration // until Temporal had all messages

	mu  sync.Mutex
	now map[string]time.Time // times of the requests with schedule "now", by post
}

// prepare creates the posts that are due one after another, and the requests of the burst.
func (b *burst) prepare(ctx context.Context) (err error) {
	b.now = make(map[string]time.Time)
	if b.tenant, err = b.Tenant(ctx, "Scheduling a burst"); err != nil {
		return err
	}
	if b.key, err = b.Key(ctx, b.tenant); err != nil {
		return err
	}
	if b.singles, err = b.Tenant(ctx, "Due in the burst"); err != nil {
		return err
	}
	tomorrow := b.Clock.Now().Add(burstAhead).Truncate(time.Second)
	for i := range b.Backlog {
		call, err := b.create(i, tomorrow.Add(time.Duration(i)*time.Second).Format(time.RFC3339))
		if err != nil {
			return err
		}
		b.calls = append(b.calls, call)
	}
	b.first = b.Clock.Now().Add(sampleLead).Truncate(time.Millisecond)
	due := func(i int) time.Time { return b.first.Add(time.Duration(i) * burstEvery) }
	if err := b.Posts(ctx, b.singles, burstSamples, burstSamples, due); err != nil {
		return err
	}
	return b.OutboxEmpty(ctx, limit)
}

// create returns a request that creates one post.
func (b *burst) create(i int, schedule string) (load.Call, error) {
	body, err := json.Marshal(map[string]any{
		"channelIds": []string{b.tenant.Channels[i%len(b.tenant.Channels)].ID.String()}, "schedule": schedule,
		"content": fmt.Sprintf("Post %d: what the harbour looks like this morning. %s", i, ident.New[ident.Post]()),
	})
	return load.Call{
		Method: http.MethodPost, URL: b.APIURL + "/v1/posts", Key: b.key, Body: body, Want: http.StatusCreated,
	}, err
}

// run makes the burst, which begins with the first post that is due, and waits until Temporal has all of it and
// everything due is published.
func (b *burst) run(ctx context.Context) error {
	if err := lab.Pause(ctx, b.first.Sub(b.Clock.Now())); err != nil {
		return err
	}
	defer b.Profile(ctx, "burst", profileFor, b.processes...)()
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return b.schedule(running) })
	group.Go(func() error { return b.publishNow(running) })
	if err := group.Wait(); err != nil {
		return err
	}
	return allPublished(ctx, b.Lab, b.singles.ID.String(), burstLimit)
}

// schedule makes the requests of the burst, and waits until Temporal has their messages.
func (b *burst) schedule(ctx context.Context) error {
	before, begin := b.CPU(), b.Clock.Now()
	if err := load.All(ctx, b.calls); err != nil {
		return err
	}
	b.accepted = b.Clock.Now().Sub(begin)
	if err := b.OutboxEmpty(ctx, burstLimit); err != nil {
		return err
	}
	b.delivered = b.Clock.Now().Sub(begin)
	b.Say("burst: %s", b.PerItem(before, len(b.calls)))
	return nil
}

// publishNow publishes single posts at once while the samples are due.
func (b *burst) publishNow(ctx context.Context) error {
	client := &http.Client{Timeout: limit}
	defer client.CloseIdleConnections()
	group, asking := errgroup.WithContext(ctx)
	for i := range nowSamples() {
		group.Go(func() error { return b.publishOne(asking, client, i) })
		if err := lab.Pause(asking, burstNowEvery); err != nil {
			break // the group has the cause
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	const open = `SELECT count(*) FROM post WHERE id = ANY ($1::uuid[]) AND status = 'SCHEDULED'`
	return lab.Until(ctx, burstLimit, `posts with schedule "now" are published`, func(ctx context.Context) (bool, error) {
		n, err := b.Count(ctx, open, b.nowIDs())
		return n == 0, err
	})
}

// nowSamples returns the number of posts with schedule "now" in the time in which the samples are due.
func nowSamples() int { return int(burstSamples * burstEvery / burstNowEvery) }

func (b *burst) publishOne(ctx context.Context, client *http.Client, i int) error {
	call, err := b.create(i, "now")
	if err != nil {
		return err
	}
	begin := b.Clock.Now()
	raw, err := call.Make(ctx, client)
	if err != nil {
		return err
	}
	var made []rushPost
	if err := json.Unmarshal(raw, &made); err != nil {
		return err
	}
	if len(made) != 1 {
		return fmt.Errorf("%d posts instead of one: %s", len(made), raw)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now[made[0].ID] = begin
	return nil
}

func (b *burst) nowIDs() []string {
	var ids []string
	for id := range b.now {
		ids = append(ids, id)
	}
	return ids
}

// latencies returns the time from request to publication of each post with schedule "now".
func (b *burst) latencies(ctx context.Context) ([]time.Duration, error) {
	const published = `SELECT id::text, published_at FROM post WHERE id = ANY ($1::uuid[]) AND status = 'PUBLISHED'`
	var took []time.Duration
	err := b.Each(ctx, published, []any{b.nowIDs()}, func(scan func(...any) error) error {
		var (
			id string
			at time.Time
		)
		err := scan(&id, &at)
		took = append(took, at.Sub(b.now[id]))
		return err
	})
	if err == nil && len(took) != nowSamples() {
		err = fmt.Errorf(`%d of %d posts with schedule "now" were published`, len(took), nowSamples())
	}
	return took, err
}

func (b *burst) report(quiet, late, now []time.Duration) {
	b.Say("burst: %d posts accepted in %.1f s; Temporal had all of them after %.1f s, when %d of %d posts had been due",
		len(b.calls), b.accepted.Seconds(), b.delivered.Seconds(), dueWithin(b.delivered), burstSamples)
	b.Say("burst: lateness %s; before it %s", spread(late), spread(quiet))
	b.Say(`burst: from the request with schedule "now" to the publication %s`, spread(now))
}

// dueWithin returns the number of samples that are due in the first part of the burst.
func dueWithin(d time.Duration) int { return min(burstSamples, int(d/burstEvery)+1) }
