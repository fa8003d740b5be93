// Package password hashes passwords with argon2id (RFC 9106) and compares them.
package password

import (
	"context"
	"runtime"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"fencepost.internal/shared/kernel/apperr"
)

const (
	// Characters. NIST SP 800-63B-4, section 3.1.1.2, requires 15 for a sole authenticator, 8 in combination with
	// another.
	shortest = 12
	longest  = 200
	memory   = 19 << 10 // KiB, with two passes, as OWASP recommends
)

// dummyHash is the hash that passwords of unknown users are compared with, so that the comparison takes the same time.
const dummyHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// running bounds the number of concurrent computations in the process: each takes 19 MiB and a processor. The memory is
// that of the process, so that one bound holds for every caller.
//
//nolint:gochecknoglobals // as above
var running = make(chan struct{}, runtime.GOMAXPROCS(0))

// enter waits until a computation may start. The caller calls leave after it. The error is that of the context.
func enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case running <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func leave() { <-running }

// Check returns VALIDATION_FAILED if a new password is too short or too long.
func Check(password string) error {
	if n := utf8.RuneCountInString(password); n < shortest || n > longest {
		return apperr.New(apperr.ValidationFailed, "The password must have %d to %d characters.", shortest, longest)
	}
	return nil
}

// Hash returns the hash of a password in the PHC string format. It waits while other computations run. Errors:
// VALIDATION_FAILED if the password is too short or too long, and that of the context.
func Hash(ctx context.Context, password string) (string, error) {
	if err := Check(password); err != nil {
		return "", err
	}
	if err := enter(ctx); err != nil {
		return "", err
	}
	defer leave()
	return argon2id.CreateHash(password, &argon2id.Params{
		Memory: memory, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32,
	})
}

// Matches reports whether the password matches the hash. An empty hash, for an unknown user, matches nothing and takes
// the same time. It waits while other computations run. Matches returns an error if the hash is damaged, and that of the
// context.
func Matches(ctx context.Context, password, hash string) (bool, error) {
	if err := enter(ctx); err != nil {
		return false, err
	}
	defer leave()
	known := hash != ""
	if !known {
		hash = dummyHash
	}
	right, err := argon2id.ComparePasswordAndHash(password[:min(len(password), utf8.UTFMax*longest)], hash)
	return right && known, err
}
