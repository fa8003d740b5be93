package browser_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// hears stores a message of a person to the Telegram Business account of the workspace, as its network reports it.
func (a *application) hears(key string, from inbox.Identity, text string, at time.Time) {
	a.t.Helper()
	postgrestest.Exec(a.t, a.dsn, `INSERT INTO inbound_event (network, account, key, kind, occurred_at, body)
		VALUES ('telegram', 'TELEGRAM_BUSINESS', $1, 'x', now(), '')`, key)
	taken, err := postgres.NewInbound(a.db).Rating(a.rate).Process(a.t.Context(), 1, func(inbox.Event) postgres.Reading {
		return postgres.Reading{Change: inbox.Change{Message: &inbox.Written{
			Thread: from.ID, ExternalID: key, Direction: inbox.In, Person: from, Text: text, SentAt: at,
		}}}
	})
	require.NoError(a.t, err)
	require.Len(a.t, taken, 1)
}

// TestInbox answers a person who writes while the conversation is open: with a colleague who answers too, on a phone.
func TestInbox(t *testing.T) {
	t.Parallel()
	a, chromium := openApplication(t), openBrowser(t)
	const person, colleague = "kim@example.com", "noor@example.com"
	path, _, _ := a.furnished(person)
	a.colleague(path, colleague)
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET token_status = 'HEALTHY', name = 'acmestudio' WHERE workspace_id = $1`, path[len(path)-36:])
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/inbox")
	w.signIn(person, words)
	w.on("Inbox")
	w.inEveryLook("inbox-empty")

	// The list and the open conversation follow what arrives.
	tilda, now := inbox.Identity{ID: "7", Name: "Tilda Muster", Username: "tilda.muster"}, time.Now().UTC().Truncate(time.Second)
	a.hears("1", tilda, "Hello! We marry in May and would like a dinner set for twelve. Is the blue in the picture the real one?", now.Add(-20*time.Hour))
	w.shows(`#conversations a.unread`)
	for i, name := range []string{"Hotel Seeblick", "Café Ziegel", "\u202eEvil <b>Name</b>", strings.Repeat("Unbroken", 12)} {
		from := inbox.Identity{ID: "other " + name, Name: name}
		a.hears("other "+name, from, "We would need the first plates by 15 January. "+strings.Repeat("Wide", 40), now.Add(-time.Duration(30*(i+1))*time.Hour))
	}
	w.wait(`document.querySelectorAll('#conversations li').length === 5`)
	w.inEveryLook("inbox-list")
	w.click("#conversations a")
	w.shows("#reply")
	w.types("#text", "It is, straight")
	a.hears("2", tilda, "Could the twelve be in two glazes, six and six?", now.Add(-time.Minute))
	w.wait(`document.querySelectorAll('.msg.in').length === 2`)
	w.must(`document.querySelector('#text').value + '|' + document.activeElement.id`, "It is, straight|text")
	w.types("#text", " from the kiln.")
	w.inEveryLook("inbox-conversation")
	tablet := desk()
	tablet.width = 768
	w.appears(tablet)
	w.looked("inbox-tablet")
	w.appears(w.look)

	// A colleague sees who answers, answers first, and leaves a note.
	one := eval[string](w, `location.href`)
	other := openTab(t, chromium.profile(t), phone())
	other.open(one)
	other.signIn(colleague, words)
	other.shows("#reply")
	other.wait(`document.querySelector('#banner')?.innerText.includes('is answering now')`)
	other.inEveryLook("inbox-claimed")
	other.types("#text", "Nine weeks is tight with the hotel order. Say ten.")
	other.click(`#reply [formaction$="/note"]`)
	other.shows(".msg.note")
	w.shows(".msg.note")
	other.types("#text", "They can: six cobalt, six ash looks best side by side.")
	other.click("[data-send]")
	other.shows(".msg.out")
	other.inEveryLook("inbox-answered")
	other.requireQuiet()

	w.shows(".msg.out")
	w.must(`document.querySelector('#text').focus() === undefined`, true)
	w.run(chromedp.KeyEvent("\r", chromedp.KeyModifiers(2))) // Ctrl
	w.shows(".answered")
	w.must(`document.querySelector('.answered').innerText.includes('six cobalt')`, true)
	w.must(`document.querySelector('#text').value`, "It is, straight from the kiln.")
	w.inEveryLook("inbox-answered-since")
	w.expect("409", "409")
	w.click("[data-send]")
	w.wait(`document.querySelectorAll('.msg.out').length === 2`)
	require.Equal(t, []string{"2"}, postgrestest.Column(t, a.dsn, `SELECT count(*)::text FROM message WHERE direction = 'OUT'`))
	postgrestest.Exec(t, a.dsn, `UPDATE message SET state = 'FAILED', failure_message = 'The person has blocked the account' WHERE text LIKE 'They can%'`)
	postgrestest.Exec(t, a.dsn, `UPDATE conversation SET changed_at = now()`)
	w.wait(`document.querySelector('.msg.bad')?.innerText.includes('blocked the account')`)
	w.inEveryLook("inbox-failed")
	decides(w, path)
	keysOfInbox(w, path)

	// The time to answer ends while the form is open.
	postgrestest.Exec(t, a.dsn, `UPDATE conversation SET last_in_at = now() - interval '24 hours', changed_at = now()`)
	w.wait(`document.querySelector('[data-send]')?.disabled`)
	w.inEveryLook("inbox-over")
	a.hears("3", tilda, "Hello?", time.Now().UTC())
	w.wait(`document.querySelector('#talk').innerText.includes('Hello?') && !document.querySelector('[data-send]').disabled`)
	w.requireQuiet()
}

