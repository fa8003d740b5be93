package tally_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/pages/internal/tally"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
)

var start = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

// store keeps each batch once, as the database does.
type store struct {
	mu       sync.Mutex
	batches  map[string]postgres.VisitBatch
	calls    int
	fail     error // the error of the next calls
	lose     bool  // the call succeeds, but its response is lost
	pruned   []string
	saltDays []string
}

func (s *store) Add(_ context.Context, b postgres.VisitBatch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.fail == nil || s.lose {
		s.batches[b.ID.String()] = b
	}
	return s.fail
}

func (s *store) Salt(_ context.Context, day time.Time) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saltDays = append(s.saltDays, day.Format(time.DateOnly))
	return []byte("salt of " + day.Format(time.DateOnly)), s.fail
}

func (s *store) Prune(_ context.Context, today time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pruned = append(s.pruned, today.Format(time.DateOnly))
	return s.fail
}

// sums returns the counts that the database would have.
func (s *store) sums() (views, bots, clicks int64, visitors map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	visitors = map[string]bool{}
	for _, b := range s.batches {
		for _, v := range b.Views {
			views += v.Views
			bots += v.Bots
		}
		for _, c := range b.Clicks {
			clicks += c.Clicks
		}
		for _, v := range b.Visitors {
			visitors[v.PageID.String()+v.Day+v.Visitor] = true
		}
	}
	return views, bots, clicks, visitors
}

func setup(t *testing.T) (*tally.Tally, *store, *clocktest.Fake) {
	t.Helper()
	kept, fake := &store{batches: map[string]postgres.VisitBatch{}}, clocktest.New(start)
	counts, err := tally.New(tally.Config{
		Store: kept, Clock: fake, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
		Every: time.Millisecond, BatchSize: 20,
	})
	require.NoError(t, err)
	require.NoError(t, counts.Prepare(t.Context()))
	return counts, kept, fake
}

func visit(address, agent string) tally.Visit {
	return tally.Visit{Address: netip.MustParseAddr(address), UserAgent: agent}
}

// TestCountsAreExact counts concurrently while batches are written: no count is lost and none is added twice.
func TestCountsAreExact(t *testing.T) {
	t.Parallel()
	counts, kept, _ := setup(t)
	running, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		counts.Run(running)
		close(ended)
	}()
	const each, many = 500, 8
	pages, block := []ident.LinkPage{
		ident.New[ident.LinkPage](), ident.New[ident.LinkPage](),
	}, ident.New[ident.LinkBlock]()
	var group sync.WaitGroup
	for i := range many {
		group.Go(func() {
			for j := range each {
				who := visit(netip.AddrFrom4([4]byte{10, 0, byte(j % 2), byte(j % 50)}).String(), "browser")
				counts.View(pages[j%2], who)
				counts.Click(pages[j%2], block, who)
				who.Bot = true
				counts.View(pages[i%2], who)
				counts.Click(pages[i%2], block, who)
			}
		})
	}
	group.Wait()
	stop()
	<-ended
	views, bots, clicks, visitors := kept.sums()
	require.EqualValues(t, each*many, views)
	require.EqualValues(t, each*many, bots)
	require.EqualValues(t, each*many, clicks)
	require.Len(t, visitors, 50)
}

// TestDatabaseFailuresLoseNoCounts checks that counts that could not be written are written later, and that a batch whose
// response was lost counts once.
func TestDatabaseFailuresLoseNoCounts(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		counts, kept, _ := setup(t)
		page, who := ident.New[ident.LinkPage](), visit("192.0.2.1", "browser")
		kept.fail, kept.lose = errors.New("down"), lost
		counts.View(page, who)
		require.Error(t, counts.Flush(t.Context()))
		counts.View(page, who)
		require.Error(t, counts.Flush(t.Context()))
		kept.fail = nil
		counts.View(page, who)
		require.NoError(t, counts.Flush(t.Context()))
		views, _, _, visitors := kept.sums()
		require.EqualValues(t, 3, views)
		require.Len(t, visitors, 1)
		calls := kept.calls
		require.NoError(t, counts.Flush(t.Context()))
		require.Equal(t, calls, kept.calls, "nothing to write, nothing written")
	}
}

