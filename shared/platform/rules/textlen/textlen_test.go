package textlen_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/rules/textlen"
)

func TestX(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		text string
		want int
	}{
		"empty":                            {"", 0},
		"Latin":                            {"Good morning", 12},
		"accents, one code point":          {"déjà vu", 7},
		"accents, composed first":          {"de\u0301ja\u0300 vu", 7},
		"Cyrillic and Greek":               {"Привет, Ελλάδα", 14},
		"Chinese":                          {"早上好", 6},
		"Korean":                           {"안녕", 4},
		"typographic quotes and dashes":    {"“so” – it’s", 11},
		"ellipsis weighs two":              {"…", 2},
		"emoji":                            {"🌍", 2},
		"emoji with skin tone":             {"👍🏽", 2},
		"joiner after an emoji":            {"🌍\u200d🇸🇪👩‍👩‍👧‍👦\u200d\u200d a", 2 + 1 + 2 + 2 + 2 + 2},
		"family of four":                   {"👨‍👩‍👧‍👦", 2},
		"flag":                             {"🇪🇺", 2},
		"flag of a region":                 {"🏴󠁧󠁢󠁳󠁣󠁴󠁿", 2},
		"keycap":                           {"1️⃣", 2},
		"heart with presentation selector": {"❤️", 2},
		"text with joiner in Devanagari":   {"क्‍ष", 4},
		"link":                             {"http://example.com/a/very/long/path?with=query&and=more#fragment", 23},
		"link without protocol":            {"example.com", 23},
		"two links":                        {"See https://example.com and example.org/page.", 4 + 23 + 5 + 23 + 1},
		"link in Japanese":                 {"これはexample.comです", 6 + 23 + 4},
		"mail is no link":                  {"me@example.com", 14},
		"unknown top-level domain":         {"main.go.txtx", 12},
		"lone surrogate replacement":       {"\xff", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			require.Equal(t, test.want, textlen.X(test.text))
		})
	}
}

// TestXMatchesTextLibrary compares the weighted lengths with those that X publishes for its own implementations.
func TestXMatchesTextLibrary(t *testing.T) {
	t.Parallel()

	raw, err := os.ReadFile("testdata/twitter-text/validate.json")
	require.NoError(t, err)
	var cases []struct {
		Description, Text string
		WeightedLength    int
	}
	require.NoError(t, json.Unmarshal(raw, &cases))
	require.Greater(t, len(cases), 20)
	for _, each := range cases {
		require.Equal(t, each.WeightedLength, textlen.X(each.Text), each.Description)
	}
}

func TestThreads(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		text string
		want int
	}{
		"Latin":               {"Good morning", 12},
		"Chinese":             {"早上好", 3},
		"emoji by bytes":      {"🌍", 4},
		"joined emoji":        {"👨‍👩‍👧‍👦", 25},
		"flag":                {"🇪🇺", 8},
		"keycap":              {"1️⃣", 7},
		"copyright is a sign": {"©", 1},
		"a link as it is":     {"https://example.com", 19},
		"CJK radical":         {"⺀", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			require.Equal(t, test.want, textlen.Threads(test.text))
		})
	}
}

func TestUTF16(t *testing.T) {
	t.Parallel()

	require.Equal(t, 0, textlen.UTF16(""))
	require.Equal(t, 5, textlen.UTF16("Grüße"))
	require.Equal(t, 3, textlen.UTF16("早上好"))
	require.Equal(t, 2, textlen.UTF16("🌍"))
	require.Equal(t, 11, textlen.UTF16("👨‍👩‍👧‍👦"))
	require.Equal(t, 1, textlen.UTF16("\xff"))
}

func TestCharactersAndUTF8(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		text              string
		characters, bytes int
	}{
		"empty":        {"", 0, 0},
		"accents":      {"Grüße", 5, 7},
		"Chinese":      {"早上好", 3, 9},
		"emoji":        {"🌍", 1, 4},
		"joined emoji": {"👨‍👩‍👧‍👦", 7, 25},
		"no UTF-8":     {"\xff", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			require.Equal(t, test.characters, textlen.Characters(test.text))
			require.Equal(t, test.bytes, textlen.UTF8(test.text))
		})
	}
}

