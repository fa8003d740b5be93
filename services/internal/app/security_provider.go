package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"fencepost.internal/services/internal/authn"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
)

// ProviderName returns the name of the sign-in provider; empty if there is none.
func (s *Security) ProviderName() string { return s.providerName }

// ProviderSources returns the form-action sources that a form to the provider may lead to. Browsers check every redirect
// after a form, and a provider may have several hosts.
func (s *Security) ProviderSources() string {
	if u, err := url.Parse(s.issuer); err == nil && u.Scheme == "http" {
		return "https: http://" + u.Host
	}
	return "https:"
}

// awaitedProvider is the data of a browser that is at the provider.
type awaitedProvider struct {
	State  string `json:"state"`
	Onward string `json:"onward"` // what the caller gets back
}

// BeginProvider sends a browser to the sign-in provider: it returns the address. A user makes the provider's account one
// of the user; without a user, it is a sign-in. Errors: NOT_FOUND without a provider, UNAVAILABLE.
func (s *Security) BeginProvider(ctx context.Context, of user.User, session [32]byte, onward string) (string, error) {
	if s.provider == nil {
		return "", apperr.New(apperr.NotFound, "There is no sign-in provider.")
	}
	address, state, err := s.provider.Begin() //nolint:contextcheck // discovery outlives the request
	if err != nil {
		return "", unavailable(err)
	}
	data, err := json.Marshal(awaitedProvider{State: state, Onward: onward})
	if err != nil {
		return "", fmt.Errorf("encode state: %w", err)
	}
	return address, s.users.Await(ctx, session, user.Step{
		Kind: user.StepProvider, UserID: of.ID, Data: string(data), ExpiresAt: s.clock.Now().Add(user.StepLife),
	})
}

func unavailable(err error) error {
	if errors.Is(err, authn.ErrUnavailable) {
		return &apperr.Error{Code: apperr.Unavailable, Message: "The sign-in provider is not available.", Cause: err}
	}
	return err
}

func providerRefused(message string) error {
	return apperr.Invalid([]apperr.Field{{Pointer: "/provider", Message: message}})
}

// ProviderReturn has the person with whom a browser came back from the provider.
type ProviderReturn struct {
	Identity authn.Identity
	LinkTo   bool   // the signed-in user wants to link the account
	Onward   string // as given to BeginProvider
	// User is the user of the account, if it is linked.
	User user.User
}

// FinishProvider checks with what a browser came back from the provider. A state is used once, by the browser that has
// it. Errors: VALIDATION_FAILED for a return that is not accepted, UNAVAILABLE.
func (s *Security) FinishProvider(
	ctx context.Context, visitor user.User, session [32]byte, query url.Values,
) (ProviderReturn, error) {
	if s.provider == nil {
		return ProviderReturn{}, apperr.New(apperr.NotFound, "There is no sign-in provider.")
	}
	step, err := s.users.TakeStep(ctx, session, user.StepProvider, s.clock.Now())
	if apperr.Is(err, apperr.NotFound) || err == nil && step.UserID != visitor.ID {
		return ProviderReturn{}, providerRefused("The sign-in took too long, or began in another window. Try again.")
	}
	if err != nil {
		return ProviderReturn{}, err
	}
	var awaited awaitedProvider
	if err := json.Unmarshal([]byte(step.Data), &awaited); err != nil {
		return ProviderReturn{}, fmt.Errorf("decode state: %w", err)
	}
	out := ProviderReturn{LinkTo: !step.UserID.IsZero(), Onward: awaited.Onward}
	out.Identity, err = s.provider.Finish(ctx, awaited.State, query)
	switch {
	case errors.Is(err, authn.ErrDenied):
		return out, providerRefused("The provider did not sign you in.")
	case errors.Is(err, authn.ErrRejected):
		return out, providerRefused("The response of the provider was not accepted. Try again.")
	case err != nil:
		return out, unavailable(err)
	}
	out.User, err = s.users.ByIdentity(ctx, out.Identity.Issuer, out.Identity.Subject, s.clock.Now())
	if apperr.Is(err, apperr.NotFound) {
		err = nil
	}
	return out, err
}

