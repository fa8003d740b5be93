package mailing_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/mailing"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/mailer"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

const appURL = "https://app.example.com"

// server is a mail server that responds with an error; nil accepts the mail.
type server struct {
	response error
	mails    []mailer.Message
}

func (s *server) Send(_ context.Context, m mailer.Message) error {
	s.mails = append(s.mails, m)
	return s.response
}

type bundle struct {
	*mailing.Mailing

	server *server
	clock  *clocktest.Fake
	mails  *postgres.Mails
	db     *postgres.DB
	dsn    string
	logs   bytes.Buffer
	hooked []egress.Request
	texts  map[string]string // the last text of each chat on Telegram
	status int               // of the response of a webhook
	broken error             // of the exchange
	unmade error             // why no report is made
}

// Do is the incoming webhook of a chat.
func (b *bundle) Do(_ context.Context, r egress.Request) (*egress.Response, error) {
	b.hooked = append(b.hooked, r)
	return &egress.Response{Status: cmp.Or(b.status, http.StatusOK)}, b.broken
}

// Make makes the report of a workspace.
func (b *bundle) Make(_ context.Context, of ident.Workspace, month analytics.Month) ([]byte, error) {
	return []byte("%PDF of " + of.String() + " " + month.String()), b.unmade
}

// Notify is the bot on Telegram.
func (b *bundle) Notify(_ context.Context, chat, text string) error {
	b.texts[chat] = text
	return b.broken
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{server: &server{}, texts: make(map[string]string), clock: clocktest.New(time.Now().UTC().Truncate(time.Millisecond))}
	b.db, b.dsn = postgrestest.OpenURL(t)
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	box, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	b.mails = postgres.NewMails(b.db, box)
	b.Mailing, err = mailing.New(mailing.Config{
		Store: b.mails, Sender: b.server, Hooks: b, Reports: b, Bot: b, AppURL: appURL, Clock: b.clock,
		Logger: slog.New(slog.NewTextHandler(&b.logs, nil)), Metrics: mailing.NewMetrics(prometheus.NewRegistry()), RetryScale: 1,
	})
	require.NoError(t, err)
	return b
}

func (b *bundle) stored(t *testing.T, kind mail.Kind, content mail.Content) flow.MailInput {
	t.Helper()
	m := mail.New(kind, ident.Workspace{}, content, b.clock.Now(), time.Time{})
	require.NoError(t, b.mails.Enqueue(t.Context(), m))
	return flow.MailInput{MailID: m.ID, Kind: kind}
}

func (b *bundle) gone(t *testing.T, in flow.MailInput) bool {
	t.Helper()
	_, err := b.mails.Load(t.Context(), in.MailID)
	return apperr.Is(err, apperr.NotFound)
}

func TestSentMailIsDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.stored(t, mail.Invitation, mail.Content{
		To: "grace@example.com", Secret: "svc_inv_x", Workspace: "Acme", Actor: "Ada", Role: "EDITOR",
	})
	out, err := b.Send(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, flow.MailOutcome{Done: true, Note: "Sent."}, out)
	require.True(t, b.gone(t, in))
	sent := b.server.mails[0]
	require.Equal(t, in.MailID, sent.ID)
	require.Equal(t, "grace@example.com", sent.To)
	require.Contains(t, sent.Text, appURL+"/invitations/svc_inv_x")
	out, err = b.Send(t.Context(), in) // the response to the first try was lost
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Len(t, b.server.mails, 1)
}

func TestFailedMailIsRetriedUntilExpiry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.stored(t, mail.Invitation, mail.Content{To: "grace@example.com", Secret: "svc_inv_canary"})
	b.server.response = &mailer.Failed{Reason: "The mail server responded with code 451."}
	for tries, want := range []time.Duration{10, 20, 40, 80, 160, 320, 640, 900, 900} {
		in.Tries = tries
		out, err := b.Send(t.Context(), in)
		require.NoError(t, err)
		require.False(t, out.Done)
		require.InEpsilon(t, (want * time.Second).Seconds(), out.Wait.Seconds(), 0.21)
		require.Equal(t, "The mail server responded with code 451.", out.Note)
	}
	b.clock.Advance(mail.Timeout)
	out, err := b.Send(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done && out.Refused)
	require.True(t, b.gone(t, in))
	require.Len(t, b.server.mails, 9)
	require.NotContains(t, b.logs.String(), "canary")
	require.NotContains(t, b.logs.String(), "grace@")
}

