package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

const linkPassword = "a phrase for the client"

// shared is a workspace whose only post is shared by a link that an editor made.
type shared struct {
	*bundle
	tenant

	base, post string
	editor     *browser
}

// shares sends the post of a new workspace for approval.
func shares(t *testing.T) shared {
	t.Helper()
	b := setup(t)
	of := b.furnish(t, "Ours")
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'PENDING_APPROVAL', approval_status = 'PENDING', scheduled_at = now() + interval '1 day'`)
	return shared{b, of, filled("/w/{workspace}", of.wildcards), of.wildcards["post"], b.asMember(t, of, member.Editor)}
}

// link makes a link to posts, and returns the path of its page.
func (s shared) link(t *testing.T, change url.Values, posts ...string) string {
	t.Helper()
	form := url.Values{"name": {"Acme GmbH"}, "allows": {"decide"}, "expires": {"1 week"}, "post": append(posts, s.post)}
	for name, values := range change {
		form[name] = values
	}
	got := s.editor.post(t, s.base+"/client-links", form)
	require.Equal(t, http.StatusCreated, got.status, got.body)
	found := regexp.MustCompile(`<code>` + regexp.QuoteMeta(s.server.URL) + `(/review/svc_rev_\w+)</code>`).FindStringSubmatch(got.body)
	require.NotNil(t, found, got.body)
	return found[1]
}

// guest opens a link, and gives a name.
func (s shared) guest(t *testing.T, path, name string) *browser {
	t.Helper()
	br := s.browser(t)
	require.Equal(t, http.StatusOK, br.get(t, path).status)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/enter", url.Values{"guest": {name}}).status)
	return br
}

func (s shared) status(t *testing.T, want string) {
	t.Helper()
	require.Equal(t, []string{want}, s.column(t, `SELECT status FROM post WHERE id = $1`, s.post))
}

// seen returns the content that the form of a post on a page is about.
func seen(t *testing.T, body, post string) string {
	t.Helper()
	found := regexp.MustCompile(`/posts/` + post + `"[^>]*><input type="hidden" name="seen" value="([0-9a-f]{64})">`).FindStringSubmatch(body)
	require.NotNil(t, found, body)
	return found[1]
}

// words sends words about a post.
func (s shared) words(t *testing.T, br *browser, path, do, comment string) page {
	t.Helper()
	br.get(t, path)
	return br.post(t, path+"/posts/"+s.post, url.Values{"do": {do}, "comment": {comment}, "seen": {seen(t, br.last.body, s.post)}})
}

