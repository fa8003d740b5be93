package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/domain/analytics"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// AnalyticsDays holds the range parameters of the analytics operations.
type AnalyticsDays struct {
	From string `query:"from" example:"2026-02-01" doc:"First day, as 2026-02-01; left out: so that there are 30 days."`
	To   string `query:"to" example:"2026-03-02" doc:"Last day, which counts too; left out: today in the workspace's time zone."`
}

type (
	workspaceAnalyticsInput struct{ AnalyticsDays }
	channelAnalyticsInput   struct {
		ID string `path:"id" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"Id of the channel."`
		AnalyticsDays
	}
	postAnalyticsInput struct {
		ID string `path:"id" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"Id of the post."`
		AnalyticsDays
	}
	workspaceAnalyticsOutput struct{ Body apiforms.WorkspaceAnalytics }
	channelAnalyticsOutput   struct{ Body apiforms.ChannelAnalytics }
	postAnalyticsOutput      struct{ Body apiforms.PostAnalytics }
)

const pathAnalytics = "/v1/analytics/"

func (r *registrar) analytics() {
	scope := []credential.Scope{credential.AnalyticsRead}
	faults := []apperr.Code{apperr.ValidationFailed}
	const figures = "Figures are read once a day; one that the network does not tell is null, which is not nought. "
	add(r, operation{
		id: "get-workspace-analytics", method: http.MethodGet, path: pathAnalytics + "workspace", tag: tagAnalytics, anyOf: scope,
		summary: "Get the analytics of the workspace", good: "How the workspace did.", answer: exampleWorkspaceAnalytics(), errors: faults,
		description: "How all channels did together, and each of them, in at most 365 days. " + figures +
			"Likes, comments and shares are what posts gained in the range, whenever they were published; a network that takes some back makes that less.",
	}, r.server.getWorkspaceAnalytics)
	add(r, operation{
		id: "get-channel-analytics", method: http.MethodGet, path: pathAnalytics + "channels/{id}", tag: tagAnalytics, anyOf: scope,
		summary: "Get the analytics of a channel", good: "How the channel did.", answer: exampleChannelAnalytics(), errors: faults,
		description: "The channel's figures by the day, in the time zone of its network, in at most 365 days. " + figures +
			"Days without any are left out. The latest days may still change: networks complete them late. A channel whose `capabilities.analytics` is false has no days.",
	}, r.server.getChannelAnalytics)
	add(r, operation{
		id: "get-post-analytics", method: http.MethodGet, path: pathAnalytics + "posts/{id}", tag: tagAnalytics, anyOf: scope,
		summary: "Get the analytics of a post", good: "How the post did.", answer: examplePostAnalytics(), errors: faults,
		description: "Every snapshot of the post, one a day for 90 days after its publication, and the latest one. Figures count from the publication on. " + figures +
			"With `from` or `to`, only the snapshots of at most 365 days; `latest` is the latest of all in any case. A post that was not published yet has none.",
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

func (in *AnalyticsDays) days() (app.Days, error) {
	var asked app.Days
	var faults []apperr.Field
	for _, p := range []struct {
		name, text string
		into       *analytics.Date
	}{{"from", in.From, &asked.From}, {"to", in.To, &asked.To}} {
		if p.text == "" {
			continue
		}
		day, err := analytics.ParseDate(p.text)
		if err != nil {
			faults = append(faults, apperr.Field{Pointer: p.name, Message: err.Error()})
		}
		*p.into = day
	}
	return asked, apperr.Invalid(faults)
}

func (s *Server) getWorkspaceAnalytics(ctx context.Context, p app.Principal, in *workspaceAnalyticsInput) (*workspaceAnalyticsOutput, error) {
	asked, err := in.days()
	if err != nil { // cannot fail after Resolve
		return nil, err
	}
	found, err := s.app.WorkspaceAnalytics(ctx, p, asked)
	return &workspaceAnalyticsOutput{Body: apiforms.ToAPIWorkspaceAnalytics(found)}, err
}

func (s *Server) getChannelAnalytics(ctx context.Context, p app.Principal, in *channelAnalyticsInput) (*channelAnalyticsOutput, error) {
	asked, err := in.days()
	if err != nil {
		return nil, err
	}
	return onChannel(in.ID, func(id ident.Channel) (*channelAnalyticsOutput, error) {
		found, err := s.app.ChannelAnalytics(ctx, p, id, asked)
		return &channelAnalyticsOutput{Body: apiforms.ToAPIChannelAnalytics(found)}, err
	})
}

func (s *Server) getPostAnalytics(ctx context.Context, p app.Principal, in *postAnalyticsInput) (*postAnalyticsOutput, error) {
	asked, err := in.days()
	if err != nil {
		return nil, err
	}
	id, err := pathID[ident.Post](in.ID, "post")
	if err != nil {
		return nil, err
	}
	found, err := s.app.PostAnalytics(ctx, p, id, asked)
	if err != nil {
		return nil, err
	}
	return &postAnalyticsOutput{Body: apiforms.ToAPIPostAnalytics(found)}, nil
}
