package channels_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/channels"
)

func TestBlocks(t *testing.T) {
	t.Parallel()
	got := channels.Blocks("One `a|b`\nline.\n\n1. Add **Login**; *Client\n   login*.\n2. See [`me`](https://a.example/x).\n\n| | B |\n|---|---|\n| <b> | d |")
	require.Equal(t, []channels.Block{
		{Paragraph: []channels.Span{{Text: "One "}, {Text: "a|b", Code: true}, {Text: " line."}}},
		{Steps: [][]channels.Span{
			{{Text: "Add "}, {Text: "Login", Strong: true}, {Text: "; "}, {Text: "Client login", Emphasis: true}, {Text: "."}},
			{{Text: "See "}, {Text: "me", Href: "https://a.example/x"}, {Text: "."}},
		}},
		{
			Head: [][]channels.Span{nil, {{Text: "B"}}},
			Rows: [][][]channels.Span{{{{Text: "<b>"}}, {{Text: "d"}}}},
		},
	}, got)
	require.Equal(t, []channels.Span{{Text: "[x](javascript:alert(1))"}}, channels.Spans("[x](javascript:alert(1))"), "only links with https")
}

// TestGuidesRenderAllNotation reads every guide, and checks that no notation is left as text.
func TestGuidesRenderAllNotation(t *testing.T) {
	t.Parallel()
	entries, err := channels.Guides().ReadDir("guides")
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		raw, err := channels.Guides().ReadFile("guides/" + e.Name())
		require.NoError(t, err)
		for i, b := range channels.Blocks(string(raw)) {
			lines := append(append([][]channels.Span{b.Paragraph}, b.Steps...), b.Head...)
			for _, row := range b.Rows {
				require.Len(t, row, len(b.Head), e.Name())
				lines = append(lines, row...)
			}
			for _, line := range lines {
				for _, s := range line {
					if i > 0 && !s.Code { // the first is the title
						require.NotRegexp(t, "[`|]|\\*\\*|\\]\\(|^#|^- ", s.Text, e.Name())
					}
				}
			}
		}
	}
}
