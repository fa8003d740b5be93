package post

import (
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Sort is the order of a list of posts. Posts with the same time are ordered by ID.
type Sort string

// Orders of a list. In those by scheduled time, posts without one follow all others.
const (
	NewestFirst   Sort = "-createdAt"
	OldestFirst   Sort = "createdAt"
	EarliestFirst Sort = "scheduledAt"
	LatestFirst   Sort = "-scheduledAt"

	RecentlyChangedFirst Sort = "-updatedAt"
	EarlierChangedFirst  Sort = "updatedAt"
)

// Sorts lists every order, the default first.
func Sorts() []Sort {
	return []Sort{NewestFirst, OldestFirst, EarliestFirst, LatestFirst, RecentlyChangedFirst, EarlierChangedFirst}
}

// ByScheduledAt reports whether the order is by scheduled time.
func (s Sort) ByScheduledAt() bool { return s == EarliestFirst || s == LatestFirst }

// ByUpdatedAt reports whether the order is by the time of the last change.
func (s Sort) ByUpdatedAt() bool { return s == RecentlyChangedFirst || s == EarlierChangedFirst }

// Descending reports whether later times come first. The empty order is NewestFirst.
func (s Sort) Descending() bool {
	return s == "" || s == NewestFirst || s == LatestFirst || s == RecentlyChangedFirst
}

// Position is the position of a post in a sorted list.
type Position struct {
	At time.Time // the sort key; zero for a post without a scheduled time
	ID ident.Post
}

// Position returns the position of a post in the order.
func (s Sort) Position(p Post) Position {
	switch {
	case s.ByScheduledAt():
		return Position{At: p.ScheduledAt, ID: p.ID}
	case s.ByUpdatedAt():
		return Position{At: p.UpdatedAt, ID: p.ID}
	default:
		return Position{At: p.CreatedAt, ID: p.ID}
	}
}
