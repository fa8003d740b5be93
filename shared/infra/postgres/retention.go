package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Retained is data of posts that is deleted when its posts have ended and have not changed for long. It is found by
// walking over all posts in the order of their creation, which is the order of their identifiers, so that it needs no
// index of its own. Posts that have not ended are passed in every walk.
type Retained struct {
	db    *DB
	prune statement
}

// NewTimelines returns the timelines of posts.
func NewTimelines(db *DB) *Retained { return &Retained{db: db, prune: pruneTimelines} }

// NewSettledAttempts returns the attempts of published posts.
func NewSettledAttempts(db *DB) *Retained { return &Retained{db: db, prune: pruneAttempts} }

// NewEndedPosts returns the posts themselves.
func NewEndedPosts(db *DB) *Retained { return &Retained{db: db, prune: prunePosts} }

// Pruned is the result of one page of a walk.
type Pruned struct {
	Deleted int        // rows
	Last    ident.Post // last post of the page; zero at the end of the walk
}

// Prune walks over up to limit rows after a post, and deletes the data of those posts that ended and have not changed
// within age. A post that is being changed is left out.
func (s *Retained) Prune(ctx context.Context, age time.Duration, after ident.Post, limit int) (Pruned, error) {
	var (
		page   Pruned
		walked int
		last   *ident.Post
	)
	err := s.db.queryRow(ctx, s.prune, map[string]any{"after": after.String(), "age": age.Seconds(), "limit": limit},
		&page.Deleted, &walked, &last)
	if walked == limit {
		page.Last = value(last)
	}
	return page, classify(err)
}

// pruneDays deletes up to limit rows of each table for days older than age, and returns the larger of the counts. The
// tables are given with the columns of their keys besides the day.
func pruneDays(ctx context.Context, db *DB, tables map[string]string, age time.Duration, limit int) (int, error) {
	var most int64
	for table, key := range tables {
		old := db.conn(ctx).Table(table).Select(key+", day").Where("day < CAST((?) AS date)", dbAgo(age)).
			Limit(limit).Clauses(locking("FOR UPDATE SKIP LOCKED"))
		result := db.conn(ctx).Table(table).Where("("+key+", day) IN (?)", old).Delete(nil)
		if result.Error != nil {
			return 0, classify(result.Error)
		}
		most = max(most, result.RowsAffected)
	}
	return int(most), nil
}

// VisitDays is the store of the daily visits and clicks of link pages.
type VisitDays struct{ db *DB }

// NewVisitDays returns the store.
func NewVisitDays(db *DB) *VisitDays { return &VisitDays{db: db} }

// Prune deletes up to limit counts each of views and clicks for days older than age. It returns the larger of the two
// counts.
func (s *VisitDays) Prune(ctx context.Context, age time.Duration, limit int) (int, error) {
	return pruneDays(ctx, s.db, map[string]string{"page_view_day": "page_id", "click_day": "page_id, block_id"}, age, limit)
}
