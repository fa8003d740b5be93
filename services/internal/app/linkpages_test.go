package app_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func (b *bundle) linkPage(t *testing.T, p app.Principal, handle string) linkpage.Page {
	t.Helper()
	page, err := b.CreateLinkPage(t.Context(), p, linkpage.New{Handle: handle, Title: "Mara"})
	require.NoError(t, err)
	return page
}

func linkBlock(title string) linkpage.NewBlock {
	return linkpage.NewBlock{
		Type: "LINK", Settings: json.RawMessage(`{"title":"` + title + `","url":"https://a.example/"}`),
	}
}

func TestLinkPageLifecycle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.tenant(t.Context(), t)
	live := postgres.NewLivePages(b.db)
	page := b.linkPage(t, ours, "mara")
	page, one, err := b.AddLinkBlock(t.Context(), ours, page.ID, page.Revision, linkBlock("One"))
	require.NoError(t, err)
	page, two, err := b.AddLinkBlock(t.Context(), ours, page.ID, page.Revision, linkBlock("Two"))
	require.NoError(t, err)
	page, err = b.OrderLinkBlocks(t.Context(), ours, page.ID, page.Revision, []ident.LinkBlock{two.ID, one.ID})
	require.NoError(t, err)
	_, err = live.ByHandle(t.Context(), "mara")
	require.True(t, apperr.Is(err, apperr.NotFound), "edits go live only after publish")

	page, err = b.PublishLinkPage(t.Context(), ours, page.ID, page.Revision)
	require.NoError(t, err)
	shown, err := live.ByHandle(t.Context(), "mara")
	require.NoError(t, err)
	require.Equal(t, []linkpage.Block{two, one}, shown.Content.Blocks)

	title := "Another"
	page, err = b.EditLinkPage(t.Context(), ours, page.ID, 0, linkpage.Edit{Title: &title})
	require.NoError(t, err)
	page, edited, err := b.EditLinkBlock(t.Context(), ours, page.ID, one.ID, 0,
		linkpage.BlockEdit{Settings: linkBlock("Uno").Settings})
	require.NoError(t, err)
	require.Equal(t, "Uno", edited.Settings.Traits().Label)
	hidden := false
	page, _, err = b.EditLinkBlock(t.Context(), ours, page.ID, one.ID, 0, linkpage.BlockEdit{Visible: &hidden})
	require.NoError(t, err)
	page, err = b.DeleteLinkBlock(t.Context(), ours, page.ID, two.ID, 0)
	require.NoError(t, err)
	again, err := live.ByHandle(t.Context(), "mara")
	require.NoError(t, err)
	require.Equal(t, shown, again)

	_, err = b.EditLinkPage(t.Context(), ours, page.ID, page.Revision-1, linkpage.Edit{Title: &title})
	require.True(t, apperr.Is(err, apperr.PreconditionFailed), "another edit was first")
	read, err := b.LinkPage(t.Context(), ours, page.ID)
	require.NoError(t, err)
	require.Equal(t, page, read)
	all, err := b.LinkPages(t.Context(), ours)
	require.NoError(t, err)
	require.Equal(t, []linkpage.Summary{{
		ID: page.ID, Handle: "mara", Title: "Another", Blocks: 1, Revision: page.Revision, Live: true, LiveHandle: "mara",
		Unpublished: true,
		PublishedAt: page.Live.PublishedAt, CreatedAt: page.CreatedAt, UpdatedAt: page.UpdatedAt,
	}}, all)

	page, err = b.UnpublishLinkPage(t.Context(), ours, page.ID, 0)
	require.NoError(t, err)
	require.Nil(t, page.Live)
	_, err = live.ByHandle(t.Context(), "mara")
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = b.UnpublishLinkPage(t.Context(), ours, page.ID, 0)
	require.True(t, apperr.Is(err, apperr.InvalidState))
	all, err = b.LinkPages(t.Context(), ours)
	require.NoError(t, err)
	require.Zero(t, all[0].PublishedAt)
	require.False(t, all[0].Live)
	require.True(t, apperr.Is(b.DeleteLinkPage(t.Context(), ours, page.ID, page.Revision-1), apperr.PreconditionFailed))
	require.NoError(t, b.DeleteLinkPage(t.Context(), ours, page.ID, 0))
	_, err = b.LinkPage(t.Context(), ours, page.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
}

