package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// logPage is a page of the log with the raw events.
type logPage struct {
	Data       []json.RawMessage `json:"data"`
	NextCursor *string           `json:"nextCursor"`
	HasMore    *bool             `json:"hasMore"`
}

func (b *bundle) log(t testing.TB, query url.Values) logPage {
	t.Helper()
	read := b.get(t, "/v1/events?"+query.Encode())
	require.Equal(t, http.StatusOK, read.status, read.body)
	var page logPage
	read.into(t, &page)
	require.NotNil(t, page.Data)
	require.NotNil(t, page.HasMore)
	return page
}

// numbers returns the sequence numbers of a page.
func (p logPage) numbers(t testing.TB) []int64 {
	t.Helper()
	out := []int64{}
	for _, raw := range p.Data {
		var e struct {
			Sequence int64 `json:"sequence"`
		}
		require.NoError(t, json.Unmarshal(raw, &e))
		out = append(out, e.Sequence)
	}
	return out
}

func TestEventResponseEqualsDelivery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	data := map[string]any{
		"number": json.RawMessage(`9007199254740993`), "money": json.RawMessage(`1.50`), "exponent": json.RawMessage(`1E2`),
		"text": "<b>&amp; 🎈\u2028 \"\\\t\x7f", "nothing": nil, "b": 1, "a": 2,
	}
	e := b.happens(t, b.ours, event.PostCreated, data)
	want := strings.TrimSuffix(string(e.Body), "}") + `,"sequence":1}`
	one := b.get(t, "/v1/events/"+event.ExternalID(e.ID))
	require.Equal(t, http.StatusOK, one.status)
	require.Equal(t, want, one.body)
	page := b.log(t, nil)
	require.Len(t, page.Data, 1)
	require.Equal(t, want, string(page.Data[0]))
	require.Equal(t, one.body, b.get(t, "/v1/events/evt_"+strings.ToUpper(e.ID.String())).body)
}

func TestEventWithoutSequenceNumber(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e, err := event.New(b.ours.id, event.PostCreated, time.Now(), event.PostData{})
	require.NoError(t, err)
	require.NoError(t, postgres.NewEvents(b.db).Insert(t.Context(), e, ident.Webhook{}))
	one := b.get(t, "/v1/events/"+event.ExternalID(e.ID)).object(t)
	require.Contains(t, one, "sequence")
	require.Nil(t, one["sequence"])
	page := b.log(t, nil)
	require.Empty(t, page.Data)
	require.Nil(t, page.NextCursor, "nothing was ever read")
	require.False(t, *page.HasMore)
}

// TestEventsResumeAtEndOfLog resumes reading at the end of the log several times.
func TestEventsResumeAtEndOfLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 5 {
		b.event(t, b.ours)
		b.event(t, b.theirs)
	}
	for limit := 1; limit <= 6; limit++ {
		query := url.Values{"limit": {strconv.Itoa(limit)}}
		var seen []int64
		for more := true; more; {
			page := b.log(t, query)
			seen = append(seen, page.numbers(t)...)
			more = *page.HasMore
			query.Set("cursor", *page.NextCursor)
		}
		require.Equal(t, []int64{1, 2, 3, 4, 5}, seen)
	}
	query := url.Values{}
	page := b.log(t, query)
	for next := int64(6); next < 9; next++ {
		query.Set("cursor", *page.NextCursor)
		idle := b.log(t, query)
		require.Empty(t, idle.Data)
		require.Nil(t, idle.NextCursor, "who reads until there is none comes to an end; who has a cursor goes on with it")
		require.False(t, *idle.HasMore)
		b.event(t, b.ours)
		page = b.log(t, query)
		require.Equal(t, []int64{next}, page.numbers(t))
	}
}

func TestEventFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var at []string
	for i, typ := range []event.Type{event.PostCreated, event.PostFailed, event.PostCreated} {
		b.happens(t, b.ours, typ, event.PostData{})
		at = append(at, fmt.Sprintf("2026-03-01T0%d:00:00.000Z", i+1))
		b.exec(t, `UPDATE event SET created_at = $2 WHERE workspace_id = $1 AND seq = $3`, b.ours.id.String(), at[i], i+1)
	}
	for query, want := range map[string][]int64{
		"type=post.created": {1, 3}, "type=*": {1, 2, 3}, "type=post.deleted": {}, "from=" + at[1]: {2, 3},
		"to=" + at[1]:                    {1},
		"from=" + at[1] + "&to=" + at[2]: {2}, "from=2026-03-01T02:00:00%2B01:00": {1, 2, 3},
		"from=2026-03-01t02:00:00.001z": {3},
		"type=post.failed&to=" + at[1]:  {},
	} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		require.Equal(t, want, b.log(t, values).numbers(t), query)
	}
}

func TestEventsFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.event(t, b.ours)
	for query, want := range map[string][]string{
		"limit=0": {"limit"}, "limit=101": {"limit"}, "type=post": {"type"}, "from=yesterday": {"from"},
		"to=2026-03-01":                  {"to"},
		"from=2026-03-01T09:00:00+02:00": {"from"}, // a plus means a space here
		"from=2026-03-01T09:00:00":       {"from"}, "from=2026-03-01T09:00:00Z&to=2026-03-01T10:00:00%2B01:00": {"to"},
		"limit=x&type=y&from=z&to=z": {"limit", "type", "from", "to"},
	} {
		p := requireProblem(t, b.get(t, "/v1/events?"+query), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.ElementsMatch(t, want, pointers(t, p), query)
	}
	require.Contains(t, b.get(t, "/v1/events?from=2026-03-01T09:00:00+02:00").body, "%2B")
	cursor := *b.log(t, nil).NextCursor
	_, posts := b.page(t, url.Values{})
	require.Empty(t, posts)
	for _, query := range []string{
		"cursor=x", "type=post.created&cursor=" + cursor, "from=2026-03-01T09:00:00Z&cursor=" + cursor,
	} {
		requireProblem(t, b.get(t, "/v1/events?"+query), http.StatusUnprocessableEntity, "INVALID_CURSOR")
	}
	requireProblem(t, b.do(t, request{method: http.MethodGet, path: "/v1/events?cursor=" + cursor, key: b.theirs.key}),
		http.StatusUnprocessableEntity, "INVALID_CURSOR")
	requireProblem(t, b.get(t, "/v1/posts?cursor="+cursor), http.StatusUnprocessableEntity, "INVALID_CURSOR")
	require.Equal(t, http.StatusOK, b.get(t, "/v1/events?limit=7&type=*&cursor="+cursor).status,
		"the size of pages may change, and * is no filter")
}

func TestEventIDsRequirePrefix(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.event(t, b.ours)
	bare := strings.TrimPrefix(id, "evt_")
	for _, path := range []string{
		bare, "evt_", "evt_evt_" + bare, "EVT_" + bare, "evt-" + bare, id + "x", "evt_{" + bare + "}", b.event(t, b.theirs),
	} {
		requireProblem(t, b.get(t, "/v1/events/"+url.PathEscape(path)), http.StatusNotFound, "NOT_FOUND")
	}
}
