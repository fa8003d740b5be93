package tools

import (
	"context"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// GetAnalytics is the input of get_analytics.
type GetAnalytics struct {
	ChannelID apiforms.Optional[ident.Channel] `json:"channelId,omitzero" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of a channel. Returns its figures per day."`
	PostID    apiforms.Optional[ident.Post]    `json:"postId,omitzero" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of a post. Returns its figures per day since publication."`
	From      string                           `json:"from,omitempty" maxLength:"10" example:"2026-02-01" doc:"First day of the range, as 2026-02-01. Defaults to the day that makes the range 30 days long. For a post without from and to, all its figures are returned."`
	To        string                           `json:"to,omitempty" maxLength:"10" example:"2026-03-02" doc:"Last day of the range, inclusive. Defaults to today in the workspace's time zone."`
}

// Check implements apiforms.Body.
func (in GetAnalytics) Check() []apperr.Field {
	_, faults := in.days()
	if in.ChannelID.Set && in.PostID.Set {
		faults = append(faults, apperr.Field{Pointer: "/postId", Message: "cannot be combined with channelId; send one of " +
			"them, or neither for the whole workspace"})
	}
	return faults
}

func (in GetAnalytics) days() (app.Days, []apperr.Field) {
	var requested app.Days
	var faults []apperr.Field
	for _, p := range []struct {
		pointer, text string
		into          *analytics.Date
	}{{"/from", in.From, &requested.From}, {"/to", in.To, &requested.To}} {
		if p.text == "" {
			continue
		}
		day, err := analytics.ParseDate(p.text)
		if err != nil {
			faults = append(faults, apperr.Field{Pointer: p.pointer, Message: err.Error()})
		}
		*p.into = day
	}
	return requested, faults
}

// Figures is the output of get_analytics. One field is set, depending on the input.
type Figures struct {
	Timed

	Workspace *WorkspaceFigures          `json:"workspace,omitempty" doc:"The analytics of the workspace and of each channel."`
	Channel   *apiforms.ChannelAnalytics `json:"channel,omitempty" doc:"The analytics of the channel."`
	Post      *apiforms.PostAnalytics    `json:"post,omitempty" doc:"The analytics of the post."`
}

// WorkspaceFigures holds the figures of a workspace and all its channels.
type WorkspaceFigures struct {
	apiforms.WorkspaceAnalytics

	Channels []ChannelFigures `json:"channels" doc:"The channels of the workspace, oldest first, including channels without figures."`
}

// ChannelFigures holds the figures of one channel of a workspace.
type ChannelFigures struct {
	apiforms.ChannelStanding

	Username    string `json:"username" example:"acme_news" doc:"Name of the account on its network."`
	CanPublish  bool   `json:"canPublish" example:"true" doc:"Whether posts can be created for the channel: create_post accepts its channelId."`
	IsConnected bool   `json:"isConnected" example:"true" doc:"Whether the service can publish to the channel now. If false, a person must reconnect it in the application, under Channels."`
}

func (r *registrar) analytics() {
	add(r, declaration{
		name: "get_analytics", title: "Get analytics", scopes: []credential.Scope{credential.AnalyticsRead}, readOnly: true,
		idempotent: true,
		description: "Returns the analytics of the workspace and of each channel; with channelId, of one channel per day; " +
			"with postId, of one post. At most 365 days. Figures are read from the networks once a day. A figure that the " +
			"network does not report is null.",
	}, r.tools.getAnalytics)
}

func (t *Tools) getAnalytics(ctx context.Context, c call, in GetAnalytics) (Figures, error) {
	requested, faults := in.days()
	if err := apperr.Invalid(faults); err != nil { // cannot fail after Check
		return Figures{}, err
	}
	switch {
	case in.ChannelID.Set:
		found, err := t.cfg.App.ChannelAnalytics(ctx, c.principal, in.ChannelID.Value, requested)
		out := apiforms.ToAPIChannelAnalytics(found)
		return Figures{Channel: &out}, err
	case in.PostID.Set:
		found, err := t.cfg.App.PostAnalytics(ctx, c.principal, in.PostID.Value, requested)
		out := apiforms.ToAPIPostAnalytics(found)
		return Figures{Post: &out}, err
	}
	found, err := t.cfg.App.WorkspaceAnalytics(ctx, c.principal, requested)
	if err != nil {
		return Figures{}, err
	}
	out := WorkspaceFigures{WorkspaceAnalytics: apiforms.ToAPIWorkspaceAnalytics(found)}
	out.Channels = make([]ChannelFigures, len(found.Channels))
	for i, standing := range out.WorkspaceAnalytics.Channels {
		of := found.Channels[i].Channel
		out.Channels[i] = ChannelFigures{
			ChannelStanding: standing, Username: of.Username, CanPublish: of.Type.Capabilities().Publish,
			IsConnected: of.Ready(),
		}
	}
	return Figures{Workspace: &out}, nil
}
