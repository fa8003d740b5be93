package httpapi

import (
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// filters is embedded in the input of lists below something with an id. Huma leaves the parameters of operations with an id in
// their path alone, so that what is no id is not found.
type filters struct{}

// Resolve holds the parameters of the query against their schemas.
func (*filters) Resolve(ctx huma.Context) []error {
	schemas, _ := ctx.Operation().Metadata[metadataSchemas].(huma.Registry)
	at, found := huma.NewPathBuffer(nil, 0), &huma.ValidateResult{}
	for _, p := range ctx.Operation().Parameters {
		text := ctx.Query(p.Name)
		if p.In != "query" || text == "" {
			continue
		}
		var value any = text
		if p.Schema.Type == huma.TypeInteger {
			number, err := strconv.Atoi(text)
			if err != nil {
				continue // Huma has said so
			}
			value = number
		}
		at.Reset()
		at.Push(p.In)
		at.Push(p.Name)
		huma.Validate(schemas, p.Schema, at, huma.ModeWriteToServer, value, found)
	}
	return found.Errors
}

// formatted documents the format of parameters that the operation checks itself, in better words than Huma has.
func formatted(op *huma.Operation, format string, names ...string) {
	for _, p := range op.Parameters {
		if slices.Contains(names, p.Name) {
			schema := *p.Schema // Huma checks by the one that it has
			schema.Format = format
			p.Schema = &schema
		}
	}
}