// TestBatchesAreBounded checks that the counts of a database outage are written in parts, each with the views that its
// visitors belong to.
func TestBatchesAreBounded(t *testing.T) {
	t.Parallel()
	counts, kept, _ := setup(t)
	page, block := ident.New[ident.LinkPage](), ident.New[ident.LinkBlock]()
	const people = 50
	for i := range people {
		counts.View(page, visit(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}).String(), "browser"))
		counts.Click(page, block, tally.Visit{})
	}
	kept.fail = errors.New("down")
	require.Error(t, counts.Flush(t.Context()))
	counts.View(page, visit("198.51.100.1", "browser"))
	kept.fail = nil
	require.NoError(t, counts.Flush(t.Context()))
	views, _, clicks, visitors := kept.sums()
	require.EqualValues(t, people+1, views)
	require.EqualValues(t, people, clicks)
	require.Len(t, visitors, people+1)
	require.Len(t, kept.batches, 4, "20, 20 and 10 visitors, and one that came later")
	for _, b := range kept.batches {
		require.LessOrEqual(t, len(b.Visitors), 20)
		for _, v := range b.Visitors {
			require.True(t, slices.ContainsFunc(b.Views,
				func(c postgres.ViewCount) bool { return c.PageID == v.PageID && c.Day == v.Day }))
		}
	}
}

// TestShutdownWritesLastCounts checks that the last counts are written even if the database fails at first.
func TestShutdownWritesLastCounts(t *testing.T) {
	t.Parallel()
	counts, kept, _ := setup(t)
	counts.View(ident.New[ident.LinkPage](), visit("192.0.2.1", "browser"))
	kept.fail = errors.New("starting up")
	running, stop := context.WithCancel(t.Context())
	stop()
	ended := make(chan struct{})
	go func() {
		counts.Run(running)
		close(ended)
	}()
	requested := func() int {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		return kept.calls
	}
	require.Eventually(t, func() bool { return requested() > 1 }, 10*time.Second, time.Millisecond)
	kept.mu.Lock()
	kept.fail = nil
	kept.mu.Unlock()
	<-ended
	views, _, _, _ := kept.sums()
	require.EqualValues(t, 1, views)
}

// TestVisitors checks that a visitor has one identity on one page and day, and another on another page or day.
func TestVisitors(t *testing.T) {
	t.Parallel()
	counts, kept, fake := setup(t)
	one, two := ident.New[ident.LinkPage](), ident.New[ident.LinkPage]()
	hashes := func() []string {
		require.NoError(t, counts.Flush(t.Context()))
		kept.mu.Lock()
		defer kept.mu.Unlock()
		var out []string
		for _, b := range kept.batches {
			for _, v := range b.Visitors {
				require.Regexp(t, `^[0-9a-f]{32}$`, v.Visitor, "a hash, not an address")
				out = append(out, v.Visitor)
			}
		}
		clear(kept.batches)
		return out
	}
	counts.View(one, visit("192.0.2.1", "a"))
	counts.View(one, visit("192.0.2.1", "a"))
	counts.View(one, visit("::ffff:192.0.2.1", "a"))
	first := hashes()
	require.Len(t, first, 1)
	counts.View(one, visit("192.0.2.1", "b"))
	counts.View(one, visit("192.0.2.2", "a"))
	counts.View(two, visit("192.0.2.1", "a"))
	others := hashes()
	require.Len(t, others, 3)
	require.NotContains(t, others, first[0])
	counts.View(one, visit("2001:db8:1:2::1", "a"))
	counts.View(one, visit("2001:db8:1:2:ffff::9", "a"))
	counts.View(one, visit("2001:db8:1:3::1", "a"))
	require.Len(t, hashes(), 2, "a household has one network")
	fake.Advance(24 * time.Hour)
	counts.View(one, visit("192.0.2.1", "a"))
	next := hashes()
	require.Len(t, next, 1, "the salt of the day is there before the day")
	require.NotEqual(t, first, next)
	require.Equal(t, []string{"2026-03-01", "2026-03-02"}, kept.saltDays)
	fake.Advance(48 * time.Hour)
	counts.View(one, visit("192.0.2.1", "a"))
	require.Empty(t, hashes(), "without a salt there are no hashes")
}

// TestVisitorsPerAddressAreLimited checks that a client that changes its User-Agent counts as a limited number of
// visitors.
func TestVisitorsPerAddressAreLimited(t *testing.T) {
	t.Parallel()
	counts, kept, _ := setup(t)
	one, two := ident.New[ident.LinkPage](), ident.New[ident.LinkPage]()
	const views = 10 * linkpage.MaxSourceVisitors
	for i := range views {
		agent := "browser " + strconv.Itoa(i)
		counts.View(one, visit("192.0.2.1", agent))
		counts.View(two, visit(netip.AddrFrom16([16]byte{0x20, 0x01, 15: byte(i)}).String(), agent))
	}
	counts.View(one, visit("192.0.2.2", "browser"))
	require.NoError(t, counts.Flush(t.Context()))
	viewed, _, _, visitors := kept.sums()
	require.EqualValues(t, 2*views+1, viewed, "views are not limited")
	require.Len(t, visitors, 2*linkpage.MaxSourceVisitors+1)
	sources := map[string]int{}
	for _, b := range kept.batches {
		for _, v := range b.Visitors {
			require.Len(t, v.Source, 32)
			sources[v.Source]++
		}
	}
	require.ElementsMatch(t, []int{linkpage.MaxSourceVisitors, linkpage.MaxSourceVisitors, 1},
		slices.Collect(maps.Values(sources)))
}

