package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// AnalyticsDays holds the range parameters of the analytics operations.
type AnalyticsDays struct {
	From string `query:"from" example:"2026-02-01" doc:"First day of the range, as 2026-02-01. Defaults to the day that makes the range 30 days long."`
	To   string `query:"to" example:"2026-03-02" doc:"Last day of the range, inclusive. Defaults to today in the workspace's time zone."`
}

// PostAnalyticsDays holds the range parameters of a post's analytics, which has no default range.
type PostAnalyticsDays struct {
	From string `query:"from" example:"2026-02-01" doc:"First day of the range, as 2026-02-01. Without from and to, all snapshots are returned. With to alone, the range has 30 days."`
	To   string `query:"to" example:"2026-03-02" doc:"Last day of the range, inclusive. With from alone, today in the workspace's time zone."`
}

type (
	workspaceAnalyticsInput struct{ AnalyticsDays }
	channelAnalyticsInput   struct {
		ID string `path:"id" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of the channel."`
		AnalyticsDays
	}
	postAnalyticsInput struct {
		ID string `path:"id" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post."`
		PostAnalyticsDays
	}
	workspaceAnalyticsOutput struct{ Body apiforms.WorkspaceAnalytics }
	channelAnalyticsOutput   struct{ Body apiforms.ChannelAnalytics }
	postAnalyticsOutput      struct{ Body apiforms.PostAnalytics }
)

const pathAnalytics = "/v1/analytics/"

func (r *registrar) analytics() {
	scope := []credential.Scope{credential.AnalyticsRead}
	faults := []apperr.Code{apperr.ValidationFailed}
	const figures = "Figures are read once a day. A figure that the network does not report is null. "
	add(r, operation{
		id: "get-workspace-analytics", method: http.MethodGet, path: pathAnalytics + "workspace", tag: tagAnalytics,
		anyOf:   scope,
		summary: "Get the analytics of the workspace", good: "The analytics of the workspace.",
		response: exampleWorkspaceAnalytics(), errors: faults,
		description: "Returns the totals of the workspace and the figures of each channel, for a range of at most " +
			"365 days. " + figures +
			"Likes, comments and shares are the increase within the range, for all posts. They decrease when the network " +
			"lowers its counts.",
	}, r.server.getWorkspaceAnalytics)
	add(r, operation{
		id: "get-channel-analytics", method: http.MethodGet, path: pathAnalytics + "channels/{id}", tag: tagAnalytics,
		anyOf:   scope,
		summary: "Get the analytics of a channel", good: "The analytics of the channel.", response: exampleChannelAnalytics(),
		errors: faults,
		description: "Returns the channel's figures per day, in the time zone of its network, for a range of at most " +
			"365 days. " + figures +
			"Days without figures are omitted. The latest days may still change, because networks complete them late. A " +
			"channel whose `capabilities.analytics` is false has no days.",
	}, r.server.getChannelAnalytics)
	add(r, operation{
		id: "get-post-analytics", method: http.MethodGet, path: pathAnalytics + "posts/{id}", tag: tagAnalytics, anyOf: scope,
		summary: "Get the analytics of a post", good: "The analytics of the post.", response: examplePostAnalytics(),
		errors: faults,
		description: "Returns the snapshots of the post, one per day for 90 days after its publication, and the latest " +
			"one. Figures are totals since publication. " + figures +
			"`from` and `to` limit the snapshots to at most 365 days, but not `latest`. A post that is not published yet has " +
			"no snapshots.",
	}, r.server.getPostAnalytics)
	for _, path := range []string{"workspace", "channels/{id}", "posts/{id}"} {
		formatted(documented(r.api.OpenAPI(), http.MethodGet, pathAnalytics+path), formatDate, "from", "to")
	}
}

// Resolve checks the dates, which the parameter schema cannot check.
func (in *AnalyticsDays) Resolve(huma.Context) []error {
	_, err := in.days()
	return asList(err)
}

// Resolve checks the dates.
func (in *PostAnalyticsDays) Resolve(huma.Context) []error {
	_, err := in.days()
	return asList(err)
}

func (in *PostAnalyticsDays) days() (app.Days, error) { return (*AnalyticsDays)(in).days() }

func (in *AnalyticsDays) days() (app.Days, error) {
	var requested app.Days
	var faults []apperr.Field
	for _, p := range []struct {
		name, text string
		into       *analytics.Date
	}{{"from", in.From, &requested.From}, {"to", in.To, &requested.To}} {
		if p.text == "" {
			continue
		}
		day, err := analytics.ParseDate(p.text)
		if err != nil {
			faults = append(faults, apperr.Field{Pointer: p.name, Message: err.Error()})
		}
		*p.into = day
	}
	return requested, apperr.Invalid(faults)
}

func (s *Server) getWorkspaceAnalytics(
	ctx context.Context, p app.Principal, in *workspaceAnalyticsInput,
) (*workspaceAnalyticsOutput, error) {
	requested, err := in.days()
	if err != nil { // cannot fail after Resolve
		return nil, err
	}
	found, err := s.app.WorkspaceAnalytics(ctx, p, requested)
	return &workspaceAnalyticsOutput{Body: apiforms.ToAPIWorkspaceAnalytics(found)}, err
}

func (s *Server) getChannelAnalytics(
	ctx context.Context, p app.Principal, in *channelAnalyticsInput,
) (*channelAnalyticsOutput, error) {
	requested, err := in.days()
	if err != nil {
		return nil, err
	}
	return onChannel(in.ID, func(id ident.Channel) (*channelAnalyticsOutput, error) {
		found, err := s.app.ChannelAnalytics(ctx, p, id, requested)
		return &channelAnalyticsOutput{Body: apiforms.ToAPIChannelAnalytics(found)}, err
	})
}

func (s *Server) getPostAnalytics(
	ctx context.Context, p app.Principal, in *postAnalyticsInput,
) (*postAnalyticsOutput, error) {
	requested, err := in.days()
	if err != nil {
		return nil, err
	}
	id, err := pathID[ident.Post](in.ID, "post")
	if err != nil {
		return nil, err
	}
	found, err := s.app.PostAnalytics(ctx, p, id, requested)
	if err != nil {
		return nil, err
	}
	return &postAnalyticsOutput{Body: apiforms.ToAPIPostAnalytics(found)}, nil
}
