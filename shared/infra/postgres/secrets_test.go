package postgres_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// ringOf returns a keyring of keys with these IDs, the first one active. The key "test" is that of the bundle.
func ringOf(t *testing.T, ids ...string) *secretbox.Keyring {
	t.Helper()
	keys := make([]secretbox.Key, len(ids))
	for i, id := range ids {
		material := byte(7)
		if id != "test" {
			material = id[0]
		}
		var err error
		keys[i], err = secretbox.NewKey(id, bytes.Repeat([]byte{material}, 32))
		require.NoError(t, err)
	}
	ring, err := secretbox.NewKeyring(keys)
	require.NoError(t, err)
	return ring
}

// everySecret stores a value in every place of secrets, and returns functions that read each of them with a keyring.
func (b *bundle) everySecret(t *testing.T) map[string]func(*secretbox.Keyring) error {
	t.Helper()
	e := b.endpoint(t, b.ws.ID, "*")
	_, err := b.webhooks.Rotate(t.Context(), b.ws.ID, e.ID, "whsec_second", time.Hour, false)
	require.NoError(t, err)
	begun := b.begin(t, nil)
	request := b.request("stored")
	_, _, err = once(t.Context(), b.db, postgres.NewIdempotency(b.db, keyring(t)), request, responses(response))
	require.NoError(t, err)
	seed := b.usedRefresh(t)
	require.NoError(t, postgres.NewAppCredentials(b.db, keyring(t)).Set(t.Context(), map[string]string{"X_CLIENT_ID": "id"}, "test"))
	attempt := b.connecting(t)
	sent := mail.New(mail.Invitation, b.ws.ID, mail.Content{To: "ada@example.com"}, b.now, time.Time{})
	require.NoError(t, postgres.NewMails(b.db, keyring(t)).Enqueue(t.Context(), sent))
	place := mail.Place{
		ID: ident.New[ident.Place](), WorkspaceID: b.ws.ID, Way: mail.Slack, Name: "Us", Address: "https://hooks.example.com/x", CreatedAt: b.now,
	}
	require.NoError(t, postgres.NewMails(b.db, keyring(t)).AddPlace(t.Context(), place))
	app := b.authenticator(t)
	at := [2]string{"https://fosstodon.org", "https://app.test/connect/mastodon/callback/fosstodon.org"}
	require.NoError(t, postgres.NewServerApplications(b.db, keyring(t)).Register(t.Context(), at[0], at[1], "secret"))
	return map[string]func(*secretbox.Keyring) error{
		"channel credentials": func(box *secretbox.Keyring) error {
			got, _, err := postgres.NewChannels(b.db, box).Credentials(t.Context(), b.ch.ID)
			return same(b.credentials(), got, err)
		},
		"webhook secrets": func(box *secretbox.Keyring) error {
			return opened(t, b, box, "secret", e.ID.String(), "whsec_second")
		},
		"previous webhook secrets": func(box *secretbox.Keyring) error {
			return opened(t, b, box, "previous_secret", e.ID.String(), "")
		},
		"addresses of notifications": func(box *secretbox.Keyring) error {
			got, err := postgres.NewMails(b.db, box).Places(t.Context(), ident.User{}, b.ws.ID)
			if err != nil {
				return err
			}
			return same(place.Address, got[0].Address, nil)
		},
		"addresses of imports": func(box *secretbox.Keyring) error {
			got, err := postgres.NewImports(b.db, box).Get(t.Context(), b.ws.ID, begun.ID)
			return same(begun.URL, got.URL, err)
		},
		"stored responses": func(box *secretbox.Keyring) error {
			_, replayed, err := once(t.Context(), b.db, postgres.NewIdempotency(b.db, box), request, fails)
			return same(true, replayed, err)
		},
		"credentials of applications": func(box *secretbox.Keyring) error {
			got, err := postgres.NewAppCredentials(b.db, box).All(t.Context())
			return same("id", got["X_CLIENT_ID"], err)
		},
		"applications at servers": func(box *secretbox.Keyring) error {
			got, err := postgres.NewServerApplications(b.db, box).Registered(t.Context(), at[0], at[1])
			return same("secret", got, err)
		},
		"secrets of authenticator apps": func(box *secretbox.Keyring) error {
			got, err := postgres.NewFactors(b.db, box).TOTP(t.Context(), app.UserID)
			return same(app.Secret, got.Secret, err)
		},
		"attempts to connect": attempt,
		"mails": func(box *secretbox.Keyring) error {
			got, err := postgres.NewMails(b.db, box).Load(t.Context(), sent.ID)
			return same("ada@example.com", string(got.Content.To), err)
		},
		"seeds of OAuth tokens": func(box *secretbox.Keyring) error { return seed(box) },
	}
}

