package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// planImport stores an import of the person of a browser in a workspace.
func (b *bundle) planImport(t *testing.T, br *browser, of tenant) string {
	t.Helper()
	sum := sha256.Sum256([]byte(br.cookie(t)))
	found := postgrestest.Column(t, b.dsn, `SELECT user_id::text FROM user_session WHERE hash = $1`, sum[:])
	require.Len(t, found, 1)
	person, err := ident.Parse[ident.User](found[0])
	require.NoError(t, err)
	i := plan.Import{
		ID: ident.New[ident.PlanImport](), WorkspaceID: of.workspace.ID, UserID: person, Name: "plan.csv", Format: "commas, UTF-8",
		Settings:  plan.Settings{Header: true, Columns: []plan.Column{plan.Text, plan.Channel}},
		CreatedAt: b.clock.Now(), UpdatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewPlanImports(b.db).Insert(t.Context(), i, []plan.Row{
		{Line: 1, Cells: []string{"text", "channel"}, Key: "csv-1"}, {Line: 2, Cells: []string{"Secret of " + of.workspace.Name, "News"}, Key: "csv-2"},
	}))
	return i.ID.String()
}

// uploads sends a file of posts to be imported, and returns the response.
func (br *browser) uploads(t *testing.T, workspace, name string, content []byte) page {
	t.Helper()
	return br.uploadsTo(t, workspace+"/plan", name, content)
}

// uploadsTo sends a file to a path.
func (br *browser) uploadsTo(t *testing.T, path, name string, content []byte) page {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	require.NoError(t, err)
	_, err = part.Write(content)
	require.NoError(t, err)
	require.NoError(t, form.Close())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, br.base+path, &body)
	require.NoError(t, err)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return br.send(t, r)
}

// imports sends a file, and returns the page of its import.
func (br *browser) imports(t *testing.T, workspace, content string) (path, body string) {
	t.Helper()
	got := br.uploads(t, workspace, "plan.csv", []byte(content))
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	path = got.header.Get("Location")
	return path, br.visited(t, path).body
}

// planner is a workspace with two channels that take texts, and the browser of one of its people.
type planner struct {
	*bundle

	tenant
	br   *browser
	path string // of the workspace
	user user.User
}

func plans(t *testing.T, role member.Role) planner {
	t.Helper()
	b := setup(t)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(b.logs.String())
		}
	})
	p := planner{bundle: b, tenant: b.furnish(t, "Ours"), br: b.browser(t)}
	p.path = "/w/" + p.workspace.ID.String()
	p.user = b.membership(t, p.workspace, role)
	p.br.signInAs(t, p.user.Email)
	p.channel(t, "Studio", channel.Threads, "studio")
	p.channel(t, "Studio", channel.Bluesky, "studio.example.com")
	return p
}

func (p planner) channel(t *testing.T, name string, kind channel.Type, handle string) string {
	t.Helper()
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: p.workspace.ID, Name: name, Username: handle, Type: kind, ExternalID: handle,
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: p.clock.Now(),
	}
	require.NoError(t, postgres.NewChannels(p.db, p.box).Insert(t.Context(), c, channel.Credentials{AccessToken: "x"}))
	return c.ID.String()
}

// day returns a day to come.
func (p planner) day(days int) string {
	return p.clock.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly)
}

func (p planner) posts(t *testing.T) []string {
	t.Helper()
	return postgrestest.Column(t, p.dsn, `SELECT concat_ws(' ', status, c.type, to_char(scheduled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'),
		content, labels::text) FROM post p JOIN channel c ON c.id = p.channel_id
		WHERE p.workspace_id = $1 AND content NOT LIKE 'Secret%' ORDER BY content, c.type`, p.workspace.ID.String())
}

