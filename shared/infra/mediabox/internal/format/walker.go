package format

import (
	"errors"
	"io"
)

// walker reads a file forward through one buffer and tracks its position.
type walker struct {
	source io.ReaderAt
	size   int64
	at     int64 // offset of the next byte

	buffer [8192]byte
	start  int64 // offset of buffer[0]
	filled int
}

// left returns the number of remaining bytes.
func (w *walker) left() int64 { return w.size - w.at }

// skip advances by n bytes, which must exist.
func (w *walker) skip(n int64) error {
	if n < 0 || n > w.left() {
		return truncated(w.at)
	}
	w.at += n
	return nil
}

// ahead returns the buffered bytes from the current position, at least one byte; at the file's end it fails.
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

// byte reads the next byte.
func (w *walker) byte() (byte, error) {
	ahead, err := w.ahead()
	if err != nil {
		return 0, err
	}
	w.at++
	return ahead[0], nil
}

// read reads the next n bytes; n is a small constant, never a number from the file.
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

// numbers reads numbers with the given widths in bytes, most significant byte first. A number of no width is 0.
func (w *walker) numbers(widths ...int) ([]uint64, error) {
	values := make([]uint64, len(widths))
	for i, width := range widths {
		digits, err := w.read(width)
		if err != nil {
			return nil, err
		}
		values[i] = bigEndian(digits)
	}
	return values, nil
}

func bigEndian(digits []byte) (value uint64) {
	for _, digit := range digits {
		value = value<<8 | uint64(digit)
	}
	return value
}

func truncated(at int64) error { return Fail(Broken, "the file ends early, at byte %d", at) }

func broken(at int64, what string) error { return Fail(Broken, "%s, at byte %d", what, at) }
