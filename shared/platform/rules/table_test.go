package rules_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/rules"
)

// TestRows checks that exactly the types that can be published to have a row.
func TestRows(t *testing.T) {
	t.Parallel()

	var types []channel.Type
	for _, typ := range channel.Types() {
		row, ok := connectors.Rules().Of(typ)
		require.Equal(t, typ.Capabilities().Publish, ok, "%s", typ)
		if ok {
			require.Equal(t, typ, row.Type)
			types = append(types, typ)
		}
	}
	all := connectors.Rules().All()
	for i, row := range all {
		require.Equal(t, types[i], row.Type)
	}
}

// TestRowsAreComplete checks that the forms are complete. An incomplete form would accept everything, or nothing.
func TestRowsAreComplete(t *testing.T) {
	t.Parallel()

	for _, row := range connectors.Rules().All() {
		require.NotEmpty(t, row.Name)
		require.NotEmpty(t, row.Forms)
		require.Contains(t, row.ContentTypes(), post.ContentPost, "%s: the type that is meant when none is given", row.Type)
		for _, form := range row.Forms {
			name := row.Name + " " + form.Name
			require.NotEmpty(t, form.As, name)
			require.LessOrEqual(t, form.Media.Min, form.Media.Max, name)
			require.Equal(t, form.Media.Max > 0, len(form.Media.Of) > 0, name)
			require.Equal(t, form.Text.Dropped, form.Text.Max == 0, name)
			for _, file := range form.Media.Of {
				require.Contains(t, media.Types(), file.Type, name)
				require.LessOrEqual(t, file.Min, file.Max, name)
				require.True(t, file.Frames == 0 || file.Type == media.GIF || file.Type == media.Document, name)
				for _, demand := range file.Demands() {
					require.False(t, demand.Unsure && demand.Else != "", "%s: %s", name, demand.Takes)
				}
			}
		}
		for _, note := range row.Notes {
			require.True(t, strings.HasSuffix(note, "."), note)
		}
	}
}

// TestRowOptionsMatchPostOptions checks that the rows' options are members of post.Options of the correct type, and that every
// member is covered.
func TestRowOptionsMatchPostOptions(t *testing.T) {
	t.Parallel()

	kinds := make(map[string]reflect.Kind)
	for field := range reflect.TypeFor[post.Options]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if kinds[name] = field.Type.Kind(); kinds[name] == reflect.Pointer {
			kinds[name] = field.Type.Elem().Kind()
		}
	}
	known := make(map[string]bool)
	for _, row := range connectors.Rules().All() {
		for _, option := range row.Options {
			known[option.Name] = true
			kind, ok := kinds[option.Name]
			require.True(t, ok, "%s %s", row.Type, option.Name)
			require.Equal(t, option.Is == rules.Flag, kind == reflect.Bool, "%s %s", row.Type, option.Name)
			require.Equal(t, option.Is == rules.List, kind == reflect.Slice, "%s %s", row.Type, option.Name)
			require.Equal(t, option.Is == rules.Integer || option.Is == rules.Moment, kind == reflect.Int64, "%s %s", row.Type, option.Name)
			if option.Is != rules.Integer {
				require.Equal(t, option.Is == rules.Word, len(option.Values) > 0, "%s %s", row.Type, option.Name)
			}
			require.NotEmpty(t, option.Meaning)
			for _, name := range slices.Concat(option.Overrules, option.Excludes) {
				require.True(t, slices.ContainsFunc(row.Options, func(o rules.Option) bool { return o.Name == name }), name)
			}
		}
	}
	for name := range kinds {
		require.True(t, known[name], "no row knows the option %s", name)
	}
}

// TestCallersCannotModifyTable checks that each caller gets its own copy of a row.
func TestCallersCannotModifyTable(t *testing.T) {
	t.Parallel()

	row, _ := connectors.Rules().Of(channel.Twitter)
	row.Forms[0].Text.Max = 1
	require.Empty(t, connectors.Rules().Check(channel.Twitter, posted(text("two"))))
}

func TestUnsupportedTypes(t *testing.T) {
	t.Parallel()

	for _, typ := range []channel.Type{channel.FacebookGroup, channel.WhatsAppBusiness, "NEW_NETWORK", ""} {
		require.Nil(t, connectors.Rules().Check(typ, platform.Content{}))
		require.Nil(t, connectors.Rules().CheckOptions(typ, post.Options{BoardID: "1"}))
	}
}

// TestWords checks the phrases that the documentation uses for limits.
func TestWords(t *testing.T) {
	t.Parallel()

	image, video := rules.File{Type: media.Image, Max: mB}, rules.File{Type: media.Video, Min: 75 * kB, Max: gB + gB/2}
	require.Equal(t, "image", image.String())
	require.Equal(t, "file", rules.File{Type: "AUDIO"}.String())
	require.Equal(t, "up to 1 MB", image.Sizes())
	require.Equal(t, "75 kB to 1.5 GB", video.Sizes())
	require.Equal(t, "any", rules.File{}.Sizes())
	require.Equal(t, "up to 1000 bytes", rules.File{Max: 1000}.Sizes())
	require.Equal(t, "up to 2 MB", rules.File{Max: 2*mB - 1}.Sizes())

	require.Equal(t, "no media", rules.Media{}.String())
	require.Equal(t, "1 image or video", rules.Media{Min: 1, Max: 1, Of: []rules.File{image, video}}.String())
	require.Equal(t, "up to 4 images", rules.Media{Min: 1, Max: 4, Of: []rules.File{image}}.String())
	require.Equal(t, "2 to 5 images and videos", rules.Media{Min: 2, Max: 5, Of: []rules.File{image, video}}.String())

	require.Equal(t, []string{
		"up to 4 pixels in width", "at least 1,000 pixels in height", "aspect ratio at least 1:2", "at least 90 seconds",
		"up to 2 pages",
	},
		takes(rules.File{
			Type: media.Document, Frames: 2, Length: rules.Length{Min: 90 * second},
			Shape: rules.Shape{
				Width: rules.Span{Max: 4}, Height: rules.Span{Min: 1_000}, Ratio: rules.Ratios{Min: rules.Ratio{Wide: 1, High: 2}},
			},
		}))
	require.Equal(t, []string{"aspect ratio 16:9", "1 second to 3 minutes", "up to 1 frame"},
		takes(rules.File{
			Type: media.GIF, Frames: 1, Length: rules.Length{Min: second, Max: 3 * minute},
			Shape: rules.Shape{Ratio: rules.Ratios{Min: rules.Ratio{Wide: 16, High: 9}, Max: rules.Ratio{Wide: 16, High: 9}}},
		}))

	for format, name := range map[rules.Format]string{
		rules.HEIC: "HEIC", rules.MOV: "MOV", rules.WebM: "WebM", rules.PDF: "PDF", "image/heif": "image/heif",
	} {
		require.Equal(t, name, format.Name())
	}
}

func takes(file rules.File) []string {
	var all []string
	for _, demand := range file.Demands() {
		all = append(all, demand.Takes)
	}
	return all
}
