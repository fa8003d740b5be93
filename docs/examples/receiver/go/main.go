// Command receiver is an example webhook endpoint for development. It verifies the signature of every delivery, detects
// repeated deliveries, and prints them. It uses only the standard library:
//
//	WEBHOOK_SECRET=whsec_… go run main.go verify.go
//
// The response to POST /v1/webhooks contains the secret. It can also be passed as the only argument.
package main

import (
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	// maxBody is larger than the largest envelope that the service sends, 64 KiB.
	maxBody = 1 << 20
	// remembered bounds the ids in memory. A production receiver stores them in its database, in the same transaction
	// as the effects of the event.
	remembered = 10_000
)

func main() {
	log.SetFlags(log.Ltime)
	address := flag.String("addr", "127.0.0.1:8099", "address to listen on")
	flag.Parse()
	secret := os.Getenv("WEBHOOK_SECRET")
	if flag.NArg() == 1 {
		secret = flag.Arg(0)
	}
	if !strings.HasPrefix(secret, "whsec_") || flag.NArg() > 1 {
		log.Fatal("usage: WEBHOOK_SECRET=whsec_… receiver [-addr host:port]")
	}
	server := &http.Server{
		Addr: *address, Handler: &receiver{secret: secret, seen: make(map[string]bool)}, ReadTimeout: 10 * time.Second,
	}
	log.Printf("waiting for events on http://%s/", *address)
	log.Fatal(server.ListenAndServe())
}

type receiver struct {
	secret string

	mu   sync.Mutex
	seen map[string]bool
}

// envelope is the body of every delivery. Data depends on the event type. Receivers must ignore unknown fields.
type envelope struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	CreatedAt time.Time       `json:"createdAt"`
	Data      json.RawMessage `json:"data"`
}

// ServeHTTP acknowledges genuine deliveries with 204 immediately: longer work belongs in a queue. The service retries
// after any other response.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "deliveries are POST requests", http.StatusMethodNotAllowed)
		return
	}
	// Verify the raw bytes: parsing and re-encoding a body changes its signature.
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBody))
	if err != nil {
		http.Error(w, "the body cannot be read, or is too large", http.StatusBadRequest)
		return
	}
	if err := Verify(request.Header.Get("X-Service-Signature"), body, r.secret, time.Now()); err != nil {
		log.Printf("refused: %v", err)
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	var event envelope
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "the body is not an envelope", http.StatusBadRequest)
		return
	}
	if r.isNew(event.ID) {
		log.Printf("%s %s %s", event.Type, event.ID, event.Data)
	} else {
		log.Printf("%s %s again; nothing is done twice", event.Type, event.ID)
	}
	w.WriteHeader(http.StatusNoContent)
}

// isNew records the event's id and reports whether it is new: a delivery may arrive more than once.
func (r *receiver) isNew(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[id] {
		return false
	}
	if len(r.seen) >= remembered {
		clear(r.seen)
	}
	r.seen[id] = true
	return true
}
