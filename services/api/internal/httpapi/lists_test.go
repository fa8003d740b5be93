package httpapi_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestWrongFilters checks that filters which would otherwise be ignored or mean something else are refused, with the name
// of the parameter.
func TestWrongFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	at := url.QueryEscape("2026-03-01T00:00:00+02:00")
	nilID, id := ident.Channel{}.String(), b.ours.channel.String()
	for query, want := range map[string]struct{ pointer, message string }{
		"posts?status=":                                                {"status", "is empty"},
		"posts?status=DRAFT&status=":                                   {"status", "is empty"},
		"posts?status=LOST":                                            {"status", "DRAFT"},
		"posts?status=DRAFT,FAILED":                                    {"status", "DRAFT"},
		"posts?status=DRAFT&status=LOST":                               {"status", "DRAFT"},
		"posts?channelId=x":                                            {"channelId", "must be a UUID"},
		"posts?channelId=" + id + "&channelId=" + nilID:                {"channelId", "is the nil UUID"},
		"posts?channelId=" + strings.Repeat(id+"&channelId=", 50) + id: {"channelId", "50"},
		"posts?label=":                                                 {"label", "is empty"},
		"posts?label=%20":                                              {"label", "is empty"},
		"posts?label=" + strings.Repeat("x", 51):                       {"label", "50"},
		"posts?label=a" + strings.Repeat("&label=b", 10):               {"label", "10"},
		"posts?groupId=x":                                              {"groupId", "must be a UUID, for example 0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"},
		"posts?groupId=" + nilID:                                       {"groupId", "is the nil UUID"},
		"posts?groupId=" + id + "&groupId=" + id:                       {"groupId", "is sent twice"},
		"posts?externalId=":                                            {"externalId", "is empty"},
		"posts?externalId=a&externalId=b":                              {"externalId", "is sent twice"},
		"posts?externalId=" + strings.Repeat("x", 201):                 {"externalId", "must have at most 200 characters"},
		"posts?q=":                                         {"q", "is empty"},
		"posts?q=%20%20":                                   {"q", "a letter or a digit"},
		"posts?q=%F0%9F%8E%89":                             {"q", "a letter or a digit"},
		"posts?q=a&q=b":                                    {"q", "is sent twice"},
		"posts?q=" + strings.Repeat("x", 201):              {"q", "200"},
		"posts?q=" + strings.Repeat("x+", 11):              {"q", "at most 10 words"},
		"posts?updatedSince=yesterday":                     {"updatedSince", "RFC 3339"},
		"posts?updatedSince=2026-03-01T00:00:00":           {"updatedSince", "has no offset"},
		"posts?updatedSince=" + at + "&updatedSince=" + at: {"updatedSince", "is sent twice"},
		"posts?publishedFrom=2026-03-01":                   {"publishedFrom", "RFC 3339"},
		"posts?publishedFrom=" + at + "&publishedTo=" + at: {"publishedTo", "must be after publishedFrom"},
		"posts?sort=changedAt":                             {"sort", "updatedAt"},
		"posts?sort=updatedAt&sort=updatedAt":              {"sort", "is sent twice"},
		"channels?type=":                                   {"type", "is empty"},
		"channels?type=MYSPACE":                            {"type", "TWITTER"},
		"channels?type=TWITTER&type=MYSPACE":               {"type", "TWITTER"},
		"channels?tokenStatus=":                            {"tokenStatus", "is empty"},
		"channels?tokenStatus=BROKEN":                      {"tokenStatus", "NEEDS_RECONNECT"},
		"channels?tokenStatus=HEALTHY&tokenStatus=HEALTHY": {"tokenStatus", "is sent twice"},
		"media?q=":                      {"q", "is empty"},
		"media?q=%2B":                   {"q", "a letter or a digit"},
		"media?unused=":                 {"unused", "is empty"},
		"media?unused=false":            {"unused", "true"},
		"media?unused=true&unused=true": {"unused", "is sent twice"},
		"media?createdFrom=x":           {"createdFrom", "RFC 3339"},
		"media?createdFrom=" + at + "&createdTo=" + at: {"createdTo", "must be after createdFrom"},
		"events?sort=":              {"sort", "is empty"},
		"events?sort=createdAt":     {"sort", "-seq"},
		"events?sort=seq&sort=-seq": {"sort", "is sent twice"},
	} {
		p := requireProblem(t, b.get(t, "/v1/"+query), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{want.pointer}, pointers(t, p), query)
		require.Contains(t, messageOf(t, p, want.pointer), want.message, query)
	}
}