// usedRefresh stores a refresh token that was exchanged, and returns a function that reads its seed.
func (b *bundle) usedRefresh(t *testing.T) func(*secretbox.Keyring) error {
	t.Helper()
	grants := b.grants(t, b.member(t, "a@example.com", b.ws), b.ws)
	r, err := grants.Refresh(t.Context(), refreshHash)
	require.NoError(t, err)
	require.NoError(t, grants.UseRefresh(t.Context(), refreshHash, r.Grant, []byte("seed"), b.now))
	return func(box *secretbox.Keyring) error {
		r, err := postgres.NewGrants(b.db, box).Refresh(t.Context(), refreshHash)
		return same("seed", string(r.Seed), err)
	}
}

// connecting stores an attempt to connect, and returns a function that reads its secret.
func (b *bundle) connecting(t *testing.T) func(*secretbox.Keyring) error {
	t.Helper()
	a := b.connect(t, b.ws.ID, nil)
	return func(box *secretbox.Keyring) error {
		_, secret, err := postgres.NewConnects(b.db, box).Get(t.Context(), b.ws.ID, a.ID, connectSession)
		return same("v", secret.Verifier, err)
	}
}

func same[T any](want, got T, err error) error {
	if err == nil && fmt.Sprint(want) != fmt.Sprint(got) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return err
}

// opened decrypts a column of the webhook; an empty want accepts any value.
func opened(t *testing.T, b *bundle, box *secretbox.Keyring, column, webhook, want string) error {
	t.Helper()
	raw, err := hex.DecodeString(postgrestest.Column(t, b.address, "SELECT encode("+column+", 'hex') FROM webhook")[0])
	require.NoError(t, err)
	plain, err := box.Open(raw, secretbox.AAD{
		Kind: "webhook", Workspace: b.ws.ID.String(), Record: webhook, Field: "secret",
	})
	if want == "" {
		want = string(plain)
	}
	return same(want, string(plain), err)
}

// TestRewrapEncryptsEverySecretWithActiveKey checks that the old key can be removed afterwards, and was needed before.
func TestRewrapEncryptsEverySecretWithActiveKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	readers := b.everySecret(t)
	both, alone := ringOf(t, "new", "test"), ringOf(t, "new")
	store := postgres.NewSecrets(b.db, both)
	counts, err := store.Count(t.Context())
	require.NoError(t, err)
	var places []string
	for _, c := range counts {
		require.Equal(t, "test", c.Key)
		places = append(places, c.Place)
	}
	for name, read := range readers {
		require.Contains(t, places, name)
		require.ErrorIs(t, read(alone), secretbox.ErrUnknownKey, name)
	}
	require.Len(t, places, len(readers))

	total := 0
	require.NoError(t, store.Rewrap(t.Context(), 1, func(r postgres.Rewrapped) error {
		require.Empty(t, r.Refused)
		total += r.Done
		return nil
	}))
	require.Equal(t, len(readers), total)
	for name, read := range readers {
		require.NoError(t, read(alone), name)
	}
	after, err := store.Count(t.Context())
	require.NoError(t, err)
	require.Len(t, after, len(counts))
	for _, c := range after {
		require.Equal(t, "new", c.Key, c.Place)
	}
	require.NoError(t, store.Rewrap(t.Context(), 1, func(postgres.Rewrapped) error {
		require.Fail(t, "a value was read although none is left")
		return nil
	}))
}

