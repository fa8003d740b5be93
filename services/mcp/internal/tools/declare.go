package tools

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
)

// timeout is the time limit of a call unless its tool declares more.
const timeout = 10 * time.Second

// declaration is the declaration of a tool: its published description and its enforced requirements.
type declaration struct {
	name        string
	title       string
	description string
	// scopes are all required, or any one of them with either.
	scopes []credential.Scope
	either bool
	// also returns further scopes that a call needs, from its unparsed arguments.
	also func(arguments []byte) []credential.Scope
	// The hints of the protocol. readOnly: the tool changes nothing. destructive: it may overwrite, delete or do
	// something irreversible, and does not only add. idempotent: repeating a call with the same arguments has no
	// further effect. openWorld: its effects reach beyond the service, to networks and the public.
	readOnly, destructive, idempotent, openWorld bool
	// clears holds the names that the argument clear takes.
	clears []string
	// like is a tool for the same scopes that describes arguments of the same names.
	like string
	// says holds descriptions of arguments that replace those of the API.
	says map[string]string
	// timeout is the time limit of a call; zero means the default.
	timeout time.Duration
}

func (t *tool) definition() *mcp.Tool {
	return &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.description, InputSchema: t.input, OutputSchema: t.output,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: t.readOnly, DestructiveHint: &t.destructive, IdempotentHint: t.idempotent,
			OpenWorldHint: &t.openWorld,
		},
	}
}

// call is one call of a tool.
type call struct {
	principal app.Principal
	arguments []byte
}

// registrar collects tools and errors.
type registrar struct {
	tools      *Tools
	schemas    huma.Registry
	unfinished []func() error
	errs       []error
}

// add declares a tool with input In and output Out. The arguments of a call are validated against the published schema,
// and all faults are reported at once.
func add[In apiforms.Body, Out any](
	r *registrar, d declaration, run func(ctx context.Context, c call, in In) (Out, error),
) {
	input := r.schemas.Schema(reflect.TypeFor[In](), true, d.name+"Input")
	if len(d.clears) > 0 {
		r.schemas.SchemaFromRef(input.Ref).Properties[memberClear].Items.Enum = values(d.clears)
	}
	reader, err := jsonbody.New[In](r.schemas, input, false)
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("tool %s: %w", d.name, err))
		return
	}
	output := r.schemas.Schema(reflect.TypeFor[Out](), true, d.name+"Output")
	t := &tool{declaration: d, call: func(ctx context.Context, c call) (any, error) {
		return perform(ctx, r.tools, d, reader, c, run)
	}}
	r.tools.list = append(r.tools.list, t)
	r.unfinished = append(r.unfinished, func() (err error) {
		if t.input, err = inline(r.schemas, input); err != nil {
			return err
		}
		if variants, ok := within(t.input, keyProperties, "variants", "items"); ok {
			refer(variants, "the request", t.input)
		}
		if d.like != "" {
			refer(t.input, d.like, r.tools.named(d.like).input)
		}
		if err := restate(t.input, d.says); err != nil {
			return fmt.Errorf("tool %s: %w", d.name, err)
		}
		t.output, err = outline(r.schemas, output)
		return err
	})
}

// perform reads the arguments of a call and runs the tool.
func perform[In apiforms.Body, Out any](
	ctx context.Context, t *Tools, d declaration, reader *jsonbody.Reader[In], c call,
	run func(ctx context.Context, c call, in In) (Out, error),
) (any, error) {
	sent, faults, err := arguments(c.arguments, d.clears)
	if err != nil {
		return nil, err
	}
	c.arguments = sent
	in, found, err := reader.Read(c.arguments)
	if err != nil {
		return nil, err
	}
	if err := apiforms.Verify(in, apiforms.AppendNew(found, faults...), t.cfg.App); err != nil {
		return nil, err
	}
	if _, timed := any(new(Out)).(hasClock); !timed {
		return run(ctx, c, in)
	}
	zone, err := t.zone(ctx, c.principal) // before the call, whose effect an error must not hide
	if err != nil {
		return nil, err
	}
	out, err := run(ctx, c, in)
	if timed, ok := any(&out).(hasClock); ok {
		timed.setClock(t.cfg.Clock.Now(), zone)
	}
	return out, err
}

// response runs a tool. Every error becomes a result that the agent can read and act on.
func (t *Tools) response(ctx context.Context, one *tool, arguments []byte) *mcp.CallToolResult {
	began := t.cfg.Clock.Now()
	result, outcome := t.run(ctx, one, arguments)
	t.cfg.Report(ctx, one.name, outcome, t.cfg.Clock.Now().Sub(began))
	return result
}

func (t *Tools) run(ctx context.Context, one *tool, arguments []byte) (result *mcp.CallToolResult, outcome Outcome) {
	defer func() { // the protocol library runs calls in its own goroutines, where a panic would end the process
		if cause := recover(); cause != nil {
			result, outcome = t.refuse(ctx, one.name, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
		}
	}()
	caller, known := callerOf(ctx)
	if !known {
		return t.refuse(ctx, one.name, apperr.New(apperr.Unauthenticated, "The call has no credential."))
	}
	if len(bytes.TrimSpace(arguments)) == 0 || string(arguments) == "null" { // arguments are optional
		arguments = []byte("{}")
	}
	if missing := one.missing(arguments, caller.Principal.Allows); len(missing) > 0 {
		return t.refuse(ctx, one.name, insufficient(missing))
	}
	ctx, cancel := context.WithTimeout(ctx, max(one.timeout, timeout))
	defer cancel()
	out, err := one.call(ctx, call{principal: caller.Principal, arguments: arguments})
	if err != nil {
		return t.refuse(ctx, one.name, err)
	}
	if result, err = structured(out); err != nil {
		return t.refuse(ctx, one.name, err)
	}
	return result, OutcomeDone
}

// structured returns a result as data, and as text for clients without support for data.
func structured(out any) (*mcp.CallToolResult, error) {
	var raw bytes.Buffer
	if err := apiforms.Encode(&raw, out); err != nil {
		return nil, err
	}
	clean, err := cleaned(raw.Bytes())
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{StructuredContent: clean, Content: []mcp.Content{&mcp.TextContent{Text: string(clean)}}},
		nil
}
