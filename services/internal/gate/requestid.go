package gate

import "fencepost.internal/shared/kernel/ident"

// HeaderRequestID is the header with the id of a request in the logs (docs/contract.md, Request ID).
const HeaderRequestID = "X-Request-Id"

// maxRequestID is the longest X-Request-Id accepted from a client.
const maxRequestID = 128

// RequestID returns the client's own id when it has only safe characters, and otherwise a new one.
func RequestID(sent string) string {
	if sent == "" || len(sent) > maxRequestID {
		return newRequestID()
	}
	for i := range len(sent) {
		switch c := sent[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			return newRequestID()
		}
	}
	return sent
}

func newRequestID() string { return ident.New[ident.Event]().String() }