// posted returns the IDs of a list of posts.
func (b *bundle) posted(t *testing.T, query string) []string {
	t.Helper()
	values, err := url.ParseQuery(query)
	require.NoError(t, err)
	ids, _ := b.page(t, values)
	return ids
}

// TestFiltersOfPosts covers each filter of posts, their combination, and that none reaches into another workspace.
func TestFiltersOfPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	create := func(in string) string {
		t.Helper()
		r := b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+`"],`+in+`}`)
		require.Equal(t, http.StatusCreated, r.status, r.body)
		return strings.TrimPrefix(r.header.Get("Location"), "/v1/posts/")
	}
	tiles := create(`"content":"Blue tiles from Lisbon"`)
	postgrestest.Exec(t, b.database, `UPDATE post SET labels = '{Spring}', label_keys = '{spring}', external_id = 'cms-1'
		WHERE id = $1`, tiles)
	cat := create(`"content":"今日の猫","title":"Cats"`)
	later := create(`"content":"Later tiles","schedule":"` + future + `"`)
	for query, want := range map[string][]string{
		"q=TILES": {later, tiles}, "q=isbo": {tiles}, "q=tiles+later": {later}, "q=猫": {cat}, "q=cats": {cat}, "q=dogs": {},
		"q=100%25":     {},
		"status=DRAFT": {cat, tiles}, "status=DRAFT&status=SCHEDULED": {later, cat, tiles}, "status=FAILED&status=ARCHIVED": {},
		"status=DRAFT&status=DRAFT": {cat, tiles},
		"status=DRAFT&q=tiles":      {tiles}, "label=spring": {tiles}, "label=SPRING&label=none": {tiles}, "label=none": {},
		"externalId=cms-1": {tiles}, "externalId=CMS-1": {}, "externalId=cms-1&status=SCHEDULED": {},
		"sort=updatedAt": {tiles, cat, later}, "sort=-updatedAt": {later, cat, tiles},
		"channelId=" + b.ours.channel.String() + "&channelId=" + b.theirs.channel.String(): {later, cat, tiles},
		"channelId=" + b.theirs.channel.String():                                           {},
		"groupId=" + tiles:                                                                 {tiles}, "groupId=" + b.ours.channel.String(): {},
		"updatedSince=2020-01-01T00:00:00Z": {later, cat, tiles}, "updatedSince=" + future: {},
		"publishedFrom=2020-01-01T00:00:00Z": {}, "publishedTo=" + future: {},
		"scheduledFrom=2020-01-01T00:00:00Z&q=tiles&sort=-scheduledAt": {later},
	} {
		got := b.posted(t, query)
		require.Equal(t, want, append([]string{}, got...), query)
	}
	edited := b.do(t, request{
		method: http.MethodPatch, path: "/v1/posts/" + tiles, key: b.ours.key, contentType: "application/json",
		body: `{"content":"Green azulejos"}`,
	})
	require.Equal(t, http.StatusOK, edited.status, edited.body)
	require.Empty(t, b.posted(t, "q=lisbon"), "an edit changes what is found")
	require.Equal(t, []string{tiles}, b.posted(t, "q=AZUL"))
	require.Equal(t, []string{tiles, later, cat}, b.posted(t, "sort=-updatedAt"))
}

// TestCursorsBelongToTheirFilters checks that a cursor is refused with any other filter.
func TestCursorsBelongToTheirFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 {
		b.draft(t, b.ours)
	}
	first, channelID := "status=DRAFT&status=FAILED&limit=1", b.ours.channel.String()
	values, err := url.ParseQuery(first)
	require.NoError(t, err)
	_, cursor := b.page(t, values)
	require.NotEmpty(t, cursor)
	with := func(query string) response { return b.get(t, "/v1/posts?"+query+"&cursor="+url.QueryEscape(cursor)) }
	require.Equal(t, http.StatusOK, with("status=FAILED&status=DRAFT").status, "in either order")
	for _, query := range []string{
		"status=DRAFT", "status=DRAFT&status=FAILED&status=SCHEDULED", first + "&channelId=" + channelID, first + "&label=a",
		first + "&groupId=" + channelID, first + "&externalId=a", first + "&q=a", first + "&updatedSince=2026-01-01T00:00:00Z",
		first + "&publishedFrom=2026-01-01T00:00:00Z", first + "&publishedTo=2026-01-01T00:00:00Z", first + "&sort=updatedAt",
	} {
		requireProblem(t, with(query), http.StatusUnprocessableEntity, "INVALID_CURSOR")
	}
}

