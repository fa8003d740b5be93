package credential

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"strings"

	"socialpub.internal/shared/kernel/base62"
)

// Kind is a kind of secret text: its prefix, by which scanners know whose it is. Random characters follow, and a checksum.
type Kind string

// The secrets of the service (decisions, section 3). What a client or a browser holds is stored as its SHA-256 alone.
const (
	APIKey            Kind = "svc_live_"
	AccessToken       Kind = "svc_oat_"
	RefreshToken      Kind = "svc_ort_"
	AuthorizationCode Kind = "svc_oac_"
	// AuthorizationRequest names what a client asks for, until a person decides.
	AuthorizationRequest Kind = "svc_oar_"
	ClientSecret         Kind = "svc_ocs_"
	Session              Kind = "svc_ses_"
)

// ErrMalformed says that a text is no secret of its kind: wrong prefix, length, alphabet or checksum. It is found without a
// look-up, so that typos and scanners cost nothing.
var ErrMalformed = errors.New("not a credential of this service")

// Length is the length of a secret's text.
func (k Kind) Length() int { return len(k) + k.entropy() + base62.ChecksumLength }

// entropy is how many random characters there are: 190 bits in an API key, 256 in all else.
func (k Kind) entropy() int {
	if k == APIKey {
		return 32
	}
	return base62.DigestLength
}

// New makes a secret from the system's random source.
func (k Kind) New() string { return k.text(base62.Random(k.entropy())) }

// Following derives, from a secret, one that nobody can guess without the key: the same one each time it is asked for, so that
// it need not be kept to be given out again. It is for kinds of 256 bits.
func (k Kind) Following(key []byte, secret string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(k))
	mac.Write([]byte(secret))
	return k.text(base62.Digest([sha256.Size]byte(mac.Sum(nil))))
}

func (k Kind) text(random string) string {
	body := string(k) + random
	return body + base62.Checksum(body)
}

// Hash checks the form and the checksum of a secret and gives its SHA-256, by which it is looked up. The error is
// ErrMalformed.
func (k Kind) Hash(secret string) ([sha256.Size]byte, error) {
	if len(secret) != k.Length() || !strings.HasPrefix(secret, string(k)) {
		return [sha256.Size]byte{}, ErrMalformed
	}
	body := secret[:len(secret)-base62.ChecksumLength]
	if base62.Checksum(body) != secret[len(body):] || !base62.Valid(secret[len(k):]) {
		return [sha256.Size]byte{}, ErrMalformed
	}
	return sha256.Sum256([]byte(secret)), nil
}
