package browser_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestClientLinks shares two posts with a client, who comments on one and approves the other on a phone, until the link is
// revoked.
func TestClientLinks(t *testing.T) {
	t.Parallel()
	a, chromium := openApplication(t), openBrowser(t)
	const person, phrase = "agency@example.com", "a phrase for the client"
	path, _, _ := a.furnished(person)
	created := a.threads(path, "Cobalt bowls", "Kiln diary")
	postgrestest.Exec(t, a.dsn, `UPDATE post SET status = 'PENDING_APPROVAL', approval_status = 'PENDING' WHERE workspace_id = $1`, path[len(path)-36:])
	postgrestest.Exec(t, a.dsn, `UPDATE workspace SET color = '#0b7a75' WHERE id = $1`, path[len(path)-36:])
	status := func(i int) string {
		return postgrestest.Column(t, a.dsn, `SELECT status FROM post WHERE id = $1`, created[i].ID.String())[0]
	}
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/client-links")
	w.signIn(person, words)
	w.on("Client links")
	w.inEveryLook("client-links-empty")
	w.open(path + "/posts?status=pending_approval")
	w.on("Posts")
	w.wait(`document.readyState === 'complete'`)
	w.click("[data-all]")
	w.click(`#selected [value="share"]`)
	w.on("Share with a client")
	w.inEveryLook("client-links-new")
	w.types("#name", "Acme GmbH")
	w.types("#password", phrase)
	w.click("main form .primary")
	w.shows(".secret code")
	w.inEveryLook("client-links-created")
	link := eval[string](w, `document.querySelector('.secret code').innerText`)

	guest := openTab(t, chromium.profile(t), phone())
	guest.open(link)
	guest.on("Acme GmbH")
	guest.inEveryLook("review-locked")
	guest.types("#password", phrase)
	guest.types("#guest", "Ada")
	guest.click("main form .primary")
	guest.shows("article")
	guest.must(`document.scripts.length`, 0)
	guest.inEveryLook("review")
	first, second := "#post-"+created[0].ID.String(), "#post-"+created[1].ID.String()
	guest.types(first+" textarea", "Please a larger picture.")
	guest.click(first + ` [value="comment"]`)
	guest.shows(first + " .talk")
	guest.must(`document.querySelector('`+first+` .talk').innerText.includes('Please a larger picture.')`, true)
	guest.click(second + ` [value="approve"]`)
	guest.shows(second + " .notice")
	guest.inEveryLook("review-decided")
	guest.requireQuiet()
	require.Equal(t, []string{"PENDING_APPROVAL", "SCHEDULED"}, []string{status(0), status(1)})

	w.open(path + "/approvals?post=" + created[0].ID.String())
	w.on("Approvals")
	w.must(`document.querySelector('.talkline').innerText.includes('Ada (guest)')`, true)
	w.must(`document.querySelector('.talkline').innerText.includes('Please a larger picture.')`, true)
	w.open(path + "/posts/" + created[1].ID.String())
	w.must(`document.querySelector('.log').innerText.includes('Approved by Ada (guest)')`, true)
	w.open(path + "/client-links")
	w.on("Client links")
	w.click(".confirm summary")
	w.click(".confirm button")
	w.wait(`document.querySelector('.toasts')?.innerText.includes('Link revoked.')`)
	w.looked("client-links-revoked")
	w.requireQuiet()

	guest.open(link)
	guest.on("This link was revoked")
	guest.inEveryLook("review-revoked")
	guest.must(`document.body.innerText.includes('Cobalt')`, false)
	guest.expect("410", "410")
}
