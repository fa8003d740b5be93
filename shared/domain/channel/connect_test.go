package channel_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
)

func TestFinalOutcomesOfAttempts(t *testing.T) {
	t.Parallel()
	for outcome, final := range map[channel.AttemptOutcome]bool{
		channel.AttemptOpen: false, channel.AttemptPicking: false, channel.AttemptConnected: true,
		channel.AttemptDenied: true, channel.AttemptFailed: true,
	} {
		require.Equal(t, final, outcome.Final(), outcome)
	}
}

func TestSecretOfAttemptIsNotPrinted(t *testing.T) {
	t.Parallel()
	secret := channel.AttemptSecret{
		Verifier: "canary", Kept: "canary",
		Accounts: []channel.Candidate{{Credentials: channel.Credentials{AccessToken: "canary"}}},
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		require.NotContains(t, fmt.Sprintf(verb, secret), "canary", verb)
		require.NotContains(t, fmt.Sprintf(verb, []channel.AttemptSecret{secret}), "canary", verb)
	}
}

func TestCredentialsTime(t *testing.T) {
	t.Parallel()
	issued, stored := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC), time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
	require.Equal(t, issued, channel.Credentials{IssuedAt: issued, StoredAt: stored}.Known())
	require.Equal(t, stored, channel.Credentials{StoredAt: stored}.Known())
	ending := channel.Credentials{ExpiresAt: stored}
	require.False(t, ending.Expired(stored.Add(-time.Nanosecond)))
	require.True(t, ending.Expired(stored))
	require.False(t, channel.Credentials{}.Expired(stored), "without an end")
}
