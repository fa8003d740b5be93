package main

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

var originField = regexp.MustCompile(`name="origin" value="([^"]*)"`)

// changing returns the form of the composer for existing posts.
func (br *browser) changing(t *testing.T, fields url.Values) url.Values {
	t.Helper()
	found := originField.FindStringSubmatch(br.last.body)
	require.NotNil(t, found, br.last.body)
	form := br.composed(t, fields)
	form.Set("origin", html.UnescapeString(found[1]))
	if fields.Get("when") == "" {
		form.Set("when", "planned")
	}
	return form
}

// set composes three posts, one with a text of its own, and returns their channels and their set.
func (b *bundle) set(t *testing.T, br *browser, path string, ours tenant) (x, threads, bluesky, group string) {
	t.Helper()
	x, threads, bluesky = ours.wildcards["channel"], b.connected(t, ours, "Kiln", channel.Threads), b.connected(t, ours, "Yard", channel.Bluesky)
	at := b.clock.Now().AddDate(0, 0, 2)
	br.visited(t, path)
	form := br.composed(t, url.Values{
		"text": {"Base"}, "channel": {x, threads, bluesky}, "text." + bluesky: {"Own"}, "labels": {"Spring"},
		"when": {"time"}, "day": {at.Format(time.DateOnly)}, "clock": {at.Format("15:04")},
	})
	require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status, br.last.body)
	return x, threads, bluesky, b.column(t, `SELECT group_id::text FROM post WHERE content = 'Own'`)[0]
}

// texts returns the text and the own members of the set's post of a channel.
func (b *bundle) textOf(t *testing.T, group, channel string) string {
	t.Helper()
	return b.column(t, `SELECT content || ' [' || array_to_string(own_members, ',') || ']' FROM post WHERE group_id = $1 AND channel_id = $2`, group, channel)[0]
}

// TestChangingASet changes the base of a set and one of its posts in the composer.
func TestChangingASet(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br, path := b.writer(t, ours, member.Editor)
	x, threads, bluesky, group := b.set(t, br, path, ours)
	before := b.column(t, `SELECT scheduled_at::text FROM post WHERE group_id = $1`, group)

	got := br.visited(t, path+"?group="+group).body
	require.Contains(t, got, ">Base</textarea>")
	require.Contains(t, got, ">Own</textarea>")
	require.Contains(t, got, "Save 3 posts")
	require.Contains(t, got, "As planned")
	require.NotContains(t, got, "The same text was published or is planned here", "a post does not conflict with itself")
	all := url.Values{"channel": {x, threads, bluesky}, "labels": {"Spring"}}
	with := func(more url.Values) url.Values {
		form := url.Values{}
		for name, values := range all {
			form[name] = values
		}
		for name, values := range more {
			form[name] = values
		}
		return form
	}
	form := br.changing(t, with(url.Values{"text": {"New base"}, "text." + bluesky: {"Own"}, "text." + threads: {"Threads only"}, "labels": {"Spring, Fair"}}))
	br.post(t, path+"/save", form)
	require.Equal(t, "Base []", b.textOf(t, group, x), "nothing changes while a person writes")
	require.Equal(t, http.StatusSeeOther, br.post(t, path, br.resent(t, form)).status, br.last.body)
	require.Equal(t, "New base []", b.textOf(t, group, x))
	require.Equal(t, "Threads only [content]", b.textOf(t, group, threads))
	require.Equal(t, "Own [content]", b.textOf(t, group, bluesky))
	require.Equal(t, []string{"Spring,Fair"}, b.column(t, `SELECT DISTINCT array_to_string(labels, ',') FROM post WHERE group_id = $1`, group))
	require.Equal(t, before, b.column(t, `SELECT scheduled_at::text FROM post WHERE group_id = $1`, group))
	require.Empty(t, b.column(t, `SELECT 1 FROM scratch`))
	require.Equal(t, []string{"3"}, b.column(t, `SELECT count(*)::text FROM event WHERE type = 'post.updated'`), "one for each post")

	// The text follows the base again, and one post is left as it is.
	br.visited(t, path+"?group="+group)
	form = br.changing(t, with(url.Values{"text": {"Newest"}, "text." + bluesky: {"Own"}, "labels": {"Spring, Fair"}, "channel": {threads, bluesky}}))
	require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status, br.last.body)
	require.Equal(t, "New base []", b.textOf(t, group, x))
	require.Equal(t, "Newest []", b.textOf(t, group, threads))

	// One post: what changes becomes its own, and it is moved.
	id := b.column(t, `SELECT id::text FROM post WHERE group_id = $1 AND channel_id = $2`, group, x)[0]
	require.Contains(t, br.visited(t, path+"?post="+id).body, "Save 1 post")
	at := b.clock.Now().AddDate(0, 0, 5).Truncate(time.Minute)
	form = br.changing(t, url.Values{
		"text": {"Alone"}, "channel": {x}, "labels": {"Fair"}, "when": {"time"}, "day": {at.Format(time.DateOnly)}, "clock": {at.Format("15:04")},
	})
	require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status, br.last.body)
	require.Equal(t, "Alone [content]", b.textOf(t, group, x))
	require.Equal(t, []string{at.UTC().Format("2006-01-02 15:04") + " Fair"}, b.column(t,
		`SELECT to_char(scheduled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI ') || array_to_string(labels, ',') FROM post WHERE id = $1`, id))

	outsider, foreign := b.writer(t, theirs, member.Owner)
	require.Equal(t, http.StatusNotFound, outsider.get(t, foreign+"?group="+group).status)
	require.Equal(t, http.StatusNotFound, outsider.get(t, foreign+"?post="+id).status)
	require.Equal(t, http.StatusNotFound, outsider.get(t, foreign+"?post=x").status)
	outsider.post(t, foreign, form)
	require.Equal(t, "Alone [content]", b.textOf(t, group, x))
}

