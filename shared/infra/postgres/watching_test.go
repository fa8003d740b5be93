package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestWatching asks which sessions may still see a workspace.
func TestWatching(t *testing.T) {
	t.Parallel()
	b := setup(t)
	users, other := postgres.NewUsers(b.db), b.tenant(t)
	began, seen := b.now.Add(-time.Hour), b.now.Add(-time.Minute)
	session := func(letter byte, of ident.Workspace, created, used time.Time) [32]byte {
		u, err := user.New(string(letter)+"@example.com", "Ada", "hash", b.now)
		require.NoError(t, err)
		_, err = users.Insert(t.Context(), u)
		require.NoError(t, err)
		require.NoError(t, users.Join(t.Context(), u.ID, of, member.Viewer, b.now))
		hash := [32]byte{letter}
		require.NoError(t, users.InsertSession(t.Context(), hash, user.Session{
			ID: ident.New[ident.Session](), UserID: u.ID, CreatedAt: created,
		}))
		postgrestest.Exec(t, b.address, `UPDATE user_session SET last_seen_at = $1 WHERE user_id = $2`, used, u.ID)
		return hash
	}
	valid, second := session('a', b.ws.ID, b.now, b.now), session('b', b.ws.ID, b.now, b.now)
	disabled := session('c', b.ws.ID, b.now, b.now)
	postgrestest.Exec(t, b.address, `UPDATE app_user SET disabled_at = now() WHERE email = 'c@example.com'`)
	requested := [][32]byte{
		valid, second, disabled, session('d', other.ID, b.now, b.now), session('e', b.ws.ID, began.Add(-time.Second), b.now),
		session('f', b.ws.ID, b.now, seen.Add(-time.Second)),
		{'x'},
	}
	found, err := users.Watching(t.Context(), b.ws.ID, requested, began, seen)
	require.NoError(t, err)
	require.ElementsMatch(t, [][32]byte{valid, second}, found)
	found, err = users.Watching(t.Context(), b.ws.ID, nil, began, seen)
	require.NoError(t, err)
	require.Empty(t, found)
}

// TestPicturesOfOwner reads back what an owner uses, and the owner's present name.
func TestPicturesOfOwner(t *testing.T) {
	t.Parallel()
	b := setup(t)
	references := postgres.NewReferences(b.db)
	first, second := b.asset(t, b.ws.ID, media.Image), b.asset(t, b.ws.ID, media.Image)
	owner := postgres.Owner{
		WorkspaceID: b.ws.ID, Type: media.OwnerBrandPersonaPhoto, ID: ident.New[ident.Channel]().String(), Label: "News",
	}
	require.NoError(t, references.Set(t.Context(), owner, []ident.Media{second.ID, first.ID}))
	found, err := references.Get(t.Context(), owner)
	require.NoError(t, err)
	require.Equal(t, []ident.Media{first.ID, second.ID}, found)
	foreign := owner
	foreign.WorkspaceID = b.tenant(t).ID
	found, err = references.Get(t.Context(), foreign)
	require.NoError(t, err)
	require.Empty(t, found)
	of, err := references.Of(t.Context(), b.ws.ID, first.ID)
	require.NoError(t, err)
	require.Equal(t, "News", of[0].Name)
}
