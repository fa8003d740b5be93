package snippet_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/snippet"
	"fencepost.internal/shared/kernel/ident"
)

func TestRead(t *testing.T) {
	t.Parallel()
	here := []ident.Channel{ident.New[ident.Channel]()}
	for name, c := range map[string]struct {
		given, want snippet.Snippet
		faults      []string
	}{
		"snippet": {
			given: snippet.Snippet{Kind: snippet.Text, Name: " Hours ", Text: "Mon\r\nTue ", Settings: snippet.Settings{Automatic: true, Channels: here}},
			want:  snippet.Snippet{Kind: snippet.Text, Name: "Hours", Text: "Mon\nTue"},
		},
		"signature": {
			given: snippet.Snippet{Kind: snippet.Signature, Name: "Ada", Text: "— Ada", Settings: snippet.Settings{Automatic: true, Channels: here}},
			want:  snippet.Snippet{Kind: snippet.Signature, Name: "Ada", Text: "— Ada", Settings: snippet.Settings{Automatic: true, Channels: here}},
		},
		"signature of no channel": {
			given: snippet.Snippet{Kind: snippet.Signature, Name: "Ada", Text: "— Ada", Settings: snippet.Settings{Automatic: true}}, faults: []string{"/channels"},
		},
		"hashtags": {
			given: snippet.Snippet{Kind: snippet.Hashtags, Name: "Clay", Text: "clay, #Töpfern\n#clay#kiln_2"},
			want:  snippet.Snippet{Kind: snippet.Hashtags, Name: "Clay", Text: "#clay #Töpfern #kiln_2"},
		},
		"wrong hashtag": {given: snippet.Snippet{Kind: snippet.Hashtags, Name: "Clay", Text: "#rock-n-roll"}, faults: []string{"/text"}},
		"no hashtag":    {given: snippet.Snippet{Kind: snippet.Hashtags, Name: "Clay", Text: " # , "}, faults: []string{"/text"}},
		"mention": {
			given: snippet.Snippet{Kind: snippet.Mention, Name: "Acme", Text: "x", Settings: snippet.Settings{Handles: map[string]string{"one": " @acme ", "two": ""}}},
			want:  snippet.Snippet{Kind: snippet.Mention, Name: "Acme", Settings: snippet.Settings{Handles: map[string]string{"one": "acme"}}},
		},
		"mention without handle": {given: snippet.Snippet{Kind: snippet.Mention, Name: "Acme"}, faults: []string{"/handles"}},
		"handle of two words": {
			given:  snippet.Snippet{Kind: snippet.Mention, Name: "Acme", Settings: snippet.Settings{Handles: map[string]string{"one": "a b"}}},
			faults: []string{"/handle.one"},
		},
		"nothing":   {given: snippet.Snippet{Kind: snippet.Text}, faults: []string{"/name", "/text"}},
		"two lines": {given: snippet.Snippet{Kind: snippet.Text, Name: "a\nb", Text: "x"}, faults: []string{"/name"}},
		"longest": {
			given: snippet.Snippet{Kind: snippet.Text, Name: strings.Repeat("é", snippet.MaxName), Text: strings.Repeat("é", snippet.MaxText)},
			want:  snippet.Snippet{Kind: snippet.Text, Name: strings.Repeat("é", snippet.MaxName), Text: strings.Repeat("é", snippet.MaxText)},
		},
		"too long": {
			given:  snippet.Snippet{Kind: snippet.Text, Name: strings.Repeat("é", snippet.MaxName+1), Text: strings.Repeat("é", snippet.MaxText+1)},
			faults: []string{"/name", "/text"},
		},
		"unknown kind": {given: snippet.Snippet{Kind: "ESSAY", Name: "a", Text: "b"}, faults: []string{"/kind"}},
	} {
		got, faults := c.given.Read()
		var pointers []string
		for _, f := range faults {
			pointers = append(pointers, f.Pointer)
		}
		require.Equal(t, c.faults, pointers, name)
		if len(faults) == 0 {
			require.Equal(t, c.want, got, name)
			again, faults := got.Read()
			require.Empty(t, faults, name)
			require.Equal(t, got, again, name)
		}
	}
}

func TestMentionInNetworks(t *testing.T) {
	t.Parallel()
	s := snippet.Snippet{Kind: snippet.Mention, Name: "Acme Pottery", Settings: snippet.Settings{Handles: map[string]string{"one": "acme"}}}
	require.Equal(t, "@acme", s.In("one"))
	require.Equal(t, "Acme Pottery", s.In("two"))
}
