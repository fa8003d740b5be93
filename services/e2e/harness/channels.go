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

// account is an account on the sandbox network, which accepts any account named in a token.
type account struct {
	id          string
	credentials channel.Credentials
}

// on returns an account that the network identifies by name.
func on(network channel.Network, name string) account {
	return account{id: name, credentials: channel.Credentials{
		AccessToken: "sandbox-" + string(network) + "-" + name, RefreshToken: "sandbox-refresh-" + name,
	}}
}

// named replaces the account's id by its full name, for networks whose ids are more than the name in their tokens.
func (a account) named(id string) account {
	a.id = id
	return a
}

// withoutRefresh removes the refresh token, for networks that do not issue any.
func (a account) withoutRefresh() account {
	a.credentials.RefreshToken = ""
	return a
}

// accounts returns the accounts of every system's channels. Networks store tokens and texts per account, so two
// channels of one network have different accounts.
func accounts() map[channel.Type]account {
	return map[channel.Type]account{
		channel.Twitter:               on(channel.NetworkX, "acme"),
		channel.Threads:               on(channel.NetworkThreads, "acme").withoutRefresh(),
		channel.TelegramChannel:       {id: "-1001", credentials: channel.Credentials{AccessToken: "1001:sandbox-acme"}}, //nolint:gosec // the sandbox accepts any
		channel.LinkedInProfile:       on(channel.NetworkLinkedIn, "acme"),
		channel.LinkedInPage:          on(channel.NetworkLinkedIn, "acmeco"),
		channel.InstagramProfessional: on(channel.NetworkInstagram, "acme").withoutRefresh(),
		channel.FacebookPage:          on(channel.NetworkFacebook, "acme").withoutRefresh(),
		channel.GoogleBusiness:        on(channel.NetworkGoogleBusiness, "acme").named("accounts/1/locations/acme"),
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

// Secrets returns the keys, tokens and secrets of the system, which no log, row, history or response may contain.
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

// AddChannel connects another account.
func (s *System) AddChannel(typ channel.Type, external string, credentials channel.Credentials) channel.Channel {
	s.t.Helper()
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: s.Workspace, Name: "Acme on " + string(typ.Network()), Type: typ,
		Username:   "acme",
		ExternalID: external, IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC",
		CreatedAt: time.Now().UTC(),
	}
	require.NoError(s.t, postgres.NewChannels(s.DB, Keyring(s.t)).Insert(s.t.Context(), c, credentials))
	return c
}

// SetSlots sets the posting schedule of a channel.
func (s *System) SetSlots(typ channel.Type, slots ...slot.Slot) {
	s.t.Helper()
	require.NoError(s.t, postgres.NewChannels(s.DB, Keyring(s.t)).SetSlots(s.t.Context(), s.Channels[typ].ID, slots))
}
