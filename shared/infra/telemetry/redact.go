package telemetry

import (
	"regexp"
	"slices"
	"strings"
)

// Redacted stands in place of what must not be shown.
const Redacted = "[redacted]"

// pattern is one shape a secret has inside a longer text.
type pattern struct {
	hints       []string // lower-case texts of which one must occur for the expression to match; saves most of the work
	expression  *regexp.Regexp
	replacement string
}

// secretNames are names whose value is a secret wherever it follows: in a query, a form, JSON, a DSN.
const secretNames = `access_token|refresh_token|id_token|client_secret|client_assertion|code_verifier|device_code|` +
	`appsecret_proof|fb_exchange_token|input_token|oauth_token|oauth_verifier|bot_token|api_key|apikey|` +
	`password|passwd|secret|token|sig|signature|x-amz-[a-z-]+|accesstoken|refreshtoken|clientsecret|secret_token`

// patterns are tried in this order.
var patterns = []pattern{
	{[]string{"svc_"}, regexp.MustCompile(`\b(svc_(?:live|oat|ort)_)[A-Za-z0-9_\-]+`), "${1}" + Redacted},
	{[]string{"whsec_"}, regexp.MustCompile(`\b(whsec_)[A-Za-z0-9+/=_\-]+`), "${1}" + Redacted},
	// Tokens of the Telegram Bot API, in a path (bot123:AA…) or alone.
	{[]string{":", "%3a"}, regexp.MustCompile(`(?i)(\b(?:bot)?[0-9]{4,})(:|%3A)[A-Za-z0-9_\-]{20,}`), "${1}${2}" + Redacted},
	{[]string{"eyj"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_\-]{5,}\.[A-Za-z0-9_\-]{5,}\.[A-Za-z0-9_\-]*`), Redacted},
	// Headers that were printed with their names: the rest of the line goes.
	{[]string{"authorization"}, regexp.MustCompile(`(?i)\b((?:proxy-)?authorization"?\s*[:=]\s*)[^\r\n]+`), "${1}" + Redacted},
	{[]string{"cookie"}, regexp.MustCompile(`(?i)\b((?:set-)?cookie"?\s*[:=]\s*)[^\r\n]+`), "${1}" + Redacted},
	{[]string{"-signature"}, regexp.MustCompile(`(?i)\b((?:x-service|webhook)-signature"?\s*[:=]\s*)[^\r\n]+`), "${1}" + Redacted},
	{[]string{"v1=", "v1,"}, regexp.MustCompile(`\b(v1[=,])[A-Za-z0-9+/=]{40,}`), "${1}" + Redacted},
	{[]string{"bearer"}, regexp.MustCompile(`(?i)\b(bearer\s+)[A-Za-z0-9._~+/=\-]{8,}`), "${1}" + Redacted},
	{[]string{"basic"}, regexp.MustCompile(`(?i)\b(basic\s+)[A-Za-z0-9+/=_\-]{12,}`), "${1}" + Redacted},
	{[]string{"@"}, regexp.MustCompile(`(://)[^/\s?#"'<>]+@`), "${1}" + Redacted + "@"},
	// JSON, and JSON quoted inside JSON.
	{[]string{`"`}, regexp.MustCompile(`(?i)("(?:` + secretNames + `)"\s*:\s*")(?:[^"\\]|\\.)+`), "${1}" + Redacted},
	{[]string{`\"`}, regexp.MustCompile(`(?i)(\\+"(?:` + secretNames + `)\\+"\s*:\s*\\+")[^"\\]+`), "${1}" + Redacted},
	// Codes and states are secrets in an address or a form; elsewhere the words mean other things.
	{[]string{"="}, regexp.MustCompile(`(?i)([?&#;](?:code|state|key)=)[^&\s"'#;<>]+`), "${1}" + Redacted},
	{[]string{"="}, regexp.MustCompile(`(?i)((?:\b|_)(?:` + secretNames + `)=)[^&\s"'#;<>]+`), "${1}" + Redacted},
}

// Redact returns the text without the secrets whose shape is known: credentials of this service, webhook
// secrets and signatures, bot tokens, Authorization and cookie headers, user information and secret
// parameters of addresses, and secret members of JSON. It is idempotent.
func Redact(text string) string {
	lower := strings.ToLower(text)

	for _, p := range patterns {
		if slices.ContainsFunc(p.hints, func(hint string) bool { return strings.Contains(lower, hint) }) {
			text = p.expression.ReplaceAllString(text, p.replacement)
		}
	}

	return text
}

// secretKeys are attribute names, in the form of foldKey, whose value is never shown.
var secretKeys = map[string]bool{
	"authorization": true, "proxyauthorization": true, "cookie": true, "setcookie": true, "cookies": true,
	"xservicesignature": true, "webhooksignature": true, "signature": true, "token": true, "secret": true,
	"password": true, "passwd": true, "apikey": true, "privatekey": true, "encryptionkeys": true,
	"credential": true, "credentials": true, "dsn": true, "databaseurl": true, "sessionid": true,
	"codeverifier": true,
}

// secretSuffixes end attribute names whose value is never shown, for example botToken.
var secretSuffixes = []string{"token", "secret", "password", "apikey", "signature", "privatekey"}

// IsSecretKey tells whether a name says that its value is a secret, in any of the usual spellings
// (api_key, apiKey, X-Api-Key).
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
