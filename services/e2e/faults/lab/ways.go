package lab

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// Behavior is the response of an endpoint to a recorded request.
type Behavior func(w http.ResponseWriter, r *http.Request, got Got)

// Accept responds with status 200.
func Accept() Behavior { return Status(http.StatusOK) }

// Status responds with a status. Redirects point to the endpoint "elsewhere".
func Status(code int) Behavior {
	return func(w http.ResponseWriter, _ *http.Request, _ Got) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(code)
	}
}

// Hang never responds.
func Hang() Behavior {
	return func(_ http.ResponseWriter, r *http.Request, _ Got) { <-r.Context().Done() }
}

// LateResponse responds with status 200 after a delay, even if the client has disconnected.
func LateResponse(by time.Duration) Behavior {
	return func(w http.ResponseWriter, _ *http.Request, _ Got) {
		<-time.After(by)
		w.WriteHeader(http.StatusOK)
	}
}

// First uses one way for the first requests and another one for the later ones.
func First(requests int, behavior, after Behavior) Behavior {
	return func(w http.ResponseWriter, r *http.Request, got Got) {
		if got.N <= requests {
			behavior(w, r, got)
			return
		}
		after(w, r, got)
	}
}

// Share is a way and its share of the requests.
type Share struct {
	Of       float64 // of all requests
	Behavior Behavior
}

// Mixed responds to each request in one of several ways, at random, and accepts the others.
func Mixed(shares ...Share) Behavior {
	return func(w http.ResponseWriter, r *http.Request, got Got) {
		at := rand.Float64() //nolint:gosec // G404: not a secret
		for _, s := range shares {
			if at -= s.Of; at < 0 {
				s.Behavior(w, r, got)
				return
			}
		}
		Accept()(w, r, got)
	}
}

// Raw responds with exactly these bytes and then closes the connection.
func Raw(response string) Behavior {
	return hijacked(func(conn net.Conn) { _, _ = io.WriteString(conn, response) })
}

// Drop closes the connection without a response.
func Drop() Behavior { return hijacked(func(net.Conn) {}) }

// Reset closes the connection with a TCP reset.
func Reset() Behavior {
	return hijacked(func(conn net.Conn) {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	})
}

// Trickle sends the beginning and then one byte per second, endlessly.
func Trickle(beginning string) Behavior {
	return hijacked(func(conn net.Conn) { trickle(conn, beginning) })
}

func trickle(conn io.Writer, beginning string) {
	_, err := io.WriteString(conn, beginning)
	for err == nil {
		<-time.After(time.Second)
		_, err = io.WriteString(conn, "x")
	}
}

// Flood sends the beginning and then a gigabyte.
func Flood(beginning string) Behavior {
	const size, chunk = 1 << 30, 1 << 16
	return hijacked(func(conn net.Conn) {
		_, err := io.WriteString(conn, beginning)
		filler := make([]byte, chunk)
		for i := range filler {
			filler[i] = 'x'
		}
		for sent := 0; sent < size && err == nil; sent += chunk {
			_, err = conn.Write(filler)
		}
	})
}

// Informing sends 103 Early Hints endlessly.
func Informing() Behavior {
	return hijacked(func(conn net.Conn) {
		var err error
		for err == nil {
			_, err = io.WriteString(conn, "HTTP/1.1 103 Early Hints\r\n\r\n")
		}
	})
}

// Head returns the head of a response that announces a body of this length.
func Head(code, length int) string {
	return fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Length: %d\r\n\r\n", code, http.StatusText(code), length)
}

func hijacked(response func(conn net.Conn)) Behavior {
	return func(w http.ResponseWriter, _ *http.Request, _ Got) {
		hijacker, ok := w.(http.Hijacker)
		if !ok {
			return
		}
		conn, _, err := hijacker.Hijack()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		response(conn)
	}
}

// Silent returns an https address that accepts connections and never sends a byte.
func Silent(t testing.TB) string {
	t.Helper()
	return speaking(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
}

// SlowTLS returns an https address that sends the TLS handshake at one byte per second.
func SlowTLS(t testing.TB) string {
	t.Helper()
	return speaking(t, func(conn net.Conn) { trickle(conn, "\x16\x03\x03\x40\x00") })
}

// Closed returns an http address on which no process listens.
func Closed(t testing.TB) string {
	t.Helper()
	listener := listen(t)
	_ = listener.Close()
	return "http://" + listener.Addr().String() + "/"
}

// speaking serves each connection with a function, without TLS.
func speaking(t testing.TB, speak func(conn net.Conn)) string {
	t.Helper()
	listener := listen(t)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				speak(conn)
			}()
		}
	}()
	return "https://" + listener.Addr().String() + "/"
}

// Name returns the name of the n-th endpoint of a kind.
func Name(kind string, n int) string { return kind + "-" + strconv.Itoa(n) }
