package browser_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// writesThread splits a long Japanese text with emoji into a numbered thread, moves a part by drag and by keys, adds one with a
// picture, and a first comment; leaves the thread out on a network without; saves, and decides about a part that failed.
func writesThread(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "threads@example.com"
	path, _, _ := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false WHERE workspace_id = $1`, workspace)
	of := func(network string) string {
		return postgrestest.Column(t, a.dsn, `SELECT id::text FROM channel WHERE workspace_id = $1 AND type = $2`, workspace, network)[0]
	}
	x, telegram := of("TWITTER"), of("TELEGRAM_CHANNEL")
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/compose")
	w.signIn(person, words)
	w.shows("#text")
	for _, id := range []string{x, telegram} {
		w.must(`(document.querySelector('input[value="`+id+`"]').click(), null)`, nil)
	}
	w.click(`[name=when][value=draft]`)
	long := strings.TrimSpace(strings.Repeat("陶器を焼きました。👩‍🎨🇯🇵 とても綺麗です！ See https://acme.example/market now. ", 9))
	w.must(`((text) => { text.value = `+quoted(long)+`; text.dispatchEvent(new Event('input', {bubbles: true})); })(document.querySelector('#text'))`, nil)
	w.wait(`document.querySelector('#splitting')?.innerText.includes('Too long for X.')`)
	w.inEveryLook("composer-too-long")
	w.click(`[name=number]`)
	w.wait(saved + ` && document.querySelector('[name=number]').checked`)
	w.click(`#splitting button`)
	w.wait(`document.querySelectorAll('.part').length >= 1 && document.querySelector('#text').value.includes(' 1/')`)
	w.wait(saved)
	n := eval[int](w, `document.querySelectorAll('.part').length`)
	require.Equal(t, n, eval[int](w, `[...document.querySelectorAll('.part textarea')].filter((part, i) => part.value.endsWith(' ' + (i + 2) + '/`+strconv.Itoa(n+1)+`')).length`))
	w.must(`document.querySelector('#text-`+telegram+`').value`, long)
	w.must(`document.querySelector('#findings').dataset.stops`, "0")
	w.must(`document.querySelectorAll('#drawn .pvpart').length`, n)

	// The second part is dropped onto the first, and goes back by its keys.
	texts := `[...document.querySelectorAll('.part textarea')].map((part) => part.value.replace(/ \d+\/\d+$/, '')).join('|')`
	before := strings.Split(eval[string](w, texts), "|")
	w.must(`((grip, part) => {
		const data = new DataTransfer();
		for (const [name, at] of [['dragstart', grip], ['dragover', part], ['drop', part], ['dragend', grip]]) at.dispatchEvent(new DragEvent(name, {bubbles: true, cancelable: true, dataTransfer: data}));
	})(document.querySelectorAll('.grip')[1], document.querySelector('.part'))`, nil)
	moved := append([]string{before[1], before[0]}, before[2:]...)
	w.wait(texts + ` === ` + quoted(strings.Join(moved, "|")))
	w.wait(`document.activeElement === document.querySelector('.part textarea') && document.querySelector('.part textarea').value.endsWith(' 2/` + strconv.Itoa(n+1) + `')`)
	w.must(`(document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', altKey: true, shiftKey: true, bubbles: true, cancelable: true})), null)`, nil)
	w.wait(texts + ` === ` + quoted(strings.Join(before, "|")))

	// A part more, with a picture, and a first comment.
	w.click(`.thread[data-for=all] .adding button`)
	w.wait(fmt.Sprintf(`document.querySelectorAll('.part').length === %d && document.activeElement?.closest('.part') === [...document.querySelectorAll('.part')].at(-1)`, n+1))
	w.run(chromedp.KeyEvent("The last one"))
	w.pastes("last.png", "image/png")
	w.wait(`[...document.querySelectorAll('.part')].at(-1).querySelector('.shot[data-media] small')?.textContent === 'last.png'`)
	w.must(`document.querySelector('#media .shot[data-media]') === null`, true)
	w.must(`[...document.querySelectorAll('.part .ink textarea')].at(-1).value`, "The last one")
	w.click(`.thread[data-for=all] .commentbox summary`)
	w.types(`#comment-all`, "Shop: https://acme.example/shop")
	w.must(`((delay) => { delay.value = '300'; delay.dispatchEvent(new Event('change', {bubbles: true})); })(document.querySelector('#delay-all'))`, nil)
	w.wait(`document.querySelector('#findings').innerText.includes('Telegram takes no first comments.')`)
	w.inEveryLook("composer-thread")
	w.click(`#findings button[name=parts]`)
	w.wait(`document.querySelector('#findings').dataset.stops === '0'`)
	w.click(`[data-target="` + telegram + `"]`)
	w.wait(`document.querySelector('.thread[data-for="` + telegram + `"]').innerText.includes('No thread here.')`)
	w.inEveryLook("composer-thread-left-out")
	w.reopens(eval[string](w, `location.href`), fmt.Sprintf(`document.querySelectorAll('.part').length === %d && document.querySelector('#comment-all').value.startsWith('Shop') && document.querySelector('#delay-all').value === '300'`, n+1))

	w.click("#go")
	w.wait(`document.querySelector('.notice')?.innerText.includes('2 posts saved as drafts.')`)
	root := postgrestest.Column(t, a.dsn, `SELECT id::text FROM post WHERE channel_id = $1 AND parts->'comment'->>'delay' IS NOT NULL`, x)[0]
	postgrestest.Exec(t, a.dsn, `UPDATE post SET group_id = NULL WHERE id = $1`, root)
	w.open(path + "/posts/" + root)
	w.must(fmt.Sprintf(`document.querySelectorAll('.partlist li').length === %d`, n+3), true)
	w.inEveryLook("post-parts-planned")

	// The second part was published, and the third one failed.
	postgrestest.Exec(t, a.dsn, `UPDATE post SET status = 'PUBLISHED', published_at = now(), post_url = 'https://x.com/acme/status/1', parts_state = 'INCOMPLETE' WHERE id = $1`, root)
	for i, state := range []string{`'PUBLISHED', now(), NULL, NULL, NULL`, `'FAILED', NULL, 'CONTENT_REFUSED', 'X refused the text.', false`} {
		postgrestest.Exec(t, a.dsn, `INSERT INTO post (id, workspace_id, channel_id, content, content_type, media_ids, created_at, updated_at, revision, scheduled_at,
			root_id, part_index, part_kind, status, published_at, error_code, error_message, error_retryable)
			SELECT gen_random_uuid(), workspace_id, channel_id, 'Part', 'POST', '{}', now(), now(), 1, now(), id, $1, 'REPLY', `+state+` FROM post WHERE id = $2`, i+1, root)
	}
	w.open(path + "/posts/" + root)
	w.wait(fmt.Sprintf(`document.querySelector('#verdict').innerText === '2 of %d live; part 3 failed'`, n+3))
	w.inEveryLook("post-parts-incomplete")
	w.click(`.acts-of form[action$="/continue"] button`)
	w.wait(`document.querySelector('.notice')?.innerText.includes('Publishing the rest.')`)
	w.must(`document.querySelector('#parts').innerText.includes('On its way')`, true)
	w.requireQuiet()
}