// TestPlanIsImported imports a file whose faults are fixed in place, and imports it again.
func TestPlanIsImported(t *testing.T) {
	t.Parallel()
	p := plans(t, member.Editor)
	file := "Date;Time;Time zone;Channel;Text;Labels;Status\n" +
		p.day(3) + ";09:00;Europe/Stockholm;Threads;Bowls are out of the kiln;Spring, Kiln;schedule\n" +
		p.day(4) + ";25:00;;threads;Mugs;;schedule\n" +
		p.day(5) + ";10:00;;@studio.example.com;" + strings.Repeat("long ", 80) + ";;schedule\n" +
		";;;Studio · Threads; An idea;;draft\n" +
		p.day(6) + ";18:30;;\"threads; Bluesky\";A set;;scheduled\n"
	path, body := p.br.imports(t, p.path, file)
	require.Contains(t, body, "“25:00” is not a time")
	require.Contains(t, body, "semicolons, UTF-8")
	require.Regexp(t, `To fix <span class="num">2<`, body)
	require.Contains(t, body, "Import 4 posts")
	require.Empty(t, p.posts(t), "a dry run")

	require.Equal(t, http.StatusSeeOther, p.br.post(t, path+"/posts", url.Values{}).status)
	ready := []string{
		"DRAFT THREADS An idea {}",
		"SCHEDULED BLUESKY " + p.day(6) + " 18:30 A set {}", "SCHEDULED THREADS " + p.day(6) + " 18:30 A set {}",
	}
	got := p.posts(t)
	require.Len(t, got, 4)
	require.Subset(t, got, ready)
	require.Contains(t, strings.Join(got, "\n"), "Bowls are out of the kiln {Spring,Kiln}")
	require.Equal(t, []string{"2"}, postgrestest.Column(t, p.dsn, `SELECT count(*)::text FROM post WHERE content = 'A set' GROUP BY group_id`))

	require.Equal(t, http.StatusSeeOther, p.br.post(t, path+"/row", url.Values{"line": {"3"}, "cell-1": {"9:15 am"}}).status)
	require.Equal(t, http.StatusSeeOther, p.br.post(t, path+"/row", url.Values{"line": {"4"}, "cell-4": {"Short"}}).status)
	body = p.br.visited(t, path).body
	require.Contains(t, body, "Import 2 posts")
	require.Regexp(t, `Imported <span class="num">3<`, body)
	p.br.post(t, path+"/posts", url.Values{})
	require.Contains(t, p.br.visited(t, path).body, "2 posts imported.")
	all := p.posts(t)
	require.Len(t, all, 6)

	p.clock.Set(p.clock.Now().Add(time.Minute))
	again, body := p.br.imports(t, p.path, file)
	require.NotEqual(t, path, again)
	require.Regexp(t, `Already there <span class="num">5<`, body, "also the rows that were changed")
	require.Regexp(t, `href="`+p.path+`/posts/[0-9a-f-]{36}"`, body)
	require.Contains(t, body, ">Show posts</a>")
	require.Contains(t, body, p.clock.Now().UTC().AddDate(0, 0, 6).Format("Mon 2 Jan")+", 18:30</time>")
	p.br.post(t, again+"/posts", url.Values{})
	require.Equal(t, all, p.posts(t), "the same file twice makes nothing twice")
}

// TestImportAsksOnce chooses the channel of a name and the order of dates for all rows.
func TestImportAsksOnce(t *testing.T) {
	t.Parallel()
	p := plans(t, member.Editor)
	year := strconv.Itoa(p.clock.Now().Year() + 1)
	file := "when,account,caption,state\n03/04/" + year + " 09:00,insta,One,schedule\n05/06/" + year + " 09:00,Insta,Two,schedule\n" +
		"04/04/" + year + " 09:00,studio,Three,schedule\n"
	path, body := p.br.imports(t, p.path, file)
	require.Contains(t, body, "How are dates read?")
	require.Contains(t, body, "“insta” <span class=\"tiny\">2 rows")
	require.Contains(t, body, "several have this name", "studio is the name of two channels")
	require.Contains(t, body, ">Fix 3 rows</a>")
	threads := postgrestest.Column(t, p.dsn, `SELECT id::text FROM channel WHERE type = 'THREADS'`)[0]
	p.br.post(t, path+"/settings", url.Values{"order": {"mdy"}})
	p.br.post(t, path+"/channels", url.Values{"name": {"insta", "studio"}, "channel": {threads, "-"}})
	body = p.br.visited(t, path).body
	require.NotContains(t, body, "How are dates read?")
	require.Contains(t, body, "You left out this channel.")
	p.br.post(t, path+"/posts", url.Values{})
	require.Equal(t, []string{
		"SCHEDULED THREADS " + year + "-03-04 09:00 One {}", "SCHEDULED THREADS " + year + "-05-06 09:00 Two {}",
	}, p.posts(t))
	_, body = p.br.imports(t, p.path, "account,text\ninsta,Four\n")
	require.Contains(t, body, "Import 1 post", "the answer is kept")
}

