package tools

import (
	"bytes"
	"context"
	"math"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/services/internal/problem"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/kernel/apperr"
)

// Refusal is what an agent is told when a tool did not do what was asked: what is wrong, where, and what to do next.
type Refusal struct {
	Code          string              `json:"code"`
	Title         string              `json:"title"`
	Detail        string              `json:"detail"`
	Errors        []problem.Fault     `json:"errors,omitempty"` // pointers into the arguments
	CurrentStatus string              `json:"currentStatus,omitempty"`
	References    []problem.Reference `json:"references,omitempty"`
	Scopes        []credential.Scope  `json:"requiredScopes,omitempty"`
	RetryAfter    int                 `json:"retryAfterSeconds,omitzero"`
	Next          string              `json:"next"`
	Type          string              `json:"type"`
	RequestID     string              `json:"requestId,omitempty"`
}

// insufficient is the refusal of a call that needs more scopes.
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

// refuse makes the result of a call that failed.
func (t *Tools) refuse(ctx context.Context, name string, err error) (*mcp.CallToolResult, Outcome) {
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
		RetryAfter: int(math.Ceil(failure.RetryAfter.Seconds())), Next: t.next(kind.Code, failure), Type: t.cfg.BaseURL + problem.Path + kind.Slug(),
		RequestID: caller.RequestID,
	}
	if kind.Code == apperr.Internal {
		r.Detail = "Something went wrong inside the service."
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
	return refusalResult(r), Outcome(kind.Code)
}

// refusalResult is the refusal as text alone: data of a result have the shape that the tool has published, also for clients that
// check it when there is none.
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
