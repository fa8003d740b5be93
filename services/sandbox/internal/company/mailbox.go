// Package company plays the servers of a company beside the networks: every mail server and every mailbox, and the provider
// through which its people sign in.
package company

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
)

const (
	// keep is the number of mails that are kept. The oldest are deleted.
	keep = 500
	// maxBytes is the maximum size of a mail.
	maxBytes = 1 << 20
	ioLimit  = 30 * time.Second
)

// Domains whose addresses are not accepted, for tests: one refuses for good, one for the moment.
const (
	DomainRefused = "refused.invalid"
	DomainLater   = "later.invalid"
)

// Mail is a received mail.
type Mail struct {
	ID   int       `json:"id"`
	At   time.Time `json:"at"`
	From string    `json:"from"`
	To   []string  `json:"to"`
	Raw  []byte    `json:"raw"`
}

// MailboxConfig holds the settings of a Box.
type MailboxConfig struct {
	Folder string // one file per mail
	Now    func() time.Time
	Logger *slog.Logger
}

// Box holds the received mails. It is safe for concurrent use.
type Box struct {
	cfg   MailboxConfig
	mu    sync.Mutex
	mails []Mail // ascending
	next  int
}

// OpenMailbox reads the mails of the folder.
func OpenMailbox(cfg MailboxConfig) (*Box, error) {
	if cfg.Folder == "" || cfg.Now == nil || cfg.Logger == nil {
		return nil, errors.New("mailbox: folder, clock and logger are needed")
	}
	if err := os.MkdirAll(cfg.Folder, 0o750); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(cfg.Folder, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	b := &Box{cfg: cfg, next: 1}
	for _, name := range names {
		raw, err := os.ReadFile(name) //nolint:gosec // a file of the sandbox's own folder
		if err != nil {
			return nil, err
		}
		var m Mail
		if err := json.Unmarshal(raw, &m); err != nil {
			cfg.Logger.Warn("a mail cannot be read", slog.String("file", name), slog.Any("error", err)) // a crash while writing
			continue
		}
		b.mails, b.next = append(b.mails, m), m.ID+1
	}
	return b, nil
}

func (b *Box) path(id int) string { return filepath.Join(b.cfg.Folder, fmt.Sprintf("%08d.json", id)) }

// add stores a mail before the sender learns that it was accepted.
func (b *Box) add(m Mail) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	m.ID, m.At = b.next, b.cfg.Now().UTC()
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.path(m.ID), raw, 0o600); err != nil {
		return err
	}
	b.mails, b.next = append(b.mails, m), b.next+1
	for len(b.mails) > keep {
		if err := os.Remove(b.path(b.mails[0].ID)); err != nil {
			return err
		}
		b.mails = b.mails[1:]
	}
	return nil
}

// List returns the mails, newest first; those to an address unless it is empty.
func (b *Box) List(to string) []Mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []Mail
	for _, m := range slices.Backward(b.mails) {
		if to == "" || slices.ContainsFunc(m.To, func(a string) bool { return strings.EqualFold(a, to) }) {
			found = append(found, m)
		}
	}
	return found
}

// Get returns a mail, or false.
func (b *Box) Get(id int) (Mail, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.mails {
		if m.ID == id {
			return m, true
		}
	}
	return Mail{}, false
}

// Clear deletes every mail.
func (b *Box) Clear() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.mails {
		if err := os.Remove(b.path(m.ID)); err != nil {
			return err
		}
	}
	b.mails = nil
	return nil
}

// Serve accepts mails until the context is canceled.
func (b *Box) Serve(ctx context.Context, l net.Listener) error {
	server := b.server()
	// Closing the server does not close a listener that it does not know yet, and it would wait there without end.
	stop := context.AfterFunc(ctx, func() { _ = errors.Join(server.Close(), l.Close()) })
	defer stop()
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// server returns an SMTP server that delivers to the box.
func (b *Box) server() *smtp.Server {
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{box: b}, nil }))
	server.Domain, server.MaxMessageBytes, server.MaxRecipients = "sandbox.invalid", maxBytes, 10
	server.ReadTimeout, server.WriteTimeout = ioLimit, ioLimit
	server.ErrorLog = slog.NewLogLogger(b.cfg.Logger.Handler(), slog.LevelDebug)
	return server
}

// session is one connection.
type session struct {
	box  *Box
	mail Mail
}

// Reset discards the mail that is being received.
func (s *session) Reset() { s.mail = Mail{} }

// Logout ends the connection.
func (s *session) Logout() error { return nil }

// Mail begins a mail.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.mail = Mail{From: from}
	return nil
}

// Rcpt adds a recipient.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	_, domain, _ := strings.Cut(to, "@")
	switch strings.ToLower(domain) {
	case DomainRefused:
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No such mailbox"}
	case DomainLater:
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 2, 1}, Message: "Try again later"}
	}
	s.mail.To = append(s.mail.To, to)
	return nil
}

// Data receives the mail.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mail.Raw = raw
	return s.box.add(s.mail)
}
