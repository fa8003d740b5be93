package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// stored stores an asset with a name and a size.
func (b *bundle) stored(t *testing.T, name string, kind media.Type, size int64) media.Asset {
	t.Helper()
	return postgrestest.Asset(t, b.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: b.ws.ID, Name: name, Type: kind, ContentType: "image/png", Size: size,
		CreatedAt: b.now,
	})
}

// TestMediaInEveryOrder pages through a library in each order, also within a search.
func TestMediaInEveryOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewMedia(b.db)
	names := []string{"kiln b.png", "Kiln a.png", "kiln a.png", "kiln c.png"}
	var all []media.Asset
	for i, name := range names {
		all = append(all, b.stored(t, name, media.Image, []int64{5, 9, 5, 7}[i]))
	}
	search, message := post.ParseSearch("kiln")
	require.Empty(t, message)
	for sort, want := range map[postgres.MediaSort][]int{
		postgres.NewestMedia: {3, 2, 1, 0}, postgres.OldestMedia: {0, 1, 2, 3}, postgres.LargestMedia: {1, 3, 2, 0},
		postgres.MediaByName: {1, 2, 0, 3},
	} {
		for _, searching := range []bool{false, true} {
			filter := postgres.MediaFilter{Sort: sort, Limit: 1}
			if searching {
				filter.Search = search
			}
			for _, i := range want {
				page, err := store.List(t.Context(), b.ws.ID, filter)
				require.NoError(t, err)
				require.Len(t, page, 1, sort)
				require.Equal(t, all[i].Name, page[0].Name, sort)
				filter.Before, filter.AfterSize, filter.AfterName = page[0].ID, page[0].Size, page[0].Name
			}
			page, err := store.List(t.Context(), b.ws.ID, filter)
			require.NoError(t, err)
			require.Empty(t, page)
		}
	}
}

// TestMediaCounts counts what uses assets, and the assets without uses and without a text, per workspace.
func TestMediaCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, references := postgres.NewMedia(b.db), postgres.NewReferences(b.db)
	used, unused := b.stored(t, "a.png", media.Image, 5), b.stored(t, "b.mp4", media.Video, 5)
	document := b.stored(t, "c.pdf", media.Document, 5)
	b.asset(t, b.tenant(t).ID, media.Image)
	text := "Bowls"
	_, err := store.Edit(t.Context(), b.ws.ID, used.ID, media.Edit{AltText: &text})
	require.NoError(t, err)
	var posts []ident.Post
	for range 3 {
		change := b.newPost(t, "", "Bowls", used.ID)
		require.NoError(t, b.posts.Insert(t.Context(), []post.Change{change}))
		posts = append([]ident.Post{change.Post.ID}, posts...)
	}
	require.NoError(t, references.Set(t.Context(), postgres.Owner{
		WorkspaceID: b.ws.ID, Type: media.OwnerWorkspaceLogo, ID: b.ws.ID.String(),
	}, []ident.Media{used.ID}))

	counts, err := store.Count(t.Context(), b.ws.ID)
	require.NoError(t, err)
	require.Equal(t, postgres.MediaCounts{
		All: 3, Unused: 2, Untold: 1, ByType: map[media.Type]int{media.Image: 1, media.Video: 1, media.Document: 1},
	}, counts)
	list := func(f postgres.MediaFilter) (names []string) {
		f.Limit = 10
		found, err := store.List(t.Context(), b.ws.ID, f)
		require.NoError(t, err)
		for _, a := range found {
			names = append(names, a.Name)
		}
		return names
	}
	require.Equal(t, []string{"c.pdf", "b.mp4"}, list(postgres.MediaFilter{Unused: true}))
	require.Equal(t, []string{"b.mp4"}, list(postgres.MediaFilter{Untold: true}))
	require.Empty(t, list(postgres.MediaFilter{Ready: true}))
	require.NoError(t, store.Processed(t.Context(), document, b.now.Add(time.Second)))
	require.Equal(t, []string{"c.pdf"}, list(postgres.MediaFilter{Ready: true}))

	uses, err := references.Counts(t.Context(), b.ws.ID, []ident.Media{used.ID, unused.ID})
	require.NoError(t, err)
	require.Equal(t, map[ident.Media]map[media.OwnerType]int{
		used.ID: {media.OwnerPost: 3, media.OwnerWorkspaceLogo: 1},
	}, uses)
	foreign := b.tenant(t).ID
	uses, err = references.Counts(t.Context(), foreign, []ident.Media{used.ID})
	require.NoError(t, err)
	require.Empty(t, uses)
	for states, want := range map[post.Status][]ident.Post{post.Draft: posts[:2], post.Scheduled: {}} {
		found, err := references.Posts(t.Context(), b.ws.ID, used.ID, []post.Status{states}, 2)
		require.NoError(t, err)
		require.Equal(t, want, found)
		found, err = references.Posts(t.Context(), foreign, used.ID, []post.Status{states}, 2)
		require.NoError(t, err)
		require.Empty(t, found)
	}
}

