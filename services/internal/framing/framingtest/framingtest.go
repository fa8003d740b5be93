// Package framingtest attacks a program with requests whose framing breaks RFC 9112, and with those for another host.
package framingtest

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Target is a program under attack. Its requests succeed unless they are malformed.
type Target struct {
	Address string // host:port
	// Host is the Host header; empty means Address.
	Host string
	// Fields are header lines that every request has, each with CRLF: a valid credential, for example.
	Fields string
	// Get and Post are existing request targets; an empty Post means Get.
	Get, Post string
	// ReadsFirst is set for a server that reads the body before it calls a handler: it refuses a malformed body
	// whatever the handler does.
	ReadsFirst bool
	// GetOnly is set for a server that refuses POST before it reads the body.
	GetOnly bool
}

// Attack is a malformed request. In its text, {METHOD}, {TARGET}, {HOST} and {FIELDS} are replaced by those of the
// target, and {HIDDEN} by a valid request that must not receive a response.
type Attack struct {
	Name   string
	Text   string
	Status int // zero means 400
	// InBody is set when the head is valid: a handler may respond before the body is read.
	InBody bool
}

const head = "{METHOD} {TARGET} HTTP/1.1\r\nHost: {HOST}\r\n{FIELDS}"

// Attacks returns every attack.
func Attacks() []Attack {
	var all []Attack
	for _, group := range [][]Attack{lengths(), codings(), hosts(), fields(), requestLines(), chunks()} {
		all = append(all, group...)
	}
	return all
}

