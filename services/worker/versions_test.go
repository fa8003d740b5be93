package main

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform/network"
)

func TestVersionExpiryMetrics(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	measureVersions(registry, []network.Declaration{
		{Network: channel.NetworkLinkedIn, Versions: []network.Version{
			{Variable: "LINKEDIN_VERSION", Value: "202609", Ends: time.Unix(1_800_000_000, 0)},
		}},
		{Network: channel.NetworkFacebook, Versions: []network.Version{{Variable: "FACEBOOK_VERSION", Value: "v99.0"}}},
		{Network: channel.NetworkTelegram},
	})
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP api_version_end_timestamp_seconds When a network ends the API version that the variable sets.
# TYPE api_version_end_timestamp_seconds gauge
api_version_end_timestamp_seconds{network="linkedin",variable="LINKEDIN_VERSION",version="202609"} 1.8e+09
`)))
}
