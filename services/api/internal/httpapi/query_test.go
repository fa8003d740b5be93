package httpapi_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/ident"
)

// TestUnknownParameters checks that every operation rejects unknown parameters and lists its own.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, operations := b.document(t)
	before := b.get(t, "/v1/posts").body
	for _, op := range operations {
		r := request{
			method: op.method,
			path:   strings.NewReplacer("{id}", ident.New[ident.Post]().String()).Replace(op.path) + "?nonsense=2&nonsense=3",
			key:    b.ours.key,
		}
		if op.RequestBody != nil {
			r.contentType, r.body = "application/json", "{}"
		}
		p := requireProblem(t, b.do(t, r), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		message := messageOf(t, p, "nonsense")
		require.Equal(t, 1, strings.Count(strings.Join(pointers(t, p), " "), "nonsense"), "each once")
		known := 0
		for _, parameter := range op.Parameters {
			if parameter.In == "query" {
				known++
				require.Contains(t, message, parameter.Name, op.OperationID)
			}
		}
		require.Equal(t, known == 0, strings.HasSuffix(message, "which has none"), "%s: %s", op.OperationID, message)
	}
	require.Equal(t, before, b.get(t, "/v1/posts").body, "what is refused is not done")
}

// messageOf returns the message about a parameter.
func messageOf(t *testing.T, p map[string]any, pointer string) string {
	t.Helper()
	faults, _ := p["errors"].([]any)
	i := slices.IndexFunc(faults, func(fault any) bool {
		object, _ := fault.(map[string]any)
		return object["pointer"] == pointer
	})
	require.GreaterOrEqual(t, i, 0, "%v", p)
	object, _ := faults[i].(map[string]any)
	message, _ := object["message"].(string)
	return message
}

func TestNearestParameters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, want := range map[string]string{
		"page": "cursor", "offset": "cursor", "per_page": "limit", "Limit": "limit", "channel": "channelId",
		"channel_id": "channelId", "stauts": "status", "state": "status",
		"sortBy": "sort", "scheduled_from": "scheduledFrom", "colour": "", "%00": "", "=": "", strings.Repeat("x", 500): "",
	} {
		p := requireProblem(t, b.get(t, "/v1/posts?"+name+"=2"), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Len(t, p["errors"], 1)
		detail, _ := p["detail"].(string)
		require.Contains(t, detail, "which has status, channelId, label, groupId, campaignId, externalId, q, scheduledFrom, scheduledTo, publishedFrom, publishedTo, "+
			"updatedSince, sort, limit, cursor", name)
		require.Equal(t, want != "", strings.Contains(detail, "did you mean "+want+"?"), "%s: %s", name, detail)
	}
	all := requireProblem(t, b.get(t, "/v1/posts?page=2&limit=0&size=5"), http.StatusUnprocessableEntity,
		"VALIDATION_FAILED")
	require.Equal(t, []string{"page", "size", "limit"}, pointers(t, all), "together with everything else that is wrong")
}

func TestNearestMembers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := requireProblem(t, b.post(t, "/v1/posts", `{"channel_ids":["`+b.ours.channel.String()+`"]}`),
		http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Equal(t,
		"is not a field of this object, which has campaignId, channelIds, content, contentType, externalId, firstComment, labels, mediaAltTexts, mediaIds, metadata, options, publishAfter, schedule, thread, timezone, title, variants; did you "+
			"mean channelIds?", messageOf(t, p, "/channel_ids"))
}

func TestRangeOfLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path, most := range map[string]string{
		"/v1/posts": "100", "/v1/events": "100", "/v1/media": "100", "/v1/idea-boards/" + b.ours.ideas.ID.String(): "100",
		"/v1/webhooks/" + ident.New[ident.Webhook]().String() + "/deliveries": "100",
	} {
		for _, limit := range []string{"0", "101", "-1", "x", "1.5", "99999999999999999999"} {
			p := requireProblem(t, b.get(t, path+"?limit="+limit), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
			require.Equal(t, "limit must be a whole number from 1 to "+most, p["detail"], "%s %s", path, limit)
		}
	}
}

func TestMissingBeginningOfPaths(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/posts", "/posts/1/publish", "/channels", "/workspace", "/analytics/workspace"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			p := requireProblem(t, b.do(t, request{method: method, path: path, key: b.ours.key}), http.StatusNotFound,
				"NOT_FOUND")
			require.Equal(t, "There is no resource at this URL. Paths of the API start with /v1: did you mean /v1"+path+"?",
				p["detail"])
		}
	}
	for _, path := range []string{"/nothing", "/v1/nothing", "/postscript", "/v2/posts"} {
		require.Equal(t, "There is no resource at this URL.",
			requireProblem(t, b.get(t, path), http.StatusNotFound, "NOT_FOUND")["detail"], path)
	}
}

