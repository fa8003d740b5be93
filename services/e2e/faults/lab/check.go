package lab

import (
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
)

// Violation is one fact that an invariant forbids.
type Violation struct {
	Invariant string // I1
	What      string // with the ids in question
}

// String reads as a line of a failed test.
func (v Violation) String() string { return v.Invariant + " " + v.What }

// terms are what a scenario asks beyond the rule, or cannot promise.
type terms struct {
	lateness  time.Duration
	unknown   int
	published bool
	ceiling   Ceiling
	without   []string
}

// Option changes what Check asks.
type Option func(*terms)

// Late bounds how long after its time a post may be published (I10). Without it no bound is asked: outages make posts late.
func Late(by time.Duration) Option { return func(t *terms) { t.lateness = by } }

// Unknown allows that many posts to end FAILED with OUTCOME_UNKNOWN on networks that can be asked. On those that cannot be
// asked it is always an honest end.
func Unknown(posts int) Option { return func(t *terms) { t.unknown = posts } }

// AllPublished asks that the fault costs nothing but time: every accepted post is PUBLISHED in the end. A post on a network that
// cannot be asked may have an unknown outcome.
func AllPublished() Option { return func(t *terms) { t.published = true } }

// Bounded sets a ceiling of its own for what the programs may use (I12).
func Bounded(by Ceiling) Option { return func(t *terms) { t.ceiling = by } }

// Without leaves invariants out that the fault itself breaks by construction; the scenario says why where it calls this.
func Without(invariants ...string) Option {
	return func(t *terms) { t.without = append(t.without, invariants...) }
}

// invariant is a named question to the evidence.
type invariant struct {
	name string
	ask  func(Evidence, terms) []Violation
}

func invariants() []invariant {
	return []invariant{
		{"I1", publishedOnce},
		{"I2", nothingLost},
		{"I2", allPublished},
		{"I3", everyEventDelivered},
		{"I3", triesRecorded},
		{"I4", statesTrue},
		{"I5", eventPerTransition},
		{"I6", unscheduledStays},
		{"I7", oncePerKey},
		{"I8", tenantsApart},
		{"I10", neverEarly},
	}
}

// Judge asks every invariant that the two ledgers can answer, and returns what is wrong.
func Judge(e Evidence, options ...Option) []Violation {
	return judge(e, agreed(options))
}

func judge(e Evidence, t terms) []Violation {
	var wrong []Violation
	for _, i := range invariants() {
		if !slices.Contains(t.without, i.name) {
			wrong = append(wrong, i.ask(e, t)...)
		}
	}
	return wrong
}

func agreed(options []Option) terms {
	t := terms{ceiling: Ordinary()}
	for _, option := range options {
		option(&t)
	}
	return t
}

// Check asks the invariants I1 to I12, counts for the table, and fails the test with what is wrong. Armed crash points that
// nothing reached, and a run in which nothing was injected, are wrong too.
func (l *Lab) Check(options ...Option) {
	l.t.Helper()
	t, e := agreed(options), l.Evidence()
	wrong := judge(e, t)
	wrong = append(wrong, l.judgeSurroundings(t)...)
	l.mu.Lock()
	l.result = count(e, wrong)
	injected := len(l.injected)
	l.mu.Unlock()
	require.Empty(l.t, wrong, "invariants do not hold")
	require.Positive(l.t, injected, "nothing was injected")
}

// judgeSurroundings asks what stands in neither ledger: files, logs, memory, crash points.
func (l *Lab) judgeSurroundings(t terms) []Violation {
	l.t.Helper()
	var wrong []Violation
	for _, ask := range []struct {
		name string
		ask  func(terms) []Violation
	}{
		{"I9", l.filesAgree}, {"I11", l.secretsKept}, {"I12", l.bounded}, {"injection", l.pointsReached},
	} {
		if !slices.Contains(t.without, ask.name) {
			wrong = append(wrong, ask.ask(t)...)
		}
	}
	return wrong
}

func (l *Lab) filesAgree(terms) []Violation {
	l.t.Helper()
	var wrong []Violation
	for _, what := range l.FileDisagreements() {
		wrong = append(wrong, Violation{"I9", what})
	}
	return wrong
}

// pointsReached asks that everything that was armed really happened.
func (l *Lab) pointsReached(terms) []Violation {
	l.t.Helper()
	acted := make(map[string]bool)
	for _, a := range l.acts() {
		acted[a.entry] = true
	}
	var wrong []Violation
	for _, entry := range l.points {
		if !acted[entry] {
			wrong = append(wrong, violation("injection", "the crash point was never reached: %s", entry))
		}
	}
	return wrong
}

func violation(name, format string, args ...any) Violation {
	return Violation{Invariant: name, What: fmt.Sprintf(format, args...)}
}