// TestWrongFilesAreRefused sends files that are none, and files that attack.
func TestWrongFilesAreRefused(t *testing.T) {
	t.Parallel()
	p := plans(t, member.Contributor)
	for want, content := range map[string]string{
		"This is a workbook":          "PK\x03\x04",
		"The file has no rows.":       "",
		"no rows below":               "text,channel\n",
		"Line 2 has a quotation mark": "text,channel\n5\" pipe,x\n",
		"The file has 10000 columns":  strings.Repeat("a,", 9999) + "a\n",
		"has more than 2000 rows":     "text\n" + strings.Repeat("a\n", 2001),
		"This is no text file.":       "a\x00b",
	} {
		got := p.br.uploads(t, p.path, "plan.csv", []byte(content))
		require.Equal(t, http.StatusUnprocessableEntity, got.status, want)
		require.Contains(t, got.body, want)
	}
	require.Equal(t, http.StatusRequestEntityTooLarge, p.br.uploads(t, p.path, "plan.csv", bytes.Repeat([]byte("a"), 6<<20)).status)
	require.Contains(t, p.br.post(t, p.path+"/plan", url.Values{}).body, "Choose a file.")
	require.Equal(t, []string{"0"}, postgrestest.Column(t, p.dsn, `SELECT count(*)::text FROM plan_import`))

	evil := hostile("cell")
	name := hostile("name")
	got := p.br.uploads(t, p.path, name+".csv", []byte("text,channel,"+strings.ReplaceAll(evil, `"`, "")+"\n"+
		`"`+strings.ReplaceAll(evil, `"`, `""`)+`","`+strings.ReplaceAll(evil, `"`, `""`)+`",=HYPERLINK("https://x.test")`+"\n"))
	require.Equal(t, http.StatusUnprocessableEntity, got.status, "a quotation mark within a cell")
	path, body := p.br.imports(t, p.path, "text,channel,title,"+strings.ReplaceAll(evil, `"`, "")+"\n"+
		`"`+strings.ReplaceAll(evil, `"`, `""`)+`","`+strings.ReplaceAll(evil, `"`, `""`)+`","=1+1",javascript:alert(1)`+"\n")
	require.NotContains(t, body, "<x-evil")
	require.Contains(t, body, "&lt;x-evil id=cell")
	require.NotContains(t, p.br.visited(t, p.path+"/plan").body, "<x-evil")
	require.Contains(t, body, `value="=1&#43;1"`, "a formula is a text")
	require.Equal(t, http.StatusNotFound, p.br.post(t, path+"/row", url.Values{"line": {"99"}}).status)
}

// TestImportsArePrivate opens an import of another person of the workspace, and one of another workspace.
func TestImportsArePrivate(t *testing.T) {
	t.Parallel()
	p := plans(t, member.Owner)
	path, _ := p.br.imports(t, p.path, "text,channel\nA secret,Threads\n")
	other := p.browser(t)
	other.signInAs(t, p.membership(t, p.workspace, member.Owner).Email)
	for _, call := range []string{"", "/settings", "/channels", "/files", "/row", "/posts", "/discard"} {
		method := http.MethodPost
		if call == "" {
			method = http.MethodGet
		}
		require.Equal(t, http.StatusNotFound, other.call(t, method, path+call).status, call)
	}
	require.NotContains(t, other.visited(t, p.path+"/plan").body, ">plan.csv<")
	theirs := p.furnish(t, "Theirs")
	require.NoError(t, p.users.Join(t.Context(), p.user.ID, theirs.workspace.ID, member.Owner, p.clock.Now()))
	moved := strings.Replace(path, p.workspace.ID.String(), theirs.workspace.ID.String(), 1)
	require.Equal(t, http.StatusNotFound, p.br.get(t, moved).status)

	foreign := theirs.wildcards
	postgrestest.Exec(t, p.dsn, `UPDATE post SET external_id = 'csv-x' WHERE id = $1`, foreign["post"])
	path, body := p.br.imports(t, p.path, "text,channel,external id,post id,media\nOurs,"+foreign["channel"]+",csv-x,"+foreign["post"]+","+ident.New[ident.Media]().String()+"\n")
	require.NotContains(t, body, "Already there", "posts of other workspaces do not count")
	require.Contains(t, body, "is not known; choose one above")
	require.Contains(t, body, "is not in the library")
	p.br.post(t, path+"/channels", url.Values{"name": {foreign["channel"]}, "channel": {foreign["channel"]}})
	require.Contains(t, p.br.visited(t, path).body, "is not known; choose one above", "nor do their channels")

	require.Equal(t, http.StatusSeeOther, p.br.post(t, path+"/discard", url.Values{}).status)
	require.Equal(t, http.StatusNotFound, p.br.get(t, path).status)
	p.clock.Set(p.clock.Now().Add(plan.Life + time.Hour))
	require.NoError(t, p.app.PrunePlanImports(t.Context()))
	require.Equal(t, []string{"0"}, postgrestest.Column(t, p.dsn, `SELECT count(*)::text FROM plan_import`))
}

