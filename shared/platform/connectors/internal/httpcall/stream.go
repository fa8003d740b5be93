package httpcall

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// Reasons why a body fails.
var (
	errShort = errors.New("a file is shorter than its declared size")
	errLong  = errors.New("a file is longer than its declared size")
	errEnded = errors.New("the call has ended")
)

// stream is a request body in transit: the sources in sequence, each of exactly its declared size. It tracks whether
// its last byte was handed to the connection. After it is closed, no byte is handed over.
//
// One goroutine reads it. The other methods are safe for concurrent use. No method waits for a read. Closing the
// sources unblocks a pending read, because a transport does not return before the read does.
type stream struct {
	contentType string
	size        int64
	sources     []opened
	current     int // index of the source being read

	mu        sync.Mutex
	watch     *time.Timer // stall timer; nil before the first read
	timeout   time.Duration
	stall     func()
	delivered int64
	ended     bool
	fault     error // the failure of the service's own file
}

type opened struct {
	io.ReadCloser

	remaining int64
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

// watched cancels the call if the body makes no progress for the given time after its first read.
func (s *stream) watched(timeout time.Duration, cancel context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timeout, s.stall = timeout, func() { cancel(stalled(timeout)) }
}

// Read returns the next bytes. It returns the last byte of a file only after it has verified that the file ends there.
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

// next reads from the first source that has bytes left.
func (s *stream) next(p []byte) (int, error) {
	for ; s.current < len(s.sources); s.current++ {
		from := &s.sources[s.current]
		n, err := from.Read(p[:min(int64(len(p)), from.remaining)])
		from.remaining -= int64(n)
		ended := errors.Is(err, io.EOF)
		switch {
		case err != nil && !ended:
			return 0, err
		case from.remaining > 0 && ended:
			return 0, errShort
		case from.remaining > 0:
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

// atEnd checks that the source has no more bytes.
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
	case s.ended: // the read's result is a consequence of closing
		return 0, errEnded
	case err != nil && !errors.Is(err, io.EOF):
		s.fault = err
		return 0, err
	}
	s.delivered += int64(n)
	if s.delivered == s.size {
		s.rest() // the body is complete: the call now waits for the response
	} else {
		s.progress()
	}
	return n, err
}

// progress restarts the stall timer.
func (s *stream) progress() {
	switch {
	case s.stall == nil:
	case s.watch == nil:
		s.watch = time.AfterFunc(s.timeout, s.stall)
	default:
		s.watch.Reset(s.timeout)
	}
}

func (s *stream) rest() {
	if s.watch != nil {
		s.watch.Stop()
	}
}

// Close ends the stream. Later reads return no bytes. Further calls have no effect.
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

// outcome reports, for a closed stream, whether its last byte was certainly not handed over, and the failure of the
// service's own file, if any.
func (s *stream) outcome() (incomplete bool, fault error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.delivered < s.size, s.fault
}
