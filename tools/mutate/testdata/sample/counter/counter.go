// Package counter is sample code for the tests of mutate.
package counter

import (
	_ "embed"
	"errors"
)

// Counter counts up to a limit.
type Counter struct {
	n, limit int
	log      []string
}

const (
	query = `SELECT id FROM note WHERE workspace_id = ? AND id = ?`
	whole = query + ` FOR UPDATE`
	share = query + ` FOR SHARE`
)

// Query returns the statement.
func Query() string { return whole }

// Share returns another statement. No test calls it.
func Share() string { return share }

// locked is a statement in a file.
//
//go:embed locked.sql
var locked string

// Locked returns the statement of the file.
func Locked() string { return locked }

// New requires a limit.
func New(limit int) (*Counter, error) {
	if limit <= 0 {
		return nil, errors.New("counter: a limit is required")
	}
	return &Counter{limit: limit}, nil
}

// Add counts, and reports whether the limit allowed it.
func (c *Counter) Add() bool {
	if c.n >= c.limit {
		return false
	}
	c.n++
	c.note("added")
	return true
}

func (c *Counter) note(text string) { c.log = append(c.log, text) }

// Both reports whether the counter is in use and not full. No test calls it.
func (c *Counter) Both() bool { return c.n > 0 && c.n < c.limit }
