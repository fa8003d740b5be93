package channel_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
)

func TestCapabilities(t *testing.T) {
	t.Parallel()
	for _, typ := range channel.Types() {
		require.True(t, typ.Known())
		require.NotEmpty(t, typ.Network(), "%s", typ)
	}
	for typ, want := range map[channel.Type]channel.Capabilities{
		channel.Twitter:             {Publish: true, Analytics: true},
		channel.LinkedInPage:        {Publish: true, Analytics: true},
		channel.LinkedInProfile:     {Publish: true},
		channel.TelegramChannel:     {Publish: true, Analytics: true, EditAfterPublish: true, DeleteAfterPublish: true},
		channel.TelegramBusiness:    {Analytics: true},
		channel.Bluesky:             {Publish: true, Analytics: true},
		channel.Mastodon:            {Publish: true, Analytics: true},
		channel.WhatsAppBusiness:    {},
		channel.FacebookGroup:       {},
		channel.InstagramPersonal:   {},
		channel.Type("NEW_NETWORK"): {},
	} {
		require.Equal(t, want, typ.Capabilities(), "%s", typ)
	}
	unknown := channel.Type("NEW_NETWORK")
	require.False(t, unknown.Known())
	require.Empty(t, unknown.Network())
}

func TestReady(t *testing.T) {
	t.Parallel()
	require.True(t, channel.Channel{IsConnected: true, TokenStatus: channel.TokenHealthy}.Ready())
	require.True(t, channel.Channel{IsConnected: true, TokenStatus: channel.TokenExpiring}.Ready())
	require.False(t, channel.Channel{IsConnected: true, TokenStatus: channel.TokenNeedsReconnect}.Ready())
	require.False(t, channel.Channel{TokenStatus: channel.TokenHealthy}.Ready())
}

func TestCredentialsAreNeverPrinted(t *testing.T) {
	t.Parallel()
	c := channel.Credentials{AccessToken: "canary", RefreshToken: "canary"}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		require.NotContains(t, fmt.Sprintf(format, c), "canary")
	}
}

func TestNetworksHaveNames(t *testing.T) {
	t.Parallel()
	names := make(map[string]channel.Network)
	for _, typ := range channel.Types() {
		network := typ.Network()
		require.NotEqual(t, string(network), network.Name(), "it has a name for people")
		if known, taken := names[network.Name()]; taken {
			require.Equal(t, known, network, "two networks have one name")
		}
		names[network.Name()] = network
	}
	require.Equal(t, "new", channel.Network("new").Name())
}

// TestNamesOfTypes checks that the types of a network have different names.
func TestNamesOfTypes(t *testing.T) {
	t.Parallel()
	names := map[string]channel.Type{}
	for _, of := range channel.Types() {
		require.NotEmpty(t, of.Name(), of)
		require.Empty(t, names[of.Name()], of.Name())
		names[of.Name()] = of
	}
	require.Equal(t, channel.LinkedInPage, names["LinkedIn page"])
	require.Equal(t, channel.TikTokPersonal, names["TikTok"])
}

// TestPaused checks both reasons for which the posts of a channel wait.
func TestPaused(t *testing.T) {
	t.Parallel()
	require.False(t, channel.Channel{}.Paused())
	require.True(t, channel.Channel{IsQueuePaused: true}.Paused())
	require.True(t, channel.Channel{PublishingStopped: true}.Paused())
}

func TestNetworkAt(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]channel.Network{
		"www.Instagram.com": channel.NetworkInstagram, "m.youtube.com": channel.NetworkYouTube, "t.me": channel.NetworkTelegram,
		"example.com": "", "instagram.com.evil.test": "",
	} {
		require.Equal(t, want, channel.NetworkAt(host), host)
	}
}
