package threads_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

// TestQuota checks the figures of an account, and responses without any.
func TestQuota(t *testing.T) {
	t.Parallel()
	const call = "GET /v1.0/42/threads_publishing_limit"
	b := setup(t, map[string][]platformtest.Response{call: {
		ok(`{"data":[{"quota_usage":4,"config":{"quota_total":250,"quota_duration":86400}}]}`),
		ok(`{"data":[]}`), ok(`{"data":[{"quota_usage":4}]}`), ok(`no JSON`),
		graph(400, 190, 463, "expired"),
	}})
	got, err := b.connector.Quota(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, platform.QuotaUsage{Used: 4, Max: 250}, got)
	require.Equal(t, "quota_usage,config", b.script.Requests()[0].Query.Get("fields"))
	for range 3 {
		_, err = b.connector.Quota(t.Context(), b.account)
		require.Equal(t, platform.ClassTransient, platform.FailureOf(err).Class)
	}
	_, err = b.connector.Quota(t.Context(), b.account)
	require.Equal(t, platform.ClassRefresh, platform.FailureOf(err).Class)
	b.account.Credentials.AccessToken = ""
	_, err = b.connector.Quota(t.Context(), b.account)
	require.Equal(t, platform.ClassReconnect, platform.FailureOf(err).Class)
	require.Len(t, b.script.Requests(), 5, "no call without a token")
}
