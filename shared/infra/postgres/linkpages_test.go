package postgres_test

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// linkPage stores a page of the bundle's workspace.
func (b *bundle) linkPage(t *testing.T, handle string) linkpage.Page {
	t.Helper()
	page, err := linkpage.Create(linkpage.New{
		WorkspaceID: b.ws.ID, Handle: handle, Title: "Mara \"<b>\" ünï 🎈", Bio: "a\nb",
	}, b.now)
	require.NoError(t, err)
	require.NoError(t, postgres.NewLinkPages(b.db).Insert(t.Context(), page))
	return page
}

// changePage changes a page and reads it again.
func (b *bundle) changePage(
	t *testing.T, id ident.LinkPage, decide func(linkpage.Page) (linkpage.Page, error),
) linkpage.Page {
	t.Helper()
	store := postgres.NewLinkPages(b.db)
	changed, err := store.Change(t.Context(), b.ws.ID, id,
		func(_ context.Context, p linkpage.Page) (linkpage.Page, error) { return decide(p) })
	require.NoError(t, err)
	read, err := store.Get(t.Context(), b.ws.ID, id)
	require.NoError(t, err)
	require.Equal(t, changed, read)
	return read
}

func (b *bundle) publish(p linkpage.Page) (linkpage.Page, error) { return p.Publish(b.now), nil }

func TestLinkPagesRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, live := postgres.NewLinkPages(b.db), postgres.NewLivePages(b.db)
	image := b.asset(t, b.ws.ID, media.Image)
	page := b.linkPage(t, "mara")
	got, err := store.Get(t.Context(), b.ws.ID, page.ID)
	require.NoError(t, err)
	require.Equal(t, page, got)
	_, err = live.ByHandle(t.Context(), "mara")
	require.True(t, apperr.Is(err, apperr.NotFound), "a draft is not public")

	var block linkpage.Block
	page = b.changePage(t, page.ID, func(p linkpage.Page) (next linkpage.Page, err error) {
		next, block, err = p.AddBlock(linkpage.NewBlock{
			Type: "LINK", Settings: json.RawMessage(`{"title":"A","url":"https://a.example/","imageMediaId":"` +
				image.ID.String() + `"}`),
			ShowFrom: b.now, ShowUntil: b.now.Add(time.Hour),
		}, b.now)
		return next, err
	})
	require.Equal(t, 2, page.Revision)
	page = b.changePage(t, page.ID, b.publish)
	shown, err := live.ByHandle(t.Context(), "mara")
	require.NoError(t, err)
	require.Equal(t, postgres.LivePage{ID: page.ID, WorkspaceID: b.ws.ID, Live: *page.Live}, shown)
	byBlock, err := live.ByBlock(t.Context(), block.ID)
	require.NoError(t, err)
	require.Equal(t, shown, byBlock)
	_, err = live.ByBlock(t.Context(), ident.New[ident.LinkBlock]())
	require.True(t, apperr.Is(err, apperr.NotFound))
	versions, err := live.Versions(t.Context(), []string{"mara", "unknown"})
	require.NoError(t, err)
	require.Equal(t, map[string]postgres.LiveVersion{"mara": {PageID: page.ID, Version: 1}}, versions)
	all, err := store.List(t.Context(), b.ws.ID)
	require.NoError(t, err)
	require.Equal(t, []linkpage.Summary{{
		ID: page.ID, Handle: "mara", Title: page.Draft.Title, Blocks: 1, Revision: 3, Live: true, LiveHandle: "mara",
		PublishedAt: page.Live.PublishedAt, CreatedAt: page.CreatedAt, UpdatedAt: page.UpdatedAt,
	}}, all)
}

func TestForeignLinkPagesAreNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, other := postgres.NewLinkPages(b.db), b.tenant(t)
	page := b.linkPage(t, "mara")
	_, err := store.Get(t.Context(), other.ID, page.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = store.Change(t.Context(), other.ID, page.ID, func(context.Context, linkpage.Page) (linkpage.Page, error) {
		require.Fail(t, "nothing to decide")
		return linkpage.Page{}, nil
	})
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.True(t, apperr.Is(store.Delete(t.Context(), other.ID, page.ID, 0), apperr.NotFound))
	none, err := store.List(t.Context(), other.ID)
	require.NoError(t, err)
	require.Empty(t, none)
	orphan, err := linkpage.Create(linkpage.New{WorkspaceID: ident.New[ident.Workspace](), Handle: "orphan", Title: "A"},
		b.now)
	require.NoError(t, err)
	require.True(t, apperr.Is(store.Insert(t.Context(), orphan), apperr.NotFound))
}

// TestHandlesAreUniqueServiceWide checks that a page holds a handle while its draft or its live version uses it.
func TestHandlesAreUniqueServiceWide(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewLinkPages(b.db)
	first, second := b.linkPage(t, "first"), b.linkPage(t, "second")
	b.changePage(t, first.ID, b.publish)
	rename := func(handle string) func(linkpage.Page) (linkpage.Page, error) {
		return func(p linkpage.Page) (linkpage.Page, error) { return p.Edit(linkpage.Edit{Handle: &handle}, b.now) }
	}
	taken := func(id ident.LinkPage, handle string) {
		_, err := store.Change(t.Context(), b.ws.ID, id,
			func(_ context.Context, p linkpage.Page) (linkpage.Page, error) { return rename(handle)(p) })
		require.ErrorContains(t, err, "/handle is taken")
	}
	taken(second.ID, "first")
	b.changePage(t, first.ID, rename("third"))
	taken(second.ID, "first") // still live there
	taken(second.ID, "third")
	b.changePage(t, first.ID, b.publish)
	b.changePage(t, second.ID, rename("first")) // free now
	_, err := postgres.NewLivePages(b.db).ByHandle(t.Context(), "first")
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.Equal(t, []string{"first", "third"},
		postgrestest.Column(t, b.address, `SELECT handle FROM link_page_handle ORDER BY 1`))

	require.NoError(t, store.Delete(t.Context(), b.ws.ID, first.ID, 0))
	require.Equal(t, []string{"first"}, postgrestest.Column(t, b.address, `SELECT handle FROM link_page_handle`))
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT handle FROM link_page_live`))
	require.True(t, apperr.Is(store.Delete(t.Context(), b.ws.ID, first.ID, 0), apperr.NotFound))
	require.NoError(t, postgrestest.Try(t, b.address, `DELETE FROM workspace WHERE id = $1`, b.tenant(t).ID.String()))
}

// TestHandleIsTakenOnce checks that of many concurrent requests for a handle, one gets it.
func TestHandleIsTakenOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var group sync.WaitGroup
	var won atomic.Int32
	for range 12 {
		group.Go(func() {
			page, err := linkpage.Create(linkpage.New{WorkspaceID: b.ws.ID, Handle: "wanted", Title: "A"}, b.now)
			if err == nil {
				err = postgres.NewLinkPages(b.db).Insert(t.Context(), page)
			}
			switch {
			case err == nil:
				won.Add(1)
			case !apperr.Is(err, apperr.ValidationFailed):
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 1, won.Load())
	require.Equal(t, []string{"1"}, postgrestest.Column(t, b.address, `SELECT count(*)::text FROM link_page`))
}

func TestLinkPagesAreLimitedByPlan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	free := b.tenant(t)
	var group sync.WaitGroup
	var created, refused atomic.Int32
	for i := range 6 {
		group.Go(func() {
			page, err := linkpage.Create(linkpage.New{WorkspaceID: free.ID, Handle: "page-" + strconv.Itoa(i), Title: "A"},
				b.now)
			if err == nil {
				err = postgres.NewLinkPages(b.db).Insert(t.Context(), page)
			}
			switch {
			case err == nil:
				created.Add(1)
			case apperr.Is(err, apperr.QuotaExceeded):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.EqualValues(t, workspace.Free.Limits().LinkPages, created.Load())
	require.EqualValues(t, 5, refused.Load())
}

// TestAssetsOfPagesCannotBeDeleted checks that, while the draft or the live version shows them.
func TestAssetsOfPagesCannotBeDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	assets, image := postgres.NewMedia(b.db), b.asset(t, b.ws.ID, media.Image)
	page := b.linkPage(t, "mara")
	picture := func(id ident.Media) func(linkpage.Page) (linkpage.Page, error) {
		return func(p linkpage.Page) (linkpage.Page, error) {
			return p.Edit(linkpage.Edit{Theme: &linkpage.ThemeEdit{Avatar: &id}}, b.now)
		}
	}
	b.changePage(t, page.ID, picture(image.ID))
	b.changePage(t, page.ID, b.publish)
	b.changePage(t, page.ID, picture(ident.Media{}))
	require.Equal(t, []apperr.Reference{{Type: "LINK_PAGE", ID: page.ID.String(), Name: "/mara"}}, b.uses(t, image.ID),
		"visitors see it")
	_, err := assets.Delete(t.Context(), b.ws.ID, image.ID)
	require.True(t, apperr.Is(err, apperr.MediaInUse))
	b.changePage(t, page.ID, b.publish)
	require.Empty(t, b.uses(t, image.ID))

	store, other := postgres.NewLinkPages(b.db), b.asset(t, b.tenant(t).ID, media.Image)
	for _, id := range []ident.Media{other.ID, ident.New[ident.Media]()} {
		_, err = store.Change(t.Context(), b.ws.ID, page.ID,
			func(_ context.Context, p linkpage.Page) (linkpage.Page, error) { return picture(id)(p) })
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	}
	b.changePage(t, page.ID, picture(image.ID))
	require.NoError(t, store.Delete(t.Context(), b.ws.ID, page.ID, 0))
	_, err = assets.Delete(t.Context(), b.ws.ID, image.ID)
	require.NoError(t, err)
}

// TestConcurrentPageChangesAreSerialized checks that no concurrent edit is lost.
func TestConcurrentPageChangesAreSerialized(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page := b.linkPage(t, "mara")
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			_, err := postgres.NewLinkPages(b.db).Change(t.Context(), b.ws.ID, page.ID,
				func(_ context.Context, p linkpage.Page) (linkpage.Page, error) {
					if i%5 == 0 {
						return p.Publish(b.now), nil
					}
					next, _, err := p.AddBlock(linkpage.NewBlock{Type: "SECTION", Settings: json.RawMessage(`{"title":"x"}`)}, b.now)
					return next, err
				})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	got, err := postgres.NewLinkPages(b.db).Get(t.Context(), b.ws.ID, page.ID)
	require.NoError(t, err)
	require.Len(t, got.Draft.Blocks, 16)
	require.Equal(t, 17+got.Versions, got.Revision)
	require.NotNil(t, got.Live)
}

func TestPostsShownByPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.scheduled(t)
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	change, err := job.Post.Complete("https://x.com/a/1", true, b.now)
	published := apply(t, b, change, err)
	foreign, err := postgres.NewLivePages(b.db).Posts(t.Context(), b.tenant(t).ID, []ident.Post{published.ID})
	require.NoError(t, err)
	require.Empty(t, foreign)
	draft := b.draft(t, post.Options{})
	posts, err := postgres.NewLivePages(b.db).Posts(t.Context(), b.ws.ID,
		[]ident.Post{published.ID, draft.ID, ident.New[ident.Post]()})
	require.NoError(t, err)
	require.Equal(t, map[ident.Post]postgres.ShownPost{published.ID: {
		ID: published.ID, Content: published.Content, PostURL: "https://x.com/a/1", PublishedAt: published.PublishedAt,
		Channel: "TWITTER", Name: "Acme on X", Username: "acme",
	}}, posts)
}
