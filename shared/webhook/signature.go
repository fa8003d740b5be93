package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// The headers of every delivery (specification, Events).
const (
	HeaderEvent     = "X-Service-Event"
	HeaderDelivery  = "X-Service-Delivery"
	HeaderSignature = "X-Service-Signature"
)

// Tolerance is how old a signature may be for a receiver (specification, Signature 3).
const Tolerance = 300 * time.Second

// ErrSignature is returned by Verify for a signature that does not prove the body.
var ErrSignature = errors.New("the signature does not match")

// Sign gives the value of HeaderSignature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<rawBody>">. With several
// secrets there are several v1 values, the current secret first.
func Sign(at time.Time, body []byte, secrets ...string) string {
	t := strconv.FormatInt(at.Unix(), 10)
	var header strings.Builder
	header.WriteString("t=" + t)
	for _, secret := range secrets {
		header.WriteString(",v1=" + hex.EncodeToString(mac(secret, t, body)))
	}
	return header.String()
}

// Verify is the receiver's side: it accepts when any v1 value proves the body under the secret and the time is within
// Tolerance of now, and otherwise returns ErrSignature.
func Verify(header string, body []byte, secret string, now time.Time) error {
	var t string
	var signatures []string
	for part := range strings.SplitSeq(header, ",") {
		switch key, value, _ := strings.Cut(part, "="); key {
		case "t":
			t = value
		case "v1":
			signatures = append(signatures, value)
		}
	}
	seconds, err := strconv.ParseInt(t, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > Tolerance {
		return ErrSignature
	}
	expected := mac(secret, t, body)
	for _, s := range signatures {
		if given, err := hex.DecodeString(s); err == nil && hmac.Equal(given, expected) {
			return nil
		}
	}
	return ErrSignature
}

func mac(secret, t string, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(t + "."))
	h.Write(body)
	return h.Sum(nil)
}
