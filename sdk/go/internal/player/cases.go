// Package player plays the service in the conformance cases of the SDKs: it expects the requests of a case in their
// order, and sends the responses and faults of the case (sdk/conformance/README.md).
package player

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// Table is sdk/conformance/cases.json.
type Table struct {
	// Clock is the time of the SDK's clock when a case begins, unless the case has its own.
	Clock string `json:"clock"`
	Cases []Case `json:"cases"`
}

// Case is one call of an SDK, the exchanges that it causes, and its result. The player uses only its exchanges; the rest
// is for the runners.
type Case struct {
	Name      string          `json:"name"`
	About     string          `json:"about"`
	Clock     string          `json:"clock,omitempty"`
	Client    json.RawMessage `json:"client,omitempty"`
	Call      json.RawMessage `json:"call,omitempty"`
	Exchanges []Exchange      `json:"exchanges"`
	Expect    json.RawMessage `json:"expect,omitempty"`
}

// Exchange is one request and what it gets: a response, a fault, or both.
type Exchange struct {
	// Group marks consecutive exchanges whose requests may arrive in any order.
	Group    string   `json:"group,omitempty"`
	Request  Request  `json:"request"`
	Response Response `json:"response"`
	Fault    Fault    `json:"fault"`
}

// Request is an expected request. Members that are absent are not checked, except the query, which is then empty.
type Request struct {
	Method string `json:"method"`
	// Path is the path as sent, with its escapes.
	Path  string                     `json:"path"`
	Query map[string]json.RawMessage `json:"query,omitempty"`
	// Headers are the expected headers by name: a text, or a Matcher.
	Headers map[string]Matcher `json:"headers,omitempty"`
	// Body is the expected JSON; members may be in any order.
	Body     json.RawMessage `json:"body,omitempty"`
	BodyText *string         `json:"bodyText,omitempty"`
	BodySize *int            `json:"bodySize,omitempty"`
	// NoBody demands an empty body.
	NoBody bool `json:"noBody,omitempty"`
}

// Matcher is a condition on a header.
type Matcher struct {
	Equals  string `json:"equals,omitempty"`
	Matches string `json:"matches,omitempty"`
	// Same is the number of an earlier exchange whose header had the same value, Differs one whose header had another.
	Same    *int `json:"same,omitempty"`
	Differs *int `json:"differs,omitempty"`
	Absent  bool `json:"absent,omitempty"`
}

// UnmarshalJSON accepts a text for an exact value.
func (m *Matcher) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &m.Equals)
	}
	type plain Matcher
	return strict(raw, (*plain)(m))
}

// Response is sent in place of the service. {{base}} in texts is the base URL of the run.
type Response struct {
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Body is sent as JSON; Text unchanged.
	Body json.RawMessage `json:"body,omitempty"`
	Text string          `json:"text,omitempty"`
}

// The kinds of faults.
const (
	FaultRefuse      = "refuse"      // the connection is refused
	FaultResetBefore = "resetBefore" // the connection is reset before the body of the request is read
	FaultResetAfter  = "resetAfter"  // the connection is reset after the request, without a response
	FaultCut         = "cut"         // the response ends after Bytes bytes of its body
	FaultSlow        = "slow"        // the response is sent after Seconds
	FaultGarbage     = "garbage"     // the response is not HTTP
)

// Fault is a failure of the network.
type Fault struct {
	Kind    string  `json:"kind,omitempty"`
	Bytes   int     `json:"bytes,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
}

// Read reads a table of cases and checks its form.
func Read(path string) (Table, error) {
	raw, err := os.ReadFile(path) //nolint:gosec // the path of the command line
	if err != nil {
		return Table{}, err
	}
	var table Table
	if err := strict(raw, &table); err != nil {
		return Table{}, fmt.Errorf("%s: %w", path, err)
	}
	names := map[string]bool{}
	for _, c := range table.Cases {
		if names[c.Name] {
			return Table{}, fmt.Errorf("%s: two cases have the name %q", path, c.Name)
		}
		names[c.Name] = true
	}
	return table, nil
}

// strict refuses members that are unknown: they would be expectations that are never checked.
func strict(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}