// TestMediaLabels gives files labels, finds files by them, and renames, merges and deletes labels.
func TestMediaLabels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, labels, other := postgres.NewMedia(b.db), postgres.NewLabels(b.db), b.tenant(t).ID
	bowls, mugs, plain := b.stored(t, "a.png", media.Image, 5), b.stored(t, "b.png", media.Image, 5), b.stored(t, "c.png", media.Image, 5)
	theirs := b.asset(t, other, media.Image)
	give := func(of ident.Workspace, id ident.Media, names ...string) {
		t.Helper()
		got, err := store.Edit(t.Context(), of, id, media.Edit{Labels: &names})
		require.NoError(t, err)
		require.ElementsMatch(t, names, got.Labels)
	}
	give(b.ws.ID, bowls.ID, "Spring 50%", "Évents")
	give(b.ws.ID, mugs.ID, "Évents", "Kiln")
	give(other, theirs.ID, "Évents")
	_, err := store.Edit(t.Context(), other, bowls.ID, media.Edit{Labels: &[]string{"Stolen"}})
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	known, err := labels.List(t.Context(), other)
	require.NoError(t, err)
	require.Equal(t, []post.Label{post.NewLabel("Évents")}, known, "nothing of a refused change")
	list := func(of ident.Workspace, query string, names ...string) (found []string) {
		t.Helper()
		f := postgres.MediaFilter{Labels: names, Limit: 10}
		if query != "" {
			f.Search, _ = post.ParseSearch(query)
		}
		assets, err := store.List(t.Context(), of, f)
		require.NoError(t, err)
		for _, a := range assets {
			found = append(found, a.Name)
		}
		return found
	}
	require.Equal(t, []string{"b.png", "a.png"}, list(b.ws.ID, "", "éVENTS"))
	require.Equal(t, []string{"b.png", "a.png"}, list(b.ws.ID, "", "kiln", "spring 50%"), "any of them")
	require.Empty(t, list(b.ws.ID, "", "none"))
	require.Equal(t, []string{"a.png"}, list(b.ws.ID, "spring"))
	require.Equal(t, []string{"b.png"}, list(b.ws.ID, "kil", "Évents"))
	require.Equal(t, []string{theirs.Name}, list(other, "", "Évents"))
	uses := func(of ident.Workspace) map[string]int {
		found, err := labels.Uses(t.Context(), of)
		require.NoError(t, err)
		numbers := make(map[string]int)
		for _, l := range found {
			require.Zero(t, l.Posts)
			numbers[l.Name] = l.Files
		}
		return numbers
	}
	require.Equal(t, map[string]int{"Spring 50%": 1, "Évents": 2, "Kiln": 1}, uses(b.ws.ID))

	relabel := func(key, name string) {
		t.Helper()
		_, err := labels.Relabel(t.Context(), b.ws.ID, key, name, b.now, "user Ada")
		require.NoError(t, err)
	}
	relabel("évents", "ÉVENTS")
	relabel("kiln", "ÉVENTS") // merged: the file has the label once
	relabel("spring 50%", "")
	for id, want := range map[ident.Media][]string{bowls.ID: {"ÉVENTS"}, mugs.ID: {"ÉVENTS"}, plain.ID: nil} {
		got, err := store.Get(t.Context(), b.ws.ID, id)
		require.NoError(t, err)
		require.Equal(t, want, got.Labels)
	}
	require.Equal(t, []string{"b.png", "a.png"}, list(b.ws.ID, "", "évents"))
	require.Equal(t, map[string]int{"Évents": 1}, uses(other), "theirs stay")
	give(b.ws.ID, mugs.ID)
	require.Equal(t, []string{"a.png"}, list(b.ws.ID, "", "évents"))
}
