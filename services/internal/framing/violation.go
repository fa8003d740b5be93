package framing

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"fencepost.internal/services/internal/gate"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/kernel/apperr"
)

// Violation is a rule of RFC 9112 that a request breaks. Its texts contain no part of the request.
type Violation struct {
	Status int
	Reason string // label of the metric
	Detail string // cause and remedy, for the client
}

// Error returns the reason.
func (v *Violation) Error() string { return "framing: " + v.Reason }

func violation(status int, reason, detail string) *Violation {
	return &Violation{Status: status, Reason: reason, Detail: detail}
}

var (
	badLineEnd = violation(http.StatusBadRequest, "line_end",
		"A line of the request ends with LF instead of CRLF. End each line with CRLF.")
	badLineLength = violation(http.StatusRequestHeaderFieldsTooLarge, "line_length",
		"A line of the request is too long. Send a shorter request line and shorter header fields.")
	badRequestLine = violation(http.StatusBadRequest, "request_line",
		"The request line is not valid. Send a method, a target and HTTP/1.1, with one space between them and no control "+
			"characters.")
	badVersion = violation(http.StatusHTTPVersionNotSupported, "version",
		"The version of HTTP is not supported. Send HTTP/1.1.")
	badFold = violation(http.StatusBadRequest, "folded_line",
		"A header line begins with whitespace. Send each header field on one line.")
	badFieldName = violation(http.StatusBadRequest, "field_name",
		"The name of a header field is not valid. Send a name without spaces, directly followed by a colon.")
	badFieldValue = violation(http.StatusBadRequest, "field_value",
		"The value of a header field contains a control character. Remove it.")
	badHost = violation(http.StatusBadRequest, "host",
		"The header Host is missing, repeated or not valid. Send it once, with the host of the request's URL.")
	badLength = violation(http.StatusBadRequest, "content_length",
		"The header Content-Length is not valid. Send it once, as decimal digits.")
	badCoding = violation(http.StatusBadRequest, "transfer_encoding",
		"The header Transfer-Encoding is not valid. Send it once, with the value chunked, in HTTP/1.1.")
	unknownCoding = violation(http.StatusNotImplemented, "unknown_transfer_coding",
		"The header Transfer-Encoding names a coding that is not supported. Send it once, with the value chunked.")
	badBodyFraming = violation(http.StatusBadRequest, "length_and_chunks",
		"The request has Content-Length and Transfer-Encoding. Send one of them.")
	badChunk = violation(http.StatusBadRequest, "chunk",
		"The chunked body is not valid. Send the size of each chunk in hexadecimal digits, and CRLF after the size and "+
			"after the chunk.")
	badTrailer = violation(http.StatusBadRequest, "trailer",
		"A trailer contains Host, Content-Length or Transfer-Encoding. Send these fields in the header.")
)

// violations returns every violation.
func violations() []*Violation {
	return []*Violation{
		badLineEnd, badLineLength, badRequestLine, badVersion, badFold, badFieldName, badFieldValue, badHost, badLength,
		badCoding, unknownCoding, badBodyFraming, badChunk, badTrailer,
	}
}

// Problem returns the problem details of the violation.
func (v *Violation) Problem(baseURL, requestID string) *problem.Problem {
	return problem.New(problem.KindOf(apperr.MalformedRequest), problem.Occurrence{
		BaseURL: baseURL, RequestID: requestID, Detail: v.Detail, Status: v.Status,
	})
}

// response returns the whole response to the violation.
func (g *Guard) response(v *Violation) ([]byte, error) {
	id := gate.RequestID("")
	body, err := json.Marshal(v.Problem(g.config.BaseURL, id))
	if err != nil {
		return nil, fmt.Errorf("framing: %w", err)
	}
	head := "HTTP/1.1 " + strconv.Itoa(v.Status) + " " + http.StatusText(v.Status) +
		"\r\nDate: " + g.config.Clock.Now().UTC().Format(http.TimeFormat) +
		"\r\nContent-Type: " + problem.MediaType +
		"\r\nContent-Length: " + strconv.Itoa(len(body)) +
		"\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n" + gate.HeaderRequestID + ": " + id +
		"\r\nConnection: close\r\n\r\n"
	return append([]byte(head), body...), nil
}
