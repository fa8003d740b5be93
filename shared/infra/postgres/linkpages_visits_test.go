package postgres_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

func visitor(n int) string { return fmt.Sprintf("%032x", n) }

func TestVisitsAreAddedUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	visits, page, other := postgres.NewVisits(b.db), b.linkPage(t, "mara"), b.linkPage(t, "other")
	first, second := ident.New[ident.LinkBlock](), ident.New[ident.LinkBlock]()
	batch := func(day string, views, bots int64, clicks map[ident.LinkBlock]int64, visitors ...int) postgres.VisitBatch {
		out := postgres.VisitBatch{
			ID: uuid.New(), Views: []postgres.ViewCount{{PageID: page.ID, Day: day, Views: views, Bots: bots}},
		}
		for block, n := range clicks {
			out.Clicks = append(out.Clicks, postgres.ClickCount{PageID: page.ID, BlockID: block, Day: day, Clicks: n})
		}
		for _, n := range visitors {
			out.Visitors = append(out.Visitors, postgres.VisitorSeen{
				PageID: page.ID, Day: day, Visitor: visitor(n), Source: visitor(n),
			})
		}
		return out
	}
	again := batch("2026-03-01", 3, 1, map[ident.LinkBlock]int64{first: 2}, 1, 2)
	for range 3 { // the response was lost twice
		require.NoError(t, visits.Add(t.Context(), again))
	}
	require.NoError(t, visits.Add(t.Context(), batch("2026-03-01", 2, 0, map[ident.LinkBlock]int64{first: 1, second: 1}, 2,
		3)))
	require.NoError(t, visits.Add(t.Context(), batch("2026-03-02", 1, 0, nil, 1)))
	require.NoError(t, visits.Add(t.Context(), postgres.VisitBatch{ID: uuid.New()}))
	gone := postgres.VisitBatch{
		ID: uuid.New(),
		Views: []postgres.ViewCount{
			{PageID: ident.New[ident.LinkPage](), Day: "2026-03-01", Views: 1},
			{PageID: other.ID, Day: "2026-03-01", Views: 1},
		},
	}
	require.NoError(t, visits.Add(t.Context(), gone), "a page that was deleted meanwhile takes nothing with it")

	day := func(d int) time.Time { return time.Date(2026, time.March, d, 0, 0, 0, 0, time.UTC) }
	days, blocks, err := visits.Read(t.Context(), page.ID, linkpage.Period{From: day(1), To: day(2)})
	require.NoError(t, err)
	require.Equal(t, []linkpage.DayVisits{
		{Day: day(1), Views: 5, Visitors: 3, Clicks: 4}, {Day: day(2), Views: 1, Visitors: 1},
	}, days)
	require.Equal(t, []postgres.BlockDay{
		{BlockID: first, Day: day(1), Clicks: 3}, {BlockID: second, Day: day(1), Clicks: 1},
	}, blocks)
	days, _, err = visits.Read(t.Context(), page.ID, linkpage.Period{From: day(2), To: day(2)})
	require.NoError(t, err)
	require.Len(t, days, 1)
	require.Equal(t, []string{"1"}, postgrestest.Column(t, b.address,
		`SELECT bots::text FROM page_view_day WHERE bots > 0`))
}

func TestVisitorWithTwoAddressesIsCountedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page, today := b.linkPage(t, "mara"), b.now.Format(time.DateOnly)
	seen := func(source int) postgres.VisitorSeen {
		return postgres.VisitorSeen{PageID: page.ID, Day: today, Visitor: visitor(1), Source: visitor(source)}
	}
	require.NoError(t, postgres.NewVisits(b.db).Add(t.Context(), postgres.VisitBatch{
		ID: uuid.New(), Views: []postgres.ViewCount{{PageID: page.ID, Day: today, Views: 2}},
		Visitors: []postgres.VisitorSeen{seen(1), seen(2)},
	}))
	require.Equal(t, []string{"1"}, postgrestest.Column(t, b.address, `SELECT visitors::text FROM page_view_day`))
}

