package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/url"
	"strings"
)

const (
	// headerTelegram has the secret of the webhook (https://core.telegram.org/bots/api#setwebhook).
	headerTelegram = "X-Telegram-Bot-Api-Secret-Token"
	// headerMeta has the signature over the body
	// (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/create-webhook-endpoint).
	headerMeta = "X-Hub-Signature-256"
	// maxChallenge is more than the length of Meta's challenges.
	maxChallenge = 256
)

// hasSecret reports whether a request has one secret, with one of the hashes. It takes the same time for each secret.
func hasSecret(sent []string, hashes [][]byte) bool {
	if len(sent) != 1 {
		return false
	}
	hash := sha256.Sum256([]byte(sent[0]))
	equal := 0
	for _, known := range hashes {
		equal |= subtle.ConstantTimeCompare(hash[:], known)
	}
	return equal == 1
}

// signatureOf returns the signature of a request, in lower-case hexadecimal digits. A request has exactly one.
func signatureOf(sent []string) (signature string, ok bool) {
	if len(sent) != 1 {
		return "", false
	}
	signature, ok = strings.CutPrefix(sent[0], "sha256=")
	foreign := strings.ContainsFunc(signature, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
	return signature, ok && !foreign && len(signature) == hex.EncodedLen(sha256.Size)
}

// signed reports whether the signature is that of the body, by one of the secrets. It takes the same time for each
// signature.
func signed(body []byte, signature string, secrets []string) bool {
	equal := 0
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		_, _ = mac.Write(body) // never fails
		equal |= subtle.ConstantTimeCompare([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signature))
	}
	return equal == 1
}

// challengeOf returns the challenge of a handshake with the token.
func challengeOf(query, token string) (challenge string, ok bool) {
	parameters, err := url.ParseQuery(query)
	one := func(name string) string {
		if values := parameters[name]; len(values) == 1 {
			return values[0]
		}
		return ""
	}
	want, got := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(one("hub.verify_token")))
	equal := subtle.ConstantTimeCompare(want[:], got[:]) == 1
	challenge = one("hub.challenge")
	return challenge, err == nil && equal && one("hub.mode") == "subscribe" && challenge != "" && len(challenge) <= maxChallenge
}
