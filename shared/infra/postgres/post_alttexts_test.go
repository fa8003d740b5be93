package postgres_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// TestAltTextsOfPosts checks that every statement that writes or reads a post keeps its alternative texts.
func TestAltTextsOfPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.asset(t, b.ws.ID, media.Image).ID, b.asset(t, b.ws.ID, media.Image).ID
	texts := post.AltTexts{one: "tiles, \"blue\"\n🌍", two: ""}
	fresh := func(texts post.AltTexts) post.Change {
		change, err := post.Create(post.NewPost{
			Policy:      approval.Optional,
			WorkspaceID: b.ws.ID, ChannelID: b.ch.ID, ChannelType: string(channel.Twitter), ContentType: post.ContentPost, MediaIDs: []ident.Media{one, two},
			MediaAltTexts: texts, ScheduleAt: b.now, Now: true,
		}, b.now, post.ActorAPI)
		require.NoError(t, err)
		return change
	}
	single, first, second := fresh(texts), fresh(texts), fresh(nil)
	require.NoError(t, b.posts.Insert(t.Context(), []post.Change{single}))
	require.NoError(t, b.posts.Insert(t.Context(), []post.Change{first, second}))
	for _, want := range []post.Change{single, first, second} {
		got, err := b.posts.Get(t.Context(), b.ws.ID, want.Post.ID)
		require.NoError(t, err)
		require.Equal(t, want.Post.MediaAltTexts, got.MediaAltTexts)
		job, err := b.attempts.Claim(t.Context(), want.Post.ID, want.Post.Revision)
		require.NoError(t, err)
		require.Equal(t, want.Post.MediaAltTexts, job.Post.MediaAltTexts)
	}
	listed, err := b.posts.List(t.Context(), b.ws.ID, postgres.PostFilter{Limit: 3})
	require.NoError(t, err)
	require.Equal(t, []post.AltTexts{nil, texts, texts},
		[]post.AltTexts{listed[0].MediaAltTexts, listed[1].MediaAltTexts, listed[2].MediaAltTexts})
	require.Equal(t, []string{second.Post.ID.String()}, postgrestest.Column(t, b.address,
		`SELECT id FROM post WHERE media_alt_texts IS NULL`), "no texts are NULL")
}

// TestEditsOfAltTexts checks that an edit changes the stored texts.
func TestEditsOfAltTexts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one := b.asset(t, b.ws.ID, media.Image).ID
	p := b.draft(t, post.Options{})
	for _, want := range []post.AltTexts{{one: "tiles"}, {one: ""}, nil} {
		change := edit(t, p, post.Edit{MediaIDs: &[]ident.Media{one}, MediaAltTexts: &want}, b.now)
		apply(t, b, change, nil)
		p = b.get(t, p.ID)
		require.Equal(t, want, p.MediaAltTexts)
	}
}

// TestMediaEdit checks that only the workspace of an asset changes its text and its name.
func TestMediaEdit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewMedia(b.db)
	a, other := b.asset(t, b.ws.ID, media.Image), b.asset(t, b.ws.ID, media.Image)
	for _, text := range []string{"tiles", strings.Repeat("é", media.LongestAltText), ""} {
		want := a
		want.AltText = text
		got, err := store.Edit(t.Context(), b.ws.ID, a.ID, media.Edit{AltText: &text})
		require.NoError(t, err)
		require.Equal(t, want, got)
		got, err = store.Get(t.Context(), b.ws.ID, a.ID)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	name, text := "tiles.jpg", "Tiles"
	_, err := store.Edit(t.Context(), b.tenant(t).ID, a.ID, media.Edit{Name: &name, AltText: &text})
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	got, err := store.Edit(t.Context(), b.ws.ID, a.ID, media.Edit{})
	require.NoError(t, err)
	require.Equal(t, a, got)
	for _, unchanged := range []media.Asset{a, other} {
		got, err := store.Get(t.Context(), b.ws.ID, unchanged.ID)
		require.NoError(t, err)
		require.Equal(t, unchanged, got)
	}
	got, err = store.Edit(t.Context(), b.ws.ID, a.ID, media.Edit{Name: &name, AltText: &text})
	require.NoError(t, err)
	require.Equal(t, []string{name, text}, []string{got.Name, got.AltText})
}
