// Package tally counts visits of link pages without cookies and without keeping who came.
//
// A visitor is told apart for one day by a hash of address and browser, keyed with a salt of that day, and by the page, so that
// nobody can be followed from one page to another. A hash of the address alone, made the same way, bounds how many visitors one address
// adds. When the day is over its salt is deleted, and nothing can tell any more who a hash was. A request only adds to counts in memory; every few seconds they are written in one statement.
package tally

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"socialpub.internal/shared/domain/linkpage"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/clock"
	"socialpub.internal/shared/kernel/ident"
)

// Store is where counts go.
type Store interface {
	// Add counts a batch once, however often it comes.
	Add(ctx context.Context, b postgres.VisitBatch) error
	// Salt is the same for every process and every call on one day.
	Salt(ctx context.Context, day time.Time) ([]byte, error)
	// Forget deletes what tells of days before the day.
	Forget(ctx context.Context, today time.Time) error
}

// Config is what a tally stands on.
type Config struct {
	Store      Store
	Clock      clock.Clock
	Logger     *slog.Logger
	Registerer prometheus.Registerer
	Every      time.Duration // how often counts are written; 3 s when zero
	BatchSize  int           // visitors in one statement at most; 5,000 when zero
}

const (
	defaultEvery     = 3 * time.Second
	defaultBatchSize = 5_000
	storeTimeout     = 5 * time.Second
	// lastTimeout is how long a process that ends tries to write what it has counted.
	lastTimeout = 8 * time.Second
	lastPause   = 200 * time.Millisecond
	// maxVisitors bounds what is kept while the database does not answer; views and clicks are few numbers anyway.
	maxVisitors = 200_000
	hashLength  = 16
)

// Visit is a request of a page or of a link on it.
type Visit struct {
	Address   netip.Addr
	UserAgent string
	Bot       bool // it did not come from somebody who looks
}

// day is a day of UTC, by its number since 1970.
type day int64

const secondsPerDay = 24 * 60 * 60

func dayOf(t time.Time) day { return day(t.Unix() / secondsPerDay) }

func (d day) String() string { return time.Unix(int64(d)*secondsPerDay, 0).UTC().Format(time.DateOnly) }

type pageDay struct {
	page ident.LinkPage
	day  day
}

type blockDay struct {
	page  ident.LinkPage
	block ident.LinkBlock
	day   day
}

type digest [hashLength]byte

// source is an address, as one page and one day know it.
type source struct {
	pageDay

	hash digest
}

type visitor struct {
	source

	hash digest
}

type viewCount struct{ views, bots int64 }

// counts is what has come together since the last batch.
type counts struct {
	views    map[pageDay]viewCount
	visitors map[visitor]struct{}
	sources  map[source]int // how many of the visitors each has
	clicks   map[blockDay]int64
}

func newCounts() counts {
	return counts{views: map[pageDay]viewCount{}, visitors: map[visitor]struct{}{}, sources: map[source]int{}, clicks: map[blockDay]int64{}}
}

// Tally counts. It is safe for concurrent use.
type Tally struct {
	config         Config
	people, robots prometheus.Counter
	clicks         prometheus.Counter
	failed         prometheus.Counter

	mu    sync.Mutex
	now   counts
	salts map[day][]byte // of today and tomorrow

	flushing sync.Mutex
	pending  []postgres.VisitBatch // the first of them was sent, perhaps in vain
	forgot   day                   // the day on which old days were forgotten last
}