// TestConcurrentVisits adds batches of the same pages concurrently, in any order, and checks that each counts
// once.
func TestConcurrentVisits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pages, block := []linkpage.Page{
		b.linkPage(t, "one"), b.linkPage(t, "two"), b.linkPage(t, "three"),
	}, ident.New[ident.LinkBlock]()
	var group sync.WaitGroup
	for process := range 8 {
		group.Go(func() {
			for range 10 {
				batch := postgres.VisitBatch{ID: uuid.New()}
				for i := range pages {
					page := pages[(i+process)%len(pages)].ID
					batch.Views = append(batch.Views, postgres.ViewCount{PageID: page, Day: "2026-03-01", Views: 1})
					batch.Clicks = append(batch.Clicks, postgres.ClickCount{
						PageID: page, BlockID: block, Day: "2026-03-01", Clicks: 1,
					})
					batch.Visitors = append(batch.Visitors, postgres.VisitorSeen{
						PageID: page, Day: "2026-03-01", Visitor: visitor(process % 4), Source: visitor(9),
					})
				}
				for err := postgres.NewVisits(b.db).Add(t.Context(),
					batch); err != nil; err = postgres.NewVisits(b.db).Add(t.Context(), batch) {
					t.Log(err) // a process would retry
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, []string{"80 4 80", "80 4 80", "80 4 80"}, postgrestest.Column(t, b.address,
		`SELECT views || ' ' || visitors || ' ' || clicks FROM page_view_day JOIN click_day USING (page_id, day)`))
}

// TestVisitorsPerSourceAreLimited checks the limit across batches and processes. Each page and each day has its own limit.
func TestVisitorsPerSourceAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.linkPage(t, "one"), b.linkPage(t, "two")
	batch := func(page ident.LinkPage, day string, source, from, to int) postgres.VisitBatch {
		out := postgres.VisitBatch{
			ID: uuid.New(), Views: []postgres.ViewCount{{PageID: page, Day: day, Views: int64(to - from)}},
		}
		for n := from; n < to; n++ {
			out.Visitors = append(out.Visitors, postgres.VisitorSeen{
				PageID: page, Day: day, Visitor: visitor(1_000*source + n), Source: visitor(source),
			})
		}
		return out
	}
	var group sync.WaitGroup
	for process := range 8 { // 8 × 30 visitors of one address; consecutive processes share 10 of them
		group.Go(func() {
			for i := range 3 {
				from := 20*process + 10*i
				if err := postgres.NewVisits(b.db).Add(t.Context(), batch(one.ID, "2026-03-01", 1, from, from+10)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	visits := postgres.NewVisits(b.db)
	require.NoError(t, visits.Add(t.Context(), batch(one.ID, "2026-03-01", 1, 0, 200)))
	require.NoError(t, visits.Add(t.Context(), batch(one.ID, "2026-03-01", 2, 0, 5)), "another address")
	require.NoError(t, visits.Add(t.Context(), batch(one.ID, "2026-03-02", 1, 0, 30)), "another day")
	require.NoError(t, visits.Add(t.Context(), batch(two.ID, "2026-03-01", 1, 0, 150)), "another page")
	require.Equal(t, []string{"one 2026-03-01 445 105", "one 2026-03-02 30 30", "two 2026-03-01 150 100"},
		postgrestest.Column(t, b.address,
			`SELECT handle || ' ' || day || ' ' || views || ' ' || visitors FROM page_view_day JOIN link_page ON id = page_id ORDER BY handle, day`))
}

// TestVisitorsCannotBeIdentified checks that all processes share one salt per day, and that it is deleted when the day
// is over.
func TestVisitorsCannotBeIdentified(t *testing.T) {
	t.Parallel()
	b := setup(t)
	visits, page := postgres.NewVisits(b.db), b.linkPage(t, "mara")
	today := linkpage.DayOf(b.now)
	var group sync.WaitGroup
	salts := make(chan string, 8)
	for range cap(salts) {
		group.Go(func() {
			salt, err := visits.Salt(t.Context(), today)
			if err != nil {
				t.Error(err)
			}
			salts <- string(salt)
		})
	}
	group.Wait()
	first := <-salts
	require.Len(t, first, 32)
	for range cap(salts) - 1 {
		require.Equal(t, first, <-salts)
	}
	for i := range 3 {
		day := today.AddDate(0, 0, -i).Format(time.DateOnly)
		require.NoError(t, visits.Add(t.Context(), postgres.VisitBatch{
			ID: uuid.New(), Views: []postgres.ViewCount{{PageID: page.ID, Day: day, Views: 1}},
			Visitors: []postgres.VisitorSeen{{PageID: page.ID, Day: day, Visitor: visitor(i), Source: visitor(i)}},
		}))
	}
	tomorrow, err := visits.Salt(t.Context(), today.AddDate(0, 0, 1))
	require.NoError(t, err)
	require.NotEqual(t, first, string(tomorrow))
	require.NoError(t, visits.Prune(t.Context(), today.AddDate(0, 0, 1)))
	require.Len(t, postgrestest.Column(t, b.address, `SELECT day::text FROM link_visit_salt`), 1, "tomorrow's stays")
	require.Equal(t, []string{today.Format(time.DateOnly)},
		postgrestest.Column(t, b.address, `SELECT day::text FROM link_visitor`))
	require.Len(t, postgrestest.Column(t, b.address, `SELECT day::text FROM page_view_day`), 3, "numbers stay")
}
