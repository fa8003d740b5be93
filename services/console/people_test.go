package main

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	addresses "fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// visited opens a path within a workspace.
func (br *browser) visited(t *testing.T, path string) page {
	t.Helper()
	got := br.get(t, path)
	require.Equal(t, http.StatusOK, got.status, got.body)
	return got
}

var linkPattern = regexp.MustCompile(`/invitations/svc_inv_[0-9A-Za-z]+`)

// invites creates an invitation through the page and returns the path of its link.
func (br *browser) invites(t *testing.T, base, email string, role member.Role) string {
	t.Helper()
	link := linkPattern.FindString(br.invitesByMail(t, base, email, role).body)
	require.NotEmpty(t, link)
	return link
}

// invitesByMail creates an invitation through the page.
func (br *browser) invitesByMail(t *testing.T, base, email string, role member.Role) page {
	t.Helper()
	br.visited(t, base+"/settings/members")
	got := br.post(t, base+"/settings/invitations", url.Values{"email": {email}, "role": {string(role)}})
	require.Equal(t, http.StatusCreated, got.status, got.body)
	return got
}

// TestLostRoleEndsInvitationsAndKeys takes roles away from people who made invitations and keys with them.
func TestLostRoleEndsInvitationsAndKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.member(t, b.db, "Roles")
	base := "/w/" + w.ID.String()
	owner := b.browser(t)
	owner.signIn(t)
	for name, c := range map[string]struct {
		is           member.Role
		after        string // empty: removed
		owners       bool   // an invitation to become an owner works
		admins, keys bool
	}{
		"removed owner":          {is: member.Owner},
		"owner is now an admin":  {is: member.Owner, after: "ADMIN", admins: true, keys: true},
		"admin is now an editor": {is: member.Admin, after: "EDITOR"},
		"disabled owner":         {is: member.Owner, after: "disabled", keys: true}, // a key belongs to the workspace
	} {
		person := b.membership(t, w, c.is)
		br := b.browser(t)
		br.signInAs(t, person.Email)
		links := map[string]string{}
		if c.is == member.Owner {
			links["owners"] = br.invites(t, base, "owner-"+person.ID.String()+"@example.com", member.Owner)
		}
		links["admins"] = br.invites(t, base, "admin-"+person.ID.String()+"@example.com", member.Admin)
		br.visited(t, base+"/developers/keys")
		got := br.post(t, base+"/developers/keys", url.Values{"name": {"of " + person.ID.String()}, "scope": {"posts:write"}, "expires": {"30 days"}})
		require.Equal(t, http.StatusCreated, got.status, got.body)
		owner.visited(t, base+"/settings/members")
		switch c.after {
		case "":
			got = owner.post(t, base+"/settings/members/"+person.ID.String()+"/remove", url.Values{})
		case "disabled":
			postgrestest.Exec(t, b.dsn, `UPDATE app_user SET disabled_at = now() WHERE id = $1`, person.ID.String())
		default:
			got = owner.post(t, base+"/settings/members/"+person.ID.String()+"/role", url.Values{"role": {c.after}})
		}
		if c.after != "disabled" {
			require.Equal(t, http.StatusSeeOther, got.status, name)
		}
		for kind, works := range map[string]bool{"owners": c.owners, "admins": c.admins} {
			if link, created := links[kind]; created {
				want := http.StatusGone
				if works {
					want = http.StatusOK
				}
				require.Equal(t, want, b.browser(t).get(t, link).status, "%s: %s", name, kind)
			}
		}
		usable := postgrestest.Column(t, b.dsn,
			`SELECT 1 FROM api_key WHERE created_by = $1 AND revoked_at IS NULL`, person.ID.String())
		require.Equal(t, c.keys, len(usable) == 1, name)
	}
}

