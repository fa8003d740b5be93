package httpcall_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

func TestText(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"":                               "",
		" Acme & Söhne <b> ":             "Acme & Söhne <b>",
		"one\r\ntwo\x00three":            "one  two three",
		"\u202egnp.exe\u202c\u2028":      "gnp.exe",
		"👩\u200d🍳 早":                     "👩\u200d🍳 早",
		"123456789012345678 0":           "123456789012345678 0",
		"123456789012345678 01":          "123456789012345678 0",
		"1234567890123456789 1":          "1234567890123456789",
		strings.Repeat("早", 1<<20):       strings.Repeat("早", 20),
		strings.Repeat("\n", 1000) + "a": "a",
	} {
		require.Equal(t, want, httpcall.Text(text, 20))
	}
}

func TestToken(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]bool{
		"act.example!4508.u1~_-+/=": true,
		strings.Repeat("a", 4096):   true,
		strings.Repeat("a", 4097):   false,
		"":                          false,
		"a b":                       false,
		"a\r\nX: y":                 false,
		"a\x7f":                     false,
		"tökén":                     false,
	} {
		require.Equal(t, want, httpcall.Token(text), text)
	}
}

func TestPathSlash(t *testing.T) {
	t.Parallel()

	paths := make(chan string, 2)
	b := setup(t, func(_ http.ResponseWriter, r *http.Request) { paths <- r.URL.EscapedPath() })
	for _, slash := range []bool{false, true} {
		_, err := b.client(t).Call(t.Context(), httpcall.Request{Path: []string{"v2", "a/b"}, PathSlash: slash})
		require.NoError(t, err)
	}
	require.Equal(t, "/v2/a%2Fb", <-paths)
	require.Equal(t, "/v2/a%2Fb/", <-paths)
}
