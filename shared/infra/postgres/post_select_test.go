package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// many is more than the number of posts that a list looks at one by one.
const many = 1200

// marked is a post with everything that can be looked for.
type marked struct {
	n    int
	post post.Post
}

// library fills a workspace with posts of three years: a few are found by rare words, many by common ones.
func (a *archive) library(t *testing.T) (all []marked) {
	t.Helper()
	changes := make([]post.Change, many)
	for n := range changes {
		p := a.some()
		p.Content, p.Title = fmt.Sprintf("Common words of number %05d", n), "Spring"
		p.CreatedAt = p.CreatedAt.AddDate(0, 0, -rand.IntN(1000)) //nolint:gosec // any day will do
		switch n % 100 {
		case 0:
			p.Content += " with Zebrafish"
		case 1:
			p.Content += "。今日の東京は晴れ"
		case 2:
			p.Content += " and AI in it"
		case 3:
			p.Content, p.Labels = p.Content+" rain, 100%_\\ sure", []string{"Sommer", "Ö"}
		case 4:
			p.Labels = []string{"spring"}
		case 5:
			p.ExternalID, p.GroupID = fmt.Sprintf("cms-%d", n), ident.Group(ident.New[ident.Post]())
		}
		if n%2 == 0 {
			p.Labels = append(p.Labels, "even")
		}
		changes[n] = post.Change{Post: p}
		all = append(all, marked{n, p})
	}
	require.NoError(t, a.posts.Insert(t.Context(), changes))
	return all
}

func search(t *testing.T, text string) post.Search {
	t.Helper()
	s, fault := post.ParseSearch(text)
	require.Empty(t, fault, text)
	return s
}

