package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/snippet"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// talked is a workspace with a channel that has an inbox, and a conversation of it.
type talked struct {
	*bundle
	tenant

	list, open string // addresses
}

// talks returns a workspace whose conversation is one of a Telegram Business account.
func talks(t *testing.T) talked {
	t.Helper()
	b := setup(t)
	of := b.furnish(t, "Ours")
	postgrestest.Exec(t, b.dsn, `UPDATE channel SET type = 'TELEGRAM_BUSINESS' WHERE id = $1`, of.wildcards["channel"])
	list := filled("/w/{workspace}/inbox", of.wildcards)
	return talked{b, of, list, list + "/" + of.wildcards["conversation"]}
}

// as returns a browser in which a new member with a role is signed in.
func (b talked) as(t *testing.T, role member.Role) *browser {
	t.Helper()
	br := b.browser(t)
	br.signInAs(t, b.membership(t, b.workspace, role).Email)
	return br
}

// hears processes a message as a network reports it, of the person of the conversation or another one.
func (b talked) hears(t *testing.T, w inbox.Written) {
	t.Helper()
	w.Direction = inbox.In
	postgrestest.Exec(t, b.dsn, `INSERT INTO inbound_event (network, account, key, kind, occurred_at, body) VALUES ('telegram', 'Ours', $1, 'x', now(), '')`,
		w.ExternalID)
	taken, err := postgres.NewInbound(b.db).Process(t.Context(), 1, func(inbox.Event) postgres.Reading {
		return postgres.Reading{Change: inbox.Change{Message: &w}}
	})
	require.NoError(t, err)
	require.Len(t, taken, 1)
}

var hiddenField = regexp.MustCompile(`name="(message|seen)" value="([^"]*)"`)

// written returns the form of an answer on the last page, with a text.
func (br *browser) written(text string) url.Values {
	form := url.Values{"text": {text}}
	_, shown, _ := strings.Cut(br.last.body, `id="reply"`)
	for _, found := range hiddenField.FindAllStringSubmatch(shown, -1) {
		form.Set(found[1], found[2])
	}
	return form
}

// TestInboxIsForPeopleWhoMayRead also checks the texts of an empty inbox.
func TestInboxIsForPeopleWhoMayRead(t *testing.T) {
	t.Parallel()
	b := talks(t)
	viewer := b.as(t, member.Viewer)
	require.NotContains(t, viewer.visited(t, filled("/w/{workspace}/posts", b.wildcards)).body, b.list)
	require.Equal(t, http.StatusForbidden, viewer.get(t, b.list).status)

	br := b.as(t, member.Editor)
	posts := br.visited(t, filled("/w/{workspace}/posts", b.wildcards)).body
	require.Regexp(t, `(?s)href="`+b.list+`"[^>]*>.*?<span class="count person"><span class="unseen">, </span>1<span class="unseen"> unanswered</span>`, posts)
	require.Contains(t, br.visited(t, b.list).body, "Secret of Ours")
	require.Contains(t, br.last.body, `class="unread"`)
	for view, want := range map[string]string{
		"?view=mine": "Nothing is assigned to you", "?view=snoozed": "Nothing is snoozed", "?view=closed": "Nothing is closed",
		"?channel=x": "No such channel", "?q=%21": "The search must have a word with a letter or a digit.", "?q=nowhere": "No conversations found",
	} {
		require.Contains(t, br.visited(t, b.list+view).body, want)
	}
	for _, found := range []string{"?q=secret", "?view=unassigned", "?view=unknown", "?channel=" + b.wildcards["channel"]} {
		require.Contains(t, br.visited(t, b.list+found).body, b.open, found)
	}
	require.Contains(t, br.visited(t, b.open).body, "Reply as News")
	require.NotContains(t, br.visited(t, b.list).body, `class="unread"`, "it was opened")

	postgrestest.Exec(t, b.dsn, `DELETE FROM conversation`)
	require.Contains(t, br.visited(t, b.list).body, "Nothing waits")
	postgrestest.Exec(t, b.dsn, `UPDATE channel SET type = 'TWITTER'`)
	require.Contains(t, br.visited(t, b.list).body, "Ask an admin to connect a channel.")
	require.Contains(t, b.as(t, member.Admin).visited(t, b.list).body, "Go to channels")
}