// AwaitLink lets the browser wait for the first sign-in of the user with the address of a provider's account, which links
// them. The error is VALIDATION_FAILED if the provider has not verified the address, or no user has it.
func (s *Security) AwaitLink(ctx context.Context, session [32]byte, i authn.Identity) (user.User, error) {
	address, ok := email.Parse(i.Email)
	if !i.Verified || !ok {
		return user.User{}, providerRefused("The provider has not verified your email address.")
	}
	found, err := s.users.ByEmail(ctx, address)
	if err != nil && !apperr.Is(err, apperr.NotFound) {
		return user.User{}, err
	}
	if err != nil || !found.MayLink(i.Email, i.Verified) {
		return user.User{}, providerRefused("No account has your email address. Ask an owner of your workspace for an invitation.")
	}
	data, err := json.Marshal(i)
	if err != nil {
		return user.User{}, fmt.Errorf("encode identity: %w", err)
	}
	return found, s.users.Await(ctx, session, user.Step{
		Kind: user.StepLink, UserID: found.ID, Data: string(data), ExpiresAt: s.clock.Now().Add(user.StepLife),
	})
}

// AwaitSignUp lets the browser wait for the person to join by an invitation, as the provider's account knows them. It
// reports false if the address has a user, who links the account instead (AwaitLink). The error is VALIDATION_FAILED if the
// provider has not verified the address.
func (s *Security) AwaitSignUp(ctx context.Context, session [32]byte, i authn.Identity) (bool, error) {
	address, ok := email.Parse(i.Email)
	if !i.Verified || !ok {
		return false, providerRefused("The provider has not verified your email address.")
	}
	if _, err := s.users.ByEmail(ctx, address); !apperr.Is(err, apperr.NotFound) {
		return false, err
	}
	data, err := json.Marshal(i)
	if err != nil {
		return false, fmt.Errorf("encode identity: %w", err)
	}
	return true, s.users.Await(ctx, session, user.Step{
		Kind: user.StepLink, Data: string(data), ExpiresAt: s.clock.Now().Add(user.StepLife),
	})
}

// SigningUp returns the provider's account with which the browser waits to join; NOT_FOUND if there is none.
func (s *Security) SigningUp(ctx context.Context, session [32]byte) (authn.Identity, error) {
	step, err := s.users.Awaited(ctx, session, user.StepLink, s.clock.Now())
	if err == nil && !step.UserID.IsZero() {
		err = apperr.New(apperr.NotFound, "The browser does not wait to join.")
	}
	var i authn.Identity
	if err == nil {
		err = json.Unmarshal([]byte(step.Data), &i)
	}
	return i, err
}

// LinkAwaited links the provider's account that the browser waits to link, if it is for this user, whose sign-in is
// complete. It reports whether it did.
func (s *Security) LinkAwaited(ctx context.Context, session [32]byte, u user.User) (bool, error) {
	step, err := s.users.TakeStep(ctx, session, user.StepLink, s.clock.Now())
	if apperr.Is(err, apperr.NotFound) || err == nil && step.UserID != u.ID {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var i authn.Identity
	if err := json.Unmarshal([]byte(step.Data), &i); err != nil {
		return false, fmt.Errorf("decode identity: %w", err)
	}
	err = s.Link(ctx, u, i)
	if apperr.Is(err, apperr.ValidationFailed) || apperr.Is(err, apperr.InvalidState) {
		return false, nil // the person signs in all the same
	}
	return err == nil, err
}

// Link makes a provider's account one of the user. Errors: VALIDATION_FAILED if the provider has not verified the user's
// address, INVALID_STATE if the account belongs to a user, or the user has another one.
func (s *Security) Link(ctx context.Context, u user.User, i authn.Identity) error {
	if !u.MayLink(i.Email, i.Verified) {
		return providerRefused("The provider must have verified your email address " + string(u.Email) + ".")
	}
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		linked, err := s.users.Link(ctx, user.Identity{
			Issuer: i.Issuer, Subject: i.Subject, UserID: u.ID, Email: i.Email, CreatedAt: s.clock.Now(),
		})
		if err != nil {
			return err
		}
		if !linked {
			return apperr.New(apperr.InvalidState, "The account at the provider belongs to a user, or you have another one.")
		}
		return s.record(ctx, u, audit.IdentityLinked, i.Issuer)
	})
}

// Unlink removes the user's account at the provider, and ends the user's other sessions. The error is INVALID_STATE for a
// user without a password, who could not sign in any more.
func (s *Security) Unlink(ctx context.Context, u user.User, current [32]byte) error {
	if s.provider == nil {
		return apperr.New(apperr.NotFound, "There is no sign-in provider.")
	}
	if !u.HasPassword() {
		return apperr.New(apperr.InvalidState,
			"You have no password. Set one first: sign out, and on the sign-in page request a link for a new password.")
	}
	return s.changed(ctx, u, current, audit.IdentityUnlinked, s.issuer, func(ctx context.Context) error {
		return s.users.Unlink(ctx, u.ID, s.issuer)
	})
}