// resent returns a form with the scratch of the last response.
func (br *browser) resent(t *testing.T, form url.Values) url.Values {
	t.Helper()
	now := br.composed(t, form)
	now.Set("when", form.Get("when"))
	return now
}

// TestChangingAfterOthers saves over a change of someone else: both are shown, and nothing is lost.
func TestChangingAfterOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br, path := b.writer(t, ours, member.Editor)
	x, threads, bluesky, group := b.set(t, br, path, ours)
	br.visited(t, path+"?group="+group)
	form := br.changing(t, url.Values{
		"text": {"Mine"}, "text." + bluesky: {"Own"}, "channel": {x, threads, bluesky}, "labels": {"Spring"},
	})

	other, _ := b.writer(t, ours, member.Editor)
	id := b.column(t, `SELECT id::text FROM post WHERE group_id = $1 AND channel_id = $2`, group, x)[0]
	other.visited(t, path+"?post="+id)
	theirs := other.changing(t, url.Values{"text": {"<b>Theirs</b>"}, "channel": {x}, "labels": {"Spring"}})
	require.Equal(t, http.StatusSeeOther, other.post(t, path, theirs).status, other.last.body)
	other.visited(t, path+"?post="+b.column(t, `SELECT id::text FROM post WHERE group_id = $1 AND channel_id = $2`, group, bluesky)[0])
	theirs = other.changing(t, url.Values{"text": {"Own of theirs"}, "channel": {bluesky}, "labels": {"Spring"}})
	require.Equal(t, http.StatusSeeOther, other.post(t, path, theirs).status, other.last.body)

	got := br.post(t, path, form)
	require.Equal(t, http.StatusConflict, got.status)
	require.Contains(t, got.body, "&lt;b&gt;Theirs&lt;/b&gt;</p>")
	require.Contains(t, got.body, `<p class="quote">Mine</p>`)
	require.NotContains(t, got.body, "Own of theirs", "a post that the person did not change is no conflict")
	require.Equal(t, "<b>Theirs</b> [content]", b.textOf(t, group, x))
	require.Equal(t, "Base []", b.textOf(t, group, threads))
	require.Equal(t, []string{"Mine"}, b.column(t, `SELECT content->>'text' FROM scratch`))

	over := regexp.MustCompile(`name="over" value="([^"]*)"`).FindStringSubmatch(got.body)
	require.NotNil(t, over)
	form = br.resent(t, form)
	form.Set("over", html.UnescapeString(over[1]))
	require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status, br.last.body)
	require.Equal(t, "Mine []", b.textOf(t, group, x))
	require.Equal(t, "Mine []", b.textOf(t, group, threads))
	require.Equal(t, "Own of theirs [content]", b.textOf(t, group, bluesky))
}

// TestClosedPostsStayAsTheyAre opens posts that cannot be changed, and a set with one of them.
func TestClosedPostsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br, path := b.writer(t, ours, member.Editor)
	x, threads, bluesky, group := b.set(t, br, path, ours)
	of := func(channel string) string {
		return b.column(t, `SELECT id::text FROM post WHERE group_id = $1 AND channel_id = $2`, group, channel)[0]
	}
	contributor, _ := b.writer(t, ours, member.Contributor)
	require.Equal(t, http.StatusConflict, contributor.get(t, path+"?post="+of(x)).status)
	require.Contains(t, contributor.last.body, "Ask an editor to move it back to drafts.")

	br.visited(t, path+"?group="+group)
	form := br.changing(t, url.Values{"text": {"Late"}, "text." + bluesky: {"Own"}, "channel": {x, threads, bluesky}, "labels": {"Spring"}})
	br.post(t, path+"/save", form)
	scratch := b.column(t, `SELECT id::text FROM scratch`)[0]
	require.Equal(t, path+"?scratch="+scratch, br.get(t, path+"?group="+group).header.Get("Location"), "what was not saved yet goes on")
	postgrestest.Exec(t, b.dsn, `UPDATE post SET publishing_since = now() WHERE id = $1`, of(x))
	require.Equal(t, http.StatusConflict, br.get(t, path+"?post="+of(x)).status)
	require.Contains(t, br.last.body, "It is being published now.")
	got := br.visited(t, path+"?scratch="+scratch).body
	require.Contains(t, got, "stays as it is.</strong> It is being published now.")
	form = br.resent(t, form)
	require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status, br.last.body)
	require.Equal(t, "Base []", b.textOf(t, group, x))
	require.Equal(t, "Late []", b.textOf(t, group, threads))

	// A text that its network refuses: nothing is saved until it is fixed.
	br.visited(t, path+"?group="+group)
	form = br.changing(t, url.Values{"text": {strings.Repeat("long ", 90)}, "text." + bluesky: {"Own again"}, "channel": {threads, bluesky}, "labels": {"Spring"}, "when": {"now"}})
	form.Set("text."+threads, strings.Repeat("long ", 120))
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, path, form).status)
	require.Contains(t, br.last.body, "1 that is ready")
	postgrestest.Exec(t, b.dsn, `DELETE FROM post WHERE group_id = $1`, group)
	br.post(t, path+"/save", br.resent(t, form))
	scratch = b.column(t, `SELECT id::text FROM scratch`)[0]
	require.Contains(t, br.visited(t, path+"?scratch="+scratch).body, "Write a new post with this text")
	require.NotContains(t, br.visited(t, path+"?scratch="+scratch+"&as=new").body, `name="origin"`)
}
