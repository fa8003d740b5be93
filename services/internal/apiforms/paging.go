package apiforms

import (
	"errors"

	"fencepost.internal/services/internal/cursor"
	"fencepost.internal/shared/kernel/apperr"
)

// Paging holds the paging parameters of a list (docs/contract.md, Lists).
type Paging struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"25" doc:"Maximum number of entries per page."`
	Cursor string `query:"cursor" doc:"The nextCursor of the previous page, with the same filters and sort. Omit it for the first page."`
}

// PageOf reads a page of a list. read returns up to limit entries after the entry with the given id; the zero id is
// before all entries. PageOf's own error is INVALID_CURSOR.
func PageOf[T any, I ~[16]byte](
	cursors *cursor.Codec, p Paging, use cursor.Use, read func(after I, limit int) ([]T, error), id func(T) I,
) (page []T, next OptionalText, err error) {
	var after I
	if err := StartOf(cursors, p, use, after[:]); err != nil {
		return nil, "", err
	}
	page, err = read(after, p.Limit+1) // one more entry shows whether there is a next page
	if err != nil || len(page) <= p.Limit {
		return page, "", err
	}
	page = page[:p.Limit]
	last := id(page[p.Limit-1])
	return page, OptionalText(cursors.Encode(use, last[:])), nil
}

// StartOf decodes the position after which the page starts into after, whose length is that of the list's positions.
// Without a cursor it leaves after unchanged. The error is INVALID_CURSOR.
func StartOf(cursors *cursor.Codec, p Paging, use cursor.Use, after []byte) error {
	if p.Cursor == "" {
		return nil
	}
	err := cursors.Decode(use, p.Cursor, after)
	if errors.Is(err, cursor.ErrInvalid) {
		return apperr.New(apperr.InvalidCursor, "The cursor does not belong to this list. Send nextCursor of the previous "+
			"page with the same filters and sort.")
	}
	return err
}

// each converts the elements of a list. The result is never nil.
func each[E, T any](list []E, convert func(E) T) []T {
	converted := make([]T, len(list))
	for i, element := range list {
		converted[i] = convert(element)
	}
	return converted
}
