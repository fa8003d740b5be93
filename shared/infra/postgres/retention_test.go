package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

const year = 365 * 24 * time.Hour

// past moves all posts into the past: their identifiers, which begin with the time of creation, and their last change.
func (b *bundle) past(t *testing.T, age string) {
	t.Helper()
	for _, table := range []string{"post_timeline", "publish_attempt"} {
		postgrestest.Exec(t, b.address, `ALTER TABLE `+table+` DROP CONSTRAINT `+table+`_post_id_fkey, ADD CONSTRAINT `+
			table+`_post_id_fkey FOREIGN KEY (post_id) REFERENCES post ON UPDATE CASCADE ON DELETE CASCADE`)
	}
	postgrestest.Exec(t, b.address, `UPDATE post SET updated_at = now() - CAST($1 AS interval), id = overlay(CAST(id AS text)
		PLACING left(CAST(uuid_v7_at(now() - CAST($1 AS interval)) AS text), 13) FROM 1 FOR 13)::uuid`, age)
}

// finished creates a PUBLISHED post, with a refused attempt before the confirmed one.
func (b *bundle) finished(t *testing.T) post.Post {
	t.Helper()
	p := b.scheduled(t)
	postgrestest.Exec(t, b.address, `INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, owner, started_at)
		SELECT id, n, 1, channel_id, CASE n WHEN 1 THEN 'REJECTED' ELSE 'CONFIRMED' END, gen_random_uuid(), now()
		FROM post, generate_series(1, 2) AS n WHERE id = $1`, p.ID.String())
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	change, err := job.Post.Complete("", true, b.now)
	return apply(t, b, change, err)
}

// walk prunes in pages until the end and returns the number of deleted rows.
func walk(ctx context.Context, t *testing.T, store *postgres.Retained, age time.Duration, limit int) (deleted int) {
	t.Helper()
	var after ident.Post
	for {
		page, err := store.Prune(ctx, age, after, limit)
		require.NoError(t, err)
		deleted += page.Deleted
		if page.Last.IsZero() {
			return deleted
		}
		require.NotEqual(t, after, page.Last)
		after = page.Last
	}
}

// statusesWith returns the states of the posts that have rows in the table.
func (b *bundle) statusesWith(t *testing.T, table string) []string {
	t.Helper()
	return postgrestest.Column(t, b.address,
		`SELECT DISTINCT status FROM post WHERE id IN (SELECT post_id FROM `+table+`) ORDER BY status`)
}

func TestOldHistoryIsDeletedAndPostsStay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.everyStatus(t)
	p := b.finished(t)
	postgrestest.Exec(t, b.address, `INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, owner, started_at)
		SELECT id, 1, 1, channel_id, 'UNDETERMINED', gen_random_uuid(), now() FROM post WHERE status = 'FAILED'`)
	b.past(t, "2 years")
	young := b.finished(t)
	list, err := b.posts.List(t.Context(), b.ws.ID, postgres.PostFilter{Limit: 50})
	require.NoError(t, err)

	timelines, attempts := postgres.NewTimelines(b.db), postgres.NewSettledAttempts(b.db)
	require.Zero(t, walk(t.Context(), t, timelines, 3*year, 5))
	require.Zero(t, walk(t.Context(), t, attempts, 3*year, 5))
	require.Positive(t, walk(t.Context(), t, timelines, year, 5))
	require.Equal(t, 2, walk(t.Context(), t, attempts, year, 5))
	require.Equal(t, []string{"DRAFT", "PENDING_APPROVAL", "PUBLISHED", "SCHEDULED"}, b.statusesWith(t, "post_timeline"))
	require.Equal(t, []string{"FAILED", "PUBLISHED"}, b.statusesWith(t, "publish_attempt"),
		"the attempts of a FAILED post decide whether it may be sent again")
	entries, err := b.posts.Timeline(t.Context(), young.ID)
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	again, err := b.posts.List(t.Context(), b.ws.ID, postgres.PostFilter{Limit: 50})
	require.NoError(t, err)
	require.Equal(t, list, again)
	require.NotContains(t, idsOf(again), p.ID, "it was moved into the past")
}

