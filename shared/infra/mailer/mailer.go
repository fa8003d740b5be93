// Package mailer sends mails over SMTP.
package mailer

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"fencepost.internal/shared/kernel/ident"
)

// timeout bounds each exchange with the mail server.
const timeout = 20 * time.Second

// Modes of encryption.
const (
	TLSStart = "starttls" // STARTTLS, required
	TLSFirst = "tls"      // encrypted from the first byte
	TLSNone  = "none"     // for a mail server on the same host
)

// Config holds the settings of a Sender.
type Config struct {
	Host     string
	Port     int
	User     string // empty: no authentication
	Password string
	TLS      string // one of the modes
	From     string // sender, such as "Publishing <posts@example.com>"
}

// Sender sends mails. It is safe for concurrent use.
type Sender struct {
	client *gomail.Client
	from   *netmail.Address
	domain string // of the sender's address, for the IDs of mails
}

// New checks the configuration.
func New(cfg Config) (*Sender, error) {
	from, err := netmail.ParseAddress(cfg.From)
	if err != nil {
		return nil, fmt.Errorf("mailer: the sender %q is not an email address", cfg.From)
	}
	_, domain, _ := strings.Cut(from.Address, "@")
	options := []gomail.Option{
		gomail.WithPort(cfg.Port), gomail.WithTimeout(timeout),
		gomail.WithTLSConfig(&tls.Config{ServerName: cfg.Host, MinVersion: tls.VersionTLS12}),
	}
	switch cfg.TLS {
	case TLSStart:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case TLSFirst:
		options = append(options, gomail.WithSSL())
	case TLSNone:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		return nil, fmt.Errorf("mailer: unknown mode of encryption %q", cfg.TLS)
	}
	if cfg.User != "" {
		method := gomail.SMTPAuthAutoDiscover
		if cfg.TLS == TLSNone {
			method = gomail.SMTPAuthPlain // which the library refuses unless the server is on this host
		}
		options = append(options, gomail.WithSMTPAuth(method), gomail.WithUsername(cfg.User),
			gomail.WithPassword(cfg.Password))
	}
	client, err := gomail.NewClient(cfg.Host, options...)
	if err != nil {
		return nil, fmt.Errorf("mailer: %w", err)
	}
	return &Sender{client: client, from: from, domain: domain}, nil
}

// Message is a mail to one person.
type Message struct {
	ID      ident.Mail // the same in each try, so that receivers recognize a repeated mail
	Date    time.Time
	To      string
	Subject string
	Text    string
	HTML    string
	Files   []File
	Stop    string // address at which programs for mail stop such mails (RFC 8058); empty: there is none
}

// File is an attachment.
type File struct {
	Name    string
	Type    string
	Content []byte
}

// Refused is returned for a mail that the mail server refuses for good.
type Refused struct{ Code int }

// Error returns the code, because the server's text may contain the address.
func (r *Refused) Error() string {
	return fmt.Sprintf("The mail server refused the mail with code %d.", r.Code)
}

// Failed is returned for a mail that may be tried again. Its text contains no address.
type Failed struct {
	Reason string
	cause  error
}

// Error returns the reason.
func (f *Failed) Error() string { return f.Reason }

// Unwrap returns the cause, whose text may contain addresses.
func (f *Failed) Unwrap() error { return f.cause }

// Send sends a mail. It returns *Refused or *Failed.
func (s *Sender) Send(ctx context.Context, m Message) error {
	to, err := netmail.ParseAddress(m.To)
	if err != nil {
		return &Refused{}
	}
	created := gomail.NewMsg()
	created.FromMailAddress(s.from)
	created.ToMailAddress(&netmail.Address{Address: to.Address})
	created.SetMessageIDWithValue(m.ID.String() + "@" + s.domain)
	created.SetDateWithValue(m.Date)
	created.Subject(line(m.Subject))
	created.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834, section 5: no automatic replies
	created.SetGenHeader(gomail.HeaderXAutoResponseSuppress, "All")
	created.SetBodyString(gomail.TypeTextPlain, m.Text)
	created.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	if err := attach(created, m); err != nil {
		return err
	}
	err = s.client.DialAndSendWithContext(ctx, created)
	if err == nil || created.IsDelivered() { // what follows the acceptance does not matter
		return nil
	}
	return classify(err)
}

// attach adds the files, and the headers with which programs for mail offer to stop such mails.
func attach(created *gomail.Msg, m Message) error {
	if m.Stop != "" {
		created.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+line(m.Stop)+">")
		created.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	}
	for _, file := range m.Files {
		err := created.AttachReader(line(file.Name), bytes.NewReader(file.Content), gomail.WithFileContentType(gomail.ContentType(line(file.Type))))
		if err != nil {
			return &Failed{Reason: "A file could not be attached.", cause: err}
		}
	}
	return nil
}

// Check connects to the mail server and signs in, without sending. It returns *Failed.
func (s *Sender) Check(ctx context.Context) error {
	connection, err := s.client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return classify(err)
	}
	_ = s.client.CloseWithSMTPClient(connection) // the server was reached
	return nil
}

// classify separates refusals of this mail from failures of the server. A refusal by policy (X.7.X of RFC 3463) is a
// failure: the server does not accept mails from here, which an operator can change.
func classify(err error) error {
	sent, ok := errors.AsType[*gomail.SendError](err)
	if !ok {
		return &Failed{Reason: reason(err), cause: err}
	}
	const permanent = 500
	aboutMail := sent.Reason == gomail.ErrSMTPRcptTo || sent.Reason == gomail.ErrSMTPData ||
		sent.Reason == gomail.ErrSMTPDataClose
	if aboutMail && sent.ErrorCode() >= permanent && !strings.HasPrefix(sent.EnhancedStatusCode(), "5.7.") {
		return &Refused{Code: sent.ErrorCode()}
	}
	if sent.ErrorCode() == 0 {
		return &Failed{Reason: "The connection to the mail server failed (" + sent.Reason.String() + ").", cause: err}
	}
	return &Failed{
		Reason: fmt.Sprintf("The mail server responded with code %d (%s).", sent.ErrorCode(), sent.Reason), cause: err,
	}
}

// reason describes a failure before a mail was sent. These failures concern no mail, so that they contain no address of
// a person.
func reason(err error) string {
	if _, network := errors.AsType[net.Error](err); network {
		return "The mail server cannot be reached: " + err.Error() + "."
	}
	return "The mail server does not accept the connection: " + err.Error() + "."
}

// line returns text for a header: on one line, whatever names it contains.
func line(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r)
	}), " ")
}
