package tools

import (
	"context"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// ListChannels is the input of list_channels.
type ListChannels struct {
	Type        apiforms.AnyOf[apiforms.ChannelType] `json:"type,omitempty" maxItems:"50" doc:"Returns only channels of one of these types."`
	TokenStatus apiforms.TokenStatus                 `json:"tokenStatus,omitempty" doc:"Returns only channels whose access to the network is in this state."`
}

// Check implements apiforms.Body.
func (ListChannels) Check() []apperr.Field { return nil }

// OnChannel is the input of tools that take only a channel id.
type OnChannel struct {
	ChannelID ident.Channel `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of the channel, from list_channels."`
}

// Check implements apiforms.Body.
func (OnChannel) Check() []apperr.Field { return nil }

// ListBoards is the input of list_boards.
type ListBoards struct {
	OnChannel

	BoardID string `json:"boardId,omitempty" example:"549755885175" maxLength:"32" doc:"Returns only this board, with its sections."`
}

// Channels is the output of list_channels.
type Channels struct {
	Timed

	Data []apiforms.Channel `json:"data" doc:"The channels of the workspace, oldest first."`
}

// Schedule is the output of get_channel_schedule.
type Schedule struct {
	apiforms.ChannelSchedule
	Timed
}

// Boards is the output of list_boards.
type Boards struct {
	Data     []apiforms.Board        `json:"data" doc:"The boards: pass id as boardId in options of create_post."`
	Sections []apiforms.BoardSection `json:"sections,omitzero" doc:"The sections of boardId: pass id as boardSectionId in options of create_post."`
}

func (r *registrar) channels() {
	t, scope := r.tools, []credential.Scope{credential.ChannelsRead}
	add(r, declaration{
		name: "list_channels", title: "List channels", scopes: scope, readOnly: true, idempotent: true,
		description: "Lists the workspace's channels: the social accounts that posts are published to. Pass `id` as " +
			"channelIds of create_post and channelId of other tools. `capabilities.publish` reports whether posts can be " +
			"created for the channel, `isConnected` and `tokenStatus` whether they can be published now: if `isConnected` is " +
			"false or `tokenStatus` is NEEDS_RECONNECT, a person must reconnect the channel in the application, under Channels.",
	}, t.listChannels)
	add(r, declaration{
		name: "get_channel_schedule", title: "Get a channel's posting schedule", scopes: scope, readOnly: true,
		idempotent: true,
		description: "Returns a channel's weekly slots and its next free slots, at most ten, which next_slot uses. Texts of " +
			"slots are in the channel's time zone.",
	}, t.getSchedule)
	add(r, declaration{
		name: "list_boards", title: "List Pinterest boards and sections", scopes: scope, readOnly: true, idempotent: true, openWorld: true,
		description: "Lists the boards of a channel of type PINTEREST, or a board and its sections, read from Pinterest. A pin " +
			"needs a board and may name a section: boardId and boardSectionId in options of create_post.",
	}, t.listBoards)
}

func (t *Tools) listChannels(ctx context.Context, c call, in ListChannels) (Channels, error) {
	found, err := t.cfg.App.Channels(ctx, c.principal)
	return Channels{Data: apiforms.ToAPIChannels(apiforms.FilterChannels(found, in.Type, in.TokenStatus))}, err
}

func (t *Tools) getSchedule(ctx context.Context, c call, in OnChannel) (Schedule, error) {
	found, err := t.cfg.App.ChannelSchedule(ctx, c.principal, in.ChannelID)
	return Schedule{ChannelSchedule: apiforms.ToAPISchedule(found)}, err
}

func (t *Tools) listBoards(ctx context.Context, c call, in ListBoards) (Boards, error) {
	if in.BoardID != "" {
		board, sections, err := t.cfg.App.BoardSections(ctx, c.principal, in.ChannelID, in.BoardID)
		return Boards{
			Data: apiforms.ToAPIBoards([]platform.Board{board}), Sections: apiforms.ToAPISections(sections),
		}, err
	}
	found, err := t.cfg.App.Boards(ctx, c.principal, in.ChannelID)
	return Boards{Data: apiforms.ToAPIBoards(found)}, err
}
