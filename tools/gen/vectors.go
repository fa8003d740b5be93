package main

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
)

const about = "Deliveries with the expected verdict of a verifier. `now` is the receiver's clock in Unix seconds, " +
	"`secret` its secret, `bodyBase64` the exact received bytes (`body` has them as text), and `accept` states for " +
	"each form of signature, X-Service-Signature and the three webhook- headers, whether it proves the body."

// vector is a delivery as a receiver gets it, with the verdict that a verifier must return.
type vector struct {
	Name       string            `json:"name"`
	Why        string            `json:"why"`
	Secret     string            `json:"secret"`
	Now        int64             `json:"now"`
	Body       string            `json:"body"`
	BodyBase64 string            `json:"bodyBase64"`
	Headers    map[string]string `json:"headers"`
	Accept     verdict           `json:"accept"`
}

// verdict states which forms of signature prove a body.
type verdict struct {
	Service  bool `json:"service"`
	Standard bool `json:"standard"`
}

// The headers that the changes concern, in the spelling of the documentation.
const (
	ownHeader      = "X-Service-Signature"
	idHeader       = "webhook-id"
	timeHeader     = "webhook-timestamp"
	standardHeader = "webhook-signature"
)

// vectors writes docs/examples/receiver/vectors.json: deliveries that receivers may get, genuine and forged. The code
// that signs real deliveries signs them.
func vectors(path string) error {
	return writeJSON(path, struct {
		About   string   `json:"about"`
		Vectors []vector `json:"vectors"`
	}{about, slices.Concat(genuine(), untimely(), altered(), malformed())})
}

// change alters a delivery on the way to the receiver, or the receiver.
type change func(*vector)

// deliver returns a vector: a delivery of the body, signed with the current secret, and changed.
func deliver(name, why, body string, accept verdict, changes ...change) vector {
	v := vector{Name: name, Why: why, Secret: current, Body: body, Accept: accept}
	sign(sentAt, current)(&v)
	for _, apply := range changes {
		apply(&v)
	}
	v.BodyBase64 = base64.StdEncoding.EncodeToString([]byte(v.Body))
	return v
}

// sign signs the body with other secrets or at another time.
func sign(at int64, secrets ...string) change {
	return func(v *vector) {
		var envelope struct {
			ID   string
			Type event.Type
		}
		_ = json.Unmarshal([]byte(v.Body), &envelope) // the bodies are constants
		signed := webhook.Headers(envelope.ID, envelope.Type, time.Unix(at, 0), []byte(v.Body), secrets...)
		v.Now, v.Headers = at, make(map[string]string)
		for _, name := range []string{"X-Service-Event", "X-Service-Delivery", ownHeader, idHeader, timeHeader, standardHeader} {
			v.Headers[name] = signed.Get(name)
		}
	}
}

// clock sets the receiver's clock to a number of seconds after the delivery.
func clock(seconds int64) change { return func(v *vector) { v.Now = sentAt + seconds } }

// secret sets the receiver's secret.
func secret(text string) change { return func(v *vector) { v.Secret = text } }

// receive sets the body that the receiver gets.
func receive(body string) change { return func(v *vector) { v.Body = body } }

// rewrite replaces texts in the body.
func rewrite(pairs ...string) change {
	return func(v *vector) { v.Body = strings.NewReplacer(pairs...).Replace(v.Body) }
}

// replace replaces the first occurrence of a text in a header.
func replace(header, before, after string) change {
	return func(v *vector) { v.Headers[header] = strings.Replace(v.Headers[header], before, after, 1) }
}

// set sets a header.
func set(header, value string) change { return func(v *vector) { v.Headers[header] = value } }

// remove removes a header.
func remove(header string) change { return func(v *vector) { delete(v.Headers, header) } }
