package postgres_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
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

// newPost returns the creation of a draft with the files.
func (b *bundle) newPost(t *testing.T, title, content string, ids ...ident.Media) post.Change {
	t.Helper()
	change, err := post.Create(post.NewPost{
		Policy:      approval.Optional,
		WorkspaceID: b.ws.ID, ChannelID: b.ch.ID, ChannelType: string(channel.Twitter), Title: title, Content: content, ContentType: post.ContentPost,
		MediaIDs: ids,
	}, b.now, post.ActorAPI)
	require.NoError(t, err)
	return change
}

// uses returns the references to an asset.
func (b *bundle) uses(t *testing.T, id ident.Media) []apperr.Reference {
	t.Helper()
	references, err := postgres.NewReferences(b.db).Of(t.Context(), b.ws.ID, id)
	require.NoError(t, err)
	return references
}

func TestReferencesListOwnersByName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewReferences(b.db)
	a := b.asset(t, b.ws.ID, media.Image)
	kit := uuid.NewString()
	var want []apperr.Reference
	for _, c := range []struct{ title, content, name string }{
		{"A title", "Content", "A title"}, {"", strings.Repeat("ü", 100), strings.Repeat("ü", 80)}, {"", "", ""},
	} {
		change := b.newPost(t, c.title, c.content, a.ID)
		require.NoError(t, b.posts.Insert(t.Context(), []post.Change{change}))
		want = append(want, apperr.Reference{Type: "POST", ID: change.Post.ID.String(), Name: c.name})
	}
	for _, owner := range []struct {
		typ             media.OwnerType
		id, label, name string
	}{
		{media.OwnerBrandLogo, kit, "Brand kit of Acme", "Brand kit of Acme"},
		{media.OwnerBrandPersonaPhoto, kit, "Persona Ann", "Persona Ann"},
		{media.OwnerBrandStyleReference, kit, "", ""},
		{media.OwnerChannelAvatar, b.ch.ID.String(), "an old name", "Acme on X"},
		{media.OwnerWorkspaceLogo, b.ws.ID.String(), "", "Acme"},
	} {
		require.NoError(t, store.Set(t.Context(), postgres.Owner{
			WorkspaceID: b.ws.ID, Type: owner.typ, ID: owner.id, Label: owner.label,
		}, []ident.Media{a.ID}))
		want = append(want, apperr.Reference{Type: string(owner.typ), ID: owner.id, Name: owner.name})
	}
	require.Equal(t, want, b.uses(t, a.ID), "posts first")
	_, err := postgres.NewMedia(b.db).Delete(t.Context(), b.ws.ID, a.ID)
	var refused *apperr.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, apperr.MediaInUse, refused.Code)
	require.Equal(t, want, refused.References)
	for _, r := range want {
		require.Contains(t, refused.Message, r.ID)
		require.Contains(t, refused.Message, r.Name)
	}
}

func TestSetReplacesReferencesOfOwner(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewReferences(b.db)
	first, second := b.asset(t, b.ws.ID, media.Image), b.asset(t, b.ws.ID, media.Image)
	owner := postgres.Owner{WorkspaceID: b.ws.ID, Type: media.OwnerBrandLogo, ID: uuid.NewString(), Label: "Kit"}
	other := owner
	other.Type = media.OwnerBrandPersonaPhoto
	set := func(o postgres.Owner, ids ...ident.Media) {
		t.Helper()
		require.NoError(t, store.Set(t.Context(), o, ids))
	}
	set(owner, first.ID, second.ID, first.ID)
	set(other, first.ID)
	require.Len(t, b.uses(t, first.ID), 2)
	set(owner, second.ID)
	require.Len(t, b.uses(t, first.ID), 1, "the other use stays")
	require.Len(t, b.uses(t, second.ID), 1)
	set(owner)
	set(owner)
	require.Empty(t, b.uses(t, second.ID))
	_, err := postgres.NewMedia(b.db).Delete(t.Context(), b.ws.ID, second.ID)
	require.NoError(t, err)
}

func TestSetRefusesForeignAssets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewReferences(b.db)
	ours, theirs := b.asset(t, b.ws.ID, media.Image), b.asset(t, b.tenant(t).ID, media.Image)
	owner := postgres.Owner{WorkspaceID: b.ws.ID, Type: media.OwnerBrandLogo, ID: uuid.NewString(), Label: "Kit"}
	require.NoError(t, store.Set(t.Context(), owner, []ident.Media{ours.ID}))
	for _, foreign := range []ident.Media{theirs.ID, ident.New[ident.Media]()} {
		err := store.Set(t.Context(), owner, []ident.Media{foreign, ours.ID})
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
		require.Len(t, b.uses(t, ours.ID), 1, "what was used before still is")
	}
	foreign := owner
	foreign.WorkspaceID = theirs.WorkspaceID
	require.NoError(t, store.Set(t.Context(), foreign, nil))
	require.Len(t, b.uses(t, ours.ID), 1, "another workspace takes none away")
	references, err := store.Of(t.Context(), theirs.WorkspaceID, ours.ID)
	require.NoError(t, err)
	require.Empty(t, references, "another workspace does not see them")
}

