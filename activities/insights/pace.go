package insights

import (
	"sync"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow"
)

// crowded is the wait of a step whose network uses all its slots.
const crowded = 5 * time.Second

// pace spaces the steps of one network, and reserves slots for the other networks. A step that comes too early is
// assigned a start time and returns then. It occupies no slot while it waits, and is assigned a time only once.
type pace struct {
	every time.Duration
	most  int

	mu   sync.Mutex
	next map[channel.Network]time.Time
	busy map[channel.Network]int
}

func newPace(every time.Duration, most int) *pace {
	return &pace{every: every, most: most, next: make(map[channel.Network]time.Time), busy: make(map[channel.Network]int)}
}

// enter reserves a slot; free reports whether it succeeded. Otherwise the step must call again after the wait.
func (p *pace) enter(
	n channel.Network, now time.Time, step *flow.InsightsStep,
) (release func(), wait time.Duration, free bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if step.Turn.IsZero() {
		step.Turn = now
		if p.next[n].After(now) {
			step.Turn = p.next[n]
		}
		p.next[n] = step.Turn.Add(p.every)
	}
	if early := step.Turn.Sub(now); early > 0 {
		return nil, early, false
	}
	if p.busy[n] >= p.most {
		return nil, crowded, false
	}
	p.busy[n]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.busy[n]--
	}, 0, true
}
