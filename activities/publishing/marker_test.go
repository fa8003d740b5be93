package publishing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// TestMarkerDistinguishesContents checks that a preparation is reused only for the same content.
func TestMarkerDistinguishesContents(t *testing.T) {
	t.Parallel()
	first, second := media.Asset{ID: ident.New[ident.Media]()}, media.Asset{ID: ident.New[ident.Media]()}
	described, other := first, first
	described.AltText, other.AltText = "tiles", "stairs"
	contents := []platform.Content{
		{Text: "a"},
		{Text: "b"},
		{Title: "a"},
		{Title: "a", Text: "a"},
		{Text: "a", Media: []media.Asset{first}},
		{Text: "a", Media: []media.Asset{second}},
		{Text: "a", Media: []media.Asset{first, second}},
		{Text: "a", Media: []media.Asset{second, first}},
		{Text: "a", Media: []media.Asset{described}},
		{Text: "a", Media: []media.Asset{other}},
		{Text: "a", Media: []media.Asset{described, second}},
		{Text: "a", Media: []media.Asset{second, described}},
	}
	of := make(map[string]int)
	for i, content := range contents {
		marker := publishing.Marker(content)
		require.Equal(t, marker, publishing.Marker(content))
		require.NotContains(t, of, marker, "content %d", i)
		of[marker] = i
	}
}
