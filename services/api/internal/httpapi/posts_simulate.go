package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/rules"
)

type (
	simulatePostsInput struct{ body[apiforms.SimulatePosts] }
	simulationOutput   struct{ Body apiforms.Simulation }
	quotaOutput        struct{ Body apiforms.Quota }
)

func (r *registrar) simulation() {
	bodies := createExamples()
	bodies["posts"] = &huma.Example{
		Summary: "Existing posts", Value: map[string]any{"postIds": []string{exampleID}},
	}
	add(r, operation{
		id: "simulate-posts", method: http.MethodPost, path: "/v1/posts/simulate", tag: tagPosts,
		anyOf: []credential.Scope{credential.PostsWrite}, reads: true,
		summary: "Simulate posts", description: "Returns what would happen to the posts that create-posts would create from " +
			"the body, or to up to 50 existing posts: when they would be published, the findings of validate-posts, converted " +
			"attachments, the quota of the network, colliding posts, and the price. Creates and reserves nothing.",
		good: "The forecast of each post.", response: apiforms.ToAPISimulation([]app.Forecast{exampleForecast(false)}),
		errors: []apperr.Code{apperr.NotFound}, bodies: bodies,
		responses: map[string]any{"posts": apiforms.ToAPISimulation([]app.Forecast{exampleForecast(true)})},
	}, r.server.simulatePosts)
	add(r, operation{
		id: "get-channel-quota", method: http.MethodGet, path: "/v1/channels/{id}/quota", tag: tagChannels,
		anyOf:   []credential.Scope{credential.ChannelsRead},
		summary: "Get a channel's quota", description: "Returns how many posts the network still accepts from the channel now. " +
			"Posts of other programs count only where the network reports them (Instagram and Threads, read at most 30 seconds " +
			"ago). simulate-posts returns the quota at another time.",
		good: "The quota.", response: apiforms.ToAPIQuota(exampleQuota()),
	}, r.server.getQuota)
}

func exampleQuota() app.Quota {
	const limit, used = 250, 12
	return app.Quota{
		Window: app.WindowRolling, Limit: limit, Used: used, Remaining: limit - used, ResetsAt: exampleDay(18),
	}
}

func exampleForecast(exists bool) app.Forecast {
	const width, height = 1440, 1080
	f := app.Forecast{
		ChannelFindings: app.ChannelFindings{Channel: channel.Channel{ID: idOf[ident.Channel](exampleChannel)}, At: exampleDay(7)},
		Quota:           exampleQuota(), ChannelReady: true, Cost: rules.Cost{Thousandths: 15, Currency: "USD"},
		Conversions: []app.Conversion{{
			MediaID: idOf[ident.Media](exampleMedia), To: media.ContentTypeJPEG, Width: width, Height: height,
		}},
		Conflicts: []postgres.Conflict{{Kind: postgres.ConflictTime, PostID: idOf[ident.Post](exampleRequest)}},
	}
	if exists {
		f.PostID = idOf[ident.Post](exampleID)
	}
	return f
}

func (s *Server) simulatePosts(
	ctx context.Context, p app.Principal, in *simulatePostsInput,
) (*simulationOutput, error) {
	simulated, err := in.value.Simulate(ctx, s.app, p)
	if err != nil {
		return nil, err
	}
	return &simulationOutput{Body: simulated}, nil
}

func (s *Server) getQuota(ctx context.Context, p app.Principal, in *channelInput) (*quotaOutput, error) {
	return onChannel(in.ID, func(id ident.Channel) (*quotaOutput, error) {
		quota, err := s.app.ChannelQuota(ctx, p, id)
		return &quotaOutput{Body: apiforms.ToAPIQuota(quota)}, err
	})
}
