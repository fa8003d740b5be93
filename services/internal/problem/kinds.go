// Package problem holds the problem details of the API (RFC 9457; docs/contract.md, Errors): the table with the HTTP
// status, title and explanation of every error code, the document in the response, and the path of the page that its type links to.
// It also words the refusal of an unknown name, with the known name that was probably meant.
package problem

import (
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/shared/kernel/apperr"
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
	return slices.Concat(requestKinds(), accessKinds(), stateKinds(), conflictKinds(), contentKinds(), uploadKinds(), serviceKinds())
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
			Meaning: "The request cannot be read. It is not valid HTTP/1.1 (RFC 9112), which also closes the connection; its " +
				"body is not valid JSON, has a duplicate field, or has the character U+0000 in a string; a required body is " +
				"missing; or the operation takes no body and the request has one.",
			Remedy: []string{
				"Read `detail` for the cause and its location.",
				"Send requests with an HTTP library: one `Host`, and either `Content-Length` or `Transfer-Encoding: chunked`.",
				"Encode JSON with a library, in UTF-8.",
				"Send actions without a body (unschedule, publish, request-approval, test) without `Content-Type` and without " +
					"a body.",
			},
		},
		{
			Code: apperr.NotFound, Status: http.StatusNotFound, Title: "Not found",
			Meaning: "No resource with this ID or at this URL is visible to the credential. Resources of other workspaces " +
				"are not visible.",
			Remedy: []string{
				"Check the ID and the path; IDs are UUIDs.",
				"Check with `GET /v1/workspace` that the API key belongs to the right workspace.",
			},
		},
		{
			Code: apperr.MethodNotAllowed, Status: http.StatusMethodNotAllowed, Title: "Method not allowed",
			Meaning: "The URL exists, but does not support this HTTP method.",
			Remedy:  []string{"Use one of the methods in the `Allow` header of the response."},
		},
		{
			Code: apperr.NotAcceptable, Status: http.StatusNotAcceptable, Title: "Not acceptable",
			Meaning: "The `Accept` header excludes `application/json`, the only type of responses.",
			Remedy:  []string{"Send `Accept: application/json`, or no `Accept` header."},
		},
		{
			Code: apperr.PayloadTooLarge, Status: http.StatusRequestEntityTooLarge, Title: "Request too large",
			Meaning: "The body is larger than 1 MiB, or the request line and the headers together are larger than 8 KiB " +
				"(status 431).",
			Remedy: []string{"Send a smaller request: upload media separately, and split long lists."},
		},
		{
			Code: apperr.UnsupportedMediaType, Status: http.StatusUnsupportedMediaType, Title: "Unsupported media type",
			Meaning: "The `Content-Type` is not JSON in UTF-8, or the body is compressed.",
			Remedy:  []string{"Send `Content-Type: application/json`, and no `Content-Encoding`."},
		},
		{
			Code: apperr.MisdirectedRequest, Status: http.StatusMisdirectedRequest, Title: "Misdirected request",
			Meaning: "The host in `Host` is not the public host of the service. Nothing was changed.",
			Remedy: []string{
				"Send the request to the public URL of the service, not to an IP address.",
				"Operators: configure the proxy to pass `Host` unchanged, or add the host to `ALLOWED_HOSTS`.",
			},
		},
	}
}

func accessKinds() []Kind {
	return []Kind{
		{
			Code: apperr.Unauthenticated, Status: http.StatusUnauthorized, Title: "Not authenticated",
			Meaning: "The request has no credential, or the credential is unknown, expired or revoked.",
			Remedy: []string{
				"Send exactly one header `Authorization: Bearer <API key>`; a key in the URL is ignored.",
				"Check in the developer settings of the application whether the key is revoked or expired.",
			},
		},
		{
			Code: apperr.InsufficientScope, Status: http.StatusForbidden, Title: "Scope missing",
			Meaning: "The credential is valid but lacks a required scope. `detail` and the header `WWW-Authenticate` name " +
				"the scope.",
			Remedy: []string{"Create an API key with the scope; `GET /v1/workspace` lists the scopes of the current key."},
		},
		{
			Code: apperr.QuotaExceeded, Status: http.StatusForbidden, Title: "Quota exceeded",
			Meaning: "The workspace has reached a limit of its plan, or the plan does not include the feature. `detail` " +
				"contains the usage and the limit.",
			Remedy: []string{"Delete resources that are no longer needed, or change to a larger plan."},
		},
		{
			Code: apperr.RateLimited, Status: http.StatusTooManyRequests, Title: "Too many requests",
			Meaning: "The credential has exceeded its rate limit. Nothing was changed.",
			Remedy:  []string{"Wait the number of seconds in the header `Retry-After`, then send the request again."},
		},
	}
}
