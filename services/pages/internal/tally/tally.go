// Package tally counts visits of link pages without cookies and without keeping who came.
//
// A visitor is told apart for one day by a hash of address and browser, keyed with a salt of that day, and by the page, so that
// nobody can be followed from one page to another. When the day is over its salt is deleted, and nothing can tell any more who
// a hash was. A request only adds to counts in memory; every few seconds they are written in one statement.
package tally

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"socialpub.internal/shared/clock"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/linkpage"
	"socialpub.internal/shared/postgres"
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
}

const (
	defaultEvery = 3 * time.Second
	storeTimeout = 5 * time.Second
	// maxVisitors bounds what is kept while the database does not answer; views and clicks are few numbers anyway.
	maxVisitors = 500_000
	hashLength  = 16
)

// Visit is a request of a page or of a link on it.
type Visit struct {
	Address   netip.Addr
	UserAgent string
	Bot       bool // it did not come from somebody who looks
}

type pageDay struct {
	page ident.LinkPage
	day  string
}

type blockDay struct {
	page  ident.LinkPage
	block ident.LinkBlock
	day   string
}

type visitor struct {
	pageDay

	hash [hashLength]byte
}

type viewCount struct{ views, bots int64 }

// counts is what has come together since the last batch.
type counts struct {
	views    map[pageDay]viewCount
	visitors map[visitor]struct{}
	clicks   map[blockDay]int64
}

func newCounts() counts {
	return counts{views: map[pageDay]viewCount{}, visitors: map[visitor]struct{}{}, clicks: map[blockDay]int64{}}
}

// Tally counts. It is safe for concurrent use.
type Tally struct {
	config Config
	views  *prometheus.CounterVec
	clicks prometheus.Counter
	failed prometheus.Counter

	mu    sync.Mutex
	now   counts
	salts map[string][]byte // of today and tomorrow

	flushing sync.Mutex
	pending  *postgres.VisitBatch // was sent, perhaps in vain
	forgot   string               // the day on which old days were forgotten last
}

// New makes a tally.
func New(cfg Config) (*Tally, error) {
	if cfg.Store == nil || cfg.Clock == nil || cfg.Logger == nil || cfg.Registerer == nil {
		return nil, errors.New("tally: every dependency is required")
	}
	if cfg.Every <= 0 {
		cfg.Every = defaultEvery
	}
	t := &Tally{
		config: cfg, now: newCounts(), salts: map[string][]byte{},
		views:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pages_views_total", Help: "Views of link pages, by who came: person or bot."}, []string{"by"}),
		clicks: prometheus.NewCounter(prometheus.CounterOpts{Name: "pages_clicks_total", Help: "Clicks on link pages, without those of bots."}),
		failed: prometheus.NewCounter(prometheus.CounterOpts{Name: "pages_count_failures_total", Help: "Attempts to write counts of visits that failed; they are repeated."}),
	}
	for _, c := range []prometheus.Collector{t.views, t.clicks, t.failed} {
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
		t.views.WithLabelValues("bot").Inc()
		t.mu.Lock()
		defer t.mu.Unlock()
		count := t.now.views[key]
		count.bots++
		t.now.views[key] = count
		return
	}
	t.views.WithLabelValues("person").Inc()
	t.mu.Lock()
	salt := t.salts[key.day]
	t.mu.Unlock()
	who := visitor{pageDay: key, hash: hash(salt, page, v)} // outside the lock: hashing takes longest
	t.mu.Lock()
	defer t.mu.Unlock()
	count := t.now.views[key]
	count.views++
	t.now.views[key] = count
	if salt != nil && len(t.now.visitors) < maxVisitors {
		t.now.visitors[who] = struct{}{}
	}
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

func (t *Tally) today() string { return t.config.Clock.Now().UTC().Format(time.DateOnly) }

// hash tells visitors of the page apart. Of an IPv6 address the network counts: a household has one, and its devices change
// the rest as they like.
func hash(salt []byte, page ident.LinkPage, v Visit) (out [hashLength]byte) {
	const network = 64
	address := v.Address.Unmap()
	if address.Is6() {
		if prefix, err := address.Prefix(network); err == nil {
			address = prefix.Addr()
		}
	}
	mac := hmac.New(sha256.New, salt)
	_, _ = mac.Write(page[:])
	_, _ = mac.Write([]byte(address.String() + "\x00" + v.UserAgent))
	copy(out[:], mac.Sum(nil))
	return out
}

// Prepare fetches the salts of today and tomorrow, so that no request ever waits for one. Run does so too; a program that calls
// it first counts its first visitors.
func (t *Tally) Prepare(ctx context.Context) error {
	today := linkpage.DayOf(t.config.Clock.Now())
	salts := make(map[string][]byte, 2) //nolint:mnd // two days
	for _, day := range []time.Time{today, today.AddDate(0, 0, 1)} {
		key := day.Format(time.DateOnly)
		t.mu.Lock()
		salt := t.salts[key]
		t.mu.Unlock()
		if salt == nil {
			var err error
			if salt, err = t.config.Store.Salt(ctx, day); err != nil {
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

// last writes what was counted until the end.
func (t *Tally) last(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := t.Flush(ctx); err != nil {
		t.config.Logger.ErrorContext(ctx, "the last counts of visits are lost", slog.Any("error", err))
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
	t.pending = taken.batch()
	return t.send(ctx)
}

func (t *Tally) send(ctx context.Context) error {
	if t.pending == nil {
		return nil
	}
	if err := t.config.Store.Add(ctx, *t.pending); err != nil {
		t.failed.Inc()
		return err
	}
	t.pending = nil
	return nil
}

// batch is nil when nothing was counted.
func (c counts) batch() *postgres.VisitBatch {
	if len(c.views) == 0 && len(c.clicks) == 0 {
		return nil
	}
	b := &postgres.VisitBatch{ID: uuid.New()}
	for key, n := range c.views {
		b.Views = append(b.Views, postgres.ViewCount{PageID: key.page, Day: key.day, Views: n.views, Bots: n.bots})
	}
	for key := range c.visitors {
		b.Visitors = append(b.Visitors, postgres.VisitorSeen{PageID: key.page, Day: key.day, Visitor: hex.EncodeToString(key.hash[:])})
	}
	for key, n := range c.clicks {
		b.Clicks = append(b.Clicks, postgres.ClickCount{PageID: key.page, BlockID: key.block, Day: key.day, Clicks: n})
	}
	return b
}
