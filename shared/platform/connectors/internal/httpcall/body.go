package httpcall

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"mime"
	"strings"
	"unicode"
)

// Body is a request body that is streamed and never held in memory. Closing the reader must unblock a pending read.
type Body struct {
	Reader      func() (io.ReadCloser, error) // called once per call, before it connects
	Size        int64                         // bytes; a body of a different length is never sent completely
	ContentType string                        // application/octet-stream if empty or invalid
}

// Multipart is a body of form fields and files (RFC 7578). It is streamed and never held in memory.
type Multipart struct {
	Fields [][2]string // names and values, in order, before the files
	Files  []Part
}

// Part is one file of a Multipart. Closing the reader that Open returns must unblock a pending read.
type Part struct {
	Field, FileName string
	ContentType     string // application/octet-stream if empty or invalid
	// Size is in bytes. A body with a file of a different length is never sent completely.
	Size int64
	Open func() (io.ReadCloser, error) // called once per call, before it connects
}

// Reasons why a request with a body cannot be built.
var (
	errTwoBodies  = errors.New("the request has more than one body")
	errNoOpener   = errors.New("a file of the request cannot be opened")
	errNegative   = errors.New("a file of the request has no size")
	errEmptyField = errors.New("a field of the request has no name")
)

// unopened is a body of known length whose files are not open yet.
type unopened struct {
	contentType string
	sources     []source
}

// source is a segment of a body: bytes in memory, or a file.
type source struct {
	open func() (io.ReadCloser, error)
	size int64
}

func text(s string) source {
	return source{size: int64(len(s)), open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader([]byte(s))), nil
	}}
}

// streamed returns the request's streamed body. It has no sources if the request has none.
func (r Request) streamed() (body unopened, err error) {
	bodies := 0
	for _, given := range []bool{r.JSON != nil, r.Form != nil, r.Multipart != nil, r.Body != nil} {
		if given {
			bodies++
		}
	}
	switch {
	case bodies > 1:
		return unopened{}, errTwoBodies
	case r.Body != nil:
		body = unopened{mediaType(r.Body.ContentType), []source{{r.Body.Reader, r.Body.Size}}}
	case r.Multipart != nil:
		if body, err = r.Multipart.lay(rand.Text()); err != nil {
			return unopened{}, err
		}
	}
	for _, part := range body.sources {
		if part.open == nil {
			return unopened{}, errNoOpener
		}
		if part.size < 0 {
			return unopened{}, errNegative
		}
	}
	return body, nil
}

// lay builds the form. The boundary has 130 random bits, so that no file contains it.
func (m Multipart) lay(boundary string) (unopened, error) {
	var head strings.Builder
	var sources []source
	begin := "--" + boundary + "\r\nContent-Disposition: form-data; name=\""
	for _, field := range m.Fields {
		if field[0] == "" {
			return unopened{}, errEmptyField
		}
		head.WriteString(begin + parameter(field[0]) + "\"\r\n\r\n" + field[1] + "\r\n")
	}
	for _, file := range m.Files {
		if file.Field == "" {
			return unopened{}, errEmptyField
		}
		head.WriteString(begin + parameter(file.Field) + "\"; filename=\"" + parameter(file.FileName) + "\"\r\n")
		head.WriteString("Content-Type: " + mediaType(file.ContentType) + "\r\n\r\n")
		sources = append(sources, text(head.String()), source{file.Open, file.Size})
		head.Reset()
		head.WriteString("\r\n")
	}
	head.WriteString("--" + boundary + "--\r\n")
	sources = append(sources, text(head.String()))
	return unopened{"multipart/form-data; boundary=" + boundary, sources}, nil
}

// parameter escapes text for a quoted header parameter. Quotes and line breaks are escaped as in browsers (WHATWG HTML,
// Multipart form data). Backslashes are escaped too, because readers differ on whether they are escapes.
func parameter(text string) string {
	var safe strings.Builder
	for _, r := range strings.ToValidUTF8(text, "_") {
		switch {
		case r == '"':
			safe.WriteString("%22")
		case r == '\\':
			safe.WriteString("%5C")
		case r == '\r':
			safe.WriteString("%0D")
		case r == '\n':
			safe.WriteString("%0A")
		case unicode.IsControl(r), unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp):
			safe.WriteByte('_')
		default:
			safe.WriteRune(r)
		}
	}
	return safe.String()
}

// mediaType returns the media type in canonical form, or application/octet-stream if it is invalid.
func mediaType(text string) string {
	kind, parameters, err := mime.ParseMediaType(text)
	if err == nil && strings.Contains(kind, "/") {
		if formatted := mime.FormatMediaType(kind, parameters); formatted != "" {
			return formatted
		}
	}
	return "application/octet-stream"
}
