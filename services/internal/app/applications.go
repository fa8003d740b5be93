package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/network"
)

// longestSecret limits the ids and the secrets of applications, in bytes.
const longestSecret = 500

// ApplicationsDeps holds the dependencies of Applications.
type ApplicationsDeps struct {
	DB          *postgres.DB
	Keyring     *secretbox.Keyring
	Connections *Connections
	Networks    []network.Declaration
	// InEnvironment reports whether a variable is set in the environment, which overrides the stored value.
	InEnvironment func(variable string) bool
	// Refresh makes this program use stored values at once. Others use them within 15 seconds.
	Refresh func(ctx context.Context) error
}

// Applications implements the use cases of the applications that are registered at the networks. They belong to the
// installation, so that only its operators may change them. It is safe for concurrent use.
type Applications struct {
	d         ApplicationsDeps
	db        *postgres.DB
	stored    *postgres.AppCredentials
	operators *postgres.Operators
	auditLog  *postgres.Audit
}

// NewApplications returns the use cases.
func NewApplications(d ApplicationsDeps) (*Applications, error) {
	if d.DB == nil || d.Keyring == nil || d.Connections == nil || d.Networks == nil || d.InEnvironment == nil || d.Refresh == nil {
		return nil, errors.New("app: every dependency of Applications is required")
	}
	return &Applications{
		d: d, db: d.DB, stored: postgres.NewAppCredentials(d.DB, d.Keyring), operators: postgres.NewOperators(d.DB),
		auditLog: postgres.NewAudit(d.DB),
	}, nil
}

// ApplicationVariable is the id or the secret of an application. Its value is never returned.
type ApplicationVariable struct {
	Name          string
	InEnvironment bool // the environment has a value, which is used
	IsStored      bool
}

// IsSet reports whether there is a value.
func (v ApplicationVariable) IsSet() bool { return v.InEnvironment || v.IsStored }

// RegisteredApplication is an application that is, or can be, registered at a network.
type RegisteredApplication struct {
	ID, Secret ApplicationVariable
	Methods    []ApplicationMethod // that connect with it
	Instead    string              // the id of the application that replaces it if it is not set
	Works      bool                // accounts can be connected with it now, as with the sandbox network
}

// ApplicationMethod is a way to connect accounts with an application.
type ApplicationMethod struct {
	Type     channel.Type
	Variant  channel.Variant
	Redirect string // to register
}

// IsOperator reports whether the person may change applications.
func (a *Applications) IsOperator(ctx context.Context, p Principal) (bool, error) {
	if p.Person.ID.IsZero() {
		return false, nil
	}
	return a.operators.Is(ctx, p.Person.ID)
}

func (a *Applications) require(ctx context.Context, p Principal) error {
	if err := p.Require(credential.ChannelsConnect); err != nil {
		return err
	}
	is, err := a.IsOperator(ctx, p)
	if err != nil || is {
		return err
	}
	return &apperr.Error{
		Code: apperr.InsufficientScope, Scope: string(credential.ChannelsConnect),
		Message: "Only an operator of the installation may do this. The program admin makes operators: admin user operator.",
	}
}

// List returns the applications of all networks.
func (a *Applications) List(ctx context.Context, p Principal) ([]RegisteredApplication, error) {
	if err := p.Require(credential.ChannelsConnect); err != nil {
		return nil, err
	}
	names, err := a.stored.Names(ctx)
	if err != nil {
		return nil, err
	}
	state := func(name string) ApplicationVariable {
		return ApplicationVariable{name, a.d.InEnvironment(name), slices.Contains(names, name)}
	}
	var list []RegisteredApplication
	for _, declared := range a.d.Networks {
		for _, one := range declared.Applications {
			at := slices.IndexFunc(list, func(r RegisteredApplication) bool { return r.ID.Name == one.ID })
			if at < 0 {
				at = len(list)
				list = append(list, RegisteredApplication{ID: state(one.ID), Secret: state(one.Secret), Instead: one.Instead})
			}
			for _, t := range one.Types {
				list[at].Works = list[at].Works || a.d.Connections.configured(t, one.Variant)
				list[at].Methods = append(list[at].Methods, ApplicationMethod{t, one.Variant, a.d.Connections.Redirect(t)})
			}
		}
	}
	return list, nil
}

