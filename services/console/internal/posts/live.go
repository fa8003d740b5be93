package posts

import (
	"context"
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// liveState holds the changes that a person may make to a published post on its network.
type liveState struct {
	Network     string
	Edits       bool
	Deletes     bool
	Open        bool // a change is being made
	Deleted     bool
	Text, Fault string // of the form
}

// liveOf returns the changes that the network of the post allows. The use case checks the rest, such as its age.
func (p *posts) liveOf(v *frame.Visit, found post.Post, of channel.Channel) (liveState, error) {
	state := liveState{Network: of.Type.Network().Name(), Text: found.Content}
	capabilities := of.Type.Capabilities()
	if found.Status != post.Published || !capabilities.EditAfterPublish && !capabilities.DeleteAfterPublish {
		return state, nil
	}
	changes, err := p.live.Changes(v.Request.Context(), livePerson(v), found.ID)
	if err != nil {
		return state, err
	}
	for _, change := range changes {
		state.Open = state.Open || change.State.Open()
		state.Deleted = state.Deleted || change.Action == post.LiveDelete && change.State == post.LiveDone
	}
	state.Edits = capabilities.EditAfterPublish && !state.Open && !state.Deleted && found.Policy.People() == 0
	state.Deletes = capabilities.DeleteAfterPublish && !state.Open && !state.Deleted
	return state, nil
}

func livePerson(v *frame.Visit) app.LivePerson {
	return app.LivePerson{WorkspaceID: v.Principal.WorkspaceID, Actor: v.Principal.Actor(), Channels: v.Principal.Channels}
}

func (p *posts) editLive(v *frame.Visit) error {
	text := v.Form("content")
	return p.changeLive(v, text, func(ctx context.Context, id ident.Post) (post.LiveChange, error) {
		return p.live.Edit(ctx, livePerson(v), id, text)
	})
}

func (p *posts) deleteLive(v *frame.Visit) error {
	return p.changeLive(v, "", func(ctx context.Context, id ident.Post) (post.LiveChange, error) {
		return p.live.Delete(ctx, livePerson(v), id)
	})
}

// changeLive changes a published post on its network, and says what the network responded.
func (p *posts) changeLive(
	v *frame.Visit, text string, do func(context.Context, ident.Post) (post.LiveChange, error),
) error {
	id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
	if err != nil {
		return err
	}
	created, err := do(v.Request.Context(), id)
	if faults, ok := frame.Faults(err); ok {
		for _, fault := range faults {
			return p.pageOf(v, id, shown{status: http.StatusUnprocessableEntity, text: text, fault: fault})
		}
	}
	if err != nil {
		return err
	}
	of, err := p.channelOf(v, id)
	if err != nil {
		return err
	}
	network := of.Type.Network().Name()
	notice := "Edited on " + network + "."
	switch {
	case created.State.Open():
		notice = network + " has not confirmed the change yet. See the timeline."
	case created.State != post.LiveDone:
		notice = network + " did not make the change. See the timeline."
	case created.Action == post.LiveDelete:
		notice = "Deleted from " + network + "."
	}
	return v.Done(v.Path("/posts/"+id.String()), notice)
}

// channelOf returns the channel of a post.
func (p *posts) channelOf(v *frame.Visit, id ident.Post) (channel.Channel, error) {
	found, err := p.app.Post(v.Request.Context(), v.Principal, id)
	if err != nil {
		return channel.Channel{}, err
	}
	return p.app.Channel(v.Request.Context(), v.Principal, found.ChannelID)
}
