package httpapi

import (
	"errors"

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
	var after I
	if p.Cursor != "" {
		found, err := s.cursors.Decode(use, p.Cursor)
		if errors.Is(err, cursor.ErrInvalid) {
			return nil, "", apperr.New(apperr.InvalidCursor, "The cursor does not belong to this list; send nextCursor of the previous page with the same filters.")
		}
		after = found
	}
	page, err = read(after, p.Limit+1) // one more tells of a next page
	if err != nil || len(page) <= p.Limit {
		return page, "", err
	}
	page = page[:p.Limit]
	return page, OptionalText(s.cursors.Encode(use, id(page[p.Limit-1]))), nil
}
