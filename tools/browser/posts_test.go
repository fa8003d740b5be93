package browser_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// threads creates a set of posts for a healthy Threads channel of the workspace, due in the next weeks.
func (a *application) threads(path string, texts ...string) []post.Post {
	a.t.Helper()
	workspace, err := ident.Parse[ident.Workspace](path[len(path)-36:])
	require.NoError(a.t, err)
	id := postgrestest.Column(a.t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false
		WHERE type = 'THREADS' AND workspace_id = $1 RETURNING id::text`, workspace.String())
	require.Len(a.t, id, 1)
	of, err := ident.Parse[ident.Channel](id[0])
	require.NoError(a.t, err)
	postgrestest.Exec(a.t, a.dsn, `DELETE FROM post WHERE workspace_id = $1`, workspace.String())
	now := time.Now().UTC().Truncate(time.Millisecond)
	created := make([]post.Post, len(texts))
	for i, text := range texts {
		change, err := post.Create(post.NewPost{
			WorkspaceID: workspace, ChannelID: of, ChannelType: "THREADS", ContentType: post.ContentPost, Content: text,
			ScheduleAt: now.Truncate(time.Hour).Add(time.Duration(100+i) * time.Hour),
		}, now, "user Mara Lindqvist")
		require.NoError(a.t, err)
		require.NoError(a.t, postgres.NewPosts(a.db).Insert(a.t.Context(), []post.Change{change}))
		created[i] = change.Post
	}
	return created
}

// TestPosts selects posts by keys, moves and labels them, takes that back, changes one in place, and meets someone else who
// changes the same post.
func TestPosts(t *testing.T) {
	t.Parallel()
	a, chromium := openApplication(t), openBrowser(t)
	const person = "posts@example.com"
	path, _, _ := a.furnished(person)
	texts := []string{"Bowl one", "Bowl two", "Bowl three"}
	for len(texts) < 20 {
		texts = append(texts, "Bowl "+strconv.Itoa(len(texts)+1))
	}
	created := a.threads(path, texts...)
	w := openTab(t, chromium, desk())
	w.clearCookies()
	list := path + "/posts?status=scheduled"
	w.open(list)
	w.signIn(person, words)
	w.on("Posts")
	w.wait(`document.readyState === 'complete'`)
	times := func() string {
		return strings.Join(postgrestest.Column(t, a.dsn, `SELECT scheduled_at::text FROM post WHERE content LIKE 'Bowl%' ORDER BY scheduled_at, id`), " ")
	}
	before := times()

	for range 3 { // the first three posts
		w.run(chromedp.KeyEvent("j"), chromedp.KeyEvent("x"))
	}
	w.wait(`document.querySelector('.bulkbar .chosen').innerText === '3 posts selected'`)
	w.run(chromedp.KeyEvent("k"))
	w.must(`document.activeElement.innerText`, "Bowl two")
	w.keep("posts-selected")
	w.requireAccessible()
	w.click("#selected details:nth-of-type(1) summary")
	w.keep("posts-move")
	w.click(`#selected [value="shift"]`)
	w.wait(`document.querySelector('.toasts')?.innerText.includes('Moved 3 posts.')`)
	require.NotEqual(t, before, times())
	w.click(".toasts .undo")
	w.wait(`document.querySelector('.toasts')?.innerText.includes('Taken back for 3 posts.')`)
	require.Equal(t, before, times())

	// Twenty posts move by a week with three clicks.
	w.click("[data-all]")
	w.wait(`document.querySelector('.bulkbar .chosen').innerText === '20 posts selected'`)
	w.click("#selected details:nth-of-type(1) summary")
	w.must(`(document.querySelector('#unit').value = 'weeks', document.querySelector('#by').value)`, "1")
	w.click(`#selected [value="shift"]`)
	w.wait(`document.querySelector('.toasts')?.innerText.includes('Moved 20 posts.')`)
	require.Equal(t, []string{"7 days"}, postgrestest.Column(t, a.dsn, `SELECT DISTINCT (scheduled_at - $2::timestamptz - (row_number() OVER (ORDER BY scheduled_at) - 1) * interval '1 hour')::text
		FROM post WHERE workspace_id = $1`, path[len(path)-36:], created[0].ScheduledAt.Format(time.RFC3339)))
	w.click(".toasts .undo")
	w.wait(`document.querySelector('.toasts')?.innerText.includes('Taken back for 20 posts.')`)
	require.Equal(t, before, times())

	// A copy is taken back; a deleted post is gone.
	w.run(chromedp.KeyEvent("j"), chromedp.KeyEvent("x"))
	w.click(`#selected [value="duplicate"]`)
	w.wait(`document.querySelector('.toasts')?.innerText.includes('Duplicated 1 post.')`)
	w.click(".toasts .undo")
	w.wait(`document.querySelector('.toasts')?.innerText.includes('Taken back')`)
	require.Equal(t, before, times())
	a.deletesAndMoves(w, list)

	w.open(list)
	w.click("[data-all]")
	w.wait(`document.querySelector('.bulkbar .chosen').innerText === '19 posts selected'`)
	w.click("#selected details:nth-of-type(2) summary")
	w.types("#label", "Autumn")
	w.run(chromedp.KeyEvent("\r")) // adds the label, although another button comes first
	w.wait(`document.querySelector('.toasts')?.innerText.includes('Labelled 19 posts.')`)
	w.must(`document.querySelectorAll('.label-tag').length`, 19)
	w.requireQuiet()
	a.editsInPlace(w, path, created[0])
	w.requireQuiet()

	// A person lets a post follow another one.
	second := path + "/posts/" + created[2].ID.String()
	w.open(second + "/chain")
	w.click(`[name=before][value="` + created[1].ID.String() + `"]`)
	w.click(`main form .primary`)
	w.wait(`document.querySelector('.toasts')?.innerText.includes('This post follows the other one.')`)
	w.must(`document.querySelector('dl.facts a[href$="`+created[1].ID.String()+`"]').innerText`, "the post before it")
	for name, address := range map[string]string{
		"post-chain": second + "/chain", "post-chained": second,
		"posts-scheduled-few": list, "post-scheduled": path + "/posts/" + created[1].ID.String(), "post-edit": path + "/posts/" + created[1].ID.String() + "?edit=1",
	} {
		w.open(address)
		w.inEveryLook(name)
		w.requireQuiet()
	}
}

// deletesAndMoves deletes the last post of a list, and moves the first by its key.
func (a *application) deletesAndMoves(w *tab, list string) {
	w.t.Helper()
	w.open(list)
	w.must(`([...document.querySelectorAll('[data-row] .tick')].at(-1).click(), null)`, nil)
	w.click("#selected details:nth-of-type(3) summary")
	w.click(`#selected [value="delete"]`)
	w.wait(`document.querySelector('.toasts')?.innerText.includes('Deleted 1 post.')`)
	require.Equal(w.t, []string{"19"}, postgrestest.Column(w.t, a.dsn, `SELECT count(*)::text FROM post WHERE content LIKE 'Bowl%'`))
	w.open(list)
	w.run(chromedp.KeyEvent("j"), chromedp.KeyEvent("m"))
	w.on("Move")
	w.must(`document.querySelector('.panel .clip').innerText`, "Bowl one")
	w.click("main .crumb")
	w.on("Posts")
	w.requireQuiet()
}

// editsInPlace changes a post on its page while someone else does.
func (a *application) editsInPlace(w *tab, path string, of post.Post) {
	w.t.Helper()
	address := path + "/posts/" + of.ID.String()
	w.open(address)
	w.wait(`document.readyState === 'complete'`)
	w.run(chromedp.KeyEvent("e"))
	w.wait(`document.querySelector('#content') !== null && document.activeElement.id === 'content'`)
	w.types("#content", " and a half")
	w.click("#edit .primary")
	w.wait(`document.querySelector('.toasts')?.innerText.includes('Saved.')`)
	w.must(`document.querySelector('#post .postpv').innerText.includes('and a half')`, true)

	// Two people change the labels and the text: both changes are kept.
	workspace, err := ident.Parse[ident.Workspace](path[len(path)-36:])
	require.NoError(w.t, err)
	theirs := func(edit post.Edit) {
		current, err := postgres.NewPosts(a.db).Get(w.t.Context(), workspace, of.ID)
		require.NoError(w.t, err)
		change, _, err := current.Edit(edit, time.Now().UTC().Truncate(time.Millisecond), "user Astrid")
		require.NoError(w.t, err)
		require.NoError(w.t, postgres.NewPosts(a.db).Apply(w.t.Context(), change))
	}
	w.open(address + "?edit=1")
	w.types("#content", "!")
	theirs(post.Edit{Labels: &[]string{"Spring"}})
	w.click("#edit .primary")
	w.wait(`document.querySelector('.toasts')?.innerText.includes('What Astrid changed meanwhile is kept.')`)
	w.must(`document.querySelector('#details ~ .facts .label-tag').innerText`, "Spring")

	// Both change the text: the person sees both, and decides.
	w.open(address + "?edit=1")
	w.types("#content", "?")
	theirs(post.Edit{Content: new("Astrid's bowl")})
	w.click("#edit .primary")
	w.wait(`document.querySelector('#edit .callout')?.innerText.includes('Astrid changed this post')`)
	w.must(`document.querySelector('#edit .both').innerText.includes("Astrid's bowl")`, true)
	w.keep("post-conflict")
	w.requireAccessible()
	w.expect("409", "409")
	w.click("#edit .primary")
	w.wait(`document.querySelector('.toasts')?.innerText.includes('Saved.')`)
	w.must(`['and a half', '!', '?'].every(typed => document.querySelector('#post .postpv').innerText.includes(typed))`, true) // wherever the caret was
}
