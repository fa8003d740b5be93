package gateway

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// retryAfter is the number of seconds after which clients may retry.
const retryAfter = 5

// refusal is a response without a file: problem details (RFC 9457). Its code equals the API's where the API has a code
// for the case.
type refusal struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   string `json:"code"`
}

func refuse(status int, code string, detail string) *refusal {
	return &refusal{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Code: code}
}

// Error makes the refusal an error, so that the proxy passes it from one hook to another.
func (r *refusal) Error() string { return r.Code }

var (
	notFound    = refuse(http.StatusNotFound, "NOT_FOUND", "There is no file at this URL.")
	misdirected = refuse(http.StatusMisdirectedRequest, "MISDIRECTED_REQUEST",
		"The Host header names another host. Use the link unchanged.")
	methodNotAllowed = refuse(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED",
		"Use GET or HEAD to read a file, and PUT to upload one.")
	malformed = refuse(http.StatusBadRequest, "MALFORMED_REQUEST",
		"Only an upload can have a body. It needs exactly one content type.")
	linkExpired = refuse(http.StatusForbidden, "LINK_EXPIRED",
		"The link has expired. Fetch the file's record again: it has a new link.")
	linkRefused = refuse(http.StatusForbidden, "LINK_REFUSED",
		"The link does not allow this request. Use the link unchanged, with its method. An upload must have exactly the "+
			"declared content type and size.")
	lengthRequired = refuse(http.StatusLengthRequired, "LENGTH_REQUIRED", "An upload requires the Content-Length header.")
	tooLarge       = refuse(http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE", "An upload can have at most 5 GiB.")
	wrongRange     = refuse(http.StatusRequestedRangeNotSatisfiable, "RANGE_NOT_SATISFIABLE",
		"The requested range is outside the file.")
	incomplete = refuse(http.StatusBadRequest, "UPLOAD_INCOMPLETE",
		"The upload ended before all declared bytes arrived. Nothing was stored.")
	stalled = refuse(http.StatusRequestTimeout, "UPLOAD_STALLED",
		"The upload was too slow. Nothing was stored. Upload the file again.")
	unavailable = refuse(http.StatusServiceUnavailable, "UNAVAILABLE",
		"The file storage is temporarily unavailable. Try again later.")
)

// send writes the response, and marks it as the connection's last one if last is set.
func (r *refusal) send(w http.ResponseWriter, method string, last bool) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	header := w.Header()
	contentRange := header.Get("Content-Range")
	clear(header)
	header.Set("Content-Type", "application/problem+json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("Cache-Control", "no-store")
	if last {
		header.Set("Connection", "close")
	}
	switch r.Status {
	case http.StatusMethodNotAllowed:
		header.Set("Allow", allowedMethods)
	case http.StatusServiceUnavailable:
		header.Set("Retry-After", strconv.Itoa(retryAfter))
	case http.StatusRequestedRangeNotSatisfiable:
		if contentRange != "" {
			header.Set("Content-Range", contentRange)
		}
	}
	w.WriteHeader(r.Status)
	if method == http.MethodHead {
		return nil
	}
	_, err = w.Write(body)
	return err
}
