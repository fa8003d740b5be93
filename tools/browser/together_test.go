package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// approvesPosts takes a post through a workspace that requires approvals: changes are requested, the author changes it and
// asks again, the owner reads what changed, and approves.
func approvesPosts(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const owner, author = "approver@example.com", "author@example.com"
	path, _, _ := a.furnished(owner)
	a.colleague(path, author)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	postgrestest.Exec(t, a.dsn, `UPDATE channel SET is_connected = true, token_status = 'HEALTHY', is_queue_paused = false WHERE workspace_id = $1`, workspace)
	id := postgrestest.Column(t, a.dsn, `UPDATE post SET author_id = (SELECT id FROM app_user WHERE email = $2) WHERE workspace_id = $1
		AND status = 'PENDING_APPROVAL' RETURNING id::text`, workspace, author)[0]
	status := func(want string) {
		t.Helper()
		require.Equal(t, []string{want}, postgrestest.Column(t, a.dsn, `SELECT status FROM post WHERE id = $1`, id))
	}
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/settings/approvals")
	w.signIn(owner, words)
	w.on("Approvals")
	w.inEveryLook("approval-rule")
	w.click(`[name=policy][value=REQUIRED] ~ span`)
	w.click(`[aria-labelledby=rule] button.primary`)
	w.wait(`document.querySelector('.notice')?.innerText.includes('Saved')`)

	w.open(path + "/approvals")
	w.on("Approvals")
	w.inEveryLook("approvals")
	w.click(`.decidebar [value=changes]`)
	w.wait(`document.querySelector('#decide-fault')?.innerText === 'Say what should change.'`)
	w.expect("409", "409")
	w.types("#comment", "Mention the price.")
	w.click(`.decidebar [value=changes]`)
	w.wait(`document.querySelector('.notice') !== null`)
	status("DRAFT")

	other := openTab(t, chromium.profile(t), phone())
	other.open(path + "/posts")
	other.signIn(author, words)
	other.on("Posts")
	asks := func(text string) {
		other.open(path + "/posts/" + id)
		other.wait(`document.readyState === 'complete' && document.querySelector('#post')?.innerText.includes('Mention the price.')`)
		other.open(path + "/posts/" + id + "?edit=1")
		other.types("#content", text)
		other.click("#edit .primary")
		other.wait(`document.querySelector('.toasts')?.innerText.includes('Saved')`)
		other.click(`form[action$="/request-approval"] button`)
		other.wait(`document.querySelector('form[action$="/request-approval"]') === null`)
	}
	asks(" 40 euro.")
	status("PENDING_APPROVAL")

	w.open(path + "/approvals")
	w.must(`document.querySelector('.detail').innerText.includes('40 euro.')`, true)
	w.click(`.decidebar [value=approve]`)
	w.wait(`document.querySelector('.notice') !== null`)
	status("SCHEDULED")

	// A change after the approval waits again, and shows both versions.
	other.open(path + "/posts/" + id + "?edit=1")
	other.types("#content", " 45 euro.")
	other.click("#edit .primary")
	other.wait(`document.querySelector('.toasts')?.innerText !== ''`)
	w.open(path + "/approvals")
	w.must(`[...document.querySelectorAll('.diffpair ins')].some(text => text.innerText.includes('45'))`, true)
	w.inEveryLook("approvals-changed")
	w.requireQuiet()
	other.requireQuiet()
}

// isNotified chooses how a person is notified of failures, and reads the list in the application.
func isNotified(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "notified@example.com"
	path, _, failed := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/settings/notifications")
	w.signIn(person, words)
	w.on("Settings")
	w.must(`(document.querySelector('#quietFrom').value = '22:00', document.querySelector('#quietUntil').value = '07:00', null)`, nil)
	w.click(`[aria-labelledby=mine] button.primary`)
	w.wait(`document.querySelector('.notice') !== null`)
	w.must(`document.querySelector('#quietFrom').value + document.querySelector('#quietUntil').value`, "22:0007:00")
	w.click(`[aria-labelledby=own] details.confirm summary`)
	w.types("#own-name", "#social")
	w.types("#own-address", "https://hooks.slack.com/services/T0/B0/secret")
	w.click(`[aria-labelledby=own] details.confirm button`)
	w.wait(`document.querySelector('[aria-labelledby=own] .list')?.innerText.includes('#social')`)
	w.must(`document.body.innerText.includes('B0/secret')`, false)
	w.inEveryLook("notifications")

	postgrestest.Exec(t, a.dsn, `INSERT INTO notice (id, user_id, workspace_id, kind, content, created_at)
		SELECT gen_random_uuid(), u.id, $2, 'POSTS_FAILED', jsonb_build_object('workspace', 'Northern Lights', 'causes', jsonb_build_array(jsonb_build_object(
			'channel', jsonb_build_object('name', 'Studio', 'network', 'X'), 'reason', 'The network is down.', 'posts', 40, 'postId', CAST($3 AS text)))), now()
		FROM app_user u WHERE u.email = $1`, person, workspace, failed)
	w.open(path + "/notifications")
	w.on("Notifications")
	w.must(`document.querySelector('main .list').innerText.includes('The network is down.')`, true)
	w.inEveryLook("notifications-list")
	w.click(`form[action$="/notifications/read"] button`)
	w.wait(`document.querySelector('main .list .badge') === null`)
	w.requireQuiet()
}

// limitsAndDeletes limits a member to one channel, asks to delete the workspace, and keeps it.
func limitsAndDeletes(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const owner, guest = "deletes@example.com", "limited@example.com"
	path, of, _ := a.furnished(owner)
	a.colleague(path, guest)
	w := openTab(t, chromium, desk())
	w.clearCookies()
	w.open(path + "/settings/members")
	w.signIn(owner, words)
	w.on("Settings")
	w.click(`main .list a[href$="/channels"]`)
	w.wait(`document.querySelector('[name=limit]') !== null`)
	w.click(`[name=limit][value=some] ~ span`)
	w.click(`[name=channel][value="` + of + `"] ~ span`)
	w.inEveryLook("member-channels")
	w.click(`[aria-labelledby=channels] button.primary`)
	w.wait(`document.querySelector('.notice')?.innerText === 'Channels saved.'`)

	other := openTab(t, chromium.profile(t), phone())
	other.open(path + "/channels")
	other.signIn(guest, words)
	other.on("Channels")
	other.must(`document.querySelectorAll('main a[href*="/channels/"]').length > 0 && [...document.querySelectorAll('main a[href*="/channels/"]')].every(link => link.href.includes('`+of+`'))`, true)
	other.requireQuiet()

	w.open(path + "/settings/delete")
	w.on("Delete workspace")
	w.inEveryLook("workspace-delete")
	w.types("#name", "Northern Lights")
	w.click(`main button.danger`)
	w.wait(`document.querySelector('#name-fault') !== null`)
	w.expect("422", "422")
	w.must(`(document.querySelector('#name').value = '', null)`, nil)
	w.types("#name", "Northern Lights Ceramics and Household Goods Wholesale")
	w.click(`main button.danger`)
	w.wait(`document.querySelector('.banner')?.innerText.includes('will be deleted on ')`)
	w.must(`document.querySelector('main').innerText.includes('`+time.Now().AddDate(0, 0, 14).UTC().Format("2006")+`')`, true)
	w.inEveryLook("workspace-leaving")
	w.click(`form[action$="/delete/keep"] button`)
	w.wait(`document.querySelector('.notice')?.innerText.startsWith('The workspace stays.')`)
	w.requireQuiet()
}
