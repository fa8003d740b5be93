package web

import (
	"errors"
	"io"
	"net"
	"net/http"
)

// response is a response of one line, which only operators read.
type response struct {
	status            int
	outcome           string
	text              string
	retryAfter, allow string // headers; empty: none
}

// Outcomes of the metric that belong to more than one response, or to none of those below.
const (
	misdirected = "misdirected"
	verified    = "verified"
	stored      = "stored"
	repeated    = "repeated"
	unread      = "unread"
)

var (
	absent      = response{status: http.StatusNotFound, outcome: "absent", text: "There is nothing at this address."}
	wrongMethod = response{
		status: http.StatusMethodNotAllowed, outcome: "method", text: "Networks report with POST.", allow: http.MethodPost,
	}
	forged = response{
		status: http.StatusUnauthorized, outcome: "forged", text: "The proof of the request's origin is missing or wrong.",
	}
	busy = response{
		status: http.StatusServiceUnavailable, outcome: "busy", text: "Too many requests are in progress. Try again.", retryAfter: "1",
	}
	unavailable = response{
		status: http.StatusServiceUnavailable, outcome: "unavailable", text: "The report could not be stored. Try again.",
	}
	tooLarge = response{status: http.StatusRequestEntityTooLarge, outcome: "large", text: "The body is larger than 4 MiB."}
	tooSlow  = response{status: http.StatusRequestTimeout, outcome: "slow", text: "The body took longer than 10 seconds."}
	broken   = response{status: http.StatusBadRequest, outcome: "broken", text: "The body ended early."}
)

func (r response) send(rw http.ResponseWriter) {
	header := rw.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	for name, value := range map[string]string{"Retry-After": r.retryAfter, "Allow": r.allow} {
		if value != "" {
			header.Set(name, value)
		}
	}
	rw.WriteHeader(r.status)
	_, _ = io.WriteString(rw, r.text) // an error concerns only the client's connection
}

// read returns the body of a request, or the refusal.
func read(rw http.ResponseWriter, r *http.Request) (body []byte, refused *response) {
	if r.ContentLength > maxBody {
		return nil, &tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxBody))
	var (
		large   *http.MaxBytesError
		network net.Error
	)
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &large):
		return nil, &tooLarge
	case errors.As(err, &network) && network.Timeout():
		return nil, &tooSlow
	default:
		return nil, &broken
	}
}