// New makes a tally.
func New(cfg Config) (*Tally, error) {
	if cfg.Store == nil || cfg.Clock == nil || cfg.Logger == nil || cfg.Registerer == nil {
		return nil, errors.New("tally: every dependency is required")
	}
	if cfg.Every <= 0 {
		cfg.Every = defaultEvery
	}
	if cfg.BatchSize <= 0 {
		cfg.BatchSize = defaultBatchSize
	}
	views := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pages_views_total", Help: "Views of link pages, by who came: person or bot."}, []string{"by"})
	t := &Tally{
		config: cfg, now: newCounts(), salts: map[day][]byte{}, people: views.WithLabelValues("person"), robots: views.WithLabelValues("bot"),
		clicks: prometheus.NewCounter(prometheus.CounterOpts{Name: "pages_clicks_total", Help: "Clicks on link pages, without those of bots."}),
		failed: prometheus.NewCounter(prometheus.CounterOpts{Name: "pages_count_failures_total", Help: "Attempts to write counts of visits that failed; they are repeated."}),
	}
	for _, c := range []prometheus.Collector{views, t.clicks, t.failed} {
		if err := cfg.Registerer.Register(c); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// View counts a view of the page.
func (t *Tally) View(page ident.LinkPage, v Visit) {
	key := pageDay{page: page, day: t.today()}
	if v.Bot {
		t.robots.Inc()
		t.mu.Lock()
		defer t.mu.Unlock()
		count := t.now.views[key]
		count.bots++
		t.now.views[key] = count
		return
	}
	t.people.Inc()
	t.mu.Lock()
	salt := t.salts[key.day]
	t.mu.Unlock()
	who := visitorOf(salt, key, v) // outside the lock: hashing takes longest
	t.mu.Lock()
	defer t.mu.Unlock()
	count := t.now.views[key]
	count.views++
	t.now.views[key] = count
	if salt != nil {
		t.now.add(who)
	}
}

// add keeps a visitor, unless there are too many, of its source or in all. The store counts no more of one source than are kept here.
func (c *counts) add(who visitor) {
	if _, known := c.visitors[who]; known || len(c.visitors) >= maxVisitors || c.sources[who.source] >= linkpage.MaxSourceVisitors {
		return
	}
	c.visitors[who] = struct{}{}
	c.sources[who.source]++
}

// Click counts a click on the block.
func (t *Tally) Click(page ident.LinkPage, block ident.LinkBlock, v Visit) {
	if v.Bot {
		return
	}
	t.clicks.Inc()
	key := blockDay{page: page, block: block, day: t.today()}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.clicks[key]++
}

func (t *Tally) today() day { return dayOf(t.config.Clock.Now()) }

// visitorOf tells visitors of the page apart. Of an IPv6 address the network counts: a household has one, and its devices change the
// rest as they like.
func visitorOf(salt []byte, key pageDay, v Visit) visitor {
	const network = 64
	address := v.Address.Unmap()
	if address.Is6() {
		if prefix, err := address.Prefix(network); err == nil {
			address = prefix.Addr()
		}
	}
	const usual = 512
	text := make([]byte, 0, usual)
	text = append(append(text, salt...), key.page[:]...)
	text = address.AppendTo(text)
	from := source{pageDay: key, hash: hash(text)}
	return visitor{source: from, hash: hash(append(append(text, 0), v.UserAgent...))} // the zero is in no address
}

// hash is half of the SHA-256: nothing can be appended to what was hashed.
func hash(text []byte) (out digest) {
	sum := sha256.Sum256(text)
	copy(out[:], sum[:])
	return out
}

// Prepare fetches the salts of today and tomorrow, so that no request ever waits for one. Run does so too; a program that calls
// it first counts its first visitors.
func (t *Tally) Prepare(ctx context.Context) error {
	today := linkpage.DayOf(t.config.Clock.Now())
	salts := make(map[day][]byte, 2) //nolint:mnd // two days
	for _, date := range []time.Time{today, today.AddDate(0, 0, 1)} {
		key := dayOf(date)
		t.mu.Lock()
		salt := t.salts[key]
		t.mu.Unlock()
		if salt == nil {
			var err error
			if salt, err = t.config.Store.Salt(ctx, date); err != nil {
				return err
			}
		}
		salts[key] = salt
	}
	t.mu.Lock()
	t.salts = salts // those of days that are over are forgotten here
	t.mu.Unlock()
	return nil
}

// Run writes counts until the context ends, and then what is left.
func (t *Tally) Run(ctx context.Context) {
	tick := time.NewTicker(t.config.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			t.last(context.WithoutCancel(ctx))
			return
		case <-tick.C:
			t.round(ctx)
		}
	}
}

// last writes what was counted until the end. It tries for a while: nobody else knows these counts.
func (t *Tally) last(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lastTimeout)
	defer cancel()
	for {
		err := t.Flush(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.config.Logger.ErrorContext(ctx, "the last counts of visits are lost", slog.Any("error", err))
			return
		case <-time.After(lastPause):
		}
	}
}

