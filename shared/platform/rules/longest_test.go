package rules_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/rules"
)

func TestLongestVideos(t *testing.T) {
	t.Parallel()
	for kind, want := range map[channel.Type][]rules.Longest{
		channel.InstagramProfessional: {
			{Form: "Feed posts", Max: 15 * time.Minute}, {Form: "Reels", Max: 15 * time.Minute}, {Form: "Stories", Max: time.Minute},
		},
		channel.GoogleBusiness: nil,
		channel.TikTokBusiness: nil, // its limit is not certain
	} {
		row, ok := connectors.Rules().Of(kind)
		require.True(t, ok)
		require.Equal(t, want, row.LongestVideos(), kind)
	}
}
