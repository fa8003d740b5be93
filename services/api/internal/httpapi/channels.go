package httpapi

import (
	"context"
	"net/http"

	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/credential"
	"socialpub.internal/shared/ident"
)

type (
	noInput         struct{}
	workspaceOutput struct{ Body Workspace }
	channelOutput   struct{ Body Channel }
	channelsOutput  struct{ Body []Channel }
	channelInput    struct {
		ID string `path:"id" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"Id of the channel."`
	}
)

func (r *registrar) workspace() {
	add(r, operation{
		id: "get-workspace", method: http.MethodGet, path: "/v1/workspace", tag: tagWorkspace,
		summary:     "Get the workspace",
		description: "Tells which workspace the credential belongs to, and what the credential may do.",
		answer:      exampleWorkspace(),
	}, r.server.getWorkspace)
}

func (r *registrar) channels() {
	scope := []credential.Scope{credential.ChannelsRead}
	add(r, operation{
		id: "list-channels", method: http.MethodGet, path: "/v1/channels", tag: tagChannels, anyOf: scope,
		summary: "List channels", description: "Every channel of the workspace, oldest first.", answer: []Channel{exampleTelegram()},
	}, r.server.listChannels)
	add(r, operation{
		id: "get-channel", method: http.MethodGet, path: "/v1/channels/{id}", tag: tagChannels, anyOf: scope,
		summary: "Get a channel", description: "One channel, with what can be done with it.", answer: exampleTelegram(),
	}, r.server.getChannel)
}

func (s *Server) getWorkspace(ctx context.Context, p app.Principal, _ *noInput) (*workspaceOutput, error) {
	w, err := s.app.Workspace(ctx, p)
	if err != nil {
		return nil, err
	}
	return &workspaceOutput{Body: ToAPIWorkspace(w, p)}, nil
}

func (s *Server) listChannels(ctx context.Context, p app.Principal, _ *noInput) (*channelsOutput, error) {
	found, err := s.app.Channels(ctx, p)
	if err != nil {
		return nil, err
	}
	out := make([]Channel, len(found))
	for i, c := range found {
		out[i] = ToAPIChannel(c)
	}
	return &channelsOutput{Body: out}, nil
}

func (s *Server) getChannel(ctx context.Context, p app.Principal, in *channelInput) (*channelOutput, error) {
	id, err := pathID[ident.Channel](in.ID, "channel")
	if err != nil {
		return nil, err
	}
	c, err := s.app.Channel(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return &channelOutput{Body: ToAPIChannel(c)}, nil
}
