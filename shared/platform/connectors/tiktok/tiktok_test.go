package tiktok_test

import (
	"crypto/x509"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/tiktok"
	"fencepost.internal/shared/platform/platformtest"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

// link is the common interface of both products.
type link interface {
	platform.Link
	platform.CreatorInformer
}

type bundle struct {
	script  *platformtest.Script
	link    link
	account platform.Account
}

func personal(t *testing.T, responses map[string][]platformtest.Response) *bundle {
	t.Helper()
	script := platformtest.NewScript(t, responses)
	return &bundle{
		script: script, link: newPersonal(t, httpcall.Config{BaseURL: script.URL}, "key"),
		account: account(channel.TikTokPersonal),
	}
}

func business(t *testing.T, responses map[string][]platformtest.Response) *bundle {
	t.Helper()
	script := platformtest.NewScript(t, responses)
	return &bundle{
		script: script, link: newBusiness(t, httpcall.Config{BaseURL: script.URL}, "7123"),
		account: account(channel.TikTokBusiness),
	}
}

func newPersonal(t *testing.T, config httpcall.Config, key string) link {
	t.Helper()
	config.Clock = clocktest.New(now())
	created, err := tiktok.NewPersonal(tiktok.PersonalConfig{Wire: config, ClientKey: key, ClientSecret: "app/secret"})
	require.NoError(t, err)
	return created
}

func newBusiness(t *testing.T, config httpcall.Config, id string) link {
	t.Helper()
	config.Clock = clocktest.New(now())
	created, err := tiktok.NewBusiness(tiktok.BusinessConfig{Wire: config, AppID: id, Secret: "app/secret"})
	require.NoError(t, err)
	return created
}

func account(kind channel.Type) platform.Account {
	return platform.Account{
		Type: kind, ExternalID: "_000abc", Username: "acme",
		Credentials: channel.Credentials{AccessToken: "access/1", RefreshToken: "refresh/1"},
	}
}

func ok(body string) platformtest.Response { return platformtest.Response{Body: body} }

func fresh(app, refresh string, life, refreshLife time.Duration) channel.Credentials {
	fresh := channel.Credentials{
		AccessToken: "access-2", RefreshToken: refresh, IssuedAt: now(), ExpiresAt: now().Add(life), ClientID: app,
	}
	if refreshLife > 0 {
		fresh.RefreshExpiresAt = now().Add(refreshLife)
	}
	return fresh
}

func requireSafe(t *testing.T, err error) {
	t.Helper()
	text := fmt.Sprintf("%v %+v %#v", err, err, platformtest.Failure(t, err).Cause)
	for _, secret := range []string{"access/1", "access%2F1", "refresh/1", "refresh%2F1", "app/secret", "app%2Fsecret"} {
		require.NotContains(t, text, secret)
	}
}

func TestNewRequiresClock(t *testing.T) {
	t.Parallel()

	_, err := tiktok.NewPersonal(tiktok.PersonalConfig{})
	require.Error(t, err)
	_, err = tiktok.NewBusiness(tiktok.BusinessConfig{})
	require.Error(t, err)
}

// TestEachTypeHasOneLink checks that a registry can hold both products.
func TestEachTypeHasOneLink(t *testing.T) {
	t.Parallel()

	a, b := newPersonal(t, httpcall.Config{}, "key"), newBusiness(t, httpcall.Config{}, "id")
	registry, err := platform.NewRegistry(a, b)
	require.NoError(t, err)
	for kind, want := range map[channel.Type]link{channel.TikTokPersonal: a, channel.TikTokBusiness: b} {
		found, known := registry.Link(channel.Channel{Type: kind})
		require.True(t, known)
		require.Same(t, want, found)
	}
}

func TestNothingIsSentWithoutToken(t *testing.T) {
	t.Parallel()

	for _, b := range []*bundle{personal(t, nil), business(t, nil)} {
		b.account.Credentials = channel.Credentials{}
		_, err := b.link.CreatorInfo(t.Context(), b.account)
		require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
		_, err = b.link.Refresh(t.Context(), b.account)
		require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
		require.Empty(t, b.script.Requests())
	}
}

// TestRefreshWithoutApp checks that a configuration error does not mark every channel as disconnected.
func TestRefreshWithoutApp(t *testing.T) {
	t.Parallel()

	script := platformtest.NewScript(t, nil)
	config := httpcall.Config{BaseURL: script.URL}
	for _, each := range []link{newPersonal(t, config, ""), newBusiness(t, config, "")} {
		_, err := each.Refresh(t.Context(), account(each.Types()[0]))
		require.Equal(t, platform.ClassOperator, platformtest.Failure(t, err).Class)
	}
	require.Empty(t, script.Requests())
}

// TestPicturesRequireHTTPS checks that only https images are accepted with a production URL.
func TestPicturesRequireHTTPS(t *testing.T) {
	t.Parallel()

	for address, want := range map[string]string{
		"https://p16.tiktokcdn.com/a.jpeg?x-expires=1": "https://p16.tiktokcdn.com/a.jpeg?x-expires=1",
		"http://p16.tiktokcdn.com/a.jpeg":              "",
		"javascript:alert(1)":                          "",
		"data:image/svg+xml,<svg onload=alert(1)>":     "",
		"https://user:secret@example.com/a.jpeg":       "",
		"//example.com/a.jpeg":                         "",
		"":                                             "",
	} {
		script := platformtest.NewScript(t, map[string][]platformtest.Response{
			creatorCall: {
				ok(
					fmt.Sprintf(
						`{"data":{"creator_avatar_url":%q,"privacy_level_options":[],"max_video_post_duration_sec":1},"error":{"code":"ok"}}`, address)),
			},
			settingsCall: {ok(`{"code":0,"data":{"max_video_post_duration_sec":1}}`)},
			profileCall:  {ok(fmt.Sprintf(`{"code":0,"data":{"profile_image":%q}}`, address))},
		})
		server := httptest.NewTLSServer(script)
		t.Cleanup(server.Close)
		roots := x509.NewCertPool()
		roots.AddCert(server.Certificate())
		config := httpcall.Config{BaseURL: server.URL, RootCAs: roots}
		for _, each := range []link{newPersonal(t, config, "key"), newBusiness(t, config, "id")} {
			info, err := each.CreatorInfo(t.Context(), account(each.Types()[0]))
			require.NoError(t, err)
			require.Equal(t, want, info.AvatarURL, address)
		}
	}
}
