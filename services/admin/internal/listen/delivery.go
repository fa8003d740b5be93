// Package listen implements a webhook receiver for development. It verifies deliveries, detects repeated ones, prints
// everything, and responds as configured.
package listen

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/shared/domain/webhook"
)

// Delivery is one request with its verification and response.
type Delivery struct {
	At       time.Time
	Type, ID string   // from the envelope, which the signatures cover, else from the headers
	Verified []string // the signature headers that verify the body
	Refusals []string // the reasons why the other headers do not
	Oddities []string // differences between the headers and the envelope
	// Seen counts the arrivals of the event, including this one. Accepted reports whether it was acknowledged before,
	// which makes this delivery a duplicate. Before is the status of the previous response.
	Seen     int
	Accepted bool
	Before   int
	Age      *time.Duration // from the event to this attempt; nil when the envelope has no time
	Response int
	Delay    time.Duration
	Body     []byte
}

// Genuine reports whether the sender knows the secret: at least one signature verifies the body, and none fails.
func (d *Delivery) Genuine() bool { return len(d.Verified) > 0 && len(d.Refusals) == 0 }

// judge reads and verifies a request.
func judge(header http.Header, body []byte, secret string, now time.Time) Delivery {
	d := Delivery{At: now, Body: body}
	d.verify(webhook.HeaderSignature, webhook.Verify(header.Get(webhook.HeaderSignature), body, secret, now))
	// A sender that sets none of the three headers uses only the service's own signature.
	if header.Get(webhook.HeaderID)+header.Get(webhook.HeaderTimestamp)+header.Get(webhook.HeaderStandardSignature) != "" {
		d.verify(strings.ToLower(webhook.HeaderStandardSignature), webhook.VerifyStandard(header, body, secret, now))
	}
	d.read(header)
	return d
}

func (d *Delivery) verify(name string, err error) {
	if err == nil {
		d.Verified = append(d.Verified, name)
		return
	}
	reason := strings.TrimPrefix(err.Error(), webhook.ErrSignature.Error()+": ")
	d.Refusals = append(d.Refusals, name+": "+reason)
}

// read parses the envelope and compares it with the headers.
func (d *Delivery) read(header http.Header) {
	var envelope struct {
		ID        string    `json:"id"`
		Type      string    `json:"type"`
		CreatedAt time.Time `json:"createdAt"`
	}
	if err := json.Unmarshal(d.Body, &envelope); err != nil {
		d.Type, d.ID = header.Get(webhook.HeaderEvent), header.Get(webhook.HeaderDelivery)
		d.Oddities = append(d.Oddities, "the body is not an event envelope: "+reason(err))
		return
	}
	d.Type, d.ID = envelope.Type, envelope.ID
	d.compare(webhook.HeaderEvent, header.Get(webhook.HeaderEvent), envelope.Type)
	d.compare(webhook.HeaderDelivery, header.Get(webhook.HeaderDelivery), envelope.ID)
	if id := header.Get(webhook.HeaderID); id != "" {
		d.compare(strings.ToLower(webhook.HeaderID), id, envelope.ID)
	}
	if !envelope.CreatedAt.IsZero() {
		age := d.At.Sub(envelope.CreatedAt)
		d.Age = &age
	}
}

func (d *Delivery) compare(name, given, envelope string) {
	if given != envelope {
		d.Oddities = append(d.Oddities, fmt.Sprintf("%s is %q, but the envelope has %q", name, given, envelope))
	}
}

// reason returns the cause without the JSON decoder's type names.
func reason(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return wrong.Field + " is a " + wrong.Value
	}
	return err.Error()
}
