package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

var hidden = regexp.MustCompile(`<input type="hidden" name="(version|base)" value="([^"]*)">`)

// editing opens the form of a post, and returns its fields with the given text.
func (br *browser) editing(t *testing.T, path, text string) url.Values {
	t.Helper()
	form := url.Values{"content": {text}}
	for _, field := range hidden.FindAllStringSubmatch(br.visited(t, path+"?edit=1").body, -1) {
		form.Set(field[1], strings.NewReplacer("&#34;", `"`, "&amp;", "&", "&#43;", "+").Replace(field[2]))
	}
	for _, name := range []string{"day", "clock"} {
		found := regexp.MustCompile(`id="edit-` + name + `" name="` + name + `" type="\w+" value="([^"]*)"`).FindStringSubmatch(br.last.body)
		require.NotNil(t, found)
		form.Set(name, found[1])
	}
	require.NotEmpty(t, form.Get("version"))
	return form
}

// TestTwoPeopleEditOnePost checks that changes of different members are both kept, and that the later person sees both
// versions of a member that both changed, and decides.
func TestTwoPeopleEditOnePost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	path := filled("/w/{workspace}/posts/{post}", ours.wildcards)
	one, two := b.browser(t), b.browser(t)
	one.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	two.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	stored := func() []string {
		return postgrestest.Column(t, b.dsn, `SELECT content || '|' || array_to_string(labels, ',') FROM post`)
	}
	mine, theirs := one.editing(t, path, "Mine"), two.editing(t, path, "Secret of Ours")
	theirs.Set("labels", "Kiln, autumn, Kiln")
	require.Equal(t, http.StatusSeeOther, two.post(t, path+"/edit", theirs).status)
	require.Equal(t, []string{"Secret of Ours|Kiln,autumn"}, stored())
	require.Equal(t, http.StatusSeeOther, one.post(t, path+"/edit", mine).status)
	require.Equal(t, "Saved. What Grace Hopper changed meanwhile is kept.", confirmation(one.visited(t, path).body))
	require.Equal(t, []string{"Mine|Kiln,autumn"}, stored())

	mine, theirs = one.editing(t, path, "<b>Mine</b> again"), two.editing(t, path, "Theirs <i>")
	mine.Set("labels", "Kiln, autumn")
	theirs.Set("labels", "Kiln, autumn")
	require.Equal(t, http.StatusSeeOther, two.post(t, path+"/edit", theirs).status)
	got := one.post(t, path+"/edit", mine)
	require.Equal(t, http.StatusConflict, got.status)
	require.Contains(t, got.body, "Grace Hopper changed this post at")
	require.Contains(t, got.body, `<p class="quote">Theirs &lt;i&gt;</p>`)
	require.Contains(t, got.body, `<p class="quote">&lt;b&gt;Mine&lt;/b&gt; again</p>`)
	require.Equal(t, []string{"Theirs <i>|Kiln,autumn"}, stored())
	for _, field := range hidden.FindAllStringSubmatch(got.body, -1) {
		mine.Set(field[1], strings.NewReplacer("&#34;", `"`, "&amp;", "&", "&#43;", "+").Replace(field[2]))
	}
	require.Equal(t, http.StatusSeeOther, one.post(t, path+"/edit", mine).status)
	require.Equal(t, []string{"<b>Mine</b> again|Kiln,autumn"}, stored())
}

// TestWrongEditsAreExplained sends wrong input of every kind, and checks that the page keeps what was typed.
func TestWrongEditsAreExplained(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	ours.wildcards["post"] = b.scheduled(t, ours, "Bowls", b.clock.Now().Add(48*time.Hour))
	path := filled("/w/{workspace}/posts/{post}", ours.wildcards)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	for name, c := range map[string]struct {
		member, value, want string
	}{
		"a long text":        {"content", strings.Repeat("x", 281), `id="content-fault"`},
		"a long label":       {"labels", strings.Repeat("l", 51), `id="labels-note"`},
		"many labels":        {"labels", "a,b,c,d,e,f,g,h,i,j,k", "A post has at most 10 labels."},
		"a day that is none": {"day", "2026-13-01", "Choose a day and a time."},
		"a time that passed": {"day", "2020-01-01", "That time has passed."},
		"no time":            {"day", "", "Choose a day and a time."},
	} {
		form := br.editing(t, path, "Bowls")
		form.Set(c.member, c.value)
		got := br.post(t, path+"/edit", form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, name)
		require.Contains(t, got.body, c.want, name)
		require.Contains(t, got.body, c.value, name)
		require.Contains(t, got.body, "aria-invalid", name)
	}
	require.Equal(t, []string{"Bowls"}, postgrestest.Column(t, b.dsn, `SELECT content FROM post WHERE status = 'SCHEDULED'`))
	contributor := b.browser(t)
	contributor.signInAs(t, b.membership(t, ours.workspace, member.Contributor).Email)
	require.NotContains(t, contributor.visited(t, path+"?edit=1").body, `id="edit"`, "it was approved as it is")
	require.Equal(t, http.StatusForbidden, contributor.post(t, path+"/edit", url.Values{"content": {"Other"}, "version": {"x"}}).status)
	require.Equal(t, http.StatusNotFound, br.post(t, filled("/w/{workspace}/posts/", ours.wildcards)+theirs.wildcards["post"]+"/edit",
		url.Values{"content": {"Other"}}).status)
}

// TestPostIsScheduledAndMovedOnItsPage schedules a draft, moves it, is refused, and takes the move back.
func TestPostIsScheduledAndMovedOnItsPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	path := filled("/w/{workspace}/posts/{post}", ours.wildcards)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	at := b.clock.Now().Add(72 * time.Hour).UTC()
	when := func(day time.Time) url.Values {
		return url.Values{"day": {day.Format(time.DateOnly)}, "clock": {"09:15"}}
	}
	require.Contains(t, br.visited(t, path).body, "Nothing was sent.")
	for _, wrong := range []url.Values{{}, when(at.AddDate(-1, 0, 0)), {"day": {"x"}, "clock": {"09:15"}}} {
		got := br.post(t, path+"/schedule", wrong)
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		require.Contains(t, got.body, `id="schedule-fault"`)
		br.visited(t, path)
	}
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/schedule", when(at)).status)
	require.Contains(t, br.visited(t, path).body, "Scheduled for ")
	move := when(at.AddDate(0, 0, 1))
	move["post"], move["do"], move["back"] = []string{ours.wildcards["post"]}, []string{"time"}, []string{path}
	selected := filled("/w/{workspace}/posts/selected", ours.wildcards)
	got := br.post(t, selected, move)
	require.Equal(t, path, got.header.Get("Location"))
	require.Equal(t, "Moved 1 post.", confirmation(br.visited(t, path).body))
	undone := token.FindStringSubmatch(br.last.body)
	require.NotNil(t, undone)
	require.Equal(t, path, br.post(t, filled("/w/{workspace}/posts/undo", ours.wildcards), url.Values{"undo": {undone[1]}, "back": {path}}).header.Get("Location"))
	require.Equal(t, "Taken back for 1 post.", confirmation(br.visited(t, path).body))
	move.Set("day", "x")
	got = br.post(t, selected, move)
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, `id="time-fault" role="alert">Choose a day.`)
}
