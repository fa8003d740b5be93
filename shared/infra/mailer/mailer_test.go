package mailer_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"log"
	"math/big"
	"mime"
	"mime/multipart"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/mailer"
	"fencepost.internal/shared/kernel/ident"
)

// server is a mail server that records what it accepts.
type server struct {
	mu       sync.Mutex
	mails    [][]byte
	to       []string
	refusals map[string]error // of recipients
	password string           // empty: no authentication
	drop     bool             // closes the connection after a mail
	port     int
	close    func()
}

func serve(t *testing.T, change func(*smtp.Server), s *server) *server {
	t.Helper()
	created := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{server: s, conn: c}, nil
	}))
	created.ErrorLog, created.AllowInsecureAuth = log.New(io.Discard, "", 0), true
	change(created)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address, ok := listener.Addr().(*net.TCPAddr)
	require.True(t, ok)
	s.port = address.Port
	s.close = func() { _ = created.Close() }
	t.Cleanup(s.close)
	go func() { _ = created.Serve(listener) }()
	return s
}

type session struct {
	server *server
	conn   *smtp.Conn
	to     []string
}

func (*session) Reset()                               {}
func (*session) Logout() error                        { return nil }
func (*session) Mail(string, *smtp.MailOptions) error { return nil }
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return s.server.refusals[to]
}

func (s *session) AuthMechanisms() []string {
	if s.server.password == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "posts" || password != s.server.password {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails, s.server.to = append(s.server.mails, raw), append(s.server.to, s.to...)
	if s.server.drop {
		time.AfterFunc(50*time.Millisecond, func() { _ = s.conn.Conn().Close() })
	}
	return err
}

func plain(s *server) mailer.Config {
	return mailer.Config{Host: "127.0.0.1", Port: s.port, TLS: mailer.TLSNone, From: "Posts <posts@example.com>"}
}

func sender(t *testing.T, cfg mailer.Config) *mailer.Sender {
	t.Helper()
	created, err := mailer.New(cfg)
	require.NoError(t, err)
	return created
}

func message(to string) mailer.Message {
	return mailer.Message{
		ID: ident.New[ident.Mail](), Date: time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC), To: to,
		Subject: "Einladung zu Söhne & Co", Text: "Hello\nhttps://app.example.com/x", HTML: "<p>Hello</p>",
	}
}

func TestSend(t *testing.T) {
	t.Parallel()
	s := serve(t, func(*smtp.Server) {}, &server{})
	m := message("ada@example.com")
	for range 2 { // a repeated mail has the same Message-ID
		require.NoError(t, sender(t, plain(s)).Send(t.Context(), m))
	}
	require.Equal(t, []string{"ada@example.com", "ada@example.com"}, s.to)
	for _, raw := range s.mails {
		got, err := netmail.ReadMessage(bytes.NewReader(raw))
		require.NoError(t, err)
		require.Equal(t, "<"+m.ID.String()+"@example.com>", got.Header.Get("Message-Id"))
		require.Equal(t, `"Posts" <posts@example.com>`, got.Header.Get("From"))
		require.Equal(t, "<ada@example.com>", got.Header.Get("To"))
		require.Equal(t, "auto-generated", got.Header.Get("Auto-Submitted"))
		subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
		require.NoError(t, err)
		require.Equal(t, m.Subject, subject)
		at, err := got.Header.Date()
		require.NoError(t, err)
		require.True(t, at.Equal(m.Date))
		require.Contains(t, got.Header.Get("Content-Type"), "multipart/alternative")
		require.Contains(t, string(raw), "https://app.example.com/x")
	}
}

// TestFilesAreAttached sends a mail with a file, which programs for mail can stop.
func TestFilesAreAttached(t *testing.T) {
	t.Parallel()
	s := serve(t, func(*smtp.Server) {}, &server{})
	m := message("ada@example.com")
	m.Stop = "https://app.example.com/reports/x"
	m.Files = []mailer.File{{Name: "report\r\nBcc: eve@example.com.pdf", Type: "application/pdf", Content: []byte("%PDF-1.3")}}
	require.NoError(t, sender(t, plain(s)).Send(t.Context(), m))
	got, err := netmail.ReadMessage(bytes.NewReader(s.mails[0]))
	require.NoError(t, err)
	require.Equal(t, "<https://app.example.com/reports/x>", got.Header.Get("List-Unsubscribe"))
	require.Equal(t, "List-Unsubscribe=One-Click", got.Header.Get("List-Unsubscribe-Post"))
	require.Empty(t, got.Header.Get("Bcc"))
	kind, params, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/mixed", kind)
	parts := multipart.NewReader(got.Body, params["boundary"])
	text, err := parts.NextPart()
	require.NoError(t, err)
	require.Contains(t, text.Header.Get("Content-Type"), "multipart/alternative")
	file, err := parts.NextPart()
	require.NoError(t, err)
	require.Contains(t, file.Header.Get("Content-Type"), "application/pdf")
	raw, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, file))
	require.NoError(t, err)
	require.Equal(t, "%PDF-1.3", string(raw))
	_, err = parts.NextPart()
	require.ErrorIs(t, err, io.EOF)
}

