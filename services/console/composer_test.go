package main

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// connected adds a channel to the tenant.
func (b *bundle) connected(t *testing.T, of tenant, name string, kind channel.Type) string {
	t.Helper()
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: of.workspace.ID, Name: name, Type: kind, ExternalID: of.workspace.Name + name,
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewChannels(b.db, b.box).Insert(t.Context(), c, channel.Credentials{AccessToken: "x"}))
	return c.ID.String()
}

var scratchField = regexp.MustCompile(`name="scratch" value="([^"]+)"><input type="hidden" name="version" value="(\d+)"`)

// form returns the form of the last page of the composer, with more fields.
func (br *browser) composed(t *testing.T, fields url.Values) url.Values {
	t.Helper()
	found := scratchField.FindStringSubmatch(br.last.body)
	require.NotNil(t, found, br.last.body)
	form := url.Values{"scratch": {found[1]}, "version": {found[2]}, "kind": {"POST"}, "when": {"draft"}}
	for name, values := range fields {
		form[name] = values
	}
	return form
}

// writer opens the composer as a member of a role.
func (b *bundle) writer(t *testing.T, of tenant, role member.Role) (br *browser, path string) {
	t.Helper()
	br, path = b.browser(t), filled("/w/{workspace}/compose", of.wildcards)
	br.signInAs(t, b.membership(t, of.workspace, role).Email)
	require.Equal(t, http.StatusOK, br.visited(t, path).status)
	return br, path
}

func (b *bundle) column(t *testing.T, query string, args ...any) []string {
	t.Helper()
	return postgrestest.Column(t, b.dsn, query, args...)
}

// TestScratchIsPrivate types in the composer: only the scratch of the person changes, and only this person finds it.
func TestScratchIsPrivate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br, path := b.writer(t, ours, member.Editor)
	require.Equal(t, http.StatusOK, br.post(t, path+"/save", br.composed(t, nil)).status)
	require.Empty(t, b.column(t, `SELECT 1 FROM scratch`), "nothing was written")
	got := br.post(t, path+"/save", br.composed(t, url.Values{"text": {"Advent <b>market</b> "}, "channel": {ours.wildcards["channel"]}}))
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, got.body, "Saved")
	require.NotContains(t, got.body, "<html")
	require.Equal(t, []string{"Advent <b>market</b> "}, b.column(t, `SELECT content->>'text' FROM scratch`))
	scratch := b.column(t, `SELECT id::text FROM scratch`)[0]
	require.Equal(t, []string{"2"}, b.column(t, `SELECT count(*)::text FROM post`))
	require.Equal(t, []string{"2"}, b.column(t, `SELECT count(*)::text FROM event WHERE type LIKE 'post.%'`), "those of before")

	again := br.visited(t, path+"?scratch="+scratch).body
	require.Contains(t, again, ">Advent &lt;b&gt;market&lt;/b&gt; </textarea>")
	require.Contains(t, br.visited(t, path).body, "Unfinished")
	require.Contains(t, br.last.body, `<span class="clip1">Advent &lt;b&gt;market&lt;/b&gt;</span>`)

	for name, other := range map[string]tenant{"a colleague": ours, "another workspace": theirs} {
		outsider, foreign := b.writer(t, other, member.Owner)
		require.NotContains(t, outsider.last.body, "Advent", name)
		require.Equal(t, http.StatusNotFound, outsider.get(t, foreign+"?scratch="+scratch).status, name)
		outsider.visited(t, foreign)
		form := outsider.composed(t, url.Values{"scratch": {scratch}, "text": {"Overwritten"}})
		outsider.post(t, foreign+"/save", form)
		outsider.post(t, foreign+"/discard", url.Values{"scratch": {scratch}})
		require.Equal(t, []string{"Advent <b>market</b> "}, b.column(t, `SELECT content->>'text' FROM scratch WHERE id = $1`, scratch), name)
	}
	br.visited(t, path+"?scratch="+scratch)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/discard", url.Values{"scratch": {scratch}}).status)
	require.Empty(t, b.column(t, `SELECT 1 FROM scratch WHERE id = $1`, scratch))
}

// TestScratchChangedInAnotherTab saves one scratch from two tabs: both texts are kept.
func TestScratchChangedInAnotherTab(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br, path := b.writer(t, ours, member.Editor)
	first := br.composed(t, url.Values{"text": {"One"}})
	br.post(t, path+"/save", first)
	require.NotContains(t, br.post(t, path+"/save", first).body, "changed elsewhere", "a repeated save of the same")
	require.Equal(t, []string{"2"}, b.column(t, `SELECT version::text FROM scratch`))
	here, there := br.composed(t, url.Values{"text": {"Here"}}), br.composed(t, url.Values{"text": {"There"}})
	require.NotContains(t, br.post(t, path+"/save", there).body, "changed elsewhere")
	require.Contains(t, br.post(t, path+"/save", here).body, "changed elsewhere too. Both versions are kept.")
	require.ElementsMatch(t, []string{"Here", "There"}, b.column(t, `SELECT content->>'text' FROM scratch`))
	require.NotContains(t, br.post(t, path+"/save", br.composed(t, url.Values{"text": {"Here too"}})).body, "changed elsewhere")
	require.ElementsMatch(t, []string{"Here too", "There"}, b.column(t, `SELECT content->>'text' FROM scratch`))
}