// of returns the application with the id; NOT_FOUND if there is none.
func (a *Applications) of(ctx context.Context, p Principal, id string) (RegisteredApplication, error) {
	list, err := a.List(ctx, p)
	if err != nil {
		return RegisteredApplication{}, err
	}
	at := slices.IndexFunc(list, func(r RegisteredApplication) bool { return r.ID.Name == id })
	if at < 0 {
		return RegisteredApplication{}, apperr.New(apperr.NotFound, "There is no such application.")
	}
	return list[at], nil
}

// Set stores the id and the secret of an application, encrypted. An empty value keeps the stored one.
func (a *Applications) Set(ctx context.Context, p Principal, application, id, secret string) error {
	of, err := a.of(ctx, p, application)
	if err == nil {
		err = a.require(ctx, p)
	}
	if err != nil {
		return err
	}
	var faults []apperr.Field
	values := make(map[string]string)
	for pointer, one := range map[string]struct {
		variable ApplicationVariable
		value    string
	}{"/id": {of.ID, id}, "/secret": {of.Secret, secret}} {
		switch {
		case one.value == "" && !one.variable.IsSet():
			faults = append(faults, apperr.Field{Pointer: pointer, Message: "Enter a value."})
		case one.value == "":
		case one.variable.InEnvironment:
			faults = append(faults, apperr.Field{
				Pointer: pointer, Message: "The environment variable " + one.variable.Name + " sets this value.",
			})
		case len(one.value) > longestSecret || strings.ContainsFunc(one.value, func(r rune) bool {
			return r > unicode.MaxASCII || !unicode.IsPrint(r) || unicode.IsSpace(r)
		}):
			faults = append(faults, apperr.Field{Pointer: pointer, Message: "Use up to 500 characters without spaces."})
		default:
			values[one.variable.Name] = one.value
		}
	}
	if err := apperr.Invalid(faults); err != nil {
		return err
	}
	return a.change(ctx, p, application, "stored", values)
}

// Remove deletes the stored id and secret of an application.
func (a *Applications) Remove(ctx context.Context, p Principal, application string) error {
	of, err := a.of(ctx, p, application)
	if err == nil {
		err = a.require(ctx, p)
	}
	if err != nil {
		return err
	}
	return a.change(ctx, p, application, "deleted", map[string]string{of.ID.Name: "", of.Secret.Name: ""})
}

func (a *Applications) change(
	ctx context.Context, p Principal, application, detail string, values map[string]string,
) error {
	if len(values) == 0 {
		return nil
	}
	err := a.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := a.stored.Set(ctx, values, string(p.Actor())); err != nil {
			return err
		}
		return a.auditLog.Insert(ctx, entryOf(p, a.d.Connections.now(), audit.ApplicationChanged, application, detail))
	})
	if err != nil {
		return err
	}
	return a.d.Refresh(ctx)
}

// Verdict is the result of a check of an application's id and secret.
type Verdict string

// Verdicts.
const (
	VerdictAccepted Verdict = "ACCEPTED" // the network refused an invented code, and not the application
	VerdictRefused  Verdict = "REFUSED"  // the network refused the application
	VerdictUnknown  Verdict = "UNKNOWN"  // the network did not respond clearly
)

// Check is the result of Applications.Check.
type Check struct {
	Verdict  Verdict
	Message  string
	Response string // the network's own, without secrets
}

// Check asks the network to exchange an invented code with the application: it refuses the code if it accepts the id and
// the secret.
func (a *Applications) Check(ctx context.Context, p Principal, application string) (Check, error) {
	of, err := a.of(ctx, p, application)
	if err == nil {
		err = a.require(ctx, p)
	}
	if err != nil {
		return Check{}, err
	}
	method := of.Methods[0]
	link, ok := a.d.Connections.connecter(method.Type)
	if !ok {
		return Check{}, apperr.New(apperr.NotFound, "There is no such application.")
	}
	ctx, cancel := context.WithTimeout(ctx, networkTime)
	defer cancel()
	const invented = "an-invented-code-to-check-the-application-0123456789"
	_, err = link.Exchange(ctx, platform.Code{
		Code: invented, Verifier: invented, Redirect: method.Redirect, Variant: method.Variant,
	})
	failure := platform.FailureOf(err)
	out := Check{Verdict: VerdictUnknown, Message: failure.Message}
	if failure.Cause != nil {
		out.Response = plain(failure.Cause.Error(), longestResponse)
	}
	name := method.Type.Network().Name()
	switch {
	case failure.Code == platform.CodeConsentRefused:
		out.Verdict, out.Message = VerdictAccepted, name+" refused the invented code of the check, and not the application."
	case failure.Class == platform.ClassOperator:
		out.Verdict = VerdictRefused
	}
	return out, nil
}
