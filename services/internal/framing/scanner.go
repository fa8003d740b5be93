package framing

import (
	"bytes"
	"slices"
)

// maxLine limits a line that arrives in parts. The servers have lower limits; this one bounds the memory when a server
// has none.
const maxLine = 64 << 10

type state uint8

const (
	inRequestLine state = iota
	inFields
	inBody      // with Content-Length
	inChunkSize // the line before a chunk
	inChunk
	inChunkEnd // the line end after a chunk
	inTrailers
)

// scanner follows the requests of one connection.
type scanner struct {
	state     state
	head      head
	begun     []byte // start of a line whose end has not arrived
	blank     bool   // the CR of an empty line before a request line has arrived
	remaining int64  // bytes of the body or chunk that have not arrived
}

// inHead reports whether the scanner is within a request line or header fields.
func (s *scanner) inHead() bool { return s.state == inRequestLine || s.state == inFields }

// scan follows the bytes that were read. It returns the number of bytes that the server may read: all of p, or the
// bytes before the line that breaks a rule. It removes empty lines before a request line from p (RFC 9112, section
// 2.2).
func (s *scanner) scan(p []byte) (passed int, v *Violation) {
	for passed < len(p) {
		var n int
		switch {
		case s.state == inBody || s.state == inChunk:
			n = s.skip(p[passed:])
		case s.state == inRequestLine && len(s.begun) == 0 && (s.blank || p[passed] == '\r'):
			p, v = s.removeEmptyLines(p, passed)
		default:
			n, v = s.readLine(p[passed:])
		}
		if v != nil {
			return passed, v
		}
		passed += n
	}
	return passed, nil
}

// removeEmptyLines removes the empty lines from p, including partly received ones. No request line starts with CR.
func (s *scanner) removeEmptyLines(p []byte, from int) ([]byte, *Violation) {
	end := from
	for ; end < len(p) && (s.blank || p[end] == '\r'); end++ {
		if s.blank && p[end] != '\n' {
			return p, badRequestLine
		}
		s.blank = !s.blank
	}
	return slices.Delete(p, from, end), nil
}

// skip advances over a body or chunk of known length.
func (s *scanner) skip(p []byte) int {
	n := min(s.remaining, int64(len(p)))
	s.remaining -= n
	if s.remaining == 0 {
		s.endData()
	}
	return int(n)
}

func (s *scanner) endData() {
	if s.state == inChunk {
		s.state = inChunkEnd
		return
	}
	s.begin()
}

// begin resets the scanner for the next request.
func (s *scanner) begin() { s.state, s.head, s.begun = inRequestLine, head{}, nil }

// readLine reads the next line, or the part of it that has arrived.
func (s *scanner) readLine(p []byte) (int, *Violation) {
	end := bytes.IndexByte(p, '\n')
	if len(s.begun)+max(end, 0) > maxLine || end < 0 && len(s.begun)+len(p) > maxLine {
		return 0, badLineLength
	}
	if end < 0 {
		s.begun = append(s.begun, p...)
		return len(p), unless(s.state != inChunkEnd || string(s.begun) == "\r", badChunk)
	}
	line := p[:end]
	if len(s.begun) > 0 {
		line, s.begun = append(s.begun, line...), nil
	}
	text, terminated := bytes.CutSuffix(line, []byte("\r"))
	if !terminated {
		return 0, badLineEnd
	}
	return end + 1, s.accept(text)
}

// accept checks a line and advances the state.
func (s *scanner) accept(line []byte) *Violation {
	switch s.state {
	case inRequestLine:
		s.state = inFields
		return s.head.requestLine(line)
	case inFields:
		if len(line) == 0 {
			return s.endHead()
		}
		return s.head.field(line)
	case inChunkSize:
		return s.chunkSize(line)
	case inChunkEnd:
		s.state = inChunkSize
		return unless(len(line) == 0, badChunk)
	case inTrailers:
		if len(line) == 0 {
			s.begin()
			return nil
		}
		return trailer(line)
	case inBody, inChunk: // without lines
	}
	return nil
}

func (s *scanner) endHead() *Violation {
	if v := s.head.end(); v != nil {
		return v
	}
	switch {
	case s.head.codings.named:
		s.state = inChunkSize
	case s.head.length > 0:
		s.state, s.remaining = inBody, s.head.length
	default:
		s.begin()
	}
	return nil
}

// chunkSize reads the line before a chunk (RFC 9112, section 7.1). Extensions are ignored.
func (s *scanner) chunkSize(line []byte) *Violation {
	size, extension, _ := bytes.Cut(line, []byte(";"))
	length, valid := hexadecimal(bytes.TrimRight(size, " \t"))
	if !valid || !isFieldValue(extension) {
		return badChunk
	}
	s.state, s.remaining = inChunk, length
	if length == 0 {
		s.state = inTrailers
	}
	return nil
}

func unless(valid bool, v *Violation) *Violation {
	if valid {
		return nil
	}
	return v
}
