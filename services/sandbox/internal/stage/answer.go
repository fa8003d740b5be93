package stage

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"

	"fencepost.internal/services/sandbox/internal/fault"
)

// Distorting wraps the handler so that faults can change its responses.
func (s *Stage) Distorting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answer{ResponseWriter: w}
		next.ServeHTTP(a, r)
		if a.kind != "" {
			a.finish()
		}
	})
}

// answer is a response that a fault can change. It passes writes through until a fault sets its kind.
type answer struct {
	http.ResponseWriter

	kind   fault.Kind
	words  Words
	status int
	body   bytes.Buffer
}

// distort buffers the response, so that finish can change it as a whole.
func (s *Stage) distort(w http.ResponseWriter, kind fault.Kind, words Words) {
	a, ok := w.(*answer)
	if !ok {
		s.Logger.Warn("response not changed", slog.String("kind", string(kind)))
		return
	}
	a.kind, a.words = kind, words
}

// Unwrap supports http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader passes the status through, or records it if a fault is set.
func (a *answer) WriteHeader(status int) {
	if a.kind == "" {
		a.ResponseWriter.WriteHeader(status)
		return
	}
	a.status = status
}

// Write passes the bytes through, or buffers them if a fault is set.
func (a *answer) Write(p []byte) (int, error) {
	if a.kind == "" {
		return a.ResponseWriter.Write(p)
	}
	return a.body.Write(p)
}

// finish writes the response as changed by the fault. An error response stays unchanged, because the call had no effect
// that a wrong response could hide.
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
		a.words.Unavailable.Write(a)
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
	_ = write() // the client may have disconnected
}

// truncate announces the length of the whole response, sends half of it and closes the connection.
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
	// The body ends before the announced length. Write reports that as an error after it wrote everything else.
	head.Body = newHalf(whole[:len(whole)/2])
	_ = errors.Join(head.Write(buffered), buffered.Flush(), conn.Close())
}
