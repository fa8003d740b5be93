package post

import (
	"maps"
	"slices"
	"strings"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// AltTexts holds a post's own alternative texts of its attachments. Each replaces the text of the asset in this post,
// also if it is empty (docs/contract.md, Alternative texts).
type AltTexts map[ident.Media]string

// Faults returns a fault for each text of an asset that is not attached, in the order of the ids.
func (t AltTexts) Faults(attached []ident.Media) []apperr.Field {
	var faults []apperr.Field
	for _, id := range slices.SortedFunc(maps.Keys(t), func(a, b ident.Media) int {
		return strings.Compare(a.String(), b.String())
	}) {
		if !slices.Contains(attached, id) {
			faults = append(faults, apperr.Field{
				Pointer: "/mediaAltTexts/" + id.String(),
				Message: "is not the id of an attachment; add it to the media of the post, or remove its text",
			})
		}
	}
	return faults
}

// Of returns the texts of the attached assets.
func (t AltTexts) Of(attached []ident.Media) AltTexts {
	kept := maps.Clone(t)
	maps.DeleteFunc(kept, func(id ident.Media, _ string) bool { return !slices.Contains(attached, id) })
	return kept
}