// TestUnreadableMailIsGivenUp uses a mail whose key was removed.
func TestUnreadableMailIsGivenUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.stored(t, mail.Invitation, mail.Content{To: "grace@example.com"})
	postgrestest.Exec(t, b.dsn, `UPDATE mail SET content = '\x00'`)
	_, err := b.Send(t.Context(), in)
	require.Error(t, err)
	require.False(t, b.gone(t, in), "the key may come back")
	b.clock.Advance(mail.Timeout)
	out, err := b.Send(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done && out.Refused)
	require.True(t, b.gone(t, in))
	require.Empty(t, b.server.mails)
	require.Contains(t, b.logs.String(), "a mail was given up")
}

func TestRefusedMailIsGivenUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.server.response = &mailer.Refused{Code: 550}
	in := b.stored(t, mail.PasswordChanged, mail.Content{To: "gone@example.com"})
	out, err := b.Send(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done && out.Refused)
	require.Contains(t, out.Note, "550")
	require.True(t, b.gone(t, in))
}

// TestPasswordResetRequiresUser checks that the worker, not the page, decides whether a mail is sent.
func TestPasswordResetRequiresUser(t *testing.T) {
	t.Parallel()
	b := setup(t)
	users := postgres.NewUsers(b.db)
	ada, err := user.New("ada@example.com", "Ada", "hash", b.clock.Now())
	require.NoError(t, err)
	remaining, err := user.New("left@example.com", "Left", "hash", b.clock.Now())
	require.NoError(t, err)
	remaining.DisabledAt = b.clock.Now()
	for _, u := range []user.User{ada, remaining} {
		_, err = users.Insert(t.Context(), u)
		require.NoError(t, err)
	}
	for _, address := range []email.Address{
		"ADA@example.com", "left@example.com", "unknown@example.com", "\u212ada@example.com",
	} {
		in := b.stored(t, mail.PasswordReset, mail.Content{To: address, Secret: "svc_pwr_x"})
		out, err := b.Send(t.Context(), in)
		require.NoError(t, err)
		require.True(t, out.Done)
		require.False(t, out.Refused)
		require.True(t, b.gone(t, in))
	}
	require.Len(t, b.server.mails, 1)
	require.Equal(t, "ada@example.com", b.server.mails[0].To, "the address that is stored, not the one that was typed")
	require.Contains(t, b.server.mails[0].Text, "one hour")
}

func TestMailsWaitWithoutMailServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Sender = nil
	in := b.stored(t, mail.PasswordChanged, mail.Content{To: "ada@example.com"})
	out, err := b.Send(t.Context(), in)
	require.NoError(t, err)
	require.False(t, out.Done)
	require.Contains(t, out.Note, "SMTP_HOST")
	require.False(t, b.gone(t, in))
}