// TestRewrapKeepsConcurrentWrites changes credentials between the reading and the writing of the batch.
func TestRewrapKeepsConcurrentWrites(t *testing.T) {
	t.Parallel()
	b := setup(t)
	commit := hold(t, b.db, func(ctx context.Context) error {
		return b.channels.Replace(ctx, b.ch, channel.Credentials{AccessToken: "newer"})
	})
	var total postgres.Rewrapped
	ended := b.blocked(t, func() error {
		return postgres.NewSecrets(b.impatient(t, time.Minute), ringOf(t, "new", "test")).Rewrap(t.Context(), 10,
			func(r postgres.Rewrapped) error {
				total.Done, total.Changed = total.Done+r.Done, total.Changed+r.Changed
				return nil
			})
	})
	commit()
	require.NoError(t, <-ended)
	require.Equal(t, postgres.Rewrapped{Changed: 1}, total)
	got, _, err := b.channels.Credentials(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, "newer", got.AccessToken)
}

// TestRewrapReportsUnreadableValues checks that a damaged value and a missing key neither stop the rest nor change.
func TestRewrapReportsUnreadableValues(t *testing.T) {
	t.Parallel()
	b := setup(t)
	foreign := b.channelOf(t, b.tenant(t))
	damaged := b.channelOf(t, b.tenant(t))
	postgrestest.Exec(t, b.address,
		`UPDATE channel SET credentials = set_byte(credentials, 90, get_byte(credentials, 90) # 1) WHERE id = $1`, damaged.ID.String())
	lost := postgres.NewChannels(b.db, ringOf(t, "lost"))
	require.NoError(t, lost.Replace(t.Context(), foreign, b.credentials()))
	store := postgres.NewSecrets(b.db, ringOf(t, "new", "test"))
	var refused []string
	done := 0
	require.NoError(t, store.Rewrap(t.Context(), 1, func(r postgres.Rewrapped) error {
		refused, done = append(refused, r.Refused...), done+r.Done
		return nil
	}))
	require.Equal(t, 1, done)
	slices.Sort(refused)
	require.Len(t, refused, 2)
	text := strings.Join(refused, "\n")
	require.Contains(t, text, damaged.ID.String()+": secretbox: value is damaged")
	require.Contains(t, text, foreign.ID.String()+`: secretbox: unknown key "lost"`)
	sampled, err := store.Sample(t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, sampled["lost"], secretbox.ErrUnknownKey)
	require.ErrorIs(t, sampled["test"], secretbox.ErrTampered)
	require.NoError(t, sampled["new"])
}

// TestUploadSessionsAreCounted checks that sealed addresses in handles are counted, because their key is still needed.
func TestUploadSessionsAreCounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sealed, err := keyring(t).Seal([]byte("https://upload.test/?upload_id=1"), secretbox.AAD{
		Kind: "upload", Workspace: b.ws.ID.String(), Record: uuid.NewString(), Field: "session",
	})
	require.NoError(t, err)
	handle, err := json.Marshal(map[string]any{"query": base64.RawStdEncoding.EncodeToString(sealed), "size": 1})
	require.NoError(t, err)
	p := b.scheduled(t)
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	require.NoError(t, b.attempts.Prepared(t.Context(), job, intent(1, string(handle))))
	counts, err := postgres.NewSecrets(b.db, nil).Count(t.Context())
	require.NoError(t, err)
	require.Contains(t, counts, postgres.SecretCount{Key: "test", Place: "upload sessions", Count: 1})
}

// TestEverySecretColumnIsKnown compares the columns that hold sealed values with the columns of bytes in the schema: a
// new column is either a place of secrets, which a change of keys must wrap again, or is listed here as another one.
func TestEverySecretColumnIsKnown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.everySecret(t)
	var others []string
	for _, c := range postgrestest.Column(t, b.address, `SELECT table_name || '.' || column_name FROM information_schema.columns
		WHERE table_schema = 'public' AND data_type = 'bytea' ORDER BY 1`) {
		table, column, _ := strings.Cut(c, ".")
		// Every sealed value begins with the version, the length of the key's ID, and the ID.
		sealed := postgrestest.Column(t, b.address, fmt.Sprintf(
			`SELECT count(*) FROM %s WHERE encode(%s, 'hex') LIKE '0104%x%%'`, table, column, "test"))
		if sealed[0] == "0" {
			others = append(others, c)
		}
	}
	require.ElementsMatch(t, plainBytes(), others)
}