func TestSetupCreatesFirstOwner(t *testing.T) {
	t.Parallel()
	b := setup(t)
	none, err := b.app.StartSetup(t.Context())
	require.NoError(t, err)
	require.Empty(t, none, "there are users")
	postgrestest.Exec(t, b.dsn, `DELETE FROM app_user`)
	old, err := b.app.StartSetup(t.Context())
	require.NoError(t, err)
	link, err := b.app.StartSetup(t.Context())
	require.NoError(t, err)
	for _, text := range postgrestest.Column(t, b.dsn, `SELECT s::text FROM setup_link s`) {
		require.NotContains(t, text, link)
	}
	first, second := b.browser(t), b.browser(t)
	require.Equal(t, http.StatusGone, first.get(t, "/setup/"+old).status, "a newer link replaces it")
	require.Equal(t, http.StatusGone, first.get(t, "/setup/svc_set_x").status)
	form := func() url.Values {
		return url.Values{
			"name": {"Ada"}, "email": {"ada@example.com"}, "password": {secret}, "workspace": {"Acme"}, "timezone": {"Europe/Oslo"},
		}
	}
	second.visited(t, "/setup/"+link)
	first.visited(t, "/setup/"+link)
	got := first.post(t, "/setup/"+link, url.Values{"email": {"ada"}, "password": {"short"}, "timezone": {"Local"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Equal(t, 5, strings.Count(got.body, `class="fault"`))
	require.Equal(t, http.StatusSeeOther, first.post(t, "/setup/"+link, form()).status)
	start := first.get(t, "/").header.Get("Location")
	require.Contains(t, first.visited(t, start+"/posts").body, "Acme")
	require.Contains(t, first.visited(t, start+"/settings/members").body, `<h2 id="invite">Invite</h2>`)
	require.Equal(t, http.StatusGone, second.post(t, "/setup/"+link, form()).status, "it works once")
	require.Len(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM app_user`), 1)
	require.Equal(t, []string{"OWNER"}, postgrestest.Column(t, b.dsn, `SELECT role FROM workspace_member`))
}

func TestSetupLinkExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	postgrestest.Exec(t, b.dsn, `DELETE FROM app_user`)
	link, err := b.app.StartSetup(t.Context())
	require.NoError(t, err)
	b.clock.Advance(24*time.Hour - time.Second)
	require.Equal(t, http.StatusOK, b.browser(t).get(t, "/setup/"+link).status)
	b.clock.Advance(time.Second)
	require.Equal(t, http.StatusGone, b.browser(t).get(t, "/setup/"+link).status)
}

func TestInvitations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	base := "/w/" + b.acme.ID.String()
	owner := b.browser(t)
	owner.signIn(t)
	link := owner.invites(t, base, "grace@example.com", member.Contributor)
	for _, row := range postgrestest.Column(t, b.dsn, `SELECT i::text FROM invitation i`) {
		require.NotContains(t, row, link[len("/invitations/"):])
	}
	guest := b.browser(t)
	require.Contains(t, guest.visited(t, link).body, "grace@example.com")
	got := guest.post(t, link, url.Values{"name": {""}, "password": {"short"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Equal(t, http.StatusSeeOther, guest.post(t, link, url.Values{
		"name": {"Grace"}, "password": {secret}, "email": {"evil@example.com"},
	}).status)
	require.Equal(t, http.StatusOK, guest.get(t, base+"/posts").status)
	require.Equal(t, []string{"CONTRIBUTOR grace@example.com", "OWNER ada@example.com"}, postgrestest.Column(t, b.dsn,
		`SELECT m.role || ' ' || u.email FROM workspace_member m JOIN app_user u ON u.id = m.user_id ORDER BY 1`))
	require.Equal(t, http.StatusForbidden, guest.get(t, base+"/developers/keys").status, "a contributor")
	require.Equal(t, http.StatusGone, b.browser(t).get(t, link).status, "it works once")

	// a user joins with the own address only
	b.furnish(t, "Other")
	other := b.browser(t)
	other.signIn(t)
	mallory := b.membership(t, b.member(t, b.db, "Mallory"), member.Viewer)
	link = owner.invites(t, base, string(mallory.Email), member.Viewer)
	require.Contains(t, other.visited(t, link).body, "You’re signed in as")
	require.Equal(t, http.StatusConflict, other.post(t, link+"/accept", url.Values{}).status)
	newcomer := b.browser(t)
	require.Contains(t, newcomer.visited(t, link).body, "Sign in to join")
	require.NotContains(t, newcomer.last.body, `name="password"`)
	newcomer.get(t, "/sign-in?next="+link)
	require.Equal(t, link, newcomer.post(t, "/sign-in", url.Values{
		"email": {string(mallory.Email)}, "password": {secret}, "next": {link},
	}).header.Get("Location"))
	newcomer.visited(t, link)
	require.Equal(t, http.StatusSeeOther, newcomer.post(t, link+"/accept", url.Values{}).status)
	require.Equal(t, http.StatusOK, newcomer.get(t, base+"/posts").status)
	require.Equal(t, http.StatusUnprocessableEntity, owner.post(t, base+"/settings/invitations", url.Values{
		"email": {string(mallory.Email)}, "role": {"VIEWER"},
	}).status, "a member already")
}

// TestInvitationsAreLimited checks that a workspace cannot send any number of mails, by inviting, revoking and
// inviting again.
func TestInvitationsAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	base := "/w/" + b.acme.ID.String()
	owner := b.browser(t)
	owner.signIn(t)
	owner.invites(t, base, "first@example.com", member.Viewer)
	postgrestest.Exec(t, b.dsn, `INSERT INTO invitation (id, workspace_id, email, role, hash, invited_by, created_at, expires_at, revoked_at)
		SELECT gen_random_uuid(), workspace_id, 'x' || n || '@example.com', role, sha256(n::text::bytea), invited_by, created_at,
			expires_at, created_at
		FROM invitation, generate_series(3, $1) n`, member.MaxInvitations)
	b.clock.Advance(member.InvitationWindow - time.Second)
	owner.signIn(t) // the session has ended
	owner.invites(t, base, "last@example.com", member.Viewer)
	form := url.Values{"email": {"more@example.com"}, "role": {string(member.Viewer)}}
	owner.visited(t, base+"/settings/members")
	got := owner.post(t, base+"/settings/invitations", form)
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "has sent 50 invitations within 24 hours")
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM invitation WHERE email = 'more@example.com'`))
	b.clock.Advance(2 * time.Second)
	owner.invites(t, base, "more@example.com", member.Viewer)
}

// TestSigningUpIsLimited checks that a network cannot make the application hash any number of passwords.
func TestSigningUpIsLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.browser(t)
	owner.signIn(t)
	link := owner.invites(t, "/w/"+b.acme.ID.String(), "grace@example.com", member.Viewer)
	b.stopsRecovery(t)
	for path, from := range map[string]string{link: "2001:db8:7::9", "/setup/svc_set_x": "2001:db8:9::9"} {
		guest := b.browser(t)
		statuses := map[int]int{}
		for range 13 {
			got := guest.post(t, path, url.Values{"name": {" "}, "password": {secret}}, "X-Forwarded-For", from)
			statuses[got.status]++
		}
		require.Equal(t, 3, statuses[http.StatusTooManyRequests], "%s %v", path, statuses)
		require.Equal(t, "60", guest.last.header.Get("Retry-After"))
	}
	guest := b.browser(t)
	guest.visited(t, link)
	got := guest.post(t, link, url.Values{"name": {"Grace"}, "password": {secret}}, "X-Forwarded-For", "2001:db8:8::9")
	require.Equal(t, http.StatusSeeOther, got.status, "other networks are not kept out: %s", got.body)
}

func TestInvitationsEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	base := "/w/" + b.acme.ID.String()
	owner := b.browser(t)
	owner.signIn(t)
	first := owner.invites(t, base, "grace@example.com", member.Editor)
	second := owner.invites(t, base, "GRACE@example.com", member.Viewer)
	require.Equal(t, http.StatusGone, b.browser(t).get(t, first).status, "a newer one replaces it")
	page := owner.visited(t, base+"/settings/members")
	revoke := regexp.MustCompile(`action="([^"]+/revoke)"`).FindAllStringSubmatch(page.body, -1)
	require.Len(t, revoke, 1)
	require.Equal(t, http.StatusSeeOther, owner.post(t, revoke[0][1], url.Values{}).status)
	require.Equal(t, http.StatusGone, b.browser(t).get(t, second).status)
	third := owner.invites(t, base, "grace@example.com", member.Viewer)
	b.clock.Advance(7 * 24 * time.Hour)
	require.Equal(t, http.StatusGone, b.browser(t).get(t, third).status)
}

