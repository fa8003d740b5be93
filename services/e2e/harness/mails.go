package harness

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// MailServer is the mail server of a system: a sandbox of its own, so that it can be stopped alone.
type MailServer struct {
	*Process

	system *System
	url    string
	env    []string
}

// Mail is a mail that the server received.
type Mail struct {
	To        []string            `json:"to"`
	Subject   string              `json:"subject"`
	MessageID string              `json:"messageId"`
	Header    map[string][]string `json:"header"`
	Text      string              `json:"text"`
	Links     []string            `json:"links"`
}

// StartMailServer starts the mail server. It is stopped with the system.
func (s *System) StartMailServer() *MailServer {
	s.t.Helper()
	address := freeAddress(s.t)
	m := &MailServer{system: s, url: "http://" + address, env: []string{
		"SANDBOX_ADDR=" + address, "SANDBOX_PUBLIC_URL=http://" + address, "SANDBOX_SMTP_ADDR=" + s.mails,
		"SANDBOX_DATA=" + filepath.Join(s.dir, "mails"),
	}}
	m.Again()
	return m
}

// Again starts the mail server after it was stopped. It still has its mails.
func (m *MailServer) Again() {
	m.system.t.Helper()
	m.Process = m.system.Start("sandbox", "", m.env...).Ready()
}

// Mails returns the mails to an address, newest first; an empty address selects all.
func (m *MailServer) Mails(t testing.TB, to string) []Mail {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		m.url+"/_sandbox/mails?to="+url.QueryEscape(to), http.NoBody)
	require.NoError(t, err)
	response, err := m.system.HTTP.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusOK, response.StatusCode)
	var found []Mail
	require.NoError(t, json.NewDecoder(response.Body).Decode(&found))
	return found
}

// ForgetPassword requests a link to set a new password, as the person does.
func (p *Person) ForgetPassword(ctx context.Context) error {
	const path = "/forgot-password"
	page, err := p.open(ctx, p.app+path)
	if err == nil {
		_, err = p.send(ctx, path, page, url.Values{"email": {p.email}})
	}
	return err
}
