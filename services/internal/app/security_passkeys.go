package app

import (
	"context"
	"errors"

	"fencepost.internal/services/internal/authn"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// errNoPasskeys is the error where the address of the application cannot have passkeys.
func errNoPasskeys() error {
	return apperr.New(apperr.InvalidState,
		"Passkeys need an address of the application with a domain name and https. The operator sets it in APP_URL.")
}

func notAccepted() error {
	return apperr.Invalid([]apperr.Field{{Pointer: "/passkey", Message: "The passkey was not accepted. Try again."}})
}

// holder returns the person of a ceremony.
func (s *Security) holder(ctx context.Context, u user.User) (authn.Person, error) {
	keys, err := s.factors.Passkeys(ctx, u.ID)
	records := make([][]byte, len(keys))
	for i, key := range keys {
		records[i] = key.Record
	}
	return authn.Person{ID: u.ID[:], Email: string(u.Email), Name: u.Name, Records: records}, err
}

// await stores a ceremony that waits for the browser and returns its options.
func (s *Security) await(ctx context.Context, session [32]byte, of ident.User, begun authn.Begun) ([]byte, error) {
	return begun.Options, s.users.Await(ctx, session, user.Step{
		Kind: user.StepPasskey, UserID: of, Data: begun.State, ExpiresAt: s.clock.Now().Add(user.StepLife),
	})
}

// take ends the ceremony of the browser and returns it. The error is VALIDATION_FAILED if there is none.
func (s *Security) take(ctx context.Context, session [32]byte) (user.Step, error) {
	if s.party == nil {
		return user.Step{}, errNoPasskeys()
	}
	step, err := s.users.TakeStep(ctx, session, user.StepPasskey, s.clock.Now())
	if apperr.Is(err, apperr.NotFound) {
		err = notAccepted()
	}
	return step, err
}

// BeginPasskey begins to create a passkey, and returns the options for the browser.
func (s *Security) BeginPasskey(ctx context.Context, u user.User, session [32]byte) ([]byte, error) {
	if s.party == nil {
		return nil, errNoPasskeys()
	}
	person, err := s.holder(ctx, u)
	if err != nil {
		return nil, err
	}
	if len(person.Records) >= user.MaxPasskeys {
		return nil, apperr.New(apperr.InvalidState, "You have %d passkeys, the most possible. Remove one first.", user.MaxPasskeys)
	}
	begun, err := s.party.Create(person)
	if err != nil {
		return nil, err
	}
	return s.await(ctx, session, u.ID, begun)
}

// AddPasskey stores the passkey that the browser created, and ends the person's other sessions. It returns recovery
// codes if the person had none. The error is VALIDATION_FAILED for an invalid name or response.
func (s *Security) AddPasskey(
	ctx context.Context, u user.User, session [32]byte, name string, response []byte,
) ([]string, error) {
	name, err := user.PasskeyName(name)
	if err != nil {
		return nil, err
	}
	step, err := s.take(ctx, session)
	if err != nil {
		return nil, err
	}
	if step.UserID != u.ID {
		return nil, notAccepted()
	}
	person, err := s.holder(ctx, u)
	if err != nil {
		return nil, err
	}
	created, err := s.party.Created(person, step.Data, response)
	if errors.Is(err, authn.ErrPasskeyRejected) {
		return nil, notAccepted()
	}
	if err != nil {
		return nil, err
	}
	var codes []string
	err = s.changed(ctx, u, session, audit.PasskeyAdded, name, func(ctx context.Context) error {
		added, err := s.factors.InsertPasskey(ctx, user.Key{
			ID: ident.New[ident.Passkey](), UserID: u.ID, CredentialID: created.Credential, Name: name, Record: created.Record,
			CreatedAt: s.clock.Now(),
		})
		if err != nil {
			return err
		}
		if !added {
			return notAccepted()
		}
		codes, err = s.firstCodes(ctx, u)
		return err
	})
	return codes, err
}

// RemovePasskey removes a passkey, and ends the person's other sessions; NOT_FOUND if the person has no such one.
func (s *Security) RemovePasskey(ctx context.Context, u user.User, session [32]byte, id ident.Passkey) error {
	found, err := s.factors.Passkey(ctx, u.ID, id)
	if err != nil {
		return err
	}
	return s.changed(ctx, u, session, audit.PasskeyRemoved, found.Name, func(ctx context.Context) error {
		return s.factors.RemovePasskey(ctx, u.ID, id)
	})
}

// BeginProof begins a sign-in with a passkey, or the proof of a known person, and returns the options for the browser.
func (s *Security) BeginProof(ctx context.Context, of user.User, session [32]byte) ([]byte, error) {
	if s.party == nil {
		return nil, errNoPasskeys()
	}
	if of.ID.IsZero() {
		begun, err := s.party.SignIn()
		if err != nil {
			return nil, err
		}
		return s.await(ctx, session, of.ID, begun)
	}
	person, err := s.holder(ctx, of)
	if err != nil {
		return nil, err
	}
	if len(person.Records) == 0 {
		return nil, apperr.New(apperr.InvalidState, "You have no passkey.")
	}
	begun, err := s.party.Prove(person)
	if err != nil {
		return nil, err
	}
	return s.await(ctx, session, of.ID, begun)
}

// Prove checks the browser's response to BeginProof and returns the person and the method. The error is
// VALIDATION_FAILED for a response that is not accepted.
func (s *Security) Prove(ctx context.Context, session [32]byte, response []byte) (user.User, user.Method, error) {
	step, err := s.take(ctx, session)
	if err != nil {
		return user.User{}, "", err
	}
	var found user.User
	var used authn.Used
	method := user.PasskeyAsSecond
	if step.UserID.IsZero() {
		method = user.Passkey
		used, err = s.party.SignedIn(step.Data, response, func(id []byte) (authn.Person, error) {
			if len(id) != len(found.ID) {
				return authn.Person{}, apperr.New(apperr.NotFound, "no such user")
			}
			var err error
			if found, err = s.users.ByID(ctx, ident.User(id)); err != nil {
				return authn.Person{}, err
			}
			return s.holder(ctx, found)
		})
	} else if found, err = s.users.ByID(ctx, step.UserID); err == nil {
		var person authn.Person
		if person, err = s.holder(ctx, found); err == nil {
			used, err = s.party.Proved(person, step.Data, response)
		}
	}
	if errors.Is(err, authn.ErrPasskeyRejected) || err == nil && !found.MaySignIn() {
		return user.User{}, "", notAccepted()
	}
	if err != nil {
		return user.User{}, "", err
	}
	return found, method, s.used(ctx, found, used)
}

// used records a use of a passkey. A counter that went back is shown to the person and recorded; the sign-in goes on,
// because many authenticators do not count.
func (s *Security) used(ctx context.Context, u user.User, key authn.Used) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.factors.UsePasskey(ctx, key.Credential, key.Record, key.Cloned, s.clock.Now()); err != nil || !key.Cloned {
			return err
		}
		return s.record(ctx, u, audit.PasskeyCloned, "")
	})
}

// HasPasskeys reports whether the address of the application can have passkeys.
func (s *Security) HasPasskeys() bool { return s.party != nil }