// TestInboxPages lists more conversations than a page has, and a conversation with more messages.
func TestInboxPages(t *testing.T) {
	t.Parallel()
	b := talks(t)
	postgrestest.Exec(t, b.dsn, `INSERT INTO conversation (id, workspace_id, channel_id, kind, thread, person_id, state, last_at, last_in_at, preview)
		SELECT gen_random_uuid(), workspace_id, channel_id, kind, 'more ' || n, person_id, 'OPEN', last_at, last_at, 'Talk ' || lpad(n::text, 3, '0')
		FROM conversation, generate_series(1, 60) AS n`)
	postgrestest.Exec(t, b.dsn, `INSERT INTO message (id, conversation_id, workspace_id, channel_id, direction, external_id, text, sent_at)
		SELECT gen_random_uuid(), conversation_id, workspace_id, channel_id, 'IN', 'more ' || n, 'Line ' || lpad(n::text, 3, '0'), sent_at
		FROM message, generate_series(1, 120) AS n`) // at one time: networks report seconds
	br := b.as(t, member.Editor)
	count := func(page, pattern string, next *regexp.Regexp) map[string]int {
		found := make(map[string]int)
		for page != "" {
			body := br.visited(t, page).body
			for _, one := range regexp.MustCompile(pattern).FindAllString(body, -1) {
				found[one]++
			}
			page = ""
			if link := next.FindStringSubmatch(body); link != nil {
				page = strings.ReplaceAll(link[1], "&amp;", "&")
			}
		}
		return found
	}
	talks := count(b.list, `Talk \d{3}`, regexp.MustCompile(`href="([^"]+)">Older<svg`))
	require.Len(t, talks, 60)
	lines := count(b.open, `Line \d{3}`, regexp.MustCompile(`href="([^"]+)">Older messages`))
	require.Len(t, lines, 120)
	for line, n := range lines {
		require.Equal(t, 1, n, line)
	}
}

// TestDecidingOnConversations assigns, snoozes, closes and reopens a conversation, and marks it as spam.
func TestDecidingOnConversations(t *testing.T) {
	t.Parallel()
	b := talks(t)
	postgrestest.Exec(t, b.dsn, `UPDATE workspace SET timezone = 'Europe/Stockholm'`)
	br := b.as(t, member.Editor)
	viewer := b.membership(t, b.workspace, member.Viewer).ID.String()
	send := func(act string, form url.Values) int {
		t.Helper()
		br.visited(t, b.open)
		return br.post(t, b.open+act, form).status
	}
	is := func(column string) string { return b.column(t, `SELECT `+column+`::text FROM conversation`)[0] }
	require.Equal(t, http.StatusConflict, send("/assign", url.Values{"member": {viewer}}))
	require.Equal(t, http.StatusConflict, send("/assign", url.Values{"member": {"x"}}))
	require.Equal(t, http.StatusSeeOther, send("/assign", url.Values{"member": {b.wildcards["user"]}}))
	require.Equal(t, b.wildcards["user"], is("assignee_id"))
	require.Contains(t, br.visited(t, b.open).body, "Grace Hopper took the conversation", "the names are the same")
	require.Equal(t, http.StatusSeeOther, send("/assign", url.Values{}))

	for wrong, form := range map[string]url.Values{
		"no time": {"until": {"own"}}, "over": {"until": {"own"}, "day": {"2020-01-01"}, "clock": {"09:00"}},
	} {
		require.Equal(t, http.StatusUnprocessableEntity, send("/snooze", form), wrong)
		require.Contains(t, br.last.body, "Choose a time between now and a year from now.")
	}
	zone, err := time.LoadLocation("Europe/Stockholm")
	require.NoError(t, err)
	for choice, want := range map[string]func(time.Time) bool{
		"hours": func(at time.Time) bool { return at.Sub(b.clock.Now()).Round(time.Hour) == 3*time.Hour },
		"tomorrow": func(at time.Time) bool {
			return at.Hour() == 9 && at.Day() == b.clock.Now().In(zone).AddDate(0, 0, 1).Day()
		},
		"monday": func(at time.Time) bool {
			return at.Hour() == 9 && at.Weekday() == time.Monday && at.After(b.clock.Now())
		},
	} {
		require.Equal(t, http.StatusSeeOther, send("/snooze", url.Values{"until": {choice}}))
		at, err := time.Parse("2006-01-02 15:04:05Z07", is("snoozed_until"))
		require.NoError(t, err)
		require.True(t, want(at.In(zone)), "%s: %s", choice, at)
	}
	day := b.clock.Now().In(zone).AddDate(0, 0, 3)
	require.Equal(t, http.StatusSeeOther, send("/snooze", url.Values{"until": {"own"}, "day": {day.Format(time.DateOnly)}, "clock": {"10:30"}}))
	require.Contains(t, br.visited(t, b.list+"?view=snoozed").body, "10:30")
	require.Contains(t, br.visited(t, b.open).body, "snoozed it until "+day.Format("Mon 2 Jan")+", 10:30")

	require.Equal(t, http.StatusConflict, send("/state", url.Values{"to": {"SNOOZED"}}))
	for _, to := range []string{"CLOSED", "OPEN", "SPAM", "OPEN"} {
		require.Equal(t, http.StatusSeeOther, send("/state", url.Values{"to": {to}}))
		require.Equal(t, to, is("state"))
	}
	for _, want := range []string{"closed it", "reopened it", "marked it as spam", "removed the assignment"} {
		require.Contains(t, br.visited(t, b.open).body, want)
	}
}

