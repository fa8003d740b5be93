package httpapi

import (
	"errors"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"socialpub.internal/services/api/internal/httpapi/cursor"
	"socialpub.internal/shared/apperr"
)

// Paging is the part of a list's input that says which page is wanted (decisions, section 1).
type Paging struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"25" doc:"How many entries a page has at most."`
	Cursor string `query:"cursor" doc:"The nextCursor of the previous page, with the same filters; none for the first page."`
}

// pageOf reads a page of a list. read gives up to limit entries after the one whose id it gets; the zero id is before all.
func pageOf[T any, I ~[16]byte](
	s *Server, p Paging, use cursor.Use, read func(after I, limit int) ([]T, error), id func(T) I,
) (page []T, next OptionalText, err error) {
	after, err := startOf(s, p, use)
	if err != nil {
		return nil, "", err
	}
	page, err = read(after, p.Limit+1) // one more tells of a next page
	if err != nil || len(page) <= p.Limit {
		return page, "", err
	}
	page = page[:p.Limit]
	return page, OptionalText(s.cursors.Encode(use, id(page[p.Limit-1]))), nil
}

// startOf reads the cursor: the id of the record after which the page starts, zero without one.
func startOf(s *Server, p Paging, use cursor.Use) (after [16]byte, err error) {
	if p.Cursor == "" {
		return after, nil
	}
	after, err = s.cursors.Decode(use, p.Cursor)
	if errors.Is(err, cursor.ErrInvalid) {
		return after, apperr.New(apperr.InvalidCursor, "The cursor does not belong to this list; send nextCursor of the previous page with the same filters.")
	}
	return after, err
}

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