// TestMailsEscapeHostileNames writes a mail of every kind with hostile names: the HTML contains none of their markup, and every
// link leads to the application.
func TestMailsEscapeHostileNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const hostile = `"><script>alert(1)</script><a href="https://evil.example">`
	of := mail.Cause{Channel: mail.Channel{Name: hostile, Network: "X"}, Reason: hostile, Posts: 1, Words: hostile}
	for _, kind := range mail.Kinds() {
		in := b.stored(t, kind, mail.Content{
			To: "ada@example.com", Secret: "svc_x", Workspace: hostile, Actor: hostile, Role: "ADMIN", Address: "new@example.com",
			Channels: []mail.Channel{{Name: hostile, Network: "X", EndsAt: b.clock.Now()}},
			Causes:   []mail.Cause{of}, Month: "2026-03",
			Digest: &mail.Digest{
				Zone: "Europe/Berlin", Published: []mail.Cause{of}, Failed: []mail.Cause{of}, Next: []mail.Due{{Cause: of, At: b.clock.Now()}},
				NextPosts: 2, Best: &mail.Best{Cause: of, Reactions: 1},
			},
		})
		if kind == mail.PasswordReset {
			u, err := user.New("ada@example.com", "Ada", "hash", b.clock.Now())
			require.NoError(t, err)
			_, err = postgres.NewUsers(b.db).Insert(t.Context(), u)
			require.NoError(t, err)
		}
		out, err := b.Send(t.Context(), in)
		require.NoError(t, err)
		require.True(t, out.Done, kind)
		sent := b.server.mails[len(b.server.mails)-1]
		require.NotEmpty(t, sent.Subject)
		require.NotContains(t, sent.HTML, "<script")
		links := 1
		if kind.IsOptional() || kind.IsDigest() {
			links = 2 // the second turns such mails off
			require.Contains(t, sent.Text, "/settings/notifications\n", kind)
		}
		require.Equal(t, links, strings.Count(sent.HTML, "<a "), kind)
		require.Equal(t, links, strings.Count(sent.HTML, ` href="`+appURL+`/`), kind)
		require.Contains(t, sent.Text, appURL+"/", kind)
	}
	in := b.stored(t, "OF_A_NEWER_VERSION", mail.Content{To: "ada@example.com"})
	_, err := b.Send(t.Context(), in)
	require.Error(t, err, "a newer worker sends it")
	require.False(t, b.gone(t, in))
}

// broken is a store whose database is down.
type broken struct {
	mailing.Store

	load, remove error
}

func (s broken) Load(ctx context.Context, id ident.Mail) (mail.Mail, error) {
	if s.load != nil {
		return mail.Mail{}, s.load
	}
	return s.Store.Load(ctx, id)
}

func (s broken) Delete(ctx context.Context, id ident.Mail) error {
	if s.remove != nil {
		return s.remove
	}
	return s.Store.Delete(ctx, id)
}

func TestStoreErrorsAreReturned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	down := errors.New("down")
	in := b.stored(t, mail.PasswordChanged, mail.Content{To: "ada@example.com"})
	for _, store := range []broken{{Store: b.mails, load: down}, {Store: b.mails, remove: down}} {
		b.Store = store
		_, err := b.Send(t.Context(), in)
		require.ErrorIs(t, err, down)
	}
	require.False(t, b.gone(t, in), "the mail is sent again, with the same Message-ID")
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	good := mailing.Config{
		Hooks: &bundle{}, Reports: &bundle{}, Store: broken{}, AppURL: appURL, Clock: clocktest.New(time.Now()), Logger: slog.New(slog.DiscardHandler),
		Metrics: mailing.NewMetrics(prometheus.NewRegistry()), RetryScale: 1,
	}
	_, err := mailing.New(good)
	require.NoError(t, err)
	for name, change := range map[string]func(*mailing.Config){
		"store": func(c *mailing.Config) { c.Store = nil }, "address": func(c *mailing.Config) { c.AppURL = "" },
		"clock": func(c *mailing.Config) { c.Clock = nil }, "logger": func(c *mailing.Config) { c.Logger = nil },
		"metrics": func(c *mailing.Config) { c.Metrics = nil }, "scale": func(c *mailing.Config) { c.RetryScale = 0 },
		"reports": func(c *mailing.Config) { c.Reports = nil },
	} {
		bad := good
		change(&bad)
		_, err := mailing.New(bad)
		require.Error(t, err, name)
	}
}

func inputOf(m mail.Mail) flow.MailInput { return flow.MailInput{MailID: m.ID, Kind: m.Kind} }

func (b *bundle) workspace(t *testing.T) ident.Workspace {
	t.Helper()
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Free, Timezone: "UTC", CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), w))
	return w.ID
}
