package suggest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/suggest"
	"fencepost.internal/shared/domain/lead/score"
)

func TestParts(t *testing.T) {
	t.Parallel()
	reasons := []score.Reason{{Words: []score.Span{{Start: 0, End: 3}, {Start: 6, End: 900}}}, {Words: []score.Span{{Start: -4, End: 2}, {Start: 5, End: 2}}}}
	require.Equal(t, []suggest.Part{{"How", true}, {" <b", false}, {"> ü", true}}, suggest.PartsOf("How <b> ü", reasons))
	require.Equal(t, []suggest.Part{{"ü", true}, {"x", false}}, suggest.PartsOf("üx", []score.Reason{{Words: []score.Span{{Start: 0, End: 1}}}}), "no half of a character")
	long := suggest.PartsOf(strings.Repeat("ü", 300), nil)
	require.Equal(t, strings.Repeat("ü", 200), long[0].Text)
	require.Equal(t, suggest.Part{Text: "…"}, long[1])
	require.Empty(t, suggest.PartsOf("", reasons))
	for _, rule := range score.Rules() {
		require.NotEmpty(t, suggest.InWords(rule))
	}
}
