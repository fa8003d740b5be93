package company_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	client "fencepost.internal/services/internal/authn"
	"fencepost.internal/services/sandbox/internal/company"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/kernel/clock"
)

const callback = "https://app.example.com/sign-in/provider/callback?from=sandbox"

// openProvider returns the provider, and the application as its client.
func openProvider(t *testing.T, secret string) (*httptest.Server, *client.Provider) {
	t.Helper()
	mux := http.NewServeMux()
	require.NoError(t, company.RegisterProvider(mux, company.ProviderConfig{
		Base: func(r *http.Request) string { return "http://" + r.Host }, Now: time.Now,
	}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p, err := client.NewProvider(client.ProviderConfig{
		Issuer: server.URL + company.ProviderPath, ClientID: "fencepost", ClientSecret: secret, RedirectURL: callback,
		Clock: clock.System(),
	})
	require.NoError(t, err)
	return server, p
}

// submit submits the page, and returns the status, the query of the redirect, and the body.
func submit(t *testing.T, method, address string, form url.Values) (int, url.Values, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := (&http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}).Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	to, err := url.Parse(response.Header.Get("Location"))
	require.NoError(t, err)
	if to.Host != "" {
		require.Equal(t, "https://app.example.com/sign-in/provider/callback", to.Scheme+"://"+to.Host+to.Path)
		require.Equal(t, "sandbox", to.Query().Get("from"))
	}
	return response.StatusCode, to.Query(), string(body)
}

// signIn returns the form of a person who signs in, with other values of some fields.
func signIn(with map[string]string) url.Values {
	form := url.Values{"email": {"Mara@Example.com"}, "name": {"Mara Lindqvist"}, "decision": {"allow"}}
	for field, value := range with {
		form.Set(field, value)
	}
	return form
}

func TestSignIn(t *testing.T) {
	t.Parallel()

	for name, secret := range map[string]string{"confidential": "a secret & more", "public": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, p := openProvider(t, secret)
			address, state, err := p.Begin()
			require.NoError(t, err)
			status, _, page := submit(t, http.MethodGet, address, nil)
			require.Equal(t, http.StatusOK, status)
			require.Contains(t, page, "Who signs in?")
			status, back, _ := submit(t, http.MethodPost, address, signIn(nil))
			require.Equal(t, http.StatusFound, status)
			who, err := p.Finish(t.Context(), state, back)
			require.NoError(t, err)
			require.Equal(t, server.URL+company.ProviderPath, who.Issuer)
			require.Equal(t, "Mara@Example.com", who.Email)
			require.Equal(t, "Mara Lindqvist", who.Name)
			require.True(t, who.Verified)
			_, err = p.Finish(t.Context(), state, back)
			require.ErrorIs(t, err, client.ErrRejected, "a code works once")

			address, state, err = p.Begin()
			require.NoError(t, err)
			_, back, _ = submit(t, http.MethodPost, address, signIn(map[string]string{"email": "mara@example.com", "unverified": "on"}))
			again, err := p.Finish(t.Context(), state, back)
			require.NoError(t, err)
			require.Equal(t, who.Subject, again.Subject, "the subject is the person's")
			require.False(t, again.Verified)
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()

	_, p := openProvider(t, "secret")
	_, wrong := openProvider(t, stage.WrongSecret)
	for name, c := range map[string]struct {
		of   *client.Provider
		form url.Values
		want error
	}{
		"denied":       {p, signIn(map[string]string{"decision": "deny"}), client.ErrDenied},
		"expired":      {p, signIn(map[string]string{"expired": "on"}), client.ErrRejected},
		"wrong secret": {wrong, signIn(nil), client.ErrRejected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, state, err := c.of.Begin()
			require.NoError(t, err)
			_, back, _ := submit(t, http.MethodPost, address, c.form)
			_, err = c.of.Finish(t.Context(), state, back)
			require.ErrorIs(t, err, c.want)
		})
	}
	t.Run("another verifier", func(t *testing.T) {
		t.Parallel()
		address, state, err := p.Begin()
		require.NoError(t, err)
		_, back, _ := submit(t, http.MethodPost, address, signIn(nil))
		text, err := p.Finish(t.Context(), strings.Replace(state, `"verifier":"`, `"verifier":"x`, 1), back)
		require.ErrorIs(t, err, client.ErrRejected, text)
	})
	t.Run("no address", func(t *testing.T) {
		t.Parallel()
		address, _, err := p.Begin()
		require.NoError(t, err)
		status, _, page := submit(t, http.MethodPost, address, signIn(map[string]string{"email": "mara"}))
		require.Equal(t, http.StatusUnprocessableEntity, status)
		require.Contains(t, page, "Enter an email address.")
	})
	for _, parameter := range []string{
		"client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
	} {
		t.Run("without "+parameter, func(t *testing.T) {
			t.Parallel()
			address, _, err := p.Begin()
			require.NoError(t, err)
			u, err := url.Parse(address)
			require.NoError(t, err)
			query := u.Query()
			query.Del(parameter)
			u.RawQuery = query.Encode()
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				status, _, page := submit(t, method, u.String(), signIn(nil))
				require.Equal(t, http.StatusBadRequest, status)
				require.Contains(t, page, "The application's request is invalid")
			}
		})
	}
}
