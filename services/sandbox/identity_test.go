package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/connectors/facebook"
	"fencepost.internal/shared/platform/connectors/googlebusiness"
	"fencepost.internal/shared/platform/connectors/instagram"
	"fencepost.internal/shared/platform/connectors/linkedin"
	"fencepost.internal/shared/platform/connectors/pinterest"
	"fencepost.internal/shared/platform/connectors/telegram"
	"fencepost.internal/shared/platform/connectors/threads"
	"fencepost.internal/shared/platform/connectors/tiktok"
	"fencepost.internal/shared/platform/connectors/whatsapp"
	"fencepost.internal/shared/platform/connectors/x"
	"fencepost.internal/shared/platform/connectors/youtube"
	"fencepost.internal/shared/platform/platformtest"
)

// identified holds the differences between the links.
type identified struct {
	prefix  string
	make    func(connectors.Config) (platform.Link, error)
	foreign string // an account for which another account's token is invalid
	access  bool   // the network reports no id
	named   bool   // faults concern accounts by their names
}

func identities() map[channel.Type]identified {
	linkedIn := func(config connectors.Config) linkedin.Config {
		return linkedin.Config{Wire: config, Version: "202609"}
	}
	return map[channel.Type]identified{
		channel.Twitter: {
			prefix: "/x", make: func(c connectors.Config) (platform.Link, error) { return x.New(x.Config{Wire: c}) },
		},
		channel.Threads: {
			prefix: "/threads",
			make:   func(c connectors.Config) (platform.Link, error) { return threads.New(threads.Config{Wire: c}) },
		},
		channel.InstagramProfessional: {
			prefix: "/instagram",
			make:   func(c connectors.Config) (platform.Link, error) { return instagram.New(instagram.Config{Wire: c}) },
		},
		channel.FacebookPage: {
			prefix: "/facebook",
			make:   func(c connectors.Config) (platform.Link, error) { return facebook.New(facebook.Config{Wire: c}) },
		},
		channel.TelegramChannel: {
			prefix: "/telegram", foreign: "@reader",
			make: func(c connectors.Config) (platform.Link, error) { return telegram.New(telegram.Config{Wire: c}) },
		},
		channel.TelegramBusiness: {
			prefix: "/telegram", foreign: "2:1", named: true,
			make: func(c connectors.Config) (platform.Link, error) {
				return telegram.NewBusiness(telegram.Config{Wire: c})
			},
		},
		channel.WhatsAppBusiness: {
			prefix: "/whatsapp", foreign: "2000000000000001", named: true,
			make: func(c connectors.Config) (platform.Link, error) { return whatsapp.New(whatsapp.Config{Wire: c}) },
		},
		channel.Mastodon: {
			prefix: "/mastodon", make: func(c connectors.Config) (platform.Link, error) { return mastodonAt(c) },
		},
		channel.Bluesky: {
			prefix: "/bluesky", make: func(c connectors.Config) (platform.Link, error) { return blueskyAt(c) },
		},
		channel.LinkedInProfile: {
			prefix: "/linkedin",
			make:   func(c connectors.Config) (platform.Link, error) { return linkedin.NewProfile(linkedIn(c)) },
		},
		channel.LinkedInPage: {
			prefix: "/linkedin",
			make:   func(c connectors.Config) (platform.Link, error) { return linkedin.NewPage(linkedIn(c)) },
		},
		channel.GoogleBusiness: {
			prefix: "/googlebusiness", access: true, foreign: "accounts/1/locations/somebodyelse",
			make: func(c connectors.Config) (platform.Link, error) {
				return googlebusiness.New(googlebusiness.Config{Wire: c, TokenURL: c.BaseURL + "/token"})
			},
		},
		channel.YouTube: {prefix: "/youtube", make: func(c connectors.Config) (platform.Link, error) {
			return youtube.New(youtube.Config{Wire: c, TokenURL: c.BaseURL + "/token"})
		}},
		channel.Pinterest: {
			prefix: "/pinterest",
			make:   func(c connectors.Config) (platform.Link, error) { return pinterest.New(pinterest.Config{Wire: c}) },
		},
		channel.TikTokPersonal: {prefix: "/tiktok", make: func(c connectors.Config) (platform.Link, error) {
			return tiktok.NewPersonal(tiktok.PersonalConfig{Wire: c})
		}},
		channel.TikTokBusiness: {
			prefix: "/tiktok-business", make: func(c connectors.Config) (platform.Link, error) {
				return tiktok.NewBusiness(tiktok.BusinessConfig{Wire: c})
			},
		},
	}
}

// TestIdentity runs for every type in identities. TestEveryLinkHasIdentityTest checks that these are the links of the
// registry.
func TestIdentity(t *testing.T) {
	t.Parallel()
	for typ, network := range identities() {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			foreign := network.foreign
			if foreign == "" {
				foreign = "somebodyelse"
			}
			platformtest.RunIdentity(t, platformtest.IdentityHarness{
				Network: typ.Network(), Sandbox: start(t, t.TempDir()), Prefix: network.prefix, Foreign: foreign,
				ByAccess: network.access, ByName: network.named,
				Link: func(t *testing.T, config connectors.Config) platform.Link {
					t.Helper()
					link, err := network.make(config)
					require.NoError(t, err)
					require.Contains(t, link.Types(), typ)
					return link
				},
				Account: func(name string) platform.Account { return reader(typ, name) },
			})
		})
	}
}

// TestEveryLinkHasIdentityTest compares the types of TestIdentity with the links of the registry.
func TestEveryLinkHasIdentityTest(t *testing.T) {
	t.Parallel()
	registry, err := connectors.New(connectors.Environment{SandboxURL: "http://127.0.0.1:1"}, clock.System(), 0)
	require.NoError(t, err)
	for _, typ := range channel.Types() {
		_, served := registry.Link(channel.Channel{Type: typ})
		_, tested := identities()[typ]
		require.Equal(t, served, tested, typ)
	}
}
