package httpapi

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type (
	createYouTubeInput   struct{ body[apiforms.CreateYouTube] }
	createTikTokInput    struct{ body[apiforms.CreateTikTok] }
	createPinterestInput struct{ body[apiforms.CreatePinterest] }
	createLinkedInInput  struct{ body[apiforms.CreateLinkedIn] }
)

// onPlatform declares the creation endpoint of a platform.
func onPlatform(name, title, description string, example map[string]any) operation {
	op := createPost("create-"+name+"-post", "/v1/posts/"+name, "Create a "+title+" post", description+
		" The fields that the platform requires are checked at once, also for drafts. Its other rules are checked when "+
		"the post is scheduled or published. Posts other than drafts also need the scope `posts:publish`.")
	op.errors = append(op.errors, apperr.ChannelTypeMismatch)
	op.good, op.response = "The post.", examplePost(asCreated(example))
	example["channelId"] = exampleChannel
	op.bodies = map[string]*huma.Example{"draft": {Summary: "A draft", Value: example}}
	return op
}

func (r *registrar) platforms() {
	addCreation(r, onPlatform("youtube", "YouTube", "Creates a post for a YOUTUBE channel: one video, or a Short.",
		map[string]any{"title": "How we make our tiles", "mediaId": exampleMedia, "visibility": "unlisted"}),
		createOn(func(in *createYouTubeInput) app.CreatePosts { return in.value.Command() }))
	addCreation(r, onPlatform("tiktok", "TikTok", "Creates a post for a TikTok channel: one video, or up to 35 photos. With "+
		"`uploadToDraft` the post is sent to the creator's inbox, to be completed in the TikTok app; private accounts "+
		"require it. Omitted interaction settings default to the account's settings. Interactions that the account has "+
		"disabled stay disabled. `privacyLevel` is ignored: posts are public.",
		map[string]any{"mediaIds": []string{exampleMedia}, "content": "Behind the scenes", "allowComments": true}),
		createOn(func(in *createTikTokInput) app.CreatePosts { return in.value.Command() }))
	addCreation(r, onPlatform("pinterest", "Pinterest", "Creates a pin on a board of a PINTEREST channel.",
		map[string]any{"boardId": "549755885175", "mediaIds": []string{exampleMedia}, "link": "https://example.com/tiles"}),
		createOn(func(in *createPinterestInput) app.CreatePosts { return in.value.Command() }))
	addCreation(r, onPlatform("linkedin", "LinkedIn", "Creates a post for a LINKEDIN_PROFILE or LINKEDIN_PAGE channel.",
		map[string]any{"content": "We are hiring.", "visibility": "PUBLIC"}),
		createOn(func(in *createLinkedInInput) app.CreatePosts { return in.value.Command() }))
}

// createOn returns the handler of a platform's creation endpoint. The response is one post.
func createOn[I any](command func(in *I) app.CreatePosts) creator[I, createdPostOutput] {
	return func(ctx context.Context, p app.Principal, create app.Creator, in *I) (*createdPostOutput, error) {
		posts, err := create(ctx, p, command(in))
		if err != nil {
			return nil, err
		}
		created := apiforms.ToAPIPosts(posts)
		return &createdPostOutput{Location: apiforms.LocationOf(created), Body: created[0]}, nil
	}
}

// asCreated sets the platform-specific properties of an example request on a draft.
func asCreated(example map[string]any) func(p *post.Post) {
	return func(p *post.Post) {
		p.Content = ""
		if err := json.Unmarshal(exampleOf(example), &p.Options); err != nil {
			p.Options = post.Options{} // a test compares examples with their responses
		}
		if _, ok := example["mediaId"]; ok {
			p.ContentType, p.MediaIDs = post.ContentVideo, []ident.Media{idOf[ident.Media](exampleMedia)}
		}
	}
}
