package app

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"strings"
	"unicode"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
)

// Codes of the steps of an attempt to connect that fail without a call to the network.
const (
	CodeScopeMissing   = "SCOPE_MISSING"
	CodeNoAccount      = "NO_ACCOUNT"
	CodeOtherAccount   = "OTHER_ACCOUNT"
	CodeConsentDenied  = "CONSENT_DENIED"
	CodeNoCode         = "NO_CODE"
	CodeAccountBlocked = "ACCOUNT_NOT_USABLE"
	CodeOtherNetwork   = "OTHER_NETWORK"
	CodeOtherServer    = "OTHER_SERVER"
)

const (
	longestName     = 200
	longestResponse = 500
)

// plain returns a text of a network on one line without control characters, and without parts that look like addresses
// of scripts.
func plain(text string, longest int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	runes := []rune(strings.TrimSpace(text))
	return strings.TrimSpace(string(runes[:min(len(runes), longest)]))
}

func (c *Connections) step(a *channel.Attempt, what string) {
	a.Steps = append(a.Steps, channel.AttemptStep{At: c.now(), What: what, OK: true})
}

// refuse ends the attempt.
func (c *Connections) refuse(a *channel.Attempt, code, what, response string) {
	a.Steps = append(a.Steps, channel.AttemptStep{At: c.now(), What: what, Code: code, Response: response})
	a.Outcome, a.FinishedAt = channel.AttemptFailed, c.now()
}

// failed ends the attempt after a failure of the network, whose response it keeps.
func (c *Connections) failed(ctx context.Context, a *channel.Attempt, what string, err error) {
	failure := platform.FailureOf(err)
	response := ""
	if failure.Cause != nil {
		response = plain(failure.Cause.Error(), longestResponse)
	}
	c.refuse(a, failure.Code, strings.TrimSpace(what+" "+failure.Message), response)
	c.log.WarnContext(ctx, "connecting an account failed", slog.String("network", string(a.Type.Network())),
		slog.String("code", failure.Code), slog.Any("cause", failure.Cause))
}

// refused ends the attempt after an error that the network sent with the person, whose words anybody can forge.
func (c *Connections) refused(a *channel.Attempt, r Returned) {
	response := plain(r.Error+": "+r.Description, longestResponse)
	if strings.HasSuffix(r.Error, "_denied") || strings.HasPrefix(r.Error, "user_cancelled") {
		c.refuse(a, CodeConsentDenied, "You did not allow access at "+a.Type.Network().Name()+".", response)
		a.Outcome = channel.AttemptDenied
		return
	}
	c.refuse(a, CodeNoCode, a.Type.Network().Name()+" refused the request.", response)
}

// hashed returns the SHA-256 of a state or of a session, which are stored only in this form.
func hashed(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}
