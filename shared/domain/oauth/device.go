package oauth

import (
	"crypto/rand"
	"crypto/sha256"
	"math/big"
	"strings"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// The device authorization grant (RFC 8628): a person allows access in a browser on another device.
const (
	PathDevice  = "/oauth/device_authorization"
	GrantDevice = "urn:ietf:params:oauth:grant-type:device_code"
	// DeviceLife is the time from the request of a device to the decision.
	DeviceLife = 10 * time.Minute
	// DeviceInterval is the time between two polls of a device, and what each poll that comes too soon adds to it (RFC
	// 8628, sections 3.2 and 3.5).
	DeviceInterval = 5 * time.Second
)

// userCodeLetters cannot be confused and form no words (RFC 8628, section 6.1). userCodeLength of them have 34 bits: with
// the limited attempts of a person (docs/oauth.md), a guess within DeviceLife succeeds once in 100 million.
const (
	userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"
	userCodeLength  = 8
)

// NewUserCode returns a code that a person types, such as WDJB-MJHT.
func NewUserCode() string {
	code := make([]byte, userCodeLength)
	for i := range code {
		n, _ := rand.Int(rand.Reader, big.NewInt(int64(len(userCodeLetters)))) // never fails
		code[i] = userCodeLetters[n.Int64()]
	}
	return string(code[:userCodeLength/2]) + "-" + string(code[userCodeLength/2:])
}

// HashUserCode returns the SHA-256 of a code, by which it is found. People may type it in lower case, and with other
// separators. It reports whether the text has the form of a code.
func HashUserCode(typed string) (hash [sha256.Size]byte, ok bool) {
	code := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -\t", r) {
			return -1
		}
		return r
	}, strings.ToUpper(typed))
	if len(code) != userCodeLength || strings.Trim(code, userCodeLetters) != "" {
		return hash, false
	}
	return sha256.Sum256([]byte(code)), true
}

// Device is a device's request for access.
type Device struct {
	ClientID   string
	Scopes     []credential.Scope
	Resource   string
	Place      string // the address from which it was sent, for the person who decides
	CreatedAt  time.Time
	ExpiresAt  time.Time
	Interval   time.Duration // between two polls
	PolledAt   time.Time     // zero: not polled
	DecidedAt  time.Time     // zero: not decided
	RedeemedAt time.Time     // zero: the tokens were not given
	Grant      ident.Grant   // zero: not allowed
}

// ReadDevice parses the request of a device. The error is an *Error.
func (r Rules) ReadDevice(c Client, scope string, resources []string) (Device, error) {
	scopes, err := ReadScope(scope, c)
	if err != nil {
		return Device{}, err
	}
	resource, err := r.Resource(resources)
	return Device{ClientID: c.ID, Scopes: scopes, Resource: resource, Interval: DeviceInterval}, err
}

// Poll is the result of a poll.
type Poll int

const (
	// PollRefused returns no tokens; the error says why.
	PollRefused Poll = iota
	// PollAllowed returns tokens, once.
	PollAllowed
	// PollStolen returns no tokens and revokes the grant: the code was used before.
	PollStolen
)

// Poll decides whether a client gets tokens (RFC 8628, section 3.5). The error is an *Error. With SlowDown, the caller
// stores an interval that is longer by DeviceInterval.
func (d Device) Poll(client Client, now time.Time) (Poll, error) {
	switch {
	case d.ClientID != client.ID:
		return PollRefused, Refuse(InvalidGrant, "The device_code is unknown, or belongs to another client.")
	case !d.RedeemedAt.IsZero():
		return PollStolen, Refuse(InvalidGrant, "The device_code has been used. Start again.")
	case !d.DecidedAt.IsZero() && d.Grant.IsZero():
		return PollRefused, Refuse(AccessDenied, "The user denied the request.")
	case !now.Before(d.ExpiresAt):
		return PollRefused, Refuse(ExpiredToken, "The device_code has expired. Start again.")
	case !d.DecidedAt.IsZero():
		return PollAllowed, nil
	case !d.PolledAt.IsZero() && now.Before(d.PolledAt.Add(d.Interval)):
		return PollRefused, Refuse(SlowDown, "The last poll was less than %d seconds ago. Wait %d seconds from now on.",
			int(d.Interval.Seconds()), int((d.Interval + DeviceInterval).Seconds()))
	default:
		return PollRefused, Refuse(AuthorizationPending, "The user has not decided yet.")
	}
}
