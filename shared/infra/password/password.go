// Package password keeps passwords as argon2id hashes (RFC 9106) and compares them.
package password

import (
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"socialpub.internal/shared/kernel/apperr"
)

const (
	shortest = 12 // characters; NIST SP 800-63B-4, section 3.1.1.2, asks for 15 where it is the only proof, 8 beside another
	longest  = 200
	memory   = 19 << 10 // KiB, with two passes: what OWASP asks for
)

// nobody is what the password of an unknown person is compared with, so that it takes as long.
const nobody = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// Hash makes what is kept of a password, in the PHC string format. VALIDATION_FAILED when it is too short or too long.
func Hash(password string) (string, error) {
	if n := utf8.RuneCountInString(password); n < shortest || n > longest {
		return "", apperr.New(apperr.ValidationFailed, "The password must have %d to %d characters.", shortest, longest)
	}
	return argon2id.CreateHash(password, &argon2id.Params{Memory: memory, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32})
}

// Matches reports whether a password is the one of the hash. An empty hash, of somebody unknown, matches nothing and takes as
// long. The error says that the hash is damaged.
func Matches(password, hash string) (bool, error) {
	known := hash != ""
	if !known {
		hash = nobody
	}
	right, err := argon2id.ComparePasswordAndHash(password[:min(len(password), utf8.UTFMax*longest)], hash)
	return right && known, err
}
