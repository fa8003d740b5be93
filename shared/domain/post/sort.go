package post

import (
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Sort is the order of a list of posts. Posts with the same time are ordered by ID.
type Sort string

// Orders of a list. In the last two, posts without a scheduled time follow all others.
const (
	NewestFirst   Sort = "-createdAt"
	OldestFirst   Sort = "createdAt"
	EarliestFirst Sort = "scheduledAt"
	LatestFirst   Sort = "-scheduledAt"
)

// Sorts lists every order, the default first.
func Sorts() []Sort { return []Sort{NewestFirst, OldestFirst, EarliestFirst, LatestFirst} }

// ByScheduledAt reports whether the order is by scheduled time.
func (s Sort) ByScheduledAt() bool { return s == EarliestFirst || s == LatestFirst }

// Descending reports whether later times come first. The empty order is NewestFirst.
func (s Sort) Descending() bool { return s == "" || s == NewestFirst || s == LatestFirst }

// Position is the position of a post in a sorted list.
type Position struct {
	At time.Time // the sort key; zero for a post without a scheduled time
	ID ident.Post
}

// Position returns the position of a post in the order.
func (s Sort) Position(p Post) Position {
	if s.ByScheduledAt() {
		return Position{At: p.ScheduledAt, ID: p.ID}
	}
	return Position{At: p.CreatedAt, ID: p.ID}
}
