package httpapi

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/rfc3339"
)

// filters is embedded in the input of lists below a resource with an id. Huma does not validate the parameters of
// operations with an id in their path, so that an invalid id is not found.
type filters struct{}

// Resolve validates the query parameters against their schemas.
func (*filters) Resolve(ctx huma.Context) []error {
	schemas, _ := ctx.Operation().Metadata[metadataSchemas].(huma.Registry)
	at, found := huma.NewPathBuffer(nil, 0), &huma.ValidateResult{}
	for _, p := range ctx.Operation().Parameters {
		text := ctx.Query(p.Name)
		if p.In != inQuery || text == "" {
			continue
		}
		var value any = text
		if p.Schema.Type == huma.TypeInteger {
			number, err := strconv.Atoi(text)
			if err != nil {
				continue // Huma has reported it
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

// formatted documents the format of parameters that the operation checks itself, with better messages than Huma's.
func formatted(op *huma.Operation, format string, names ...string) {
	for _, p := range op.Parameters {
		if slices.Contains(names, p.Name) {
			schema := *p.Schema // Huma validates with the original
			schema.Format = format
			p.Schema = &schema
		}
	}
}

// errQueryTime is rfc3339.ErrForm with a hint for queries.
var errQueryTime = errors.New(
	"must be an RFC 3339 date-time with an offset, for example 2026-03-01T07:00:00Z; in a query, a plus is written as %2B")

// timeParameter is an optional time in a query.
type timeParameter struct {
	name, text string
	into       *time.Time
}

// timeRange parses the bounds of a time range. The second bound is exclusive.
func timeRange(from, to timeParameter) (faults []apperr.Field) {
	for _, p := range []timeParameter{from, to} {
		at, err := apiforms.OptionalTime(p.text)
		if errors.Is(err, rfc3339.ErrForm) {
			err = errQueryTime
		}
		if err != nil {
			faults = append(faults, apperr.Field{Pointer: p.name, Message: err.Error()})
		}
		*p.into = at
	}
	if len(faults) == 0 && !to.into.IsZero() && !from.into.Before(*to.into) {
		faults = append(faults, apperr.Field{Pointer: to.name, Message: "must be after " + from.name})
	}
	return faults
}
