package company_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/smtp"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/company"
)

const form = "From: Posts <posts@example.com>\r\nTo: %s\r\nSubject: =?utf-8?q?S=C3=B6hne_=3Cb=3E?=\r\n" +
	"Message-ID: <1@example.com>\r\nContent-Type: multipart/alternative; boundary=xx\r\n\r\n" +
	"--xx\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" +
	"Open https://app.example.com/in?a=3D1=\r\n&b=3D2 <script>\r\n" +
	"--xx\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
	"PGh0bWw+PGhlYWQ+PC9oZWFkPjxwPkhlbGxvPC9wPjxzY3JpcHQ+YWxlcnQoMSk8L3NjcmlwdD48L2h0bWw+\r\n--xx--\r\n"

type bundle struct {
	box    *company.Box
	folder string
	smtp   string
	pages  *httptest.Server
}

func open(t *testing.T, folder string) *bundle {
	t.Helper()
	b := &bundle{folder: folder}
	var err error
	b.box, err = company.OpenMailbox(company.MailboxConfig{Folder: folder, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- b.box.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-served)
	})
	b.smtp = listener.Addr().String()
	mux := http.NewServeMux()
	company.RegisterMailbox(mux, b.box)
	b.pages = httptest.NewServer(mux)
	t.Cleanup(b.pages.Close)
	return b
}

// TestStopBeforeServe checks that a server ends that is stopped before it accepts, and that its listener
// is closed.
func TestStopBeforeServe(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, b.box.Serve(ctx, listener))
	_, err = listener.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

func (b *bundle) send(to string) error {
	return smtp.SendMail(b.smtp, nil, "posts@example.com", []string{to}, fmt.Appendf(nil, form, to))
}

// got is a response without its body.
type got struct {
	status int
	header http.Header
}

func (b *bundle) get(t *testing.T, path string) (got, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.pages.URL+path, http.NoBody)
	require.NoError(t, err)
	response, err := b.pages.Client().Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return got{response.StatusCode, response.Header}, string(raw)
}

func TestReceivedMailsAreShown(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	_, page := b.get(t, "/mailbox")
	require.Contains(t, page, "No mail yet")
	require.NoError(t, b.send("ada@example.com"))
	require.NoError(t, b.send("grace@example.com"))
	_, page = b.get(t, "/mailbox")
	require.Equal(t, 2, strings.Count(page, "Söhne &lt;b&gt;"))
	require.Less(t, strings.Index(page, "grace@"), strings.Index(page, "ada@"), "newest first")
	_, page = b.get(t, "/mailbox/1")
	require.Contains(t, page, `href="https://app.example.com/in?a=1&amp;b=2"`)
	require.NotContains(t, page, "<script")
	require.Contains(t, page, `sandbox="allow-popups allow-popups-to-escape-sandbox"`)
	for _, path := range []string{"/mailbox/9", "/mailbox/x", "/mailbox/9/html"} {
		response, _ := b.get(t, path)
		require.Equal(t, http.StatusNotFound, response.status)
	}
	_, list := b.get(t, "/_sandbox/mails?to=ADA@example.com")
	var found []struct {
		To        []string
		Subject   string
		MessageID string
		Links     []string
	}
	require.NoError(t, json.Unmarshal([]byte(list), &found))
	require.Len(t, found, 1)
	require.Equal(t, "Söhne <b>", found[0].Subject)
	require.Equal(t, "<1@example.com>", found[0].MessageID)
	require.Equal(t, []string{"https://app.example.com/in?a=1&b=2"}, found[0].Links)
}

// TestMailHTMLIsSandboxed checks the policy under which a browser shows it.
func TestMailHTMLIsSandboxed(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	require.NoError(t, b.send("ada@example.com"))
	response, page := b.get(t, "/mailbox/1/html")
	require.Contains(t, page, "<p>Hello</p>")
	policy := response.header.Get("Content-Security-Policy")
	require.True(t, strings.HasPrefix(policy, "sandbox allow-popups "), policy)
	require.Contains(t, policy, "default-src 'none'")
	require.NotContains(t, policy, "allow-scripts")
	require.NotContains(t, policy, "allow-same-origin")
}

func TestRefusedRecipients(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	require.ErrorContains(t, b.send("ada@"+company.DomainRefused), "550")
	require.ErrorContains(t, b.send("ada@"+company.DomainLater), "451")
	require.Empty(t, b.box.List(""))
}

// TestMailsSurviveRestart also checks a file that a crash left incomplete, and unreadable mails.
func TestMailsSurviveRestart(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	require.NoError(t, b.send("ada@example.com"))
	require.NoError(t, smtp.SendMail(b.smtp, nil, "posts@example.com", []string{"eve@example.com"}, []byte("no header\r\n")))
	require.NoError(t, os.WriteFile(filepath.Join(b.folder, "00000003.json"), []byte("{"), 0o600))
	again := open(t, b.folder)
	require.Len(t, again.box.List(""), 2)
	_, page := again.get(t, "/mailbox/2")
	require.Contains(t, page, "(unreadable)")
	require.NoError(t, again.send("ada@example.com"))
	require.Len(t, again.box.List("ada@example.com"), 2)
	require.NoError(t, again.box.Clear())
	require.Empty(t, open(t, b.folder).box.List(""))
}

func TestOldestMailsAreDeleted(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	client, err := smtp.Dial(b.smtp)
	require.NoError(t, err)
	const sent = 503
	for range sent {
		require.NoError(t, client.Mail("posts@example.com"))
		require.NoError(t, client.Rcpt("ada@example.com"))
		w, err := client.Data()
		require.NoError(t, err)
		_, err = w.Write([]byte("Subject: x\r\n\r\nx"))
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	require.NoError(t, client.Quit())
	require.Len(t, b.box.List(""), 500)
	_, found := b.box.Get(3)
	require.False(t, found)
	files, err := filepath.Glob(filepath.Join(b.folder, "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 500)
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	_, err := company.OpenMailbox(company.MailboxConfig{Folder: t.TempDir()})
	require.Error(t, err)
}
