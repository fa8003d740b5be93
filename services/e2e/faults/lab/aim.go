package lab

import "time"

// Aim selects the time of an action in a race, so that both outcomes happen about equally often: later after a win,
// earlier after a loss. It starts at the given time and converges to the time of the race.
type Aim struct {
	offset  time.Duration
	step    time.Duration
	wonLast bool
	shots   int
	wins    int
}

const (
	widestStep   = 32 * time.Millisecond
	narrowestAim = 2 * time.Millisecond
)

// Offset returns how long after the given time to act.
func (a *Aim) Offset() time.Duration { return a.offset }

// Won records an action that was in time.
func (a *Aim) Won() {
	a.move(true)
	a.wins++
	a.offset += a.step
}

// Lost records an action that was too late.
func (a *Aim) Lost() {
	a.move(false)
	a.offset -= a.step
}

// move halves the step if the outcome differs from the previous one.
func (a *Aim) move(won bool) {
	switch {
	case a.shots == 0:
		a.step = widestStep
	case won != a.wonLast:
		a.step = max(a.step/2, narrowestAim)
	}
	a.wonLast = won
	a.shots++
}

// Balanced reports whether each outcome happened in more than a tenth of the rounds.
func (a *Aim) Balanced() bool {
	const share = 10
	return a.wins*share > a.shots && (a.shots-a.wins)*share > a.shots
}

// Outcomes returns how often the action was in time and how often it was too late.
func (a *Aim) Outcomes() (won, lost int) { return a.wins, a.shots - a.wins }
