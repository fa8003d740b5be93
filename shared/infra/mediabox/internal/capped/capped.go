// Package capped collects what another process prints, up to a limit.
package capped

import "errors"

// ErrTooMuch ends a process that prints more than it may: the pipe to it is closed. How the process takes that comes
// first in what os/exec reports, so look at Exceeded.
var ErrTooMuch = errors.New("too much output")

// Buffer collects up to Limit bytes. Beyond them a Quiet one swallows the rest; others fail with ErrTooMuch.
type Buffer struct {
	Data  []byte
	Limit int
	Quiet bool
	// Exceeded says that there was more.
	Exceeded bool
}

// Write is that of io.Writer.
func (b *Buffer) Write(data []byte) (int, error) {
	room := min(len(data), b.Limit-len(b.Data))
	b.Data = append(b.Data, data[:room]...)
	if room == len(data) {
		return room, nil
	}
	b.Exceeded = true
	if b.Quiet {
		return len(data), nil
	}
	return room, ErrTooMuch
}
