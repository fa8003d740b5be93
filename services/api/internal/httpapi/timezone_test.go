package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
)

// timed sends a time with its zone to every operation that takes one. Each body has TIME instead of the member's value
// and ZONE instead of the member timezone.
func (b *bundle) timed(t testing.TB, draft, scheduled string) map[string]request {
	t.Helper()
	ours, media := b.ours.channel.String(), b.ours.media.String()
	of := func(typ channel.Type) string { return b.ours.channels[typ].String() }
	all := map[string]request{}
	for name, r := range map[string]struct{ method, path, body string }{
		"create":    {"POST", "/v1/posts", `{"channelIds":["` + ours + `"],"content":"x","schedule":TIME ZONE}`},
		"validate":  {"POST", "/v1/posts/validate", `{"channelIds":["` + ours + `"],"content":"x","schedule":TIME ZONE}`},
		"schedule":  {"POST", "/v1/posts/" + scheduled + "/schedule", `{"scheduledAt":TIME ZONE}`},
		"move":      {"PATCH", "/v1/posts/" + scheduled, `{"scheduledAt":TIME ZONE}`},
		"intend":    {"PATCH", "/v1/posts/" + draft, `{"scheduledAt":TIME ZONE}`},
		"linkedin":  {"POST", "/v1/posts/linkedin", `{"channelId":"` + of(channel.LinkedInPage) + `","content":"x","schedule":TIME ZONE}`},
		"youtube":   {"POST", "/v1/posts/youtube", `{"channelId":"` + of(channel.YouTube) + `","title":"x","mediaId":"` + media + `","schedule":TIME ZONE}`},
		"tiktok":    {"POST", "/v1/posts/tiktok", `{"channelId":"` + of(channel.TikTokBusiness) + `","mediaIds":["` + media + `"],"schedule":TIME ZONE}`},
		"pinterest": {"POST", "/v1/posts/pinterest", `{"channelId":"` + of(channel.Pinterest) + `","boardId":"1","mediaIds":["` + media + `"],"schedule":TIME ZONE}`},
	} {
		all[name] = request{method: r.method, path: r.path, key: b.ours.key, contentType: "application/json", body: r.body}
	}
	return all
}

// with fills the body in.
func (r request) with(at, zone string) request {
	if zone != "" {
		zone = `,"timezone":"` + zone + `"`
	}
	r.body = strings.NewReplacer("TIME", `"`+at+`"`, " ZONE", zone).Replace(r.body)
	return r
}

// TestWallClockTimes sends times of a zone to every operation that takes a publish time.
func TestWallClockTimes(t *testing.T) {
	t.Parallel()
	b, _ := at(t, sunday())
	for _, c := range []struct{ at, zone, want string }{
		{"2026-03-02T09:00:00", "Europe/Berlin", "2026-03-02T08:00:00.000Z"},
		{"2026-03-02t09:00:00.5", "Europe/Berlin", "2026-03-02T08:00:00.500Z"},
		{"2026-03-29T02:30:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"}, // in the gap
		{"2026-10-25T02:30:00", "Europe/Berlin", "2026-10-25T00:30:00.000Z"}, // the first of both
		{"2026-03-02T09:00:00", "UTC", "2026-03-02T09:00:00.000Z"},
		{"2026-03-02T09:00:00", "Asia/Calcutta", "2026-03-02T03:30:00.000Z"},
		// a time that has an offset keeps it
		{"2026-10-25T02:30:00+01:00", "Europe/Berlin", "2026-10-25T01:30:00.000Z"},
		{"2026-03-02T08:00:00Z", "Europe/Berlin", "2026-03-02T08:00:00.000Z"},
		{"2026-03-02T08:00:00-00:00", "Europe/Berlin", "2026-03-02T08:00:00.000Z"},
	} {
		for name, r := range b.timed(t, b.draft(t, b.ours), b.scheduled(t)) {
			responded := b.do(t, r.with(c.at, c.zone))
			require.Less(t, responded.status, 300, name+" "+c.at+" "+responded.body)
			if name == "validate" {
				require.Contains(t, responded.body, `"errors":[],"warnings":[]`, c.at)
				continue
			}
			require.Equal(t, c.want, responded.only(t)["scheduledAt"], name+" "+c.at)
		}
	}
}

