package fencepost

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// tolerance is the greatest difference between the time of a signature and now.
const tolerance = 5 * time.Minute

// Verify checks a delivery with the header and the raw body of its request, and returns its event. One of the secrets
// must have signed it, less than five minutes ago, by X-Service-Signature or by Standard Webhooks. Deduplicate by
// Event.ID: deliveries repeat.
func (r Webhooks) Verify(header http.Header, body []byte, secrets ...string) (*Event, error) {
	return verify(header, body, secrets, r.c.clock.Now())
}

// VerifyWebhook is Webhooks.Verify for receivers that have no client.
func VerifyWebhook(header http.Header, body []byte, secrets ...string) (*Event, error) {
	return verify(header, body, secrets, time.Now())
}

// SignWebhook sets the headers of a delivery as the service does, with both signatures: for tests of a receiver. Body is
// that of the event.
func SignWebhook(header http.Header, event Event, body []byte, secret string, now time.Time) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return &Error{Kind: KindValidation, Detail: "the secret is not that of a webhook, whsec_ and base64", cause: err}
	}
	at := strconv.FormatInt(now.Unix(), 10)
	header.Set("Content-Type", "application/json")
	header.Set("X-Service-Event", string(event.Type))
	header.Set("X-Service-Delivery", event.ID)
	header.Set("X-Service-Signature", "t="+at+",v1="+hex.EncodeToString(sign([]byte(secret), at+".", body)))
	header.Set("Webhook-Id", event.ID)
	header.Set("Webhook-Timestamp", at)
	header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(sign(key, event.ID+"."+at+".", body)))
	return nil
}

func verify(header http.Header, body []byte, secrets []string, now time.Time) (*Event, error) {
	for _, secret := range secrets {
		if !signedByService(header.Get("X-Service-Signature"), body, secret, now) && !signedByStandard(header, body, secret, now) {
			continue
		}
		var event Event
		if err := json.Unmarshal(body, &event); err != nil {
			return nil, &Error{Kind: KindDecode, Detail: "the delivery is not an event", cause: err}
		}
		return &event, nil
	}
	return nil, &Error{Kind: KindSignature, Detail: "no secret has signed the delivery within the last five minutes"}
}

// signedByService checks t=<unix seconds>,v1=<hex>; during a rotation of the secret there are two v1.
func signedByService(header string, body []byte, secret string, now time.Time) bool {
	var times, signatures []string
	for part := range strings.SplitSeq(header, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			times = append(times, value)
		case "v1":
			signatures = append(signatures, value)
		}
	}
	if len(times) != 1 || !recent(times[0], now) {
		return false
	}
	return anyEqual(signatures, hex.EncodeToString(sign([]byte(secret), times[0]+".", body)))
}

// signedByStandard checks the headers of Standard Webhooks.
func signedByStandard(header http.Header, body []byte, secret string, now time.Time) bool {
	id, at := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 || id == "" || !recent(at, now) {
		return false
	}
	var signatures []string
	for part := range strings.FieldsSeq(header.Get("Webhook-Signature")) {
		if signature, ok := strings.CutPrefix(part, "v1,"); ok {
			signatures = append(signatures, signature)
		}
	}
	return anyEqual(signatures, base64.StdEncoding.EncodeToString(sign(key, id+"."+at+".", body)))
}

var unixSeconds = regexp.MustCompile(`^[0-9]{1,12}$`)

func recent(text string, now time.Time) bool {
	seconds, err := strconv.ParseInt(text, 10, 64)
	return err == nil && unixSeconds.MatchString(text) && now.Sub(time.Unix(seconds, 0)).Abs() <= tolerance
}

func sign(key []byte, before string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(before))
	mac.Write(body)
	return mac.Sum(nil)
}

func anyEqual(signatures []string, want string) bool {
	for _, signature := range signatures {
		if hmac.Equal([]byte(signature), []byte(want)) { // in constant time
			return true
		}
	}
	return false
}
