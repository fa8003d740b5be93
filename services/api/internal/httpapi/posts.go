package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type (
	postInput struct {
		ID string `path:"id" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post."`
	}
	listPostsInput struct {
		Status        []apiforms.PostStatus `query:"status,explode" example:"[\"SCHEDULED\"]" doc:"Returns only posts in one of these states. May be repeated."`
		ChannelID     []string              `query:"channelId,explode" maxItems:"50" example:"[\"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59\"]" doc:"Returns only posts for one of these channels. May be repeated."`
		Label         []string              `query:"label,explode" maxItems:"10" example:"[\"spring\"]" doc:"Returns only posts with one of these labels, in either case. May be repeated."`
		GroupID       string                `query:"groupId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"Returns only posts of this set."`
		CampaignID    string                `query:"campaignId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b65" doc:"Returns only posts of this campaign."`
		ExternalID    string                `query:"externalId" maxLength:"200" example:"cms-4711" doc:"Returns only posts with this externalId."`
		Q             string                `query:"q" maxLength:"200" example:"spring tiles" doc:"Returns only posts whose content or title has each of these words, also as a part of a longer word, in either case. A word of one or two letters matches whole words only, except in Chinese, Japanese and Korean. At most 10 words."`
		ScheduledFrom string                `query:"scheduledFrom" example:"2026-03-01T00:00:00Z" doc:"Returns only posts scheduled at this time or later: RFC 3339 with an offset, a plus written as %2B."`
		ScheduledTo   string                `query:"scheduledTo" example:"2026-04-01T00:00:00Z" doc:"Returns only posts scheduled before this time."`
		PublishedFrom string                `query:"publishedFrom" example:"2026-03-01T00:00:00Z" doc:"Returns only posts published at this time or later."`
		PublishedTo   string                `query:"publishedTo" example:"2026-04-01T00:00:00Z" doc:"Returns only posts published before this time."`
		UpdatedSince  string                `query:"updatedSince" example:"2026-03-01T00:00:00Z" doc:"Returns only posts changed at this time or later."`
		Sort          apiforms.PostSort     `query:"sort" example:"scheduledAt" doc:"Order of the list. Defaults to newest first."`
		apiforms.Paging
	}
	postOutput struct {
		ETag string `header:"ETag" doc:"Version of the post, in quotes. A response that is replayed for an Idempotency-Key has no ETag."` //nolint:tagliatelle // as RFC 9110 writes it
		Body *apiforms.Post
	}
	postPageOutput struct{ Body apiforms.PostPage }
	timelineOutput struct{ Body apiforms.Timeline }
)

func (r *registrar) posts() {
	readers := []credential.Scope{credential.PostsWrite, credential.PostsPublish}
	add(r, operation{
		id: "list-posts", method: http.MethodGet, path: "/v1/posts", tag: tagPosts, anyOf: readers,
		summary: "List posts", description: "Returns the posts of the workspace, newest first or in the order of `sort`. " +
			"A post meets all of the filters, and one value of a repeated filter. The end of a range of times is exclusive. " +
			"`scheduledFrom` and `scheduledTo` exclude posts without a scheduled time; such posts come last when sorted by " +
			"`scheduledAt` or `-scheduledAt`. A cursor is valid only with the same " +
			"filters and sort. It stays valid when posts are created or deleted.",
		good: "A page of posts.", response: apiforms.PostPage{Data: []apiforms.Post{examplePost(asPublished)}},
		errors: []apperr.Code{apperr.ValidationFailed, apperr.InvalidCursor},
	}, r.server.listPosts)
	formatted(documented(r.api.OpenAPI(), http.MethodGet, "/v1/posts"), apiforms.FormatTime, "scheduledFrom",
		"scheduledTo", "publishedFrom", "publishedTo", "updatedSince")
	add(r, operation{
		id: "get-post", method: http.MethodGet, path: "/v1/posts/{id}", tag: tagPosts, anyOf: readers,
		summary: "Get a post", description: "Returns a post. `waiting` contains the reason why a SCHEDULED post is not " +
			"published yet.",
		good: "The post.", response: examplePost(asScheduled), unchanged: true,
	}, r.server.getPost)
	add(r, operation{
		id: "get-post-timeline", method: http.MethodGet, path: "/v1/posts/{id}/timeline", tag: tagPosts, anyOf: readers,
		summary: "Get a post's timeline", description: "Returns the history of the post, oldest first: every change, and " +
			"every publish attempt with its outcome. It is kept until two years after the last change of a PUBLISHED, FAILED " +
			"or ARCHIVED post.",
		good: "The timeline of the post.", response: exampleTimeline(),
	}, r.server.getTimeline)
}

// Resolve checks the filters, which the parameter schema cannot check.
func (in *listPostsInput) Resolve(huma.Context) []error {
	_, faults := in.filter()
	return asList(apperr.Invalid(faults))
}

func (in *listPostsInput) filter() (postgres.PostFilter, []apperr.Field) {
	out, faults := apiforms.PostFilter{
		Status: in.Status, ChannelID: in.ChannelID, Label: in.Label, GroupID: in.GroupID, CampaignID: in.CampaignID, ExternalID: in.ExternalID, Q: in.Q,
		Sort: in.Sort,
	}.Read("")
	return out, slices.Concat(faults,
		timeRange(timeParameter{"scheduledFrom", in.ScheduledFrom, &out.ScheduledFrom},
			timeParameter{"scheduledTo", in.ScheduledTo, &out.ScheduledTo}),
		timeRange(timeParameter{"publishedFrom", in.PublishedFrom, &out.PublishedFrom},
			timeParameter{"publishedTo", in.PublishedTo, &out.PublishedTo}),
		timeRange(timeParameter{"updatedSince", in.UpdatedSince, &out.UpdatedSince}, timeParameter{into: new(time.Time)}))
}

func (s *Server) listPosts(ctx context.Context, p app.Principal, in *listPostsInput) (*postPageOutput, error) {
	filter, faults := in.filter()
	if err := apperr.Invalid(faults); err != nil { // cannot fail after Resolve
		return nil, err
	}
	page, err := apiforms.PageOfPosts(s.cursors, in.Paging, p.WorkspaceID, filter,
		func(filter postgres.PostFilter) ([]post.Post, error) {
			return s.app.Posts(ctx, p, filter)
		})
	if err != nil {
		return nil, err
	}
	return &postPageOutput{Body: page}, nil
}

func (s *Server) getPost(ctx context.Context, p app.Principal, in *postInput) (*postOutput, error) {
	return s.onPost(in.ID, func(id ident.Post) (post.Post, error) { return s.app.Post(ctx, p, id) })
}

// onPost parses the id and calls act, which reads or changes a post.
func (*Server) onPost(text string, act func(id ident.Post) (post.Post, error)) (*postOutput, error) {
	id, err := pathID[ident.Post](text, "post")
	if err != nil {
		return nil, err
	}
	found, err := act(id)
	if err != nil {
		return nil, err
	}
	out := apiforms.ToAPIPost(found)
	return &postOutput{ETag: app.PostTag(found), Body: &out}, nil
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
	return &timelineOutput{Body: apiforms.ToAPITimeline(entries)}, nil
}
