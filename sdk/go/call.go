package fencepost

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// operation is one of the document.
type operation struct {
	method, path string // with {parameters}
	keyed        bool   // takes an Idempotency-Key
}

// CallOption changes one call.
type CallOption func(*callOptions)

type callOptions struct {
	header http.Header
	into   *http.Header
}

// IdempotencyKey replaces the generated key of a call: 1 to 255 visible ASCII characters. A program that is restarted
// and repeats the call with the same key causes no second effect within 24 hours.
func IdempotencyKey(key string) CallOption {
	return func(o *callOptions) { o.header.Set("Idempotency-Key", key) }
}

// IfMatch makes a change conditional on the version with the ETag.
func IfMatch(etag string) CallOption {
	return func(o *callOptions) { o.header.Set("If-Match", etag) }
}

// IfNoneMatch makes a read conditional: a version that has not changed is an Error with status 304.
func IfNoneMatch(etag string) CallOption {
	return func(o *callOptions) { o.header.Set("If-None-Match", etag) }
}

// ResponseHeader stores the header of the response, such as ETag and Idempotent-Replayed.
func ResponseHeader(into *http.Header) CallOption {
	return func(o *callOptions) { o.into = into }
}

// call performs an operation and decodes its response.
func call[T any](
	ctx context.Context, c *Client, op operation, path []string, query url.Values, body any, options []CallOption,
) (*T, error) {
	got, err := c.exchange(ctx, op, path, query, body, options)
	if err != nil {
		return nil, err
	}
	var out T
	if err := got.decode(&out); err != nil {
		return nil, err
	}
	return &out, nil
}

// value returns what a pointer refers to: for lists.
func value[T any](pointer *T, err error) (T, error) {
	if err != nil {
		return *new(T), err
	}
	return *pointer, nil
}

// exchange performs an operation, with its retries.
func (c *Client) exchange(
	ctx context.Context, op operation, path []string, query url.Values, body any, options []CallOption,
) (*response, error) {
	set := callOptions{header: http.Header{}}
	if op.keyed {
		set.header.Set("Idempotency-Key", newUUID())
	}
	for _, option := range options {
		option(&set)
	}
	target, err := fill(op.path, path)
	if err != nil {
		return nil, err
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	out := request{
		method: op.method, url: c.base + target, header: set.header,
		repeatable: repeatable(op, set.header),
	}
	credential, err := c.credential(ctx)
	if err != nil {
		return nil, err
	}
	out.header.Set("Authorization", "Bearer "+credential)
	if err := out.encode(body); err != nil {
		return nil, err
	}
	got, err := c.send(ctx, out)
	if got != nil && set.into != nil {
		*set.into = got.header
	}
	return got, err
}

// repeatable reports whether a repetition has no second effect.
func repeatable(op operation, header http.Header) bool {
	switch op.method {
	case http.MethodPost, http.MethodPatch:
		return header.Get("Idempotency-Key") != "" || op == opValidatePosts || op == opSimulatePosts
	default:
		return true
	}
}

// fill replaces the parameters of a path. A value that is empty or consists of dots would change the path.
func fill(path string, values []string) (string, error) {
	for _, value := range values {
		if value == "" || value == "." || value == ".." {
			return "", &Error{Kind: KindValidation, Detail: fmt.Sprintf("the id %q is empty or a relative path", value)}
		}
		before, rest, _ := strings.Cut(path, "{")
		_, after, _ := strings.Cut(rest, "}")
		path = before + strings.ReplaceAll(url.PathEscape(value), "{", "%7B") + after
	}
	return path, nil
}

// encode sets the body, and refuses times without an offset as the service does.
func (r *request) encode(body any) error {
	if body == nil {
		return nil
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return &Error{Kind: KindValidation, Detail: "the body cannot be encoded", cause: err}
	}
	if fault := naive(raw); fault != nil {
		return &Error{
			Kind: KindValidation, Code: ProblemCodeValidationFailed, Detail: fault.Pointer + " " + fault.Message, Errors: []Fault{*fault},
		}
	}
	r.header.Set("Content-Type", "application/json")
	r.size = int64(len(raw))
	r.body = func() io.Reader { return bytes.NewReader(raw) }
	return nil
}

// newUUID returns a random UUID (version 4).
func newUUID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
