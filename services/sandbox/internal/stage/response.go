package stage

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"maps"
	"net/http"
	"strconv"
)

// Response is a response of a network. Its body is JSON, bytes as they are, or nothing.
type Response struct {
	Status int
	Body   any // []byte: as they are; XML: an XML document; nil: none
	Header map[string]string
	// Refused means that the call had no effect: faults of responses do not apply to it.
	Refused bool
}

// XML is a body in XML.
type XML struct{ Document any }

// OK is a response with the status 200.
func OK(body any) Response { return Response{Status: http.StatusOK, Body: body} }

// Created is a response with the status 201.
func Created(body any) Response { return Response{Status: http.StatusCreated, Body: body} }

// Empty is a response without a body.
func Empty(status int) Response { return Response{Status: status} }

// Refuse is a refusal.
func Refuse(status int, body any) Response {
	return Response{Status: status, Body: body, Refused: true}
}

// With returns the response with another header.
func (r Response) With(name, value string) Response {
	r.Header = maps.Clone(r.Header)
	if r.Header == nil {
		r.Header = make(map[string]string, 1)
	}
	r.Header[name] = value
	return r
}

// Write writes the response.
func (r Response) Write(w http.ResponseWriter) {
	body := r.encode(w)
	w.WriteHeader(r.Status)
	_, _ = w.Write(body) //nolint:gosec // G705: the responses of APIs; the pages pass through templates
}

// encode returns the body, and sets the headers.
func (r Response) encode(w http.ResponseWriter) []byte {
	kind, body := "", new(bytes.Buffer)
	switch value := r.Body.(type) {
	case nil:
	case []byte:
		body.Write(value)
	case XML:
		kind = "application/xml"
		_ = xml.NewEncoder(body).Encode(value.Document) // the sandbox's own values can be encoded
	default:
		kind = "application/json; charset=utf-8"
		encoder := json.NewEncoder(body)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(value)
	}
	if kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	return body.Bytes()
}

// Words are a network's responses to faults, and to tokens that it does not accept.
type Words struct {
	Rejected     Response // the content
	Unavailable  Response
	Unauthorized Response // an invalid token
	// Scope is the response to a token without a needed scope; Unauthorized if it is zero.
	Scope Response
	// Limited is the response to too many calls. The header Retry-After is added unless Wait adds others.
	Limited Response
	Wait    func(limited Response, seconds int) Response
}

// limited returns the response to too many calls.
func (w Words) limited(seconds int) Response {
	if w.Wait != nil {
		return w.Wait(w.Limited, seconds)
	}
	return w.Limited.With("Retry-After", strconv.Itoa(seconds))
}

// Rule is the first of some conditions that a request meets and must not, with what is wrong then.
type Rule[T any] struct {
	Broken bool
	Fault  T
}

// If returns the rule with one condition.
func If[T any](broken bool, fault T) Rule[T] {
	if !broken {
		return Rule[T]{}
	}
	return Rule[T]{true, fault}
}

// Or adds a condition.
func (r Rule[T]) Or(broken bool, fault T) Rule[T] {
	if r.Broken {
		return r
	}
	return If(broken, fault)
}

// Else returns the fault, or the value if no condition is met.
func (r Rule[T]) Else(value T) T {
	if r.Broken {
		return r.Fault
	}
	return value
}

// Object is a JSON object.
type Object = map[string]any

// Pick returns the values of these names. Names without a value are left out.
func Pick[V any](names []string, values map[string]V) map[string]V {
	picked := make(map[string]V, len(names))
	for _, name := range names {
		if value, ok := values[name]; ok {
			picked[name] = value
		}
	}
	return picked
}

// Each converts the elements of a list. The result is never nil.
func Each[E, T any](list []E, convert func(E) T) []T {
	converted := make([]T, len(list))
	for i, element := range list {
		converted[i] = convert(element)
	}
	return converted
}
