package user

import (
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"time"
	"unicode/utf8"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// RecoveryCodes is the number of recovery codes of a person.
	RecoveryCodes = 10
	// recoveryLength is the number of characters of a recovery code, each with 5 random bits. With 80 bits, a hash
	// without a salt resists guessing.
	recoveryLength = 16
	recoveryGroup  = 4
	// MaxCodeFailures is the number of successive wrong codes after which codes of the authenticator app are rejected
	// (NIST SP 800-63B-4, section 3.2.2). A recovery code resets the count.
	MaxCodeFailures = 100
	// FreshFor is the time for which a proof of presence allows changes of how a person signs in.
	FreshFor = 10 * time.Minute

	maxPasskeyName = 100
	// MaxPasskeys is the maximum number of passkeys of a person.
	MaxPasskeys = 20
)

// Method is the proof by which a person signed in.
type Method string

// Methods.
const (
	Password        Method = "password"
	Provider        Method = "provider" // an OpenID Connect provider
	Code            Method = "code"     // a code of the authenticator app, after the first step
	RecoveryCode    Method = "recovery code"
	Passkey         Method = "passkey"          // with verification of the person by the device
	PasskeyAsSecond Method = "passkey (second)" // after the first step
)

// Complete reports whether the method suffices for a person with a second factor.
func (m Method) Complete() bool {
	switch m {
	case Code, RecoveryCode, Passkey, PasskeyAsSecond:
		return true
	case Password, Provider:
		return false
	default:
		return false
	}
}

// Enters reports whether the method signs the user in.
func (u User) Enters(by Method) bool { return u.MaySignIn() && (by.Complete() || !u.SecondFactor) }

// Fresh reports whether a proof of presence still allows changes of how the person signs in.
func Fresh(confirmed, now time.Time) bool {
	return !confirmed.IsZero() && now.Before(confirmed.Add(FreshFor))
}

// TOTP is the authenticator app of a person.
type TOTP struct {
	UserID      ident.User
	Secret      string // base32
	CreatedAt   time.Time
	ConfirmedAt time.Time // zero: shown, but not confirmed with a code
	LastStep    int64     // time step of the last accepted code
	Failures    int       // wrong codes since the last accepted one
}

// Accepts reports whether a code of the time step may be used: not one of the last accepted step or an earlier one, and
// none after too many wrong ones.
func (t TOTP) Accepts(step int64) bool { return step > t.LastStep && !t.Locked() }

// Locked reports whether codes are rejected because too many were wrong.
func (t TOTP) Locked() bool { return t.Failures >= MaxCodeFailures }

// Key is a passkey of a person.
type Key struct {
	ID           ident.Passkey
	UserID       ident.User
	CredentialID []byte // as the authenticator chose it
	Name         string
	Record       []byte // public key, flags and counter, as the library for WebAuthn writes them
	CreatedAt    time.Time
	LastUsedAt   time.Time // zero: never
	ClonedAt     time.Time // when its counter went back, which a copy of the key can cause; zero: never
}

// PasskeyName returns the name of a passkey, or VALIDATION_FAILED.
func PasskeyName(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" || utf8.RuneCountInString(text) > maxPasskeyName || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return "", apperr.Invalid([]apperr.Field{{Pointer: "/name", Message: "Enter a name of up to 100 characters, on one line."}})
	}
	return text, nil
}

// NewRecoveryCodes returns new codes in the form in which people see them.
func NewRecoveryCodes() []string {
	codes := make([]string, RecoveryCodes)
	for i := range codes {
		text := strings.ToLower(rand.Text()[:recoveryLength])
		groups := make([]string, 0, recoveryLength/recoveryGroup)
		for start := 0; start < recoveryLength; start += recoveryGroup {
			groups = append(groups, text[start:start+recoveryGroup])
		}
		codes[i] = strings.Join(groups, "-")
	}
	return codes
}

// HashRecoveryCode returns the SHA-256 of a recovery code, regardless of case, spaces and hyphens. It reports false for
// a text that cannot be a code.
func HashRecoveryCode(text string) ([sha256.Size]byte, bool) {
	plain := strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(text))
	valid := len(plain) == recoveryLength && !strings.ContainsFunc(plain, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '2' || r > '7')
	})
	return sha256.Sum256([]byte(plain)), valid
}
