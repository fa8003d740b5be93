package authserver

import (
	"context"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/apperr"
)

// Revoke serves the revocation endpoint (RFC 7009). Revoking a refresh token or an access token ends the whole grant.
// An unknown token, or one of another client, is not an error. The error is an *oauth.Error unless the database fails.
func (s *Server) Revoke(ctx context.Context, sent url.Values, basic *Basic) error {
	client, token, err := s.identifyWithToken(ctx, sent, basic)
	if err != nil {
		return err
	}
	g, err := s.grantOf(ctx, token)
	if apperr.Is(err, apperr.NotFound) || err == nil && g.ClientID != client.ID {
		return nil
	}
	if err != nil {
		return err
	}
	return s.revoke(ctx, g, "revoked by the client")
}

func (s *Server) identifyWithToken(ctx context.Context, sent url.Values, basic *Basic) (oauth.Client, string, error) {
	if err := oauth.OnceEach(sent, "token", "token_type_hint"); err != nil {
		return oauth.Client{}, "", err
	}
	client, err := s.identify(ctx, sent, basic)
	if err == nil && sent.Get("token") == "" {
		err = oauth.Refuse(oauth.InvalidRequest, "The parameter token is missing.")
	}
	return client, sent.Get("token"), err
}

// grantOf returns the grant of an access or refresh token, or NOT_FOUND. The request's token_type_hint is not needed,
// because the token's form shows its type.
func (s *Server) grantOf(ctx context.Context, token string) (oauth.Grant, error) {
	if hash, err := credential.AccessToken.Hash(token); err == nil {
		access, _, err := s.grants.AccessToken(ctx, hash)
		return access.Grant, err
	}
	if hash, err := credential.RefreshToken.Hash(token); err == nil {
		refresh, err := s.grants.Refresh(ctx, hash)
		return refresh.Grant, err
	}
	return oauth.Grant{}, apperr.New(apperr.NotFound, "There is no such token.")
}

// Introspection is the state of a token (RFC 7662, section 2.2).
type Introspection struct {
	Active bool
	Access oauth.Access
}

// Introspect serves the introspection endpoint. Confidential clients may introspect their own tokens. The error is an
// *oauth.Error unless the database fails.
func (s *Server) Introspect(ctx context.Context, sent url.Values, basic *Basic) (Introspection, error) {
	client, token, err := s.identifyWithToken(ctx, sent, basic)
	if err != nil {
		return Introspection{}, err
	}
	if client.AuthMethod == oauth.AuthNone {
		return Introspection{}, oauth.Refuse(oauth.InvalidClient, "Only a client with a secret may introspect tokens.")
	}
	access, _, err := s.Authenticate(ctx, token)
	if apperr.Is(err, apperr.Unauthenticated) || err == nil && access.Grant.ClientID != client.ID {
		return Introspection{}, nil
	}
	return Introspection{Active: err == nil, Access: access}, err
}

// Authenticate returns an access token and the plan of its workspace. The error is UNAUTHENTICATED for a malformed,
// unknown, expired or revoked token, without distinction. The caller must check the audience.
func (s *Server) Authenticate(ctx context.Context, token string) (oauth.Access, workspace.Plan, error) {
	unknown := func() error {
		return apperr.New(apperr.Unauthenticated, "The access token is unknown, expired or revoked.")
	}
	hash, err := credential.AccessToken.Hash(token)
	if err != nil {
		return oauth.Access{}, "", unknown()
	}
	access, plan, err := s.grants.AccessToken(ctx, hash)
	if apperr.Is(err, apperr.NotFound) || err == nil && !access.Valid(s.now()) {
		return oauth.Access{}, "", unknown()
	}
	if err != nil {
		return oauth.Access{}, "", err
	}
	if access.UsedAt.IsZero() {
		err = s.grants.Used(ctx, hash, s.now())
	}
	return access, plan, err
}

// Sweep deletes expired rows. Call it about once an hour.
func (s *Server) Sweep(ctx context.Context, now time.Time) error {
	if err := s.grants.Prune(ctx, now); err != nil {
		return err
	}
	_, err := s.clients.Prune(ctx, now)
	return err
}
