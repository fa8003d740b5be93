package apiforms

import (
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
)

// AltTexts holds a post's own alternative texts, by the id of the attachment.
type AltTexts post.AltTexts

// MarshalJSONTo writes the texts in the order of the ids.
func (t AltTexts) MarshalJSONTo(enc *jsontext.Encoder) error {
	texts := make(map[string]string, len(t))
	for id, text := range t {
		texts[id.String()] = text
	}
	return writeTexts(enc, texts)
}

// writeTexts writes an object of texts in the order of their names.
func writeTexts(enc *jsontext.Encoder, texts map[string]string) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		for _, text := range []string{name, texts[name]} {
			if err := enc.WriteToken(jsontext.String(text)); err != nil {
				return err
			}
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// Schema documents the type.
func (AltTexts) Schema(huma.Registry) *huma.Schema {
	longest := media.LongestAltText
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeString, MaxLength: &longest},
		Extensions: map[string]any{jsonbody.ExtensionNames: "uuid"},
		Examples:   []any{map[string]any{"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93": "Blue tiles on a wall"}},
	}
}