// TestClaims shows a claim to others, until it ends.
func TestClaims(t *testing.T) {
	t.Parallel()
	b := talks(t)
	br, other := b.as(t, member.Editor), b.as(t, member.Editor)
	br.visited(t, b.open)
	require.Equal(t, http.StatusNoContent, br.post(t, b.open+"/claim", nil).status)
	require.NotContains(t, br.visited(t, b.open).body, "answering")
	require.Contains(t, other.visited(t, b.open).body, "<strong>Grace Hopper</strong> is answering now.")
	require.Contains(t, other.visited(t, b.list).body, "Grace Hopper is answering")
	b.clock.Advance(inbox.ClaimFor)
	require.NotContains(t, other.visited(t, b.open).body, "is answering")
}

// TestMessagesAreShownAsText receives hostile messages.
func TestMessagesAreShownAsText(t *testing.T) {
	t.Parallel()
	b := talks(t)
	long := strings.Repeat("Käse ", 13_000) // more than 64 KiB
	evil := "\u202e<script>alert(1)</script>\u2066"
	b.hears(t, inbox.Written{Thread: "2", ExternalID: "2", Person: inbox.Identity{ID: "2", Name: evil, Username: "a\"><b>"}, Text: evil + long, SentAt: b.clock.Now()})
	b.hears(t, inbox.Written{Thread: "2", ExternalID: "3", Person: inbox.Identity{ID: "2", Name: evil}, Unsupported: "a location <i>", SentAt: b.clock.Now()})
	postgrestest.Exec(t, b.dsn, `UPDATE message SET edited_at = sent_at WHERE external_id = '2'`)
	br := b.as(t, member.Editor)
	list := br.visited(t, b.list).body
	require.Contains(t, list, "\u202e&lt;script&gt;alert(1)&lt;/script&gt;\u2066</bdi>")
	id := b.column(t, `SELECT id::text FROM conversation WHERE thread = '2'`)[0]
	body := br.visited(t, b.list+"/"+id).body
	require.Contains(t, body, "&lt;script&gt;alert(1)&lt;/script&gt;\u2066"+long[:10_000])
	require.Contains(t, body, "A location &lt;i&gt;: look in Telegram")
	require.Contains(t, body, ", edited")
	for _, page := range []string{list, body} {
		require.NotContains(t, page, "<script>alert")
		require.NotContains(t, page, "<b>")
	}
	postgrestest.Exec(t, b.dsn, `UPDATE message SET text = '', deleted_at = now() WHERE external_id = '2'`)
	require.Contains(t, br.visited(t, b.list+"/"+id).body, "Deleted by the person")
}

// TestInboxOfSomeChannels limits a member to another channel.
func TestInboxOfSomeChannels(t *testing.T) {
	t.Parallel()
	b := talks(t)
	person := b.membership(t, b.workspace, member.Editor)
	other := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: b.workspace.ID, Name: "Other", Type: channel.WhatsAppBusiness, ExternalID: "other",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewChannels(b.db, b.box).Insert(t.Context(), other, channel.Credentials{AccessToken: "y"}))
	theirs, _ := b.conversation(t, other, "Other")
	require.NoError(t, b.users.Limit(t.Context(), person.ID, b.workspace.ID, []ident.Channel{other.ID}))
	br := b.browser(t)
	br.signInAs(t, person.Email)
	require.Contains(t, br.visited(t, b.list).body, theirs)
	require.NotContains(t, br.last.body, b.wildcards["conversation"])
	require.Equal(t, http.StatusNotFound, br.get(t, b.open).status)
	require.Equal(t, http.StatusOK, br.get(t, b.list+"/"+theirs).status)
}

// TestSavedTextsInInbox offers the texts of the workspace.
func TestSavedTextsInInbox(t *testing.T) {
	t.Parallel()
	b := talks(t)
	text := snippet.Snippet{
		ID: ident.New[ident.Snippet](), WorkspaceID: b.workspace.ID, Kind: snippet.Text, Name: "Times", Text: "We open at \"9\".",
		CreatedAt: b.clock.Now(), UpdatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewSnippets(b.db).Insert(t.Context(), text))
	require.Contains(t, b.as(t, member.Editor).visited(t, b.open).body, `data-insert="We open at &#34;9&#34;.">Times</button>`)
}

// TestConversationsArriveLive expects messages and claims in the stream, without their texts, and each once.
func TestConversationsArriveLive(t *testing.T) {
	t.Parallel()
	b := talks(t)
	br := b.as(t, member.Editor)
	s := br.watch(t, filled("/w/{workspace}/live", b.wildcards), "")
	require.Equal(t, "hello", s.next(t).kind)
	b.hears(t, inbox.Written{Thread: "Ours", ExternalID: "2", Person: inbox.Identity{ID: "Ours"}, Text: "Hello?", SentAt: b.clock.Now()})
	want := map[string]any{"conversations": []any{b.wildcards["conversation"]}}
	require.Equal(t, want, s.next(t).data)
	<-time.After(10 * b.config.LiveEvery)
	for len(s.messages) > 0 {
		require.Equal(t, "beat", (<-s.messages).kind, "once")
	}
	br.visited(t, b.open)
	require.Equal(t, http.StatusNoContent, br.post(t, b.open+"/claim", nil).status)
	require.Equal(t, want, s.next(t).data)
}