// TestLinksAreDropped offers the text without its link where the link is too much, and where people cannot follow it.
func TestLinksAreDropped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	x, instagram := ours.wildcards["channel"], b.connected(t, ours, "Kiln", channel.InstagramProfessional)
	br, path := b.writer(t, ours, member.Editor)
	words := strings.TrimSpace(strings.Repeat("clay ", 54)) + ` "<b>`
	offered := func(text string, own url.Values) map[string]string {
		fields := url.Values{"text": {text}, "channel": {x, instagram}}
		maps.Copy(fields, own)
		found := make(map[string]string)
		body := br.post(t, path+"/save", br.composed(t, fields)).body
		for _, m := range regexp.MustCompile(`data-fix="text" data-channel="([^"]+)" data-value="([^"]+)">Drop ([^<]+)<`).FindAllStringSubmatch(body, -1) {
			found[m[1]] = m[3] + ": " + html.UnescapeString(m[2])
		}
		require.NotContains(t, body, `"<b>`)
		return found
	}
	require.Equal(t, map[string]string{x: "link: " + words, instagram: "link: " + words}, offered(words+" https://acme.com/market", nil))
	require.Equal(t, map[string]string{instagram: "2 links: Bowls"}, offered("Bowls https://acme.com https://acme.com/a", nil), "X has room for them")
	require.Empty(t, offered("Bowls https://acme.com", url.Values{"text." + instagram: {"Bowls"}}))
	require.Empty(t, offered("Bowls", nil))
}

// TestComposingForSeveralChannels writes one text with a variant, fixes what is too long, and schedules it, twice.
func TestComposingForSeveralChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	threads := b.connected(t, ours, "Kiln", channel.Threads)
	mastodon := b.connected(t, ours, "Yard", channel.Bluesky)
	br, path := b.writer(t, ours, member.Editor)
	at := b.clock.Now().AddDate(0, 0, 2)
	long := strings.Repeat("clay ", 59) + "at https://acme.com/market"
	fields := url.Values{
		"text": {long}, "channel": {ours.wildcards["channel"], threads, mastodon}, "text." + mastodon: {"Short and own"},
		"when": {"time"}, "day": {at.Format(time.DateOnly)}, "clock": {at.Format("15:04")},
	}
	got := br.post(t, path+"/save", br.composed(t, fields)).body
	require.Contains(t, got, `data-stops="1"`)
	require.Contains(t, got, "−41", "X counts the link as 23")
	require.Contains(t, got, `data-fits="280"`)
	require.Contains(t, got, "Schedule the 2 that are ready")
	require.Contains(t, got, "Schedule 3 posts")
	require.Contains(t, got, `<span class="own">differs</span>`)
	short := regexp.MustCompile(`data-fix="text" data-channel="` + ours.wildcards["channel"] + `" data-value="([^"]+)"`).FindStringSubmatch(got)
	require.NotNil(t, short)
	require.Regexp(t, `clay… https://acme.com/market$`, short[1])
	require.NotContains(t, got, "Drop link", "the text is too long without the link, too")

	got = br.post(t, path, br.composed(t, fields)).body
	require.Equal(t, http.StatusUnprocessableEntity, br.last.status)
	require.Contains(t, got, "data-refused")
	require.Equal(t, []string{"1"}, b.column(t, `SELECT count(*)::text FROM post`))

	fields["text."+ours.wildcards["channel"]] = []string{short[1]}
	form := br.composed(t, fields)
	require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status, br.last.body)
	require.Equal(t, path[:len(path)-len("/compose")]+"/calendar?day="+at.Format(time.DateOnly)+"&view=week", br.last.header.Get("Location"))
	require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status, "a repeated form")
	require.Equal(t, []string{"SCHEDULED content", "SCHEDULED content", "SCHEDULED ", "DRAFT "}, b.column(t,
		`SELECT status || ' ' || array_to_string(own_members, ',') FROM post ORDER BY array_to_string(own_members, ',') DESC, status DESC`))
	require.Equal(t, []string{"1"}, b.column(t, `SELECT count(DISTINCT group_id)::text FROM post WHERE status = 'SCHEDULED'`))
	require.Empty(t, b.column(t, `SELECT 1 FROM scratch`))
	form.Set("text", "Other words")
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, path, form).status)
	require.Contains(t, br.last.body, "The posts were created in another tab")
	require.Contains(t, br.last.body, ">Other words</textarea>")
	require.Equal(t, []string{"4"}, b.column(t, `SELECT count(*)::text FROM post`))
}