// TestContributorsImportDrafts checks that an import allows what the role allows.
func TestContributorsImportDrafts(t *testing.T) {
	t.Parallel()
	p := plans(t, member.Contributor)
	path, body := p.br.imports(t, p.path, "date,channel,text,state\n"+p.day(3)+" 09:00,Threads,Later,schedule\n")
	require.Contains(t, body, "because your role may not schedule")
	p.br.post(t, path+"/settings", url.Values{"drafts": {"1"}})
	p.br.post(t, path+"/posts", url.Values{})
	require.Equal(t, []string{"DRAFT THREADS " + p.day(3) + " 09:00 Later {}"}, p.posts(t), "with its intended time")
	viewer := p.browser(t)
	viewer.signInAs(t, p.membership(t, p.workspace, member.Viewer).Email)
	require.Equal(t, http.StatusForbidden, viewer.uploads(t, p.path, "plan.csv", []byte("text\na\n")).status)
	require.NotContains(t, viewer.visited(t, p.path+"/plan").body, "Import posts")
}

// TestMediaOfImports names files of the library and of the web.
func TestMediaOfImports(t *testing.T) {
	t.Parallel()
	p := plans(t, member.Editor)
	for _, name := range []string{"bowl.jpg", "twice.jpg", "twice.jpg"} {
		postgrestest.Asset(t, p.db, media.Asset{
			ID: ident.New[ident.Media](), WorkspaceID: p.workspace.ID, Name: name, Type: media.Image, ContentType: "image/jpeg", Size: 5,
			CreatedAt: p.clock.Now(),
		})
	}
	path, body := p.br.imports(t, p.path, "channel,text,media,alt text\nThreads,A,bowl.jpg,\"A bowl, blue\"\nThreads,B,twice.jpg,\n"+
		"Threads,C,none.jpg,\nThreads,D,bowl.jpg,one|two\n"+
		"Threads,E,\"https://pictures.example.com/a.jpg, https://pictures.example.com/b.jpg\",\nThreads,F,http://127.0.0.1/x.jpg,\n")
	require.Contains(t, body, "is the name of several files in the library")
	require.Contains(t, body, "“none.jpg” is not in the library")
	require.Contains(t, body, "comes from the web; fetch the files first")
	require.Contains(t, body, "Fetch 2 files")
	require.Regexp(t, `127\.0\.0\.1/x\.jpg”: The file cannot be fetched`, body)
	p.br.post(t, path+"/posts", url.Values{})
	require.Equal(t, []string{"A bowl, blue"}, postgrestest.Column(t, p.dsn, `SELECT v FROM post, jsonb_each_text(media_alt_texts::jsonb) AS x(k, v) WHERE content = 'A'`))
	p.br.post(t, path+"/files", url.Values{})
	require.Equal(t, []string{"2"}, postgrestest.Column(t, p.dsn, `SELECT count(*)::text FROM media_import`))
	p.br.post(t, path+"/files", url.Values{})
	require.Equal(t, []string{"2"}, postgrestest.Column(t, p.dsn, `SELECT count(*)::text FROM media_import`), "each is fetched once")
	require.Contains(t, p.br.visited(t, path).body, "is being fetched")
	postgrestest.Exec(t, p.dsn, `UPDATE media_import SET state = 'FAILED', error_code = 'IMPORT_FAILED', error_text = 'The server returned 404.', url = NULL, finished_at = now()`)
	require.Contains(t, p.br.visited(t, path).body, "was not fetched. The server returned 404.")
}

