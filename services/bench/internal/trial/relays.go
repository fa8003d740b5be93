package trial

import (
	"context"
	"fmt"
	"time"

	"fencepost.internal/services/bench/internal/ceiling"
	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/result"
)

const (
	fewRelays    = 2
	manyRelays   = 5
	relaysWarmUp = 500
	relaysBatch  = 500
	relaysLimit  = 30 * time.Minute // until a backlog is delivered
)

// Relays measures how fast several relays deliver a backlog of messages for posts of tomorrow to Temporal. The relays
// run in API processes without clients, so that no worker takes part. The ceiling of two relays is a client that starts
// as many workflows, that of five relays are two.
func Relays(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	driver, bareWorker, err := startCeiling(ctx, l)
	if err != nil {
		return nil, err
	}
	defer bareWorker.Stop()
	defer driver.Close()
	b := &backlog{Lab: l, driver: driver}
	warmUp := min(relaysWarmUp, l.Backlog)
	if _, err := b.bare(ctx, warmUp); err != nil {
		return nil, err
	}
	if _, err := b.drain(ctx, fewRelays, warmUp); err != nil {
		return nil, err
	}
	rates := make(map[int][]float64) // by number of relays; zero is the client
	for _, relays := range []int{0, fewRelays, manyRelays, fewRelays, 0} {
		rate, err := b.round(ctx, relays)
		if err != nil {
			return nil, err
		}
		rates[relays] = append(rates[relays], rate)
	}
	client, few, many := mean(rates[0]...), mean(rates[fewRelays]...), mean(rates[manyRelays]...)
	return []result.Row{
		result.Against(result.Relays, many, "messages/s", few),
		result.Against(result.Relays2, few, "messages/s", client),
	}, nil
}

type backlog struct {
	*lab.Lab

	driver *ceiling.Driver
}

// round measures the relays, or the client if there are none.
func (b *backlog) round(ctx context.Context, relays int) (rate float64, err error) {
	name := "ceiling"
	if relays == 0 {
		rate, err = b.bare(ctx, b.Backlog)
	} else {
		name = fmt.Sprintf("%d relays", relays)
		rate, err = b.drain(ctx, relays, b.Backlog)
	}
	b.Say("relays: %s %.0f messages/s", name, rate)
	return rate, err
}

// bare returns the rate of the client.
func (b *backlog) bare(ctx context.Context, n int) (float64, error) {
	before := b.CPU()
	took, err := b.driver.Delayed(ctx, n)
	b.Say("relays: ceiling %s", b.PerItem(before, n))
	return perSecond(n, took), err
}

// drain writes a backlog of n messages and returns the rate at which the relays deliver it.
func (b *backlog) drain(ctx context.Context, relays, n int) (float64, error) {
	if err := b.fill(ctx, n); err != nil {
		return 0, err
	}
	var started []*lab.Process
	defer func() {
		for _, p := range started {
			p.Stop()
		}
	}()
	for range relays {
		address, err := lab.FreeAddress(ctx)
		if err != nil {
			return 0, err
		}
		p, err := b.Start(ctx, "api", "API_ADDR="+address)
		if err != nil {
			return 0, err
		}
		started = append(started, p)
	}
	if err := numbered(ctx, b.Lab); err != nil {
		return 0, err
	}
	if n == b.Backlog {
		defer b.Profile(ctx, fmt.Sprintf("relays-%d", relays), profileFor, started[0])()
	}
	if _, err := b.SQL.Exec(ctx, `UPDATE outbox SET not_before = now()`); err != nil {
		return 0, err
	}
	before, begin := b.CPU(), b.Clock.Now()
	if err := b.OutboxEmpty(ctx, relaysLimit); err != nil {
		return 0, err
	}
	took := b.Clock.Now().Sub(begin)
	b.Say("relays: %d of them %s", relays, b.PerItem(before, n))
	return perSecond(n, took), nil
}

// fill writes the messages while no relay runs, and holds them back until all relays are ready: otherwise the first one
// would deliver some alone.
func (b *backlog) fill(ctx context.Context, n int) error {
	t, err := b.Tenant(ctx, "With a backlog")
	if err != nil {
		return err
	}
	tomorrow := b.Clock.Now().Add(burstAhead).Truncate(time.Second)
	err = b.Posts(ctx, t, n, relaysBatch, func(i int) time.Time { return tomorrow.Add(time.Duration(i) * time.Second) })
	if err != nil {
		return err
	}
	for _, statement := range []string{`UPDATE outbox SET not_before = 'infinity'`, `VACUUM ANALYZE outbox`} {
		if _, err := b.SQL.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
