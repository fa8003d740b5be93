package postgres_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// authenticator keeps an authenticator app that is on.
func (b *bundle) authenticator(t *testing.T) user.TOTP {
	t.Helper()
	u := b.member(t, "app@example.com", b.ws)
	factors := postgres.NewFactors(b.db, keyring(t))
	app := user.TOTP{UserID: u.ID, Secret: "JBSWY3DPEHPK3PXP", CreatedAt: b.now}
	for range 2 { // a second try replaces the first
		set, err := factors.SetTOTP(t.Context(), app)
		require.NoError(t, err)
		require.True(t, set)
	}
	confirmed, err := factors.ConfirmTOTP(t.Context(), u.ID, b.now)
	require.NoError(t, err)
	require.True(t, confirmed)
	return app
}

func (b *bundle) guarded(t *testing.T, id ident.User) bool {
	t.Helper()
	found, err := postgres.NewUsers(b.db).ByID(t.Context(), id)
	require.NoError(t, err)
	return found.SecondFactor
}

func TestAuthenticatorApps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	factors := postgres.NewFactors(b.db, keyring(t))
	waiting := b.member(t, "waiting@example.com", b.ws)
	set, err := factors.SetTOTP(t.Context(), user.TOTP{UserID: waiting.ID, Secret: "X", CreatedAt: b.now})
	require.NoError(t, err)
	require.True(t, set)
	require.False(t, b.guarded(t, waiting.ID), "it is not confirmed")

	app := b.authenticator(t)
	require.True(t, b.guarded(t, app.UserID))
	set, err = factors.SetTOTP(t.Context(), user.TOTP{UserID: app.UserID, Secret: "OTHER", CreatedAt: b.now})
	require.NoError(t, err)
	require.False(t, set, "an app that is on is not replaced")
	confirmed, err := factors.ConfirmTOTP(t.Context(), app.UserID, b.now)
	require.NoError(t, err)
	require.False(t, confirmed)
	for _, row := range postgrestest.Column(t, b.address, `SELECT encode(secret, 'escape') FROM user_totp`) {
		require.NotContains(t, row, app.Secret)
	}

	var wg sync.WaitGroup
	accepted := make([]bool, 5)
	for i := range accepted {
		wg.Go(func() { accepted[i], _ = factors.UseStep(t.Context(), app.UserID, 100) })
	}
	wg.Wait()
	count := 0
	for _, ok := range accepted {
		if ok {
			count++
		}
	}
	require.Equal(t, 1, count, "of concurrent uses of one code, one succeeds")
	for step, want := range map[int64]bool{99: false, 100: false} {
		ok, err := factors.UseStep(t.Context(), app.UserID, step)
		require.NoError(t, err)
		require.Equal(t, want, ok, step)
	}
	for range user.MaxCodeFailures {
		require.NoError(t, factors.CountFailure(t.Context(), app.UserID))
	}
	ok, err := factors.UseStep(t.Context(), app.UserID, 200)
	require.NoError(t, err)
	require.False(t, ok, "locked")
	found, err := factors.TOTP(t.Context(), app.UserID)
	require.NoError(t, err)
	require.True(t, found.Locked())
	require.Equal(t, int64(100), found.LastStep)

	require.NoError(t, factors.RemoveTOTP(t.Context(), app.UserID))
	require.False(t, b.guarded(t, app.UserID))
	require.True(t, apperr.Is(factors.RemoveTOTP(t.Context(), app.UserID), apperr.NotFound))
	_, err = factors.TOTP(t.Context(), app.UserID)
	require.True(t, apperr.Is(err, apperr.NotFound))
}

func TestRecoveryCodesAreUsedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	factors := postgres.NewFactors(b.db, keyring(t))
	app := b.authenticator(t)
	other := b.member(t, "other@example.com", b.ws)
	require.NoError(t, factors.SetRecoveryCodes(t.Context(), app.UserID, [][32]byte{{1}, {2}, {3}}))
	for range user.MaxCodeFailures {
		require.NoError(t, factors.CountFailure(t.Context(), app.UserID))
	}
	var wg sync.WaitGroup
	used := make([]bool, 5)
	for i := range used {
		wg.Go(func() { used[i], _ = factors.UseRecoveryCode(t.Context(), app.UserID, [32]byte{1}, b.now) })
	}
	wg.Wait()
	count := 0
	for _, ok := range used {
		if ok {
			count++
		}
	}
	require.Equal(t, 1, count)
	found, err := factors.TOTP(t.Context(), app.UserID)
	require.NoError(t, err)
	require.False(t, found.Locked(), "a recovery code unlocks the app")
	for of, hash := range map[ident.User][32]byte{app.UserID: {9}, other.ID: {2}} {
		ok, err := factors.UseRecoveryCode(t.Context(), of, hash, b.now)
		require.NoError(t, err)
		require.False(t, ok)
	}
	remaining, err := factors.RecoveryCodes(t.Context(), app.UserID)
	require.NoError(t, err)
	require.Equal(t, 2, remaining)
	require.NoError(t, factors.SetRecoveryCodes(t.Context(), app.UserID, [][32]byte{{4}}))
	ok, err := factors.UseRecoveryCode(t.Context(), app.UserID, [32]byte{2}, b.now)
	require.NoError(t, err)
	require.False(t, ok, "new codes replace the old ones")
	require.NoError(t, factors.RemoveTOTP(t.Context(), app.UserID))
	remaining, err = factors.RecoveryCodes(t.Context(), app.UserID)
	require.NoError(t, err)
	require.Zero(t, remaining, "codes end with the last factor")
}

func TestPasskeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	factors := postgres.NewFactors(b.db, keyring(t))
	u, other := b.member(t, "a@example.com", b.ws), b.member(t, "b@example.com", b.ws)
	key := user.Key{
		ID: ident.New[ident.Passkey](), UserID: u.ID, CredentialID: []byte("one"), Name: "Phone", Record: []byte(`{"n": 1}`),
		CreatedAt: b.now,
	}
	inserted, err := factors.InsertPasskey(t.Context(), key)
	require.NoError(t, err)
	require.True(t, inserted)
	require.True(t, b.guarded(t, u.ID))
	stolen := key
	stolen.ID, stolen.UserID = ident.New[ident.Passkey](), other.ID
	inserted, err = factors.InsertPasskey(t.Context(), stolen)
	require.NoError(t, err)
	require.False(t, inserted, "a credential belongs to one user")
	require.False(t, b.guarded(t, other.ID))

	later := b.now.Add(time.Hour)
	require.NoError(t, factors.UsePasskey(t.Context(), key.CredentialID, []byte(`{"n": 2}`), true, b.now))
	require.NoError(t, factors.UsePasskey(t.Context(), key.CredentialID, []byte(`{"n": 3}`), true, later))
	keys, err := factors.Passkeys(t.Context(), u.ID)
	require.NoError(t, err)
	require.Len(t, keys, 1)
	require.JSONEq(t, `{"n": 3}`, string(keys[0].Record))
	require.WithinDuration(t, later, keys[0].LastUsedAt, 0)
	require.WithinDuration(t, b.now, keys[0].ClonedAt, 0, "the first time")

	_, err = factors.Passkey(t.Context(), other.ID, key.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.True(t, apperr.Is(factors.RemovePasskey(t.Context(), other.ID, key.ID), apperr.NotFound))
	require.NoError(t, factors.RemovePasskey(t.Context(), u.ID, key.ID))
	require.False(t, b.guarded(t, u.ID))

	b.authenticator(t)
	removed, err := factors.Reset(t.Context(), u.ID)
	require.NoError(t, err)
	require.False(t, removed)
}

