package stage

import (
	"net/http"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// Network declares one simulated network. Its package exports a function Network, by which the sandbox finds it.
type Network struct {
	ID  channel.Network
	IDs ledger.IDs // the format of its posts' ids
	// Tokens are the rules for its tokens, one for each role of an account. A network without them has other tokens.
	Tokens []token.Policy
	// Limits are its own rate limits, which apply only while the sandbox is strict.
	Limits []Limit
	// Reviews are the ends that its reviews of accepted posts can have. A network without them shows each post at once.
	Reviews []ReviewEnd
	// Mount registers the network's calls, and opens its files in the folder. The state is nil if it has none.
	Mount func(mux *http.ServeMux, s *Stage, folder string) (State, error)
}

// State holds the data of a network beside the ledger.
type State interface {
	Clear() error // deletes all of it, on disk too
	Close() error
}

// Stateless returns Mount of a network that stores nothing beside the ledger.
func Stateless(register func(*http.ServeMux, *Stage)) func(*http.ServeMux, *Stage, string) (State, error) {
	return func(mux *http.ServeMux, s *Stage, _ string) (State, error) {
		register(mux, s)
		return nil, nil //nolint:nilnil // State documents nil
	}
}
