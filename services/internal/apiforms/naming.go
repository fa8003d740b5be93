package apiforms

import (
	"maps"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// Naming has what clients call the posts that they create.
type Naming struct {
	Labels     Labels         `json:"labels,omitempty" doc:"Labels of the posts. A label that the workspace does not have is created."`
	CampaignID ident.Campaign `json:"campaignId,omitzero" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b65" doc:"Campaign of the posts."`
	ExternalID string         `json:"externalId,omitempty" nullable:"true" maxLength:"200" example:"cms-4711" doc:"ID of the posts in the client's own system. No other post of a channel may have it."`
	Metadata   Metadata       `json:"metadata,omitzero" doc:"Values that the client stores with the posts: at most 20, with names of at most 40 characters."`
}

// Check implements Body.
func (n Naming) Check() []apperr.Field {
	_, faults := post.ReadLabels(n.Labels, "/labels")
	return append(append(faults, externalIDFaults(n.ExternalID)...), post.Metadata(n.Metadata).Faults("/metadata")...)
}

// named completes the input of a use case. Check must have found no fault.
func (n Naming) named(in app.CreatePosts) app.CreatePosts {
	in.Labels, _ = post.ReadLabels(n.Labels, "/labels")
	in.CampaignID, in.ExternalID, in.Metadata = n.CampaignID, n.ExternalID, post.Metadata(n.Metadata)
	return in
}

// externalIDFaults returns what is wrong with an external id, which is compared byte by byte. The schema limits its length.
func externalIDFaults(id string) []apperr.Field {
	var message string
	switch {
	case !plaintext.OneLine(id):
		message = "contains control characters; send one line of plain text"
	case id != "" && strings.TrimSpace(id) == "":
		message = "consists of spaces; send the id of your system, or omit it"
	default:
		return nil
	}
	return []apperr.Field{{Pointer: "/externalId", Message: message}}
}

// Labels are the labels of a post.
type Labels []string

// Schema documents the type.
func (Labels) Schema(huma.Registry) *huma.Schema {
	shortest, longest, most := 1, post.LongestLabel, post.MaxLabels
	return &huma.Schema{
		Type: huma.TypeArray, MaxItems: &most, UniqueItems: true, Examples: []any{[]any{"Spring"}},
		Items: &huma.Schema{Type: huma.TypeString, MinLength: &shortest, MaxLength: &longest},
	}
}

// Metadata holds the values that a client stored with a post, by their names.
type Metadata post.Metadata

// MarshalJSONTo writes the values in the order of their names.
func (m Metadata) MarshalJSONTo(enc *jsontext.Encoder) error { return writeTexts(enc, m) }

// Schema documents the type.
func (Metadata) Schema(huma.Registry) *huma.Schema { return metadataSchema() }

func metadataSchema() *huma.Schema {
	longest := post.LongestMetadataValue
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeString, MaxLength: &longest},
		Examples: []any{map[string]any{"campaign": "spring"}},
	}
}

// metadataPatch is a merge patch (RFC 7396) of a post's metadata.
type metadataPatch struct { //nolint:recvcheck // Schema needs a value, decoding a pointer
	values map[string]*string
}

// UnmarshalJSONFrom reads the patch; null removes all values.
func (p *metadataPatch) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return json.UnmarshalDecode(dec, &p.values)
}

// Schema documents the patch.
func (metadataPatch) Schema(huma.Registry) *huma.Schema {
	s := metadataSchema()
	values, _ := s.AdditionalProperties.(*huma.Schema)
	s.Nullable, values.Nullable = true, true
	return s
}

// faults returns the faults of the values that the patch sets.
func (p metadataPatch) faults() []apperr.Field { return p.set(nil).Faults("/metadata") }

// apply returns the metadata after the patch; VALIDATION_FAILED if it has too many values then.
func (p metadataPatch) apply(before post.Metadata) (post.Metadata, error) {
	if p.values == nil {
		return nil, nil
	}
	after := p.set(before)
	return after, apperr.Invalid(after.Faults("/metadata"))
}

// set returns metadata with the values of the patch.
func (p metadataPatch) set(before post.Metadata) post.Metadata {
	after := post.Metadata{}
	maps.Copy(after, before)
	for name, value := range p.values {
		if value == nil {
			delete(after, name)
			continue
		}
		after[name] = *value
	}
	return after
}
