package readback_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

func listed(id, text string, after time.Duration) readback.Listed {
	return readback.Listed{ID: id, Text: text, At: now().Add(after), URL: "https://example.com/" + id}
}

func TestSearch(t *testing.T) {
	t.Parallel()

	undated := readback.Listed{ID: "7", Text: "Hello, you"}
	for name, test := range map[string]struct {
		text string
		page []readback.Listed
		want platform.Evidence
		id   string
	}{
		"found": {
			"Hello, you",
			[]readback.Listed{listed("8", "Other", 0), listed("7", "Hello, you", time.Second)},
			platform.EvidenceFound, "7",
		},
		"whitespace": {
			" Hello, \r\n\n you ", []readback.Listed{listed("7", "Hello,\nyou", 0)}, platform.EvidenceFound, "7",
		},
		"composed": {
			"de\u0301ja\u0300", []readback.Listed{listed("7", "déjà", 0)}, platform.EvidenceFound, "7",
		},
		"invisible characters": {
			"Hello\u200b you", []readback.Listed{listed("7", "Hello you", 0)}, platform.EvidenceFound, "7",
		},
		"signs alone": {"🌍!", []readback.Listed{listed("7", "🌍!", 0)}, platform.EvidenceFound, "7"},
		"the nearest of two": {
			"Hello",
			[]readback.Listed{listed("8", "Hello", 20*time.Minute), listed("7", "Hello", time.Second)},
			platform.EvidenceFound, "7",
		},
		"a little before": {
			"Hello", []readback.Listed{listed("7", "Hello", -2*time.Minute)}, platform.EvidenceFound, "7",
		},
		"taken": {"Hello", []readback.Listed{listed("999", "Hello", 0)}, platform.EvidenceAbsent, ""},
		"taken, but there is another": {
			"Hello", []readback.Listed{listed("999", "Hello", 0), listed("7", "Hello", time.Minute)}, platform.EvidenceFound, "7",
		},
		"nothing":     {"Hello", nil, platform.EvidenceAbsent, ""},
		"others":      {"Hello", []readback.Listed{listed("7", "Goodbye", 0)}, platform.EvidenceAbsent, ""},
		"other signs": {"🌍!", []readback.Listed{listed("7", "🌍?", 0)}, platform.EvidenceAbsent, ""},
		"before the window": {
			"Hello", []readback.Listed{listed("7", "Hello", -2*time.Minute-time.Second)}, platform.EvidenceAbsent, "",
		},
		"after the window": {
			"Hello", []readback.Listed{listed("7", "Hello", 30*time.Minute+time.Second)}, platform.EvidenceAbsent, "",
		},
		"no id":   {"Hello", []readback.Listed{listed("", "Hello", 0)}, platform.EvidenceUnclear, ""},
		"no time": {"Hello, you", []readback.Listed{undated}, platform.EvidenceUnclear, ""},
		"escaped": {
			"you & me", []readback.Listed{listed("7", "you &amp; me", 0)}, platform.EvidenceUnclear, "",
		},
		"almost": {
			"Hello you!", []readback.Listed{listed("7", "Hello — you", 0)}, platform.EvidenceUnclear, "",
		},
		"a doubt, then found": {
			"Hello!", []readback.Listed{listed("8", "hello", 0), listed("7", "Hello!", 0)}, platform.EvidenceFound, "7",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			search := readback.NewSearch(platform.Sent{Text: test.text, At: now(), Taken: func(id string) bool { return id == "999" }})
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

	search := readback.NewSearch(platform.Sent{Text: "Hello!", At: now()})
	require.Equal(t, now().Add(-2*time.Minute), search.Since())
	require.Equal(t, now().Add(30*time.Minute), search.Until())
	_, found := search.Read([]readback.Listed{listed("7", "Hello", 0)})
	require.False(t, found)
	_, found = search.Read(nil)
	require.False(t, found)
	require.Equal(t, platform.EvidenceUnclear, search.Absence())
}

func TestSearchWithCustomComparison(t *testing.T) {
	t.Parallel()

	compare := func(text string) readback.Match {
		return map[string]readback.Match{"same": readback.Exact, "like": readback.Near}[text]
	}
	sent := platform.Sent{Text: "Hello", At: now(), Taken: func(id string) bool { return id == "9" }}
	search := readback.NewSearchBy(sent, compare)
	_, found := search.Read([]readback.Listed{listed("7", "Hello", 0), listed("9", "same", 0)})
	require.False(t, found)
	require.True(t, search.Taken("9"))
	require.False(t, search.Taken(""))
	require.Equal(t, platform.EvidenceAbsent, search.Absence())
	publication, found := search.Read([]readback.Listed{listed("6", "like", 0), listed("7", "same", 0)})
	require.True(t, found)
	require.Equal(t, "7", publication.ExternalID)
	require.Equal(t, platform.EvidenceUnclear, search.Absence())
}
