package linkpage_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// blocks returns a page with text blocks.
func blocks(t *testing.T, texts ...string) linkpage.Page {
	t.Helper()
	page, err := linkpage.Create(linkpage.New{Handle: "mara", Title: "Mara"}, at)
	require.NoError(t, err)
	for _, text := range texts {
		raw, err := json.Marshal(map[string]string{"text": text})
		require.NoError(t, err)
		page, _, err = page.AddBlock(linkpage.NewBlock{Type: "TEXT", Settings: raw}, at)
		require.NoError(t, err)
	}
	return page
}

var at = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

func order(page linkpage.Page) string {
	labels := make([]string, len(page.Draft.Blocks))
	for i, b := range page.Draft.Blocks {
		labels[i] = b.Settings.Traits().Label
	}
	return strings.Join(labels, "")
}

func TestBlocksMoveByNeighbours(t *testing.T) {
	t.Parallel()
	page := blocks(t, "a", "b", "c", "d")
	id := func(n int) ident.LinkBlock { return page.Draft.Blocks[n].ID }
	for _, c := range []struct {
		block, after ident.LinkBlock
		want         string
	}{
		{id(0), id(2), "bcad"},
		{id(3), ident.LinkBlock{}, "dabc"},
		{id(1), id(3), "acdb"},
		{id(2), id(1), "abcd"},
		{id(2), id(2), "abcd"},
	} {
		next, err := page.MoveBlock(c.block, c.after, at)
		require.NoError(t, err)
		require.Equal(t, c.want, order(next))
		require.Equal(t, c.want != "abcd", next.Revision > page.Revision)
	}
	for _, c := range []struct {
		n    int
		up   bool
		want string
	}{{0, true, "abcd"}, {0, false, "bacd"}, {3, true, "abdc"}, {3, false, "abcd"}} {
		next, err := page.ShiftBlock(id(c.n), c.up, at)
		require.NoError(t, err)
		require.Equal(t, c.want, order(next))
	}
	other := ident.New[ident.LinkBlock]()
	_, err := page.MoveBlock(other, id(0), at)
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = page.MoveBlock(id(0), other, at)
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = page.ShiftBlock(other, true, at)
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.Equal(t, "abcd", order(page), "the page before is not changed")
}

func TestBlockWithIDIsAddedOnce(t *testing.T) {
	t.Parallel()
	page := blocks(t)
	in := linkpage.NewBlock{ID: ident.New[ident.LinkBlock](), Type: "TEXT", Settings: []byte(`{"text":"a"}`)}
	once, block, err := page.AddBlock(in, at)
	require.NoError(t, err)
	require.Equal(t, in.ID, block.ID)
	twice, same, err := once.AddBlock(in, at)
	require.NoError(t, err)
	require.Equal(t, once, twice)
	require.Equal(t, block, same)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	page := blocks(t, "a", "b", "c")
	require.Equal(t, 3, page.Compare().Count(), "everything is new")
	page = page.Publish(at)
	require.True(t, page.Compare().Empty())
	title, bio, name := "Another", "Text", linkpage.ThemeOcean
	handle, hidden, until := "other", false, at.Add(time.Hour)
	next, err := page.Edit(linkpage.Edit{
		Handle: &handle, Title: &title, Bio: &bio, SEO: &linkpage.SEOEdit{Title: &title}, Theme: &linkpage.ThemeEdit{Name: &name},
	}, at)
	require.NoError(t, err)
	a, b, c := page.Draft.Blocks[0], page.Draft.Blocks[1], page.Draft.Blocks[2]
	next, _, err = next.EditBlock(a.ID, linkpage.BlockEdit{
		Settings: []byte(`{"text":"x","align":"CENTER"}`), Visible: &hidden, ShowFrom: &at, ShowUntil: &until,
	}, at)
	require.NoError(t, err)
	next, err = next.RemoveBlock(b.ID, at)
	require.NoError(t, err)
	next, err = next.MoveBlock(c.ID, ident.LinkBlock{}, at)
	require.NoError(t, err)
	next, added, err := next.AddBlock(linkpage.NewBlock{Type: "TEXT", Settings: []byte(`{"text":"new"}`)}, at)
	require.NoError(t, err)
	changed, _ := next.Draft.Block(a.ID)
	require.Equal(t, linkpage.Comparison{
		Fields: []string{"handle", "title", "bio", "seo", "theme"}, Added: []linkpage.Block{added}, Removed: []linkpage.Block{b}, Reordered: true,
		Changed: []linkpage.BlockChange{{changed, a, []string{"text", "align", "visible", "showFrom", "showUntil"}}},
	}, next.Compare())
	require.Equal(t, 9, next.Compare().Count())

	discarded, err := next.Discard(at)
	require.NoError(t, err)
	require.Equal(t, page.Draft, discarded.Draft)
	require.Equal(t, "mara", discarded.Handle)
	require.False(t, discarded.Changed())
	require.Greater(t, discarded.Revision, next.Revision)
	same, err := discarded.Discard(at)
	require.NoError(t, err)
	require.Equal(t, discarded, same)
	_, err = blocks(t).Discard(at)
	require.True(t, apperr.Is(err, apperr.InvalidState))
}