func TestClientsDecide(t *testing.T) {
	t.Parallel()
	s := shares(t)
	owner := s.asMember(t, s.tenant, member.Owner)
	paint := func(color string) int {
		return owner.post(t, s.base+"/settings", url.Values{"name": {"Ours"}, "timezone": {"Europe/Berlin"}, "hold": {"24"}, "color": {color}}).status
	}
	for _, wrong := range []string{"#ffee00", "red", "#12345g"} {
		require.Equal(t, http.StatusUnprocessableEntity, paint(wrong), wrong)
	}
	require.Equal(t, http.StatusSeeOther, paint(""))
	require.Equal(t, http.StatusSeeOther, paint("#0B7A75"))
	require.Contains(t, s.editor.get(t, s.base+"/client-links/new?post="+s.post).body, "Secret of Ours")
	require.Equal(t, s.base+"/client-links/new?post="+s.post,
		s.editor.post(t, s.base+"/client-links/select", url.Values{"post": {s.post + " abc", s.post}}).header.Get("Location"))
	for fault, change := range map[string]url.Values{
		"for whom the link is": {"name": {" "}}, "how long the link works": {"expires": {"x"}}, "at least 12 characters": {"password": {"short"}},
		"Choose 1 to 50 posts": {"post": nil},
	} {
		form := url.Values{"name": {"Acme"}, "allows": {"decide"}, "expires": {"1 week"}, "post": {s.post}}
		for name, values := range change {
			form[name] = values
		}
		got := s.editor.post(t, s.base+"/client-links", form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, fault)
		if fault[0] != 'C' { // without posts, the page has no form
			require.Contains(t, got.body, fault)
		}
	}
	path := s.link(t, nil)
	ada := s.browser(t)
	page := ada.get(t, path)
	require.Equal(t, http.StatusOK, page.status)
	require.Empty(t, page.header.Get("Set-Cookie"), "no session of the application")
	require.Contains(t, page.header.Get("X-Robots-Tag"), "noindex")
	for _, text := range []string{"Secret of Ours", "Shared by Grace Hopper", "Who are you?", "/look/0b7a75.css", "Waits for approval"} {
		require.Contains(t, page.body, text)
	}
	require.NotContains(t, page.body, "/w/", "no way into the application")
	require.NotContains(t, page.body, "<script")
	require.NotContains(t, page.body, "Approve<", "before a name")
	look := ada.get(t, "/look/0b7a75.css")
	require.Equal(t, "text/css; charset=utf-8", look.header.Get("Content-Type"))
	require.Contains(t, look.body, "light-dark(#0b7a75, ")
	require.Equal(t, http.StatusNotFound, ada.get(t, "/look/red.css").status)
	require.Equal(t, http.StatusUnprocessableEntity, ada.post(t, path+"/enter", url.Values{"guest": {" "}}).status)
	require.Equal(t, http.StatusSeeOther, ada.post(t, path+"/enter", url.Values{"guest": {"Ada"}}).status)
	require.Regexp(t, `^guest=[^;]+; Path=`+path+`; Max-Age=\d+; HttpOnly; SameSite=Lax$`, ada.last.header.Get("Set-Cookie"))

	require.Equal(t, http.StatusUnprocessableEntity, s.words(t, ada, path, "changes", " ").status)
	require.Contains(t, ada.last.body, "Say what should change.")
	require.Equal(t, http.StatusUnprocessableEntity, s.words(t, ada, path, "x", "").status)
	require.Equal(t, http.StatusSeeOther, s.words(t, ada, path, "comment", "Nice <i>bowl</i>").status)
	require.Contains(t, ada.get(t, path+"?done=comment&post="+s.post).body, "Your comment was sent.")
	require.Contains(t, s.editor.get(t, s.base+"/notifications").body, "Ada (guest) wrote to you", "the person who made the link")
	require.Contains(t, ada.last.body, "Nice &lt;i&gt;bowl&lt;/i&gt;")
	require.Equal(t, http.StatusSeeOther, s.words(t, ada, path, "changes", "Bluer").status)
	s.status(t, "DRAFT")
	require.Contains(t, ada.get(t, path).body, "Changes requested")
	require.Equal(t, http.StatusConflict, ada.post(t, path+"/posts/"+s.post, url.Values{"do": {"approve"}, "seen": {strings.Repeat("0", 64)}}).status)
	require.Contains(t, s.editor.visited(t, s.base+"/posts/"+s.post).body, "Ada (guest)")
	require.Contains(t, s.editor.last.body, "Bluer")

	postgrestest.Exec(t, s.dsn, `UPDATE post SET status = 'PENDING_APPROVAL', approval_status = 'PENDING', scheduled_at = now() + interval '2 days'`)
	require.Contains(t, ada.get(t, path).body, "moved, it was planned for")
	require.Equal(t, http.StatusSeeOther, s.words(t, ada, path, "approve", "").status)
	s.status(t, "SCHEDULED")
	require.Contains(t, s.editor.visited(t, s.base+"/approvals?tab=decided&post="+s.post).body, "Ada (guest)")
	require.Equal(t, []string{
		"Ada (guest of Acme GmbH) approval.approved", "Ada (guest of Acme GmbH) approval.rejected", "Ada (guest of Acme GmbH) client_link.commented",
	}, s.column(t, `SELECT actor || ' ' || action FROM audit_entry WHERE user_id IS NULL ORDER BY action`))
	require.Contains(t, owner.visited(t, s.base+"/settings/audit").body, "Client link created")

	postgrestest.Exec(t, s.dsn, `UPDATE post SET status = 'PUBLISHED', published_at = now(), post_url = 'https://x.com/1'`)
	require.Contains(t, ada.get(t, path).body, "Published")
	require.NotContains(t, ada.last.body, ">Approve<")
	postgrestest.Exec(t, s.dsn, `DELETE FROM post WHERE id = $1`, s.post)
	require.Contains(t, ada.get(t, path).body, "This post was deleted.")
	require.Contains(t, s.editor.visited(t, s.base+"/client-links").body, "A deleted post")
}

