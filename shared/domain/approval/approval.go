// Package approval defines how many people must agree to a post before it is published, and whose approval counts
// (docs/contract.md, Approval).
package approval

import (
	"slices"

	"fencepost.internal/shared/kernel/ident"
)

// Policy is the rule of a workspace or a channel. A larger one is stricter.
type Policy int

// Policies. A channel without a rule of its own has None: the stricter of both applies.
const (
	None     Policy = iota // no approval
	Optional               // people may ask
	Required               // another person must approve
	TwoStep                // two people must approve
)

// Policies lists every policy, the laxest first.
func Policies() []Policy { return []Policy{None, Optional, Required, TwoStep} }

// String returns the name of the policy in the API.
func (p Policy) String() string {
	switch p {
	case None:
		return "NONE"
	case Optional:
		return "OPTIONAL"
	case Required:
		return "REQUIRED"
	case TwoStep:
		return "TWO_STEP"
	default:
		return "UNKNOWN"
	}
}

// Read returns the policy with a name.
func Read(name string) (Policy, bool) {
	i := slices.IndexFunc(Policies(), func(p Policy) bool { return p.String() == name })
	return Policy(max(i, 0)), i >= 0
}

// People returns how many people must approve a post.
func (p Policy) People() int { return max(0, int(p-Optional)) }

// Party is the person or program that acts on a post.
type Party struct {
	// Person is the one who acts, also through a program, or who made the API key; zero if that is not known.
	Person ident.User
	Name   string
	// Approves reports the permission posts:approve of the person, or of the workspace in whose name a key acts.
	Approves bool
	// InPerson reports that the person acts in the application.
	InPerson bool
	// OnlyOwner reports that the person is the only owner of the workspace, who need not wait for others.
	OnlyOwner bool
}

// Counts reports whether the party's word counts for a post that the writers wrote or changed last.
func (p Party) Counts(writers []ident.User) bool {
	return p.InPerson && p.Approves && (p.OnlyOwner || !slices.Contains(writers, p.Person))
}
