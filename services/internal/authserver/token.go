package authserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"log/slog"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
)

// Basic holds the decoded credentials of the Authorization header (RFC 6749, section 2.3.1).
type Basic struct{ ID, Secret string }

// Tokens is a successful response of the token endpoint (RFC 6749, section 5.1).
type Tokens struct {
	Access    string
	Refresh   string
	ExpiresIn time.Duration // of the access token
	Scopes    []credential.Scope
}

// Token serves the token endpoint. The error is an *oauth.Error unless the database fails.
func (s *Server) Token(ctx context.Context, sent url.Values, basic *Basic) (Tokens, error) {
	if err := oauth.OnceEach(sent, "grant_type", "code", "redirect_uri", "code_verifier", "refresh_token",
		"device_code", "scope"); err != nil {
		return Tokens{}, err
	}
	client, err := s.identify(ctx, sent, basic)
	if err != nil {
		return Tokens{}, err
	}
	switch grantType := sent.Get("grant_type"); grantType {
	case oauth.GrantAuthorizationCode:
		return s.redeem(ctx, client, sent)
	case oauth.GrantRefreshToken:
		return s.exchange(ctx, client, sent)
	case oauth.GrantDevice:
		return s.poll(ctx, client, sent)
	case "":
		return Tokens{}, oauth.Refuse(oauth.InvalidRequest, "The parameter grant_type is missing.")
	default:
		return Tokens{}, oauth.Refuse(oauth.UnsupportedGrantType, "The grant_type must be authorization_code, "+
			"refresh_token or %s.", oauth.GrantDevice)
	}
}

// identify returns the authenticated client of a request.
func (s *Server) identify(ctx context.Context, sent url.Values, basic *Basic) (oauth.Client, error) {
	if err := oauth.OnceEach(sent, "client_id", "client_secret"); err != nil {
		return oauth.Client{}, err
	}
	id, secret, method := sent.Get("client_id"), sent.Get("client_secret"), oauth.AuthPost
	if basic != nil {
		if secret != "" || id != "" && id != basic.ID {
			return oauth.Client{}, oauth.Refuse(oauth.InvalidRequest,
				"The client authenticates by two methods; use one of them.")
		}
		id, secret, method = basic.ID, basic.Secret, oauth.AuthBasic
	}
	if id == "" {
		return oauth.Client{}, oauth.Refuse(oauth.InvalidClient, "The parameter client_id is missing.")
	}
	client, err := s.known(ctx, id)
	if err != nil {
		return oauth.Client{}, err
	}
	if basic != nil && client.AuthMethod == oauth.AuthNone && secret == "" { // a public client may send its id this way
		return client, nil
	}
	if client.AuthMethod != oauth.AuthNone && client.AuthMethod != method || !client.Proven(secret) {
		return oauth.Client{}, oauth.Refuse(oauth.InvalidClient, "The client authentication is missing or wrong; its "+
			"token_endpoint_auth_method is %s.", client.AuthMethod)
	}
	return client, nil
}

// redeem exchanges a code for tokens. A failed attempt consumes the code too, so the transaction commits in either
// case.
func (s *Server) redeem(ctx context.Context, client oauth.Client, sent url.Values) (Tokens, error) {
	hash, err := credential.AuthorizationCode.Hash(sent.Get("code"))
	if err != nil {
		return Tokens{}, oauth.Refuse(oauth.InvalidGrant, "The code is missing or malformed.")
	}
	var tokens Tokens
	var refused error
	err = s.cfg.DB.WithinTx(ctx, func(ctx context.Context) error {
		now := s.now()
		code, err := s.grants.LockCode(ctx, hash, now)
		if apperr.Is(err, apperr.NotFound) {
			refused = oauth.Refuse(oauth.InvalidGrant,
				"The code is unknown, expired, already used, or belongs to another client.")
			return nil
		}
		if err != nil {
			return err
		}
		var stolen bool
		if stolen, refused = code.Redeem(client, sent.Get("redirect_uri"), sent.Get("code_verifier"), now); refused == nil {
			refused = code.Grant.For(s.rules, sent["resource"])
		}
		if stolen {
			return s.revoke(ctx, code.Grant, "an authorization code was used twice")
		}
		if refused != nil {
			return nil //nolint:nilerr // commit, so that the code stays consumed
		}
		tokens, err = s.give(ctx, code.Grant, code.Grant.Scopes, nil, now)
		return err
	})
	if err == nil {
		err = refused
	}
	return tokens, err
}

