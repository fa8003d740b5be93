package rules_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/rules"
	"fencepost.internal/shared/platform/rules/textlen"
)

// within returns what fits into a length of a network's measure.
func within(count func(string) int, most int) func(string) bool {
	return func(text string) bool { return count(text) <= most }
}

func TestSplit(t *testing.T) {
	t.Parallel()
	const family, flags, thumb = "👨‍👩‍👧‍👦", "🇯🇵🇩🇪", "👍🏽"
	for name, c := range map[string]struct {
		text     string
		fits     func(string) bool
		numbered bool
		want     []string
	}{
		"fits":            {text: " One bowl. ", fits: within(textlen.X, 20), numbered: true, want: []string{"One bowl."}},
		"empty":           {text: " \n ", fits: within(textlen.X, 20), want: []string{""}},
		"paragraphs":      {text: "One bowl.\n\nTwo cups. Red.\n \nThree.", fits: within(textlen.X, 20), want: []string{"One bowl.", "Two cups. Red.", "Three."}},
		"lines":           {text: "One bowl\ntwo cups and\nmore", fits: within(textlen.X, 21), want: []string{"One bowl\ntwo cups and", "more"}},
		"sentences":       {text: "One bowl. Two cups? Yes!", fits: within(textlen.X, 20), want: []string{"One bowl. Two cups?", "Yes!"}},
		"words":           {text: "one bowl and two cups", fits: within(textlen.X, 10), want: []string{"one bowl", "and two", "cups"}},
		"a short start":   {text: "Hi.\n\nTwo cups stay on the shelf now", fits: within(textlen.X, 20), want: []string{"Hi.\n\nTwo cups stay", "on the shelf now"}},
		"a long word":     {text: "abcdefghijkl", fits: within(textlen.X, 5), want: []string{"abcde", "fghij", "kl"}},
		"numbers":         {text: "one bowl and two cups", fits: within(textlen.X, 12), numbered: true, want: []string{"one bowl 1/3", "and two 2/3", "cups 3/3"}},
		"a link on X":     {text: "see https://acme.com/a/very/long/path/to/the/bowls there", fits: within(textlen.X, 27), want: []string{"see https://acme.com/a/very/long/path/to/the/bowls", "there"}},
		"a link":          {text: "see https://acme.com/bowls there", fits: within(textlen.Graphemes, 24), want: []string{"see", "https://acme.com/bowls", "there"}},
		"a link too long": {text: "see https://acme.com/bowls there", fits: within(textlen.Graphemes, 10), want: []string{"see", "https://acme.com/bowls", "there"}},
		"a mention":       {text: "by @anna-lena.bsky.social too", fits: within(textlen.Graphemes, 24), want: []string{"by", "@anna-lena.bsky.social", "too"}},
		"a hashtag":       {text: "陶器です #日本の陶器市場 きれい", fits: within(textlen.Graphemes, 9), want: []string{"陶器です", "#日本の陶器市場", "きれい"}},
		"Japanese":        {text: "陶器を焼きました。とても綺麗です！見に来てください？", fits: within(textlen.X, 36), want: []string{"陶器を焼きました。とても綺麗です！", "見に来てください？"}},
		"Japanese words":  {text: "陶器を焼きました、綺麗", fits: within(textlen.X, 16), want: []string{"陶器を焼きまし", "た、綺麗"}},
		"Chinese":         {text: "我们烧了陶器。很漂亮", fits: within(textlen.X, 16), want: []string{"我们烧了陶器。", "很漂亮"}},
		"Thai":            {text: "ภาษาไทยไม่มีช่องว่าง", fits: within(textlen.Graphemes, 8), want: []string{"ภาษาไทย", "ไม่มีช่องว่า", "ง"}},
		"emoji":           {text: strings.Repeat(family, 3) + flags + thumb, fits: within(textlen.Graphemes, 2), want: []string{family + family, family + "🇯🇵", "🇩🇪" + thumb}},
		"bytes of emoji":  {text: family + family, fits: within(textlen.Threads, 30), want: []string{family, family}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, rules.Split(c.text, c.fits, c.numbered))
		})
	}
}

