package authn

import (
	"bytes"
	"crypto/subtle"
	"fmt"
	"image/png"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
)

const (
	period = 30 // seconds
	// tolerance is the number of time steps by which the clocks may differ.
	tolerance = 1
	picture   = 220 // pixels
)

// NewSecret returns a new secret for the account of an issuer.
func NewSecret(issuer, account string) (string, error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: account})
	if err != nil {
		return "", fmt.Errorf("totp: %w", err)
	}
	return key.Secret(), nil
}

// SecretQR returns a PNG with the QR code by which an app takes the secret over.
func SecretQR(issuer, account, secret string) ([]byte, error) {
	raw, err := otp.NewKeyFromURL(address(issuer, account, secret))
	if err != nil {
		return nil, fmt.Errorf("totp: %w", err)
	}
	image, err := raw.Image(picture, picture)
	if err != nil {
		return nil, fmt.Errorf("totp: %w", err)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, image); err != nil {
		return nil, fmt.Errorf("totp: %w", err)
	}
	return out.Bytes(), nil
}

// CodeStep returns the time step of a code, and whether the code is one of the present step or of its neighbors. Spaces in
// the code are ignored.
func CodeStep(secret, code string, now time.Time) (int64, bool) {
	code = strings.ReplaceAll(code, " ", "")
	step, valid := int64(0), false
	for offset := -tolerance; offset <= tolerance; offset++ {
		at := now.Add(time.Duration(offset) * period * time.Second)
		want, err := CodeAt(secret, at)
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			step, valid = at.Unix()/period, true
		}
	}
	return step, valid
}

// CodeAt returns the code of a time.
func CodeAt(secret string, at time.Time) (string, error) {
	return totp.GenerateCodeCustom(secret, at, totp.ValidateOpts{
		Period: period, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1, // the only one that every app supports
	})
}

// address returns the address that the QR code contains.
func address(issuer, account, secret string) string {
	label := url.PathEscape(issuer + ":" + account)
	return "otpauth://totp/" + label + "?" + url.Values{"secret": {secret}, "issuer": {issuer}}.Encode()
}
