// Package mailing sends mails: it makes their text, and one try to send each.
package mailing

import (
	"context"
	"crypto/ecdh"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/mailer"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/kernel/ident"
)

// The crash points of a mail. A test kills the process at each of them.
const (
	FailBeforeSend = "mailing.before_send"
	FailAfterSend  = "mailing.after_send"
	FailAfterMark  = "mailing.after_record"
)

const (
	// firstPause is the wait after the first failed try. It doubles with each failure, up to longPause, each ± jitter.
	firstPause = 10 * time.Second
	longPause  = 15 * time.Minute
	jitter     = 0.2
)

// Store stores the mails that are not sent yet; see postgres.Mails.
type Store interface {
	// Load returns a mail; NOT_FOUND if it was sent or given up. With an error about its content, it returns the other
	// fields.
	Load(ctx context.Context, id ident.Mail) (mail.Mail, error)
	// AddressOf returns the address of the person who may sign in with an address, as it is stored; empty if there is none.
	AddressOf(ctx context.Context, address email.Address) (email.Address, error)
	Postpone(ctx context.Context, id ident.Mail, wait time.Duration, cause string) error
	Delete(ctx context.Context, id ident.Mail) error
	// PushKey returns the key by which push services know this installation.
	PushKey(ctx context.Context) (*ecdh.PrivateKey, error)
	RemovePlace(ctx context.Context, id ident.Place) error
}

// Sender sends mails; see mailer.Sender.
type Sender interface {
	Send(ctx context.Context, m mailer.Message) error
}

// Reports makes the reports of workspaces; see report.Maker.
type Reports interface {
	// Make returns the report of a month as PDF; NOT_FOUND if there is no such workspace.
	Make(ctx context.Context, of ident.Workspace, month analytics.Month) ([]byte, error)
}

// Config holds the dependencies and settings of a Mailing.
type Config struct {
	Store      Store
	Sender     Sender // nil: no mail server is configured
	Hooks      Hooks
	Reports    Reports
	Bot        Bot    // nil: Telegram is not set up
	AppURL     string // prefix of the links, without a trailing slash
	Clock      clock.Clock
	Logger     *slog.Logger
	Metrics    *Metrics
	RetryScale float64 // factor applied to the waits; 1 in production
}

// Mailing executes the tries. It is safe for concurrent use.
type Mailing struct{ Config }

// New returns a Mailing, or an error if cfg is incomplete.
func New(cfg Config) (*Mailing, error) {
	if cfg.Store == nil || cfg.AppURL == "" || cfg.Hooks == nil || cfg.Reports == nil || cfg.Clock == nil || cfg.Logger == nil || cfg.Metrics == nil ||
		cfg.RetryScale <= 0 {
		return nil, errors.New("mailing: every dependency is required, and the scale must be positive")
	}
	return &Mailing{Config: cfg}, nil
}

// errNoServer is the failure of every mail while no mail server is configured.
var errNoServer = errors.New("no mail server is configured: set SMTP_HOST for the worker")

// Send makes one try to send a mail. The mail is deleted afterwards, so that the secret of its link is stored nowhere.
// A crash between both repeats the mail with the same Message-ID.
func (m *Mailing) Send(ctx context.Context, in flow.MailInput) (flow.MailOutcome, error) {
	due, err := m.Store.Load(ctx, in.MailID)
	switch {
	case apperr.Is(err, apperr.NotFound):
		return flow.MailOutcome{Done: true, Note: "The mail was sent or given up before."}, nil
	case err != nil && (due.ExpiresAt.IsZero() || m.Clock.Now().Before(due.ExpiresAt)):
		return flow.MailOutcome{}, err
	case err != nil:
		return m.giveUp(ctx, due, "The mail could not be read in time: "+err.Error())
	case !m.Clock.Now().Before(due.ExpiresAt):
		return m.giveUp(ctx, due, "The mail was not sent in time.")
	}
	if wait := due.HeldUntil.Sub(m.Clock.Now()); wait > 0 && !due.HeldUntil.IsZero() {
		return flow.MailOutcome{Wait: wait, Note: "The person has quiet hours."}, nil
	}
	if due.Kind == mail.PasswordReset {
		// The link goes to the person's own address: the one that was typed may belong to another person.
		if due.Content.To, err = m.Store.AddressOf(ctx, due.Content.To); err != nil {
			return flow.MailOutcome{}, err
		}
		if due.Content.To == "" {
			return m.finish(ctx, due, outcomeUnknown, "The address has no user, so that no mail is sent.")
		}
	}
	send, err := m.by(due)
	if err != nil {
		return flow.MailOutcome{}, err
	}
	if err := failpoint.Hit(ctx, FailBeforeSend); err != nil {
		return flow.MailOutcome{}, err
	}
	if failure := send(ctx); failure != nil {
		return m.failed(ctx, due, in.Tries, failure)
	}
	if err := failpoint.Hit(ctx, FailAfterSend); err != nil {
		return flow.MailOutcome{}, err
	}
	return m.finish(ctx, due, outcomeSent, "Sent.")
}