// TestNamesCannotInjectHeaders checks text with line breaks, as an attacker puts it into names and addresses.
func TestNamesCannotInjectHeaders(t *testing.T) {
	t.Parallel()
	s := serve(t, func(*smtp.Server) {}, &server{})
	m := message("ada@example.com")
	m.Subject = "Invitation to Acme\r\nBcc: eve@example.com\r\n\r\nRead this:\u0085\u2028 now"
	require.NoError(t, sender(t, plain(s)).Send(t.Context(), m))
	got, err := netmail.ReadMessage(bytes.NewReader(s.mails[0]))
	require.NoError(t, err)
	require.Empty(t, got.Header.Get("Bcc"))
	subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
	require.NoError(t, err)
	require.Equal(t, "Invitation to Acme Bcc: eve@example.com Read this: now", subject)
	for _, address := range []string{
		"ada@example.com\r\nRCPT TO:<eve@example.com>", "ada@example.com>\r\nBcc: <eve@example.com", "ada@example.com, eve@example.com", "",
	} {
		err := sender(t, plain(s)).Send(t.Context(), message(address))
		_, refused := errors.AsType[*mailer.Refused](err)
		require.True(t, refused, "%q: %v", address, err)
	}
	require.Equal(t, []string{"ada@example.com"}, s.to)
}

// TestRefusalsAndFailures checks which responses end a mail. Their text names no address.
func TestRefusalsAndFailures(t *testing.T) {
	t.Parallel()
	s := serve(t, func(*smtp.Server) {}, &server{refusals: map[string]error{
		"gone@example.com":   &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no gone@example.com"},
		"later@example.com":  &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "greylisted"},
		"policy@example.com": &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 7, 1}, Message: "relay denied"},
	}})
	err := sender(t, plain(s)).Send(t.Context(), message("gone@example.com"))
	refused, ok := errors.AsType[*mailer.Refused](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, 550, refused.Code)
	require.NotContains(t, err.Error(), "gone@")
	for address, code := range map[string]string{"later@example.com": "451", "policy@example.com": "550"} {
		err := sender(t, plain(s)).Send(t.Context(), message(address))
		failed, ok := errors.AsType[*mailer.Failed](err)
		require.True(t, ok, "%v", err)
		require.Contains(t, failed.Reason, code)
		require.NotContains(t, failed.Reason, "@")
	}
	s.close()
	err = sender(t, plain(s)).Send(t.Context(), message("ada@example.com"))
	failed, ok := errors.AsType[*mailer.Failed](err)
	require.True(t, ok, "%v", err)
	require.Contains(t, failed.Reason, "cannot be reached")
	require.Error(t, sender(t, plain(s)).Check(t.Context()))
	require.Empty(t, s.mails)
}

// TestAcceptedMailIsSentDespiteDisconnect checks a server that goes away after it accepted the mail.
func TestAcceptedMailIsSentDespiteDisconnect(t *testing.T) {
	t.Parallel()
	s := serve(t, func(*smtp.Server) {}, &server{drop: true})
	require.NoError(t, sender(t, plain(s)).Send(t.Context(), message("ada@example.com")))
	require.Len(t, s.mails, 1)
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	s := serve(t, func(*smtp.Server) {}, &server{password: "right"})
	cfg := plain(s)
	cfg.User, cfg.Password = "posts", "right"
	require.NoError(t, sender(t, cfg).Check(t.Context()))
	require.NoError(t, sender(t, cfg).Send(t.Context(), message("ada@example.com")))
	cfg.Password = "wrong secret"
	err := sender(t, cfg).Check(t.Context())
	require.Error(t, err)
	require.NotContains(t, err.Error(), "wrong secret")
	require.Error(t, sender(t, cfg).Send(t.Context(), message("ada@example.com")))
	require.Len(t, s.mails, 1)
}

// TestEncryptionIsRequired checks that nothing is sent in clear unless the configuration says so, and that the
// certificate is verified.
func TestEncryptionIsRequired(t *testing.T) {
	t.Parallel()
	inClear := serve(t, func(*smtp.Server) {}, &server{password: "right"})
	certified := serve(t, func(created *smtp.Server) { created.TLSConfig = certificate(t) }, &server{password: "right"})
	for name, s := range map[string]*server{"no STARTTLS": inClear, "an unknown certificate": certified} {
		cfg := plain(s)
		cfg.TLS, cfg.User, cfg.Password = mailer.TLSStart, "posts", "right"
		require.Error(t, sender(t, cfg).Send(t.Context(), message("ada@example.com")), name)
		cfg.TLS = mailer.TLSFirst
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		require.Error(t, sender(t, cfg).Send(ctx, message("ada@example.com")), name)
		cancel()
		require.Empty(t, s.mails, name)
	}
}

func certificate(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	good := mailer.Config{Host: "smtp.example.com", Port: 587, TLS: mailer.TLSStart, From: "posts@example.com"}
	_, err := mailer.New(good)
	require.NoError(t, err)
	for name, change := range map[string]func(*mailer.Config){
		"sender": func(c *mailer.Config) { c.From = "Posts" },
		"mode":   func(c *mailer.Config) { c.TLS = "ssl" },
		"host":   func(c *mailer.Config) { c.Host = "" },
		"port":   func(c *mailer.Config) { c.Port = -1 },
	} {
		bad := good
		change(&bad)
		_, err := mailer.New(bad)
		require.Error(t, err, name)
		require.True(t, strings.HasPrefix(err.Error(), "mailer: "), err.Error())
	}
}
