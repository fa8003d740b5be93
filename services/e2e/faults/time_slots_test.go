package faults_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata" // the same time zones on every machine

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
)

// TestF38SlotsOfAnOddZone fills the queue of a channel in a time zone with a DST change of half an hour, from many
// concurrent clients. Package slot and the use cases test the DST changes themselves, with a fixed clock.
func TestF38SlotsOfAnOddZone(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F38", Title: "next_slot from many clients at once, in Lord Howe's zone",
		Expect: "I10: each slot once, at its local time, none in the past; due posts are published within their " +
			"minute",
	})
	l.Run(1)
	const zone, typ, many = "Australia/Lord_Howe", channel.Threads, 12
	place, err := time.LoadLocation(zone)
	require.NoError(t, err)
	l.Exec(`UPDATE channel SET timezone = $1 WHERE id = $2`, zone, l.Channels[typ].ID.String())
	soon := time.Now().Add(10 * time.Second).Truncate(time.Minute).Add(time.Minute).In(place)
	times := map[string]bool{}
	var slots []slot.Slot
	for _, at := range []time.Time{soon, soon.Add(13 * time.Hour), soon.AddDate(0, 0, 2)} {
		slots = append(slots, slot.Slot{Weekday: at.Weekday(), Hour: at.Hour(), Minute: at.Minute()})
		times[at.Format("Mon 15:04")] = true
	}
	l.SetSlots(typ, slots...)
	l.Injected("%d clients request the next of %d weekly slots in %s at once", many, len(slots), zone)

	created := nextSlots(t, l, typ, many)
	taken := make(map[time.Time]bool)
	first := time.Time{}
	for _, p := range created {
		at := *p.ScheduledAt
		require.False(t, taken[at], "%s was assigned twice", at)
		taken[at] = true
		require.True(t, at.After(time.Now().Add(-time.Minute)), "%s is past", at)
		require.True(t, times[at.In(place).Format("Mon 15:04")], "%s is not a slot", at.In(place))
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	require.Len(t, taken, many)
	require.Equal(t, soon.UTC(), first.UTC())
	require.Less(t, latest(created).Sub(soon), time.Duration(many/len(slots)+1)*7*24*time.Hour, "no slot was skipped")
	for _, p := range created {
		if at := *p.ScheduledAt; at.Equal(first) {
			requirePublished(t, l, lab.Accepted{ID: p.ID})
			out := *l.Get(p.ID).PublishedAt
			require.False(t, out.Before(at))
			require.Less(t, out.Sub(at), 20*time.Second)
		}
	}
	l.Settle(30 * time.Second)
	l.Check()
}

func latest(posts []fencepost.Post) (last time.Time) {
	for _, p := range posts {
		if at := *p.ScheduledAt; at.After(last) {
			last = at
		}
	}
	return last
}

// nextSlots requests many slots concurrently.
func nextSlots(t *testing.T, l *lab.Lab, typ channel.Type, many int) []fencepost.Post {
	t.Helper()
	responses, failures := make([][]fencepost.Post, many), make([]error, many)
	texts := make([]string, many)
	var all sync.WaitGroup
	for i := range many {
		texts[i] = l.Text()
		all.Go(func() {
			responses[i], failures[i] = l.API.Posts.Create(t.Context(), fencepost.CreatePostsRequest{
				ChannelIDs: []string{l.Channels[typ].ID.String()}, Content: texts[i], Schedule: "next_slot",
			})
		})
	}
	all.Wait()
	var created []fencepost.Post
	for i, posts := range responses {
		require.NoError(t, failures[i])
		p := posts[0]
		created = append(created, p)
		l.Remember(lab.Accepted{ID: p.ID, Text: texts[i], Type: typ, At: *p.ScheduledAt})
	}
	return created
}

// TestF39OddTimes sends invalid or unusual times to every operation that accepts a time.
func TestF39OddTimes(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F39", Title: "odd times: 24:00, :60, no offset, comma, lower case, year 0001 and 9999, past, in a second",
		Expect: "I10: rejected with a clear error or read correctly; never a crash, never published at once",
	})
	l.Run(1)
	soon := time.Now().UTC().Add(2 * time.Second).Truncate(time.Millisecond)
	day := soon.AddDate(0, 1, 0).Format(time.DateOnly)
	refused := []string{
		day + "T24:00:00Z", day + "T09:60:00Z", day + "T23:59:60Z", day + "T09:00:00", day + "T09:00:00,5Z", day + "T09:00Z",
		day + " 09:00:00Z", day, "0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00",
		"9999-12-31T23:59:59-01:00", "9999-12-31T23:59:59Z",
		"10000-01-01T00:00:00Z", "1969-12-31T23:59:59Z", day[:5] + "02-30T09:00:00Z", "tomorrow", "1772442000", "NaN",
		"infinity", "now ", "NOW",
		soon.Add(-time.Minute).Format(time.RFC3339), strings.Repeat(day+"T", 500), day + "T09:00:00+25:00",
		day + "T09:00:00Z\u0000",
	}
	draft := l.Create(channel.Threads, "F39 a draft", "draft")
	for _, when := range refused {
		oddTime(t, l, draft.ID, when)
	}
	l.Injected("%d invalid times, in four places", len(refused))
	odd := map[string]string{
		strings.ToLower(day + "T09:00:00Z"): day + "T09:00:00Z", day + "T09:00:00.1234567+05:45": day + "T03:15:00.123Z",
		soon.Format("2006-01-02t15:04:05.000z"): soon.Format("2006-01-02T15:04:05.000Z"),
	}
	for when, want := range odd {
		p := l.Create(channel.Threads, l.Text(), when)
		read, err := time.Parse(time.RFC3339, want)
		require.NoError(t, err)
		require.Equal(t, read.UTC(), p.ScheduledAt.UTC(), when)
	}
	l.Settle(20 * time.Second)
	require.Len(t, l.Sandbox.Ledger(), 1, "only what was due in two seconds is out")
	require.Equal(t, fencepost.PostStatusDraft, l.Get(draft.ID).Status)
	l.Check()
}

// oddTime sends the time to each operation that accepts one and checks that it is rejected.
func oddTime(t *testing.T, l *lab.Lab, draft, when string) {
	t.Helper()
	// The SDK refuses some of them itself.
	odd := quoted(t, when)
	rest := `"content":` + quoted(t, "F39 never "+when) + `,"schedule":` + odd
	id := func(typ channel.Type) string { return quoted(t, l.Channels[typ].ID.String()) }
	for where, request := range map[string][3]string{
		"create":   {http.MethodPost, "/v1/posts", `{"channelIds":[` + id(channel.Threads) + `],` + rest + `}`},
		"schedule": {http.MethodPost, "/v1/posts/" + draft + "/schedule", `{"scheduledAt":` + odd + `}`},
		"edit":     {http.MethodPatch, "/v1/posts/" + draft, `{"scheduledAt":` + odd + `}`},
		"linkedin": {http.MethodPost, "/v1/posts/linkedin", `{"channelId":` + id(channel.LinkedInPage) + `,` + rest + `}`},
	} {
		status, _ := l.Send(l.Key, request[0], request[1], request[2])
		require.Contains(t, []int{400, 422}, status, "%s: %.60q", where, when)
	}
}