// TestFiltersOfChannels covers the filters of the list of channels.
func TestFiltersOfChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	count := func(query string) int { return strings.Count(b.get(t, "/v1/channels"+query).body, `"capabilities"`) }
	all := count("")
	require.Greater(t, all, 2)
	require.Equal(t, 1, count("?type="+string(channel.Pinterest)))
	require.Equal(t, 2, count("?type="+string(channel.Pinterest)+"&type="+string(channel.LinkedInPage)))
	require.Equal(t, all, count("?tokenStatus=HEALTHY"))
	require.Zero(t, count("?tokenStatus=EXPIRING"))
	require.Equal(t, "[]", strings.TrimSpace(b.get(t, "/v1/channels?tokenStatus=NEEDS_RECONNECT").body))
}

// TestFiltersOfMedia covers the filters of the list of media, and its pages.
func TestFiltersOfMedia(t *testing.T) {
	t.Parallel()
	b := setup(t)
	asset := func(text string) string {
		id := b.asset(t, b.ours.id, "IMAGE").String()
		require.Equal(t, http.StatusOK, b.do(t, request{
			method: http.MethodPatch, path: "/v1/media/" + id, key: b.ours.key, contentType: "application/json",
			body: `{"altText":"` + text + `"}`,
		}).status)
		return id
	}
	blue, green := asset("Blue tiles"), asset("Green tiles")
	used := b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+`"],"mediaIds":["`+blue+`"]}`)
	require.Equal(t, http.StatusCreated, used.status, used.body)
	list := func(query string) (ids []string, next string) {
		t.Helper()
		var page struct {
			Data []struct {
				ID string `json:"id"`
			} `json:"data"`
			NextCursor string `json:"nextCursor"`
		}
		b.get(t, "/v1/media?"+query).into(t, &page)
		ids = []string{}
		for _, a := range page.Data {
			ids = append(ids, a.ID)
		}
		return ids, page.NextCursor
	}
	for query, want := range map[string][]string{
		"q=TILES": {green, blue}, "q=blue": {blue}, "q=tile": {green, blue}, "q=blue&type=VIDEO": {}, "unused=true&q=tiles": {green},
		"unused=true&q=blue": {}, "createdFrom=2020-01-01T00:00:00Z&q=tiles": {green, blue}, "createdTo=2020-01-01T00:00:00Z": {},
		"q=tiles&createdFrom=2020-01-01T00:00:00Z&unused=true": {green},
	} {
		got, _ := list(query)
		require.Equal(t, want, got, query)
	}
	first, next := list("q=tiles&limit=1")
	require.Equal(t, []string{green}, first)
	second, _ := list("q=tiles&limit=1&cursor=" + url.QueryEscape(next))
	require.Equal(t, []string{blue}, second)
	requireProblem(t, b.get(t, "/v1/media?q=blue&cursor="+url.QueryEscape(next)), http.StatusUnprocessableEntity,
		"INVALID_CURSOR")
}

// TestNewestEventsFirst pages through the log from its end.
func TestNewestEventsFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 5 {
		b.draft(t, b.ours)
	}
	b.event(t, b.ours) // numbers all of them
	oldest := b.log(t, url.Values{"sort": {"seq"}}).numbers(t)
	query := url.Values{"sort": {"-seq"}, "limit": {"2"}}
	var met []int64
	for p := b.log(t, query); p.NextCursor != nil; p = b.log(t, query) {
		numbers := p.numbers(t)
		require.Equal(t, numbers[len(numbers)-1] > oldest[0], *p.HasMore)
		met = append(met, numbers...)
		query.Set("cursor", *p.NextCursor)
	}
	slices.Reverse(met)
	require.Equal(t, oldest, met)
	newest := query.Get("cursor")
	requireProblem(t, b.get(t, "/v1/events?sort=seq&limit=2&cursor="+url.QueryEscape(newest)), http.StatusUnprocessableEntity,
		"INVALID_CURSOR")
}
