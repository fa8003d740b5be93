package stage

import (
	"sync"
	"time"

	"socialpub.internal/services/sandbox/internal/fault"
)

// callsKept bounds what the sandbox remembers of the calls it heard.
const callsKept = 100_000

// Heard is a call that a network heard, as it met the faults.
type Heard struct {
	At      time.Time  `json:"at"`
	Network string     `json:"platform"`
	Account string     `json:"account"`
	Step    fault.Step `json:"step"`
	Fault   fault.Kind `json:"fault"` // empty: none
}

// callLog is the calls heard last, oldest first.
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

// Heard lists the calls that the networks heard last, oldest first.
func (s *Stage) Heard() []Heard {
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	return append([]Heard{}, s.heard.calls...)
}

// ForgetCalls forgets the calls that were heard.
func (s *Stage) ForgetCalls() {
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	s.heard.calls = nil
}
