package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type (
	editPostInput struct {
		body[apiforms.EditPost]

		ID string `path:"id" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post."`
	}
)

func (r *registrar) postEdits() {
	writer := []credential.Scope{credential.PostsWrite}
	add(r, operation{
		id: "edit-post", method: http.MethodPatch, path: "/v1/posts/{id}", tag: tagPosts, anyOf: writer,
		conditional: true,
		summary:     "Edit a post", description: "Changes the content of the post. Requires status DRAFT, SCHEDULED or " +
			"FAILED. A SCHEDULED post must follow the rules of its network; moving it by `scheduledAt` also needs the scope " +
			"`posts:publish`.",
		good: "The changed post.", response: examplePost(asScheduled),
		errors: append(ready(), apperr.InvalidState, apperr.PublishInProgress, apperr.ScheduledInPast, apperr.ExternalIDInUse),
		bodies: map[string]*huma.Example{
			"content": {Summary: "Another text", Value: map[string]any{"content": "Our spring collection is here at last."}},
			"time":    {Summary: "Another time", Value: map[string]any{"scheduledAt": "2026-03-01T09:00:00+02:00"}},
		},
	}, r.server.editPost)
	add(r, operation{
		id: "delete-post", method: http.MethodDelete, path: "/v1/posts/{id}", tag: tagPosts, anyOf: writer,
		conditional: true,
		summary:     "Delete a post", description: "Deletes the post permanently, in any state except PUBLISHED. After a " +
			"successful response a SCHEDULED post is not published.",
		status: http.StatusNoContent, good: "The post is deleted.",
		errors: []apperr.Code{apperr.InvalidState, apperr.PublishInProgress},
	}, r.server.deletePost)
}

func (s *Server) editPost(ctx context.Context, p app.Principal, in *editPostInput) (*postOutput, error) {
	return s.onPost(in.ID, func(id ident.Post) (post.Post, error) { return s.app.EditPost(ctx, p, id, in.value.Edit) })
}

func (s *Server) deletePost(ctx context.Context, p app.Principal, in *postInput) (*nothing, error) {
	id, err := pathID[ident.Post](in.ID, "post")
	if err != nil {
		return nil, err
	}
	if err := s.app.DeletePost(ctx, p, id); err != nil {
		return nil, err
	}
	return &nothing{}, nil
}
