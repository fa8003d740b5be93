// Package tally counts visits to link pages without cookies and without storing visitors.
//
// A visitor is identified for one day by a hash of address and browser. The hash is keyed with a salt of that day and
// includes the page, so that a visitor cannot be followed from one page to another. A second hash, of the address
// alone, bounds the number of visitors that one address adds. The salt is deleted at the end of the day; from then on,
// a hash cannot be traced to a visitor. A request only increments counts in memory. Every few seconds they are written
// in one statement.
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

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// Store stores counts.
type Store interface {
	// Add counts a batch once, even if it is sent several times.
	Add(ctx context.Context, b postgres.VisitBatch) error
	// Salt returns the same value to every process and every call on one day.
	Salt(ctx context.Context, day time.Time) ([]byte, error)
	// Prune deletes the salts of days before today, and outdated hashes and batches. It keeps the counts.
	Prune(ctx context.Context, today time.Time) error
}

// Config holds the dependencies and settings of a tally.
type Config struct {
	Store      Store
	Clock      clock.Clock
	Logger     *slog.Logger
	Registerer prometheus.Registerer
	Every      time.Duration // how often counts are written; 3 s when zero
	BatchSize  int           // maximum number of visitors in one statement; 5,000 when zero
}

const (
	defaultEvery     = 3 * time.Second
	defaultBatchSize = 5_000
	storeTimeout     = 5 * time.Second
	// lastTimeout bounds the attempts to write the last counts at shutdown.
	lastTimeout = 8 * time.Second
	lastPause   = 200 * time.Millisecond
	// maxVisitors bounds the visitors in memory while the database is unavailable. Views and clicks need no bound,
	// because they are few numbers.
	maxVisitors = 200_000
	hashLength  = 16
)

// Visit is a request for a page or for a link on it.
type Visit struct {
	Address   netip.Addr
	UserAgent string
	Bot       bool // the visitor is not a person
}

// day is a day in UTC, as the number of days since 1970.
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

// source is the hash of an address for one page and one day.
type source struct {
	pageDay

	hash digest
}

type visitor struct {
	source

	hash digest
}

type viewCount struct{ views, bots int64 }

// counts holds the visits since the last batch.
type counts struct {
	views    map[pageDay]viewCount
	visitors map[visitor]struct{}
	sources  map[source]int // number of visitors of each source
	clicks   map[blockDay]int64
	short    map[string]int64 // by the code
}

func newCounts() counts {
	return counts{
		views: map[pageDay]viewCount{}, visitors: map[visitor]struct{}{}, sources: map[source]int{},
		clicks: map[blockDay]int64{}, short: map[string]int64{},
	}
}

// Tally counts visits. It is safe for concurrent use.
type Tally struct {
	config         Config
	people, robots prometheus.Counter
	clicks         prometheus.Counter
	failed         prometheus.Counter

	mu    sync.Mutex
	now   counts
	salts map[day][]byte // of today and tomorrow

	flushing sync.Mutex
	pending  []postgres.VisitBatch // the first may have been sent without success
	pruned   day                   // the day of the last call of Store.Prune
}

// New returns a tally without counts.
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
	views := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "pages_views_total", Help: "Views of link pages, by who came: person or bot.",
	}, []string{"by"})
	t := &Tally{
		config: cfg, now: newCounts(), salts: map[day][]byte{}, people: views.WithLabelValues("person"),
		robots: views.WithLabelValues("bot"),
		clicks: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pages_clicks_total", Help: "Clicks on link pages and on short links, without those of bots.",
		}),
		failed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pages_count_failures_total", Help: "Attempts to write counts of visits that failed; they are repeated.",
		}),
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
	who := visitorOf(salt, key, v) // outside the lock, because hashing takes longest
	t.mu.Lock()
	defer t.mu.Unlock()
	count := t.now.views[key]
	count.views++
	t.now.views[key] = count
	if salt != nil {
		t.now.add(who)
	}
}

// add records a visitor unless the limit of its source or the overall limit is reached. The store counts no more
// visitors of one source than are recorded here.
func (c *counts) add(who visitor) {
	if _, known := c.visitors[who]; known || len(c.visitors) >= maxVisitors ||
		c.sources[who.source] >= linkpage.MaxSourceVisitors {
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

// Short counts a click on a short link.
func (t *Tally) Short(code string, v Visit) {
	if v.Bot {
		return
	}
	t.clicks.Inc()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.short[code]++
}

func (t *Tally) today() day { return dayOf(t.config.Clock.Now()) }

// visitorOf returns the identity of a visitor for a page. Of an IPv6 address, only the network counts: a household has
// one, and its devices change the rest at will.
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
	// an address contains no zero byte
	return visitor{source: from, hash: hash(append(append(text, 0), v.UserAgent...))}
}

// hash returns half of the SHA-256. The truncation prevents length extension.
func hash(text []byte) (out digest) {
	sum := sha256.Sum256(text)
	copy(out[:], sum[:])
	return out
}

// Prepare fetches the salts of today and tomorrow, so that requests never wait for them. Run also calls it. A process
// that calls Prepare before Run also counts its first visitors.
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
	t.salts = salts // deletes the salts of past days
	t.mu.Unlock()
	return nil
}

// Run writes counts until the context ends, and then writes the remaining counts.
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

// last writes the remaining counts. It retries for a limited time, because the counts exist only in this process.
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
	err := errors.Join(t.Flush(ctx), t.Prepare(ctx), t.prune(ctx))
	if err != nil && ctx.Err() == nil {
		t.config.Logger.WarnContext(ctx, "counts of visits wait for the database", slog.Any("error", err))
	}
}

// prune deletes the salts and hashes of past days, once a day in each process.
func (t *Tally) prune(ctx context.Context) error {
	today := t.today()
	t.flushing.Lock()
	defer t.flushing.Unlock()
	if t.pruned == today {
		return nil
	}
	if err := t.config.Store.Prune(ctx, linkpage.DayOf(t.config.Clock.Now())); err != nil {
		return err
	}
	t.pruned = today
	return nil
}

// Flush writes the counts. A batch that could not be written, or whose response was lost, is sent again unchanged
// before any other batch; the store counts it once.
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

// batches splits the counts into parts that fit into one database statement each: after a long outage, a single
// statement would time out. A visitor is written in the same batch as a view row of its page and day, which has zero
// views if the row is only needed for the visitor.
func (c *counts) batches(size int) []postgres.VisitBatch {
	if len(c.views) == 0 && len(c.clicks) == 0 && len(c.short) == 0 {
		return nil
	}
	b := postgres.VisitBatch{ID: uuid.New()}
	for key, n := range c.views {
		b.Views = append(b.Views, postgres.ViewCount{PageID: key.page, Day: key.day.String(), Views: n.views, Bots: n.bots})
	}
	for key, n := range c.clicks {
		b.Clicks = append(b.Clicks, postgres.ClickCount{
			PageID: key.page, BlockID: key.block, Day: key.day.String(), Clicks: n,
		})
	}
	for code, n := range c.short {
		b.Short = append(b.Short, postgres.ShortClicks{Code: code, Clicks: n})
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
		b.Visitors = append(b.Visitors, postgres.VisitorSeen{
			PageID: key.page, Day: key.day.String(), Visitor: hex.EncodeToString(key.hash[:]),
			Source: hex.EncodeToString(key.source.hash[:]),
		})
	}
	return append(all, b)
}

// days returns the pages and days that have views.
func (c *counts) days() map[pageDay]bool {
	named := make(map[pageDay]bool, len(c.views))
	for key := range c.views {
		named[key] = true
	}
	return named
}
