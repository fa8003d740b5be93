// Package console prints the output of several sources to one terminal, each line prefixed with its source's name, and
// keeps a copy per source.
package console

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// nameWidth is the length of the longest name, "temporal" or "postgres".
const nameWidth = 8

// Console is a terminal, or a file in place of one.
type Console struct {
	out    io.Writer
	colour bool
	mu     sync.Mutex
}

// New returns a console on out. Names are colored when colour is set.
func New(out io.Writer, colour bool) *Console { return &Console{out: out, colour: colour} }

// colours returns ANSI colors that are readable on light and dark backgrounds. Red is excluded, because it marks
// errors.
func colours() []int { return []int{36, 32, 35, 33, 34, 96, 92, 95} }

func (c *Console) prefix(name string) string {
	padded := fmt.Sprintf("%-*s| ", nameWidth, name)
	if !c.colour {
		return padded
	}
	sum := 0
	for _, letter := range name {
		sum += int(letter)
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colours()[sum%len(colours())], padded)
}

// Say prints a message with a name before each line.
func (c *Console) Say(name, message string) {
	writer := c.Writer(name, io.Discard)
	_, _ = io.WriteString(writer, message+"\n") // a closed terminal must not stop the stack
}

// Print prints text unchanged.
func (c *Console) Print(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.out, text) // as in Say
}

// Writer returns a writer that prints whole lines with a name, and copies everything to copyTo.
func (c *Console) Writer(name string, copyTo io.Writer) io.Writer {
	return &lineWriter{console: c, prefix: []byte(c.prefix(name)), copyTo: copyTo}
}

type lineWriter struct {
	console *Console
	prefix  []byte
	copyTo  io.Writer

	mu      sync.Mutex
	partial []byte
}

// longestLine is the length at which an unfinished line is printed.
const longestLine = 64 << 10

func (w *lineWriter) Write(given []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.copyTo.Write(given) // the copy is less important than the terminal
	w.partial = append(w.partial, given...)
	for {
		end := bytes.IndexByte(w.partial, '\n')
		if end < 0 && len(w.partial) < longestLine {
			return len(given), nil
		}
		if end < 0 {
			w.partial = append(w.partial, '\n')
			end = len(w.partial) - 1
		}
		w.print(w.partial[:end+1])
		w.partial = w.partial[end+1:]
	}
}

func (w *lineWriter) print(line []byte) {
	w.console.mu.Lock()
	defer w.console.mu.Unlock()
	_, _ = w.console.out.Write(append(bytes.Clone(w.prefix), line...)) // as in Say
}
