package youtube_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/kernel/clock"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
	"socialpub.internal/shared/platform/connectors/youtube"
	"socialpub.internal/shared/platform/platformtest"
)

// TestContract checks the class and code of responses of the real network.
func TestContract(t *testing.T) {
	t.Parallel()
	platformtest.Contract{
		Link: func(t *testing.T, url string, clk clock.Clock) platform.Link {
			t.Helper()
			link, err := youtube.New(youtube.Config{Wire: httpcall.Config{BaseURL: url, Clock: clk}})
			require.NoError(t, err)
			return link
		},
		Account: platform.Account{
			Type: channel.YouTube, ExternalID: "UC1", Username: "acme",
			Credentials: channel.Credentials{AccessToken: "access-token-of-the-contract", RefreshToken: "refresh-token"},
		},
		Handle: `{"v":1,"asset":"a","video":"dQw4w9WgXcQ"}`, PostID: "dQw4w9WgXcQ",
	}.Run(t)
}
