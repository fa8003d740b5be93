package main

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestNotesOnDays writes a note, reads it in every view, deletes it, and is refused.
func TestNotesOnDays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br, viewer := b.browser(t), b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	path := filled("/w/{workspace}/calendar", ours.wildcards)
	day := b.tomorrow(0).Format(time.DateOnly)
	of := func(view string) string { return path + "?view=" + view + "&day=" + day }
	br.visited(t, of("day"))
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/notes", url.Values{"day": {day}, "text": {"Kiln <b>opens</b>"}}).status)
	require.Equal(t, of("day"), br.last.header.Get("Location"))
	for _, view := range []string{"day", "list", "week", "month"} {
		require.Contains(t, viewer.visited(t, of(view)).body, "Kiln &lt;b&gt;opens&lt;/b&gt;", view)
		require.NotContains(t, viewer.last.body, "/notes", view)
	}
	for want, text := range map[string]string{"Write something.": " ", "The note ": strings.Repeat("é", 501)} {
		br.visited(t, of("day"))
		got := br.post(t, path+"/notes", url.Values{"day": {day}, "text": {text}})
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		require.Contains(t, got.body, want)
		require.Contains(t, got.body, strings.TrimSpace(text))
	}
	require.Equal(t, http.StatusNotFound, br.post(t, path+"/notes", url.Values{"day": {"never"}, "text": {"x"}}).status)
	id := postgrestest.Column(t, b.dsn, `SELECT id::text FROM calendar_note WHERE content LIKE 'Kiln%'`)[0]
	require.Equal(t, http.StatusForbidden, viewer.post(t, path+"/notes/"+id+"/delete", url.Values{"day": {day}}).status)
	br.visited(t, of("day"))
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/notes/"+id+"/delete", url.Values{"day": {day}}).status)
	require.NotContains(t, br.visited(t, of("day")).body, "Kiln")
}

// TestHolidaysOfTheWorkspace chooses countries and reads their holidays.
func TestHolidaysOfTheWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br, editor := b.browser(t), b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Admin).Email)
	editor.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	path := filled("/w/{workspace}/calendar", ours.wildcards)
	require.NotContains(t, editor.visited(t, path+"?view=month&day=2026-12-01").body, path+"/holidays")
	br.visited(t, path+"/holidays")
	got := br.post(t, path+"/holidays", url.Values{"country": {"DE", "XX"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "Choose countries of the list.")
	br.visited(t, path+"/holidays")
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/holidays", url.Values{"country": {"SE", "DE", "DE"}}).status)
	require.Equal(t, []string{"{DE,SE}"}, postgrestest.Column(t, b.dsn, `SELECT holiday_countries::text FROM workspace WHERE id = $1`, ours.wildcards["workspace"]))
	for _, view := range []string{"day", "list", "week", "month"} {
		require.Contains(t, editor.visited(t, path+"?view="+view+"&day=2026-12-25").body, "Weihnachtstag", view)
	}
	require.Contains(t, br.visited(t, path+"/holidays").body, `value="SE" checked`)
	br.visited(t, path+"/holidays")
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/holidays", url.Values{}).status)
	require.NotContains(t, br.visited(t, path+"?view=month&day=2026-12-25").body, "Weihnachtstag")
}

// TestCalendarFiltersAndFreeSlots filters by label and author in the address, and reads free slots and gaps.
func TestCalendarFiltersAndFreeSlots(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	b.slotted(t, ours)
	author := b.membership(t, ours.workspace, member.Editor)
	br := b.browser(t)
	br.signInAs(t, author.Email)
	path := filled("/w/{workspace}/calendar", ours.wildcards)
	bowls := b.scheduled(t, ours, "Bowls", b.tomorrow(9))
	b.scheduled(t, ours, "Cups", b.tomorrow(12))
	postgrestest.Exec(t, b.dsn, `UPDATE post SET labels = '{Autumn}', label_keys = '{autumn}', author_id = $2 WHERE id = $1`, bowls, author.ID.String())
	postgrestest.Exec(t, b.dsn, `INSERT INTO label (workspace_id, key, name, color) VALUES ($1, 'autumn', 'Autumn', '#112233')`, ours.wildcards["workspace"])
	day := "?view=list&day=" + b.tomorrow(0).Format(time.DateOnly)
	got := br.visited(t, path+day).body
	require.Contains(t, got, ">Cups</a>")
	require.Contains(t, got, "/compose?at="+url.QueryEscape(stamp(b.tomorrow(18)))+"&amp;channel="+ours.wildcards["channel"])
	require.Contains(t, got, "<span>Nothing on "+b.tomorrow(24).Weekday().String()+"</span>")
	require.NotContains(t, got, "Nothing on "+b.tomorrow(0).Weekday().String()+"</span>", "the day has posts")
	for _, filter := range []string{"&label=autumn", "&author=" + author.ID.String()} {
		got := br.visited(t, path+day+filter).body
		require.Contains(t, got, ">Bowls</a>", filter)
		require.NotContains(t, got, ">Cups</a>", filter)
		require.NotContains(t, got, "Free slot", filter)
		require.Regexp(t, `href="[^"]*view=month[^"]*"`, got)
		require.Contains(t, got, strings.ReplaceAll(filter[1:], "autumn", "Autumn"), "links keep the filter")
	}
	require.Contains(t, br.visited(t, path+day+"&label=unknown&author=x").body, ">Cups</a>")
}

// TestTwoPeopleMoveAPostOfTheCalendar checks that the later one is refused with the reason.
func TestTwoPeopleMoveAPostOfTheCalendar(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	first, second := b.browser(t), b.browser(t)
	first.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	second.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	path := filled("/w/{workspace}/calendar", ours.wildcards) + "/move"
	at := b.tomorrow(9)
	id := b.scheduled(t, ours, "Bowls", at)
	seen := stamp(at)
	form := func(hour int) url.Values {
		return url.Values{"post": {id}, "from": {seen}, "at": {b.tomorrow(hour).Format("2006-01-02T15:04")}}
	}
	require.Contains(t, first.visited(t, path+"?post="+id+"&from="+url.QueryEscape(seen)).body, `name="from" value="`+seen+`"`)
	second.visited(t, path+"?post="+id)
	got := first.post(t, path, form(12), "HX-Request", "true")
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, stamp(b.tomorrow(12)), got.body)
	got = second.post(t, path, form(15))
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "Someone else moved this post meanwhile.")
	require.Equal(t, stamp(b.tomorrow(12)), b.timeOf(t, id))
}

