package httpapi

import (
	"context"
	"net/http"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type (
	noInput           struct{}
	workspaceOutput   struct{ Body apiforms.Workspace }
	channelOutput     struct{ Body apiforms.Channel }
	channelsOutput    struct{ Body []apiforms.Channel }
	listChannelsInput struct {
		Type        []apiforms.ChannelType `query:"type,explode" example:"[\"TWITTER\"]" doc:"Returns only channels of one of these types. May be repeated."`
		TokenStatus apiforms.TokenStatus   `query:"tokenStatus" example:"NEEDS_RECONNECT" doc:"Returns only channels whose access to the network is in this state."`
	}
	scheduleOutput    struct{ Body apiforms.ChannelSchedule }
	boardsOutput      struct{ Body []apiforms.Board }
	creatorInfoOutput struct{ Body apiforms.CreatorInfo }
	channelInput      struct {
		ID string `path:"id" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of the channel."`
	}
)

func (r *registrar) workspace() {
	add(r, operation{
		id: "get-workspace", method: http.MethodGet, path: "/v1/workspace", tag: tagWorkspace,
		summary:     "Get the workspace",
		description: "Returns the credential's workspace, its usage of the plan, and the scopes of the credential.",
		good:        "The workspace.",
		response:    exampleWorkspace(),
	}, r.server.getWorkspace)
}

func (r *registrar) channels() {
	scope := []credential.Scope{credential.ChannelsRead}
	add(r, operation{
		id: "list-channels", method: http.MethodGet, path: "/v1/channels", tag: tagChannels, anyOf: scope,
		summary: "List channels", description: "Returns the channels of the workspace, oldest first.",
		good: "The channels.", response: []apiforms.Channel{exampleTelegram()},
		errors: []apperr.Code{apperr.ValidationFailed},
	}, r.server.listChannels)
	add(r, operation{
		id: "get-channel", method: http.MethodGet, path: "/v1/channels/{id}", tag: tagChannels, anyOf: scope,
		summary: "Get a channel", description: "Returns a channel with its capabilities.",
		good: "The channel.", response: exampleTelegram(),
	}, r.server.getChannel)
}

func (r *registrar) channelHelpers() {
	scope := []credential.Scope{credential.ChannelsRead}
	add(r, operation{
		id: "get-channel-schedule", method: http.MethodGet, path: "/v1/channels/{id}/schedule", tag: tagChannels,
		anyOf:   scope,
		summary: "Get a channel's posting schedule", description: "Returns the channel's time slots and the next free " +
			"slot. `next_slot` schedules posts into these slots.",
		good: "The posting schedule.", response: exampleSchedule(),
	}, r.server.getSchedule)
	live := []apperr.Code{apperr.ChannelTypeMismatch, apperr.ChannelDisconnected}
	add(r, operation{
		id: "list-pinterest-boards", method: http.MethodGet, path: "/v1/channels/{id}/pinterest/boards", tag: tagChannels,
		anyOf:   scope,
		summary: "List a channel's Pinterest boards", description: "Returns the boards of a PINTEREST channel, read from " +
			"Pinterest at most 30 seconds ago.",
		good: "The boards.", response: []apiforms.Board{{ID: "549755885175", Name: "Tiles", Privacy: "PUBLIC", PinCount: 42}},
		errors: live,
	}, r.server.listBoards)
	add(r, operation{
		id: "get-tiktok-creator-info", method: http.MethodGet, path: "/v1/channels/{id}/tiktok/creator-info",
		tag: tagChannels, anyOf: scope,
		summary: "Get a channel's TikTok creator info", description: "Returns the settings that the account of a " +
			"TIKTOK_PERSONAL or TIKTOK_BUSINESS channel allows, read from TikTok at most 30 seconds ago.",
		good: "The creator info of the account.", response: exampleCreatorInfo(), errors: live,
	}, r.server.getCreatorInfo)
}

func (s *Server) getSchedule(ctx context.Context, p app.Principal, in *channelInput) (*scheduleOutput, error) {
	return onChannel(in.ID, func(id ident.Channel) (*scheduleOutput, error) {
		found, err := s.app.ChannelSchedule(ctx, p, id)
		return &scheduleOutput{Body: apiforms.ToAPISchedule(found)}, err
	})
}

func (s *Server) listBoards(ctx context.Context, p app.Principal, in *channelInput) (*boardsOutput, error) {
	return onChannel(in.ID, func(id ident.Channel) (*boardsOutput, error) {
		boards, err := s.app.Boards(ctx, p, id)
		return &boardsOutput{Body: apiforms.ToAPIBoards(boards)}, err
	})
}

func (s *Server) getCreatorInfo(ctx context.Context, p app.Principal, in *channelInput) (*creatorInfoOutput, error) {
	return onChannel(in.ID, func(id ident.Channel) (*creatorInfoOutput, error) {
		info, err := s.app.CreatorInfo(ctx, p, id)
		return &creatorInfoOutput{Body: apiforms.ToAPICreatorInfo(info)}, err
	})
}

// onChannel parses the channel id and calls read.
func onChannel[O any](text string, read func(id ident.Channel) (*O, error)) (*O, error) {
	id, err := pathID[ident.Channel](text, "channel")
	if err != nil {
		return nil, err
	}
	out, err := read(id)
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (s *Server) getWorkspace(ctx context.Context, p app.Principal, _ *noInput) (*workspaceOutput, error) {
	w, err := s.app.Workspace(ctx, p)
	if err != nil {
		return nil, err
	}
	return &workspaceOutput{Body: apiforms.ToAPIWorkspace(w, p, s.gate.PerMinute(p))}, nil
}

func (s *Server) listChannels(ctx context.Context, p app.Principal, in *listChannelsInput) (*channelsOutput, error) {
	found, err := s.app.Channels(ctx, p)
	if err != nil {
		return nil, err
	}
	return &channelsOutput{Body: apiforms.ToAPIChannels(apiforms.FilterChannels(found, in.Type, in.TokenStatus))}, nil
}

func (s *Server) getChannel(ctx context.Context, p app.Principal, in *channelInput) (*channelOutput, error) {
	return onChannel(in.ID, func(id ident.Channel) (*channelOutput, error) {
		c, err := s.app.Channel(ctx, p, id)
		return &channelOutput{Body: apiforms.ToAPIChannel(c)}, err
	})
}
