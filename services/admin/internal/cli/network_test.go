package cli_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// network is a fake of the networks that report the account of an access token. It accepts every token except the
// refused ones.
type network struct {
	*httptest.Server

	mu        sync.Mutex
	accounts  map[string]string // by token; "1" for any other token
	refused   map[string]bool
	requested int
}

func newNetwork(t *testing.T) *network {
	t.Helper()
	n := &network{accounts: make(map[string]string), refused: make(map[string]bool)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /x/2/users/me", func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		account, ok := n.accountOf(token)
		if !ok {
			write(w, http.StatusUnauthorized, map[string]any{
				"title": "Unauthorized", "detail": "Unauthorized", "type": "about:blank", "status": 401,
			})
			return
		}
		write(w, http.StatusOK, map[string]any{"data": map[string]any{"id": account, "username": "user" + account}})
	})
	mux.HandleFunc("GET /threads/v1.0/me", func(w http.ResponseWriter, r *http.Request) {
		account, _ := n.accountOf(r.URL.Query().Get("access_token"))
		write(w, http.StatusOK, map[string]any{"id": account, "username": "user" + account})
	})
	mux.HandleFunc("POST /telegram/{bot}/getChat", func(w http.ResponseWriter, r *http.Request) {
		if _, ok := n.accountOf(strings.TrimPrefix(r.PathValue("bot"), "bot")); !ok {
			write(w, http.StatusUnauthorized, map[string]any{"ok": false, "error_code": 401, "description": "Unauthorized"})
			return
		}
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		chat := map[string]any{"id": body["chat_id"], "type": "channel"}
		if name, named := body["chat_id"].(string); named {
			chat["id"], chat["username"] = -1001, strings.TrimPrefix(name, "@")
		}
		write(w, http.StatusOK, map[string]any{"ok": true, "result": chat})
	})
	mux.HandleFunc("POST /telegram/{bot}/getChatMember", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, map[string]any{"ok": true, "result": map[string]any{"status": "administrator"}})
	})
	n.Server = httptest.NewServer(mux)
	t.Cleanup(n.Close)
	return n
}

func write(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func (n *network) accountOf(token string) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requested++
	account, known := n.accounts[token]
	if !known {
		account = "1"
	}
	return account, !n.refused[token]
}

// belongs assigns the token to the account.
func (n *network) belongs(token, account string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.accounts[token] = account
}

// refuse invalidates a token.
func (n *network) refuse(token string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refused[token] = true
}

// calls returns the number of requests to the network.
func (n *network) calls() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.requested
}
