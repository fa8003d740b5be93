// Package authn has the ways to sign in beside a password: the ceremonies of WebAuthn (W3C Web Authentication, Level 3) with
// the application as relying party, the one-time codes of authenticator apps (RFC 6238), and an OpenID Connect provider
// (OpenID Connect Core 1.0) with the code flow, PKCE, state and nonce.
package authn

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// ErrPasskeysUnsuitable means that passkeys cannot be bound to the application's address: its host is an IP address, or it has
// neither https nor the host localhost.
var ErrPasskeysUnsuitable = errors.New("passkey: the address has no domain that passkeys can be bound to")

// ErrPasskeyRejected means that a response of the browser does not belong to its challenge or to the person.
var ErrPasskeyRejected = errors.New("passkey: the response is not valid")

// Passkeys is the relying party. It is safe for concurrent use.
type Passkeys struct{ web *webauthn.WebAuthn }

// NewPasskeys returns the relying party of an application; ErrUnsuitable if its address cannot have passkeys.
func NewPasskeys(name, appURL string) (*Passkeys, error) {
	u, err := url.Parse(appURL)
	if err != nil {
		return nil, fmt.Errorf("passkey: %w", err)
	}
	_, notAddress := netip.ParseAddr(u.Hostname())
	if u.Hostname() == "" || notAddress == nil || u.Scheme != "https" && u.Hostname() != "localhost" {
		return nil, ErrPasskeysUnsuitable
	}
	web, err := webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: name, RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
	})
	if err != nil {
		return nil, fmt.Errorf("passkey: %w", err)
	}
	return &Passkeys{web: web}, nil
}

// Person is the person of a ceremony, with the records of the person's passkeys.
type Person struct {
	ID      []byte
	Email   string
	Name    string
	Records [][]byte
}

type holder struct {
	Person

	keys []webauthn.Credential
}

func (h holder) WebAuthnID() []byte                         { return h.ID }
func (h holder) WebAuthnName() string                       { return h.Email }
func (h holder) WebAuthnDisplayName() string                { return h.Name }
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

func (p Person) holder() (holder, error) {
	h := holder{Person: p, keys: make([]webauthn.Credential, len(p.Records))}
	for i, record := range p.Records {
		if err := json.Unmarshal(record, &h.keys[i]); err != nil {
			return h, fmt.Errorf("passkey: decode record: %w", err)
		}
	}
	return h, nil
}

// Begun is a ceremony that waits for the browser.
type Begun struct {
	Options []byte // JSON for the browser: publicKey of navigator.credentials
	State   string // for Finish
}

func begun(options any, session *webauthn.SessionData, err error) (Begun, error) {
	if err != nil {
		return Begun{}, fmt.Errorf("passkey: %w", err)
	}
	text, err := json.Marshal(options)
	if err != nil {
		return Begun{}, fmt.Errorf("passkey: %w", err)
	}
	state, err := json.Marshal(session)
	if err != nil {
		return Begun{}, fmt.Errorf("passkey: %w", err)
	}
	return Begun{Options: text, State: string(state)}, nil
}

// Used is a passkey that a person created or used.
type Used struct {
	Credential []byte // ID that the authenticator chose
	Record     []byte // to store
	Cloned     bool   // the counter went back, which a copy of the key can cause
}

func used(c *webauthn.Credential) (Used, error) {
	out := Used{Credential: c.ID, Cloned: c.Authenticator.CloneWarning}
	c.Authenticator.CloneWarning = false
	// The attestation is not checked, so that its statement is not kept.
	c.Attestation = webauthn.CredentialAttestation{}
	var err error
	out.Record, err = json.Marshal(c)
	if err != nil {
		return out, fmt.Errorf("passkey: %w", err)
	}
	return out, nil
}

// Create begins to create a passkey on a device that does not have one of the person yet. It can be found without an
// address, and the device verifies the person.
func (p *Passkeys) Create(person Person) (Begun, error) {
	h, err := person.holder()
	if err != nil {
		return Begun{}, err
	}
	options, session, err := p.web.BeginRegistration(h,
		webauthn.WithExclusions(webauthn.Credentials(h.keys).CredentialDescriptors()),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		}))
	if err != nil {
		return begun(nil, nil, err)
	}
	return begun(options.Response, session, nil)
}

// Created checks the browser's response to Create. The error is ErrRejected for one that is not valid.
func (p *Passkeys) Created(person Person, state string, response []byte) (Used, error) {
	session, err := stateOf(state)
	if err != nil {
		return Used{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(response)
	if err != nil {
		return Used{}, rejected(err)
	}
	h, err := person.holder()
	if err != nil {
		return Used{}, err
	}
	created, err := p.web.CreateCredential(h, session, parsed)
	if err != nil {
		return Used{}, rejected(err)
	}
	return used(created)
}

// SignIn begins a sign-in with any passkey of the application. The device verifies the person.
func (p *Passkeys) SignIn() (Begun, error) {
	options, session, err := p.web.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return begun(nil, nil, err)
	}
	return begun(options.Response, session, nil)
}

// Prove begins a proof with a passkey of a known person.
func (p *Passkeys) Prove(person Person) (Begun, error) {
	h, err := person.holder()
	if err != nil {
		return Begun{}, err
	}
	options, session, err := p.web.BeginLogin(h, webauthn.WithUserVerification(protocol.VerificationPreferred))
	if err != nil {
		return begun(nil, nil, err)
	}
	return begun(options.Response, session, nil)
}

// SignedIn checks the browser's response to SignIn. It gets the person from find by the ID that the passkey contains.
// The error is ErrRejected for a response that is not valid.
func (p *Passkeys) SignedIn(state string, response []byte, find func(id []byte) (Person, error)) (Used, error) {
	session, err := stateOf(state)
	if err != nil {
		return Used{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return Used{}, rejected(err)
	}
	key, err := p.web.ValidateDiscoverableLogin(func(_, id []byte) (webauthn.User, error) {
		person, err := find(id)
		if err != nil {
			return nil, err
		}
		return person.holder()
	}, session, parsed)
	if err != nil {
		return Used{}, rejected(err)
	}
	return used(key)
}

// Proved checks the browser's response to Prove. The error is ErrRejected for one that is not valid.
func (p *Passkeys) Proved(person Person, state string, response []byte) (Used, error) {
	session, err := stateOf(state)
	if err != nil {
		return Used{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return Used{}, rejected(err)
	}
	h, err := person.holder()
	if err != nil {
		return Used{}, err
	}
	key, err := p.web.ValidateLogin(h, session, parsed)
	if err != nil {
		return Used{}, rejected(err)
	}
	return used(key)
}

func rejected(err error) error { return fmt.Errorf("%w: %w", ErrPasskeyRejected, err) }

func stateOf(text string) (webauthn.SessionData, error) {
	var session webauthn.SessionData
	if err := json.Unmarshal([]byte(text), &session); err != nil {
		return session, fmt.Errorf("passkey: decode state: %w", err)
	}
	return session, nil
}
