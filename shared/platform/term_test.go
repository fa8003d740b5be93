package platform_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
)

const day = 24 * time.Hour

var now = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

// TestStatus checks that EXPIRING means an end within seven days that only a person can extend.
func TestStatus(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		term platform.Term
		want channel.TokenStatus
	}{
		"no end":                      {platform.Term{}, channel.TokenHealthy},
		"ends later":                  {platform.Term{EndsAt: now.Add(7 * day)}, channel.TokenHealthy},
		"ends soon":                   {platform.Term{EndsAt: now.Add(7*day - 1)}, channel.TokenExpiring},
		"ended":                       {platform.Term{EndsAt: now.Add(-day)}, channel.TokenExpiring},
		"ends soon, will be extended": {platform.Term{RenewBefore: now, EndsAt: now.Add(day), Extends: true}, channel.TokenHealthy},
		"ends soon, was not extended": {
			platform.Term{RenewBefore: now.Add(-2 * day), EndsAt: now.Add(day), Extends: true}, channel.TokenExpiring,
		},
	} {
		require.Equal(t, c.want, c.term.Status(now), name)
	}
}

// TestRotatingTerm checks that tokens that rotate are renewed at half the life of the refresh token, and that a renewal
// that does not move the end is noticed.
func TestRotatingTerm(t *testing.T) {
	t.Parallel()
	held := channel.Credentials{RefreshToken: "r", IssuedAt: now, RefreshExpiresAt: now.Add(60 * day)}
	require.Equal(t, platform.Term{RenewBefore: now.Add(30 * day), EndsAt: now.Add(60 * day), Extends: true},
		platform.RotatingTerm(held, 90*day))
	held.RefreshExpiresAt = time.Time{}
	require.Equal(t, platform.Term{RenewBefore: now.Add(45 * day), EndsAt: now.Add(90 * day), Extends: true},
		platform.RotatingTerm(held, 90*day))
	held.RefreshExpiresAt = now.Add(10 * day)
	require.Equal(t, platform.Term{RenewBefore: now.Add(5 * day), EndsAt: now.Add(10 * day)},
		platform.RotatingTerm(held, 90*day))
	held.RefreshToken, held.ExpiresAt = "", now.Add(day)
	require.Equal(t, platform.FixedTerm(held), platform.RotatingTerm(held, 90*day))
}