func TestConcurrentSetOfSameReference(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.asset(t, b.ws.ID, media.Image)
	owner := postgres.Owner{WorkspaceID: b.ws.ID, Type: media.OwnerWorkspaceLogo, ID: b.ws.ID.String()}
	errs := make([]error, 20)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { errs[i] = postgres.NewReferences(b.db).Set(t.Context(), owner, []ident.Media{a.ID}) })
	}
	group.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Len(t, b.uses(t, a.ID), 1)
}

// TestPostReferencesMatchFiles checks that a post's references always match its files.
func TestPostReferencesMatchFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.asset(t, b.ws.ID, media.Image), b.asset(t, b.ws.ID, media.Image)
	both := func() []int { return []int{len(b.uses(t, first.ID)), len(b.uses(t, second.ID))} }
	change := b.newPost(t, "", "x", first.ID, first.ID)
	p := change.Post
	require.NoError(t, b.posts.Insert(t.Context(), []post.Change{change}))
	require.Equal(t, []int{1, 0}, both())
	later := b.now
	for _, c := range []struct {
		edit post.Edit
		want []int
	}{
		{post.Edit{Content: new("y")}, []int{1, 0}}, // does not change the files
		{post.Edit{MediaIDs: &[]ident.Media{second.ID, first.ID}}, []int{1, 1}},
		{post.Edit{MediaIDs: &[]ident.Media{second.ID}}, []int{0, 1}},
		{post.Edit{Title: new("T")}, []int{0, 1}},
		{post.Edit{MediaIDs: &[]ident.Media{}}, []int{0, 0}},
		{post.Edit{MediaIDs: &[]ident.Media{first.ID, second.ID}}, []int{1, 1}},
	} {
		later = later.Add(time.Second)
		p = apply(t, b, edit(t, p, c.edit, later), nil)
		require.Equal(t, c.want, both())
	}
	archived, err := p.Archive(later, post.ActorAPI)
	p = apply(t, b, archived, err)
	require.Equal(t, []int{1, 1}, both(), "an archived post keeps its files")
	gone, err := p.Delete(later)
	require.NoError(t, err)
	require.NoError(t, b.posts.Delete(t.Context(), gone))
	require.Equal(t, []int{0, 0}, both())
	for _, a := range []media.Asset{first, second} {
		_, err := postgres.NewMedia(b.db).Delete(t.Context(), b.ws.ID, a.ID)
		require.NoError(t, err)
	}
}

// TestDeleteRacesPostWithFile checks that either the post and the file exist, or the file is deleted and the
// post was rejected. New and edited posts alternate.
func TestDeleteRacesPostWithFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewMedia(b.db)
	outcomes := map[bool]int{}
	for i := range 50 {
		a := b.asset(t, b.ws.ID, media.Image)
		take := b.newPost(t, "", "x", a.ID)
		write := func() error { return b.posts.Insert(t.Context(), []post.Change{take}) }
		if i%2 == 1 {
			plain := b.draft(t, post.Options{})
			change := edit(t, plain, post.Edit{MediaIDs: &[]ident.Media{a.ID}}, b.now.Add(time.Second))
			write = func() error { return b.posts.Apply(t.Context(), change) }
		}
		var written, deleted error
		var group sync.WaitGroup
		group.Go(func() { written = write() })
		group.Go(func() { _, deleted = store.Delete(t.Context(), b.ws.ID, a.ID) })
		group.Wait()
		outcomes[written == nil]++
		_, err := store.Get(t.Context(), b.ws.ID, a.ID)
		if written == nil {
			require.True(t, apperr.Is(deleted, apperr.MediaInUse), "%v", deleted)
			require.NoError(t, err)
			require.Len(t, b.uses(t, a.ID), 1)
			continue
		}
		require.True(t, apperr.Is(written, apperr.NotFound), "%v", written)
		require.NoError(t, deleted)
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	}
	t.Logf("posts that won: %d of 50", outcomes[true])
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT p.id FROM post p, unnest(media_ids) m
		WHERE NOT EXISTS (SELECT 1 FROM media_reference r WHERE r.owner_id = p.id AND r.media_id = m)`),
		"every file of a post is referred to")
}