func TestFirstURL(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"":                               "",
		"see example.com":                "",
		"(https://example.com/a), after": "https://example.com/a",
		"example.com or http://b.example.org/?c=d.": "http://b.example.org/?c=d",
		"see https://ja.wikipedia.org/wiki/日本語 end": "https://ja.wikipedia.org/wiki/日本語",
	} {
		require.Equal(t, want, textlen.FirstURL(text), text)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"none":              {"no link here", nil},
		"end of a sentence": {"Read https://example.com/a. Then rest.", []string{"https://example.com/a"}},
		"in parentheses":    {"(https://example.com/a)", []string{"https://example.com/a"}},
		"parentheses in the path": {
			"https://example.org/Go_(language)/x", []string{"https://example.org/Go_(language)/x"},
		},
		"open parenthesis":           {"https://example.org/a(b", []string{"https://example.org/a"}},
		"nested parentheses":         {"https://example.org/a(b(c)d)e", []string{"https://example.org/a(b(c)d)e"}},
		"port":                       {"http://example.com:8080/x", []string{"http://example.com:8080/x"}},
		"colon without port":         {"example.com: a site", []string{"example.com"}},
		"upper case":                 {"HTTPS://Example.COM/A", []string{"HTTPS://Example.COM/A"}},
		"query alone":                {"example.com?a=b!", []string{"example.com?a=b"}},
		"country code":               {"www.example.co.uk", []string{"www.example.co.uk"}},
		"internationalised host":     {"https://müller.example.de/x", []string{"https://müller.example.de/x"}},
		"Cyrillic path":              {"https://example.com/страница", []string{"https://example.com/страница"}},
		"hashtag, mention, cashtag":  {"#example.com @example.com $example.com", nil},
		"plus in an address of mail": {"first.last+tag@example.com", nil},
		"other protocol":             {"ftp://example.com", nil},
		"hyphen at the end":          {"https://example-.com", nil},
		"underscore in the domain":   {"https://exam_ple.com", nil},
		"underscore in a subdomain":  {"https://a_b.example.com", []string{"https://a_b.example.com"}},
		"label too long":             {"https://" + strings.Repeat("a", 64) + ".com", nil},
		"short link with apostrophe": {"https://t.co/AbCd123's", []string{"https://t.co/AbCd123"}},
		"short link with parameters": {"https://t.co/AbCd123?amp=1", []string{"https://t.co/AbCd123?amp=1"}},
		"endless host":               {"https://" + strings.Repeat("a.", 1000) + "com", nil},
		"short link too long":        {"https://t.co/" + strings.Repeat("a", 41), nil},
		"host of the shortener":      {"https://t.co", []string{"https://t.co"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var got []string
			for _, link := range textlen.Links(test.text) {
				got = append(got, test.text[link.Start:link.End])
			}
			require.Equal(t, test.want, got)
		})
	}
}

// TestAddresses checks that an address is whole, with the characters that X's links end before.
func TestAddresses(t *testing.T) {
	t.Parallel()

	for text, want := range map[string][]string{
		"a example.com b": nil,
		"https://example.com/search?q=東京&x=1 end": {"https://example.com/search?q=東京&x=1"},
		"https://example.com/items/{id}/edit":     {"https://example.com/items/{id}/edit"},
		"https://bücher.de/straße?x=ü":            {"https://bücher.de/straße?x=ü"},
		"https://example.com:8080#top, then":      {"https://example.com:8080#top"},
		"(see https://example.com/a_(b)). Then":   {"https://example.com/a_(b)"},
		"「https://example.com/日本」と。":              {"https://example.com/日本"},
		"https://example.com/a(b":                 {"https://example.com/a"},
		`<a href="https://example.com/ä">`:        {"https://example.com/ä"},
		"Have you seen https://example.com/東?\n":  {"https://example.com/東"},
		"https://example.comは":                    {"https://example.com"},
		"https://example.com/a https://example.com/日 https://example.com/木": {
			"https://example.com/a", "https://example.com/日", "https://example.com/木",
		},
		"https://web.example.org/日/https://example.com/b": {"https://web.example.org/日/https://example.com/b"},
		"https://example.com/\xff":                        {"https://example.com/"},
	} {
		var got []string
		for _, link := range textlen.Addresses(text) {
			got = append(got, text[link.Start:link.End])
		}
		require.Equal(t, want, got, text)
	}
}

func FuzzLengths(f *testing.F) {
	f.Add("Good morning https://example.com/a(b)?c=d#e 👍🏽 これはexample.comです")
	f.Add("a.b.c.d\xff..-_.co:80/(((")
	f.Fuzz(func(t *testing.T, text string) {
		require.GreaterOrEqual(t, textlen.X(text), 0)
		require.GreaterOrEqual(t, textlen.Threads(text), 0)
		require.GreaterOrEqual(t, textlen.Mastodon(text, 0), 0)
		for _, links := range [][]textlen.Link{textlen.Links(text), textlen.Addresses(text)} {
			end := 0
			for _, link := range links {
				require.GreaterOrEqual(t, link.Start, end)
				require.Greater(t, link.End, link.Start)
				require.LessOrEqual(t, link.End, len(text))
				end = link.End
			}
		}
	})
}

func TestGraphemes(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]int{
		"": 0, "Grüße": 5, "Gru\u0308ße": 5, "👩‍👩‍👧‍👦": 1, "🇩🇪🇫🇷": 2, "👍🏽!": 2, "a\r\nb": 3, "早上好": 3, "1️⃣": 1,
	} {
		require.Equal(t, want, textlen.Graphemes(text), "%q", text)
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
		require.Equal(t, want, textlen.Mastodon(text, 0), "%q", text)
	}
	require.Equal(t, 2+30, textlen.Mastodon("a https://b.com", 30))
}
