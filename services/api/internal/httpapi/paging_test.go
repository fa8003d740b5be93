package httpapi_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

// page reads one page and returns its ids and the next cursor.
func (b *bundle) page(t *testing.T, query url.Values) (ids []string, next string) {
	t.Helper()
	read := b.get(t, "/v1/posts?"+query.Encode())
	require.Equal(t, http.StatusOK, read.status, read.body)
	out := read.object(t)
	require.Len(t, out, 2)
	data, ok := out["data"].([]any)
	require.True(t, ok, "data is never null")
	for _, item := range data {
		post, ok := item.(map[string]any)
		require.True(t, ok)
		id, ok := post["id"].(string)
		require.True(t, ok)
		ids = append(ids, id)
	}
	next, _ = out["nextCursor"].(string)
	return ids, next
}

func TestPagingReturnsEachPostOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	// Posts of one request have the same creation time in milliseconds.
	var channels string
	for range 7 {
		channels += `"` + b.channel(t, b.ours.id, channel.Twitter, true).String() + `",`
	}
	created := b.post(t, "/v1/posts", `{"channelIds":[`+channels[:len(channels)-1]+`]}`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	b.draft(t, b.theirs)

	for limit := 1; limit <= 9; limit++ {
		query := url.Values{"limit": {strconv.Itoa(limit)}}
		var seen []string
		for {
			ids, next := b.page(t, query)
			require.LessOrEqual(t, len(ids), limit)
			seen = append(seen, ids...)
			if next == "" {
				break
			}
			require.Len(t, ids, limit)
			query.Set("cursor", next)
			if limit == 3 && len(seen) == 3 { // later changes do not affect the remaining pages
				b.draft(t, b.theirs)
			}
		}
		require.Len(t, seen, 7)
		require.IsDecreasing(t, seen, "newest first, each once")
	}
	ids, next := b.page(t, url.Values{"limit": {"7"}})
	require.Len(t, ids, 7)
	require.Empty(t, next, "a full last page has no next one")
}

func TestFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draft := b.draft(t, b.ours)
	scheduled := b.draft(t, b.ours)
	require.Equal(t, http.StatusOK, b.post(t, "/v1/posts/"+scheduled+"/publish", "").status)
	for query, want := range map[string][]string{
		"":                                      {scheduled, draft},
		"?status=DRAFT":                         {draft},
		"?status=SCHEDULED":                     {scheduled},
		"?status=ARCHIVED":                      nil,
		"?channelId=" + b.ours.channel.String(): {scheduled, draft},
		"?channelId=" + b.theirs.channel.String():            nil,
		"?channelId=" + ident.New[ident.Post]().String():     nil,
		"?status=DRAFT&channelId=" + b.ours.channel.String(): {draft},
	} {
		parsed, err := url.ParseQuery(query[min(1, len(query)):])
		require.NoError(t, err)
		ids, _ := b.page(t, parsed)
		require.Equal(t, want, ids, query)
	}
}

func TestListFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for query, want := range map[string][]string{
		"limit=0": {"limit"}, "limit=101": {"limit"}, "limit=-1": {"limit"}, "limit=x": {"limit"}, "limit=1e1": {"limit"},
		"limit=1.5":                  {"limit"},
		"limit=99999999999999999999": {"limit"}, "status=draft": {"status"}, "status=DRAFT,FAILED": {"status"},
		"channelId=x": {"channelId"},
		"channelId=00000000-0000-0000-0000-000000000000": {"channelId"},
		"channelId=urn:uuid:" + b.ours.channel.String():  {"channelId"},
		"limit=0&status=x&channelId=y":                   {"status", "limit", "channelId"},
	} {
		p := requireProblem(t, b.get(t, "/v1/posts?"+query), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.ElementsMatch(t, want, pointers(t, p), query)
	}
}

func TestCursorsAreBoundToQuery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 {
		b.draft(t, b.ours)
		b.draft(t, b.theirs)
	}
	_, next := b.page(t, url.Values{"limit": {"1"}, "status": {"DRAFT"}})
	require.NotEmpty(t, next)
	refused := func(key, query string) {
		t.Helper()
		requireProblem(t, b.do(t, request{method: http.MethodGet, path: "/v1/posts?" + query, key: key}),
			http.StatusUnprocessableEntity, "INVALID_CURSOR")
	}
	ids, _ := b.page(t, url.Values{"limit": {"2"}, "status": {"DRAFT"}, "cursor": {next}})
	require.Len(t, ids, 2, "another limit is no other list")
	refused(b.ours.key, "cursor="+next)
	refused(b.ours.key, "status=FAILED&cursor="+next)
	refused(b.ours.key, "status=DRAFT&channelId="+b.ours.channel.String()+"&cursor="+next)
	refused(b.theirs.key, "status=DRAFT&cursor="+next)
	raw, err := base64.RawURLEncoding.DecodeString(next)
	require.NoError(t, err)
	for i := range raw {
		raw[i] ^= 1
		refused(b.ours.key, "status=DRAFT&cursor="+base64.RawURLEncoding.EncodeToString(raw))
		raw[i] ^= 1
	}
	for _, broken := range []string{"x", next + "A", next[1:], "%00", "%20" + next} {
		refused(b.ours.key, "status=DRAFT&cursor="+broken)
	}
}