// TestSourceHashesDiffer checks that the hash of an address differs between pages and between days.
func TestSourceHashesDiffer(t *testing.T) {
	t.Parallel()
	counts, kept, fake := setup(t)
	one, two := ident.New[ident.LinkPage](), ident.New[ident.LinkPage]()
	counts.View(one, visit("192.0.2.1", "browser"))
	counts.View(two, visit("192.0.2.1", "browser"))
	fake.Advance(24 * time.Hour)
	counts.View(one, visit("192.0.2.1", "browser"))
	require.NoError(t, counts.Flush(t.Context()))
	sources := map[string]bool{}
	for _, b := range kept.batches {
		for _, v := range b.Visitors {
			sources[v.Source] = true
			require.NotEqual(t, v.Visitor, v.Source)
		}
	}
	require.Len(t, sources, 3)
}

func TestOldDaysAreDeleted(t *testing.T) {
	t.Parallel()
	counts, kept, fake := setup(t)
	running, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		counts.Run(running)
		close(ended)
	}()
	pruned := func() []string {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		return kept.pruned
	}
	require.Eventually(t, func() bool { return len(pruned()) == 1 }, 10*time.Second, time.Millisecond)
	fake.Advance(24 * time.Hour)
	require.Eventually(t, func() bool { return len(pruned()) == 2 }, 10*time.Second, time.Millisecond)
	stop()
	<-ended
	require.Equal(t, []string{"2026-03-01", "2026-03-02"}, pruned())
}

func TestNewRequiresConfig(t *testing.T) {
	t.Parallel()
	_, err := tally.New(tally.Config{})
	require.Error(t, err)
	registry := prometheus.NewRegistry()
	cfg := tally.Config{
		Store: &store{}, Clock: clocktest.New(start), Logger: slog.New(slog.DiscardHandler), Registerer: registry,
	}
	_, err = tally.New(cfg)
	require.NoError(t, err)
	_, err = tally.New(cfg)
	require.Error(t, err, "two of one name")
}

func TestBots(t *testing.T) {
	t.Parallel()
	const chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 " +
		"Safari/537.36"
	people := []string{
		chrome,
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 " +
			"Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 " +
			"Instagram 390.0.0.28.85",
		"Mozilla/5.0 (Linux; Android 15; SM-S928B) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/140.0 Mobile " +
			"Safari/537.36 [FB_IAB/FB4A;FBAV/500]",
		"Mozilla/5.0 (Linux; Android 15; CUBOT X30) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36",
		"Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile " +
			"Safari/537.36 Telegram-Android/11.0",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 " +
			"[Pinterest/iOS] Pinterest/13.0",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 musical_ly_34.0 " +
			"BytedanceWebview/d8a21c6",
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
		"Opera/9.80 (J2ME/MIDP; Opera Mini/9.80) Presto/2.12.423 Version/12.16",
	}
	programs := []string{
		"", "curl/8.5.0", "python-requests/2.32", "Go-http-client/2.0",
		"facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Mozilla/5.0 (compatible; bingbot/2.0)",
		"Twitterbot/1.0", "WhatsApp/2.23.20.0",
		"TelegramBot (like TwitterBot)", "Slackbot-LinkExpanding 1.0",
		"Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)", "LinkedInBot/1.0",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36",
		"Mozilla/5.0 (Linux; Android 11; moto g power) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/136.0 Mobile " +
			"Safari/537.36 Chrome-Lighthouse",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
		"Mozilla/5.0 (compatible; ClaudeBot/1.0)",
		"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36 (compatible; " +
			"Googlebot/2.1)", strings.Repeat("x", 5000),
	}
	agents := tally.NewAgents()
	for range 2 { // the second pass reads from the cache
		for _, agent := range people {
			require.False(t, agents.IsBot(agent, true), agent)
			require.True(t, agents.IsBot(agent, false), agent)
		}
		for _, agent := range programs {
			require.True(t, agents.IsBot(agent, true), agent)
		}
	}
	for i := range 5_000 { // the cache is bounded and correct
		require.False(t, agents.IsBot(chrome+strconv.Itoa(i), true))
	}
	require.False(t, tally.IsPrefetch(""))
	for _, purpose := range []string{"prefetch;prerender", "Prefetch", "preview"} {
		require.True(t, tally.IsPrefetch(purpose), purpose)
	}
}
