package apiforms

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// PostFilter holds the filters of a list of posts that are not times (docs/contract.md, Lists).
type PostFilter struct {
	Status     []PostStatus
	ChannelID  []string
	Label      []string
	GroupID    string
	CampaignID string
	ExternalID string
	Q          string
	Sort       PostSort
}

// Read returns the filter of the store and its faults, whose pointers begin with the given text.
func (f PostFilter) Read(root string) (postgres.PostFilter, []apperr.Field) {
	out := postgres.PostFilter{Labels: f.Label, ExternalID: f.ExternalID, Sort: post.Sort(f.Sort)}
	var faults []apperr.Field
	fault := func(name, message string) {
		faults = append(faults, apperr.Field{Pointer: root + name, Message: message})
	}
	for _, status := range f.Status {
		out.Statuses = append(out.Statuses, post.Status(status))
	}
	for _, text := range f.ChannelID {
		id, message := idOf[ident.Channel](text, "channel")
		if message != "" {
			fault("channelId", message)
			break
		}
		out.ChannelIDs = append(out.ChannelIDs, id)
	}
	for _, label := range f.Label {
		if _, message := post.ReadLabel(label); message != "" {
			fault("label", message)
			break
		}
	}
	if f.GroupID != "" {
		id, message := idOf[ident.Group](f.GroupID, "set")
		if message != "" {
			fault("groupId", message)
		}
		out.GroupID = id
	}
	if f.CampaignID != "" {
		id, message := idOf[ident.Campaign](f.CampaignID, "campaign")
		if message != "" {
			fault("campaignId", message)
		}
		out.CampaignID = id
	}
	if f.Q != "" {
		search, message := post.ParseSearch(f.Q)
		if message != "" {
			fault("q", message)
		}
		out.Search = search
	}
	out.Statuses, out.ChannelIDs = distinct(out.Statuses), distinct(out.ChannelIDs)
	return out, faults
}

// idOf parses an identifier of a filter. The nil UUID would mean no filter.
func idOf[I interface {
	~[16]byte
	IsZero() bool
}](text, what string) (id I, fault string) {
	id, err := ident.Parse[I](text)
	switch {
	case err != nil:
		return id, jsonbody.ErrUUID.Error()
	case id.IsZero():
		return id, fmt.Sprintf("is the nil UUID, which no %s has", what)
	}
	return id, ""
}

// distinct returns the values without repetitions.
func distinct[T comparable](values []T) (out []T) {
	for _, v := range values {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// AnyOf is a filter of which a client may send one value or a list of values.
type AnyOf[T any] []T

// Schema documents the list.
func (AnyOf[T]) Schema(r huma.Registry) *huma.Schema {
	s := r.Schema(reflect.TypeFor[[]T](), true, "")
	s.Extensions = map[string]any{jsonbody.ExtensionOrOne: true}
	return s
}
