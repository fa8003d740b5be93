package httpcall

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// Why a body broke off.
var (
	errShort = errors.New("a file is shorter than it was said to be")
	errLong  = errors.New("a file is longer than it was said to be")
	errEnded = errors.New("the call has ended")
)

// stream is a body on its way out: the sources one after the other, each of exactly its size. It knows at any moment
// whether its last byte was handed to the connection, and once closed that it never will be.
//
// One goroutine reads it; the other methods may be called by any. None waits for a read, and closing the sources is what
// ends one that hangs: a transport does not return before it.
type stream struct {
	contentType string
	size        int64
	sources     []opened
	current     int // the source that is read

	mu        sync.Mutex
	watch     *time.Timer // of the stall; nil before the first read
	patience  time.Duration
	stall     func()
	delivered int64
	ended     bool
	fault     error // why it broke off for our own sake
}

type opened struct {
	io.ReadCloser

	left int64
}

// open opens every source, or none.
func (u unopened) open() (*stream, error) {
	s := &stream{contentType: u.contentType}
	for _, from := range u.sources {
		file, err := from.open()
		if err != nil {
			_ = s.Close()
			return nil, err
		}
		s.size += from.size
		s.sources = append(s.sources, opened{file, from.size})
	}
	return s, nil
}

// watched ends a call by its cancel function when the body was begun, and for that long nothing was asked for or given.
func (s *stream) watched(patience time.Duration, cancel context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.patience, s.stall = patience, func() { cancel(stalled(patience)) }
}

// Read gives the next bytes. The last byte of a file is only given when it is known that the file ends there.
func (s *stream) Read(p []byte) (int, error) {
	if err := s.begin(); err != nil {
		return 0, err
	}
	n, err := s.next(p)
	return s.end(n, err)
}

func (s *stream) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.fault != nil:
		return s.fault
	case s.ended:
		return errEnded
	}
	s.progress()
	return nil
}

// next reads from the first source that is not at its end.
func (s *stream) next(p []byte) (int, error) {
	for ; s.current < len(s.sources); s.current++ {
		from := &s.sources[s.current]
		n, err := from.Read(p[:min(int64(len(p)), from.left)])
		from.left -= int64(n)
		ended := errors.Is(err, io.EOF)
		switch {
		case err != nil && !ended:
			return 0, err
		case from.left > 0 && ended:
			return 0, errShort
		case from.left > 0:
			return n, nil
		case !ended:
			if err := atEnd(from); err != nil {
				return 0, err
			}
		}
		if n > 0 {
			s.current++
			return n, nil
		}
	}
	return 0, io.EOF
}

// atEnd checks that the source has no more.
func atEnd(from io.Reader) error {
	var one [1]byte
	switch _, err := io.ReadFull(from, one[:]); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	default:
		return errLong
	}
}

func (s *stream) end(n int, err error) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended: // what the read says now comes of the closing
		return 0, errEnded
	case err != nil && !errors.Is(err, io.EOF):
		s.fault = err
		return 0, err
	}
	s.delivered += int64(n)
	if s.delivered == s.size {
		s.rest() // from here on the answer is waited for
	} else {
		s.progress()
	}
	return n, err
}

// progress gives the connection, or the read, its time from now on.
func (s *stream) progress() {
	switch {
	case s.stall == nil:
	case s.watch == nil:
		s.watch = time.AfterFunc(s.patience, s.stall)
	default:
		s.watch.Reset(s.patience)
	}
}

func (s *stream) rest() {
	if s.watch != nil {
		s.watch.Stop()
	}
}

// Close ends the stream, once: nothing more is given from here on.
func (s *stream) Close() error {
	s.mu.Lock()
	ended := s.ended
	s.ended = true
	s.rest()
	s.mu.Unlock()
	if ended {
		return nil
	}
	for _, from := range s.sources {
		_ = from.Close()
	}
	return nil
}

// outcome reports of a closed stream whether it is certain that its last byte was not given, and if it broke off for our
// own sake, why.
func (s *stream) outcome() (incomplete bool, fault error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.delivered < s.size, s.fault
}
