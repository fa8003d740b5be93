package app

import (
	"context"
	"fmt"
	"slices"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// channelsOf returns the channels by id; NOT_FOUND for an unknown channel. For drafts the cached types are sufficient.
func (a *channelUseCases) channelsOf(
	ctx context.Context, p Principal, ids []ident.Channel, draft bool,
) (map[ident.Channel]channel.Channel, error) {
	if known, ok := a.types.all(p.WorkspaceID, ids); ok && draft && p.MayUse(ids...) {
		return known, nil
	}
	found, err := a.channels.For(p.Channels).GetMany(ctx, p.WorkspaceID, ids)
	if err != nil {
		return nil, err
	}
	a.types.remember(found)
	byID := channel.ByID(found)
	for _, id := range ids {
		if _, ok := byID[id]; !ok {
			return nil, noChannel(id)
		}
	}
	return byID, nil
}

func noChannel(id ident.Channel) error {
	return apperr.New(apperr.NotFound, "There is no channel %s.", id)
}

// haveChannels returns NOT_FOUND unless the workspace has every channel, connected or not.
func (r *Records) haveChannels(ctx context.Context, p Principal, ids []ident.Channel) error {
	if len(ids) == 0 {
		return nil
	}
	found, err := r.channels.For(p.Channels).GetMany(ctx, p.WorkspaceID, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(found, func(c channel.Channel) bool { return c.ID == id }) {
			return noChannel(id)
		}
	}
	return nil
}

// assetsOf returns the assets in the order of their ids; NOT_FOUND for an unknown asset.
func (r *Records) assetsOf(ctx context.Context, p Principal, ids []ident.Media) ([]media.Asset, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := r.media.GetMany(ctx, p.WorkspaceID, ids)
	if err != nil {
		return nil, err
	}
	assets := make([]media.Asset, len(ids))
	for i, id := range ids {
		asset, ok := found[id]
		if !ok {
			return nil, apperr.New(apperr.NotFound, "There is no media asset %s.", id)
		}
		assets[i] = asset
	}
	return assets, nil
}

// ready checks whether the channel can be published to now.
func (a *channelUseCases) ready(c channel.Channel) error {
	if !c.Type.Capabilities().Publish {
		return apperr.New(apperr.ChannelNotPublishable, "Channel %s is of type %s, which cannot be published to.", c.ID,
			c.Type)
	}
	if !c.Ready() {
		return apperr.New(apperr.ChannelDisconnected,
			"Channel %s (%s) is not connected; reconnect it in the application first%s", c.ID, c.Name,
			ChannelPage.Link(a.appURL, c.WorkspaceID, c.ID))
	}
	return nil
}

// findings returns the violations of the network's rules, and the features that this build does not support.
func (a *channelUseCases) findings(c channel.Channel, content platform.Content) []platform.Finding {
	content.Facts = c.Facts
	return append(a.rules.Check(c.Type, content), a.connectors.Gaps(c, content)...)
}

// faultsOf converts the findings that prevent publishing into faults of a request.
func faultsOf(findings []platform.Finding, c channel.Channel) []apperr.Field {
	var faults []apperr.Field
	for _, f := range findings {
		if !f.Warning {
			faults = append(faults, apperr.Field{
				Pointer: "/" + f.Member, Message: fmt.Sprintf("%s (channel %s, %s)", f.Message, c.ID, c.Type),
			})
		}
	}
	return faults
}
