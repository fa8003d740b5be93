package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
)

type (
	updateBulkInput  struct{ body[apiforms.UpdateBulk] }
	updateBulkOutput struct{ Body []apiforms.BulkUpdateResult }
)

func (r *registrar) bulkUpdates() {
	add(r, operation{
		id: "update-posts-in-bulk", method: http.MethodPost, path: pathBulkUpdate, tag: tagPosts,
		anyOf:   []credential.Scope{credential.PostsWrite},
		summary: "Change posts in bulk", description: "Changes or deletes up to 50 posts, one after the other. A failed item " +
			"does not affect the others. Each change has the rules, scopes and events of edit-post or delete-post. A post that " +
			"is in the request twice is a fault of the request. With `dryRun` nothing is changed, and the results are what " +
			"the request would do.",
		good: "The result of each item, in the order of the request. Also returned if every item failed.",
		// the result depends on the scope posts:publish
		itemScopes: true, ownMembers: []string{"posts"}, response: exampleUpdate(),
		bodies: map[string]*huma.Example{"three": {
			Summary: "A move by a day, another text, and a deletion", Value: map[string]any{"posts": []any{
				map[string]any{"id": exampleID, "shiftBy": "P1D"},
				map[string]any{"id": exampleOtherPost, "content": "Our spring collection is here at last."},
				map[string]any{"id": exampleThirdPost, "delete": true},
			}},
		}},
	}, r.server.updateBulk)
}

func (s *Server) updateBulk(ctx context.Context, p app.Principal, in *updateBulkInput) (*updateBulkOutput, error) {
	items := make([]app.UpdatePost, len(in.value.Posts))
	for i, raw := range in.value.Posts {
		item, err := readItem(s, s.updates, raw)
		items[i] = item.Command(err)
	}
	results, err := s.app.UpdatePosts(ctx, p, items, in.value.DryRun)
	if err != nil {
		return nil, err
	}
	out := make([]apiforms.BulkUpdateResult, len(results))
	for i, result := range results {
		if result.Err != nil {
			out[i] = apiforms.BulkUpdateResult{Index: i, Problem: exchangeOf(ctx).problemOf(ctx, result.Err)}
			continue
		}
		out[i] = apiforms.ToAPIUpdateResult(i, items[i].Delete, result.Post)
	}
	return &updateBulkOutput{Body: out}, nil
}