// TestSplitManyParts counts the digits of the numbers of ten parts and more.
func TestSplitManyParts(t *testing.T) {
	t.Parallel()
	parts := rules.Split(strings.Repeat("clay bowls ", 40), within(textlen.X, 24), true)
	require.Greater(t, len(parts), 9)
	for _, part := range parts {
		require.LessOrEqual(t, textlen.X(part), 24)
	}
	require.Regexp(t, ` 1/\d\d$`, parts[0])
}

// TestSplitKeepsTheText divides random texts: each part fits, no link and no character is divided, the order is kept, and
// the parts are the text.
func TestSplitKeepsTheText(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // G404: texts of a test
	words := []string{
		"clay", "Bowls.", "https://acme.com/a-b/ö?c=d", "acme.com", "#töpfern", "@anna.bsky.social", "👨‍👩‍👧‍👦", "🇯🇵🇩🇪", "1️⃣", "陶器を焼きました。", "ไทย",
		"e\u0301te\u0301", "\n", "\n\n", " ", "well-known", "…", "「はい」",
	}
	measures := map[string]func(string) int{"X": textlen.X, "Threads": textlen.Threads, "graphemes": textlen.Graphemes}
	bare := func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, text)
	}
	for range 300 {
		var text strings.Builder
		for range random.IntN(60) + 1 {
			text.WriteString(words[random.IntN(len(words))])
			if random.IntN(3) > 0 {
				text.WriteString(" ")
			}
		}
		given := text.String()
		most := 60 + random.IntN(60)
		for name, count := range measures {
			parts := rules.Split(given, within(count, most), false)
			require.Equal(t, parts, rules.Split(given, within(count, most), false))
			require.Equal(t, bare(given), bare(strings.Join(parts, "")), name)
			links, clusters := 0, 0
			for _, part := range parts {
				if links += len(textlen.Addresses(part)); !strings.Contains(part, "acme") {
					require.LessOrEqual(t, count(part), most, "%s: %q of %q", name, part, given)
				}
				clusters += uniseg.GraphemeClusterCount(bare(part))
			}
			require.Len(t, textlen.Addresses(strings.TrimSpace(given)), links, "%s: %q", name, given)
			numbered := rules.Split(given, within(count, most), true)
			for i, part := range parts[:min(1, len(numbered)-1)] {
				require.True(t, strings.HasPrefix(part, strings.TrimSuffix(numbered[i], fmt.Sprintf(" %d/%d", i+1, len(numbered)))))
			}
			require.LessOrEqual(t, uniseg.GraphemeClusterCount(bare(given)), clusters)
		}
	}
}

func TestRenumber(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, parts, want []string }{
		"moved": {
			[]string{"One 1/3", "Two 2/3", "Three 3/3"},
			[]string{"One 1/3", "Three 3/3", "Two 2/3"},
			[]string{"One 1/3", "Three 2/3", "Two 3/3"},
		},
		"added":       {[]string{"One 1/2", "Two 2/2"}, []string{"One 1/2", "Two 2/2", ""}, []string{"One 1/3", "Two 2/3", ""}},
		"one is left": {[]string{"One 1/2", "Two 2/2"}, []string{"One 1/2"}, []string{"One"}},
		"typed since": {
			[]string{"One 1/3", "Two 2/3", "Three"}, []string{"One 1/3", "Three", "Two 2/3"}, []string{"One 1/3", "Three 2/3", "Two 3/3"},
		},
		"not numbered":         {[]string{"It costs 1/3", "Two", "3"}, []string{"It costs 1/3", "Two"}, []string{"It costs 1/3", "Two"}},
		"another first number": {[]string{"It costs 2/2", "Two 2/2"}, []string{"It costs 2/2"}, []string{"It costs 2/2"}},
		"own numbers are kept": {[]string{"It costs 1/2", "And 1/2"}, []string{"It costs 1/2"}, []string{"It costs 1/2"}},
		"a number of the text": {[]string{"One 1/2", "Two 2/2"}, []string{"One 1/2", "A half: 1/2"}, []string{"One 1/2", "A half: 1/2 2/2"}},
		"the number of another": {
			[]string{"One 1/3", "Two 2/3", "It costs 2/3"}, []string{"One 1/3", "It costs 2/3"}, []string{"One 1/2", "It costs 2/3 2/2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, rules.Renumber(c.parts, c.before))
		})
	}
}
