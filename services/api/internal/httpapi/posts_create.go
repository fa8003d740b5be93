package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
)

type (
	createPostsInput   struct{ body[apiforms.CreatePosts] }
	validatePostsInput struct{ body[apiforms.CreatePosts] }
	createBulkInput    struct{ body[apiforms.CreateBulk] }
	createdPostsOutput struct {
		Location string `header:"Location" doc:"Path of the post, or of the list if there are several."`
		Body     []apiforms.Post
	}
	createdPostOutput struct {
		Location string `header:"Location" doc:"Path of the post."`
		Body     apiforms.Post
	}
	bulkOutput       struct{ Body []apiforms.BulkItemResult }
	validationOutput struct{ Body apiforms.Validation }
)

// creating returns the errors of operations that create posts.
func creating() []apperr.Code {
	return []apperr.Code{
		apperr.NotFound, apperr.ChannelNotPublishable, apperr.ChannelDisconnected, apperr.ScheduledInPast, apperr.NoFreeSlot,
		apperr.ApprovalRequired,
		apperr.QueuePaused, apperr.ExternalIDInUse,
	}
}

// createPost declares an operation that creates posts.
func createPost(id, path, summary, description string) operation {
	return operation{
		id: id, method: http.MethodPost, path: path, tag: tagPosts, anyOf: []credential.Scope{credential.PostsWrite},
		single:  true,
		summary: summary, description: description, errors: creating(), status: http.StatusCreated,
	}
}

func (r *registrar) postCreation() {
	s := r.server
	create := createPost("create-posts", "/v1/posts", "Create posts",
		"Creates one post for each channel, or none if one of them is rejected. Posts other than drafts also need the "+
			"scope `posts:publish` and must follow the rules of the channel's network. Drafts may break these rules. "+
			"The posts share `groupId`. `variants` gives posts of single channels a text, media or options of their own.")
	create.good, create.response, create.bodies = "The posts, one for each channel, in the order of "+
		"`channelIds`.", []apiforms.Post{examplePost(asScheduled)}, createExamples()
	create.responses = map[string]any{"draft": []apiforms.Post{examplePost(asDraft)}, "variant": exampleSet()}
	addCreation(r, create, createPosts)

	bulk := createPost("create-posts-in-bulk", pathBulk, "Create posts in bulk",
		"Creates posts for up to 50 items, one after the other. A failed item does not affect the others. Returns the "+
			"result of each item, in order. Scopes and rules are the same as for create-posts.")
	bulk.status, bulk.errors, bulk.itemScopes = http.StatusOK, nil, true
	bulk.single = false
	bulk.ownMembers = []string{"posts"}
	bulk.good, bulk.response = "The result of each item, in the order of the request. Also returned if every item "+
		"failed.", exampleBulk()
	bulk.bodies = map[string]*huma.Example{"two": {Summary: "Two items", Value: map[string]any{"posts": []any{
		map[string]any{"channelIds": []string{exampleChannel}, "content": exampleContent},
		map[string]any{
			"channelIds": []string{exampleChannel}, "content": exampleContent, "schedule": apiforms.ScheduleNextSlot,
		},
	}}}}
	add(r, bulk, s.createBulk)

	add(r, operation{
		id: "validate-posts", method: http.MethodPost, path: "/v1/posts/validate", tag: tagPosts,
		anyOf: []credential.Scope{credential.PostsWrite}, reads: true,
		summary: "Validate posts", description: "Checks a post for each channel, and returns errors, which prevent " +
			"publishing, and warnings. Creates nothing.",
		good: "The findings for each channel.", response: exampleValidation(true), errors: []apperr.Code{apperr.NotFound},
		bodies:    validateExamples(),
		responses: map[string]any{"empty": exampleValidation(false)},
	}, s.validatePosts)
}

func validateExamples() map[string]*huma.Example {
	examples := createExamples()
	examples["empty"] = &huma.Example{
		Summary: "Nothing to publish", Value: map[string]any{"channelIds": []string{exampleChannel}, "content": ""},
	}
	return examples
}

