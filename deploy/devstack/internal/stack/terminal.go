package stack

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// nameWidth is the length of the longest name, "temporal" or "postgres".
const nameWidth = 8

// longestLine is the length at which an unfinished line is printed.
const longestLine = 64 << 10

// Terminal prints the output of several sources to one terminal, each line prefixed with its source's name.
type Terminal struct {
	out   io.Writer
	color bool
	mu    sync.Mutex
}

// NewTerminal returns a terminal on out. Names are colored when color is set.
func NewTerminal(out io.Writer, color bool) *Terminal { return &Terminal{out: out, color: color} }

func (c *Terminal) prefix(name string) string {
	padded := fmt.Sprintf("%-*s| ", nameWidth, name)
	if !c.color {
		return padded
	}
	// These ANSI colors are readable on light and dark backgrounds. Red is excluded, because it marks errors.
	colors, sum := []int{36, 32, 35, 33, 34, 96, 92, 95}, 0
	for _, letter := range name {
		sum += int(letter)
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colors[sum%len(colors)], padded)
}

// Say prints a message with a name before each line.
func (c *Terminal) Say(name, message string) {
	_, _ = io.WriteString(c.Writer(name, io.Discard), message+"\n")
}

// Print prints text unchanged. A closed terminal does not stop the stack.
func (c *Terminal) Print(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.out, text)
}

// Writer returns a writer that prints whole lines with a name, and copies everything to copyTo.
func (c *Terminal) Writer(name string, copyTo io.Writer) io.Writer {
	return &lineWriter{console: c, prefix: c.prefix(name), copyTo: copyTo}
}

type lineWriter struct {
	console *Terminal
	prefix  string
	copyTo  io.Writer

	mu      sync.Mutex
	partial []byte
}

func (w *lineWriter) Write(given []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.copyTo.Write(given) // the copy is less important than the terminal
	w.partial = append(w.partial, given...)
	for {
		line, rest, complete := bytes.Cut(w.partial, []byte("\n"))
		if !complete && len(line) < longestLine {
			return len(given), nil
		}
		w.console.Print(w.prefix + string(line) + "\n")
		w.partial = rest
	}
}
