package source_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/source"
	"fencepost.internal/shared/kernel/ident"
)

func TestRead(t *testing.T) {
	t.Parallel()
	good := source.Source{URL: " https://example.com/ä ", Template: source.DefaultTemplate, Channels: []ident.Channel{ident.New[ident.Channel]()}}
	read, faults := good.Read()
	require.Empty(t, faults)
	require.Equal(t, "https://example.com/%C3%A4", read.URL)
	require.Equal(t, read.URL, read.Name(), "it has no title yet")
	read.Template = "{title}" + strings.Repeat("x", source.LongestTemplate)
	_, faults = read.Read()
	require.Len(t, faults, 1)
	_, faults = source.Source{URL: "ftp://example.com", Template: "news"}.Read()
	require.Len(t, faults, 3)
}

// TestText checks that placeholders in the words of a feed are words.
func TestText(t *testing.T) {
	t.Parallel()
	s := source.Source{Template: source.DefaultTemplate}
	require.Equal(t, "About {link}\n\nhttps://example.com", s.Text("About {link}", "https://example.com"))
	require.Equal(t, "Title", s.Text("Title", ""))
}

func TestFailed(t *testing.T) {
	t.Parallel()
	s := source.Source{}
	for range source.MaxFailures - 1 {
		s = s.Failed("down", time.Time{})
		require.False(t, s.Paused)
	}
	require.True(t, s.Failed("down", time.Time{}).Paused)
}
