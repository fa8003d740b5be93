package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"socialpub.internal/services/internal/app"
	"socialpub.internal/services/internal/wire"
	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/credential"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/post"
	"socialpub.internal/shared/postgres"
)

type (
	postInput struct {
		ID string `path:"id" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"Id of the post."`
	}
	listPostsInput struct {
		Status    wire.PostStatus `query:"status" example:"SCHEDULED" doc:"Only posts in this state."`
		ChannelID string          `query:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"Only posts for this channel."`
		wire.Paging
	}
	postOutput     struct{ Body *wire.Post }
	postPageOutput struct{ Body wire.PostPage }
	timelineOutput struct{ Body wire.Timeline }
)

func (r *registrar) posts() {
	readers := []credential.Scope{credential.PostsWrite, credential.PostsPublish}
	add(r, operation{
		id: "list-posts", method: http.MethodGet, path: "/v1/posts", tag: tagPosts, anyOf: readers,
		summary: "List posts", description: "Posts of the workspace, newest first, page by page. A cursor stays good while posts come and go.",
		good: "A page of posts.", answer: wire.PostPage{Data: []wire.Post{examplePost(asPublished)}},
		errors: []apperr.Code{apperr.ValidationFailed, apperr.InvalidCursor},
	}, r.server.listPosts)
	add(r, operation{
		id: "get-post", method: http.MethodGet, path: "/v1/posts/{id}", tag: tagPosts, anyOf: readers,
		summary: "Get a post", description: "One post as it is now. `waiting` says why a SCHEDULED post is not out yet.",
		good: "The post.", answer: examplePost(asScheduled),
	}, r.server.getPost)
	add(r, operation{
		id: "get-post-timeline", method: http.MethodGet, path: "/v1/posts/{id}/timeline", tag: tagPosts, anyOf: readers,
		summary: "Get a post's timeline", description: "What happened to the post, oldest first: every change, every attempt to publish it and what came of it.",
		good: "The history of the post.", answer: exampleTimeline(),
	}, r.server.getTimeline)
}

// Resolve reads what the schema of a parameter cannot check; ids in requests are canonical.
func (in *listPostsInput) Resolve(huma.Context) []error {
	switch channel, err := in.channel(); {
	case err != nil:
		return asList(apperr.Invalid([]apperr.Field{{Pointer: "channelId", Message: "must be a UUID"}}))
	case in.ChannelID != "" && channel.IsZero(): // which would be no filter at all
		return asList(apperr.Invalid([]apperr.Field{{Pointer: "channelId", Message: "is the nil UUID, which no channel has"}}))
	}
	return nil
}

func (in *listPostsInput) channel() (ident.Channel, error) {
	if in.ChannelID == "" {
		return ident.Channel{}, nil
	}
	return ident.Parse[ident.Channel](in.ChannelID)
}

func (s *Server) listPosts(ctx context.Context, p app.Principal, in *listPostsInput) (*postPageOutput, error) {
	channel, err := in.channel()
	if err != nil { // not after Resolve
		return nil, err
	}
	use := wire.ListOfPosts(p.WorkspaceID, post.Status(in.Status), channel)
	posts, next, err := wire.PageOf(s.cursors, in.Paging, use, func(after ident.Post, limit int) ([]post.Post, error) {
		return s.app.Posts(ctx, p, postgres.PostFilter{Status: post.Status(in.Status), ChannelID: channel, Before: after, Limit: limit})
	}, func(last post.Post) ident.Post { return last.ID })
	if err != nil {
		return nil, err
	}
	return &postPageOutput{Body: wire.PostPage{Data: wire.ToAPIPosts(posts), NextCursor: next}}, nil
}

func (s *Server) getPost(ctx context.Context, p app.Principal, in *postInput) (*postOutput, error) {
	return s.onPost(in.ID, func(id ident.Post) (post.Post, error) { return s.app.Post(ctx, p, id) })
}

// onPost answers with a post that was read or changed.
func (*Server) onPost(text string, act func(id ident.Post) (post.Post, error)) (*postOutput, error) {
	id, err := pathID[ident.Post](text, "post")
	if err != nil {
		return nil, err
	}
	found, err := act(id)
	if err != nil {
		return nil, err
	}
	out := wire.ToAPIPost(found)
	return &postOutput{Body: &out}, nil
}

func (s *Server) getTimeline(ctx context.Context, p app.Principal, in *postInput) (*timelineOutput, error) {
	id, err := pathID[ident.Post](in.ID, "post")
	if err != nil {
		return nil, err
	}
	entries, err := s.app.Timeline(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return &timelineOutput{Body: wire.ToAPITimeline(entries)}, nil
}
