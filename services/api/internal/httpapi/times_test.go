package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
)

// TestUnusualTimes sends each time to every time field. No time may be parsed as another one, or as none.
func TestUnusualTimes(t *testing.T) {
	t.Parallel()
	b, _ := at(t, sunday())
	const invalid, past = "VALIDATION_FAILED", "SCHEDULED_IN_PAST"
	for when, want := range map[string]string{ // the time, or the error code
		"2026-03-02T09:00:00Z":             "2026-03-02T09:00:00.000Z",
		"2026-03-02t09:00:00z":             "2026-03-02T09:00:00.000Z",
		"2026-03-02T09:00:00.5+01:00":      "2026-03-02T08:00:00.500Z",
		"2026-03-02T09:00:00.9999999999Z":  "2026-03-02T09:00:00.999Z",
		"2026-03-02T09:00:00-23:59":        "2026-03-03T08:59:00.000Z",
		"2028-02-29T23:59:59Z":             "2028-02-29T23:59:59.000Z",
		"2031-02-28T23:59:59Z":             "2031-02-28T23:59:59.000Z",
		"2031-03-03T00:00:00Z":             invalid,
		"9999-12-31T23:59:59Z":             invalid,
		"2026-03-01T12:00:01Z":             "2026-03-01T12:00:01.000Z", // in one second
		"2026-03-01T12:00:00.001Z":         "2026-03-01T12:00:00.001Z",
		"2026-03-01T12:00:00Z":             past, // now
		"2026-03-01T12:00:00.0009Z":        past, // now, in milliseconds
		"2026-03-01T13:59:59+02:00":        past,
		"0001-01-01T00:00:00Z":             past,
		"1969-12-31T23:59:59Z":             past,
		"0000-01-01T00:00:00Z":             invalid,
		"0001-01-01T00:00:00+01:00":        invalid,
		"9999-12-31T23:59:59-01:00":        invalid,
		"10000-01-01T00:00:00Z":            invalid,
		"2026-03-02T24:00:00Z":             invalid,
		"2026-03-02T09:60:00Z":             invalid,
		"2026-03-02T23:59:60Z":             invalid,
		"2026-02-29T09:00:00Z":             invalid,
		"2026-13-01T09:00:00Z":             invalid,
		"2026-03-02T09:00:00":              invalid,
		"2026-03-02T09:00:00,5Z":           invalid,
		"2026-03-02T09:00:00.Z":            invalid,
		"2026-03-02T09:00Z":                invalid,
		"2026-03-02 09:00:00Z":             invalid,
		"2026-03-02":                       invalid,
		"20260302T090000Z":                 invalid,
		"2026-03-02T09:00:00+0100":         invalid,
		"2026-03-02T09:00:00+24:00":        invalid,
		"2026-03-02T09:00:00Z[UTC]":        invalid,
		" 2026-03-02T09:00:00Z":            invalid,
		"1772442000":                       invalid,
		"tomorrow":                         invalid,
		"infinity":                         invalid,
		strings.Repeat("2026-03-02T", 500): invalid,
	} {
		draft, waiting := b.draft(t, b.ours), b.scheduled(t)
		for where, responded := range map[string]response{
			"/schedule": b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+`"],"content":"x","schedule":"`+
				when+`"}`),
			"/scheduledAt": b.post(t, "/v1/posts/"+b.draft(t, b.ours)+"/schedule", `{"scheduledAt":"`+when+`"}`),
			"of a draft":   b.patch(t, draft, `{"scheduledAt":"`+when+`"}`),
			"moved":        b.patch(t, waiting, `{"scheduledAt":"`+when+`"}`),
		} {
			if strings.HasPrefix(want, "VALID") || want == past {
				p := requireProblem(t, responded, http.StatusUnprocessableEntity, want)
				if want == invalid {
					pointer := map[bool]string{true: where, false: "/scheduledAt"}[strings.HasPrefix(where, "/")]
					require.Equal(t, []string{pointer}, pointers(t, p), when)
				}
				continue
			}
			require.Less(t, responded.status, 300, "%s %s %s", where, when, responded.body)
			created := responded.only(t)
			require.Equal(t, want, created["scheduledAt"], where+" "+when)
			require.Equal(t, created, b.get(t, "/v1/posts/"+text(t, created, "id")).object(t), where+" "+when)
		}
		require.Equal(t, "DRAFT", b.get(t, "/v1/posts/"+draft).object(t)["status"])
	}
	require.Zero(t, b.count(t, `post WHERE status = 'SCHEDULED' AND scheduled_at <= $1`, sunday().Format(time.RFC3339)))
}

