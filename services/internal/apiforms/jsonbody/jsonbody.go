// Package jsonbody parses the JSON bodies of requests strictly, and reports all faults at once.
//
// There are two kinds of errors. A body that is not valid JSON is MALFORMED_REQUEST, and only the first error is
// reported. Valid means RFC 8259 with the restrictions of RFC 7493 (UTF-8, no duplicate names) and without U+0000,
// which the database cannot store. A body that does not match the operation's schema has faults, which are all
// reported, each with its JSON Pointer. Messages repeat no part of the body except property names.
package jsonbody

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fencepost.internal/shared/kernel/apperr"
)

const (
	// MaxDepth is the maximum nesting depth of objects and arrays.
	MaxDepth = 16
	// MaxValues is the maximum number of values in a body.
	MaxValues = 10_000
	// MaxFaults is the maximum number of reported faults.
	MaxFaults = 100
	// maxPointer is the maximum length of a fault's pointer in bytes.
	maxPointer = 256
)

// Reader parses the bodies of one operation. It is safe for concurrent use.
type Reader[T any] struct {
	root    *node
	walkers sync.Pool
}

// New compiles the schema of an operation's body, which must be an object. As the value of an optional member, null, and
// "" where the member cannot be empty, count as an absent member, except in a patch, where null clears a value.
func New[T any](registry huma.Registry, schema *huma.Schema, patch bool) (*Reader[T], error) {
	root, err := compile(registry, schema)
	if err != nil {
		return nil, err
	}
	if root.kind != huma.TypeObject {
		return nil, fmt.Errorf("jsonbody: a body must be an object, not %s", root.wanted())
	}
	return &Reader[T]{
		root: root, walkers: sync.Pool{New: func() any { return &walker{dec: jsontext.NewDecoder(&bytes.Buffer{}), patch: patch} }},
	}, nil
}

// Read parses a body. The error is MALFORMED_REQUEST. When there are faults, the value has the valid fields, so that
// the caller can check them further; faulty fields are zero.
func (r *Reader[T]) Read(body []byte) (T, []apperr.Field, error) {
	var value T
	body = WithoutMark(body)
	w, _ := r.walkers.Get().(*walker)
	defer r.walkers.Put(w)
	sound, faults, err := w.walk(body, r.root)
	if err != nil {
		return value, nil, malformed(body, err)
	}
	if err := json.Unmarshal(sound, &value, json.RejectUnknownMembers(true)); err != nil {
		return value, nil, fmt.Errorf("jsonbody: the schema accepts a body that the type rejects: %w", err)
	}
	return value, faults, nil
}

// WithoutMark returns a body without a byte order mark at its beginning.
func WithoutMark(body []byte) []byte { return bytes.TrimPrefix(body, []byte("\uFEFF")) }

// Violations that package jsontext accepts and the service does not.
var (
	errEmpty   = errors.New("it contains only white space")
	errNUL     = errors.New("a string has the character U+0000")
	errDepth   = fmt.Errorf("objects and arrays are nested more than %d deep", MaxDepth)
	errValues  = fmt.Errorf("it has more than %d values", MaxValues)
	errTrailer = errors.New("data follows the JSON value")
)

// ErrUUID is the fault of a string that is not an identifier.
var ErrUUID = errors.New("must be a UUID, for example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10")

// HalfSurrogateFault is the cause of a body that HalfSurrogate reports.
const HalfSurrogateFault = `a string has half of a character, such as an emoji, that was cut in two (a lone surrogate like \ud83d)`

// HalfSurrogate reports whether a syntax error of package jsontext is an escape of half a UTF-16 surrogate pair.
func HalfSurrogate(body []byte, err error) bool {
	syntax := new(jsontext.SyntacticError)
	return errors.As(err, &syntax) && surrogate.Match(body[min(max(syntax.ByteOffset, 0), int64(len(body))):])
}

var surrogate = regexp.MustCompile(`^\\u[dD][89a-fA-F]`)

// limitError is a violation of the service's own limits at an offset of the body.
type limitError struct {
	offset int64
	cause  error
}

func (e *limitError) Error() string { return e.cause.Error() }

// malformed returns an error with the position and the cause, without content of the body.
func malformed(body []byte, err error) error {
	offset, what := int64(len(body)), "is not valid JSON"
	limit, syntax := new(limitError), new(jsontext.SyntacticError)
	switch {
	case errors.As(err, &limit):
		offset, what = limit.offset, "is rejected: "+limit.cause.Error()
	case errors.Is(err, jsontext.ErrDuplicateName):
		what = "is rejected: an object has the same field twice"
	case !utf8.Valid(body):
		what = "is not valid UTF-8"
	}
	if errors.As(err, &syntax) {
		offset = syntax.ByteOffset
	}
	if HalfSurrogate(body, err) {
		what = "is rejected: " + HalfSurrogateFault
	}
	line, column := position(body, offset)
	return apperr.Wrap(err, apperr.MalformedRequest, "The body %s (line %d, column %d).", what, line, column)
}

// position returns the line and the column (in characters) of an offset, both from 1.
func position(body []byte, offset int64) (line, column int) {
	before := body[:min(max(offset, 0), int64(len(body)))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte{'\n'}) + 1, len(bytes.Runes(before[start:])) + 1
}