// TestHistoryOfChangedPostStays checks that the last change counts, not the creation, and that a post that is being
// changed is left out.
func TestHistoryOfChangedPostStays(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		store func(*postgres.DB) *postgres.Retained
		rows  int // of one post
	}{
		"timelines": {postgres.NewTimelines, 2},
		"attempts":  {postgres.NewSettledAttempts, 2},
		"posts":     {postgres.NewEndedPosts, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.finished(t)
			b.past(t, "2 years")
			store := of.store(b.impatient(t, 200*time.Millisecond))
			postgrestest.Exec(t, b.address, `UPDATE post SET updated_at = now()`)
			require.Zero(t, walk(t.Context(), t, store, year, 5))
			postgrestest.Exec(t, b.address, `UPDATE post SET updated_at = now() - interval '2 years'`)
			release := postgrestest.Hold(t, b.address, `UPDATE post SET revision = revision + 1`)
			require.Zero(t, walk(t.Context(), t, store, year, 5))
			release()
			require.Equal(t, of.rows, walk(t.Context(), t, store, year, 5))
		})
	}
}

// TestConcurrentPrune runs two walks at once and checks that each row is deleted once, in pages of the limit.
func TestConcurrentPrune(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 40 {
		b.finished(t)
	}
	b.past(t, "2 years")
	page, err := postgres.NewTimelines(b.db).Prune(t.Context(), year, ident.Post{}, 6)
	require.NoError(t, err)
	require.Equal(t, 6, page.Deleted, "two entries of three posts")
	for table, store := range map[string]*postgres.Retained{
		"post_timeline": postgres.NewTimelines(b.db), "publish_attempt": postgres.NewSettledAttempts(b.db),
	} {
		remaining := len(postgrestest.Column(t, b.address, `SELECT post_id FROM `+table))
		var group sync.WaitGroup
		deleted := make([]int, 2)
		for i := range deleted {
			group.Go(func() { deleted[i] = walk(t.Context(), t, store, year, 7) })
		}
		group.Wait()
		rest := walk(t.Context(), t, store, year, 7) // what one of them left because the other had locked it
		require.Equal(t, remaining, deleted[0]+deleted[1]+rest, table)
		require.Empty(t, postgrestest.Column(t, b.address, `SELECT post_id FROM `+table))
	}
}

func TestEndedPostsAreDeletedWithReferences(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.everyStatus(t)
	asset := b.asset(t, b.ws.ID, media.Image)
	b.finished(t)
	b.past(t, "2 years")
	postgrestest.Exec(t, b.address, `INSERT INTO media_reference (media_id, workspace_id, owner_type, owner_id)
		SELECT $1, workspace_id, 'POST', id FROM post WHERE status IN ('PUBLISHED', 'DRAFT')`, asset.ID.String())
	young := b.finished(t)
	posts := postgres.NewEndedPosts(b.db)
	require.Zero(t, walk(t.Context(), t, posts, 3*year, 2))
	require.Equal(t, 6, walk(t.Context(), t, posts, year, 2), "two PUBLISHED, one FAILED and three ARCHIVED")
	require.Equal(t, []string{"DRAFT", "PENDING_APPROVAL", "PUBLISHED", "SCHEDULED"},
		postgrestest.Column(t, b.address, `SELECT status FROM post ORDER BY status`))
	require.Equal(t, []string{"DRAFT"}, postgrestest.Column(t, b.address,
		`SELECT p.status FROM media_reference r LEFT JOIN post p ON p.id = r.owner_id`))
	_, err := b.posts.Get(t.Context(), b.ws.ID, young.ID)
	require.NoError(t, err)
}

func TestOldVisitsAreDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page, block := b.linkPage(t, "mara"), ident.New[ident.LinkBlock]()
	today := b.now.Truncate(24 * time.Hour)
	visits := postgres.NewVisits(b.db)
	ages := []int{0, 1, 364, 366, 367, 800, 801, 802}
	for _, age := range ages {
		day := today.AddDate(0, 0, -age).Format(time.DateOnly)
		require.NoError(t, visits.Add(t.Context(), postgres.VisitBatch{
			ID: uuid.New(), Views: []postgres.ViewCount{{PageID: page.ID, Day: day, Views: 1}},
			Clicks: []postgres.ClickCount{{PageID: page.ID, BlockID: block, Day: day, Clicks: 1}},
		}))
	}
	days := postgres.NewVisitDays(b.db)
	for _, want := range []int{2, 1, 0} {
		n, err := days.Prune(t.Context(), 2*year, 2)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	remaining, blocks, err := visits.Read(t.Context(), page.ID, linkpage.Period{From: today.AddDate(-3, 0, 0), To: today})
	require.NoError(t, err)
	require.Len(t, remaining, 5)
	require.Len(t, blocks, 5)
}
