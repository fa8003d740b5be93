package problem

import (
	"cmp"
	"net/http"

	"fencepost.internal/shared/kernel/apperr"
)

// MediaType is the media type of every error response.
const MediaType = "application/problem+json"

// Path is the path prefix of the pages of the codes.
const Path = "/problems/"

// Fault is one error in a request.
type Fault struct {
	Pointer string `json:"pointer" doc:"Location of the fault: a JSON Pointer (RFC 6901) into the body, or the name of a parameter." example:"/channelIds/0"`
	Message string `json:"message" doc:"Explanation of the fault." example:"must be a UUID"`
}

// Reference is a resource that prevents a deletion because it uses the asset.
type Reference struct {
	Type string `json:"type" doc:"Type of the resource: POST, SERIES, EVERGREEN, LINK_PAGE, IDEA_CARD, CHANNEL_AVATAR, WORKSPACE_LOGO, BRAND_LOGO, BRAND_PERSONA_PHOTO or BRAND_STYLE_REFERENCE. Tolerate new values." example:"POST"`
	ID   string `json:"id" doc:"ID of the resource." example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60"`
	Name string `json:"name" doc:"Name of the resource." example:"Our spring collection is here."`
}

// Problem is the body of an error response.
type Problem struct {
	Type          string      `json:"type" format:"uri" doc:"URL of a page that explains the code." example:"https://api.example.com/problems/validation-failed"`
	Title         string      `json:"title" doc:"Short name of the problem, the same for every occurrence." example:"Validation failed"`
	Status        int         `json:"status" doc:"HTTP status of the response." example:"422"`
	Detail        string      `json:"detail" doc:"Explanation of this occurrence. Do not parse it." example:"/channelIds/0 must be a UUID"`
	Instance      string      `json:"instance" doc:"Path of the request." example:"/v1/posts"`
	Code          string      `json:"code" doc:"Code of the problem. Treat unknown codes by their status." example:"VALIDATION_FAILED"`
	RequestID     string      `json:"requestId" doc:"X-Request-Id of the response, for support." example:"0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"`
	CurrentStatus string      `json:"currentStatus,omitempty" doc:"INVALID_STATE: the current status of the resource." example:"PUBLISHED"`
	References    []Reference `json:"references,omitempty" doc:"MEDIA_IN_USE: the uses of the asset."`
	PostID        string      `json:"postId,omitempty" doc:"EXTERNAL_ID_IN_USE: ID of the post that has the external ID." example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60"`
	Errors        []Fault     `json:"errors,omitempty" doc:"VALIDATION_FAILED: every fault of the request."`

	headers http.Header
}

// Occurrence holds the details of one request.
type Occurrence struct {
	BaseURL   string
	Path      string
	RequestID string
	Detail    string
	Status    int // zero means the kind's status
}

// NoPage is the problem type in a program that does not know the address of the pages (RFC 9457, section 4.2.1).
const NoPage = "about:blank"

// New returns the problem of an occurrence. Without a BaseURL its type is NoPage.
func New(kind Kind, o Occurrence) *Problem {
	status := o.Status
	status = cmp.Or(status, kind.Status)
	page := NoPage
	if o.BaseURL != "" {
		page = o.BaseURL + Path + kind.Slug()
	}
	return &Problem{
		Type: page, Title: kind.Title, Status: status, Detail: o.Detail, Instance: o.Path,
		Code: string(kind.Code), RequestID: o.RequestID, headers: http.Header{},
	}
}

// WithFaults adds the errors in the request.
func (p *Problem) WithFaults(fields []apperr.Field) *Problem {
	for _, f := range fields {
		p.Errors = append(p.Errors, Fault(f))
	}
	return p
}

// SetHeader sets a header of the response.
func (p *Problem) SetHeader(name, value string) { p.headers.Set(name, value) }

// GetHeaders returns the headers of the response, for Huma.
func (p *Problem) GetHeaders() http.Header { return p.headers }

// GetStatus returns the status of the response, for Huma.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType returns the media type of the response, for Huma.
func (*Problem) ContentType(string) string { return MediaType }

// Error returns the code and the detail.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }
