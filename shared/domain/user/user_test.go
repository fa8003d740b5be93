package user_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
)

func TestNew(t *testing.T) {
	t.Parallel()
	u, err := user.New(" Ada@Example.com ", " Ada Lovelace ", "hash", time.Now())
	require.NoError(t, err)
	require.Equal(t, email.Address("Ada@Example.com"), u.Email)
	require.Equal(t, "Ada Lovelace", u.Name)
	require.True(t, u.MaySignIn())
	u.DisabledAt = time.Now()
	require.False(t, u.MaySignIn())
	require.False(t, user.User{}.MaySignIn())
	for _, bad := range [][2]string{
		{"", "Ada"},
		{"ada", "Ada"},
		{"Ada <ada@example.com>", "Ada"},
		{"a@b\r\nBcc: c@d", "Ada"},
		{strings.Repeat("a", 250) + "@example.com", "Ada"},
		{"ada@example.com", " "},
		{"ada@example.com", "a\nb"},
		{"ada@example.com", "a\u0085b"},
		{"ada@example.com", "a\u2028b"},
		{"ada@example.com", "a\x7fb"},
		{"ada@example.com", "a\u202eb"}, // changes the direction of what follows
		{"ada@example.com", "a\u2067b"},
		{"ada@example.com", strings.Repeat("a", 201)},
	} {
		_, err := user.New(bad[0], bad[1], "hash", time.Now())
		require.True(t, apperr.Is(err, apperr.ValidationFailed), "%q", bad)
	}
}

func TestChangeAddress(t *testing.T) {
	t.Parallel()
	now := time.Now()
	u, err := user.New("ada@example.com", "Ada", "hash", now)
	require.NoError(t, err)
	change, err := u.ChangeAddress(" new@example.com ", now)
	require.NoError(t, err)
	require.Equal(t, email.Address("new@example.com"), change.Email)
	require.Equal(t, now.Add(user.AddressLife), change.ExpiresAt)
	require.False(t, change.Complete())
	change.LeftAt = now
	require.False(t, change.Complete())
	change.ArrivedAt = now
	require.True(t, change.Complete())
	for _, bad := range []string{"", "ADA@example.com", "new", "a@b\r\nBcc: c@d"} {
		_, err := u.ChangeAddress(bad, now)
		require.True(t, apperr.Is(err, apperr.ValidationFailed), "%q", bad)
	}
}