// TestWallClockTimesRefused has every wrong time and zone, with the location of the fault and a remedy.
func TestWallClockTimesRefused(t *testing.T) {
	t.Parallel()
	b, _ := at(t, sunday())
	const when, zone = "TIME", "/timezone"
	for _, c := range []struct{ at, zone, pointers, says string }{
		{"2026-03-02T09:00:00", "", when, "send its time zone beside it as timezone, for example Europe/Berlin"},
		{"2026-03-02T09:00", "Europe/Berlin", when, "has no seconds"},
		{"2026-02-30T09:00:00", "Europe/Berlin", when, "is not a date and time that exists"},
		{"2026-03-02 09:00:00", "Europe/Berlin", when, "RFC 3339"},
		{"2026-03-02T09:00:00[Europe/Berlin]", "Europe/Berlin", when, "RFC 3339"},
		{"2026-03-02T09:00:00", "europe/berlin", zone, "did you mean Europe/Berlin?"},
		{"2026-03-02T09:00:00", "New York", zone, "did you mean America/New_York?"},
		{"2026-03-02T09:00:00", "Somewhere", zone, "is not the name of an IANA time zone, such as Europe/Berlin"},
		{"2026-03-02T09:00:00", "Local", zone, "is not the name of an IANA time zone"},
		{"2026-03-02T09:00:00", "../UTC", zone, "is not the name of an IANA time zone"},
		{"2026-03-02T09:00:00", strings.Repeat("x", 65), zone, "is not the name of an IANA time zone, such as Europe/Berlin"},
		{"2026-03-02T09:00:00Z", "Europe/Berln", zone, "did you mean Europe/Berlin?"},
		{"2026-03-02T09:00", "Europe/Berln", zone + " " + when, "did you mean Europe/Berlin?"},
		{"2026-03-02T09:00:00+02:00", "Europe/Berlin", when, "but Europe/Berlin has +01:00 at that time"},
		{"2026-07-02T09:00:00+00:00", "Europe/London", when, "but Europe/London has +01:00 at that time"},
		{"2031-03-02T00:00:00", "Europe/Berlin", when, "is more than 5 years ahead"},
		{"2026-03-01T12:30:00", "Europe/Berlin", when, "is not in the future"}, // 11:30 in UTC
	} {
		draft, scheduled := b.draft(t, b.ours), b.scheduled(t)
		for name, r := range b.timed(t, draft, scheduled) {
			member := "/schedule"
			if strings.Contains(r.body, "scheduledAt") {
				member = "/scheduledAt"
			}
			responded := b.do(t, r.with(c.at, c.zone))
			require.Contains(t, responded.body, c.says, name)
			if name == "validate" && responded.status == http.StatusOK {
				require.Contains(t, responded.body, `"valid":false`)
				continue
			}
			code := "VALIDATION_FAILED"
			if strings.Contains(c.says, "not in the future") {
				code = "SCHEDULED_IN_PAST"
			}
			p := requireProblem(t, responded, http.StatusUnprocessableEntity, code)
			want := strings.Fields(strings.Replace(c.pointers, when, member, 1))
			require.ElementsMatch(t, want, pointers(t, p), name+" "+c.at+" "+c.zone)
		}
		require.Empty(t, b.get(t, "/v1/posts/"+draft).object(t)["scheduledAt"])
	}
}

