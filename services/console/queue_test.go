package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// slotted gives the channel of a tenant a slot at 09:00 and one at 18:00 on every day.
func (b *bundle) slotted(t *testing.T, of tenant) {
	t.Helper()
	id, err := ident.Parse[ident.Channel](of.wildcards["channel"])
	require.NoError(t, err)
	var slots []slot.Slot
	for on := range 7 {
		slots = append(slots, slot.Slot{Weekday: time.Weekday(on), Hour: 9}, slot.Slot{Weekday: time.Weekday(on), Hour: 18})
	}
	require.NoError(t, postgres.NewChannels(b.db, b.box).SetSlots(t.Context(), id, slots))
}

// tomorrow returns a time of day of the next day.
func (b *bundle) tomorrow(hour int) time.Time {
	now := b.clock.Now()
	return time.Date(now.Year(), now.Month(), now.Day()+1, hour, 0, 0, 0, time.UTC)
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func (b *bundle) timeOf(t *testing.T, post string) string {
	t.Helper()
	return postgrestest.Column(t, b.dsn, `SELECT to_char(scheduled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') FROM post WHERE id = $1`, post)[0]
}

// TestMovingPostsOfAQueue moves posts by their buttons and by a script, shuffles them, takes it back, and is refused.
func TestMovingPostsOfAQueue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	b.slotted(t, ours)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	path := filled("/w/{workspace}/queue/{channel}", ours.wildcards)
	early, late := b.tomorrow(9), b.tomorrow(18)
	bowls, cups := b.scheduled(t, ours, "Bowls <i>", early), b.scheduled(t, ours, "Cups", late)
	require.Equal(t, path, br.get(t, filled("/w/{workspace}/queue", ours.wildcards)).header.Get("Location"))
	got := br.visited(t, path).body
	require.Contains(t, got, `>Bowls &lt;i&gt;</a>`)
	require.Contains(t, got, `id="down-`+bowls+`" name="to" value="`+stamp(late)+`"`)
	require.Contains(t, got, `/compose?channel=`+ours.wildcards["channel"]+`&amp;at=`+strings.ReplaceAll(stamp(b.tomorrow(33)), ":", "%3a"))

	move := func(post string, from, to time.Time, headers ...string) page {
		br.visited(t, path)
		return br.post(t, path+"/move", url.Values{"post": {post}, "from": {stamp(from)}, "to": {stamp(to)}}, headers...)
	}
	require.Equal(t, http.StatusSeeOther, move(cups, late, early).status)
	require.Equal(t, stamp(early), b.timeOf(t, cups))
	require.Equal(t, stamp(late), b.timeOf(t, bowls))
	require.Contains(t, br.visited(t, path).body, "“Cups” is now "+early.Format("Mon 15:04"))

	said := move(bowls, late, early, "HX-Request", "true")
	require.Equal(t, http.StatusOK, said.status)
	var document struct {
		Text string
		Undo []struct{ Post, From, To string }
	}
	require.NoError(t, json.Unmarshal([]byte(said.body), &document))
	require.Len(t, document.Undo, 2)
	back := url.Values{}
	for _, one := range document.Undo {
		back.Add("post", one.Post)
		back.Add("from", one.From)
		back.Add("to", one.To)
	}
	require.Equal(t, http.StatusOK, br.post(t, path+"/move", back, "HX-Request", "true").status)
	require.Equal(t, stamp(early), b.timeOf(t, cups))

	// Someone else moved it; the time has passed; not a post; not a time; twice in a form.
	for want, form := range map[string]url.Values{
		"Someone else moved this post meanwhile.": {"post": {cups}, "from": {stamp(late)}, "to": {stamp(b.tomorrow(33))}},
		"That time has passed.":                   {"post": {cups}, "from": {stamp(early)}, "to": {"2020-01-01T00:00:00Z"}},
		"This post does not exist.":               {"post": {"x"}, "from": {stamp(early)}, "to": {stamp(late)}},
		"Someone deleted this post meanwhile.":    {"post": {theirs.wildcards["post"]}, "from": {stamp(early)}, "to": {stamp(late)}},
		"Choose a post and its new time.":         {"post": {cups}, "from": {"soon"}, "to": {stamp(late)}},
		"A post is in the form twice.":            {"post": {cups, cups}, "from": {stamp(early), stamp(early)}, "to": {stamp(late), stamp(late)}},
	} {
		br.visited(t, path)
		got := br.post(t, path+"/move", form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, want)
		require.Contains(t, got.body, want)
		got = br.post(t, path+"/move", form, "HX-Request", "true")
		require.Equal(t, http.StatusUnprocessableEntity, got.status, want)
		require.Contains(t, got.body, want)
		require.NotContains(t, got.body, "<")
	}
	require.Equal(t, stamp(early), b.timeOf(t, cups))

	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/shuffle?weeks=4", url.Values{}).status)
	require.Equal(t, path+"?weeks=4", br.last.header.Get("Location"))
	require.Equal(t, stamp(late), b.timeOf(t, cups), "two posts have one other order")
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'DRAFT', scheduled_at = NULL WHERE id = $1`, bowls)
	br.visited(t, path)
	require.Contains(t, br.post(t, path+"/shuffle", url.Values{}).body, "There are not two posts at different times to shuffle.")
}

// TestPausingFromTheQueue pauses a channel, reads since when and by whom, and resumes with a decision about late posts.
func TestPausingFromTheQueue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br, viewer := b.browser(t), b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	path := filled("/w/{workspace}/queue/{channel}", ours.wildcards)
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/pause", url.Values{}).status)
	require.Contains(t, br.visited(t, path).body, "<strong>News is paused</strong> since <time")
	require.Contains(t, br.last.body, " by Grace Hopper. Posts keep their times and wait.")
	require.Contains(t, viewer.visited(t, path).body, "<strong>News is paused</strong>")
	require.NotContains(t, viewer.last.body, "/resume")
	b.lateBy(t, ours, "Late plates")
	require.Contains(t, br.visited(t, path).body, "1 post is late")
	got := br.post(t, path+"/resume", url.Values{})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "Choose what happens to the late posts.")
	br.visited(t, path)
	got = br.post(t, path+"/resume", url.Values{"late": {"move"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "does not have enough free slots")
	b.slotted(t, ours)
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/resume", url.Values{"late": {"move"}}).status)
	require.NotContains(t, br.visited(t, path).body, "is paused</strong>")
	require.Contains(t, br.last.body, "Late plates")
}

// TestWeeklyTimesOfAQueue adds times on several days, removes one, copies them to another channel, and is refused.
func TestWeeklyTimesOfAQueue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	other := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: ours.workspace.ID, Name: "Other <b>", Type: channel.Threads, ExternalID: "o",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "Asia/Tokyo", CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewChannels(b.db, b.box).Insert(t.Context(), other, channel.Credentials{AccessToken: "x"}))
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	path := filled("/w/{workspace}/queue/{channel}", ours.wildcards)
	send := func(form url.Values) page {
		br.visited(t, path)
		return br.post(t, path+"/slots", form)
	}
	require.Equal(t, http.StatusSeeOther, send(url.Values{"time": {"09:30"}, "weekday": {"MONDAY", "FRIDAY"}, "day": {"MONDAY"}}).status)
	require.Contains(t, br.visited(t, path).body, "09:30 added on Mon, Fri.")
	require.Equal(t, http.StatusSeeOther, send(url.Values{"time": {"18:00"}, "weekday": {"MONDAY"}}).status)
	require.Equal(t, http.StatusSeeOther, send(url.Values{"remove": {"FRIDAY 09:30"}}).status)
	slots := func(id string) []string {
		return postgrestest.Column(t, b.dsn, `SELECT weekday || ' ' || minute FROM channel_slot WHERE channel_id = $1 ORDER BY 1`, id)
	}
	require.Equal(t, []string{"1 1080", "1 570"}, slots(ours.wildcards["channel"]))
	for want, form := range map[string]url.Values{
		"Choose a time.":                    {"weekday": {"MONDAY"}, "day": {"MONDAY"}},
		"Choose at least one day.":          {"time": {"09:30"}, "day": {"MONDAY"}},
		"Enter a time from 00:00 to 23:59.": {"time": {"9:30"}, "weekday": {"MONDAY"}, "day": {"MONDAY"}},
		"This time does not exist.":         {"remove": {"NEVER"}},
	} {
		got := send(form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, want)
		require.Contains(t, got.body, want)
	}
	br.visited(t, path)
	require.Contains(t, br.last.body, "Other &lt;b&gt; · Threads")
	require.Contains(t, br.post(t, path+"/copy", url.Values{}).body, "Choose at least one channel.")
	br.visited(t, path)
	require.Contains(t, br.post(t, path+"/copy", url.Values{"to": {"x"}}).body, "Choose channels of the list.")
	br.visited(t, path)
	require.Equal(t, http.StatusNotFound, br.post(t, path+"/copy", url.Values{"to": {other.ID.String(), theirs.wildcards["channel"]}}).status)
	require.Empty(t, slots(other.ID.String()))
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/copy", url.Values{"to": {other.ID.String()}}).status)
	require.Equal(t, slots(ours.wildcards["channel"]), slots(other.ID.String()))
}