// TestSchedulingThoseThatAreReady schedules what has no fault; the rest stays to be finished.
func TestSchedulingThoseThatAreReady(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	instagram := b.connected(t, ours, "Kiln", channel.InstagramProfessional)
	br, path := b.writer(t, ours, member.Editor)
	form := br.composed(t, url.Values{
		"text": {"No picture yet"}, "channel": {ours.wildcards["channel"], instagram}, "when": {"now"}, "ready": {"1"},
	})
	require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status)
	require.Equal(t, []string{"No picture yet"}, b.column(t, `SELECT content FROM post WHERE status = 'SCHEDULED'`))
	require.Equal(t, []string{instagram}, b.column(t, `SELECT content->'channels'->>0 FROM scratch`))
	require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status)
	require.Equal(t, []string{"1"}, b.column(t, `SELECT count(*)::text FROM scratch`))
	require.Contains(t, br.visited(t, path).body, "What is left is under Unfinished, for 1 more.")
}

// TestComposingWithoutPermission asks for approval, because the person may not publish, whatever the form says.
func TestComposingWithoutPermission(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br, path := b.writer(t, ours, member.Contributor)
	require.NotContains(t, br.last.body, "Next slot")
	at := b.clock.Now().AddDate(0, 0, 2).Truncate(time.Minute)
	form := br.composed(t, url.Values{
		"text": {"Please look"}, "channel": {ours.wildcards["channel"]}, "when": {"now"},
		"day": {at.Format(time.DateOnly)}, "clock": {at.Format("15:04")},
	})
	require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status, br.last.body)
	require.Contains(t, br.visited(t, br.last.header.Get("Location")).body, "Approval requested for 1 post.")
	require.Equal(t, []string{"PENDING_APPROVAL " + at.Format("15:04")}, b.column(t,
		`SELECT status || to_char(scheduled_at AT TIME ZONE 'UTC', ' HH24:MI') FROM post WHERE content = 'Please look'`))
	viewer := b.browser(t)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	require.Equal(t, http.StatusForbidden, viewer.get(t, path).status)
	require.NotContains(t, viewer.visited(t, filled("/w/{workspace}/posts", ours.wildcards)).body, "New post")
}

// TestComposerRefusesWrongForms sends what the page never sends.
func TestComposerRefusesWrongForms(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br, path := b.writer(t, ours, member.Editor)
	good := br.composed(t, url.Values{"text": {"Clay"}, "channel": {ours.wildcards["channel"]}, "when": {"time"}})
	for name, tc := range map[string]struct {
		field, value string
		status       int
		says         string
	}{
		"another workspace's channel": {"channel", theirs.wildcards["channel"], http.StatusNotFound, ""},
		"no channel":                  {"channel", "x", http.StatusNotFound, ""},
		"no scratch":                  {"scratch", "x", http.StatusNotFound, ""},
		"no version":                  {"version", "-1", http.StatusNotFound, ""},
		"no media":                    {"media", "x", http.StatusNotFound, ""},
		"no time":                     {"day", "", http.StatusUnprocessableEntity, "Choose a day and a time."},
		"a past time":                 {"day", "2020-01-01", http.StatusUnprocessableEntity, "That time has passed. Choose a later one."},
		"no text":                     {"text", " \n", http.StatusUnprocessableEntity, "Write a text or add media."},
		"no such choice":              {"when", "never", http.StatusUnprocessableEntity, "schedule"},
		"script as text": {
			"text", `</textarea><script>alert(1)</script>`, http.StatusUnprocessableEntity, `&lt;/textarea&gt;&lt;script&gt;`,
		},
	} {
		form := url.Values{"clock": {"10:00"}}
		for field, values := range good {
			form[field] = values
		}
		form.Set(tc.field, tc.value)
		got := br.post(t, path, form)
		require.Equal(t, tc.status, got.status, name)
		require.Contains(t, got.body, tc.says, name)
		require.NotContains(t, got.body, "<script>alert", name)
	}
	require.Equal(t, []string{"2"}, b.column(t, `SELECT count(*)::text FROM post`))
	large := br.post(t, path+"/save", url.Values{"text": {strings.Repeat("x", 2<<20)}})
	require.Equal(t, http.StatusRequestEntityTooLarge, large.status)
}

// TestComposingAtAFreeSlot opens the composer at the time of a free slot, as the calendar and the queue link to it, and at a
// time of the workspace's clock.
func TestComposingAtAFreeSlot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	postgrestest.Exec(t, b.dsn, `UPDATE workspace SET timezone = 'Asia/Tokyo' WHERE id = $1`, ours.wildcards["workspace"])
	br, path := b.writer(t, ours, member.Editor)
	at := b.tomorrow(18)
	for _, given := range []string{stamp(at), at.Add(9 * time.Hour).Format("2006-01-02T15:04")} {
		got := br.visited(t, path+"?at="+url.QueryEscape(given)).body
		require.Contains(t, got, `value="time" checked`, given)
		require.Contains(t, got, `value="`+at.Add(9*time.Hour).Format(time.DateOnly)+`"`, given)
		require.Contains(t, got, `name="clock" value="03:00"`, given)
	}
	require.Contains(t, br.visited(t, path+"?at=soon").body, `value="slot" checked`)
}
