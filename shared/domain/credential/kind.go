package credential

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"strings"
)

// Kind is a kind of secret. Its value is the prefix by which scanners recognize the secret; random characters and a
// checksum follow.
type Kind string

// Secrets of the service (docs/contract.md, API keys). Secrets held by a client or a browser are stored only as their
// SHA-256.
const (
	APIKey            Kind = "svc_live_"
	TestKey           Kind = "svc_test_" // an API key of a test workspace
	AccessToken       Kind = "svc_oat_"
	RefreshToken      Kind = "svc_ort_"
	AuthorizationCode Kind = "svc_oac_"
	// AuthorizationRequest identifies a client's pending authorization request until a person decides on it.
	AuthorizationRequest Kind = "svc_oar_"
	// DeviceCode is the secret with which a device polls until a person decides (RFC 8628).
	DeviceCode   Kind = "svc_odc_"
	ClientSecret Kind = "svc_ocs_"
	Session      Kind = "svc_ses_"
	Invitation   Kind = "svc_inv_"
	// Setup is the link by which the first owner signs up.
	Setup Kind = "svc_set_"
	// PasswordReset is a link by which a person sets a new password.
	PasswordReset Kind = "svc_pwr_"
	// AddressChange is a link by which a person confirms a change of the email address.
	AddressChange Kind = "svc_adr_"
	// CalendarFeed is the secret of the address at which calendar programs read the plan of a workspace.
	CalendarFeed Kind = "svc_cal_"
	// Review is the secret of a link by which people without an account see posts, or a person decides about posts from a mail.
	Review Kind = "svc_rev_"
	// Report is the secret of a link by which a person stops the monthly reports of a workspace.
	Report Kind = "svc_rep_"
)

// ErrMalformed reports that a text is not a secret of its kind: wrong prefix, length, alphabet or checksum. The check
// needs no lookup, so that typing mistakes and scanners cause no load.
var ErrMalformed = errors.New("not a credential of this service")

// Length returns the length of a secret's text.
func (k Kind) Length() int { return len(k) + k.entropy() + ChecksumLength }

// entropy returns the number of random characters: 190 bits in an API key of either mode, 256 bits in the other kinds.
func (k Kind) entropy() int {
	if k == APIKey || k == TestKey {
		return 32
	}
	return DigestLength
}

// New returns a secret from the system's random source.
func (k Kind) New() string { return k.text(RandomText(k.entropy())) }

// Following derives from a secret another one that cannot be guessed without the key. The result is deterministic, so
// that it can be returned again without being stored. It requires a kind with 256 bits.
func (k Kind) Following(key []byte, secret string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(k))
	mac.Write([]byte(secret))
	return k.text(DigestText([sha256.Size]byte(mac.Sum(nil))))
}

func (k Kind) text(random string) string {
	body := string(k) + random
	return body + Checksum(body)
}

// Hash verifies the form and the checksum of a secret and returns its SHA-256, which is the lookup key. The error is
// ErrMalformed.
func (k Kind) Hash(secret string) ([sha256.Size]byte, error) {
	if len(secret) != k.Length() || !strings.HasPrefix(secret, string(k)) {
		return [sha256.Size]byte{}, ErrMalformed
	}
	body := secret[:len(secret)-ChecksumLength]
	if Checksum(body) != secret[len(body):] || !IsText(secret[len(k):]) {
		return [sha256.Size]byte{}, ErrMalformed
	}
	return sha256.Sum256([]byte(secret)), nil
}