// plainBytes are the columns of bytes that hold no sealed value: hashes, fingerprints and bodies.
func plainBytes() []string {
	return []string{
		"address_change.arriving", "address_change.leaving", "api_key.hash", "calendar_feed.hash", "client_link.hash", "connect_attempt.session", "connect_attempt.state", "event.body", "idempotency_key.fingerprint",
		"inbound_event.body", "inbound_source.previous_hash", "inbound_source.secret_hash",
		"invitation.hash", "link_visit_salt.salt", "link_visitor.source", "link_visitor.visitor",
		"media.published_sha256", "media.sha256", "media_import.fingerprint", "media_rendition.sha256", "notice_code.hash",
		"oauth_access_token.follows", "oauth_access_token.hash", "oauth_client.secret_hash", "oauth_code.hash",
		"oauth_device.hash", "oauth_device.user_hash",
		"oauth_refresh_token.follows", "oauth_refresh_token.hash", "oauth_request.hash", "password_reset.hash", "report_link.hash",
		"setup_link.hash", "sign_in_step.session", "source_item.key", "user_passkey.credential_id", "user_recovery_code.hash",
		"user_session.hash",
	}
}

// TestUnreadableChannelsKeepTheirTimes assesses a channel again whose credentials no key opens for a while.
func TestUnreadableChannelsKeepTheirTimes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var broken []channel.Channel
	assess := func(box *secretbox.Keyring, at time.Time) {
		_, err := postgres.NewRenewals(b.db, box).Assess(t.Context(), at, at, 10,
			func(channel.Channel, channel.Credentials) postgres.Assessment {
				return postgres.Assessment{
					RenewAt: b.now.Add(time.Hour), EndsAt: b.now.Add(2 * time.Hour), Status: channel.TokenHealthy,
				}
			},
			func(c channel.Channel, _ error) { broken = append(broken, c) })
		require.NoError(t, err)
	}
	times := func() []string {
		return postgrestest.Column(t, b.address, `SELECT renew_at || ' ' || token_end_at FROM channel WHERE id = $1`, b.ch.ID.String())
	}
	assess(ringOf(t, "test"), b.now)
	before := times()
	require.Len(t, before, 1)
	require.NotEmpty(t, before[0])
	assess(ringOf(t, "other"), b.now.Add(time.Minute))
	require.NotEmpty(t, broken)
	require.Equal(t, before, times())
}

// TestSecondWriterChangesVersion stores a value whose writer began before the last one.
func TestSecondWriterChangesVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewAppCredentials(b.db, keyring(t))
	version := func() string {
		got, err := store.Version(t.Context())
		require.NoError(t, err)
		return got
	}
	none := version()
	set := func(value string) {
		require.NoError(t, store.Set(t.Context(), map[string]string{"X_CLIENT_SECRET": value}, "test"))
		postgrestest.Exec(t, b.address, `UPDATE app_credential SET updated_at = '2026-01-01'`)
	}
	set("first")
	first := version()
	require.NotEqual(t, none, first)
	require.Equal(t, first, version())
	set("second")
	require.NotEqual(t, first, version())
}

// TestApplicationsAtServers checks that the latest application of a server and redirect address is kept, encrypted.
func TestApplicationsAtServers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewServerApplications(b.db, keyring(t))
	const server, redirect = "https://fosstodon.org", "https://app.test/callback"
	got, err := store.Registered(t.Context(), server, redirect)
	require.NoError(t, err)
	require.Empty(t, got)
	for _, application := range []string{"first", "second"} {
		require.NoError(t, store.Register(t.Context(), server, redirect, application))
		got, err = store.Registered(t.Context(), server, redirect)
		require.NoError(t, err)
		require.Equal(t, application, got)
	}
	got, err = store.Registered(t.Context(), "https://hachyderm.io", redirect)
	require.NoError(t, err)
	require.Empty(t, got)
	require.Equal(t, []string{"0"}, postgrestest.Column(t, b.address,
		`SELECT count(*)::text FROM server_application WHERE encode(value, 'escape') LIKE '%second%'`))
	postgrestest.Exec(t, b.address, `UPDATE server_application SET server = 'https://hachyderm.io'`)
	_, err = store.Registered(t.Context(), "https://hachyderm.io", redirect)
	require.Error(t, err, "the value belongs to its server")
}
