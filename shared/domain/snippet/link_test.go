package snippet_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/snippet"
)

func placement() snippet.Placement {
	return snippet.Placement{Network: "net", Channel: "Our News & Co", Date: time.Date(2026, time.November, 28, 9, 0, 0, 0, time.UTC)}
}

func TestTag(t *testing.T) {
	t.Parallel()
	rule := snippet.LinkRule{Source: "{network}", Medium: "social", Except: []string{"partner.example", "bücher.example"}}
	const tags = "utm_source=net&utm_medium=social"
	for given, want := range map[string]string{
		"":                                   "",
		"no link, acme.example":              "no link, acme.example",
		"https://acme.example":               "https://acme.example?" + tags,
		"See https://acme.example/a.":        "See https://acme.example/a?" + tags + ".",
		"(https://acme.example/a)":           "(https://acme.example/a?" + tags + ")",
		"https://acme.example/a_(b)":         "https://acme.example/a_(b)?" + tags,
		"“https://acme.example/a”, or":       "“https://acme.example/a?" + tags + "”, or",
		"https://acme.example/a?b=c":         "https://acme.example/a?b=c&" + tags,
		"https://acme.example/a?":            "https://acme.example/a",
		"https://acme.example/a#top":         "https://acme.example/a?" + tags + "#top",
		"https://acme.example/a?b=%20c#t?q":  "https://acme.example/a?b=%20c&" + tags + "#t?q",
		"HTTP://ACME.example:8080/Ä":         "HTTP://ACME.example:8080/Ä?" + tags,
		"https://müller.example/straße":      "https://müller.example/straße?" + tags,
		"https://acme.example/?utm_source=x": "https://acme.example/?utm_source=x",
		"https://acme.example/?a=1&UTM_ID=x": "https://acme.example/?a=1&UTM_ID=x",
		"https://acme.example/?q=utm_source": "https://acme.example/?q=utm_source&" + tags,
		"https://partner.example/a":          "https://partner.example/a",
		"https://Shop.Partner.example/a":     "https://Shop.Partner.example/a",
		"https://notpartner.example/a":       "https://notpartner.example/a?" + tags,
		"https://BÜCHER.example/a":           "https://BÜCHER.example/a",
		"https://%zz/":                       "https://%zz/",
		"https://":                           "https://",
		"https://a.example https://b.example/?c=d\nhttps://a.example!": "https://a.example?" + tags + " https://b.example/?c=d&" + tags +
			"\nhttps://a.example?" + tags + "!",
	} {
		if strings.HasSuffix(given, "?") { // a question about an address
			want += "?" + tags + "?"
		}
		require.Equal(t, want, rule.Tag(given, placement()), given)
		require.Equal(t, want, rule.Tag(want, placement()), "twice: %s", given)
		replaced := given
		for _, r := range rule.Replacements(given, placement()) {
			require.Contains(t, replaced, r.From)
			require.Contains(t, want, r.To)
		}
	}
}

func TestTagFillsPlaceholders(t *testing.T) {
	t.Parallel()
	rule := snippet.LinkRule{Source: "{network}", Campaign: "{channel} {date} é"}
	require.Equal(t, "https://a.example?utm_source=net&utm_campaign=our-news-%26-co+2026-11-28+%C3%A9", rule.Tag("https://a.example", placement()))
	require.Equal(t, "https://a.example", snippet.LinkRule{Medium: "social"}.Tag("https://a.example", placement()), "the rule is off")
	require.True(t, rule.Varies())
	require.False(t, snippet.LinkRule{Source: "x", Campaign: "y"}.Varies())
	require.Empty(t, snippet.LinkRule{}.Replacements("https://a.example", placement()))
	require.Equal(t, []snippet.Replacement{{"https://a.example", "https://a.example?utm_source=x"}, {"https://b.example", "https://b.example?utm_source=x"}},
		snippet.LinkRule{Source: "x"}.Replacements("https://a.example, https://b.example (https://a.example)", placement()))
}

func TestReadLinkRule(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given, want snippet.LinkRule
		faults      []string
	}{
		"none": {},
		"all": {
			given: snippet.LinkRule{
				Source: " {network} ", Medium: "social", Campaign: "{channel}-{date}", Automatic: true,
				Except: []string{" Example.com", "", "https://shop.example/a", "example.com", "bücher.example"},
			},
			want: snippet.LinkRule{
				Source: "{network}", Medium: "social", Campaign: "{channel}-{date}", Automatic: true,
				Except: []string{"example.com", "shop.example", "bücher.example"},
			},
		},
		"unknown placeholder": {given: snippet.LinkRule{Source: "{post}"}, faults: []string{"/source"}},
		"no source":           {given: snippet.LinkRule{Medium: "social"}, faults: []string{"/source"}},
		"automatic nothing":   {given: snippet.LinkRule{Automatic: true}, faults: []string{"/source"}},
		"two lines":           {given: snippet.LinkRule{Source: "x", Medium: "a\nb"}, faults: []string{"/medium"}},
		"no host":             {given: snippet.LinkRule{Source: "x", Except: []string{"a b"}}, faults: []string{"/except"}},
		"too long":            {given: snippet.LinkRule{Source: strings.Repeat("x", snippet.MaxParameter+1)}, faults: []string{"/source"}},
	} {
		got, faults := c.given.Read()
		var pointers []string
		for _, f := range faults {
			pointers = append(pointers, f.Pointer)
		}
		require.Equal(t, c.faults, pointers, name)
		if len(faults) == 0 {
			require.Equal(t, c.want, got, name)
		}
	}
}
