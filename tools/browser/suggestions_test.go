package browser_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/lead/score"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestSuggestions decides about people whom the Sales Lead agent suggests as leads, in a conversation and in the list.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	a, chromium := openApplication(t), openBrowser(t)
	a.rate = score.Of
	const person = "decides@example.com"
	path, _, _ := a.furnished(person)
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET token_status = 'HEALTHY', name = 'acmestudio' WHERE workspace_id = $1`, path[len(path)-36:])
	now := time.Now().UTC().Truncate(time.Second)
	for i, text := range []string{
		"Hi! How much is the blue mug? I'd like to order two, write me at tilda@shop.example", "Combien coûte le bol ? Vous livrez en Belgique ?",
		"¿Precio? <b>Quiero</b> comprar tres", "Lovely pictures!",
	} {
		name := []string{"Tilda Muster", "Café Ziegel", "\u202eEvil <b>Name</b>", "A fan"}[i]
		a.hears(name, inbox.Identity{ID: name, Name: name}, text, now.Add(-time.Duration(i+1)*time.Minute))
	}
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/leads")
	w.signIn(person, words)
	w.on("Leads")
	w.must(`document.querySelector('#leadchips a[href$="/suggestions"] .num').innerText`, "3")
	w.click(`#leadchips a[href$="/suggestions"]`)
	w.on("Suggested leads")
	w.must(`[...document.querySelectorAll('.suggestion:first-of-type mark')].slice(0, 2).map(m => m.innerText).join('|')`, "How much|like to order")
	w.must(`document.querySelectorAll('.suggestion').length`, 3)
	w.inEveryLook("suggestions")

	// Rejected in the list; never again in the conversation, which shows the reasons too; accepted.
	w.click(`.suggestion[aria-label*="Ziegel"] form[action$="/reject"] button`)
	w.wait(`document.readyState === 'complete' && document.querySelectorAll('.suggestion').length === 2`)
	w.click(`.suggestion[aria-label*="Evil"] a`)
	w.shows("#banner .suggestion")
	w.must(`document.querySelector('#banner .why').innerText.includes('price or amount')`, true)
	w.inEveryLook("suggestion-conversation")
	w.click(`#banner form[action$="/never"] button`)
	w.wait(`document.readyState === 'complete' && document.querySelector('#talk') && !document.querySelector('.suggestion')`)
	w.open(path + "/leads/suggestions")
	w.click(`.suggestion form[action$="/accept"] button`)
	w.on("Tilda Muster")
	w.inEveryLook("suggestion-accepted")
	a.hears("again", inbox.Identity{ID: "\u202eEvil <b>Name</b>", Name: "Evil"}, "¿Precio? Quiero comprar tres", now)
	w.open(path + "/leads/suggestions")
	w.on("Suggested leads")
	w.must(`document.querySelectorAll('.suggestion').length`, 0)
	require.Equal(t, []string{"Tilda Muster SALES_LEAD_AGENT 75"}, postgrestest.Column(t, a.dsn,
		`SELECT name || ' ' || source || ' ' || score FROM lead WHERE workspace_id = $1`, path[len(path)-36:]))

	// The words of the workspace.
	w.open(path + "/leads/agent")
	w.on("Sales Lead agent")
	w.types("#words", "x\nraku*")
	w.click("form.agentform button.primary")
	w.shows("#words-fault")
	w.expect("422", "422")
	w.inEveryLook("agent")
	w.must(`document.querySelector('#words').value = 'raku*'`, "raku*")
	w.click("form.agentform button.primary")
	w.wait(`document.readyState === 'complete' && !document.querySelector('#words-fault')`)
	a.hears("words", inbox.Identity{ID: "5", Name: "Raku Fan"}, "Your rakubowls!", now)
	w.open(path + "/leads/suggestions")
	w.must(`document.querySelector('.suggestion mark').innerText`, "raku")
	w.requireQuiet()
}