// TestStartPage checks where browsers of phones and of desktops begin, and what a phone's page says.
func TestStartPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Owner).Email)
	base := filled("/w/{workspace}", ours.wildcards)
	require.Equal(t, base, br.get(t, "/").header.Get("Location"))
	for _, one := range []struct{ hint, agent, want string }{
		{"?1", "Mozilla/5.0 (Linux; Android 15) Chrome/130 Mobile Safari/537.36", "/today"},
		{"?0", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130", "/calendar"},
		{"", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1", "/today"},
		{"", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15", "/calendar"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, br.base+base, http.NoBody)
		require.NoError(t, err)
		r.Header.Set("User-Agent", one.agent)
		if one.hint != "" {
			r.Header.Set("Sec-CH-UA-Mobile", one.hint)
		}
		require.Equal(t, base+one.want, br.send(t, r).header.Get("Location"), one.agent)
	}
	require.Contains(t, br.visited(t, base+"/today").body, "1 person waits for an answer")
	postgrestest.Exec(t, b.dsn, `UPDATE conversation SET state = 'CLOSED'`)
	require.Contains(t, br.visited(t, base+"/today").body, "All is well")
	b.scheduled(t, ours, "Bowls", b.tomorrow(9))
	failed, review := b.scheduled(t, ours, "Plates", b.tomorrow(9)), b.scheduled(t, ours, "Cups", b.tomorrow(9))
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'FAILED', error_code = 'X', error_message = 'x', error_retryable = false WHERE id = $1`, failed)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'PENDING_APPROVAL', approval_status = 'PENDING' WHERE id = $1`, review)
	postgrestest.Exec(t, b.dsn, `UPDATE channel SET token_status = 'NEEDS_RECONNECT' WHERE id = $1`, ours.wildcards["channel"])
	got := br.visited(t, base+"/today").body
	for _, want := range []string{"X no longer accepts our access.", ">Plates</a>", ">Cups</a>", ">Bowls</a>"} {
		require.Contains(t, got, want)
	}
	viewer := b.browser(t)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	seen := viewer.visited(t, base+"/today").body
	require.NotContains(t, seen, ">Cups</a>", "it does not wait for who cannot approve")
	require.NotContains(t, seen, `value="retry"`)
	require.NotContains(t, seen, `value="archive"`)
}

// TestNeedsAreSolvedTogether has 40 posts fail for one reason: they are one entry, and are tried again or dismissed together.
func TestNeedsAreSolvedTogether(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Owner).Email)
	base := filled("/w/{workspace}", ours.wildcards)
	const posts = 40
	var ids []string
	for i := range posts {
		ids = append(ids, b.scheduled(t, ours, "Bowl "+strconv.Itoa(i), b.tomorrow(9)))
	}
	fail := func(code string, retryable bool, of ...string) {
		for _, id := range of {
			postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'FAILED', error_code = $2, error_message = 'X is down.', error_retryable = $3
				WHERE id = $1`, id, code, retryable)
		}
	}
	fail(post.ErrorPlatformDown, true, ids...)
	got := br.visited(t, base+"/today").body
	require.Equal(t, 1, strings.Count(got, " posts failed on "))
	require.Contains(t, got, "40 posts failed on ")
	require.Contains(t, got, "X is down.")
	require.Contains(t, got, "Show all 40")
	require.Contains(t, got, `<span class="unseen"> need you</span>`)
	acts := func(form url.Values) string {
		require.Equal(t, http.StatusSeeOther, br.post(t, base+"/posts/selected", form).status)
		require.Equal(t, base+"/today", br.last.header.Get("Location"))
		return br.visited(t, base+"/today").body
	}
	form := url.Values{"do": {"retry"}, "back": {base + "/today"}, "post": {strings.Join(ids, ",")}}
	require.Contains(t, acts(form), "Trying again: 40 posts.")
	require.Equal(t, []string{"40"}, postgrestest.Column(t, b.dsn, `SELECT count(*) FROM post WHERE status = 'SCHEDULED'`))

	fail(post.ErrorOutcomeUnknown, false, ids[:2]...)
	got = br.visited(t, base+"/today").body
	require.Contains(t, got, "may be there")
	require.NotContains(t, got, `value="retry"`, "a person looks first")
	form.Set("post", ids[0])
	require.Contains(t, acts(form), "It may be public already.")
	form.Set("post", ids[3])
	require.Contains(t, acts(form), "not tried again")
	form = url.Values{"do": {"archive"}, "back": {base + "/today"}, "post": {strings.Join(ids[:2], ",")}}
	require.Contains(t, acts(form), "Archived 2 posts.")
	require.Contains(t, br.visited(t, base+"/today").body, "1 person waits for an answer")
	postgrestest.Exec(t, b.dsn, `UPDATE conversation SET state = 'CLOSED'`)
	require.Contains(t, br.visited(t, base+"/today").body, "All is well")

	fail("CONTENT_REFUSED", false, ids[3])
	postgrestest.Exec(t, b.dsn, `UPDATE channel SET token_status = 'EXPIRING' WHERE id = $1`, ours.wildcards["channel"])
	got = br.visited(t, base+"/today").body
	require.Contains(t, got, base+"/compose?post="+ids[3])
	require.Contains(t, got, " ends soon")
}

// TestMovingSomeOfASet moves one of two posts of a slip, none, and goes back to the page from which it came.
func TestMovingSomeOfASet(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	base := filled("/w/{workspace}", ours.wildcards)
	bowls, cups := b.scheduled(t, ours, "Bowls", b.tomorrow(9)), b.scheduled(t, ours, "Cups", b.tomorrow(9))
	move := base + "/calendar/move?post=" + bowls + "&post=" + cups + "&from=" + url.QueryEscape(stamp(b.tomorrow(9)))
	for back, want := range map[string]string{
		base + "/posts?status=scheduled": base + "/posts?status=scheduled", base + "/today": base + "/today",
		base + "/settings": base + "/calendar", "https://evil.example/posts": base + "/calendar",
	} {
		got := br.visited(t, move+"&back="+url.QueryEscape(back)).body
		require.Contains(t, got, `<a class="crumb" href="`+want+`">`, back)
		require.Equal(t, 2, strings.Count(got, `type="checkbox" name="post"`))
	}
	form := url.Values{"of": {bowls, cups}, "from": {stamp(b.tomorrow(9))}, "at": {b.tomorrow(12).Format("2006-01-02T15:04")}}
	got := br.post(t, base+"/calendar/move", form)
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "Choose at least one post.")
	br.visited(t, move)
	form["post"] = []string{cups}
	require.Equal(t, http.StatusSeeOther, br.post(t, base+"/calendar/move", form).status)
	require.Equal(t, []string{stamp(b.tomorrow(9)), stamp(b.tomorrow(12))}, []string{b.timeOf(t, bowls), b.timeOf(t, cups)})
}