// TestClientLinksAreSeparate checks that a link opens its own posts, and that its guests read only what they wrote.
func TestClientLinksAreSeparate(t *testing.T) {
	t.Parallel()
	s := shares(t)
	other := s.bundle.post(t, s.tenant)
	theirs := s.furnish(t, "Theirs")
	first := s.link(t, nil)
	again := s.editor.post(t, s.base+"/client-links", url.Values{"name": {"Acme GmbH"}, "allows": {"read"}, "expires": {"1 week"}, "post": {s.post}})
	require.Equal(t, http.StatusUnprocessableEntity, again.status)
	require.Contains(t, again.body, "Another link has this name.")
	second := s.link(t, url.Values{"name": {"Beta"}, "allows": {"comment"}}, other)
	ada, bob := s.guest(t, first, "Ada"), s.guest(t, second, "Bob")
	require.Equal(t, http.StatusSeeOther, s.words(t, ada, first, "comment", "For Acme only").status)
	require.NotContains(t, bob.get(t, second).body, "For Acme only")
	require.Contains(t, bob.last.body, "Another")
	require.NotContains(t, ada.get(t, first).body, "Another", "a post of another link")
	own := seen(t, ada.last.body, s.post)
	for _, foreign := range []string{other, theirs.wildcards["post"], "x"} {
		got := ada.post(t, first+"/posts/"+foreign, url.Values{"do": {"approve"}, "seen": {own}, "comment": {"x"}})
		require.Equal(t, http.StatusNotFound, got.status, foreign)
		require.NotContains(t, got.body, "Secret of Theirs")
	}
	got := bob.post(t, second+"/posts/"+s.post, url.Values{"do": {"approve"}, "seen": {own}})
	require.Equal(t, http.StatusForbidden, got.status, "this link takes no decisions")
	s.status(t, "PENDING_APPROVAL")
	reading := s.link(t, url.Values{"name": {"Readers"}, "allows": {"read"}})
	reader := s.browser(t)
	require.NotContains(t, reader.get(t, reading).body, "<form")
	require.Equal(t, http.StatusSeeOther, reader.post(t, reading+"/enter", url.Values{}).status)
	require.Equal(t, http.StatusUnprocessableEntity, reader.post(t, reading+"/posts/"+s.post, url.Values{"do": {"comment"}, "comment": {"x"}}).status)
	require.Equal(t, http.StatusNotFound, s.editor.post(t, s.base+"/client-links",
		url.Values{"name": {"x"}, "expires": {"1 week"}, "post": {theirs.wildcards["post"]}}).status)
	require.Empty(t, s.column(t, `SELECT 1 FROM client_link WHERE encode(hash, 'escape') LIKE '%svc_rev%'`))
}

