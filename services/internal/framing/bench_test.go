package framing_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// usual is a typical request of an API client.
const usual = "POST /v1/posts HTTP/1.1\r\nHost: api.example.com\r\nUser-Agent: example-client/1.2.3 (linux; " +
	"amd64)\r\nAccept: application/json\r\n" +
	"Accept-Encoding: gzip, deflate, br\r\nAuthorization: Bearer svc_live_0123456789abcdefghijABCDEFGHIJ0123456789ab\r\n" +
	"Content-Type: application/json\r\nIdempotency-Key: 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10\r\nContent-Length: " +
	"200\r\n\r\n"

// again is a connection that receives the same text repeatedly, once per read.
type again struct {
	net.Conn

	text string
}

func (a again) Read(p []byte) (int, error) { return copy(p, a.text), nil }

// BenchmarkRead measures the overhead of the guard when reading one request.
func BenchmarkRead(b *testing.B) {
	text := usual + strings.Repeat("x", 200)
	plain := again{text: text}
	guarded, err := guard(b, prometheus.NewRegistry(), true).Listener(oneConn{conn: plain}).Accept()
	require.NoError(b, err)
	for _, c := range []struct {
		name   string
		reader io.Reader
	}{{"plain", plain}, {"guarded", guarded}} {
		b.Run(c.name, func(b *testing.B) {
			buffer := make([]byte, 8<<10)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.reader.Read(buffer); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
