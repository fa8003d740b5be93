// Package problem holds the problem details of the API (RFC 9457; decisions, section 2): the table with the HTTP
// status, title and explanation of every error code, the document in the response, and the page that its type links to.
package problem

import (
	"net/http"
	"slices"
	"strings"

	"socialpub.internal/shared/kernel/apperr"
)

// Kind is a row of the table: the meaning of a code, for programs and for users.
type Kind struct {
	Code    apperr.Code
	Status  int
	Title   string
	Meaning string   // what happened, with names and values in backticks
	Remedy  []string // what to do about it, with names and values in backticks
}

// Slug returns the last path segment of the code's page.
func (k Kind) Slug() string { return slug(k.Code) }

func slug(code apperr.Code) string {
	return strings.ReplaceAll(strings.ToLower(string(code)), "_", "-")
}

// Kinds returns every code, in order of status.
func Kinds() []Kind {
	return slices.Concat(requestKinds(), accessKinds(), conflictKinds(), contentKinds(), uploadKinds(), serviceKinds())
}

// KindOf returns the row of a code. A code without a row is INTERNAL, so that nothing unexpected is exposed.
func KindOf(code apperr.Code) Kind {
	kinds := Kinds()
	if i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Code == code }); i >= 0 {
		return kinds[i]
	}
	return kinds[slices.IndexFunc(kinds, func(k Kind) bool { return k.Code == apperr.Internal })]
}

func requestKinds() []Kind {
	return []Kind{
		{
			Code: apperr.MalformedRequest, Status: http.StatusBadRequest, Title: "Malformed request",
			Meaning: "The request could not be read: it is not valid HTTP/1.1 (RFC 9112), which also closes the connection; its body is not valid JSON, has a member twice, has the character U+0000 in a string, or is missing where one is required; or a body was announced or sent where the operation takes none.",
			Remedy: []string{
				"Look at `detail`, which says what is wrong and where.",
				"Send requests with an HTTP library instead of by hand: one `Host`, and either `Content-Length` or `Transfer-Encoding: chunked`.",
				"Build JSON with a library instead of by hand, in UTF-8.",
				"Send actions without a body (unschedule, publish, request-approval, test) without `Content-Type` and without a body.",
			},
		},
		{
			Code: apperr.NotFound, Status: http.StatusNotFound, Title: "Not found",
			Meaning: "There is nothing of this id or at this address for your credential. What belongs to another workspace looks exactly the same.",
			Remedy: []string{
				"Check the id and the path; ids are UUIDs.",
				"Check with `GET /v1/workspace` that the API key belongs to the workspace you mean.",
			},
		},
		{
			Code: apperr.MethodNotAllowed, Status: http.StatusMethodNotAllowed, Title: "Method not allowed",
			Meaning: "The address exists, but not with this HTTP method.",
			Remedy:  []string{"Use one of the methods in the `Allow` header of the answer."},
		},
		{
			Code: apperr.NotAcceptable, Status: http.StatusNotAcceptable, Title: "Not acceptable",
			Meaning: "The `Accept` header excludes `application/json`, and the API answers in nothing else.",
			Remedy:  []string{"Send `Accept: application/json`, or no `Accept` header."},
		},
		{
			Code: apperr.PayloadTooLarge, Status: http.StatusRequestEntityTooLarge, Title: "Request too large",
			Meaning: "The body is larger than 1 MiB, or the request line and the headers together are larger than 8 KiB (status 431).",
			Remedy:  []string{"Send less: media is not sent inside a post, and long lists are sent in parts."},
		},
		{
			Code: apperr.UnsupportedMediaType, Status: http.StatusUnsupportedMediaType, Title: "Unsupported media type",
			Meaning: "The body is announced as something else than JSON in UTF-8, or as compressed.",
			Remedy:  []string{"Send `Content-Type: application/json`, and no `Content-Encoding`."},
		},
		{
			Code: apperr.MisdirectedRequest, Status: http.StatusMisdirectedRequest, Title: "Misdirected request",
			Meaning: "The request names a host in `Host` that is not the public address of the service. Nothing was done.",
			Remedy: []string{
				"Send the request to the public address of the service, and to no IP address.",
				"Operators: let the proxy pass `Host` on unchanged, or list the host that it sends in `ALLOWED_HOSTS`.",
			},
		},
	}
}

func accessKinds() []Kind {
	return []Kind{
		{
			Code: apperr.Unauthenticated, Status: http.StatusUnauthorized, Title: "Not authenticated",
			Meaning: "The request has no credential, or one that is unknown, expired or revoked.",
			Remedy: []string{
				"Send exactly one header `Authorization: Bearer <API key>`; a key in the address is ignored.",
				"If the key is right, look in the developer settings of the application whether it was revoked or has expired.",
			},
		},
		{
			Code: apperr.InsufficientScope, Status: http.StatusForbidden, Title: "Scope missing",
			Meaning: "The credential is valid, but was not given the permission that this needs. `detail` and the header `WWW-Authenticate` name the scope.",
			Remedy:  []string{"Create an API key that has the scope; `GET /v1/workspace` lists what the present one has."},
		},
		{
			Code: apperr.QuotaExceeded, Status: http.StatusForbidden, Title: "Quota exceeded",
			Meaning: "The workspace has as many of these as it may have, and `detail` says how many it has and how many are allowed; or its plan does not include this.",
			Remedy:  []string{"Delete what is not needed any more, or change to a larger plan."},
		},
		{
			Code: apperr.RateLimited, Status: http.StatusTooManyRequests, Title: "Too many requests",
			Meaning: "The credential has sent more requests than it may in this time. Nothing was done.",
			Remedy:  []string{"Wait as many seconds as the header `Retry-After` says, then send the request again."},
		},
	}
}
