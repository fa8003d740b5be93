package fencepost

import (
	"context"
	"iter"
	"net/url"
)

// page is one page of a list.
type page[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"nextCursor"`
	HasMore    *bool   `json:"hasMore"` // of the event log, which has a cursor on its last page too
}

func (p page[T]) last() bool { return p.NextCursor == nil || p.HasMore != nil && !*p.HasMore }

// pages iterates over the items of all pages. An error ends it.
func pages[T any](
	ctx context.Context, c *Client, op operation, path []string, query url.Values, options []CallOption,
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			got, err := call[page[T]](ctx, c, op, path, query, nil, options)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range got.Data {
				if !yield(item, nil) {
					return
				}
			}
			if got.last() {
				return
			}
			query.Set("cursor", *got.NextCursor)
		}
	}
}
