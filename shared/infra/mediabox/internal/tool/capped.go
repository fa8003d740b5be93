package tool

import "errors"

// ErrTooMuch ends a process that prints too much by closing its output pipe. os/exec reports the process's reaction to
// that first, so check Exceeded instead.
var ErrTooMuch = errors.New("too much output")

// Capped collects up to Limit bytes. Beyond the limit, a Quiet buffer discards the rest; others fail with ErrTooMuch.
type Capped struct {
	Data  []byte
	Limit int
	Quiet bool
	// Exceeded reports that there was more output.
	Exceeded bool
}

// Write implements io.Writer.
func (b *Capped) Write(data []byte) (int, error) {
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
