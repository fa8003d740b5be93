package instagram_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

// TestQuota checks the figures of an account, whose maximum differs between accounts.
func TestQuota(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{"GET /v26.0/42/content_publishing_limit": {
		ok(`{"data":[{"quota_usage":3,"config":{"quota_total":100,"quota_duration":86400}}]}`),
		graph(500, 2, 0, "unavailable"),
	}})
	got, err := b.connector.Quota(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, platform.QuotaUsage{Used: 3, Max: 100}, got)
	_, err = b.connector.Quota(t.Context(), b.account)
	require.Equal(t, platform.ClassTransient, platform.FailureOf(err).Class)
}
