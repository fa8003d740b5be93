package harness

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
)

// Heard is a call that a network received, regardless of its response.
type Heard struct {
	At       time.Time `json:"at"`
	Platform string    `json:"platform"`
	Account  string    `json:"account"`
	Step     string    `json:"step"`
	Fault    string    `json:"fault"` // the kind of the applied fault; empty: none
}

// Heard returns the calls that a network received for an account, in order.
func (s *Sandbox) Heard(network channel.Network, account string) []Heard {
	s.t.Helper()
	var calls []Heard
	require.NoError(s.t, json.Unmarshal(s.do(http.MethodGet, "/_sandbox/calls", nil, http.StatusOK), &calls))
	return slices.DeleteFunc(calls, func(h Heard) bool {
		return h.Platform != string(network) || h.Account != account
	})
}

// Waiting returns the faults that have occurrences left.
func (s *Sandbox) Waiting() []Fault {
	s.t.Helper()
	var waiting []Fault
	require.NoError(s.t, json.Unmarshal(s.do(http.MethodGet, "/_sandbox/faults", nil, http.StatusOK), &waiting))
	return waiting
}
