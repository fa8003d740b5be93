// Package tools implements the tools for AI agents (docs/contract.md, Tools). Each has a name, an input schema, an
// outline of its output, accurate hints, and required scopes. A tool calls the use cases in this process; credentials
// never leave this program.
package tools

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/cursor"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
)

// Config holds the dependencies of the tools. All fields are required.
type Config struct {
	App *app.App
	// PagesURL is the prefix of the addresses of link pages.
	PagesURL string
	// BaseURL is the API's address, which has the pages of the problem codes.
	BaseURL string
	Cursors *cursor.Codec
	Clock   clock.Clock
	// Report is called after each call with the tool's name, the outcome, and the duration.
	Report func(ctx context.Context, tool string, outcome Outcome, elapsed time.Duration)
	// Fail is called with internal errors, which the agent does not see.
	Fail func(ctx context.Context, tool string, err error)
}

// Outcome is the outcome of a call: OutcomeDone, or the code of the refusal.
type Outcome string

// OutcomeDone is the outcome of a successful call.
const OutcomeDone Outcome = "ok"

// Tools is the set of tools. It is safe for concurrent use.
type Tools struct {
	cfg   Config
	kinds map[apperr.Code]problem.Kind
	list  []*tool
}

// tool is a tool with its compiled schemas.
type tool struct {
	declaration

	input, output map[string]any
	call          func(ctx context.Context, c call) (any, error)
}

// New returns the tools.
func New(cfg Config) (*Tools, error) {
	if cfg.App == nil || cfg.Cursors == nil || cfg.Clock == nil || cfg.Report == nil || cfg.Fail == nil ||
		cfg.PagesURL == "" || cfg.BaseURL == "" {
		return nil, errors.New("tools: every field of the configuration is required")
	}
	return build(cfg)
}

func build(cfg Config) (*Tools, error) {
	apiforms.ConfigureSchemas()
	t := &Tools{cfg: cfg, kinds: make(map[apperr.Code]problem.Kind)}
	for _, kind := range problem.Kinds() {
		t.kinds[kind.Code] = kind
	}
	r := &registrar{tools: t, schemas: huma.NewMapRegistry(apiforms.ComponentSchemas, huma.DefaultSchemaNamer)}
	r.channels()
	r.posts()
	r.changes()
	r.decisions()
	r.reschedule()
	r.analytics()
	r.media()
	r.linkPages()
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	return t, r.describe()
}

// AddTo registers the tools on a server of the protocol.
func (t *Tools) AddTo(server *mcp.Server) {
	for _, one := range t.list {
		server.AddTool(one.definition(),
			func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return t.response(ctx, one, request.Params.Arguments), nil
			})
	}
}

// Names returns the names of the tools.
func (t *Tools) Names() []string {
	names := make([]string, len(t.list))
	for i, one := range t.list {
		names[i] = one.name
	}
	return names
}

// named returns the tool with a name that exists.
func (t *Tools) named(name string) *tool {
	return t.list[slices.IndexFunc(t.list, func(one *tool) bool { return one.name == name })]
}

// Known returns the name if it is a tool's, and otherwise "", so that metrics and logs contain no client input.
func (t *Tools) Known(name string) string {
	for _, one := range t.list {
		if one.name == name {
			return name
		}
	}
	return ""
}

// Scopes returns the scopes that the tools need, without those that depend on arguments.
func (t *Tools) Scopes() []credential.Scope {
	var all []credential.Scope
	for _, one := range t.list {
		all = append(all, one.scopes...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Missing returns all scopes that the call needs if the client lacks any of them, so that the client can request them
// at once (RFC 6750, section 3.1). It returns none if the call is allowed or the tool does not exist. Arguments are
// unparsed and may be invalid.
func (t *Tools) Missing(name string, arguments []byte, allows func(credential.Scope) bool) []credential.Scope {
	i := slices.IndexFunc(t.list, func(one *tool) bool { return one.name == name })
	if i < 0 {
		return nil
	}
	return t.list[i].missing(arguments, allows)
}

// Usable reports whether the client can call the tool with some arguments.
func (t *Tools) Usable(name string, allows func(credential.Scope) bool) bool {
	return t.Missing(name, nil, allows) == nil
}

func (d declaration) missing(arguments []byte, allows func(credential.Scope) bool) []credential.Scope {
	needed := d.scopes
	if d.also != nil {
		needed = append(slices.Clone(needed), d.also(arguments)...)
	}
	refused := func(s credential.Scope) bool { return !allows(s) }
	if d.either && slices.ContainsFunc(needed, allows) || !slices.ContainsFunc(needed, refused) {
		return nil
	}
	if d.either {
		return slices.Clone(needed[:1])
	}
	return slices.Clone(needed) // a copy, because the caller may modify it
}

// describe completes the schemas, which refer to each other.
func (r *registrar) describe() error {
	apiforms.DescribeBlocks(r.schemas)
	forms := apiforms.NewBlockSettings()
	for i, t := range linkpage.BlockTypes() { // the description is the only distinction
		forms[i].Description = "Settings of a block of type " + string(t) + "."
	}
	settings := r.schemas.Map()[reflect.TypeFor[AddBlock]().Name()].Properties["settings"]
	settings.Extensions, settings.AnyOf = nil, forms
	for _, finish := range r.unfinished {
		if err := finish(); err != nil {
			return fmt.Errorf("tools: %w", err)
		}
	}
	return nil
}
