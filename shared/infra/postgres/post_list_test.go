package postgres_test

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// archive is a workspace full of posts, with their channels.
type archive struct {
	*bundle

	random *rand.Rand
	filled []ident.Channel
}

func (b *bundle) archive(t *testing.T) *archive {
	t.Helper()
	seed := rand.Uint64() //nolint:gosec // test data
	t.Logf("seed %d", seed)
	a := &archive{bundle: b, random: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // test data
	for i := range 3 {
		of := b.ch
		of.ID, of.Type, of.ExternalID = ident.New[ident.Channel](), channel.Threads, strconv.Itoa(i)
		require.NoError(t, b.channels.Insert(t.Context(), of, b.credentials()))
		a.filled = append(a.filled, of.ID)
	}
	return a
}

// moment returns one of a few times, so that many posts share it.
func (a *archive) moment() time.Time {
	return a.now.Add(time.Duration(a.random.IntN(12)) * time.Hour)
}

// make inserts posts with random states, channels and times.
func (a *archive) make(t *testing.T, n int) []post.Post {
	t.Helper()
	changes := make([]post.Change, n)
	created := make([]post.Post, n)
	for i := range changes {
		created[i] = a.some()
		changes[i] = post.Change{Post: created[i]}
	}
	require.NoError(t, a.posts.Insert(t.Context(), changes))
	return created
}

func (a *archive) some() post.Post {
	created := a.moment()
	p := post.Post{
		ID: ident.New[ident.Post](), WorkspaceID: a.ws.ID, ChannelID: a.filled[a.random.IntN(len(a.filled))],
		ContentType: post.ContentPost,
		MediaIDs:    []ident.Media{}, Status: post.Statuses()[a.random.IntN(len(post.Statuses()))], CreatedAt: created,
		UpdatedAt: a.moment(), Revision: 1,
	}
	if p.Status == post.Scheduled || a.random.IntN(3) > 0 {
		p.ScheduledAt = a.moment()
	}
	switch p.Status { //nolint:exhaustive // the others need no more fields
	case post.Published:
		p.PublishedAt = a.moment()
	case post.Failed:
		p.Error = &post.Error{Code: "REJECTED"}
	case post.Archived:
		p.ArchivedFrom = post.Draft
	}
	return p
}

// kept reports whether a filter keeps a post.
func kept(f postgres.PostFilter, p post.Post) bool {
	ranged := !f.ScheduledFrom.IsZero() || !f.ScheduledTo.IsZero()
	return (len(f.Statuses) == 0 || slices.Contains(f.Statuses, p.Status)) &&
		(len(f.ChannelIDs) == 0 || slices.Contains(f.ChannelIDs, p.ChannelID)) &&
		(!ranged || !p.ScheduledAt.IsZero()) && !p.ScheduledAt.Before(f.ScheduledFrom) &&
		(f.ScheduledTo.IsZero() || p.ScheduledAt.Before(f.ScheduledTo))
}

// sorter returns the comparison of posts for a sort order.
func sorter(sort post.Sort) func(a, b post.Post) int {
	ids := func(a, b post.Post) int { return bytes.Compare(a.ID[:], b.ID[:]) }
	byCreation := func(a, b post.Post) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), ids(a, b)) }
	byTime := func(a, b post.Post) int { return cmp.Or(a.ScheduledAt.Compare(b.ScheduledAt), ids(a, b)) }
	byChange := func(a, b post.Post) int { return cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt), ids(a, b)) }
	untimedLast := func(a, b post.Post) int {
		switch {
		case a.ScheduledAt.IsZero() == b.ScheduledAt.IsZero():
			return 0
		case a.ScheduledAt.IsZero():
			return 1
		default:
			return -1
		}
	}
	return map[post.Sort]func(a, b post.Post) int{
		"":            func(a, b post.Post) int { return byCreation(b, a) },
		"-createdAt":  func(a, b post.Post) int { return byCreation(b, a) },
		"createdAt":   byCreation,
		"scheduledAt": func(a, b post.Post) int { return cmp.Or(untimedLast(a, b), byTime(a, b)) },
		"updatedAt":   byChange,
		"-updatedAt":  func(a, b post.Post) int { return byChange(b, a) },
		"-scheduledAt": func(a, b post.Post) int {
			return cmp.Or(untimedLast(a, b), byTime(b, a))
		},
	}[sort]
}

// expected returns the expected list.
func expected(posts []post.Post, f postgres.PostFilter) []ident.Post {
	found := slices.DeleteFunc(slices.Clone(posts), func(p post.Post) bool { return !kept(f, p) })
	slices.SortFunc(found, sorter(f.Sort))
	return idsOf(found)
}

func idsOf(posts []post.Post) []ident.Post {
	ids := make([]ident.Post, len(posts))
	for i, p := range posts {
		ids[i] = p.ID
	}
	return ids
}

// pages reads a whole list in pages of random sizes and calls between after each page.
func (a *archive) pages(t *testing.T, f postgres.PostFilter, between func()) (all []post.Post) {
	t.Helper()
	f.After = post.Position{}
	for {
		f.Limit = 1 + rand.IntN(20) //nolint:gosec // lists are read side by side; any size is right
		page, err := a.posts.List(t.Context(), a.ws.ID, f)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page), f.Limit)
		all = append(all, page...)
		if len(page) < f.Limit {
			return all
		}
		f.After = f.Sort.Position(page[len(page)-1])
		between()
	}
}

// everyFilter combines every state, channel and range.
func (a *archive) everyFilter() (filters []postgres.PostFilter) {
	early, late := a.now.Add(3*time.Hour), a.now.Add(9*time.Hour)
	for _, statuses := range [][]post.Status{nil, {post.Draft}, {post.Scheduled}, {post.Published, post.Failed}} {
		for _, of := range [][]ident.Channel{nil, a.filled[:1], a.filled[1:], {ident.New[ident.Channel]()}} {
			for _, ranged := range [][2]time.Time{
				{}, {early, {}}, {{}, late}, {early, late}, {early, early.Add(time.Millisecond)}, {late, early},
			} {
				filters = append(filters, postgres.PostFilter{
					Statuses: statuses, ChannelIDs: of, ScheduledFrom: ranged[0], ScheduledTo: ranged[1],
				})
			}
		}
	}
	return filters
}

func sorts() []post.Sort { return append(post.Sorts(), "") }

// TestListsAreSorted pages over random posts with every sort and filter and compares with a sort in memory.
func TestListsAreSorted(t *testing.T) {
	t.Parallel()
	a := setup(t).archive(t)
	all := a.make(t, 400)
	other := a.tenant(t)
	for _, f := range a.everyFilter() {
		for _, f.Sort = range sorts() {
			got := a.pages(t, f, func() {})
			require.Equal(t, expected(all, f), idsOf(got), "%+v", f)
		}
	}
	for _, sort := range sorts() {
		foreign, err := a.posts.List(t.Context(), other.ID, postgres.PostFilter{Sort: sort, Limit: 10})
		require.NoError(t, err)
		require.Empty(t, foreign)
	}
}

// TestListsAreStable pages while posts are added: each earlier post appears once, and the pages stay in order.
func TestListsAreStable(t *testing.T) {
	t.Parallel()
	a := setup(t).archive(t)
	before := a.make(t, 200)
	for _, sort := range sorts() {
		for _, f := range []postgres.PostFilter{
			{Sort: sort}, {Sort: sort, Statuses: []post.Status{post.Draft}}, {Sort: sort, ChannelIDs: a.filled[:2]},
		} {
			var added []post.Post
			got := a.pages(t, f, func() {
				if len(added) < 60 {
					added = append(added, a.make(t, 5)...)
				}
			})
			require.True(t, slices.IsSortedFunc(got, sorter(sort)), "%+v", f)
			isNew := func(p post.Post) bool {
				return slices.ContainsFunc(added, func(n post.Post) bool { return n.ID == p.ID })
			}
			require.Equal(t, expected(before, f), idsOf(slices.DeleteFunc(slices.Clone(got), isNew)), "%+v", f)
			met := slices.Compact(slices.SortedFunc(slices.Values(idsOf(got)),
				func(a, b ident.Post) int { return bytes.Compare(a[:], b[:]) }))
			require.Len(t, met, len(got), "none twice")
			before = append(before, added...)
		}
	}
}

// TestListsUseTheirIndexes checks the plans of each list's first page, of a middle page, and of a page of posts without
// a time.
func TestListsUseTheirIndexes(t *testing.T) {
	t.Parallel()
	a := setup(t).archive(t)
	a.fill(t)
	postgrestest.Exec(t, a.address, `VACUUM ANALYZE post`)
	a.requireIndexes(t, "right statistics")
}