// TestExportIsImported exports posts, and imports the file in the same workspace and in another one.
func TestExportIsImported(t *testing.T) {
	t.Parallel()
	p := plans(t, member.Editor)
	path, _ := p.br.imports(t, p.path, "date,time,zone,channel,title,text,labels,state,external id\n"+
		p.day(3)+",09:00,Europe/Stockholm,Threads,A title,\"=1+1, \"\"two\"\"\nlines\",\"Spring; Kiln\",schedule,cms-1\n"+
		p.day(40)+",10:00,,Bluesky,,@kiln,,draft,\n")
	p.br.post(t, path+"/posts", url.Values{})
	got := p.br.get(t, p.path+"/plan.csv?from="+p.day(0)+"&to="+p.day(30)+"&state=planned")
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, got.header.Get("Content-Disposition"), "attachment")
	require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
	require.Contains(t, got.body, `"'=1+1, ""two""`)
	require.NotContains(t, got.body, "kiln,", "beyond the days")
	whole := p.br.get(t, p.path+"/plan.csv").body
	require.Contains(t, whole, "'@kiln")
	require.Contains(t, whole, "Secret of Ours")
	p.clock.Set(p.clock.Now().Add(time.Minute))
	_, body := p.br.imports(t, p.path, whole)
	require.Regexp(t, `Already there <span class="num">3<`, body)

	other := p.furnish(t, "Other")
	require.NoError(t, p.users.Join(t.Context(), p.user.ID, other.workspace.ID, member.Owner, p.clock.Now()))
	q := p
	q.tenant, q.path = other, "/w/"+other.workspace.ID.String()
	q.channel(t, "Studio", channel.Threads, "x")
	q.channel(t, "Studio", channel.Bluesky, "y")
	second, _ := p.br.imports(t, q.path, whole)
	p.br.post(t, second+"/posts", url.Values{})
	require.Equal(t, p.posts(t), q.posts(t))
	for query, want := range map[string]string{
		"from=soon": "is not a day", "to=2026-02-30": "is not a day", "from=2026-02-02&to=2026-02-01": "before the first one",
		"state=lost": "There is no state", "channel=" + other.wildcards["channel"]: "no such channel",
	} {
		got := p.br.get(t, p.path+"/plan.csv?"+query)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, query)
		require.Contains(t, got.body, want)
	}
}