// give creates the first tokens of a grant, or the successors of a refresh token.
func (s *Server) give(
	ctx context.Context, g oauth.Grant, scopes []credential.Scope, after *successor, now time.Time,
) (Tokens, error) {
	tokens := Tokens{
		Access: credential.AccessToken.New(), Refresh: credential.RefreshToken.New(), ExpiresIn: oauth.AccessTokenLife,
		Scopes: scopes,
	}
	var follows []byte
	if after != nil {
		tokens.Access, tokens.Refresh = after.access(), after.refresh()
		sum := sha256.Sum256([]byte(after.token))
		follows = sum[:]
	}
	access, err := credential.AccessToken.Hash(tokens.Access)
	if err != nil {
		return Tokens{}, err
	}
	refresh, err := credential.RefreshToken.Hash(tokens.Refresh)
	if err != nil {
		return Tokens{}, err
	}
	return tokens, s.grants.InsertPair(ctx, postgres.Pair{
		Grant: g, Access: access, Scopes: scopes, AccessExpires: now.Add(oauth.AccessTokenLife), Refresh: refresh,
		RefreshExpires: now.Add(oauth.RefreshTokenLife), Follows: follows,
	})
}

func (s *Server) revoke(ctx context.Context, g oauth.Grant, why string) error {
	s.cfg.Logger.WarnContext(ctx, "oauth grant revoked", slog.String("grant_id", g.ID.String()),
		slog.String("client_id", g.ClientID),
		slog.String("workspace_id", g.WorkspaceID.String()), slog.String("reason", why))
	return s.grants.Revoke(ctx, g.ID, s.now())
}

// successor derives the successors of a refresh token. The same seed yields the same tokens. A client that did not
// receive the response can therefore get them again, although the tokens are not stored.
type successor struct {
	token string
	seed  []byte
}

func (s successor) access() string  { return credential.AccessToken.Following(s.seed, s.token) }
func (s successor) refresh() string { return credential.RefreshToken.Following(s.seed, s.token) }

// exchange exchanges a refresh token for new tokens (RFC 6749, section 6; OAuth 2.1, section 4.3.1).
func (s *Server) exchange(ctx context.Context, client oauth.Client, sent url.Values) (Tokens, error) {
	token := sent.Get("refresh_token")
	hash, err := credential.RefreshToken.Hash(token)
	if err != nil {
		return Tokens{}, oauth.Refuse(oauth.InvalidGrant, "The refresh_token is missing or malformed.")
	}
	var tokens Tokens
	var refused error
	err = s.cfg.DB.WithinTx(ctx, func(ctx context.Context) error {
		r, err := s.grants.LockRefresh(ctx, hash)
		if err != nil && !apperr.Is(err, apperr.NotFound) {
			return err
		}
		tokens, refused, err = s.present(ctx, client, r, token, hash, sent)
		return err
	})
	if err == nil {
		err = refused
	}
	return tokens, err
}

// present applies the outcome of presenting a refresh token. It returns a refusal separately from the error, because
// the changes of a refusal must be committed.
func (s *Server) present(
	ctx context.Context, client oauth.Client, r oauth.Refresh, token string, hash [32]byte, sent url.Values,
) (tokens Tokens, refused, err error) {
	const wrong = "The refresh token is unknown, expired, already used, revoked, or belongs to another client. Request " +
		"a new authorization."
	now := s.now()
	switch r.Present(client, now) {
	case oauth.Rotated:
		scopes, refused := r.Grant.Narrow(sent.Get("scope"))
		if refused == nil {
			refused = r.Grant.For(s.rules, sent["resource"])
		}
		if refused != nil {
			return Tokens{}, refused, nil
		}
		after := successor{token: token, seed: make([]byte, sha256.Size)}
		_, _ = rand.Read(after.seed) // never fails: it crashes the program instead
		if err := s.grants.UseRefresh(ctx, hash, r.Grant, after.seed, now); err != nil {
			return Tokens{}, nil, err
		}
		tokens, err = s.give(ctx, r.Grant, scopes, &after, now)
		return tokens, nil, err
	case oauth.Repeated:
		return s.again(ctx, successor{token: token, seed: r.Seed}, now)
	case oauth.Stolen:
		return Tokens{}, oauth.Refuse(oauth.InvalidGrant, wrong), s.revoke(ctx, r.Grant, "a refresh token was used twice")
	case oauth.Refused:
	}
	return Tokens{}, oauth.Refuse(oauth.InvalidGrant, wrong), nil
}

// again repeats a response that the client did not receive.
func (s *Server) again(ctx context.Context, after successor, now time.Time) (tokens Tokens, refused, err error) {
	tokens = Tokens{Access: after.access(), Refresh: after.refresh()}
	hash, err := credential.AccessToken.Hash(tokens.Access)
	if err != nil {
		return Tokens{}, nil, err
	}
	access, _, err := s.grants.AccessToken(ctx, hash)
	if err != nil {
		return Tokens{}, nil, err
	}
	tokens.ExpiresIn, tokens.Scopes = access.ExpiresAt.Sub(now), access.Scopes
	return tokens, nil, nil
}
