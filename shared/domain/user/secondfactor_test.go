package user_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func TestSignInMethods(t *testing.T) {
	t.Parallel()
	plain := user.User{ID: ident.New[ident.User]()}
	guarded := plain
	guarded.SecondFactor = true
	for by, complete := range map[user.Method]bool{
		user.Password: false, user.Provider: false, user.Code: true, user.RecoveryCode: true, user.Passkey: true,
		user.PasskeyAsSecond: true, "": false, "x": false,
	} {
		require.True(t, plain.Enters(by), by)
		require.Equal(t, complete, guarded.Enters(by), by)
	}
	guarded.DisabledAt = time.Now()
	require.False(t, guarded.Enters(user.Passkey))
}

func TestProofsAge(t *testing.T) {
	t.Parallel()
	now := time.Now()
	require.True(t, user.Fresh(now, now))
	require.True(t, user.Fresh(now.Add(time.Second-user.FreshFor), now))
	require.False(t, user.Fresh(now.Add(-user.FreshFor), now))
	require.False(t, user.Fresh(time.Time{}, now))
}

func TestTOTPStepsAreUsedOnce(t *testing.T) {
	t.Parallel()
	app := user.TOTP{LastStep: 7}
	require.False(t, app.Accepts(6))
	require.False(t, app.Accepts(7))
	require.True(t, app.Accepts(8))
	app.Failures = user.MaxCodeFailures - 1
	require.True(t, app.Accepts(8))
	app.Failures = user.MaxCodeFailures
	require.False(t, app.Accepts(8))
	require.True(t, app.Locked())
}

func TestRecoveryCodes(t *testing.T) {
	t.Parallel()
	codes := user.NewRecoveryCodes()
	require.Len(t, codes, user.RecoveryCodes)
	seen := make(map[[32]byte]bool)
	for _, code := range codes {
		require.Regexp(t, `^[a-z2-7]{4}(-[a-z2-7]{4}){3}$`, code)
		hash, ok := user.HashRecoveryCode(code)
		require.True(t, ok)
		require.False(t, seen[hash])
		seen[hash] = true
		again, ok := user.HashRecoveryCode(" " + strings.ToUpper(strings.ReplaceAll(code, "-", " ")))
		require.True(t, ok)
		require.Equal(t, hash, again, "as people type it")
	}
	for _, wrong := range []string{"", "123456", "aaaa-bbbb-cccc", "aaaa-bbbb-cccc-dddd-e", "aaaa-bbbb-cccc-ddd1", "aaaa-bbbb-cccc-ddd\x00"} {
		_, ok := user.HashRecoveryCode(wrong)
		require.False(t, ok, "%q", wrong)
	}
}

func TestPasskeyNames(t *testing.T) {
	t.Parallel()
	name, err := user.PasskeyName(" Phone ")
	require.NoError(t, err)
	require.Equal(t, "Phone", name)
	for _, wrong := range []string{"", "  ", "a\nb", strings.Repeat("x", 101)} {
		_, err := user.PasskeyName(wrong)
		require.True(t, apperr.Is(err, apperr.ValidationFailed), "%q", wrong)
	}
}

func TestProviderAddresses(t *testing.T) {
	t.Parallel()
	u := user.User{ID: ident.New[ident.User](), Email: "ada@example.com"}
	require.True(t, u.MayLink(" Ada@Example.com", true))
	require.False(t, u.MayLink("ada@example.com", false), "the provider has not verified it")
	require.False(t, u.MayLink("ada@example.com.evil.test", true))
	require.False(t, u.MayLink("", true))
	u.DisabledAt = time.Now()
	require.False(t, u.MayLink("ada@example.com", true))
	require.False(t, user.User{}.MayLink("", true))
}
