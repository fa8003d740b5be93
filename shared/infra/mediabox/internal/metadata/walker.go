package metadata

import (
	"errors"
	"io"

	"socialpub.internal/shared/infra/mediabox/internal/fault"
)

// walker reads a file forward through one buffer and knows where it is.
type walker struct {
	source io.ReaderAt
	size   int64
	at     int64 // offset of the next byte

	buffer [8192]byte
	start  int64 // offset of buffer[0]
	filled int
}

// left is the number of bytes that follow.
func (w *walker) left() int64 { return w.size - w.at }

// skip goes on by n bytes, which must be there.
func (w *walker) skip(n int64) error {
	if n < 0 || n > w.left() {
		return truncated(w.at)
	}
	w.at += n
	return nil
}

// ahead is what the buffer holds from here on, at least one byte; at the file's end it is a failure.
func (w *walker) ahead() ([]byte, error) {
	if offset := w.at - w.start; offset >= 0 && offset < int64(w.filled) {
		return w.buffer[offset:w.filled], nil
	}
	if w.left() <= 0 {
		return nil, truncated(w.at)
	}
	n, err := w.source.ReadAt(w.buffer[:min(int64(len(w.buffer)), w.left())], w.at)
	if n == 0 {
		if errors.Is(err, io.EOF) {
			return nil, truncated(w.at)
		}
		return nil, err
	}
	w.start, w.filled = w.at, n
	return w.buffer[:n], nil
}

// byte takes the next byte.
func (w *walker) byte() (byte, error) {
	ahead, err := w.ahead()
	if err != nil {
		return 0, err
	}
	w.at++
	return ahead[0], nil
}

// read takes the next n bytes; n is one of our small numbers, never the file's.
func (w *walker) read(n int) ([]byte, error) {
	if int64(n) > w.left() {
		return nil, truncated(w.at)
	}
	data := make([]byte, 0, n)
	for len(data) < n {
		ahead, err := w.ahead()
		if err != nil {
			return nil, err
		}
		taken := min(len(ahead), n-len(data))
		data = append(data, ahead[:taken]...)
		w.at += int64(taken)
	}
	return data, nil
}

func truncated(at int64) error { return fault.New(fault.Broken, "the file ends early, at byte %d", at) }

func broken(at int64, what string) error { return fault.New(fault.Broken, "%s, at byte %d", what, at) }

// isBroken tells a file that cannot be understood from errors of other kinds.
func isBroken(err error) bool {
	failure, ok := errors.AsType[*fault.Failure](err)
	return ok && failure.Class == fault.Broken
}
