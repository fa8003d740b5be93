package authserver

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Started is the result of an authorization request.
type Started struct {
	// Handle identifies the request for the user's decision. It is empty when the browser returns to the client at
	// once.
	Handle string
	// Back is the client's redirect URL with an error.
	Back *url.URL
}

// Authorize accepts an authorization request (RFC 6749, section 4.1.1). An *oauth.Error is for the user: there is no
// valid redirect URI to report it to the client.
func (s *Server) Authorize(ctx context.Context, sent url.Values) (Started, error) {
	id, err := oauth.ReadClientID(sent)
	if err != nil {
		return Started{}, err
	}
	client, err := s.client(ctx, id)
	if err != nil {
		return Started{}, err
	}
	request, redirect, err := s.rules.ReadRequest(client, sent)
	if refused, ok := errors.AsType[*oauth.Error](err); ok && redirect {
		back, err := oauth.Response{Error: refused}.RedirectTo(request, s.cfg.Issuer)
		return Started{Back: back}, err
	}
	if err != nil {
		return Started{}, err
	}
	handle := credential.AuthorizationRequest.New()
	hash, err := credential.AuthorizationRequest.Hash(handle)
	if err != nil {
		return Started{}, err
	}
	return Started{Handle: handle}, s.grants.InsertRequest(ctx, hash, request, s.now().Add(oauth.RequestLife))
}

// Requested is an authorization request with its client, for the user's decision.
type Requested struct {
	Client  oauth.Client
	Request oauth.AuthorizationRequest
}

// Requested returns a pending request; NOT_FOUND when it has been decided or has expired.
func (s *Server) Requested(ctx context.Context, handle string) (Requested, error) {
	hash, err := credential.AuthorizationRequest.Hash(handle)
	if err != nil {
		return Requested{}, noRequest()
	}
	request, err := s.grants.Request(ctx, hash, s.now())
	if err != nil {
		return Requested{}, err
	}
	client, err := s.asks(ctx, request)
	return Requested{Client: client, Request: request}, err
}

// asks returns the client of a pending request; NOT_FOUND when the redirect URI is no longer one of the client's.
func (s *Server) asks(ctx context.Context, request oauth.AuthorizationRequest) (oauth.Client, error) {
	client, _, err := s.clients.Get(ctx, request.ClientID)
	if err == nil && !client.Redirects(request.RedirectURI) {
		err = noRequest()
	}
	return client, err
}

func noRequest() error {
	return apperr.New(apperr.NotFound, "There is no such authorization request. It may have expired or already be "+
		"decided. Start again from the program that sent it.")
}

// Decision is a user's consent.
type Decision struct {
	UserID      ident.User
	WorkspaceID ident.Workspace    // the user is a member
	Scopes      []credential.Scope // a subset of the requested scopes
}

// Allow grants the access and returns the redirect URL with the code. Errors: NOT_FOUND when the request no longer
// exists or the user is not a member of the workspace, VALIDATION_FAILED for scopes that were
// not requested, INSUFFICIENT_SCOPE for scopes that the user's role does not have.
func (s *Server) Allow(ctx context.Context, handle string, d Decision) (*url.URL, error) {
	code := credential.AuthorizationCode.New()
	codeHash, err := credential.AuthorizationCode.Hash(code)
	if err != nil {
		return nil, err
	}
	var request oauth.AuthorizationRequest
	err = s.decide(ctx, handle, func(ctx context.Context, requested oauth.AuthorizationRequest) error {
		request = requested
		if err := s.mayGrant(ctx, requested, d); err != nil {
			return err
		}
		now := s.now()
		return s.grants.Insert(ctx, codeHash, oauth.Code{
			Grant: oauth.Grant{
				ID: ident.New[ident.Grant](), ClientID: requested.ClientID, UserID: d.UserID, WorkspaceID: d.WorkspaceID,
				Scopes:   d.Scopes,
				Resource: requested.Resource, CreatedAt: now,
			},
			RedirectURI: requested.RedirectURI, Challenge: requested.Challenge, ExpiresAt: now.Add(oauth.CodeLife),
		})
	})
	if err != nil {
		return nil, err
	}
	s.cfg.Logger.InfoContext(ctx, "oauth access allowed", slog.String("client_id", request.ClientID),
		slog.String("user_id", d.UserID.String()),
		slog.String("workspace_id", d.WorkspaceID.String()))
	return oauth.Response{Code: code}.RedirectTo(request, s.cfg.Issuer)
}

func (s *Server) mayGrant(ctx context.Context, requested oauth.AuthorizationRequest, d Decision) error {
	role, err := s.users.Role(ctx, d.UserID, d.WorkspaceID)
	switch {
	case err != nil:
		return err
	case role == "":
		return apperr.New(apperr.NotFound, "There is no such workspace.")
	case len(d.Scopes) == 0 || slices.ContainsFunc(d.Scopes,
		func(scope credential.Scope) bool { return !slices.Contains(requested.Scopes, scope) }):
		return apperr.New(apperr.ValidationFailed, "Allow at least one of the requested permissions, and no others.")
	case slices.ContainsFunc(d.Scopes, func(scope credential.Scope) bool { return !role.Allows(scope) }):
		return apperr.New(apperr.InsufficientScope, "Your role in the workspace does not have all of these permissions.")
	default:
		return nil
	}
}

// Deny rejects the request and returns the redirect URL with the error; NOT_FOUND when the request no longer exists.
func (s *Server) Deny(ctx context.Context, handle string) (*url.URL, error) {
	var request oauth.AuthorizationRequest
	err := s.decide(ctx, handle, func(_ context.Context, requested oauth.AuthorizationRequest) error {
		request = requested
		return nil
	})
	if err != nil {
		return nil, err
	}
	return oauth.Response{Error: oauth.Refuse(oauth.AccessDenied, "The user denied the request.")}.RedirectTo(request,
		s.cfg.Issuer)
}

// decide consumes a request and calls do in one transaction. If do fails, the request stays pending.
func (s *Server) decide(
	ctx context.Context, handle string, do func(context.Context, oauth.AuthorizationRequest) error,
) error {
	hash, err := credential.AuthorizationRequest.Hash(handle)
	if err != nil {
		return noRequest()
	}
	return s.cfg.DB.WithinTx(ctx, func(ctx context.Context) error {
		request, err := s.grants.TakeRequest(ctx, hash, s.now())
		if apperr.Is(err, apperr.NotFound) {
			return noRequest()
		}
		if err == nil {
			_, err = s.asks(ctx, request)
		}
		if err != nil {
			return err
		}
		return do(ctx, request)
	})
}