func TestClientLinksEnd(t *testing.T) {
	t.Parallel()
	s := shares(t)
	other := s.bundle.post(t, s.tenant)
	path := s.link(t, nil, other)
	id := s.column(t, `SELECT id::text FROM client_link ORDER BY id DESC LIMIT 1`)[0]
	ada := s.guest(t, path, "Ada")
	ada.get(t, path)
	own := seen(t, ada.last.body, s.post)
	act := func() int {
		return ada.post(t, path+"/posts/"+s.post, url.Values{"do": {"approve"}, "seen": {own}}).status
	}
	require.Equal(t, http.StatusSeeOther, s.editor.post(t, s.base+"/client-links/"+id+"/posts/"+s.post+"/remove", url.Values{}).status)
	require.Equal(t, http.StatusNotFound, act(), "removed from the link")
	require.NotContains(t, ada.get(t, path).body, "Secret of Ours")
	require.Equal(t, http.StatusNotFound, s.editor.post(t, s.base+"/client-links/"+id+"/posts/"+s.post+"/remove", url.Values{}).status)
	postgrestest.Exec(t, s.dsn, `INSERT INTO client_link_post (link_id, n, post_id) VALUES ($1, 9, $2)`, id, s.post)

	closed := func(status int, says string) {
		t.Helper()
		require.Equal(t, status, ada.get(t, path).status)
		require.Contains(t, ada.last.body, says)
		require.NotContains(t, ada.last.body, "Secret of Ours")
		require.Equal(t, status, act())
		require.Equal(t, status, ada.post(t, path+"/enter", url.Values{"guest": {"Ada"}}).status)
		s.status(t, "PENDING_APPROVAL")
	}
	for _, unknown := range []string{"/review/x", path[:len(path)-1], path + "0", "/review/svc_rev_" + strings.Repeat("A", 49)} {
		require.Equal(t, http.StatusNotFound, ada.get(t, unknown).status, unknown)
		require.Contains(t, ada.last.body, "There is no such link")
	}
	postgrestest.Exec(t, s.dsn, `UPDATE app_user SET disabled_at = now() WHERE id = (SELECT created_by FROM client_link WHERE id = $1)`, id)
	closed(http.StatusGone, "This link was revoked")
	postgrestest.Exec(t, s.dsn, `UPDATE app_user SET disabled_at = NULL`)
	require.Equal(t, http.StatusSeeOther, s.editor.post(t, s.base+"/client-links/"+id+"/revoke", url.Values{}).status)
	closed(http.StatusGone, "This link was revoked")
	require.Contains(t, s.editor.visited(t, s.base+"/client-links").body, "Revoked")
	postgrestest.Exec(t, s.dsn, `UPDATE client_link SET revoked_at = NULL`)
	require.Equal(t, http.StatusOK, ada.get(t, path).status)
	s.clock.Advance(7 * 24 * time.Hour)
	closed(http.StatusGone, "This link has expired")
}

// TestClientLinkEndsWithRole checks that a link ends when the person who made it could not make it any more.
func TestClientLinkEndsWithRole(t *testing.T) {
	t.Parallel()
	s := shares(t)
	path := s.link(t, nil)
	ada := s.guest(t, path, "Ada")
	person := s.column(t, `SELECT created_by::text FROM client_link ORDER BY id DESC LIMIT 1`)[0]
	owner := s.asMember(t, s.tenant, member.Owner)
	require.Equal(t, http.StatusSeeOther, owner.post(t, s.base+"/settings/members/"+person+"/role", url.Values{"role": {"CONTRIBUTOR"}}).status)
	require.Equal(t, http.StatusGone, ada.get(t, path).status)
	require.Contains(t, ada.last.body, "This link was revoked")
}

func TestClientPasswordGuessesAreLimited(t *testing.T) {
	t.Parallel()
	s := shares(t)
	path := s.link(t, url.Values{"password": {linkPassword}})
	other := s.link(t, url.Values{"name": {"Beta"}, "password": {linkPassword}})
	ada := s.browser(t)
	page := ada.get(t, path)
	require.NotContains(t, page.body, "Secret of Ours")
	require.Contains(t, page.body, "behind a password")
	require.Equal(t, http.StatusUnauthorized, ada.post(t, path+"/posts/"+s.post, url.Values{"do": {"approve"}}).status)
	require.Equal(t, http.StatusSeeOther, ada.post(t, path+"/enter", url.Values{"guest": {"Ada"}, "password": {linkPassword}}).status)
	require.Contains(t, ada.get(t, path).body, "Secret of Ours")
	require.NotContains(t, ada.get(t, other).body, "Secret of Ours", "the cookie is of one link")
	pass := ada.cookies(t, path)["guest"]
	require.NotEmpty(t, pass)
	forged := s.browser(t)
	for _, value := range []string{pass, "x." + strings.SplitN(pass, ".", 2)[1]} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, forged.base+other, http.NoBody)
		require.NoError(t, err)
		r.Header.Set("Cookie", "guest="+value)
		require.NotContains(t, forged.send(t, r).body, "Secret of Ours", "the proof of another link")
	}
	from := []string{"X-Forwarded-For", "192.0.2.7"}
	// A slow machine gets tries back meanwhile.
	tries, status := 0, http.StatusUnauthorized
	for ; status == http.StatusUnauthorized && tries < 10*guesses; tries++ {
		status = forged.post(t, path+"/enter", url.Values{"guest": {"x"}, "password": {"guess guess guess"}}, from...).status
	}
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Greater(t, tries, guesses)
	got := forged.post(t, path+"/enter", url.Values{"guest": {"x"}, "password": {linkPassword}}, from...)
	require.Equal(t, http.StatusTooManyRequests, got.status)
	require.Equal(t, "60", got.header.Get("Retry-After"))
	require.NotContains(t, got.body, "Secret of Ours")
	require.Contains(t, ada.get(t, path).body, "Secret of Ours", "others are not kept out")
}

