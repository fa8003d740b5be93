package app_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/source"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// site is a site with a feed.
type site struct {
	*httptest.Server

	mu       sync.Mutex
	items    []string // titles, newest first
	status   int      // 0: it has a feed
	requests int      // requests that got the feed
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		tag := fmt.Sprintf(`"%d"`, len(s.items))
		w.Header().Set("ETag", tag)
		switch {
		case s.status != 0:
			w.WriteHeader(s.status)
		case r.Header.Get("If-None-Match") == tag:
			w.WriteHeader(http.StatusNotModified)
		default:
			s.requests++
			var list strings.Builder
			for _, title := range s.items {
				_, _ = fmt.Fprintf(&list, "<item><title>%s</title><link>https://example.com/%s</link></item>", title, title)
			}
			_, _ = fmt.Fprintf(w, "<rss version=\"2.0\"><channel><title>News</title>%s</channel></rss>", list.String())
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// set changes the site.
func (s *site) set(status int, items ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
	s.items = append(append([]string{}, items...), s.items...)
}

// subscribed returns a workspace with a feed that was just added.
func subscribed(t *testing.T, newest bool, items ...string) (*bundle, app.Principal, *site, source.Source) {
	t.Helper()
	b := setup(t)
	b.App = b.useCases(t, egress.PolicyConfig{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	p, s := b.editor(t, b.tenant(t.Context(), t)), newSite(t)
	s.set(0, items...)
	of := b.channel(t.Context(), t, p, "UTC")
	require.NoError(t, b.AddSource(t.Context(), p, source.Source{
		URL: s.URL + "/feed", Template: source.DefaultTemplate, Channels: []ident.Channel{of.ID},
	}, newest))
	list, err := b.Sources(t.Context(), p)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "News", list[0].Title)
	return b, p, s, list[0]
}

// drafts returns the texts of the posts, oldest first, which all are drafts.
func (b *bundle) drafts(t *testing.T, p app.Principal) (texts []string) {
	t.Helper()
	found, err := b.Posts(t.Context(), p, postgres.PostFilter{Sort: post.OldestFirst, Limit: 100})
	require.NoError(t, err)
	for _, one := range found {
		require.Equal(t, post.Draft, one.Status)
		require.Equal(t, p.Person.ID, one.AuthorID)
		texts = append(texts, one.Content)
	}
	return texts
}

func (b *bundle) later(t *testing.T) {
	t.Helper()
	b.clock.Advance(time.Hour)
	require.NoError(t, b.ReadSources(t.Context()))
}

// TestItemsBecomeDraftsOnce reads a feed in two processes at once, after failures, and when nothing has changed. Each item becomes
// one draft, oldest first, some at a time.
func TestItemsBecomeDraftsOnce(t *testing.T) {
	t.Parallel()
	b, p, s, of := subscribed(t, true, "b", "a")
	require.Equal(t, []string{"b\n\nhttps://example.com/b"}, b.drafts(t, p))
	b.later(t)
	require.Len(t, b.drafts(t, p), 1)
	require.Equal(t, 1, s.requests, "unchanged")

	s.set(0, "d", "c")
	b.clock.Advance(time.Hour)
	var both sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		both.Go(func() {
			if i == 2 {
				_, errs[i] = b.ReadSource(t.Context(), p, of.ID)
				return
			}
			errs[i] = b.ReadSources(t.Context())
		})
	}
	both.Wait()
	require.NoError(t, errors.Join(errs...))
	require.ElementsMatch(t, []string{"b\n\nhttps://example.com/b", "c\n\nhttps://example.com/c", "d\n\nhttps://example.com/d"}, b.drafts(t, p))

	var many []string
	for n := range source.MostDrafts + 3 {
		many = append(many, fmt.Sprintf("n%02d", n))
	}
	s.set(0, many...)
	b.later(t)
	require.Len(t, b.drafts(t, p), 3+source.MostDrafts)
	require.Contains(t, b.drafts(t, p)[3], "n12", "the oldest first")
	b.later(t)
	require.Len(t, b.drafts(t, p), 3+len(many), "the others follow")
	postgrestest.Exec(t, b.address, `DELETE FROM post`)
	postgrestest.Exec(t, b.address, `UPDATE source SET etag = ''`)
	b.later(t)
	require.Empty(t, b.drafts(t, p), "deleted drafts stay deleted")
}

// TestFailingFeeds checks that failures are said, that a feed that fails for a day is paused, and that it can be resumed.
func TestFailingFeeds(t *testing.T) {
	t.Parallel()
	b, p, s, of := subscribed(t, false, "b", "a")
	require.Empty(t, b.drafts(t, p))
	s.set(http.StatusNotFound, "c")
	for range source.MaxFailures {
		b.later(t)
	}
	read := func() source.Source {
		found, err := b.Source(t.Context(), p, of.ID)
		require.NoError(t, err)
		return found
	}
	require.True(t, read().Paused)
	require.Contains(t, read().Fault, "404")
	s.set(0)
	b.later(t)
	require.Empty(t, b.drafts(t, p), "paused")
	require.NoError(t, b.PauseSource(t.Context(), p, of.ID, false))
	b.later(t)
	require.Len(t, b.drafts(t, p), 1)
	require.Empty(t, read().Fault)
	require.False(t, read().Paused)

	postgrestest.Exec(t, b.address, `DELETE FROM workspace_member WHERE user_id = $1`, p.Person.ID.String())
	s.set(0, "d")
	b.later(t)
	require.Contains(t, read().Fault, "left the workspace")
}

// TestWrongFeeds checks that feeds of private addresses, foreign channels and other workspaces are refused.
func TestWrongFeeds(t *testing.T) {
	t.Parallel()
	b, p, s, of := subscribed(t, false, "a")
	ctx := t.Context()
	theirs := b.editor(t, b.tenant(ctx, t))
	foreign := b.channel(ctx, t, theirs, "UTC")
	again := source.Source{URL: s.URL + "/feed", Template: source.DefaultTemplate, Channels: of.Channels}
	require.ErrorContains(t, b.AddSource(ctx, p, again, false), "another feed")
	again.URL, again.Channels = s.URL+"/other", []ident.Channel{foreign.ID}
	require.Equal(t, "/channels", apperr.FieldsOf(b.AddSource(ctx, p, again, false))[0].Pointer)
	again.Channels = of.Channels
	strict := b.useCases(t, egress.PolicyConfig{})
	for _, address := range []string{s.URL, "http://10.0.0.1/feed", "http://[fd00::1]/", "http://169.254.169.254/latest/meta-data"} {
		again.URL = address
		err := strict.AddSource(ctx, p, again, false)
		require.Equal(t, "/url", apperr.FieldsOf(err)[0].Pointer, address)
	}
	require.True(t, apperr.Is(b.DeleteSource(ctx, theirs, of.ID), apperr.NotFound))
	require.True(t, apperr.Is(b.PauseSource(ctx, theirs, of.ID, true), apperr.NotFound))
	_, err := b.ReadSource(ctx, theirs, of.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.NoError(t, b.DeleteSource(ctx, p, of.ID))
}
