package problem

import (
	"net/http"

	"socialpub.internal/shared/kernel/apperr"
)

// MediaType is the type of every error answer.
const MediaType = "application/problem+json"

// Path is where the pages of the codes are.
const Path = "/problems/"

// Fault is one thing that is wrong with a request.
type Fault struct {
	Pointer string `json:"pointer" doc:"Where: a JSON Pointer (RFC 6901) into the body, or the name of a parameter." example:"/channelIds/0"`
	Message string `json:"message" doc:"What." example:"must be a UUID"`
}

// Reference is something that uses what was to be deleted.
type Reference struct {
	Type string `json:"type" doc:"Kind of thing." example:"post"`
	ID   string `json:"id" doc:"Its id." example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60"`
	Name string `json:"name" doc:"What people know it by." example:"Our spring collection is here."`
}

// Problem is the document of an error answer.
type Problem struct {
	Type          string      `json:"type" format:"uri" doc:"Address of a page that explains the code." example:"https://api.example.com/problems/validation-failed"`
	Title         string      `json:"title" doc:"Short name of the problem; the same for every occurrence." example:"Validation failed"`
	Status        int         `json:"status" doc:"HTTP status of the answer." example:"422"`
	Detail        string      `json:"detail" doc:"What happened in this case, for people. Do not match on it." example:"/channelIds/0 must be a UUID"`
	Instance      string      `json:"instance" doc:"Path of the request." example:"/v1/posts"`
	Code          string      `json:"code" doc:"Name of the problem, for programs. Treat unknown codes by their status." example:"VALIDATION_FAILED"`
	RequestID     string      `json:"requestId" doc:"The answer's X-Request-Id; support can find the request by it." example:"0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"`
	CurrentStatus string      `json:"currentStatus,omitempty" doc:"Conflicts of state: the status that stands in the way." example:"PUBLISHED"`
	References    []Reference `json:"references,omitempty" doc:"MEDIA_IN_USE: everything that uses the asset."`
	Errors        []Fault     `json:"errors,omitempty" doc:"VALIDATION_FAILED: every fault of the request."`

	headers http.Header
}

// Occurrence is what one request adds to a kind.
type Occurrence struct {
	BaseURL   string
	Path      string
	RequestID string
	Detail    string
	Status    int // 0: the kind's
}

// NoPage is the type of a problem of a program that does not know where the pages of the codes are (RFC 9457, section 4.2.1).
const NoPage = "about:blank"

// New makes the document of an occurrence. Without a BaseURL its type is NoPage.
func New(kind Kind, o Occurrence) *Problem {
	status := o.Status
	if status == 0 {
		status = kind.Status
	}
	page := NoPage
	if o.BaseURL != "" {
		page = o.BaseURL + Path + kind.Slug()
	}
	return &Problem{
		Type: page, Title: kind.Title, Status: status, Detail: o.Detail, Instance: o.Path,
		Code: string(kind.Code), RequestID: o.RequestID, headers: http.Header{},
	}
}

// WithFaults lists what is wrong with the request.
func (p *Problem) WithFaults(fields []apperr.Field) *Problem {
	for _, f := range fields {
		p.Errors = append(p.Errors, Fault(f))
	}
	return p
}

// SetHeader gives the answer a header.
func (p *Problem) SetHeader(name, value string) { p.headers.Set(name, value) }

// GetHeaders are the answer's headers; Huma asks for them.
func (p *Problem) GetHeaders() http.Header { return p.headers }

// GetStatus is the answer's status; Huma asks for it.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is the answer's media type; Huma asks for it.
func (*Problem) ContentType(string) string { return MediaType }

// Error is the problem in short.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }
