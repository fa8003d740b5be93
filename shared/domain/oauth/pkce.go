package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

// isChallenge reports whether a text is a syntactically valid S256 challenge (RFC 7636, section 4.2).
func isChallenge(text string) bool {
	sum, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(sum) == sha256.Size
}

// VerifyChallenge reports whether the challenge was derived from the verifier (RFC 7636, section 4.6). It returns false
// for a verifier that does not have the form of section 4.1.
func VerifyChallenge(challenge, verifier string) bool {
	const shortest, longest = 43, 128
	if len(verifier) < shortest || len(verifier) > longest || strings.Trim(verifier, unreserved) != "" {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
