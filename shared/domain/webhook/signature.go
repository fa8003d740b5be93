package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/event"
)

// Headers of every delivery (docs/contract.md, Webhooks).
const (
	HeaderEvent     = "X-Service-Event"
	HeaderDelivery  = "X-Service-Delivery"
	HeaderSignature = "X-Service-Signature"
)

// Tolerance is the maximum difference between a signature's time and the receiver's clock (docs/contract.md, Webhooks).
const Tolerance = 300 * time.Second

// maxSignature is the maximum length of a signature header that is examined, in bytes: enough for dozens of secrets.
const maxSignature = 4096

// ErrSignature is returned by Verify and VerifyStandard for headers that do not prove the body; the wrapping error
// contains the reason.
var ErrSignature = errors.New("the signature does not match")

// Headers returns every header of one attempt except Content-Type: the event's type and ID, and both forms of
// signatures with all secrets that are currently valid, the current one first. The id is the event's external ID.
func Headers(id string, typ event.Type, at time.Time, body []byte, secrets ...string) http.Header {
	return http.Header{
		HeaderEvent:             {string(typ)},
		HeaderDelivery:          {id},
		HeaderSignature:         {Sign(at, body, secrets...)},
		HeaderID:                {id},
		HeaderTimestamp:         {unix(at)},
		HeaderStandardSignature: {SignStandard(id, at, body, secrets...)},
	}
}

// Sign returns the value of HeaderSignature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<rawBody>">, keyed with the
// whole secret. Several secrets give several v1 values, the current secret first. A receiver that parses the header
// into a map keeps the last value, which is that of the previous secret and still matches.
func Sign(at time.Time, body []byte, secrets ...string) string {
	t := unix(at)
	var header strings.Builder
	header.WriteString("t=" + t)
	for _, secret := range secrets {
		header.WriteString(",v1=" + sign(secret, t, body))
	}
	return header.String()
}

// Verify implements the receiver's side of Sign. It accepts the header if any v1 value proves the body under the secret
// and the single t is within Tolerance of now. Otherwise it returns ErrSignature. It ignores parts with other names.
func Verify(header string, body []byte, secret string, now time.Time) error {
	if len(header) > maxSignature {
		return refusal("the header is longer than %d bytes", maxSignature)
	}
	var times, signatures []string
	for part := range strings.SplitSeq(header, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			times = append(times, value)
		case "v1":
			signatures = append(signatures, value)
		}
	}
	// A second time could make an old signature look fresh.
	if len(times) != 1 {
		return refusal("it has %d t values; exactly one is allowed", len(times))
	}
	if err := timely(times[0], now); err != nil {
		return err
	}
	expected := []byte(sign(secret, times[0], body))
	for _, given := range signatures {
		if hmac.Equal([]byte(given), expected) {
			return nil
		}
	}
	return refusal("none of its %d v1 values matches the body and the secret", len(signatures))
}

func sign(secret, t string, body []byte) string {
	return hex.EncodeToString(mac([]byte(secret), t+".", body))
}

func mac(key []byte, prefix string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(prefix))
	h.Write(body)
	return h.Sum(nil)
}

func unix(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

// timely refuses a time that is not a number of seconds in canonical form, or is too far from now.
func timely(t string, now time.Time) error {
	seconds, err := strconv.ParseInt(t, 10, 64)
	if err != nil || strconv.FormatInt(seconds, 10) != t {
		return refusal("its time is not a number of seconds")
	}
	// Compared in seconds, because a distant time overflows a duration.
	if ahead := seconds - now.Unix(); seconds < 0 || ahead > tolerance || ahead < -tolerance {
		return refusal("its time differs by more than %d seconds from now, %s", tolerance, now.UTC().Format(time.RFC3339))
	}
	return nil
}

const tolerance = int64(Tolerance / time.Second)

func refusal(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrSignature, fmt.Sprintf(format, args...))
}
