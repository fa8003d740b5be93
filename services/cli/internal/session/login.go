package session

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/oauth2"
)

// ErrDenied reports that the person denied the request, or did not decide in time.
var ErrDenied = errors.New("access was not allowed")

const readTimeout = 10 * time.Second

// Browser signs in with a browser on this machine (RFC 8252): show is called with the address to open.
func (s *Store) Browser(ctx context.Context, address string, scopes []string, show func(address string)) (*Tokens, error) {
	m, err := Discover(ctx, s.http, address)
	if err != nil {
		return nil, err
	}
	id, err := register(ctx, s.http, m)
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	config := configOf(m, id, scopes)
	config.RedirectURL = "http://" + listener.Addr().String() + "/callback"
	verifier, state := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	outcomes := make(chan outcome, 1)
	server := &http.Server{
		Handler:           callback(state, m.Issuer, outcomes),
		ReadHeaderTimeout: readTimeout,
	}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Shutdown(context.WithoutCancel(ctx)) }()
	show(config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)))
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case got := <-outcomes:
		if got.err != nil {
			return nil, got.err
		}
		token, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, s.http), got.code, oauth2.VerifierOption(verifier))
		if err != nil {
			return nil, err
		}
		return tokensOf(id, token), nil
	}
}

// outcome is the result that the browser brings back.
type outcome struct {
	code string
	err  error
}

// callback receives the redirect of the authorization server. Requests with another state are not from it.
func callback(state, issuer string, outcomes chan<- outcome) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /callback", func(w http.ResponseWriter, r *http.Request) {
		sent := r.URL.Query()
		if subtle.ConstantTimeCompare([]byte(sent.Get("state")), []byte(state)) != 1 || sent.Get("iss") != issuer {
			http.Error(w, "This page was not opened by the sign-in that waits. Start again from the command line.", http.StatusBadRequest)
			return
		}
		got, text := outcome{code: sent.Get("code")}, "Signed in. Close this page and return to the command line."
		if fault := sent.Get("error"); fault != "" {
			got, text = outcome{err: fmt.Errorf("%w: %s", ErrDenied, sent.Get("error_description"))}, "Access was not allowed. Close this page."
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text + "\n"))
		select {
		case outcomes <- got:
		default: // the page was loaded again
		}
	})
	return mux
}

// Waiting is a sign-in on another device, for the person.
type Waiting struct {
	UserCode string
	Address  string // where to enter the code
	Whole    string // the same with the code
	Until    time.Time
}

// Device signs in with a browser on another device (RFC 8628): show is called with what the person needs.
func (s *Store) Device(ctx context.Context, address string, scopes []string, show func(Waiting)) (*Tokens, error) {
	m, err := Discover(ctx, s.http, address)
	if err != nil {
		return nil, err
	}
	if m.DeviceAuthorizationEndpoint == "" {
		return nil, errors.New("the installation has no sign-in by a code: use an API key with --with-key")
	}
	id, err := register(ctx, s.http, m)
	if err != nil {
		return nil, err
	}
	config, ctx := configOf(m, id, scopes), context.WithValue(ctx, oauth2.HTTPClient, s.http)
	device, err := config.DeviceAuth(ctx)
	if err != nil {
		return nil, err
	}
	show(Waiting{
		UserCode: device.UserCode, Address: device.VerificationURI, Whole: device.VerificationURIComplete, Until: device.Expiry,
	})
	token, err := config.DeviceAccessToken(ctx, device)
	refused, isRefused := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case isRefused && (refused.ErrorCode == "access_denied" || refused.ErrorCode == "expired_token"):
		return nil, fmt.Errorf("%w: %s", ErrDenied, refused.ErrorDescription)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("%w: the code has expired", ErrDenied)
	case err != nil:
		return nil, err
	}
	return tokensOf(id, token), nil
}
