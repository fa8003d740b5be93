package telegram_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/telegram"
	"fencepost.internal/shared/platform/platformtest"
)

// TestContract checks the class and code of responses of the real network.
func TestContract(t *testing.T) {
	t.Parallel()
	platformtest.Contract{
		Link: func(t *testing.T, url string, clk clock.Clock) platform.Link {
			t.Helper()
			link, err := telegram.New(telegram.Config{Wire: httpcall.Config{BaseURL: url, Clock: clk}})
			require.NoError(t, err)
			return link
		},
		Account: platform.Account{
			Type: channel.TelegramChannel, ExternalID: "-1001000000001", Username: "acme",
			Credentials: channel.Credentials{AccessToken: "123456:AAE-secret_Token"},
		},
	}.Run(t)
}
