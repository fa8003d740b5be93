package tools

import (
	"bytes"
	"context"
	"math"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
)

// Refusal is the result of a failed call: the error, its location, and the next step.
type Refusal struct {
	Code          string              `json:"code"`
	Title         string              `json:"title"`
	Detail        string              `json:"detail"`
	Errors        []problem.Fault     `json:"errors,omitempty"` // pointers into the arguments
	CurrentStatus string              `json:"currentStatus,omitempty"`
	References    []problem.Reference `json:"references,omitempty"`
	PostID        string              `json:"postId,omitempty"`
	Scopes        []credential.Scope  `json:"requiredScopes,omitempty"`
	RetryAfter    int                 `json:"retryAfterSeconds,omitzero"`
	Next          string              `json:"next"`
	Type          string              `json:"type"`
	RequestID     string              `json:"requestId,omitempty"`
}

// insufficient returns the error of a call that needs more scopes.
func insufficient(needed []credential.Scope) error {
	names := make([]string, len(needed))
	for i, scope := range needed {
		names[i] = string(scope)
	}
	return &apperr.Error{
		Code: apperr.InsufficientScope, Scope: strings.Join(names, " "),
		Message: "This needs the scopes " + strings.Join(names, " and ") + ", which the credential does not have.",
	}
}

// refuse returns the result of a failed call.
func (t *Tools) refuse(ctx context.Context, name string, err error) (*mcp.CallToolResult, Outcome) {
	r, code := t.refusal(ctx, name, err)
	return refusalResult(r), Outcome(code)
}

// refusal returns the refusal of a call, or of one of its items.
func (t *Tools) refusal(ctx context.Context, name string, err error) (Refusal, apperr.Code) {
	failure := problem.Failure(err, "call")
	kind, known := t.kinds[failure.Code]
	if !known {
		kind = t.kinds[apperr.Internal]
	}
	if kind.Code == apperr.Internal || kind.Code == apperr.Unavailable {
		t.cfg.Fail(ctx, name, err)
	}
	caller, _ := callerOf(ctx)
	r := Refusal{
		Code: string(kind.Code), Title: kind.Title, Detail: failure.Message, CurrentStatus: failure.CurrentStatus,
		RetryAfter: int(math.Ceil(failure.RetryAfter.Seconds())), Next: t.next(kind.Code, failure),
		PostID:    failure.PostID,
		Type:      t.cfg.BaseURL + problem.Path + kind.Slug(),
		RequestID: caller.RequestID,
	}
	if kind.Code == apperr.Internal {
		r.Detail = "The service has an internal error."
	}
	for _, f := range failure.Fields {
		r.Errors = append(r.Errors, problem.Fault(f))
	}
	for _, used := range failure.References {
		r.References = append(r.References, problem.Reference(used))
	}
	for _, scope := range strings.Fields(failure.Scope) {
		r.Scopes = append(r.Scopes, credential.Scope(scope))
	}
	return r, kind.Code
}

// refusalResult returns the refusal as text only. Structured data would have to match the tool's output schema, which
// some clients check even for errors.
func refusalResult(r Refusal) *mcp.CallToolResult {
	var raw bytes.Buffer
	if err := apiforms.Encode(&raw, r); err != nil {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: r.Code + ": " + r.Detail}}}
	}
	text, err := cleaned(raw.Bytes())
	if err != nil {
		text = raw.Bytes()
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
}