// guesses are those of one network within a minute.
const guesses = 10

// cookies returns the cookies that the browser sends to a path.
func (br *browser) cookies(t *testing.T, path string) map[string]string {
	t.Helper()
	u, err := url.Parse(br.base + path)
	require.NoError(t, err)
	found := map[string]string{}
	for _, c := range br.Jar.Cookies(u) {
		found[c.Name] = c.Value
	}
	return found
}

// TestGuestsOpenNoOtherPage takes the cookie of a link to every page of the workspace.
func TestGuestsOpenNoOtherPage(t *testing.T) {
	t.Parallel()
	s := shares(t)
	path := s.link(t, url.Values{"password": {linkPassword}})
	ada := s.browser(t)
	require.Equal(t, http.StatusSeeOther, ada.post(t, path+"/enter", url.Values{"guest": {"Ada"}, "password": {linkPassword}}).status)
	pass := ada.cookies(t, path)["guest"]
	require.Empty(t, ada.cookies(t, s.base), "the cookie stays at the link")
	for _, route := range s.routes(t) {
		if !strings.HasPrefix(route.Path(), "/w/") || route.Method() != http.MethodGet {
			continue
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, ada.base+filled(route.Path(), s.wildcards), http.NoBody)
		require.NoError(t, err)
		r.Header.Set("Cookie", "guest="+pass+"; session="+pass)
		got := ada.send(t, r)
		require.Equal(t, http.StatusSeeOther, got.status, route.Pattern)
		require.True(t, strings.HasPrefix(got.header.Get("Location"), "/sign-in"), route.Pattern)
	}
	signed := s.editor.get(t, path)
	require.Contains(t, signed.body, "behind a password", "a session opens no link either")
}

func TestGuestTextsAreEscaped(t *testing.T) {
	t.Parallel()
	s := shares(t)
	path := s.link(t, url.Values{"name": {hostile("link")}})
	ada := s.guest(t, path, hostile("guest"))
	require.Equal(t, http.StatusSeeOther, s.words(t, ada, path, "comment", hostile("comment")).status)
	for _, got := range []page{
		ada.get(t, path), s.editor.visited(t, s.base+"/posts/"+s.post), s.editor.visited(t, s.base+"/approvals?post="+s.post),
		s.asMember(t, s.tenant, member.Owner).visited(t, s.base+"/settings/audit"), s.editor.visited(t, s.base+"/client-links"),
	} {
		require.NotContains(t, got.body, "<x-evil")
		require.Contains(t, got.body, "&lt;x-evil")
	}
}

// TestStaleDecisionsOfGuests changes a post while a guest looks at it.
func TestStaleDecisionsOfGuests(t *testing.T) {
	t.Parallel()
	s := shares(t)
	path := s.link(t, nil)
	ada := s.guest(t, path, "Ada")
	ada.get(t, path)
	old := seen(t, ada.last.body, s.post)
	postgrestest.Exec(t, s.dsn, `UPDATE post SET content = 'New words'`)
	for _, do := range []string{"approve", "changes"} {
		got := ada.post(t, path+"/posts/"+s.post, url.Values{"do": {do}, "seen": {old}, "comment": {"Kept words"}})
		require.Equal(t, http.StatusConflict, got.status)
		require.Contains(t, got.body, "This post was changed since you opened it.")
		require.Contains(t, got.body, "New words")
		require.Contains(t, got.body, "Kept words")
		s.status(t, "PENDING_APPROVAL")
	}
	require.Equal(t, http.StatusConflict, ada.post(t, path+"/posts/"+s.post, url.Values{"do": {"approve"}}).status, "of no version")
	require.Equal(t, http.StatusSeeOther, s.words(t, ada, path, "approve", "").status)
	require.Equal(t, http.StatusConflict, ada.post(t, path+"/posts/"+s.post, url.Values{"do": {"approve"}, "seen": {old}}).status)
	s.status(t, "SCHEDULED")
}