// by returns what sends the message by its way.
func (m *Mailing) by(due mail.Mail) (func(context.Context) error, error) {
	switch due.Way {
	case mail.Slack, mail.Mattermost:
		return m.byHook(due)
	case mail.Telegram:
		return m.byBot(due)
	case mail.Push:
		return m.byPush(due)
	case mail.ByMail:
	}
	message, err := m.write(due)
	return func(ctx context.Context) error {
		if m.Sender == nil {
			return errNoServer
		}
		if err := m.attach(ctx, due, &message); err != nil {
			return err
		}
		return m.Sender.Send(ctx, message)
	}, err
}

// finish deletes the mail, also if the worker is stopping: another try would send it again.
func (m *Mailing) finish(ctx context.Context, due mail.Mail, outcome, note string) (flow.MailOutcome, error) {
	if err := m.Store.Delete(context.WithoutCancel(ctx), due.ID); err != nil {
		return flow.MailOutcome{}, err
	}
	m.Metrics.count(due.Kind, outcome)
	if err := failpoint.Hit(ctx, FailAfterMark); err != nil {
		return flow.MailOutcome{}, err
	}
	return flow.MailOutcome{Done: true, Note: note}, nil
}

func (m *Mailing) giveUp(ctx context.Context, due mail.Mail, note string) (flow.MailOutcome, error) {
	m.Logger.ErrorContext(ctx, "a mail was given up", slog.String("mail_id", due.ID.String()),
		slog.String("kind", string(due.Kind)), slog.String("reason", note))
	out, err := m.finish(ctx, due, outcomeGivenUp, note)
	out.Refused = err == nil
	return out, err
}

// failed decides how a mail continues after a failed try. The notes contain no address.
func (m *Mailing) failed(ctx context.Context, due mail.Mail, tries int, failure error) (flow.MailOutcome, error) {
	_, byServer := errors.AsType[*mailer.Refused](failure)
	_, byHook := errors.AsType[*refused](failure)
	if byServer || byHook {
		return m.giveUp(ctx, due, failure.Error())
	}
	const doublings = 8 // beyond it, the pause is the longest
	pause := min(firstPause<<min(tries, doublings), longPause)
	spread := 1 - jitter + 2*jitter*rand.Float64() //nolint:gosec,mnd // spreads load, protects nothing
	wait := max(time.Duration(float64(pause)*spread*m.RetryScale), time.Millisecond)
	m.Metrics.count(due.Kind, outcomeFailed)
	m.Logger.WarnContext(ctx, "a mail was not sent; will retry", slog.String("mail_id", due.ID.String()),
		slog.String("kind", string(due.Kind)), slog.Int("tries", tries+1), slog.Duration("wait", wait),
		slog.String("reason", failure.Error()))
	if err := m.Store.Postpone(context.WithoutCancel(ctx), due.ID, wait, failure.Error()); err != nil {
		return flow.MailOutcome{}, err
	}
	return flow.MailOutcome{Wait: wait, Note: failure.Error()}, nil
}
