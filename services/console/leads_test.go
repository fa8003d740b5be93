package main

import (
	"crypto/sha256"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// leadImport stores an import of leads by the person of the browser.
func (b *bundle) leadImport(t *testing.T, br *browser, of tenant) string {
	t.Helper()
	sum := sha256.Sum256([]byte(br.cookie(t)))
	found := postgrestest.Column(t, b.dsn, `SELECT user_id::text FROM user_session WHERE hash = $1`, sum[:])
	require.Len(t, found, 1)
	person, err := ident.Parse[ident.User](found[0])
	require.NoError(t, err)
	i := lead.Import{
		ID: ident.New[ident.LeadImport](), WorkspaceID: of.workspace.ID, UserID: person, Name: "leads.csv", CreatedAt: b.clock.Now(),
		Columns: []string{"name"}, Rows: []lead.ImportRow{{Line: 2, Cells: []string{"Secret of " + of.workspace.Name}}},
	}
	require.NoError(t, postgres.NewLeadImports(b.db).Insert(t.Context(), i))
	return i.ID.String()
}

// manages is a workspace with leads, whose pages an editor has open.
func manages(t *testing.T) (talked, *browser, string) {
	t.Helper()
	b := talks(t)
	return b, b.as(t, member.Editor), filled("/w/{workspace}/leads", b.wildcards)
}

// hidden returns a hidden field of the last page.
func (br *browser) hidden(t *testing.T, name string) string {
	t.Helper()
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(br.last.body)
	require.NotNil(t, found, name)
	return found[1]
}

// TestLeadFromConversation creates one lead of a conversation by one form that is sent twice, and then meets the lead.
func TestLeadFromConversation(t *testing.T) {
	t.Parallel()
	b, br, leads := manages(t)
	require.Contains(t, br.visited(t, b.open).body, leads+"/new?conversation="+b.wildcards["conversation"])
	shown := br.visited(t, leads+"/new?conversation="+b.wildcards["conversation"]).body
	require.Contains(t, shown, `value="Secret of Ours"`)
	require.Contains(t, shown, `value="https://t.me/secret"`)
	form := url.Values{
		"name": {"Mara <b>"}, "platform": {"TELEGRAM"}, "capture": {br.hidden(t, "capture")}, "conversation": {b.wildcards["conversation"]},
		"value": {"1200.5"}, "currency": {"eur"}, "temperature": {"HOT"},
	}
	require.Equal(t, http.StatusSeeOther, br.post(t, leads, form).status)
	where := br.last.header.Get("Location")
	require.Equal(t, http.StatusSeeOther, br.post(t, leads, form).status)
	require.Equal(t, where, br.last.header.Get("Location"), "one form is one lead")
	for _, want := range []string{"Mara &lt;b&gt;", b.open, "/people/"} {
		require.Contains(t, br.visited(t, where).body, want)
	}
	require.Contains(t, br.visited(t, b.open).body, where)
	require.Contains(t, br.visited(t, leads).body, "€1,200.50")

	form.Set("capture", "form/other")
	require.Equal(t, http.StatusConflict, br.post(t, leads, form).status)
	require.Contains(t, br.last.body, "There is an open lead of this person.")
	require.Contains(t, br.last.body, where)
	form.Set("anyway", "1")
	require.Equal(t, http.StatusSeeOther, br.post(t, leads, form).status)
	require.Len(t, b.column(t, `SELECT id::text FROM event WHERE type = 'lead.created'`), 2)
}

// TestLeadForms keeps what was entered when a form is refused.
func TestLeadForms(t *testing.T) {
	t.Parallel()
	b, br, leads := manages(t)
	br.visited(t, leads+"/new")
	wrong := url.Values{
		"name": {"M\"><script>alert(1)</script>"}, "value": {"12,5"}, "contact_email": {"mara"}, "profile_url": {"javascript:alert(1)"},
		"follow_day": {"2020-01-01"}, "owner": {"x"}, "interest": {"\u202etext"},
	}
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, leads, wrong).status)
	for _, want := range []string{"M&#34;&gt;&lt;script&gt;", "Is not an email address", "12,5", "Choose a member from the list."} {
		require.Contains(t, br.last.body, want)
	}
	require.NotContains(t, br.last.body, "<script>alert")
	wrong.Set("owner", b.wildcards["user"])
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, leads, wrong).status)
	require.Contains(t, br.last.body, "Must be between now and in 5 years.")
	require.Empty(t, b.column(t, `SELECT id::text FROM event WHERE type = 'lead.created'`))
}

// TestLeadIsEditedByTwo keeps the entries of both members.
func TestLeadIsEditedByTwo(t *testing.T) {
	t.Parallel()
	b, br, leads := manages(t)
	one := leads + "/" + b.wildcards["lead"]
	other := b.as(t, member.Admin)
	br.visited(t, one)
	form := url.Values{"name": {"Secret of Ours"}, "revision": {br.hidden(t, "revision")}, "handle": {"mine"}}
	theirs := url.Values{"name": {"Mara"}, "revision": {br.hidden(t, "revision")}, "handle": {"theirs"}, "contact_phone": {"+46 70 123"}}
	other.visited(t, one)
	require.Equal(t, http.StatusSeeOther, other.post(t, one, theirs).status)
	require.Equal(t, http.StatusConflict, br.post(t, one, form).status)
	for _, want := range []string{
		"The lead was changed since you opened it.", "set the handle to “theirs”", `value="mine"`, `value="Mara"`, `value="+46 70 123"`,
	} {
		require.Contains(t, html.UnescapeString(br.last.body), want)
	}
	again := url.Values{"name": {"Mara"}, "revision": {br.hidden(t, "revision")}, "handle": {"mine"}, "contact_phone": {"+46 70 123"}}
	require.Equal(t, http.StatusSeeOther, br.post(t, one, again).status)
	require.Equal(t, []string{"Mara mine +46 70 123"}, b.column(t, `SELECT concat_ws(' ', name, handle, contact_phone) FROM lead`))

	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, one+"/note", url.Values{"note": {" "}}).status)
	require.Equal(t, http.StatusSeeOther, br.post(t, one+"/note", url.Values{"note": {"Called <i>twice</i>."}}).status)
	require.Contains(t, br.visited(t, one).body, "Called &lt;i&gt;twice&lt;/i&gt;.")
	reader := b.as(t, member.Contributor)
	require.NotContains(t, reader.visited(t, one).body, `name="revision"`, "who may not change it has no form")
	require.Equal(t, http.StatusSeeOther, br.post(t, one+"/delete", nil).status)
	require.Equal(t, http.StatusNotFound, br.get(t, one).status)
}

