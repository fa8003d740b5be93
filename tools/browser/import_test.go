package browser_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestImport imports a file with two faults: both are fixed in place, and the posts are in the list.
func TestImport(t *testing.T) {
	t.Parallel()
	a, chromium := openApplication(t), openBrowser(t)
	const person = "import@example.com"
	path, _, _ := a.furnished(person)
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false`)
	w := openTab(t, chromium, desk())
	w.open(path + "/calendar")
	w.signIn(person, words)
	w.shows(".calbar")
	w.click(".calbar .more summary")
	w.click(".calbar .more .menu a")
	w.on("Import and export")
	w.inEveryLook("plan")
	day := time.Now().AddDate(0, 0, 3).Format(time.DateOnly)
	file := strings.Join([]string{
		"Date;Time;Channel;Words of ours;Labels;State",
		day + ";09:00;Threads;The first bowls out of the new kiln;Spring;schedule",
		day + ";25:00;bluesky;\"Mugs, and <b>plates</b>\";;schedule",
		";;mastodon;=SUM(1) ideas for December;Winter;draft",
		day + ";10:00;Our Insta;Open studio on Friday;;schedule",
	}, "\n")
	w.imports(file)
	w.wait(`document.querySelector('.error')?.innerText.startsWith('Choose which column has the text')`)
	w.must(`([...document.querySelectorAll('.maps .field')].find(field => field.innerText.startsWith('Words of ours')).querySelector('select').value = 'text', null)`, nil)
	w.click("details[open] [type=submit]")
	w.wait(`document.readyState === 'complete' && document.querySelector('.pagebar .primary')?.innerText === 'Import 2 posts'`)
	require.Equal(t, "0", postgrestest.Column(t, a.dsn, `SELECT count(*)::text FROM post WHERE content LIKE '%bowls out%'`)[0], "a dry run")
	w.inEveryLook("plan-import")
	w.must(`document.querySelector('.pagebar .primary').innerText`, "Import 2 posts")
	w.must(`[...document.querySelectorAll('.findings .stop strong')].map(e => e.innerText)`, []any{"Time", "Channel"})

	w.must(`(document.querySelector('[aria-invalid][value="25:00"]').value = '9:30 am', null)`, nil)
	w.click("#line-3 button[type=submit]")
	w.wait(`document.querySelector('.pagebar .primary')?.innerText === 'Import 3 posts'`)
	w.must(`location.hash`, "#line-3")
	w.must(`[...document.querySelector('.question select').options].find(o => o.text.endsWith(' · Telegram')).selected = true`, true)
	w.click(".question button[type=submit]")
	w.wait(`document.querySelector('.pagebar .primary')?.innerText === 'Import 4 posts'`)
	w.click(".pagebar .primary")
	w.wait(`document.querySelector('.toasts')?.innerText.includes('4 posts imported.')`)
	w.must(`document.querySelectorAll('#main .planrows [data-state=imported]').length`, 4.0)
	w.inEveryLook("plan-imported")
	w.open(path + "/posts?q=kiln")
	w.on("Posts")
	w.must(`document.querySelector('#main').innerText.includes('The first bowls out of the new kiln')`, true)
	require.Equal(t, []string{"=SUM(1) ideas for December"}, postgrestest.Column(t, a.dsn, `SELECT content FROM post WHERE content LIKE '=SUM%'`))
	w.requireQuiet()

	// The same file makes nothing twice. The plan that is exported makes nothing either.
	posts := postgrestest.Column(t, a.dsn, `SELECT id::text FROM post ORDER BY id`)
	w.open(path + "/plan")
	w.imports(file)
	w.wait(`document.querySelectorAll('.planrows [data-state=there]').length === 4`)
	w.must(`document.querySelector('.pagebar .primary').innerText`, "Show posts")
	w.open(path + "/plan")
	exported := eval[string](w, `fetch(document.querySelector('main form[method=get]').action).then((response) => response.text())`)
	require.Contains(t, exported, "The first bowls out of the new kiln")
	w.imports(exported)
	w.must(`document.querySelectorAll('.planrows [data-state=ready]').length`, 0)
	require.Equal(t, posts, postgrestest.Column(t, a.dsn, `SELECT id::text FROM post ORDER BY id`))
	w.requireQuiet()
}

// imports sends a file.
func (w *tab) imports(content string) {
	w.t.Helper()
	raw, err := json.Marshal(content)
	require.NoError(w.t, err)
	w.must(`(() => { const d = new DataTransfer(); d.items.add(new File([`+string(raw)+`], 'december.csv'));
		document.querySelector('#file').files = d.files; return document.querySelector('#file').files.length; })()`, 1)
	w.click("main [enctype] [type=submit]")
	w.on("december.csv")
}
