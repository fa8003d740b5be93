package figures_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/figures"
)

// vectors are the texts of X's text library, in the test data of package textlen.
const vectors = "../../../../shared/platform/rules/textlen/testdata/twitter-text/validate.json"

// TestXMatchesTextLibrary compares the weighted lengths with those that X publishes for its own implementations.
func TestXMatchesTextLibrary(t *testing.T) {
	t.Parallel()

	raw, err := os.ReadFile(vectors)
	require.NoError(t, err)
	var cases []struct {
		Description, Text string
		WeightedLength    int
	}
	require.NoError(t, json.Unmarshal(raw, &cases))
	require.Greater(t, len(cases), 20)
	for _, each := range cases {
		require.Equal(t, each.WeightedLength, figures.X(each.Text), each.Description)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()

	for text, want := range map[string][]string{
		"":                                   nil,
		"See https://example.com/a_(b)?c=d.": {"https://example.com/a_(b)?c=d"},
		"example.com and example.org.":       {"example.com", "example.org"},
		"これはexample.comです":                   {"example.com"},
		"http://☃.net/ http://例え.テスト":                               {"http://☃.net/"},
		"me@example.com @user.com #x.com":                           nil,
		"main.go.txtx":                                              nil,
		"a/example.com -b.com":                                      nil,
		"https://t.co/abc?x=1":                                      {"https://t.co/abc?x=1"},
		"https://t.co/aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeee": nil,
		"HTTPS://EXAMPLE.COM:80/path/":                              {"HTTPS://EXAMPLE.COM:80/path/"},
	} {
		var found []string
		for _, link := range figures.Links(text) {
			found = append(found, text[link.Start:link.End])
		}
		require.Equal(t, want, found, text)
	}
}

func TestOtherMeasures(t *testing.T) {
	t.Parallel()

	for text, want := range map[string][3]int{ // Threads, UTF-16, characters
		"Good morning": {12, 12, 12},
		"早上好":          {3, 3, 3},
		"🌍":            {4, 2, 1},
		"👨‍👩‍👧‍👦":      {25, 11, 7},
		"🇪🇺":           {8, 4, 2},
		"1️⃣":          {7, 3, 3},
		"©":            {1, 1, 1},
		"❤️":           {6, 2, 2},
		"\xff":         {1, 1, 1},
	} {
		require.Equal(t, want, [3]int{figures.Threads(text), figures.UTF16(text), figures.Characters(text)}, text)
	}
}

func TestGraphemes(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]int{
		"": 0, "Grüße": 5, "Gru\u0308ße": 5, "👩‍👩‍👧‍👦": 1, "🇩🇪🇫🇷": 2, "👍🏽!": 2, "a\r\nb": 3, "早上好": 3, "1️⃣": 1, "\xff": 1,
	} {
		require.Equal(t, want, figures.Graphemes(text), "%q", text)
	}
}

func TestMastodon(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]int{
		"": 0, "Grüße 👩‍👩‍👧‍👦": 7, "https://example.com/a/very/long/path/to/something": 23, "example.com": 11,
		"hi @bob@mastodon.example.com!": 8, "me@example.com": 14,
		"@jane.doe.example@social.example.com @a-b_c@x.org.": 25, "a@b@example.com /@bob@example.com": 33,
		"https://ja.wikipedia.org/wiki/日本語 https://example.com/x/{id}": 47, "https://t.co/" + strings.Repeat("a", 41): 23,
		"https://example.com/search?q=東京&x=1 https://example.com/a(b)c.": 48,
	} {
		require.Equal(t, want, figures.Mastodon(text), "%q", text)
	}
}
