// Package jsonbody reads the JSON bodies of requests: strictly, and with every fault at once.
//
// Two things can be wrong with a body. It may be no JSON that the service accepts (RFC 8259 with the restrictions of
// RFC 7493: UTF-8, no member twice; no U+0000, which the database could not keep): that is MALFORMED_REQUEST, and the first
// place is told. Or it may be JSON of another shape than the operation's schema: those faults are all told, each with its
// JSON Pointer. Neither message repeats what the body said, except for the names of members.
package jsonbody

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"socialpub.internal/shared/kernel/apperr"
)

const (
	// MaxDepth is how deep objects and arrays may lie in each other.
	MaxDepth = 16
	// MaxValues is how many values a body may have in all.
	MaxValues = 10_000
	// MaxFaults is how many faults are told; a body with more is beyond help.
	MaxFaults = 100
	// maxPointer is how much of the place of a fault is told, in bytes.
	maxPointer = 256
)

// Reader reads the bodies of one operation. It is safe for concurrent use.
type Reader[T any] struct {
	root    *node
	walkers sync.Pool
}

// New compiles the schema of an operation's body, which must be an object.
func New[T any](registry huma.Registry, schema *huma.Schema) (*Reader[T], error) {
	root, err := compile(registry, schema)
	if err != nil {
		return nil, err
	}
	if root.kind != huma.TypeObject {
		return nil, fmt.Errorf("jsonbody: a body is an object, not %s", root.wanted())
	}
	return &Reader[T]{root: root, walkers: sync.Pool{New: func() any { return &walker{dec: jsontext.NewDecoder(&bytes.Buffer{})} }}}, nil
}

// Read reads a body. The error is MALFORMED_REQUEST. When there are faults, the value has what was sound, so that the
// caller can look for further ones; members with faults are zero.
func (r *Reader[T]) Read(body []byte) (T, []apperr.Field, error) {
	var value T
	w, _ := r.walkers.Get().(*walker)
	defer r.walkers.Put(w)
	sound, faults, err := w.walk(body, r.root)
	if err != nil {
		return value, nil, malformed(body, err)
	}
	if err := json.Unmarshal(sound, &value, json.RejectUnknownMembers(true)); err != nil {
		return value, nil, fmt.Errorf("jsonbody: the schema admits what the type does not: %w", err)
	}
	return value, faults, nil
}

// What the grammar of package jsontext admits and the service does not.
var (
	errEmpty   = errors.New("there is nothing but white space")
	errNUL     = errors.New("a string has the character U+0000")
	errDepth   = fmt.Errorf("objects and arrays lie more than %d deep", MaxDepth)
	errValues  = fmt.Errorf("there are more than %d values", MaxValues)
	errTrailer = errors.New("something follows the JSON value")
	errUUID    = errors.New("must be a UUID, for example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10")
)

// limitError is a breach of the service's own limits at a place of the body.
type limitError struct {
	offset int64
	cause  error
}

func (e *limitError) Error() string { return e.cause.Error() }

// malformed tells where and what, without a word of the body itself.
func malformed(body []byte, err error) error {
	offset, what := int64(len(body)), "is not valid JSON"
	limit, syntax := new(limitError), new(jsontext.SyntacticError)
	switch {
	case errors.As(err, &limit):
		offset, what = limit.offset, "is refused: "+limit.cause.Error()
	case errors.Is(err, jsontext.ErrDuplicateName):
		what = "is refused: an object has the same member twice"
	case !utf8.Valid(body):
		what = "is not valid UTF-8"
	}
	if errors.As(err, &syntax) {
		offset = syntax.ByteOffset
	}
	line, column := position(body, offset)
	return apperr.Wrap(err, apperr.MalformedRequest, "The body %s (line %d, column %d).", what, line, column)
}

// position counts lines, and columns in characters, both from 1.
func position(body []byte, offset int64) (line, column int) {
	before := body[:min(max(offset, 0), int64(len(body)))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte{'\n'}) + 1, len(bytes.Runes(before[start:])) + 1
}
