package tiktok_test

import (
	"net/url"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/tiktok"
	"fencepost.internal/shared/platform/platformtest"
)

// moved is a Sealer that replaces the host of upload addresses by that of the test.
type moved struct{ host string }

func (moved) Seal(secret string, _ media.Asset) (string, error) { return secret, nil }

func (m moved) Open(sealed string, _ media.Asset) (string, error) {
	at, err := url.Parse(sealed)
	if err != nil {
		return "", err
	}
	return m.host + at.RequestURI(), nil
}

// TestContract checks the class and code of responses of the real network.
func TestContract(t *testing.T) {
	t.Parallel()
	video := platformtest.Video(1)
	platformtest.Contract{
		Link: func(t *testing.T, url string, clk clock.Clock) platform.Link {
			t.Helper()
			link, err := tiktok.NewPersonal(tiktok.PersonalConfig{
				Wire: httpcall.Config{BaseURL: url, Clock: clk}, Sealer: moved{url},
			})
			require.NoError(t, err)
			return link
		},
		Account: platform.Account{
			Type: channel.TikTokPersonal, ExternalID: "_000abc", Username: "acme",
			Credentials: channel.Credentials{AccessToken: "access-token-of-the-contract", RefreshToken: "refresh-token"},
		},
		Handle: platform.Handle(`{"v":1,"asset":"` + video.Asset.ID.String() + `","publish":"v_pub_file~v2-1.123456789",` +
			`"address":"https://open-upload.tiktokapis.com/video/?upload_id=1&upload_token=2","size":10,"chunk":10,"expires":4000000000}`),
		PostID: "v_pub_file~v2-1.123456789",
		Complete: func(t *testing.T, content *platform.Content) {
			t.Helper()
			content.Media, content.Files = []media.Asset{video.Asset}, platformtest.Files(t, video)
		},
	}.Run(t)
}

// TestBusinessContract checks the class and code of responses that integrators report of the Accounts API.
func TestBusinessContract(t *testing.T) {
	t.Parallel()
	video := platformtest.Video(1)
	platformtest.Contract{
		Link: func(t *testing.T, url string, clk clock.Clock) platform.Link {
			t.Helper()
			link, err := tiktok.NewBusiness(tiktok.BusinessConfig{Wire: httpcall.Config{BaseURL: url, Clock: clk}})
			require.NoError(t, err)
			return link
		},
		Account: platform.Account{
			Type: channel.TikTokBusiness, ExternalID: "_000abc", Username: "acme",
			Credentials: channel.Credentials{AccessToken: "access-token-of-the-contract", RefreshToken: "refresh-token"},
		},
		Handle: `{"v":1,"business":{"PrivacyLevel":"PUBLIC_TO_EVERYONE"}}`,
		PostID: "v_pub_url~v2.1234",
		Complete: func(t *testing.T, content *platform.Content) {
			t.Helper()
			content.Media, content.Files = []media.Asset{video.Asset}, platformtest.Files(t, video)
		},
	}.RunIn(t, filepath.Join("testdata", "business"))
}
