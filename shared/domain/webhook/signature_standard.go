package webhook

import (
	"crypto/hmac"
	"encoding/base64"
	"net/http"
	"strings"
	"time"
)

// Headers of Standard Webhooks 1.0, which every delivery has in addition to our own, so that existing verifiers work.
// Header names are case-insensitive.
const (
	HeaderID                = "Webhook-Id"        // the event's ID, as in HeaderDelivery
	HeaderTimestamp         = "Webhook-Timestamp" // the time of the attempt, as t in HeaderSignature
	HeaderStandardSignature = "Webhook-Signature"
)

const standardVersion = "v1"

// SignStandard returns the value of HeaderStandardSignature: for each secret v1,<base64 HMAC-SHA256 of
// "<id>.<t>.<rawBody>">, separated by spaces, the current secret first. The key is the base64-decoded part of the
// secret after its prefix. It differs from Sign's key, so that neither signature reveals anything about the other. A
// secret without such a key gets no value.
func SignStandard(id string, at time.Time, body []byte, secrets ...string) string {
	values := make([]string, 0, len(secrets))
	for _, secret := range secrets {
		if key, ok := standardKey(secret); ok {
			values = append(values, signStandard(key, id, unix(at), body))
		}
	}
	return strings.Join(values, " ")
}

// VerifyStandard implements the receiver's side of SignStandard. It accepts the headers if any v1 value proves ID, time
// and body under the secret and the time is within Tolerance of now. Otherwise it returns ErrSignature.
func VerifyStandard(header http.Header, body []byte, secret string, now time.Time) error {
	id, t, signatures, err := standardHeaders(header)
	if err != nil {
		return err
	}
	if err := timely(t, now); err != nil {
		return err
	}
	key, ok := standardKey(secret)
	if !ok {
		return refusal("the secret is not base64 after %s", SecretPrefix)
	}
	expected := []byte(signStandard(key, id, t, body))
	for given := range strings.SplitSeq(signatures, " ") {
		if hmac.Equal([]byte(given), expected) {
			return nil
		}
	}
	return refusal("none of its values matches the ID, the body and the secret")
}

// standardHeaders reads the three headers, each of which must occur exactly once. An ID with a full stop is refused,
// because the signed text could then be split into ID, time and body in more than one way.
func standardHeaders(header http.Header) (id, t, signatures string, err error) {
	for _, wanted := range []struct {
		name   string
		target *string
	}{{HeaderID, &id}, {HeaderTimestamp, &t}, {HeaderStandardSignature, &signatures}} {
		values := header.Values(wanted.name)
		if len(values) != 1 || values[0] == "" || len(values[0]) > maxSignature {
			return "", "", "", refusal("%s is missing, empty, repeated or longer than %d bytes", strings.ToLower(wanted.name),
				maxSignature)
		}
		*wanted.target = values[0]
	}
	if strings.Contains(id, ".") {
		return "", "", "", refusal("the id has a full stop")
	}
	return id, t, signatures, nil
}

func signStandard(key []byte, id, t string, body []byte) string {
	return standardVersion + "," + base64.StdEncoding.EncodeToString(mac(key, id+"."+t+".", body))
}

// standardKey decodes a secret; its prefix may be missing, as in the verifiers of the convention.
func standardKey(secret string) ([]byte, bool) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, SecretPrefix))
	return key, err == nil && len(key) > 0
}