// TestForeignLinkPagesAreNotFound calls every use case with another tenant's page, block, asset and post.
func TestForeignLinkPagesAreNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.tenant(t.Context(), t), b.tenant(t.Context(), t)
	page := b.linkPage(t, theirs, "theirs")
	page, block, err := b.AddLinkBlock(t.Context(), theirs, page.ID, 0, linkBlock("One"))
	require.NoError(t, err)
	title := "Mine"
	calls := map[string]func() error{
		"get": func() error { _, err := b.LinkPage(t.Context(), ours, page.ID); return err },
		"edit": func() error {
			_, err := b.EditLinkPage(t.Context(), ours, page.ID, 0, linkpage.Edit{Title: &title})
			return err
		},
		"delete":    func() error { return b.DeleteLinkPage(t.Context(), ours, page.ID, 0) },
		"publish":   func() error { _, err := b.PublishLinkPage(t.Context(), ours, page.ID, 0); return err },
		"unpublish": func() error { _, err := b.UnpublishLinkPage(t.Context(), ours, page.ID, 0); return err },
		"analytics": func() error {
			_, err := b.LinkPageAnalytics(t.Context(), ours, page.ID, time.Time{}, time.Time{})
			return err
		},
		"add": func() error { _, _, err := b.AddLinkBlock(t.Context(), ours, page.ID, 0, linkBlock("x")); return err },
		"order": func() error {
			_, err := b.OrderLinkBlocks(t.Context(), ours, page.ID, 0, []ident.LinkBlock{block.ID})
			return err
		},
		"delete block": func() error { _, err := b.DeleteLinkBlock(t.Context(), ours, page.ID, block.ID, 0); return err },
		"edit block": func() error {
			_, _, err := b.EditLinkBlock(t.Context(), ours, page.ID, block.ID, 0, linkpage.BlockEdit{})
			return err
		},
	}
	for name, call := range calls {
		require.True(t, apperr.Is(call(), apperr.NotFound), name)
	}
	mine := b.linkPage(t, ours, "ours")
	_, _, err = b.EditLinkBlock(t.Context(), ours, mine.ID, block.ID, 0, linkpage.BlockEdit{})
	require.True(t, apperr.Is(err, apperr.NotFound), "their block on our page")
	none, err := b.LinkPages(t.Context(), b.tenant(t.Context(), t))
	require.NoError(t, err)
	require.Empty(t, none)
	read, err := b.LinkPage(t.Context(), theirs, page.ID)
	require.NoError(t, err)
	require.Equal(t, page, read, "untouched")
}

// TestLinkPageReferencesAreChecked checks that references must exist, belong to the workspace, and be images where an image is
// shown.
func TestLinkPageReferencesAreChecked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.tenant(t.Context(), t), b.tenant(t.Context(), t)
	asset := func(p app.Principal, typ media.Type) ident.Media {
		return postgrestest.Asset(t, b.db, media.Asset{
			ID: ident.New[ident.Media](), WorkspaceID: p.WorkspaceID, Name: "a", Type: typ, ContentType: "image/png", Size: 1,
			CreatedAt: start,
		}).ID
	}
	postOf := func(p app.Principal) ident.Post {
		posts, err := b.CreatePosts(t.Context(), p,
			app.CreatePosts{
				ChannelIDs: []ident.Channel{b.channel(t.Context(), t, p, "UTC").ID}, Content: "Hello",
				ContentType: post.ContentPost, Schedule: app.Schedule{Kind: app.ScheduleDraft},
			})
		require.NoError(t, err)
		return posts[0].ID
	}
	page := b.linkPage(t, ours, "mara")
	link := func(id ident.Media) linkpage.NewBlock {
		return linkpage.NewBlock{
			Type:     "LINK",
			Settings: json.RawMessage(`{"title":"A","url":"https://a.example/","imageMediaId":"` + id.String() + `"}`),
		}
	}
	card := func(id ident.Post) linkpage.NewBlock {
		return linkpage.NewBlock{Type: "POST_CARD", Settings: json.RawMessage(`{"postId":"` + id.String() + `"}`)}
	}
	for name, c := range map[string]struct {
		block linkpage.NewBlock
		want  apperr.Code // empty: accepted
	}{
		"our picture": {link(asset(ours, media.Image)), ""}, "our GIF": {link(asset(ours, media.GIF)), ""},
		"our post":      {card(postOf(ours)), ""},
		"their picture": {link(asset(theirs, media.Image)), apperr.NotFound},
		"no picture":    {link(ident.New[ident.Media]()), apperr.NotFound},
		"a video":       {link(asset(ours, media.Video)), apperr.ValidationFailed},
		"a document":    {link(asset(ours, media.Document)), apperr.ValidationFailed},
		"their post":    {card(postOf(theirs)), apperr.NotFound}, "no post": {card(ident.New[ident.Post]()), apperr.NotFound},
	} {
		_, _, err := b.AddLinkBlock(t.Context(), ours, page.ID, 0, c.block)
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, c.want, apperr.CodeOf(err), "%s: %v", name, err)
	}
	video, foreign := asset(ours, media.Video), asset(theirs, media.Image)
	_, err := b.EditLinkPage(t.Context(), ours, page.ID, 0, linkpage.Edit{SEO: &linkpage.SEOEdit{Image: &video}})
	require.ErrorContains(t, err, "/seo/imageMediaId must be a picture")
	_, err = b.EditLinkPage(t.Context(), ours, page.ID, 0, linkpage.Edit{Theme: &linkpage.ThemeEdit{Avatar: &video}})
	require.ErrorContains(t, err, "/theme/avatarMediaId must be a picture")
	_, err = b.EditLinkPage(t.Context(), ours, page.ID, 0, linkpage.Edit{Theme: &linkpage.ThemeEdit{Avatar: &foreign}})
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = b.CreateLinkPage(t.Context(), ours,
		linkpage.New{Handle: "second", Title: "A", Theme: linkpage.Theme{Avatar: foreign}})
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = b.CreateLinkPage(t.Context(), ours,
		linkpage.New{Handle: "second", Title: "A", Theme: linkpage.Theme{Avatar: video}, SEO: linkpage.SEO{Image: video}})
	require.ErrorContains(t, err, "/seo/imageMediaId must be a picture")
	require.ErrorContains(t, err, "/theme/avatarMediaId must be a picture")
	gone := postOf(ours)
	_, kept, err := b.AddLinkBlock(t.Context(), ours, page.ID, 0, card(gone))
	require.NoError(t, err)
	require.NoError(t, b.DeletePost(t.Context(), ours, gone))
	_, _, err = b.EditLinkBlock(t.Context(), ours, page.ID, kept.ID, 0,
		linkpage.BlockEdit{Settings: json.RawMessage(`{"caption":"x"}`)})
	require.NoError(t, err, "what it refers to was there when it was added")
	_, _, err = b.EditLinkBlock(t.Context(), ours, page.ID, kept.ID, 0,
		linkpage.BlockEdit{Settings: card(postOf(theirs)).Settings})
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = b.CreateLinkPage(t.Context(), ours, linkpage.New{Handle: "mara", Title: "A"})
	require.ErrorContains(t, err, "/handle is taken")
	_, err = b.CreateLinkPage(t.Context(), ours, linkpage.New{})
	require.True(t, apperr.Is(err, apperr.ValidationFailed))
}

