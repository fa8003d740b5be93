// Package logfile keeps the output of a process in a file of bounded size.
package logfile

import (
	"io"

	"gopkg.in/natefinch/lumberjack.v2"
)

// Size is the size in MiB from which a file is renamed to <name>-<time>.log and a new one is started. One renamed file
// is kept.
const Size = 10

// New returns a writer that appends to the file at path, and creates it with the first line. After Close, the next
// write reopens it.
func New(path string) io.WriteCloser {
	return &lumberjack.Logger{Filename: path, MaxSize: Size, MaxBackups: 1}
}