// TestCalendarFeed reads the feed of a person as a calendar program does, until it is revoked or the person leaves.
func TestCalendarFeed(t *testing.T) {
	t.Parallel()
	p := plans(t, member.Viewer)
	text := "Long words, with; marks \\ and — " + strings.Repeat("ö", 90)
	at := p.clock.Now().UTC().Add(72 * time.Hour).Truncate(time.Minute)
	id := p.scheduled(t, p.tenant, text, at)
	created := func() string {
		t.Helper()
		got := p.br.post(t, p.path+"/plan/feed", url.Values{})
		require.Equal(t, http.StatusCreated, got.status)
		found := regexp.MustCompile(`<code>` + regexp.QuoteMeta(p.server.URL) + `(/calendar/svc_cal_\w+\.ics)</code>`).FindStringSubmatch(got.body)
		require.NotNil(t, found)
		return found[1]
	}
	address := created()
	program := p.browser(t)
	got := program.get(t, address)
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, "text/calendar; charset=utf-8", got.header.Get("Content-Type"))
	require.Contains(t, got.header.Get("X-Robots-Tag"), "noindex")
	require.Empty(t, got.header.Get("Set-Cookie"))
	for line := range strings.SplitSeq(strings.TrimSuffix(got.body, "\r\n"), "\r\n") {
		require.LessOrEqual(t, len(line), 75)
		require.NotContains(t, line, "\n")
	}
	cal, err := ics.ParseCalendar(strings.NewReader(got.body))
	require.NoError(t, err)
	require.Len(t, cal.Events(), 1)
	e := cal.Events()[0]
	require.Equal(t, id+"@fencepost", e.Id())
	start, err := e.GetStartAt()
	require.NoError(t, err)
	require.True(t, at.Equal(start))
	require.Regexp(t, `^Scheduled: Long words, with; marks \\ and — ö+… · News · X$`, ics.FromText(e.GetProperty(ics.ComponentPropertySummary).Value))
	require.Equal(t, p.server.URL+p.path+"/posts/"+id, e.GetProperty(ics.ComponentPropertyUrl).Value)
	require.NotContains(t, p.br.visited(t, p.path+"/plan").body, "svc_cal_", "the address is shown once")
	require.Empty(t, postgrestest.Column(t, p.dsn, `SELECT 1 FROM calendar_feed WHERE encode(hash, 'escape') LIKE '%svc_cal%'`))

	conditional := func(tag string) page {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, program.base+address, http.NoBody)
		require.NoError(t, err)
		r.Header.Set("If-None-Match", tag)
		return program.send(t, r)
	}
	require.Equal(t, http.StatusNotModified, conditional(got.header.Get("ETag")).status)
	p.clock.Set(p.clock.Now().Add(time.Minute))
	postgrestest.Exec(t, p.dsn, `UPDATE post SET content = 'Other', updated_at = now() + interval '1 hour' WHERE id = $1`, id)
	require.Equal(t, http.StatusOK, conditional(got.header.Get("ETag")).status)

	second := created()
	require.Equal(t, http.StatusNotFound, program.get(t, address).status, "replaced")
	for _, unknown := range []string{strings.TrimSuffix(second, ".ics"), "/calendar/x.ics", address[:len(address)-5] + "x.ics", "/calendar/.ics"} {
		got := program.get(t, unknown)
		require.Equal(t, http.StatusNotFound, got.status, unknown)
		require.Equal(t, "There is no such calendar.\n", got.body)
	}
	require.Equal(t, http.StatusSeeOther, p.br.post(t, p.path+"/plan/feed/revoke", url.Values{}).status)
	require.Equal(t, http.StatusNotFound, program.get(t, second).status, "revoked")

	third := created()
	require.Equal(t, http.StatusOK, program.get(t, third).status)
	postgrestest.Exec(t, p.dsn, `UPDATE app_user SET disabled_at = now() WHERE id = $1`, p.user.ID.String())
	require.Equal(t, http.StatusNotFound, program.get(t, third).status, "the person may not sign in")
	postgrestest.Exec(t, p.dsn, `UPDATE app_user SET disabled_at = NULL WHERE id = $1`, p.user.ID.String())
	postgrestest.Exec(t, p.dsn, `DELETE FROM workspace_member WHERE user_id = $1`, p.user.ID.String())
	require.Equal(t, http.StatusNotFound, program.get(t, third).status, "the person has left")
	require.NoError(t, p.users.Join(t.Context(), p.user.ID, p.workspace.ID, member.Viewer, p.clock.Now()))
	require.Equal(t, http.StatusNotFound, program.get(t, third).status, "also after the person returned")
}

// TestCalendarFeedsAreLimited reads a feed too often.
func TestCalendarFeedsAreLimited(t *testing.T) {
	t.Parallel()
	p := plans(t, member.Viewer)
	secret, err := p.app.MakeFeed(t.Context(), app.Principal{WorkspaceID: p.workspace.ID, Person: app.Person{ID: p.user.ID}})
	require.NoError(t, err)
	program := p.browser(t)
	for range 20 {
		require.Equal(t, http.StatusOK, program.get(t, "/calendar/"+secret+".ics").status)
	}
	got := program.get(t, "/calendar/"+secret+".ics")
	require.Equal(t, http.StatusTooManyRequests, got.status)
	require.Equal(t, "60", got.header.Get("Retry-After"))
}

// TestLargeImports shows the largest file, with many channels, and creates its posts.
func TestLargeImports(t *testing.T) {
	t.Parallel()
	p := plans(t, member.Editor)
	for i := range 40 {
		p.channel(t, fmt.Sprintf("Shop %d", i), channel.Mastodon, fmt.Sprintf("shop%d@example.social", i))
	}
	var file strings.Builder
	file.WriteString("channel,text,date,time,state,external id\n")
	for i := range plan.MaxRows {
		fmt.Fprintf(&file, "shop %d; threads,Text %d,%s,%02d:%02d,schedule,id-%d\n", i%40, i, p.day(3+i/600), i%24, i%60, i)
	}
	path, body := p.br.imports(t, p.path, file.String())
	require.Contains(t, body, "Import 4000 posts")
	require.Equal(t, 50, strings.Count(body, `<li id="line-`))
	require.Contains(t, p.br.visited(t, path+"?page=39").body, "Text 1999")
	require.NotContains(t, p.br.last.body, "Later rows")
}