func lengths() []Attack {
	return []Attack{
		{Name: "two different lengths", Text: head + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n{HIDDEN}"},
		{Name: "two equal lengths", Text: head + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n{HIDDEN}"},
		{Name: "list of lengths", Text: head + "Content-Length: 0, 0\r\n\r\n{HIDDEN}"},
		{Name: "length with a plus sign", Text: head + "Content-Length: +0\r\n\r\n{HIDDEN}"},
		{Name: "negative length", Text: head + "Content-Length: -1\r\n\r\n{HIDDEN}"},
		{Name: "hexadecimal length", Text: head + "Content-Length: 0x0\r\n\r\n{HIDDEN}"},
		{Name: "empty length", Text: head + "Content-Length:\r\n\r\n{HIDDEN}"},
		{Name: "length in words", Text: head + "Content-Length: two\r\n\r\n{}"},
		{Name: "length beyond 64 bits", Text: head + "Content-Length: 18446744073709551616\r\n\r\n{HIDDEN}"},
		{Name: "length with a space inside", Text: head + "Content-Length: 0 0\r\n\r\n{HIDDEN}"},
	}
}

func codings() []Attack {
	const empty = "0\r\n\r\n{HIDDEN}"
	return []Attack{
		{Name: "length and chunks", Text: head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + empty},
		{Name: "chunks and length", Text: head + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + empty},
		{
			Name: "space before the colon of the coding",
			Text: head + "Content-Length: 5\r\nTransfer-Encoding : chunked\r\n\r\n" + empty,
		},
		{
			Name: "tab before the colon of the coding",
			Text: head + "Content-Length: 5\r\nTransfer-Encoding\t: chunked\r\n\r\n" + empty,
		},
		{Name: "space before the colon of the coding alone", Text: head + "Transfer-Encoding : chunked\r\n\r\n" + empty},
		{Name: "chunked then identity", Text: head + "Transfer-Encoding: chunked, identity\r\n\r\n" + empty},
		{
			Name: "chunked then identity on two lines",
			Text: head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + empty,
		},
		{Name: "identity", Text: head + "Transfer-Encoding: identity\r\n\r\n{HIDDEN}"},
		{Name: "identity and length", Text: head + "Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n{HIDDEN}"},
		{Name: "chunked twice", Text: head + "Transfer-Encoding: chunked, chunked\r\n\r\n" + empty},
		{Name: "chunked with a parameter", Text: head + "Transfer-Encoding: chunked;x=y\r\n\r\n" + empty},
		{Name: "empty coding", Text: head + "Transfer-Encoding:\r\n\r\n" + empty},
		{Name: "empty member of the codings", Text: head + "Transfer-Encoding: ,chunked\r\n\r\n" + empty},
		{Name: "quoted coding", Text: head + "Transfer-Encoding: \"chunked\"\r\n\r\n" + empty},
		{Name: "vertical tab before the coding", Text: head + "Transfer-Encoding: \vchunked\r\n\r\n" + empty},
		{Name: "gzip last", Text: head + "Transfer-Encoding: chunked, gzip\r\n\r\n" + empty},
		{
			Name: "unknown coding before chunked", Text: head + "Transfer-Encoding: gzip, chunked\r\n\r\n" + empty,
			Status: http.StatusNotImplemented,
		},
		{
			Name: "chunks in HTTP/1.0",
			Text: "{METHOD} {TARGET} HTTP/1.0\r\nHost: {HOST}\r\n{FIELDS}Connection: keep-alive\r\nTransfer-Encoding: " +
				"chunked\r\n\r\n" + empty,
		},
	}
}

func hosts() []Attack {
	const line = "{METHOD} {TARGET} HTTP/1.1\r\n{FIELDS}Content-Length: 0\r\n"
	return []Attack{
		{Name: "no host", Text: line + "\r\n{HIDDEN}"},
		{Name: "two hosts", Text: line + "Host: {HOST}\r\nHost: other.example\r\n\r\n{HIDDEN}"},
		{Name: "one host twice", Text: line + "Host: {HOST}\r\nHost: {HOST}\r\n\r\n{HIDDEN}"},
		{Name: "empty host", Text: line + "Host:\r\n\r\n{HIDDEN}"},
		{Name: "list of hosts", Text: line + "Host: {HOST}, other.example\r\n\r\n{HIDDEN}"},
		{Name: "host with a path", Text: line + "Host: {HOST}/x\r\n\r\n{HIDDEN}"},
		{Name: "host with user information", Text: line + "Host: user@{HOST}\r\n\r\n{HIDDEN}"},
		{Name: "host with a port in words", Text: line + "Host: example:port\r\n\r\n{HIDDEN}"},
		{Name: "host with two ports", Text: line + "Host: example:80:80\r\n\r\n{HIDDEN}"},
		{Name: "host with an open bracket", Text: line + "Host: [::1\r\n\r\n{HIDDEN}"},
		{
			Name: "target of another host",
			Text: "{METHOD} http://other.example{TARGET} HTTP/1.1\r\nHost: {HOST}\r\n{FIELDS}Content-Length: 0\r\n\r\n{HIDDEN}",
		},
		{
			Name: "target with user information",
			Text: "{METHOD} http://user@{HOST}{TARGET} HTTP/1.1\r\nHost: {HOST}\r\n{FIELDS}Content-Length: 0\r\n\r\n{HIDDEN}",
		},
	}
}

func fields() []Attack {
	const end = "Content-Length: 0\r\n\r\n{HIDDEN}"
	return []Attack{
		{Name: "field name with a space", Text: head + "X Name: x\r\n" + end},
		{Name: "field name with a control character", Text: head + "X\x01Name: x\r\n" + end},
		{Name: "field name beyond ASCII", Text: head + "X-N\xc3\xa4me: x\r\n" + end},
		{Name: "field name with a parenthesis", Text: head + "X(Name): x\r\n" + end},
		{Name: "empty field name", Text: head + ": x\r\n" + end},
		{Name: "line without a colon", Text: head + "X-Name\r\n" + end},
		{Name: "folded line", Text: head + "X-Name: x\r\n folded\r\n" + end},
		{Name: "folded coding", Text: head + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n{HIDDEN}"},
		{Name: "tab before a field", Text: head + "\tX-Name: x\r\n" + end},
		{
			Name: "space before the first field",
			Text: "{METHOD} {TARGET} HTTP/1.1\r\n X-Name: x\r\nHost: {HOST}\r\n{FIELDS}" + end,
		},
		{Name: "NUL in a value", Text: head + "X-Name: a\x00b\r\n" + end},
		{Name: "NUL in a name", Text: head + "X-\x00Name: x\r\n" + end},
		{Name: "CR in a value", Text: head + "X-Name: a\rX-Other: b\r\n" + end},
		{Name: "LF ends a field", Text: head + "X-Name: x\n" + end},
		{Name: "LF ends the header", Text: head + "Content-Length: 0\r\n\n{HIDDEN}"},
		{Name: "DEL in a value", Text: head + "X-Name: a\x7fb\r\n" + end},
	}
}

func requestLines() []Attack {
	const end = "\r\nHost: {HOST}\r\n{FIELDS}Content-Length: 0\r\n\r\n{HIDDEN}"
	return []Attack{
		{Name: "no request", Text: "nonsense\r\n\r\n{HIDDEN}"},
		{Name: "no version", Text: "{METHOD} {TARGET}" + end},
		{Name: "version in lower case", Text: "{METHOD} {TARGET} http/1.1" + end},
		{Name: "version with a space behind it", Text: "{METHOD} {TARGET} HTTP/1.1 " + end},
		{Name: "version with three parts", Text: "{METHOD} {TARGET} HTTP/1.1.1" + end},
		{Name: "version 2", Text: "{METHOD} {TARGET} HTTP/2.0" + end, Status: http.StatusHTTPVersionNotSupported},
		{Name: "two spaces", Text: "{METHOD}  {TARGET} HTTP/1.1" + end},
		{Name: "tab instead of a space", Text: "{METHOD}\t{TARGET} HTTP/1.1" + end},
		{Name: "space in the target", Text: "{METHOD} {TARGET} x HTTP/1.1" + end},
		{Name: "NUL in the target", Text: "{METHOD} {TARGET}\x00 HTTP/1.1" + end},
		{Name: "CR in the target", Text: "{METHOD} {TARGET}\r HTTP/1.1" + end},
		{
			Name: "LF ends the request line",
			Text: "{METHOD} {TARGET} HTTP/1.1\nHost: {HOST}\r\n{FIELDS}Content-Length: 0\r\n\r\n{HIDDEN}",
		},
		{Name: "method that is no token", Text: "{METHOD}() {TARGET} HTTP/1.1" + end},
		{Name: "space before the method", Text: " {METHOD} {TARGET} HTTP/1.1" + end},
		{Name: "target without a slash", Text: "{METHOD} x HTTP/1.1" + end},
		{Name: "target of another scheme", Text: "{METHOD} ftp://{HOST}{TARGET} HTTP/1.1" + end},
	}
}

func chunks() []Attack {
	const chunked = head + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
	return []Attack{
		{Name: "chunk size in words", Text: chunked + "zz\r\n{}\r\n0\r\n\r\n{HIDDEN}", InBody: true},
		{Name: "chunk size with a sign", Text: chunked + "+2\r\n{}\r\n0\r\n\r\n{HIDDEN}", InBody: true},
		{Name: "chunk size with a prefix", Text: chunked + "0x2\r\n{}\r\n0\r\n\r\n{HIDDEN}", InBody: true},
		{Name: "chunk size beyond 64 bits", Text: chunked + "10000000000000002\r\n{}\r\n0\r\n\r\n{HIDDEN}", InBody: true},
		{Name: "LF ends the chunk size", Text: chunked + "2\n{}\r\n0\r\n\r\n{HIDDEN}", InBody: true},
		{Name: "chunk longer than its size", Text: chunked + "2\r\n{} \r\n0\r\n\r\n{HIDDEN}", InBody: true},
		{Name: "trailer with a space in its name", Text: chunked + "2\r\n{}\r\n0\r\nX Name: x\r\n\r\n{HIDDEN}", InBody: true},
		{Name: "length in the trailers", Text: chunked + "2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n{HIDDEN}", InBody: true},
	}
}

// Run attacks the target with GET and with POST, alone and after a valid request on the same connection. Each attack
// must receive one refusal, as problem details with Connection: close, and nothing more. The server must then close the
// connection.
func Run(t *testing.T, target Target) {
	t.Helper()
	target.Host = orElse(target.Host, target.Address)
	target.Post = orElse(target.Post, target.Get)
	served := target.responses(t, target.valid("")+target.valid("Connection: close\r\n"))
	require.Len(t, served, 2, "the connection is kept after a valid request")
	for _, r := range served {
		require.Equal(t, http.StatusOK, r.status, r.body)
	}
	for _, attack := range Attacks() {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			t.Run(method+" "+attack.Name, func(t *testing.T) {
				t.Parallel()
				text := target.fill(attack.Text, method)
				target.requireRefused(t, attack, target.responses(t, text))
				behind := target.responses(t, target.valid("")+text)
				require.Equal(t, http.StatusOK, behind[0].status)
				target.requireRefused(t, attack, behind[1:])
			})
		}
	}
}

func (target Target) requireRefused(t *testing.T, attack Attack, responses []response) {
	t.Helper()
	require.Len(t, responses, 1, "the hidden request receives no response")
	r := responses[0]
	if attack.InBody && (!target.ReadsFirst || target.GetOnly) {
		return
	}
	status := attack.Status
	status = cmp.Or(status, http.StatusBadRequest)
	require.Equal(t, status, r.status, r.body)
	require.True(t, r.closes, "Connection: close")
	require.Equal(t, "application/problem+json", r.header.Get("Content-Type"))
	require.NotEmpty(t, r.header.Get("X-Request-Id"))
	var document struct {
		Status       int
		Code, Detail string
	}
	require.NoError(t, json.Unmarshal([]byte(r.body), &document))
	require.Equal(t, status, document.Status)
	require.Equal(t, "MALFORMED_REQUEST", document.Code)
	require.NotEmpty(t, document.Detail)
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// valid returns a valid request with additional header fields.
func (target Target) valid(fields string) string {
	return "GET " + target.Get + " HTTP/1.1\r\nHost: " + target.Host + "\r\n" + target.Fields + fields + "\r\n"
}

func (target Target) fill(text, method string) string {
	path := target.Get
	if method == http.MethodPost {
		path = target.Post
	}
	return strings.NewReplacer(
		"{METHOD}", method, "{TARGET}", path, "{HOST}", target.Host, "{FIELDS}", target.Fields, "{HIDDEN}", target.valid(""),
	).Replace(text)
}

type response struct {
	status int
	header http.Header
	closes bool
	body   string
}

// responses sends the text and returns every response until the program closes the connection. It does not close the
// connection first.
func (target Target) responses(t *testing.T, text string) []response {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", target.Address)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	const timeout = 10 * time.Second
	require.NoError(t, conn.SetDeadline(time.Now().Add(timeout)))
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	reader := bufio.NewReader(conn)
	var all []response
	for {
		if _, err := reader.Peek(1); err != nil {
			require.ErrorIs(t, err, io.EOF, "the program closes the connection")
			return all
		}
		all = append(all, next(t, reader))
	}
}

func next(t *testing.T, reader *bufio.Reader) response {
	t.Helper()
	res, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return response{status: res.StatusCode, header: res.Header, closes: res.Close, body: string(body)}
}