// TestInvitationIsAcceptedOnce accepts one invitation in two windows at once.
func TestInvitationIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.browser(t)
	owner.signIn(t)
	link := owner.invites(t, "/w/"+b.acme.ID.String(), "grace@example.com", member.Editor)
	guests := []*browser{b.browser(t), b.browser(t)}
	for _, guest := range guests { // both see the form before one of them sends it
		guest.visited(t, link)
	}
	var wg sync.WaitGroup
	statuses := make([]int, len(guests))
	for i, guest := range guests {
		wg.Go(func() {
			statuses[i] = guest.post(t, link, url.Values{"name": {"Grace"}, "password": {secret}}).status
		})
	}
	wg.Wait()
	require.Contains(t, statuses, http.StatusSeeOther)
	require.NotEqual(t, statuses[0], statuses[1])
	require.Len(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM app_user WHERE email = 'grace@example.com'`), 1)
}

// TestOwners checks that only owners make and remove owners, and that one always remains.
func TestOwners(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.furnish(t, "Ours").workspace
	base := "/w/" + w.ID.String()
	admin := b.browser(t)
	admin.signInAs(t, b.membership(t, w, member.Admin).Email)
	viewer := b.membership(t, w, member.Viewer)
	owners := postgrestest.Column(t, b.dsn, `SELECT user_id::text FROM workspace_member WHERE role = 'OWNER' AND workspace_id = $1`, w.ID.String())
	require.Len(t, owners, 1)
	admin.visited(t, base+"/settings/members")
	require.NotContains(t, admin.last.body, `value="OWNER"`)
	role := func(br *browser, id, to string) int {
		t.Helper()
		br.visited(t, base+"/settings/members")
		return br.post(t, base+"/settings/members/"+id+"/role", url.Values{"role": {to}}).status
	}
	remove := func(br *browser, id string) int {
		t.Helper()
		br.visited(t, base+"/settings/members")
		return br.post(t, base+"/settings/members/"+id+"/remove", url.Values{}).status
	}
	require.Equal(t, http.StatusForbidden, role(admin, viewer.ID.String(), "OWNER"))
	require.Equal(t, http.StatusForbidden, role(admin, owners[0], "VIEWER"))
	require.Equal(t, http.StatusForbidden, remove(admin, owners[0]))
	require.Equal(t, http.StatusUnprocessableEntity, role(admin, viewer.ID.String(), "ROOT"))
	require.Equal(t, http.StatusNotFound, role(admin, ident.New[ident.User]().String(), "VIEWER"))
	require.Equal(t, http.StatusForbidden, admin.post(t, base+"/settings/invitations", url.Values{
		"email": {"x@example.com"}, "role": {"OWNER"},
	}).status)
	require.Equal(t, http.StatusSeeOther, role(admin, viewer.ID.String(), "EDITOR"))

	address := postgrestest.Column(t, b.dsn, `SELECT email FROM app_user WHERE id = $1`, owners[0])[0]
	owner := b.browser(t)
	owner.signInAs(t, addresses.Address(address))
	require.Equal(t, http.StatusConflict, role(owner, owners[0], "VIEWER"), "the last owner is not demoted")
	require.Equal(t, http.StatusConflict, remove(owner, owners[0]), "the last owner does not leave")
	require.Equal(t, http.StatusSeeOther, role(owner, viewer.ID.String(), "OWNER"))
	postgrestest.Exec(t, b.dsn, `UPDATE app_user SET disabled_at = now() WHERE id = $1`, viewer.ID.String())
	require.Equal(t, http.StatusConflict, remove(owner, owners[0]), "an owner who may not sign in does not count")
	postgrestest.Exec(t, b.dsn, `UPDATE app_user SET disabled_at = NULL WHERE id = $1`, viewer.ID.String())
	require.Equal(t, http.StatusSeeOther, remove(owner, owners[0]))
	require.Equal(t, http.StatusNotFound, owner.get(t, base+"/posts").status, "access ends at once")

	other := b.browser(t)
	other.signInAs(t, viewer.Email)
	rows, err := csv.NewReader(strings.NewReader(other.visited(t, base+"/settings/audit.csv").body)).ReadAll()
	require.NoError(t, err)
	var actions []string
	for _, row := range rows[1:] {
		actions = append(actions, row[2])
	}
	require.Equal(t, []string{"member.left", "member.role_changed", "member.role_changed"}, actions)
	require.Contains(t, rows[1][1], address)
	require.Equal(t, "EDITOR to OWNER", rows[2][4])
	require.Contains(t, other.visited(t, base+"/settings/audit").body, "Member left")
}

// TestTwoOwnersCannotLeaveAtOnce lets two owners leave at the same time.
func TestTwoOwnersCannotLeaveAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.member(t, b.db, "Two")
	base := "/w/" + w.ID.String()
	second := b.membership(t, w, member.Owner)
	one, two := b.browser(t), b.browser(t)
	one.signIn(t)
	two.signInAs(t, second.Email)
	var wg sync.WaitGroup
	for br, id := range map[*browser]string{one: b.person.ID.String(), two: second.ID.String()} {
		br.visited(t, base+"/settings/members")
		wg.Go(func() { br.post(t, base+"/settings/members/"+id+"/remove", url.Values{}) })
	}
	wg.Wait()
	require.Len(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM workspace_member WHERE workspace_id = $1`, w.ID.String()), 1)
}

