package pinterest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/pinterest"
	"fencepost.internal/shared/platform/platformtest"
)

// TestContract checks the class and code of responses of the real network.
func TestContract(t *testing.T) {
	t.Parallel()
	platformtest.Contract{
		Link: func(t *testing.T, url string, clk clock.Clock) platform.Link {
			t.Helper()
			link, err := pinterest.New(pinterest.Config{Wire: httpcall.Config{BaseURL: url, Clock: clk}})
			require.NoError(t, err)
			return link
		},
		Account: platform.Account{
			Type: channel.Pinterest, ExternalID: "acme", Username: "acme",
			Credentials: channel.Credentials{AccessToken: "access-token-of-the-contract", RefreshToken: "refresh-token"},
		},
		Complete: func(t *testing.T, content *platform.Content) {
			t.Helper()
			picture := platformtest.Picture(t, 1)
			content.Media, content.Files = []media.Asset{picture.Asset}, platformtest.Files(t, picture)
			content.Options.BoardID = "549755885175"
		},
	}.Run(t)
}