// TestSortsOfPosts pages through posts in every order and range.
func TestSortsOfPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	start := time.Now().Add(24 * time.Hour).UTC().Truncate(time.Hour)
	at := func(hours int) string { return start.Add(time.Duration(hours) * time.Hour).Format(time.RFC3339) }
	ids := []string{b.draft(t, b.ours)}
	for _, hours := range []int{3, 1, 2, 2} {
		id := b.draft(t, b.ours)
		scheduled := b.post(t, "/v1/posts/"+id+"/schedule", `{"scheduledAt":"`+at(hours)+`"}`)
		require.Equal(t, http.StatusOK, scheduled.status, scheduled.body)
		ids = append(ids, id)
	}
	for query, want := range map[string][]int{
		"": {4, 3, 2, 1, 0}, "sort=-createdAt": {4, 3, 2, 1, 0}, "sort=createdAt": {0, 1, 2, 3, 4},
		"sort=scheduledAt": {2, 3, 4, 1, 0}, "sort=-scheduledAt": {1, 4, 3, 2, 0},
		"scheduledFrom=" + at(2): {4, 3, 1}, "scheduledTo=" + at(2): {2},
		"scheduledFrom=" + at(1) + "&scheduledTo=" + at(3): {4, 3, 2},
		"sort=scheduledAt&scheduledFrom=" + at(2):          {3, 4, 1}, "sort=-scheduledAt&scheduledTo=" + at(3): {4, 3, 2},
		"sort=scheduledAt&status=DRAFT": {0},
	} {
		for _, limit := range []string{"1", "2", "25"} {
			parsed, err := url.ParseQuery(query + "&limit=" + limit)
			require.NoError(t, err)
			var got []string
			for next := "first"; next != ""; {
				var page []string
				page, next = b.page(t, parsed)
				got = append(got, page...)
				parsed.Set("cursor", next)
			}
			expected := make([]string, len(want))
			for i, n := range want {
				expected[i] = ids[n]
			}
			require.Equal(t, expected, got, "%s, %s a page", query, limit)
		}
	}
}

func TestCursorsBelongToTheirSort(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 {
		b.draft(t, b.ours)
	}
	queries := []string{"sort=createdAt", "sort=-createdAt", "sort=scheduledAt", "sort=-scheduledAt"}
	for _, created := range queries {
		parsed, err := url.ParseQuery(created + "&limit=1")
		require.NoError(t, err)
		_, next := b.page(t, parsed)
		for _, used := range append(queries, created+"&scheduledFrom=2026-03-01T09:00:00Z",
			created+"&scheduledTo=2026-03-01T09:00:00Z") {
			response := b.get(t, "/v1/posts?"+used+"&cursor="+next)
			if used == created {
				require.Equal(t, http.StatusOK, response.status, response.body)
				continue
			}
			requireProblem(t, response, http.StatusUnprocessableEntity, "INVALID_CURSOR")
		}
	}
}

func TestInvalidRanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for query, want := range map[string]string{
		"scheduledFrom=soon":                                   "scheduledFrom must be an RFC 3339 date-time with an offset",
		"scheduledTo=2026-03-01T09:00Z":                        "scheduledTo has no seconds",
		"scheduledTo=2026-03-01T09:00:00%2B0100":               "scheduledTo has an offset without a colon",
		"scheduledFrom=2026-03-01T09:00:00+01:00":              "a plus is written as %2B",
		"scheduledFrom=" + distant + "&scheduledTo=" + distant: "scheduledTo must be after scheduledFrom",
		"sort=title": "sort must be one of -createdAt, createdAt, ", "sort=CreatedAt": "sort must be one of -createdAt, ",
		"status=DRAF": "status must be one of DRAFT, PENDING_APPROVAL, ", "channelId=1": "channelId must be a UUID, for example ",
	} {
		p := requireProblem(t, b.get(t, "/v1/posts?"+query), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Contains(t, p["detail"], want, query)
	}
}

const distant = "2036-03-01T09:00:00Z"

// TestOAuthIgnoresUnknownParameters covers RFC 6749, sections 3.1 and 3.2.
func TestOAuthIgnoresUnknownParameters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := b.get(t, "/.well-known/oauth-authorization-server")
	require.Equal(t, known.body, b.get(t, "/.well-known/oauth-authorization-server?unknown=1").body)
	token := func(query, body string) response {
		return b.do(t, request{
			method: http.MethodPost, path: "/oauth/token" + query, contentType: "application/x-www-form-urlencoded",
			body: body,
		})
	}
	plain, more := token("", "grant_type=refresh_token"), token("?unknown=1", "grant_type=refresh_token&unknown=1")
	require.Equal(t, http.StatusUnauthorized, plain.status, plain.body)
	require.Equal(t, plain.status, more.status)
	require.Equal(t, plain.body, more.body)
}

// TestRepeatedAndEmptyParameters sends each documented query parameter twice and without a value.
func TestRepeatedAndEmptyParameters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, operations := b.document(t)
	checked := 0
	for _, op := range operations {
		if op.Public {
			continue
		}
		op, mine, _ := b.subjects(t, op)
		for _, parameter := range op.Parameters {
			if parameter.In != "query" {
				continue
			}
			checked++
			repeatable := parameter.Schema["type"] == "array"
			for query, want := range map[string]string{
				parameter.Name + "=":                           "is empty; send a value, or omit the parameter",
				parameter.Name + "=1&" + parameter.Name + "=1": "is sent twice; send it once",
				parameter.Name + "=1&" + parameter.Name + "=":  "is empty; send a value, or omit the parameter",
			} {
				if repeatable && !strings.HasSuffix(query, "=") {
					continue // TestFiltersOfPosts, TestFiltersOfChannels
				}
				p := requireProblem(t, b.get(t, strings.ReplaceAll(op.path, "{id}", mine)+"?"+query),
					http.StatusUnprocessableEntity, "VALIDATION_FAILED")
				require.Equal(t, want, messageOf(t, p, parameter.Name), op.OperationID+" "+query)
				require.Equal(t, 1, strings.Count(strings.Join(pointers(t, p), " "), parameter.Name), "each once")
			}
		}
	}
	require.Greater(t, checked, 10)
}