// TestDecidingFromMail opens the link in the mail that asks for approval, as programs which examine mails do, and decides with it.
func TestDecidingFromMail(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	of := b.furnish(t, "Ours")
	s := shared{b, of, filled("/w/{workspace}", of.wildcards), of.wildcards["post"], b.asMember(t, of, member.Editor)}
	author := s.asMember(t, of, member.Contributor)
	postgrestest.Exec(t, s.dsn, `UPDATE post SET scheduled_at = now() + interval '1 day'`)
	postgrestest.Exec(t, s.dsn, `UPDATE app_user SET second_factor = true WHERE id = $1`, of.wildcards["user"])
	require.Equal(t, http.StatusSeeOther, author.post(t, s.base+"/posts/"+s.post+"/request-approval", url.Values{}).status)
	_, err := postgres.NewMails(s.db, s.box).MailPosts(t.Context(), s.clock.Now().Add(3*time.Minute))
	require.NoError(t, err)
	var paths []string
	for _, m := range s.mails(t) {
		require.Equal(t, mail.PostsToApprove, m.Kind)
		if m.Content.Secret == "" {
			require.Equal(t, []string{of.wildcards["user"]}, s.column(t, `SELECT id::text FROM app_user WHERE email = $1`, string(m.Content.To)))
			continue
		}
		paths = append(paths, "/review/"+m.Content.Secret)
	}
	require.Len(t, paths, 2, "the owner and the editor")
	for _, text := range s.column(t, `SELECT content::text FROM notice`) {
		require.NotContains(t, text, "svc_rev", "only the mail has the secret")
	}
	before := s.contents(t)
	scanner := s.browser(t)
	for range 3 {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			r, err := http.NewRequestWithContext(t.Context(), method, scanner.base+paths[0]+"?do=approve", http.NoBody)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, scanner.send(t, r).status)
		}
		require.NotEqual(t, http.StatusSeeOther, scanner.get(t, paths[0]+"/posts/"+s.post+"?do=approve").status)
	}
	require.Equal(t, before, s.contents(t))
	s.status(t, "PENDING_APPROVAL")

	person := s.browser(t)
	page := person.get(t, paths[0]).body
	require.Contains(t, page, "You decide as Grace Hopper")
	require.Empty(t, person.last.header.Get("Set-Cookie"))
	own := seen(t, page, s.post)
	got := person.post(t, paths[0]+"/posts/"+s.post, url.Values{"do": {"approve"}, "seen": {own}}, "Sec-Fetch-Site", "cross-site")
	require.Equal(t, http.StatusForbidden, got.status)
	s.status(t, "PENDING_APPROVAL")
	require.Equal(t, http.StatusSeeOther, s.words(t, person, paths[0], "approve", "").status)
	s.status(t, "SCHEDULED")
	require.Equal(t, []string{"user Grace Hopper"}, s.column(t, `SELECT actor FROM post_timeline WHERE kind = 'approved'`))
	for _, path := range paths { // the same link again, and that of the other person
		again := person.post(t, path+"/posts/"+s.post, url.Values{"do": {"changes"}, "comment": {"x"}, "seen": {own}})
		require.Equal(t, http.StatusConflict, again.status)
		require.Contains(t, again.body, "This post no longer waits for approval.")
	}
	s.status(t, "SCHEDULED")
	s.clock.Advance(73 * time.Hour)
	require.Equal(t, http.StatusGone, person.get(t, paths[0]).status)
}