// only returns the post of a response with one post.
func (a response) only(t testing.TB) map[string]any {
	t.Helper()
	if strings.HasPrefix(a.body, "[") {
		require.Len(t, a.list(t), 1)
		return a.list(t)[0]
	}
	return a.object(t)
}

// TestScheduleTimesOutOfRange sends times in the past and beyond 5 years: the fault names the field that was sent, and
// comes together with all others.
func TestScheduleTimesOutOfRange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	far := time.Now().AddDate(5, 0, 1).UTC().Format(time.RFC3339)
	x := b.channel(t, b.ours.id, channel.Twitter, true).String()
	scheduled := "/v1/posts/" + b.scheduled(t)
	long := strings.Repeat("x", 1000)
	draft := b.post(t, "/v1/posts", `{"channelIds":["`+x+`"],"content":"`+long+`"}`)
	path := "/v1/posts/" + text(t, draft.list(t)[0], "id")
	for _, c := range []struct{ method, path, body, code string }{
		{"POST", "/v1/posts", `{"channelIds":["` + x + `"],"content":"a","schedule":"AT"}`, "/schedule"},
		{"POST", "/v1/posts", `{"channelIds":["` + x + `"],"content":"` + long + `","schedule":"AT"}`, "/content /schedule"},
		{"POST", "/v1/posts", `{"channelIds":["` + x + `"],"title":5,"schedule":"AT"}`, "/title /schedule"},
		{"POST", "/v1/posts/linkedin", `{"channelId":"` + b.ours.channels[channel.LinkedInPage].String() +
			`","content":"a","schedule":"AT"}`, "/schedule"},
		{"POST", scheduled + "/schedule", `{"scheduledAt":"AT"}`, "/scheduledAt"},
		{"POST", scheduled + "/schedule", `{"scheduledAt":"AT","x":1}`, "/x /scheduledAt"},
		{"POST", path + "/schedule", `{"scheduledAt":"AT"}`, "/content /scheduledAt"},
		{"PATCH", scheduled, `{"scheduledAt":"AT"}`, "/scheduledAt"},
		{"PATCH", scheduled, `{"scheduledAt":"AT","content":""}`, "/content /scheduledAt"},
		{"PATCH", scheduled, `{"scheduledAt":"AT","content":5}`, "/content /scheduledAt"},
		{"PATCH", path, `{"scheduledAt":"AT"}`, "/scheduledAt"},
	} {
		for at, code := range map[string]string{"2020-01-01T00:00:00Z": "SCHEDULED_IN_PAST", far: "VALIDATION_FAILED"} {
			want := strings.Fields(c.code)
			if len(want) > 1 {
				code = "VALIDATION_FAILED"
			}
			got := b.do(t, request{
				method: c.method, path: c.path, key: b.ours.key, contentType: "application/json",
				body: strings.ReplaceAll(c.body, "AT", at),
			})
			p := requireProblem(t, got, http.StatusUnprocessableEntity, code)
			require.Equal(t, want, pointers(t, p), c.path+c.body)
			require.Contains(t, got.body, map[string]string{far: "more than 5 years ahead"}[at])
		}
	}
	found := b.post(t, "/v1/posts/validate", `{"channelIds":["`+x+`"],"content":"a","schedule":"`+far+`"}`)
	require.Contains(t, found.body, "more than 5 years ahead")
	require.Equal(t, http.StatusCreated, b.post(t, "/v1/posts",
		`{"channelIds":["`+x+`"],"content":"a","schedule":"`+time.Now().AddDate(5, 0, -1).UTC().Format(time.RFC3339)+`"}`).status)
}