// decides snoozes, opens, closes and reopens the open conversation, and assigns it.
func decides(w *tab, path string) {
	w.t.Helper()
	one := eval[string](w, `location.href`)
	confirmed := func(text string) {
		w.wait(`document.readyState === 'complete' && document.querySelector('.toasts')?.innerText.includes('` + text + `')`)
	}
	w.click(`.acts details:last-of-type summary`)
	w.inEveryLook("inbox-snooze")
	w.click(`[name=until][value=tomorrow]`)
	confirmed("Snoozed until")
	w.open(path + "/inbox?view=snoozed")
	w.shows("#conversations a")
	w.inEveryLook("inbox-snoozed")
	w.open(one)
	w.click(`.acts details:last-of-type summary`)
	w.click(`.acts .menu [name=to][value=OPEN]`)
	confirmed("Reopened.")
	w.click(`[data-close]`)
	confirmed("Closed.")
	w.open(one)
	w.click(`.acts [name=to][value=OPEN]`)
	confirmed("Reopened.")
	w.click(`.acts details:first-of-type summary`)
	w.click(`.acts [name=member]`)
	confirmed("Assigned.")
	w.must(`document.querySelector('.acts summary').innerText.includes('Yours')`, true)
}

// keysOfInbox goes through the conversations with the keyboard alone.
func keysOfInbox(w *tab, path string) {
	w.t.Helper()
	press := func(key string) {
		w.t.Helper()
		ctx, cancel := context.WithTimeout(w.Context, timeout)
		defer cancel()
		require.NoError(w.t, chromedp.Do(ctx, chromedp.KeyEvent(key)))
	}
	here := func(n string) string {
		return `document.readyState === 'complete' && document.querySelector('#conversations li:nth-child(` + n + `) a[aria-current]') !== null`
	}
	w.open(path + "/inbox")
	w.shows("#conversations a")
	press("j")
	w.must(`document.activeElement === document.querySelector('#conversations a')`, true)
	press("\r")
	w.wait(here("1"))
	press("j")
	w.wait(here("2"))
	press("k")
	w.wait(here("1"))
	press("r")
	w.must(`document.activeElement.id`, "text")
}
