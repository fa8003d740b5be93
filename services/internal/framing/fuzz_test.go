package framing_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/framing"
	"fencepost.internal/services/internal/framing/framingtest"
)

// FuzzScan compares the guard with net/http. The result of the guard must not depend on how the bytes arrive. Net/http
// must read the passed bytes to the same end: it finds no malformed request, and the same Host and body lengths as the
// guard.
func FuzzScan(f *testing.F) {
	text, _ := valid()
	f.Add([]byte(text))
	f.Add([]byte("GET")) // incomplete
	f.Add([]byte("POST / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde!"))
	f.Add([]byte("POST / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: "))
	for _, attack := range framingtest.Attacks() {
		f.Add([]byte(strings.NewReplacer("{METHOD}", "POST", "{TARGET}", "/", "{HOST}", "example.com", "{FIELDS}", "",
			"{HIDDEN}", text).Replace(attack.Text)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		whole, wholeErr := read(t, bytes.NewReader(text))
		bytewise, bytewiseErr := read(t, iotest.OneByteReader(bytes.NewReader(text)))
		violated := errors.As(wholeErr, new(*framing.Violation))
		require.Equal(t, violated, errors.As(bytewiseErr, new(*framing.Violation)))
		if violated {
			return
		}
		require.NoError(t, wholeErr)
		require.Equal(t, whole, bytewise)
		requireReadable(t, whole)
	})
}

// requireReadable reads the complete requests of the passed bytes.
func requireReadable(t *testing.T, text []byte) {
	t.Helper()
	reader := bufio.NewReader(bytes.NewReader(text[:framing.Whole(text)]))
	for {
		r, err := http.ReadRequest(reader)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil { // only because of the target, which net/http parses as a URL
			require.ErrorContains(t, err, "parse ")
			return
		}
		if r.ProtoAtLeast(1, 1) && r.URL.Host == "" {
			require.NotEmpty(t, r.Host)
		}
		require.LessOrEqual(t, len(r.TransferEncoding), 1)
		_, err = io.Copy(io.Discard, r.Body)
		require.NoError(t, err)
	}
}