func TestSignInSteps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	users := postgres.NewUsers(b.db)
	u := b.member(t, "a@example.com", b.ws)
	here, there := [32]byte{1}, [32]byte{2}
	step := user.Step{Kind: user.StepSecondFactor, UserID: u.ID, Data: "first", ExpiresAt: b.now.Add(time.Minute)}
	require.NoError(t, users.Await(t.Context(), here, step))
	step.Data = "second"
	require.NoError(t, users.Await(t.Context(), here, step))
	require.NoError(t, users.Await(t.Context(), here, user.Step{Kind: user.StepPasskey, Data: "x", ExpiresAt: step.ExpiresAt}))
	got, err := users.Awaited(t.Context(), here, user.StepSecondFactor, b.now)
	require.NoError(t, err)
	require.Equal(t, "second", got.Data)
	require.Equal(t, u.ID, got.UserID)
	for _, missing := range []func() error{
		func() error { _, err := users.Awaited(t.Context(), there, step.Kind, b.now); return err },
		func() error { _, err := users.Awaited(t.Context(), here, step.Kind, step.ExpiresAt); return err },
		func() error { _, err := users.TakeStep(t.Context(), there, user.StepPasskey, b.now); return err },
	} {
		require.True(t, apperr.Is(missing(), apperr.NotFound))
	}
	require.NoError(t, users.MoveSteps(t.Context(), here, there))
	var wg sync.WaitGroup
	taken := make([]error, 4)
	for i := range taken {
		wg.Go(func() { _, taken[i] = users.TakeStep(t.Context(), there, user.StepPasskey, b.now) })
	}
	wg.Wait()
	successes := 0
	for _, err := range taken {
		if err == nil {
			successes++
		}
	}
	require.Equal(t, 1, successes, "a challenge is used once")
	require.NoError(t, users.EndUserSessions(t.Context(), u.ID))
	_, err = users.Awaited(t.Context(), there, step.Kind, b.now)
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.NoError(t, users.Await(t.Context(), here, step))
	require.NoError(t, users.PruneSteps(t.Context(), step.ExpiresAt))
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT 1 FROM sign_in_step`))
}

func TestSessionsAreRenewedAndEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	users := postgres.NewUsers(b.db)
	u, other := b.member(t, "a@example.com", b.ws), b.member(t, "b@example.com", b.ws)
	for n, of := range map[byte]user.User{1: u, 2: u, 3: other} {
		require.NoError(t, users.InsertSession(t.Context(), [32]byte{n}, user.Session{
			ID: ident.New[ident.Session](), UserID: of.ID, CreatedAt: b.now, Method: user.Code,
		}))
	}
	at, err := users.ConfirmedAt(t.Context(), [32]byte{1})
	require.NoError(t, err)
	require.WithinDuration(t, b.now, at, 0, "a sign-in is a proof")
	require.NoError(t, users.RotateSession(t.Context(), [32]byte{1}, [32]byte{9}))
	require.True(t, apperr.Is(users.RotateSession(t.Context(), [32]byte{1}, [32]byte{8}), apperr.NotFound))
	at, err = users.ConfirmedAt(t.Context(), [32]byte{1})
	require.NoError(t, err)
	require.Zero(t, at)
	require.NoError(t, users.Confirm(t.Context(), [32]byte{9}, b.now.Add(time.Hour)))
	at, err = users.ConfirmedAt(t.Context(), [32]byte{9})
	require.NoError(t, err)
	require.WithinDuration(t, b.now.Add(time.Hour), at, 0)
	require.NoError(t, users.EndOtherSessions(t.Context(), u.ID, [32]byte{9}))
	require.Equal(t, []string{"03", "09"}, postgrestest.Column(t, b.address,
		`SELECT left(encode(hash, 'hex'), 2) FROM user_session ORDER BY 1`))
	sessions, err := users.Sessions(t.Context(), u.ID, [32]byte{9}, b.now.Add(-time.Hour), b.now.Add(-time.Hour))
	require.NoError(t, err)
	require.Equal(t, user.Code, sessions[0].Method)
}
