package stage

import (
	"sync"
	"time"
)

// callsKept limits the number of calls in the log.
const callsKept = 100_000

// Heard is a call to a network, with the fault applied to it.
type Heard struct {
	At      time.Time `json:"at"`
	Network string    `json:"platform"`
	Account string    `json:"account"`
	Step    Step      `json:"step"`
	Fault   FaultKind `json:"fault"` // empty: none
}

// callLog holds the most recent calls, oldest first.
type callLog struct {
	mu    sync.Mutex
	calls []Heard
}

func (l *callLog) add(call Heard) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.calls) == callsKept {
		l.calls = append([]Heard(nil), l.calls[callsKept/2:]...)
	}
	l.calls = append(l.calls, call)
}

// Heard returns the most recent calls to the networks, oldest first.
func (s *Stage) Heard() []Heard {
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	return append([]Heard{}, s.heard.calls...)
}

// DeleteCalls deletes the log of calls.
func (s *Stage) DeleteCalls() {
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	s.heard.calls = nil
}