// fill inserts many posts of few states.
func (a *archive) fill(t *testing.T) {
	t.Helper()
	postgrestest.Exec(t, a.address,
		`INSERT INTO post (id, workspace_id, channel_id, content, content_type, status, scheduled_at, created_at, updated_at, revision)
		SELECT gen_random_uuid(), c.workspace_id, c.id, 'x', 'POST', CASE WHEN n % 7 = 0 THEN 'DRAFT' ELSE 'PENDING_APPROVAL' END, CASE WHEN n % 5 > 0 THEN $1 + n * interval '1 minute' END,
			$1 + n * interval '1 second', $1, 1 FROM channel c, generate_series(1, 5000) AS n, (SELECT CAST($1 AS timestamptz)) AS start`, a.now)
}

// requireIndexes checks the plans of all lists.
func (a *archive) requireIndexes(t *testing.T, name string) {
	t.Helper()
	middle := post.Position{At: a.now.Add(2500 * time.Minute), ID: ident.New[ident.Post]()}
	one, several := []post.Status{post.Draft}, []post.Status{post.Draft, post.PendingApproval}
	for _, c := range []struct {
		index string
		f     postgres.PostFilter
		lists int // that are merged
	}{
		{"workspace", postgres.PostFilter{Limit: 26}, 1},
		{"status", postgres.PostFilter{Limit: 26, Statuses: one}, 1},
		{"status", postgres.PostFilter{Limit: 26, Statuses: several}, 2},
		{"channel", postgres.PostFilter{Limit: 26, ChannelIDs: a.filled[:1]}, len(post.Statuses())},
		{"channel", postgres.PostFilter{Limit: 26, ChannelIDs: a.filled[:1], Statuses: one}, 1},
		{"channel", postgres.PostFilter{Limit: 26, ChannelIDs: a.filled, Statuses: several}, 2 * len(a.filled)},
	} {
		index, f := c.index, c.f
		for _, f.Sort = range post.Sorts() {
			if f.Sort.ByUpdatedAt() && index != "workspace" {
				continue // TestSelectiveListsUseTheirIndexes
			}
			column, positions := "created", []post.Position{{}, middle}
			if f.Sort.ByUpdatedAt() {
				column = "updated"
			}
			if f.Sort.ByScheduledAt() {
				column, positions = "scheduled", append(positions, post.Position{ID: middle.ID})
			}
			for _, f.After = range positions {
				plan, err := a.posts.ExplainList(t.Context(), a.ws.ID, f)
				require.NoError(t, err)
				require.Contains(t, plan, " using post_by_"+index+"_"+column, "%s: %+v", name, f)
				for _, slow := range []string{"Seq Scan", "Bitmap"} {
					require.NotContains(t, plan, slow, "%s: %+v", name, f)
				}
				requireAtMost(t, plan, `Rows Removed by Filter: (\d+)`, f.Limit) // behind the end of a list
				requireAtMost(t, plan, `actual rows=(\d+)`, 2*c.lists*f.Limit)
				execution, _, _ := strings.Cut(plan, "Planning:")
				requireAtMost(t, execution, `Buffers: shared hit=(\d+)`, 4*f.Limit+2*c.lists*(f.Limit+10)) // channel and workspace of each
			}
		}
	}
}

// TestListsUseTheirIndexesWithWrongStatistics checks the plans of lists of a workspace with many posts while the
// statistics are missing or say that each of many workspaces has a few posts, and the like.
func TestListsUseTheirIndexesWithWrongStatistics(t *testing.T) {
	t.Parallel()
	a := setup(t).archive(t)
	a.fill(t)
	a.requireIndexes(t, "no statistics")
	for name, statistics := range map[string]string{
		"many small workspaces": `ALTER TABLE post ALTER workspace_id SET (n_distinct = -0.9), ALTER status SET (n_distinct = -0.5),
			ALTER channel_id SET (n_distinct = -0.9), ALTER created_at SET (n_distinct = 1), ALTER scheduled_at SET (n_distinct = 1)`,
		"one workspace": `ALTER TABLE post ALTER workspace_id SET (n_distinct = 1), ALTER status SET (n_distinct = 1),
			ALTER channel_id SET (n_distinct = 1), ALTER created_at SET (n_distinct = -1), ALTER scheduled_at SET (n_distinct = -1)`,
	} {
		a.fill(t)
		postgrestest.Exec(t, a.address, statistics)
		postgrestest.Exec(t, a.address, `VACUUM ANALYZE post`)
		a.requireIndexes(t, name)
	}
}

// requireAtMost checks that no step of a plan reads more than the pages need.
func requireAtMost(t *testing.T, plan, number string, most int) {
	t.Helper()
	for _, read := range regexp.MustCompile(number).FindAllStringSubmatch(plan, -1) {
		rows, err := strconv.Atoi(read[1])
		require.NoError(t, err)
		require.LessOrEqual(t, rows, most, plan)
	}
}