func (t *Tally) round(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	err := errors.Join(t.Flush(ctx), t.Prepare(ctx), t.forget(ctx))
	if err != nil && ctx.Err() == nil {
		t.config.Logger.WarnContext(ctx, "counts of visits wait for the database", slog.Any("error", err))
	}
}

// forget deletes what tells of past days, once a day in each process.
func (t *Tally) forget(ctx context.Context) error {
	today := t.today()
	t.flushing.Lock()
	defer t.flushing.Unlock()
	if t.forgot == today {
		return nil
	}
	if err := t.config.Store.Forget(ctx, linkpage.DayOf(t.config.Clock.Now())); err != nil {
		return err
	}
	t.forgot = today
	return nil
}

// Flush writes what was counted. A batch that could not be written, or whose answer was lost, is sent again as it was before
// anything else: it counts once.
func (t *Tally) Flush(ctx context.Context) error {
	t.flushing.Lock()
	defer t.flushing.Unlock()
	if err := t.send(ctx); err != nil {
		return err
	}
	t.mu.Lock()
	taken := t.now
	t.now = newCounts()
	t.mu.Unlock()
	t.pending = taken.batches(t.config.BatchSize)
	return t.send(ctx)
}

func (t *Tally) send(ctx context.Context) error {
	for len(t.pending) > 0 {
		if err := t.config.Store.Add(ctx, t.pending[0]); err != nil {
			t.failed.Inc()
			return err
		}
		t.pending = t.pending[1:]
	}
	return nil
}

// batches are what was counted, in parts that the database takes in one statement each: after a long outage, all at once would
// never be done in time. A visitor goes with the page and the day that it belongs to, if need be with no further views.
func (c *counts) batches(size int) []postgres.VisitBatch {
	if len(c.views) == 0 && len(c.clicks) == 0 {
		return nil
	}
	b := postgres.VisitBatch{ID: uuid.New()}
	for key, n := range c.views {
		b.Views = append(b.Views, postgres.ViewCount{PageID: key.page, Day: key.day.String(), Views: n.views, Bots: n.bots})
	}
	for key, n := range c.clicks {
		b.Clicks = append(b.Clicks, postgres.ClickCount{PageID: key.page, BlockID: key.block, Day: key.day.String(), Clicks: n})
	}
	var all []postgres.VisitBatch
	named := c.days()
	for key := range c.visitors {
		if len(b.Visitors) == size {
			all = append(all, b)
			b, named = postgres.VisitBatch{ID: uuid.New()}, map[pageDay]bool{}
		}
		if !named[key.pageDay] {
			named[key.pageDay] = true
			b.Views = append(b.Views, postgres.ViewCount{PageID: key.page, Day: key.day.String()})
		}
		b.Visitors = append(b.Visitors, postgres.VisitorSeen{PageID: key.page, Day: key.day.String(), Visitor: hex.EncodeToString(key.hash[:]), Source: hex.EncodeToString(key.source.hash[:])})
	}
	return append(all, b)
}

// days are those of which there are views.
func (c *counts) days() map[pageDay]bool {
	named := make(map[pageDay]bool, len(c.views))
	for key := range c.views {
		named[key] = true
	}
	return named
}
