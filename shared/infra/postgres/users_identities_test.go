package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
)

func TestIdentities(t *testing.T) {
	t.Parallel()
	b := setup(t)
	users := postgres.NewUsers(b.db)
	u, other := b.member(t, "a@example.com", b.ws), b.member(t, "b@example.com", b.ws)
	const issuer = "https://login.example.com"
	link := func(of user.User, issuer, subject string) bool {
		t.Helper()
		linked, err := users.Link(t.Context(), user.Identity{
			Issuer: issuer, Subject: subject, UserID: of.ID, Email: string(of.Email), CreatedAt: b.now,
		})
		require.NoError(t, err)
		return linked
	}
	require.True(t, link(u, issuer, "1"))
	require.False(t, link(other, issuer, "1"), "an account belongs to one user")
	require.False(t, link(u, issuer, "2"), "a user has one account at a provider")
	require.True(t, link(other, "https://other.example.com", "1"), "subjects belong to their provider")
	later := b.now.Add(time.Hour)
	found, err := users.ByIdentity(t.Context(), issuer, "1", later)
	require.NoError(t, err)
	require.Equal(t, u.ID, found.ID)
	identity, err := users.Identity(t.Context(), u.ID, issuer)
	require.NoError(t, err)
	require.WithinDuration(t, later, identity.LastUsedAt, 0)
	_, err = users.ByIdentity(t.Context(), issuer, "2", later)
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.True(t, apperr.Is(users.Unlink(t.Context(), other.ID, issuer), apperr.NotFound))
	require.NoError(t, users.Unlink(t.Context(), u.ID, issuer))
	_, err = users.Identity(t.Context(), u.ID, issuer)
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.True(t, link(other, issuer, "1"))
}
