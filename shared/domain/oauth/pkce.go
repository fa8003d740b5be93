package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

// isChallenge reports whether a text can be the S256 challenge of a verifier (RFC 7636, section 4.2).
func isChallenge(text string) bool {
	sum, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(sum) == sha256.Size
}

// VerifyChallenge reports whether the verifier is the one a challenge was made of (RFC 7636, section 4.6). One outside of the
// form of section 4.1 is none.
func VerifyChallenge(challenge, verifier string) bool {
	const shortest, longest = 43, 128
	if len(verifier) < shortest || len(verifier) > longest || strings.Trim(verifier, unreserved) != "" {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
