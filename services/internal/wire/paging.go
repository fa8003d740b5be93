package wire

import (
	"errors"

	"socialpub.internal/services/internal/cursor"
	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/post"
)

// Paging is the part of a list's input that says which page is wanted (decisions, section 1).
type Paging struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"25" doc:"How many entries a page has at most."`
	Cursor string `query:"cursor" doc:"The nextCursor of the previous page, with the same filters; none for the first page."`
}

// PageOf reads a page of a list. read gives up to limit entries after the one whose id it gets; the zero id is before all. Its own
// error is INVALID_CURSOR.
func PageOf[T any, I ~[16]byte](
	cursors *cursor.Codec, p Paging, use cursor.Use, read func(after I, limit int) ([]T, error), id func(T) I,
) (page []T, next OptionalText, err error) {
	after, err := StartOf(cursors, p, use)
	if err != nil {
		return nil, "", err
	}
	page, err = read(after, p.Limit+1) // one more tells of a next page
	if err != nil || len(page) <= p.Limit {
		return page, "", err
	}
	page = page[:p.Limit]
	return page, OptionalText(cursors.Encode(use, id(page[p.Limit-1]))), nil
}

// StartOf reads the cursor: the id of the record after which the page starts, zero without one. INVALID_CURSOR.
func StartOf(cursors *cursor.Codec, p Paging, use cursor.Use) (after [16]byte, err error) {
	if p.Cursor == "" {
		return after, nil
	}
	after, err = cursors.Decode(use, p.Cursor)
	if errors.Is(err, cursor.ErrInvalid) {
		return after, apperr.New(apperr.InvalidCursor, "The cursor does not belong to this list; send nextCursor of the previous page with the same filters.")
	}
	return after, err
}

// ListOfPosts is what cursors of posts are good for: the list of a workspace, narrowed to a state or a channel.
func ListOfPosts(workspace ident.Workspace, status post.Status, channel ident.Channel) cursor.Use {
	return cursor.Use{"posts", workspace.String(), string(status), channel.String()}
}
