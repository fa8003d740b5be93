// Command receiver is a webhook endpoint to learn from and to try the service with. It verifies the signature of every
// delivery, tells repeated ones from new ones, and prints what it was told. It uses the standard library alone:
//
//	WEBHOOK_SECRET=whsec_… go run main.go verify.go
//
// The secret is the one in the answer to POST /v1/webhooks; it can also be given as the only argument.
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
	// maxBody is above the largest envelope the service sends, 64 KiB.
	maxBody = 1 << 20
	// remembered bounds the ids that are kept. A real receiver keeps them in its database, in the same transaction as
	// what the event makes it do.
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

// envelope is the body of every delivery. Data differs from event to event; unknown members are to be expected.
type envelope struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	CreatedAt time.Time       `json:"createdAt"`
	Data      json.RawMessage `json:"data"`
}

// ServeHTTP acknowledges what is genuine with 204, at once: whatever takes longer than a moment belongs into a queue. Any
// other answer makes the service try again later.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "deliveries are POST requests", http.StatusMethodNotAllowed)
		return
	}
	// The raw bytes: a body that was parsed and written again has another signature.
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

// isNew remembers an event by its id: deliveries may come more than once.
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
