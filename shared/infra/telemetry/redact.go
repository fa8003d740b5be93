package telemetry

import (
	"regexp"
	"slices"
	"strings"
)

// Redacted replaces values that must not be shown.
const Redacted = "[redacted]"

// pattern is one form of a secret within a longer text.
type pattern struct {
	// hints are lower-case texts, one of which must occur for the expression to match. They save most of the work.
	hints       []string
	expression  *regexp.Regexp
	replacement string
}

// secretNames are names whose value is always a secret: in a query, a form, JSON or a DSN.
const secretNames = `access_token|refresh_token|id_token|client_secret|client_assertion|code_verifier|device_code|` +
	`appsecret_proof|fb_exchange_token|input_token|oauth_token|oauth_verifier|bot_token|api_key|apikey|` +
	`password|passwd|secret|token|sig|signature|x-amz-[a-z-]+|accesstoken|refreshtoken|clientsecret|secret_token`

// patterns are applied in this order.
var patterns = []pattern{
	{[]string{"svc_"}, regexp.MustCompile(`\b(svc_(?:live|test|oat|ort|inv|pwr|adr)_)[A-Za-z0-9_\-]+`), "${1}" + Redacted},
	{[]string{"whsec_"}, regexp.MustCompile(`\b(whsec_)[A-Za-z0-9+/=_\-]+`), "${1}" + Redacted},
	// Tokens of the Telegram Bot API, in a path (bot123:AA…) or alone.
	{
		[]string{":", "%3a"},
		regexp.MustCompile(`(?i)(\b(?:bot)?[0-9]{4,})(:|%3A)[A-Za-z0-9_\-]{20,}`),
		"${1}${2}" + Redacted,
	},
	{[]string{"eyj"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_\-]{5,}\.[A-Za-z0-9_\-]{5,}\.[A-Za-z0-9_\-]*`), Redacted},
	// Headers that were printed with their names: the rest of the line is removed.
	{
		[]string{"authorization"},
		regexp.MustCompile(`(?i)\b((?:proxy-)?authorization"?\s*[:=]\s*)[^\r\n]+`),
		"${1}" + Redacted,
	},
	{[]string{"cookie"}, regexp.MustCompile(`(?i)\b((?:set-)?cookie"?\s*[:=]\s*)[^\r\n]+`), "${1}" + Redacted},
	{
		[]string{"-signature"},
		regexp.MustCompile(`(?i)\b((?:x-service|webhook)-signature"?\s*[:=]\s*)[^\r\n]+`),
		"${1}" + Redacted,
	},
	{[]string{"v1=", "v1,"}, regexp.MustCompile(`\b(v1[=,])[A-Za-z0-9+/=]{40,}`), "${1}" + Redacted},
	{[]string{"bearer"}, regexp.MustCompile(`(?i)\b(bearer\s+)[A-Za-z0-9._~+/=\-]{8,}`), "${1}" + Redacted},
	{[]string{"basic"}, regexp.MustCompile(`(?i)\b(basic\s+)[A-Za-z0-9+/=_\-]{12,}`), "${1}" + Redacted},
	{[]string{"@"}, regexp.MustCompile(`(://)[^/\s?#"'<>]+@`), "${1}" + Redacted + "@"},
	// JSON, and JSON quoted inside JSON.
	{[]string{`"`}, regexp.MustCompile(`(?i)("(?:` + secretNames + `)"\s*:\s*")(?:[^"\\]|\\.)+`), "${1}" + Redacted},
	{[]string{`\"`}, regexp.MustCompile(`(?i)(\\+"(?:` + secretNames + `)\\+"\s*:\s*\\+")[^"\\]+`), "${1}" + Redacted},
	// Codes and states are secrets in a URL or a form; elsewhere the words have other meanings.
	{[]string{"="}, regexp.MustCompile(`(?i)([?&#;](?:code|state|key)=)[^&\s"'#;<>]+`), "${1}" + Redacted},
	{[]string{"="}, regexp.MustCompile(`(?i)((?:\b|_)(?:` + secretNames + `)=)[^&\s"'#;<>]+`), "${1}" + Redacted},
}

// Redact returns the text without secrets of known form: credentials of this service, webhook secrets and signatures,
// bot tokens, Authorization and cookie headers, user information and secret parameters of URLs, and secret members of
// JSON. It is idempotent.
func Redact(text string) string {
	lower := strings.ToLower(text)

	for _, p := range patterns {
		if slices.ContainsFunc(p.hints, func(hint string) bool { return strings.Contains(lower, hint) }) {
			text = p.expression.ReplaceAllString(text, p.replacement)
		}
	}

	return text
}

// secretKeys are attribute names, as returned by foldKey, whose value is never shown.
var secretKeys = map[string]bool{
	"authorization": true, "proxyauthorization": true, "cookie": true, "setcookie": true, "cookies": true,
	"xservicesignature": true, "webhooksignature": true, "signature": true, "token": true, "secret": true,
	"password": true, "passwd": true, "apikey": true, "privatekey": true, "encryptionkeys": true,
	"credential": true, "credentials": true, "dsn": true, "databaseurl": true, "sessionid": true,
	"codeverifier": true,
}

// secretSuffixes are suffixes of attribute names whose value is never shown, for example botToken.
var secretSuffixes = []string{"token", "secret", "password", "apikey", "signature", "privatekey"}

// IsSecretKey reports whether a name indicates a secret value, in any of the usual spellings (api_key, apiKey,
// X-Api-Key).
func IsSecretKey(name string) bool {
	folded := foldKey(name)
	if secretKeys[folded] {
		return true
	}

	for _, suffix := range secretSuffixes {
		if strings.HasSuffix(folded, suffix) {
			return true
		}
	}

	return false
}

func foldKey(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		case r == '_' || r == '-' || r == '.' || r == ' ':
			return -1
		default:
			return r
		}
	}, name)
}