// TestPipeline moves a lead by its pages and by the script, and lists it by every filter.
func TestPipeline(t *testing.T) {
	t.Parallel()
	b, br, leads := manages(t)
	one := leads + "/" + b.wildcards["lead"]
	script := func(form url.Values) page {
		t.Helper()
		br.visited(t, leads)
		return br.post(t, one+"/move", form, "HX-Request", "true")
	}
	require.Equal(t, http.StatusOK, script(url.Values{"to": {"PROPOSAL"}, "from": {"NEW"}}).status)
	got := script(url.Values{"to": {"QUALIFIED"}, "from": {"NEW"}})
	require.Equal(t, http.StatusConflict, got.status)
	require.Equal(t, "Another member moved the lead meanwhile.", got.body)
	require.Equal(t, http.StatusUnprocessableEntity, script(url.Values{"to": {"MAYBE"}}).status)
	require.Contains(t, br.visited(t, one+"/move?to=WON").body, "Move to Won")
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, one+"/move", url.Values{"to": {"WON"}, "value": {"12,5"}, "currency": {"EUR"}}).status)
	require.Contains(t, br.last.body, `value="12,5"`)
	require.Equal(t, http.StatusSeeOther, br.post(t, one+"/move", url.Values{"to": {"WON"}, "value": {"900"}, "currency": {"EUR"}}).status)
	require.Contains(t, br.visited(t, leads).body, "€900 won")
	require.Equal(t, http.StatusSeeOther, br.post(t, one+"/move?back=lead", url.Values{"to": {"LOST"}, "own": {"Too dear"}}).status)
	require.Contains(t, br.visited(t, one).body, "Too dear")
	require.NotContains(t, br.visited(t, leads).body, one+`"`, "the column is folded")
	require.Contains(t, br.visited(t, leads+"?lost=open").body, one+`"`)
	require.Contains(t, br.visited(t, one+"/move").body, `value="Too dear"`, "a reason that was used before")

	postgrestest.Exec(t, b.dsn, `UPDATE lead SET stage = 'NEW', lost_reason = NULL, temperature = 'HOT', owner_id = $1, handle = '=1+1',
		follow_up_at = $2 WHERE id = $3`, b.wildcards["user"], b.clock.Now().Add(-48*time.Hour), b.wildcards["lead"])
	require.Contains(t, br.visited(t, leads).body, "was due")
	require.Contains(t, br.visited(t, filled("/w/{workspace}/today", b.wildcards)).body, one)
	for address, in := range map[string]bool{
		"?view=overdue": true, "?view=hot": true, "?view=mine": false, "?q=secret": true, "?q=nowhere": false, "?view=unknown": true,
		"/list": true, "/list?stage=NEW&sort=value": true, "/list?stage=WON": false, "/list?sort=name&page=2": false, "/list?view=overdue": true,
	} {
		require.Equal(t, in, strings.Contains(br.visited(t, leads+address).body, one+`"`), address)
	}
	require.Contains(t, br.visited(t, leads+"/export?view=hot").body, `'=1+1`)
	require.NotContains(t, br.visited(t, leads+"/export?stage=WON").body, "Secret")
}

// TestLeadFiles imports a file with faults and a known person.
func TestLeadFiles(t *testing.T) {
	t.Parallel()
	b, br, leads := manages(t)
	upload := func(content string) page {
		t.Helper()
		br.visited(t, leads+"/import")
		return br.uploadsTo(t, leads+"/import", "leads.csv", []byte(content))
	}
	for content, want := range map[string]string{
		"color\nred\n": "The first row must name the columns", "name\n": "no rows below", "": "Choose a file.",
	} {
		got := upload(content)
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		require.Contains(t, got.body, want)
	}
	postgrestest.Exec(t, b.dsn, `UPDATE lead SET contact_email = 'mara@example.com' WHERE id = $1`, b.wildcards["lead"])
	require.Equal(t, http.StatusSeeOther, upload("name,email,handle\nMara,mara@example.com,\nKim,kim@example.com,'=1\nNo,mara,\n").status)
	file := br.last.header.Get("Location")
	for _, want := range []string{"2 can be added", "1 of them", "1 have faults", "Is not an email address", "Known:"} {
		require.Contains(t, br.visited(t, file).body, want)
	}
	require.Equal(t, http.StatusSeeOther, br.post(t, file, nil).status)
	require.Contains(t, br.visited(t, file).body, "1 leads added")
	require.Equal(t, []string{"=1"}, b.column(t, `SELECT handle FROM lead WHERE name = 'Kim'`))
	require.Equal(t, http.StatusNotFound, b.as(t, member.Admin).get(t, file).status, "it is of the person alone")
}
