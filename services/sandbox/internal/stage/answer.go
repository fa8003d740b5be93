package stage

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"

	"socialpub.internal/services/sandbox/internal/fault"
)

// Distorting lets faults change the answers of the handler.
func (s *Stage) Distorting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answer{ResponseWriter: w}
		next.ServeHTTP(a, r)
		if a.kind != "" {
			a.finish()
		}
	})
}

// answer is an answer that a fault may change. It is passed on as it is written until one does.
type answer struct {
	http.ResponseWriter

	kind    fault.Kind
	dialect Dialect
	status  int
	body    bytes.Buffer
}

// distort keeps the answer back, to be changed once it is whole.
func (s *Stage) distort(w http.ResponseWriter, kind fault.Kind, dialect Dialect) {
	a, ok := w.(*answer)
	if !ok {
		s.Logger.Warn("an answer could not be changed", slog.String("kind", string(kind)))
		return
	}
	a.kind, a.dialect = kind, dialect
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader passes the status on, or keeps it.
func (a *answer) WriteHeader(status int) {
	if a.kind == "" {
		a.ResponseWriter.WriteHeader(status)
		return
	}
	a.status = status
}

// Write passes the bytes on, or keeps them.
func (a *answer) Write(p []byte) (int, error) {
	if a.kind == "" {
		return a.ResponseWriter.Write(p)
	}
	return a.body.Write(p)
}

// finish answers with what the fault makes of the answer. A refusal stays what it is: nothing was done that an answer could
// be wrong about.
func (a *answer) finish() {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if a.kind == fault.RejectWith200 {
		a.status = http.StatusOK
		a.kind = ""
	} else if a.status >= http.StatusMultipleChoices {
		a.kind = ""
	}
	if a.kind == fault.ErrorAfterAccept {
		a.kind = ""
		a.dialect.Unavailable(a)
		return
	}
	if a.kind == fault.TruncatedAnswer {
		a.truncate()
		return
	}
	a.Header().Del("Content-Length")
	if a.kind == fault.HugeAnswer {
		a.pass(func() error { return writeHuge(a.ResponseWriter) })
		return
	}
	body := distorted(a.kind, a.Header(), a.body.Bytes())
	a.pass(func() error { _, err := a.ResponseWriter.Write(body); return err })
}

func (a *answer) pass(write func() error) {
	a.ResponseWriter.WriteHeader(a.status)
	_ = write() // the client may have had enough
}

// truncate announces the whole answer, sends half of it, and hangs up.
func (a *answer) truncate() {
	const least = 64
	whole := a.body.Bytes()
	conn, buffered, err := http.NewResponseController(a.ResponseWriter).Hijack()
	if err != nil {
		return
	}
	header := a.Header().Clone()
	head := http.Response{
		StatusCode: a.status, ProtoMajor: 1, ProtoMinor: 1, Header: header, ContentLength: int64(max(len(whole), least)),
		Body: http.NoBody,
	}
	// The length that was announced is not reached, which Write tells as an error after it wrote all the rest.
	head.Body = newHalf(whole[:len(whole)/2])
	_ = errors.Join(head.Write(buffered), buffered.Flush(), conn.Close())
}