func createExamples() map[string]*huma.Example {
	example := func(summary, schedule string) *huma.Example {
		value := map[string]any{"channelIds": []string{exampleChannel}, "content": exampleContent}
		if schedule != "" {
			value["schedule"] = schedule
		}
		return &huma.Example{Summary: summary, Value: value}
	}
	return map[string]*huma.Example{
		"variant": {Summary: "With a text of its own for a channel", Value: map[string]any{
			"channelIds": []string{exampleChannel, exampleSecond}, "content": exampleContent, "labels": []string{"Spring"},
			"externalId": "cms-4711",
			"variants":   []any{map[string]any{"channelId": exampleSecond, "content": exampleVariant}},
		}},
		"draft": example("A draft", ""), "now": example("At once", apiforms.ScheduleNow),
		"slot": example("In the next free slot", apiforms.ScheduleNextSlot),
		"time": example("At a time", "2026-03-01T09:00:00+02:00"),
	}
}

func createPosts(
	ctx context.Context, p app.Principal, create app.Creator, in *createPostsInput,
) (*createdPostsOutput, error) {
	posts, err := create(ctx, p, in.value.Command())
	if err != nil {
		return nil, err
	}
	created := apiforms.ToAPIPosts(posts)
	return &createdPostsOutput{Location: apiforms.LocationOf(created), Body: created}, nil
}

func (s *Server) createBulk(ctx context.Context, p app.Principal, in *createBulkInput) (*bulkOutput, error) {
	items := make([]app.BulkItem, len(in.value.Posts))
	for i, raw := range in.value.Posts {
		item, err := readItem(s, s.items, raw)
		items[i] = app.BulkItem{Fault: err}
		if err == nil {
			items[i].Create = item.Command()
		}
	}
	results, err := s.app.CreateBulk(ctx, p, items)
	if err != nil {
		return nil, err
	}
	out := make([]apiforms.BulkItemResult, len(results))
	for i, result := range results {
		out[i] = s.toAPIBulkResult(ctx, i, result)
	}
	return &bulkOutput{Body: out}, nil
}

// readItem parses an item of a bulk request. The error concerns only this item.
func readItem[T apiforms.Body](s *Server, items *jsonbody.Reader[T], raw []byte) (T, error) {
	item, faults, err := items.Read(raw)
	if err != nil {
		return item, err
	}
	return item, apiforms.Verify(item, faults, s.app)
}

func (s *Server) validatePosts(
	ctx context.Context, p app.Principal, in *validatePostsInput,
) (*validationOutput, error) {
	found, err := s.app.ValidatePosts(ctx, p, in.value.Command())
	if err != nil {
		return nil, err
	}
	return &validationOutput{Body: apiforms.ToAPIValidation(found)}, nil
}

// readerOf returns the parser of one item.
func readerOf[T any](registry huma.Registry, patch bool) (*jsonbody.Reader[T], error) {
	return jsonbody.New[T](registry, registry.Schema(reflect.TypeFor[T](), true, ""), patch)
}

// toAPIBulkResult converts the result of an item. Internal errors are logged and not exposed, as in every other
// response.
func (s *Server) toAPIBulkResult(ctx context.Context, index int, r app.BulkResult) apiforms.BulkItemResult {
	if r.Err == nil {
		return apiforms.BulkItemResult{Index: index, Success: true, Posts: apiforms.ToAPIPosts(r.Posts)}
	}
	p := exchangeOf(ctx).problemOf(ctx, r.Err)
	detail := p.Detail
	if more := len(p.Errors) - maxFaultsInDetail; more > 0 { // clients that read only this text have no list of faults
		faults := make([]string, maxFaultsInDetail)
		for i, fault := range p.Errors[:maxFaultsInDetail] {
			faults[i] = fault.Pointer + " " + fault.Message
		}
		detail = fmt.Sprintf("%s; and %d more", strings.Join(faults, "; "), more)
	}
	return apiforms.BulkItemResult{Index: index, Posts: []apiforms.Post{}, Error: p.Code + ": " + detail, Problem: p}
}
