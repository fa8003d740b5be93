// Command vectors writes docs/examples/receiver/vectors.json: deliveries that receivers may get, genuine and forged.
// The code that signs real deliveries signs them. Each has the verdict that a verifier must return:
//
//	go run tools/gen/vectors/*.go -write docs/examples/receiver/vectors.json
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"log"
	"net/http"
	"os"
	"time"

	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/domain/webhook"
)

const about = "Deliveries with the expected verdict of a verifier. `now` is the receiver's clock in Unix seconds, " +
	"`secret` its secret, `bodyBase64` the exact received bytes (`body` has them as text), and `accept` states for " +
	"each form of signature, X-Service-Signature and the three webhook- headers, whether it proves the body."

type file struct {
	About   string   `json:"about"`
	Vectors []vector `json:"vectors"`
}

type vector struct {
	Name       string            `json:"name"`
	Why        string            `json:"why"`
	Secret     string            `json:"secret"`
	Now        int64             `json:"now"`
	Body       string            `json:"body"`
	BodyBase64 string            `json:"bodyBase64"`
	Headers    map[string]string `json:"headers"`
	Accept     accept            `json:"accept"`
}

type accept struct {
	Service  bool `json:"service"`
	Standard bool `json:"standard"`
}

func main() {
	log.SetFlags(0)
	path := flag.String("write", "", "`FILE` to write (standard output without it)")
	flag.Parse()
	out := file{About: about}
	for _, c := range cases() {
		out.Vectors = append(out.Vectors, c.vector())
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(out)
	if err == nil && *path != "" {
		err = os.WriteFile(*path, text.Bytes(), 0o644)
	} else if err == nil {
		_, err = os.Stdout.Write(text.Bytes())
	}
	if err != nil {
		log.Fatal(err)
	}
}

// example is one case: a sent delivery, and its changes on the way to the receiver's verifier.
type example struct {
	name, why string
	// The delivery: its body, time and signing secrets.
	body    string
	at      int64 // sentAt unless set
	secrets []string
	// The receiver's secret and time, and the request that it gets; as sent unless set.
	secret string
	now    int64
	got    string
	change func(headers map[string]string)
	accept accept
}

// names are the headers that verifiers read, in the spelling of the documentation.
var names = []string{"X-Service-Event", "X-Service-Delivery", ownHeader, idHeader, timeHeader, standardHeader}

const (
	ownHeader      = "X-Service-Signature"
	idHeader       = "webhook-id"
	timeHeader     = "webhook-timestamp"
	standardHeader = "webhook-signature"
)

func (e example) vector() vector {
	at, secrets, secret, now, got := e.at, e.secrets, e.secret, e.now, e.got
	if at == 0 {
		at = sentAt
	}
	if secrets == nil {
		secrets = []string{current}
	}
	if secret == "" {
		secret = current
	}
	if now == 0 {
		now = at
	}
	if got == "" {
		got = e.body
	}
	var envelope struct {
		ID   string     `json:"id"`
		Type event.Type `json:"type"`
	}
	if err := json.Unmarshal([]byte(e.body), &envelope); err != nil {
		log.Fatalf("%s: %v", e.name, err)
	}
	signed := webhook.Headers(envelope.ID, envelope.Type, time.Unix(at, 0), []byte(e.body), secrets...)
	headers := written(signed)
	if e.change != nil {
		e.change(headers)
	}
	return vector{
		Name: e.name, Why: e.why, Secret: secret, Now: now, Body: got,
		BodyBase64: base64.StdEncoding.EncodeToString([]byte(got)),
		Headers:    headers, Accept: e.accept,
	}
}

func written(signed http.Header) map[string]string {
	headers := make(map[string]string)
	for _, name := range names {
		headers[name] = signed.Get(name)
	}
	return headers
}
