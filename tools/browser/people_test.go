package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestPeople follows a member who shares the work on a conversation: assigned, noted with a mention, snoozed, returned, closed, and opened
// again by the customer; then merges and separates a person of several accounts.
func TestPeople(t *testing.T) {
	t.Parallel()
	a, chromium := openApplication(t), openBrowser(t)
	const person, colleague = "kim@example.com", "noor@example.com"
	path, _, _ := a.furnished(person)
	a.colleague(path, colleague)
	postgrestest.Exec(t, a.dsn, `UPDATE app_user SET name = 'Noor Muster' WHERE email = $1`, colleague)
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET token_status = 'HEALTHY', name = 'acmestudio' WHERE workspace_id = $1`, path[len(path)-36:])
	now := time.Now().UTC().Truncate(time.Second)
	tilda := inbox.Identity{ID: "7", Name: "Tilda Muster", Username: "tilda.muster"}
	a.hears("1", tilda, "Could the twelve be in two glazes?", now.Add(-time.Hour))
	a.hears("2", inbox.Identity{ID: "8", Name: "T. Muster"}, "It is me again, from my other phone.", now.Add(-2*time.Hour))
	a.hears("3", inbox.Identity{ID: "9", Name: "\u202eEvil <b>Name</b> " + strings.Repeat("Unbroken", 12)}, "Hello", now.Add(-3*time.Hour))

	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/inbox")
	w.signIn(person, words)
	w.on("Inbox")
	w.click("#conversations a")
	w.shows("#reply")
	w.types("#text", "Nine weeks is tight, @Noor")
	w.wait(`document.querySelector('#members:not([hidden]) [aria-selected=true]')?.textContent === 'Noor Muster'`)
	w.inEveryLook("people-mention")
	w.must(`document.querySelector('#text').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true}))`, false)
	w.must(`document.querySelector('#text').value`, "Nine weeks is tight, @Noor Muster ")
	w.click(`#reply [formaction$="/note"]`)
	w.shows(".msg.note .at")
	one := eval[string](w, `location.href`)

	other := openTab(t, chromium.profile(t), phone())
	other.open(path + "/notifications")
	other.signIn(colleague, words)
	other.wait(`document.querySelector('main')?.innerText.includes('wrote to you')`)
	other.open(one)
	other.shows(".msg.note .at")
	other.inEveryLook("people-noted")
	other.click(`[data-close]`)
	other.wait(`document.querySelector('.toasts')?.innerText.includes('Closed.')`)
	a.hears("4", tilda, "Or in one?", time.Now().UTC())
	other.open(path + "/inbox")
	other.wait(`document.querySelector('#conversations')?.innerText.includes('Or in one?')`)
	other.requireQuiet()

	// The person of the conversation, and the list of all.
	w.open(one)
	w.shows(".who2")
	w.click(".who2 h2 a")
	w.on("Tilda Muster")
	w.inEveryLook("person")
	w.types("#name", "Tilda of Muster & Co")
	w.types("#phone", "+49 171 2345678")
	w.click(`form[action*="/people/"] .primary`)
	w.on("Tilda of Muster & Co")
	w.types("main [name=q]", "T. Muster")
	w.click(`section .finder button`)
	w.shows(`[name=other]`)
	w.inEveryLook("person-others")
	w.click(`[name=other]`)
	w.wait(`document.querySelector('main')?.innerText.includes('from my other phone') && document.querySelector('[name=merge]') !== null`)
	w.inEveryLook("person-merged")
	w.click(`[name=merge]`)
	w.wait(`document.querySelector('.toasts')?.innerText.includes('Separated.') && !document.querySelector('main').innerText.includes('from my other phone')`)
	w.click(`[action$="/contact"] button`)
	w.wait(`document.querySelector('main').innerText.includes('Wants no messages')`)
	w.click(".confirm summary")
	w.inEveryLook("person-erase")
	w.open(path + "/people")
	w.on("Leads")
	w.inEveryLook("people")
	w.open(path + "/settings/inbox")
	w.inEveryLook("inbox-settings")
	w.open(one)
	w.wait(`document.querySelector('[data-send]')?.disabled`)
	w.inEveryLook("inbox-opted-out")
	w.requireQuiet()
	require.Equal(t, []string{"3"}, postgrestest.Column(t, a.dsn, `SELECT count(*)::text FROM person WHERE merged_into IS NULL`))
}
