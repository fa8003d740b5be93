package harness

import (
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/channel/slot"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/ident"
)

// account is an account on the sandbox network, which takes any that is named in its tokens.
type account struct {
	id          string
	credentials channel.Credentials
}

// on is an account that the network knows by its name.
func on(network channel.Network, name string) account {
	return account{id: name, credentials: channel.Credentials{
		AccessToken: "sandbox-" + string(network) + "-" + name, RefreshToken: "sandbox-refresh-" + name,
	}}
}

// withoutRefresh is an account of a network that gives no refresh tokens.
func (a account) withoutRefresh() account {
	a.credentials.RefreshToken = ""
	return a
}

// accounts are the channels of every system. A network remembers tokens and texts by account: two channels of one network
// have one each.
func accounts() map[channel.Type]account {
	return map[channel.Type]account{
		channel.Twitter:               on(channel.NetworkX, "acme"),
		channel.Threads:               on(channel.NetworkThreads, "acme").withoutRefresh(),
		channel.TelegramChannel:       {id: "-1001", credentials: channel.Credentials{AccessToken: "1001:sandbox-acme"}}, //nolint:gosec // the sandbox takes any
		channel.LinkedInProfile:       on(channel.NetworkLinkedIn, "acme"),
		channel.LinkedInPage:          on(channel.NetworkLinkedIn, "acmeco"),
		channel.InstagramProfessional: on(channel.NetworkInstagram, "acme").withoutRefresh(),
		channel.FacebookPage:          on(channel.NetworkFacebook, "acme").withoutRefresh(),
		channel.GoogleBusiness:        on(channel.NetworkGoogleBusiness, "acme"),
		channel.Pinterest:             on(channel.NetworkPinterest, "acme"),
		channel.TikTokPersonal:        on(channel.NetworkTikTok, "acme"),
		channel.TikTokBusiness:        on(channel.NetworkTikTok, "acmeco"),
	}
}

func (s *System) connect() {
	s.t.Helper()
	for typ, a := range accounts() {
		s.Channels[typ] = s.AddChannel(typ, a.id, a.credentials)
	}
}

// Secrets are what no log, row, history or answer may show: the keys, tokens and secrets that the system was given.
func (s *System) Secrets() map[string]string {
	s.t.Helper()
	_, raw, _ := strings.Cut(encryptionKey, ":")
	secrets := map[string]string{"the API key": s.Key, "the encryption key": raw}
	if s.Receiver.Secret() != "" {
		secrets["the signing secret"] = s.Receiver.Secret()
	}
	for typ, a := range accounts() {
		secrets["the access token of "+string(typ)] = a.credentials.AccessToken
		if a.credentials.RefreshToken != "" {
			secrets["the refresh token of "+string(typ)] = a.credentials.RefreshToken
		}
	}
	return secrets
}

// AddChannel connects one more account.
func (s *System) AddChannel(typ channel.Type, external string, credentials channel.Credentials) channel.Channel {
	s.t.Helper()
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: s.Workspace, Name: "Acme on " + string(typ.Network()), Type: typ, Username: "acme",
		ExternalID: external, IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: time.Now().UTC(),
	}
	require.NoError(s.t, postgres.NewChannels(s.DB, Keyring(s.t)).Insert(s.t.Context(), c, credentials))
	return c
}

// SetSlots gives a channel a posting schedule.
func (s *System) SetSlots(typ channel.Type, slots ...slot.Slot) {
	s.t.Helper()
	require.NoError(s.t, postgres.NewChannels(s.DB, Keyring(s.t)).SetSlots(s.t.Context(), s.Channels[typ].ID, slots))
}
