package postgres_test

import (
	"bytes"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
)

func hashOf(b byte) [32]byte { return [32]byte(bytes.Repeat([]byte{b}, 32)) }

func TestPasswordResets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	accounts := postgres.NewAccounts(b.db)
	owner := b.people(t, member.Owner)[member.Owner]
	request := func(h byte, address email.Address) bool {
		stored, err := accounts.InsertReset(t.Context(), hashOf(h), address, b.now, b.now.Add(time.Hour),
			b.now.Add(-time.Hour), 3)
		require.NoError(t, err)
		return stored
	}
	require.True(t, request(1, "owner@EXAMPLE.com"))
	require.True(t, request(2, owner.Email))
	require.True(t, request(3, owner.Email))
	require.False(t, request(4, owner.Email), "the limit")
	require.True(t, request(5, "unknown@example.com"))

	found, err := accounts.ResetUser(t.Context(), hashOf(1), b.now)
	require.NoError(t, err)
	require.Equal(t, owner.ID, found.ID)
	for name, c := range map[string]struct {
		hash byte
		at   time.Time
	}{
		"of an address without a user": {5, b.now},
		"unknown":                      {9, b.now},
		"ended":                        {1, b.now.Add(time.Hour)},
	} {
		_, err := accounts.ResetUser(t.Context(), hashOf(c.hash), c.at)
		require.True(t, apperr.Is(err, apperr.NotFound), name)
	}
	var taken atomic.Int32
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if ok, err := accounts.TakeReset(t.Context(), hashOf(1), b.now); err == nil && ok {
				taken.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, taken.Load())
	_, err = accounts.ResetUser(t.Context(), hashOf(2), b.now)
	require.True(t, apperr.Is(err, apperr.NotFound), "the other links of the address ended")
	require.NoError(t, accounts.Prune(t.Context(), b.now.Add(time.Hour+time.Second)))
	require.True(t, request(5, "unknown@example.com"), "its row is gone")
}

func TestAddressChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	accounts, users := postgres.NewAccounts(b.db), postgres.NewUsers(b.db)
	people := b.people(t, member.Owner, member.Viewer)
	owner := people[member.Owner]
	change, err := owner.ChangeAddress("new@example.com", b.now)
	require.NoError(t, err)
	require.NoError(t, accounts.InsertAddressChange(t.Context(), change, hashOf(1), hashOf(2)))
	for hash, arriving := range map[byte]bool{1: false, 2: true} {
		got, arrives, err := accounts.AddressChangeByLink(t.Context(), hashOf(hash), b.now)
		require.NoError(t, err)
		require.Equal(t, change, got)
		require.Equal(t, arriving, arrives)
	}
	_, _, err = accounts.AddressChangeByLink(t.Context(), hashOf(1), b.now.Add(user.AddressLife))
	require.True(t, apperr.Is(err, apperr.NotFound), "ended")
	change.LeftAt = b.now
	require.NoError(t, accounts.Confirm(t.Context(), change))
	got, err := accounts.AddressChange(t.Context(), owner.ID, b.now)
	require.NoError(t, err)
	require.Equal(t, change, got)

	next, err := owner.ChangeAddress("other@example.com", b.now)
	require.NoError(t, err)
	require.NoError(t, accounts.InsertAddressChange(t.Context(), next, hashOf(3), hashOf(4)))
	_, _, err = accounts.AddressChangeByLink(t.Context(), hashOf(2), b.now)
	require.True(t, apperr.Is(err, apperr.NotFound), "a newer change replaces it")

	changed, err := users.SetEmail(t.Context(), owner.ID, "viewer@EXAMPLE.com")
	require.NoError(t, err)
	require.False(t, changed, "another user has it")
	changed, err = users.SetEmail(t.Context(), owner.ID, next.Email)
	require.NoError(t, err)
	require.True(t, changed)
	found, err := users.ByEmail(t.Context(), "OTHER@example.com")
	require.NoError(t, err)
	require.Equal(t, owner.ID, found.ID)
}
