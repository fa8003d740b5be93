// Package tools has the tools that AI agents use the service by (specification, What the service does): each with a
// name, a schema of what it takes, an outline of what it returns, hints that tell the truth, and the scopes it needs. A tool calls the use cases in
// this process; no credential goes any further than this program.
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

	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/services/internal/cursor"
	"socialpub.internal/services/internal/problem"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/domain/linkpage"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/clock"
)

// Config is what the tools stand on. Everything is required.
type Config struct {
	App *app.App
	// PagesURL begins the addresses of link pages.
	PagesURL string
	// BaseURL is the API's address, whose pages explain the codes of problems.
	BaseURL string
	Cursors *cursor.Codec
	Clock   clock.Clock
	// Report is told of each call that ended: the tool's name, what came of it, and how long it took.
	Report func(ctx context.Context, tool string, outcome Outcome, took time.Duration)
	// Fail is told of what went wrong inside; the agent is not.
	Fail func(ctx context.Context, tool string, err error)
}

// Outcome is how a call ended: OutcomeDone, or the code of the refusal.
type Outcome string

// OutcomeDone is the outcome of a call that did what was asked.
const OutcomeDone Outcome = "ok"

// Tools are the tools. They are safe for concurrent use.
type Tools struct {
	cfg   Config
	kinds map[apperr.Code]problem.Kind
	list  []*tool
}

// tool is one of them, ready to be called.
type tool struct {
	declaration

	input, output map[string]any
	call          func(ctx context.Context, c call) (any, error)
}

// New makes the tools.
func New(cfg Config) (*Tools, error) {
	if cfg.App == nil || cfg.Cursors == nil || cfg.Clock == nil || cfg.Report == nil || cfg.Fail == nil || cfg.PagesURL == "" || cfg.BaseURL == "" {
		return nil, errors.New("tools: every member of the configuration is required")
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
	r.decisions()
	r.analytics()
	r.media()
	r.linkPages()
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	return t, r.describe()
}

// AddTo offers the tools on a server of the protocol.
func (t *Tools) AddTo(server *mcp.Server) {
	for _, one := range t.list {
		server.AddTool(one.definition(), func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return t.answer(ctx, one, request.Params.Arguments), nil
		})
	}
}

// Known is the name of a tool, or nothing: what clients make up is not repeated.
func (t *Tools) Known(name string) string {
	for _, one := range t.list {
		if one.name == name {
			return name
		}
	}
	return ""
}

// Scopes lists what any of the tools needs.
func (t *Tools) Scopes() []credential.Scope {
	var all []credential.Scope
	for _, one := range t.list {
		all = append(all, one.scopes...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Missing lists every scope that the call needs when the client does not have what it takes, so that it can ask for all of them at
// once (RFC 6750, section 3.1); none when it may be made, or when there is no such tool. Arguments are those of the request as it
// came, and may be anything.
func (t *Tools) Missing(name string, arguments []byte, allows func(credential.Scope) bool) []credential.Scope {
	i := slices.IndexFunc(t.list, func(one *tool) bool { return one.name == name })
	if i < 0 {
		return nil
	}
	return t.list[i].missing(arguments, allows)
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
	return slices.Clone(needed) // what the caller does with it, the declaration stays as it is
}

// describe finishes the schemas, which refer to each other.
func (r *registrar) describe() error {
	apiforms.DescribeBlocks(r.schemas)
	for _, of := range []struct {
		arguments reflect.Type
		settings  []*huma.Schema
	}{{reflect.TypeFor[AddBlock](), apiforms.NewBlockSettings()}, {reflect.TypeFor[UpdateBlock](), apiforms.BlockSettingsChanges()}} {
		for i, t := range linkpage.BlockTypes() { // what nothing else would tell apart
			of.settings[i].Description = "Settings of a block of type " + string(t) + "."
		}
		settings := r.schemas.Map()[of.arguments.Name()].Properties["settings"]
		settings.Extensions, settings.AnyOf = nil, of.settings
	}
	for _, finish := range r.unfinished {
		if err := finish(); err != nil {
			return fmt.Errorf("tools: %w", err)
		}
	}
	return nil
}