func TestLinkPageAnalytics(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.tenant(t.Context(), t)
	page := b.linkPage(t, ours, "mara")
	page, one, err := b.AddLinkBlock(t.Context(), ours, page.ID, 0, linkBlock("One"))
	require.NoError(t, err)
	deleted := ident.New[ident.LinkBlock]()
	require.NoError(t, postgres.NewVisits(b.db).Add(t.Context(), postgres.VisitBatch{
		ID: uuid.New(),
		Views: []postgres.ViewCount{
			{PageID: page.ID, Day: "2024-03-01", Views: 5, Bots: 9},
			{PageID: page.ID, Day: "2024-02-28", Views: 2},
			{PageID: page.ID, Day: "2023-01-01", Views: 100},
		},
		Visitors: []postgres.VisitorSeen{
			{
				PageID: page.ID, Day: "2024-03-01", Visitor: "00112233445566778899aabbccddeeff",
				Source: "ffeeddccbbaa99887766554433221100",
			},
		},
		Clicks: []postgres.ClickCount{
			{PageID: page.ID, BlockID: deleted, Day: "2024-02-28", Clicks: 1},
			{PageID: page.ID, BlockID: one.ID, Day: "2024-02-28", Clicks: 2},
			{PageID: page.ID, BlockID: one.ID, Day: "2024-03-01", Clicks: 1},
		},
	}))
	report, err := b.LinkPageAnalytics(t.Context(), ours, page.ID, time.Time{}, time.Time{})
	require.NoError(t, err)
	require.Equal(t, []int64{7, 1, 4}, []int64{report.Views, report.Visitors, report.Clicks})
	day := func(m time.Month, d int) time.Time { return time.Date(2024, m, d, 0, 0, 0, 0, time.UTC) }
	require.Len(t, report.Days, 30)
	require.Equal(t, []linkpage.DayVisits{
		{Day: day(time.February, 28), Views: 2, Clicks: 3},
		{Day: day(time.February, 29)},
		{Day: day(time.March, 1), Views: 5, Visitors: 1, Clicks: 1},
	}, report.Days[27:])
	require.Equal(t, []linkpage.BlockClicks{
		{
			BlockID: one.ID, Type: "LINK", Label: "One", Clicks: 3,
			Days: []linkpage.DayClicks{{Day: day(time.February, 28), Clicks: 2}, {Day: day(time.March, 1), Clicks: 1}},
		},
		{BlockID: deleted, Clicks: 1, Days: []linkpage.DayClicks{{Day: day(time.February, 28), Clicks: 1}}},
	}, report.Blocks)

	_, err = b.LinkPageAnalytics(t.Context(), ours, page.ID, day(time.March, 1), day(time.February, 1))
	require.True(t, apperr.Is(err, apperr.ValidationFailed))
	free := ours
	free.Plan = workspace.Free
	_, err = b.LinkPageAnalytics(t.Context(), free, page.ID, time.Time{}, time.Time{})
	require.True(t, apperr.Is(err, apperr.QuotaExceeded))
}