// TestSelectiveLists pages with each filter that is in no order's index, in every order, and compares with the posts in
// memory.
func TestSelectiveLists(t *testing.T) {
	t.Parallel()
	a := setup(t).archive(t)
	all := a.library(t)
	other := a.tenant(t)
	late, later := a.now.Add(11*time.Hour), a.now.Add(12*time.Hour)
	member := all[505].post
	contains := func(words ...string) func(marked) bool {
		return func(m marked) bool {
			text := strings.ToLower(m.post.Content + " " + m.post.Title)
			return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) })
		}
	}
	labelled := func(label string) func(marked) bool {
		return func(m marked) bool { return slices.Contains(m.post.Labels, label) }
	}
	for name, c := range map[string]struct {
		filter postgres.PostFilter
		keeps  func(marked) bool
	}{
		"rare word":           {postgres.PostFilter{Search: search(t, "zebraFISH")}, contains("zebrafish")},
		"part of a rare word": {postgres.PostFilter{Search: search(t, "rafis")}, contains("rafis")},
		"several words":       {postgres.PostFilter{Search: search(t, "fish 00300 title spring")}, func(marked) bool { return false }},
		"words of both texts": {postgres.PostFilter{Search: search(t, "fish 00300 spring")}, contains("00300")},
		"Japanese":            {postgres.PostFilter{Search: search(t, "東京")}, contains("東京")},
		"one letter":          {postgres.PostFilter{Search: search(t, "晴")}, contains("晴")},
		"the last letter":     {postgres.PostFilter{Search: search(t, "れ")}, contains("れ")},
		"not these pairs":     {postgres.PostFilter{Search: search(t, "京東")}, func(marked) bool { return false }},
		"short whole word":    {postgres.PostFilter{Search: search(t, "ai")}, contains(" ai ")},
		"special characters":  {postgres.PostFilter{Search: search(t, `100%_\ rain`)}, contains(`100%_\`)},
		"nowhere":             {postgres.PostFilter{Search: search(t, "10%0 rain")}, func(marked) bool { return false }},
		"and status": {
			postgres.PostFilter{Search: search(t, "zebrafish"), Statuses: []post.Status{post.Draft, post.Failed}},
			func(m marked) bool {
				return contains("zebrafish")(m) && (m.post.Status == post.Draft || m.post.Status == post.Failed)
			},
		},
		"and channel": {
			postgres.PostFilter{Search: search(t, "zebrafish"), ChannelIDs: a.filled[:1]},
			func(m marked) bool { return contains("zebrafish")(m) && m.post.ChannelID == a.filled[0] },
		},
		"label":       {postgres.PostFilter{Labels: []string{"SPRING"}}, labelled("spring")},
		"either case": {postgres.PostFilter{Labels: []string{"ö"}}, labelled("Ö")},
		"any label": {
			postgres.PostFilter{Labels: []string{"spring", "sommer", "none"}},
			func(m marked) bool { return labelled("spring")(m) || labelled("Sommer")(m) },
		},
		"label and word": {
			postgres.PostFilter{Labels: []string{"even"}, Search: search(t, "zebrafish")}, contains("zebrafish"),
		},
		"unknown label": {postgres.PostFilter{Labels: []string{"it's 'quoted\\"}}, func(marked) bool { return false }},
		"set":           {postgres.PostFilter{GroupID: member.GroupID}, func(m marked) bool { return m.n == 505 }},
		"set of one":    {postgres.PostFilter{GroupID: ident.Group(all[7].post.ID)}, func(m marked) bool { return m.n == 7 }},
		"external id":   {postgres.PostFilter{ExternalID: "cms-505"}, func(m marked) bool { return m.n == 505 }},
		"external id of another state": {
			postgres.PostFilter{ExternalID: "cms-505", Statuses: []post.Status{another(member.Status)}},
			func(marked) bool { return false },
		},
		"updated": {
			postgres.PostFilter{UpdatedSince: late},
			func(m marked) bool { return !m.post.UpdatedAt.Before(late) },
		},
		"published": {
			postgres.PostFilter{PublishedFrom: late, PublishedTo: later},
			func(m marked) bool { return m.post.PublishedAt.Equal(late) },
		},
		"published before": {
			postgres.PostFilter{PublishedTo: a.now.Add(time.Hour)},
			func(m marked) bool { return m.post.PublishedAt.Equal(a.now) },
		},
		"scheduled, published, updated and a word": {
			postgres.PostFilter{
				ScheduledFrom: a.now, ScheduledTo: later, PublishedFrom: a.now, UpdatedSince: a.now, Search: search(t, "zebrafish"),
			},
			func(m marked) bool {
				return contains("zebrafish")(m) && !m.post.ScheduledAt.IsZero() && !m.post.PublishedAt.IsZero()
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var wanted []post.Post
			for _, m := range all {
				if c.keeps(m) {
					wanted = append(wanted, m.post)
				}
			}
			for _, c.filter.Sort = range sorts() {
				slices.SortFunc(wanted, sorter(c.filter.Sort))
				require.Equal(t, idsOf(wanted), idsOf(a.pages(t, c.filter, func() {})), c.filter.Sort)
			}
			c.filter.Limit = 10
			foreign, err := a.posts.List(t.Context(), other.ID, c.filter)
			require.NoError(t, err)
			require.Empty(t, foreign, "of another workspace")
		})
	}
}

// TestSelectiveListsUseTheirIndexes checks the plan of each filter that is in no order's index, where few of many posts
// meet it: the list looks at a number of posts one by one, and reads the rest by the filter's index.
func TestSelectiveListsUseTheirIndexes(t *testing.T) {
	t.Parallel()
	a := setup(t).archive(t)
	a.fill(t)
	far := a.now.Add(100 * 24 * time.Hour)
	draft := []post.Status{post.Draft}
	postgrestest.Exec(t, a.address, `VACUUM ANALYZE post`)
	for _, state := range []string{"right statistics"} {
		for _, c := range []struct {
			index  string
			filter postgres.PostFilter
		}{
			{"post_text", postgres.PostFilter{Search: search(t, "zebrafish")}},
			{"post_text", postgres.PostFilter{Search: search(t, "zebrafish"), Statuses: draft, ChannelIDs: a.filled}},
			{"post_text", postgres.PostFilter{Labels: []string{"spring"}}},
			{"post_text", postgres.PostFilter{Search: search(t, "東京"), ScheduledFrom: a.now, ScheduledTo: far}},
			{"post_by_group", postgres.PostFilter{GroupID: ident.New[ident.Group]()}},
			{"post_external_id", postgres.PostFilter{ExternalID: "x"}},
			{"post_published", postgres.PostFilter{PublishedFrom: far}},
			{"post_by_workspace_updated", postgres.PostFilter{UpdatedSince: far}},
			{"post_by_status_created", postgres.PostFilter{Sort: post.EarlierChangedFirst, Statuses: []post.Status{post.Failed}}},
		} {
			for _, sort := range []post.Sort{post.NewestFirst, post.LatestFirst, post.EarlierChangedFirst} {
				f := c.filter
				if f.Sort == "" && (sort != post.EarlierChangedFirst || f.UpdatedSince.IsZero()) {
					f.Sort = sort
				}
				f.Limit = 26
				plan, err := a.posts.ExplainList(t.Context(), a.ws.ID, f)
				require.NoError(t, err)
				require.Contains(t, plan, " "+c.index+" ", "%s: %+v", state, f)
				require.NotContains(t, plan, "Seq Scan on post", "%s: %+v", state, f)
				requireAtMost(t, plan, `actual rows=(\d+)`, 6*many)
			}
		}
	}
}

// another returns another state.
func another(s post.Status) post.Status {
	if s == post.Draft {
		return post.Failed
	}
	return post.Draft
}