// TestTimezoneWithoutTime sends a zone where it has nothing to say: it must exist all the same.
func TestTimezoneWithoutTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, r := range []request{
		{method: "POST", path: "/v1/posts", body: `{"channelIds":["` + b.ours.channel.String() + `"],"content":"x"ZONE}`},
		{method: "POST", path: "/v1/posts", body: `{"channelIds":["` + b.ours.channel.String() + `"],"content":"x","schedule":"draft"ZONE}`},
		{method: "POST", path: "/v1/posts", body: `{"channelIds":["` + b.ours.channel.String() + `"],"content":"x","schedule":"now"ZONE}`},
		{method: "POST", path: "/v1/posts", body: `{"channelIds":["` + b.ours.channel.String() + `"],"content":"x","schedule":"next_slot"ZONE}`},
		{method: "POST", path: "/v1/posts/" + b.draft(t, b.ours) + "/schedule", body: `{"schedule":"next_slot"ZONE}`},
		{method: "PATCH", path: "/v1/posts/" + b.draft(t, b.ours), body: `{"content":"y"ZONE}`},
		{method: "PATCH", path: "/v1/posts/" + b.draft(t, b.ours), body: `{"scheduledAt":null ZONE}`},
	} {
		r.key, r.contentType = b.ours.key, "application/json"
		body := r.body
		for zone, fault := range map[string]string{
			`"Europe/Berlin"`: "", "null": "", `"Europe/Berln"`: "/timezone", "5": "/timezone", `["UTC"]`: "/timezone",
		} {
			r.body = strings.Replace(body, "ZONE", `,"timezone":`+zone, 1)
			responded := b.do(t, r)
			if fault == "" {
				require.Less(t, responded.status, 300, r.body+responded.body)
				continue
			}
			p := requireProblem(t, responded, http.StatusUnprocessableEntity, "VALIDATION_FAILED")
			require.Equal(t, []string{fault}, pointers(t, p), r.body)
		}
	}
	alone := b.patch(t, b.draft(t, b.ours), `{"timezone":"Europe/Berlin"}`)
	require.Contains(t, requireProblem(t, alone, http.StatusUnprocessableEntity, "VALIDATION_FAILED")["detail"], "nothing to edit")
	empty := b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+`"],"timezone":""}`)
	require.Equal(t, http.StatusCreated, empty.status, empty.body)
}

// TestValidateWarnsOfStrangeOffset checks that an offset other than that of the channel's zone is a warning, no error.
func TestValidateWarnsOfStrangeOffset(t *testing.T) {
	t.Parallel()
	b, _ := at(t, sunday())
	b.exec(t, `UPDATE channel SET timezone = 'Europe/Berlin' WHERE id = $1`, b.ours.channel.String())
	for _, c := range []struct{ schedule, says string }{
		{`"2026-03-02T09:00:00+01:00"`, ""},
		{`"2026-07-02T09:00:00+02:00"`, ""},
		{`"2026-07-02T09:00:00Z"`, ""},
		{`"2026-07-02T09:00:00","timezone":"America/New_York"`, ""},
		{`"now"`, ""},
		{`"2026-07-02T09:00:00+01:00"`, "the channel's time zone Europe/Berlin has +02:00 at that time: it is 2 July 2026, 10:00 there"},
		{`"2026-03-02T09:00:00+02:00"`, "has +01:00 at that time: it is 2 March 2026, 08:00 there"},
		{`"2026-03-02T23:30:00-05:00"`, "it is 3 March 2026, 05:30 there"},
	} {
		out := b.validate(t, `{"channelIds":["`+b.ours.channel.String()+`"],"content":"x","schedule":`+c.schedule+`}`)
		require.True(t, out.Valid, c.schedule)
		if c.says == "" {
			require.Empty(t, out.Channels[0].Warnings, c.schedule)
			continue
		}
		require.Equal(t, []string{"VALIDATION_FAILED /schedule"}, codes(out.Channels[0].Warnings), c.schedule)
		require.Contains(t, out.Channels[0].Warnings[0].Message, c.says)
	}
}
