package match_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/match"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

func listed(id, text string, after time.Duration) match.Listed {
	return match.Listed{ID: id, Text: text, At: now().Add(after), URL: "https://example.com/" + id}
}

func TestSearch(t *testing.T) {
	t.Parallel()

	undated := match.Listed{ID: "7", Text: "Hello, you"}
	for name, test := range map[string]struct {
		text string
		page []match.Listed
		want platform.Evidence
		id   string
	}{
		"found": {
			"Hello, you",
			[]match.Listed{listed("8", "Other", 0), listed("7", "Hello, you", time.Second)},
			platform.EvidenceFound, "7",
		},
		"whitespace": {
			" Hello, \r\n\n you ", []match.Listed{listed("7", "Hello,\nyou", 0)}, platform.EvidenceFound, "7",
		},
		"composed": {
			"de\u0301ja\u0300", []match.Listed{listed("7", "déjà", 0)}, platform.EvidenceFound, "7",
		},
		"invisible characters": {
			"Hello\u200b you", []match.Listed{listed("7", "Hello you", 0)}, platform.EvidenceFound, "7",
		},
		"signs alone": {"🌍!", []match.Listed{listed("7", "🌍!", 0)}, platform.EvidenceFound, "7"},
		"the nearest of two": {
			"Hello",
			[]match.Listed{listed("8", "Hello", 20*time.Minute), listed("7", "Hello", time.Second)},
			platform.EvidenceFound, "7",
		},
		"a little before": {
			"Hello", []match.Listed{listed("7", "Hello", -2*time.Minute)}, platform.EvidenceFound, "7",
		},
		"taken": {"Hello", []match.Listed{listed("999", "Hello", 0)}, platform.EvidenceAbsent, ""},
		"taken, but there is another": {
			"Hello", []match.Listed{listed("999", "Hello", 0), listed("7", "Hello", time.Minute)}, platform.EvidenceFound, "7",
		},
		"nothing":     {"Hello", nil, platform.EvidenceAbsent, ""},
		"others":      {"Hello", []match.Listed{listed("7", "Goodbye", 0)}, platform.EvidenceAbsent, ""},
		"other signs": {"🌍!", []match.Listed{listed("7", "🌍?", 0)}, platform.EvidenceAbsent, ""},
		"before the window": {
			"Hello", []match.Listed{listed("7", "Hello", -2*time.Minute-time.Second)}, platform.EvidenceAbsent, "",
		},
		"after the window": {
			"Hello", []match.Listed{listed("7", "Hello", 30*time.Minute+time.Second)}, platform.EvidenceAbsent, "",
		},
		"no id":   {"Hello", []match.Listed{listed("", "Hello", 0)}, platform.EvidenceUnclear, ""},
		"no time": {"Hello, you", []match.Listed{undated}, platform.EvidenceUnclear, ""},
		"escaped": {
			"you & me", []match.Listed{listed("7", "you &amp; me", 0)}, platform.EvidenceUnclear, "",
		},
		"almost": {
			"Hello you!", []match.Listed{listed("7", "Hello — you", 0)}, platform.EvidenceUnclear, "",
		},
		"a doubt, then found": {
			"Hello!", []match.Listed{listed("8", "hello", 0), listed("7", "Hello!", 0)}, platform.EvidenceFound, "7",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			search := match.New(platform.Sent{Text: test.text, At: now(), Taken: func(id string) bool { return id == "999" }})
			publication, found := search.Read(test.page)
			require.Equal(t, test.want == platform.EvidenceFound, found)
			require.Equal(t, test.id, publication.ExternalID)
			if found {
				require.Equal(t, "https://example.com/"+test.id, publication.URL)
				return
			}
			require.Equal(t, test.want, search.Absence())
		})
	}
}

func TestSearchKeepsUnclearMatchesAcrossPages(t *testing.T) {
	t.Parallel()

	search := match.New(platform.Sent{Text: "Hello!", At: now()})
	require.Equal(t, now().Add(-2*time.Minute), search.Since())
	require.Equal(t, now().Add(30*time.Minute), search.Until())
	_, found := search.Read([]match.Listed{listed("7", "Hello", 0)})
	require.False(t, found)
	_, found = search.Read(nil)
	require.False(t, found)
	require.Equal(t, platform.EvidenceUnclear, search.Absence())
}

func TestSearchWithCustomComparison(t *testing.T) {
	t.Parallel()

	compare := func(text string) match.Match {
		return map[string]match.Match{"same": match.Exact, "like": match.Near}[text]
	}
	sent := platform.Sent{Text: "Hello", At: now(), Taken: func(id string) bool { return id == "9" }}
	search := match.NewBy(sent, compare)
	_, found := search.Read([]match.Listed{listed("7", "Hello", 0), listed("9", "same", 0)})
	require.False(t, found)
	require.True(t, search.Taken("9"))
	require.False(t, search.Taken(""))
	require.Equal(t, platform.EvidenceAbsent, search.Absence())
	publication, found := search.Read([]match.Listed{listed("6", "like", 0), listed("7", "same", 0)})
	require.True(t, found)
	require.Equal(t, "7", publication.ExternalID)
	require.Equal(t, platform.EvidenceUnclear, search.Absence())
}
