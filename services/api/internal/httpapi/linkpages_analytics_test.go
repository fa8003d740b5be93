package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// visits stores the counts of two days of a page, the second of them today.
func (b *bundle) visits(t testing.TB, page, block string) (yesterday, today string) {
	t.Helper()
	now := time.Now().UTC()
	yesterday, today = now.AddDate(0, 0, -1).Format(time.DateOnly), now.Format(time.DateOnly)
	id, err := ident.Parse[ident.LinkPage](page)
	require.NoError(t, err)
	of, err := ident.Parse[ident.LinkBlock](block)
	require.NoError(t, err)
	require.NoError(t, postgres.NewVisits(b.db).Add(t.Context(), postgres.VisitBatch{
		ID:    uuid.New(),
		Views: []postgres.ViewCount{{PageID: id, Day: yesterday, Views: 3, Bots: 7}, {PageID: id, Day: today, Views: 2}},
		Visitors: []postgres.VisitorSeen{
			{
				PageID: id, Day: yesterday, Visitor: "00112233445566778899aabbccddeeff",
				Source: "ffeeddccbbaa99887766554433221100",
			},
			{PageID: id, Day: today, Visitor: "00112233445566778899aabbccddeeff", Source: "ffeeddccbbaa99887766554433221100"},
		},
		Clicks: []postgres.ClickCount{{PageID: id, BlockID: of, Day: yesterday, Clicks: 2}},
	}))
	return yesterday, today
}

func TestAnalyticsOfLinkPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page, block := b.linkBlock(t, b.ours)
	yesterday, today := b.visits(t, page, block)
	path := pathLinks + "/" + page + "/analytics"
	require.Equal(t, map[string]any{
		"linkPageId": page, "from": yesterday, "to": today, "views": 5., "uniqueVisitors": 2., "clicks": 2.,
		"data": []any{
			map[string]any{"date": yesterday, "views": 3., "uniqueVisitors": 1., "clicks": 2.},
			map[string]any{"date": today, "views": 2., "uniqueVisitors": 1., "clicks": 0.},
		},
		"blocks": []any{map[string]any{
			"blockId": block, "type": "LINK", "label": "Shop", "clicks": 2.,
			"data": []any{map[string]any{"date": yesterday, "clicks": 2.}},
		}},
	}, b.get(t, path+"?from="+yesterday).object(t))
	usual := b.get(t, path).object(t)
	require.Len(t, usual["data"], 30)
	require.Equal(t, today, usual["to"])
	old := b.get(t, path+"?from=2020-02-28&to=2020-03-01").object(t)
	require.Len(t, old["data"], 3, "a leap year")
	require.Equal(t, []any{}, old["blocks"])
	require.Equal(t, http.StatusNoContent, b.do(t,
		request{method: http.MethodDelete, path: pathLinks + "/" + page + "/blocks/" + block, key: b.ours.key}).status)
	kept, ok := b.get(t, path).object(t)["blocks"].([]any)
	require.True(t, ok)
	require.Equal(t, map[string]any{
		"blockId": block, "type": nil, "label": nil, "clicks": 2.,
		"data": []any{map[string]any{"date": yesterday, "clicks": 2.}},
	}, kept[0])
}

func TestRangesOfLinkPageAnalytics(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.linkPage(t, b.ours) + "/analytics?"
	for query, want := range map[string][]string{
		"from=2026-02-30": {"from"}, "from=x&to=y": {"from", "to"}, "to=2026-03-01T00:00:00Z": {"to"},
		"from=0000-01-01": {"from"}, "from=2026-3-1": {"from"},
		"from=2026-03-02&to=2026-03-01": {"from"}, "from=2025-03-01&to=2026-03-01": {"from"}, "from=9999-12-31": {"from"},
		"from=-001-01-01": {"from"}, "from=0001-01-01": {"from"}, "to=0001-01-01": {"to"},
		"to=0001-01-30": {"to"}, "x=y": {"x"},
	} {
		p := requireProblem(t, b.get(t, path+query), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, want, pointers(t, p), query)
	}
	for _, query := range []string{"from=2025-03-02&to=2026-03-01", "to=0001-01-31", "from=9999-12-31&to=9999-12-31"} {
		require.Equal(t, http.StatusOK, b.get(t, path+query).status, query)
	}
}
