package lab

import (
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
)

// Violation is one fact that violates an invariant.
type Violation struct {
	Invariant string // such as I1
	What      string // with the affected ids
}

// String formats the violation as a line of a failed test.
func (v Violation) String() string { return v.Invariant + " " + v.What }

// terms are a scenario's additional requirements and its exceptions.
type terms struct {
	lateness  time.Duration
	unknown   int
	published bool
	ceiling   Ceiling
	without   []string
}

// Option changes the requirements of Check.
type Option func(*terms)

// Late limits how long after its time a post may be published (I10). The default is no limit, because outages delay
// posts.
func Late(by time.Duration) Option { return func(t *terms) { t.lateness = by } }

// Unknown allows the given number of posts to end as FAILED with OUTCOME_UNKNOWN on networks that can be queried. On
// the other networks that outcome is always allowed.
func Unknown(posts int) Option { return func(t *terms) { t.unknown = posts } }

// AllPublished requires that the fault causes only delay: every accepted post must end as PUBLISHED. A post on a
// network that cannot be queried may have an unknown outcome.
func AllPublished() Option { return func(t *terms) { t.published = true } }

// Bounded sets the scenario's own ceiling for the programs' resources (I12).
func Bounded(by Ceiling) Option { return func(t *terms) { t.ceiling = by } }

// Without excludes invariants that the fault itself breaks by construction. The scenario gives the reason where it
// calls Without.
func Without(invariants ...string) Option {
	return func(t *terms) { t.without = append(t.without, invariants...) }
}

// invariant is a named check of the evidence.
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

// Judge checks every invariant that the two ledgers can verify, and returns the violations.
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

// Check checks the invariants I1 to I12, counts for the report, and fails the test if there are violations. It also
// fails if an armed crash point was never reached or nothing was injected.
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

// judgeSurroundings checks the invariants that neither ledger can verify: files, logs, resources, crash points.
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

// pointsReached checks that every armed crash point acted.
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
