package app

import (
	"slices"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
)

// Platform is a network whose posts have options (docs/contract.md, Platform endpoints).
type Platform struct {
	Network channel.Network
	// OneMedium reports that the endpoint takes mediaId instead of mediaIds.
	OneMedium bool
}

// Platforms returns the networks whose posts have options, in the order of the channel types.
func (a *postUseCases) Platforms() []channel.Network {
	var networks []channel.Network
	for _, row := range a.rules.All() {
		if n := row.Type.Network(); len(row.Options) > 0 && !slices.Contains(networks, n) {
			networks = append(networks, n)
		}
	}
	return networks
}

// typesOf returns the channel types of the platform.
func (a *postUseCases) typesOf(p Platform) []channel.Type {
	var types []channel.Type
	for _, row := range a.rules.All() {
		if row.Type.Network() == p.Network {
			types = append(types, row.Type)
		}
	}
	return types
}

// contentTypeOf returns the content type of a post with these assets and options.
func (a *postUseCases) contentTypeOf(t channel.Type, assets []media.Asset, options post.Options) post.ContentType {
	if row, _ := a.rules.Of(t); row.ContentType != nil {
		return row.ContentType(assets, options)
	}
	return post.ContentPost
}

// admitsOptions checks, for drafts too, that the channel belongs to the platform and that the options are valid.
// Errors: CHANNEL_TYPE_MISMATCH, VALIDATION_FAILED.
func (a *postUseCases) admitsOptions(p Platform, c channel.Channel, options post.Options) error {
	if types := a.typesOf(p); !slices.Contains(types, c.Type) {
		return typeMismatch(c, types)
	}
	var faults []apperr.Field
	for _, f := range a.rules.CheckOptions(c.Type, options) {
		if !f.Warning {
			faults = append(faults, apperr.Field{Pointer: "/" + f.Member, Message: f.Message})
		}
	}
	return apperr.Invalid(p.pointAt(faults))
}

// pointAt maps the pointers of faults to the fields of the endpoint's body: options are at the top level, there is one
// channel, and OneMedium endpoints have mediaId instead of a list.
func (p Platform) pointAt(faults []apperr.Field) []apperr.Field {
	for i, f := range faults {
		pointer := strings.Replace(f.Pointer, "/options/", "/", 1)
		switch {
		case pointer == "/channelIds":
			pointer = "/channelId"
		case p.OneMedium && strings.HasPrefix(pointer, "/mediaIds"):
			pointer = "/mediaId"
		}
		faults[i].Pointer = pointer
	}
	return faults
}

// typeMismatch returns the error for a channel of another type.
func typeMismatch(c channel.Channel, wanted []channel.Type) error {
	names := make([]string, len(wanted))
	for i, t := range wanted {
		names[i] = string(t)
	}
	return apperr.New(apperr.ChannelTypeMismatch, "Channel %s is of type %s; this operation needs a channel of type %s.",
		c.ID, c.Type, strings.Join(names, " or "))
}
