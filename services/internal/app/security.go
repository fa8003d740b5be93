package app

import (
	"context"
	"errors"

	"fencepost.internal/services/internal/authn"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// product is the name of the application in authenticator apps and in passkeys.
const product = "Fencepost"

// guesses is the limit of codes that are checked for one person.
func guesses() ratelimit.Limit { return ratelimit.Limit{PerMinute: 1, Burst: 10} }

// SecurityDeps holds the dependencies of Security.
type SecurityDeps struct {
	DB      *postgres.DB
	Keyring *secretbox.Keyring
	Limiter *ratelimit.Limiter
	Clock   clock.Clock
	AppURL  string // of the application, which passkeys are bound to

	// Provider is the sign-in provider, if its issuer is set.
	Provider SignInProvider
}

// SignInProvider is the registration at an OpenID Connect provider.
type SignInProvider struct {
	Issuer, ClientID, ClientSecret string
	Name                           string // on the button
}

// PathProviderCallback is the path to which the provider sends browsers back.
const PathProviderCallback = "/sign-in/provider/callback"

// Security implements the use cases of how people sign in, apart from passwords. It is safe for concurrent use.
type Security struct {
	db       *postgres.DB
	users    *postgres.Users
	factors  *postgres.Factors
	auditLog *postgres.Audit
	limiter  *ratelimit.Limiter
	clock    clock.Clock
	party    *authn.Passkeys // nil: the address of the application cannot have passkeys

	provider             *authn.Provider // nil: there is none
	issuer, providerName string
}

// NewSecurity returns the use cases.
func NewSecurity(d SecurityDeps) (*Security, error) {
	if d.DB == nil || d.Keyring == nil || d.Limiter == nil || d.Clock == nil {
		return nil, errors.New("app: every dependency is required")
	}
	party, err := authn.NewPasskeys(product, d.AppURL)
	if err != nil && !errors.Is(err, authn.ErrPasskeysUnsuitable) {
		return nil, err
	}
	s := &Security{
		db: d.DB, users: postgres.NewUsers(d.DB), factors: postgres.NewFactors(d.DB, d.Keyring),
		auditLog: postgres.NewAudit(d.DB), limiter: d.Limiter, clock: d.Clock, party: party,
	}
	if d.Provider.Issuer == "" {
		return s, nil
	}
	s.issuer, s.providerName = d.Provider.Issuer, d.Provider.Name
	s.provider, err = authn.NewProvider(authn.ProviderConfig{
		Issuer: d.Provider.Issuer, ClientID: d.Provider.ClientID, ClientSecret: d.Provider.ClientSecret,
		RedirectURL: d.AppURL + PathProviderCallback, Clock: d.Clock,
	})
	return s, err
}

// SecurityState has the ways in which a person signs in.
type SecurityState struct {
	TOTP      user.TOTP // zero ConfirmedAt: off
	Passkeys  []user.Key
	Codes     int  // unused recovery codes
	PasskeyOK bool // the address of the application can have passkeys
	// Provider is the name of the sign-in provider, empty if there is none; Identity is the person's account there.
	Provider string
	Identity user.Identity
}

// HasFactor reports whether the person has a second factor.
func (s SecurityState) HasFactor() bool { return !s.TOTP.ConfirmedAt.IsZero() || len(s.Passkeys) > 0 }

// State returns how the person signs in.
func (s *Security) State(ctx context.Context, u user.User) (SecurityState, error) {
	state := SecurityState{PasskeyOK: s.party != nil, Provider: s.providerName}
	var err error
	if state.Identity, err = s.users.Identity(ctx, u.ID, s.issuer); err != nil && !apperr.Is(err, apperr.NotFound) {
		return state, err
	}
	if state.TOTP, err = s.factors.TOTP(ctx, u.ID); err != nil && !apperr.Is(err, apperr.NotFound) {
		return state, err
	}
	if state.Passkeys, err = s.factors.Passkeys(ctx, u.ID); err != nil {
		return state, err
	}
	state.Codes, err = s.factors.RecoveryCodes(ctx, u.ID)
	return state, err
}

// StartApp creates the secret of an authenticator app, which Confirm turns on. The error is INVALID_STATE if the person
// has one.
func (s *Security) StartApp(ctx context.Context, u user.User) error {
	secret, err := authn.NewSecret(product, string(u.Email))
	if err != nil {
		return err
	}
	started, err := s.factors.SetTOTP(ctx, user.TOTP{UserID: u.ID, Secret: secret, CreatedAt: s.clock.Now()})
	if err == nil && !started {
		err = apperr.New(apperr.InvalidState, "You have an authenticator app. Turn it off first.")
	}
	return err
}

// AppSetup is the data that an authenticator app takes over.
type AppSetup struct {
	Secret string // base32
	QR     []byte // PNG
}

// StartedApp returns the secret of the app that waits for its first code; NOT_FOUND if there is none.
func (s *Security) StartedApp(ctx context.Context, u user.User) (AppSetup, error) {
	found, err := s.factors.TOTP(ctx, u.ID)
	if err == nil && !found.ConfirmedAt.IsZero() {
		err = apperr.New(apperr.NotFound, "The authenticator app is on already.")
	}
	if err != nil {
		return AppSetup{}, err
	}
	qr, err := authn.SecretQR(product, string(u.Email), found.Secret)
	return AppSetup{Secret: found.Secret, QR: qr}, err
}

// ConfirmApp turns the authenticator app on with its first code, and ends the person's other sessions. It returns new
// recovery codes if the person had none. Errors: VALIDATION_FAILED for a wrong code, RATE_LIMITED, NOT_FOUND if no app
// waits.
func (s *Security) ConfirmApp(ctx context.Context, u user.User, current [32]byte, code string) ([]string, error) {
	if _, err := s.StartedApp(ctx, u); err != nil {
		return nil, err
	}
	if err := s.checkCode(ctx, u, code, false); err != nil {
		return nil, err
	}
	var codes []string
	err := s.changed(ctx, u, current, audit.AppTurnedOn, "", func(ctx context.Context) error {
		confirmed, err := s.factors.ConfirmTOTP(ctx, u.ID, s.clock.Now())
		if err != nil {
			return err
		}
		if !confirmed {
			return apperr.New(apperr.NotFound, "No authenticator app waits for a code.")
		}
		codes, err = s.firstCodes(ctx, u)
		return err
	})
	return codes, err
}

// RemoveApp turns the authenticator app off, and ends the person's other sessions. The caller has checked the password.
func (s *Security) RemoveApp(ctx context.Context, u user.User, current [32]byte) error {
	return s.changed(ctx, u, current, audit.AppTurnedOff, "", func(ctx context.Context) error {
		return s.factors.RemoveTOTP(ctx, u.ID)
	})
}

// firstCodes returns new recovery codes if the person has none.
func (s *Security) firstCodes(ctx context.Context, u user.User) ([]string, error) {
	remaining, err := s.factors.RecoveryCodes(ctx, u.ID)
	if err != nil || remaining > 0 {
		return nil, err
	}
	return s.setCodes(ctx, u)
}

func (s *Security) setCodes(ctx context.Context, u user.User) ([]string, error) {
	codes := user.NewRecoveryCodes()
	hashes := make([][32]byte, len(codes))
	for i, code := range codes {
		hashes[i], _ = user.HashRecoveryCode(code)
	}
	return codes, s.factors.SetRecoveryCodes(ctx, u.ID, hashes)
}

// ReplaceCodes returns new recovery codes; the earlier ones end. The error is INVALID_STATE without a second factor.
func (s *Security) ReplaceCodes(ctx context.Context, u user.User, current [32]byte) ([]string, error) {
	state, err := s.State(ctx, u)
	if err != nil {
		return nil, err
	}
	if !state.HasFactor() {
		return nil, apperr.New(apperr.InvalidState, "Recovery codes need an authenticator app or a passkey.")
	}
	var codes []string
	err = s.changed(ctx, u, current, audit.CodesReplaced, "", func(ctx context.Context) error {
		codes, err = s.setCodes(ctx, u)
		return err
	})
	return codes, err
}

// changed changes how the person signs in, records it, and ends the person's other sessions: all or nothing.
func (s *Security) changed(
	ctx context.Context, u user.User, current [32]byte, action audit.Action, detail string, do func(context.Context) error,
) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := do(ctx); err != nil {
			return err
		}
		if err := s.users.EndOtherSessions(ctx, u.ID, current); err != nil {
			return err
		}
		return s.record(ctx, u, action, detail)
	})
}

// record adds an entry to the audit log of every workspace of the person.
func (s *Security) record(ctx context.Context, u user.User, action audit.Action, detail string) error {
	return RecordOfPerson(ctx, s.users, s.auditLog, audit.Entry{
		At: s.clock.Now(), UserID: u.ID, Actor: u.String(), Action: action,
		Subject: u.String(), Detail: detail,
	}, u.ID)
}

// RecordOfPerson adds an entry to the audit log of every workspace of a person.
func RecordOfPerson(
	ctx context.Context, users *postgres.Users, log *postgres.Audit, entry audit.Entry, of ident.User,
) error {
	workspaces, err := users.Workspaces(ctx, of)
	if err != nil {
		return err
	}
	for _, w := range workspaces {
		entry.ID, entry.WorkspaceID = ident.New[ident.Audit](), w.ID
		if err := log.Insert(ctx, entry); err != nil {
			return err
		}
	}
	return nil
}
