package harness

import (
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// account is an account on the sandbox network, which accepts any account named in a token.
type account struct {
	id          string
	credentials channel.Credentials
}

// on returns the account of the channel type and the name, as the connectors declare it.
func on(typ channel.Type, name string) account {
	declared := connectors.Of(typ.Network()).SandboxAccount(typ, name)
	return account{id: declared.ID, credentials: declared.Credentials}
}

// accounts returns the accounts of every system's channels. Networks store texts per account, so two channels of one
// network have different accounts.
func accounts() map[channel.Type]account {
	return map[channel.Type]account{
		channel.Twitter:               on(channel.Twitter, "acme"),
		channel.Threads:               on(channel.Threads, "acme"),
		channel.TelegramChannel:       {id: "-1001", credentials: channel.Credentials{AccessToken: "1001:sandbox-acme"}}, //nolint:gosec // the sandbox accepts any
		channel.LinkedInProfile:       on(channel.LinkedInProfile, "acme"),
		channel.LinkedInPage:          on(channel.LinkedInPage, "acmeco"),
		channel.InstagramProfessional: on(channel.InstagramProfessional, "acme"),
		channel.FacebookPage:          on(channel.FacebookPage, "acme"),
		channel.GoogleBusiness:        on(channel.GoogleBusiness, "acme"),
		channel.Pinterest:             on(channel.Pinterest, "acme"),
		channel.YouTube:               on(channel.YouTube, "acme"),
		channel.TikTokPersonal:        on(channel.TikTokPersonal, "acme"),
		channel.TikTokBusiness:        on(channel.TikTokBusiness, "acmeco"),
		channel.Bluesky:               on(channel.Bluesky, "acme"),
		channel.Mastodon:              on(channel.Mastodon, "acme"),
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
	_, raw, _ := strings.Cut(EncryptionKey, ":")
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

// AddChannel connects another account. As for a person's connection, the time is stored, so that its credentials are not
// renewed at once: a process that a test kills meanwhile would take a rotating refresh token with it.
func (s *System) AddChannel(typ channel.Type, external string, credentials channel.Credentials) channel.Channel {
	s.t.Helper()
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: s.Workspace, Name: "Acme on " + string(typ.Network()), Type: typ,
		Username:   "acme",
		ExternalID: external, IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC",
		CreatedAt: time.Now().UTC(),
	}
	credentials.StoredAt = c.CreatedAt
	require.NoError(s.t, postgres.NewChannels(s.DB, Keyring(s.t)).Insert(s.t.Context(), c, credentials))
	return c
}

// BusinessBot is the token of a bot of the sandbox that accounts can let take part in their conversations.
const BusinessBot = "77:sandbox-inbox"

// AddInbox lets a bot take part in a Telegram account, and connects the account.
func (s *System) AddInbox(account string) channel.Channel {
	s.t.Helper()
	s.Sandbox.ConnectBot("inbox", account, true, true)
	links, err := connectors.New(connectors.Environment{SandboxURL: s.Sandbox.URL()}, clock.System(), 0)
	require.NoError(s.t, err)
	link, _ := links.Link(channel.Channel{Type: channel.TelegramBusiness})
	enterer, ok := link.(platform.Enterer)
	require.True(s.t, ok)
	found, err := enterer.Enter(s.t.Context(), map[string]string{"token": BusinessBot})
	require.NoError(s.t, err)
	require.Len(s.t, found, 1)
	return s.AddChannel(channel.TelegramBusiness, found[0].ExternalID, found[0].Credentials)
}

// AddNumber connects the WhatsApp number of a business.
func (s *System) AddNumber(business string) channel.Channel {
	s.t.Helper()
	number := connectors.Of(channel.NetworkWhatsApp).SandboxAccount(channel.WhatsAppBusiness, business)
	return s.AddChannel(channel.WhatsAppBusiness, number.ID, number.Credentials)
}

// Reconnect stores new credentials of a channel, as a person does who connects it again.
func (s *System) Reconnect(c channel.Channel, credentials channel.Credentials) {
	s.t.Helper()
	c.TokenStatus, credentials.StoredAt = channel.TokenHealthy, time.Now().UTC()
	require.NoError(s.t, postgres.NewChannels(s.DB, Keyring(s.t)).Replace(s.t.Context(), c, credentials))
}

// SetSlots sets the posting schedule of a channel.
func (s *System) SetSlots(typ channel.Type, slots ...slot.Slot) {
	s.t.Helper()
	require.NoError(s.t, postgres.NewChannels(s.DB, Keyring(s.t)).SetSlots(s.t.Context(), s.Channels[typ].ID, slots))
}