func TestProfile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	profile := "/w/" + b.acme.ID.String() + "/settings/profile"
	here, there := b.browser(t), b.browser(t)
	here.signIn(t)
	there.signIn(t)
	here.visited(t, profile)
	require.Equal(t, http.StatusSeeOther, here.post(t, profile, url.Values{"name": {"Ada <i>King</i>"}}).status)
	require.Contains(t, here.visited(t, profile).body, "Ada &lt;i&gt;King&lt;/i&gt;")
	require.Equal(t, http.StatusUnprocessableEntity, here.post(t, profile, url.Values{"name": {" "}}).status)

	here.visited(t, profile)
	ends := regexp.MustCompile(`action="([^"]+/end)"`).FindAllStringSubmatch(here.last.body, -1)
	require.Len(t, ends, 1, "the present session has no button")
	mallory := b.browser(t)
	mallory.signInAs(t, b.membership(t, b.acme, member.Owner).Email)
	mallory.visited(t, profile)
	require.Equal(t, http.StatusNotFound, mallory.post(t, ends[0][1], url.Values{}).status, "sessions of others")
	here.visited(t, profile)
	require.Equal(t, http.StatusSeeOther, here.post(t, ends[0][1], url.Values{}).status)
	require.Equal(t, "/sign-in", strings.Split(there.get(t, profile).header.Get("Location"), "?")[0])

	there.signIn(t)
	const other = "a wholly different phrase"
	for want, form := range map[string]url.Values{
		"The password is incorrect":             {"current": {"wrong wrong wrong"}, "password": {other}},
		"Use 12 characters or more, up to 200.": {"current": {secret}, "password": {"short"}},
	} {
		here.visited(t, profile)
		got := here.post(t, profile+"/password", form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		require.Contains(t, got.body, want)
	}
	here.visited(t, profile)
	before := here.cookie(t)
	require.Equal(t, http.StatusSeeOther, here.post(t, profile+"/password",
		url.Values{"current": {secret}, "password": {other}}).status)
	require.NotEqual(t, before, here.cookie(t))
	require.Contains(t, here.visited(t, profile).body, "signed out everywhere else")
	require.Equal(t, http.StatusSeeOther, there.get(t, profile).status)
	there.get(t, "/sign-in")
	require.Equal(t, http.StatusUnauthorized, there.post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}}).status)
}
