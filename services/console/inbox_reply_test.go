package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestReplying sends an answer once, adds a note, and keeps the text of a form that was not accepted.
func TestReplying(t *testing.T) {
	t.Parallel()
	b := talks(t)
	br := b.as(t, member.Editor)
	sent := func() []string {
		return b.column(t, `SELECT direction || ' ' || text FROM message WHERE direction <> 'IN' ORDER BY sent_at, id`)
	}
	br.visited(t, b.open)
	got := br.post(t, b.open+"/reply", br.written("  "))
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "Write something first.")
	got = br.post(t, b.open+"/reply", br.written(strings.Repeat("é", 4097)))
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "1 more than possible")
	require.Contains(t, got.body, strings.Repeat("é", 4097), "the text is kept")

	form := br.written("In <b>May</b>.")
	for range 2 { // a double click
		got = br.post(t, b.open+"/reply?view=mine", form)
		require.Equal(t, http.StatusSeeOther, got.status, got.body)
		require.Equal(t, b.open+"?view=mine", got.header.Get("Location"))
	}
	require.Equal(t, []string{"OUT In <b>May</b>."}, sent())
	require.Contains(t, br.visited(t, b.open).body, "In &lt;b&gt;May&lt;/b&gt;.")
	require.Contains(t, br.last.body, `<span class="state">sending</span>`)
	require.Contains(t, br.visited(t, b.list).body, "You: In &lt;b&gt;May")

	// Another member answers from a page that was opened before.
	other := b.as(t, member.Editor)
	other.visited(t, b.open)
	early := other.written("They can.")
	b.clock.Advance(time.Second)
	br.visited(t, b.open)
	require.Equal(t, http.StatusSeeOther, br.post(t, b.open+"/reply", br.written("Ten weeks.")).status)
	got = other.post(t, b.open+"/reply", early)
	require.Equal(t, http.StatusConflict, got.status)
	for _, want := range []string{"Another answer was sent since.", "Ten weeks.</blockquote>", ">\nThey can.</textarea>", "Send anyway"} {
		require.Contains(t, got.body, want)
	}
	require.NotContains(t, got.body, "May&lt;/b&gt;.</blockquote>", "that one was shown")
	require.Len(t, sent(), 2)
	early.Set("anyway", "1")
	require.Equal(t, http.StatusSeeOther, other.post(t, b.open+"/reply", early).status)
	require.Len(t, sent(), 3)

	helper := b.as(t, member.Contributor)
	require.Contains(t, helper.visited(t, b.open).body, `for="text">Note for us<`)
	require.NotContains(t, helper.last.body, "data-send")
	require.Equal(t, http.StatusForbidden, helper.post(t, b.open+"/reply", helper.written("x")).status)
	helper.visited(t, b.open)
	require.Equal(t, http.StatusSeeOther, helper.post(t, b.open+"/note", helper.written("Tight with the hotel.")).status)
	require.Contains(t, br.visited(t, b.open).body, "only for us: </span>Tight with the hotel.")
}

// TestFailedReplies shows the states of answers, and sends again what may be sent again.
func TestFailedReplies(t *testing.T) {
	t.Parallel()
	b := talks(t)
	br := b.as(t, member.Editor)
	br.visited(t, b.open)
	form := br.written("Hello")
	require.Equal(t, http.StatusSeeOther, br.post(t, b.open+"/reply", form).status)
	again := func() int { return br.post(t, b.open+"/again", url.Values{"message": {form.Get("message")}}).status }
	for _, state := range []struct{ set, shown string }{
		{"state = 'SENT'", ">sent<"},
		{"state = 'DELIVERED'", ">delivered<"},
		{"state = 'READ'", ">read<"},
	} {
		postgrestest.Exec(t, b.dsn, `UPDATE message SET `+state.set+` WHERE direction = 'OUT'`)
		require.Contains(t, br.visited(t, b.open).body, state.shown)
		require.NotContains(t, br.last.body, "Send again")
		require.Equal(t, http.StatusConflict, again())
	}
	for set, shown := range map[string]string{
		"state = 'FAILED', failure_message = 'The <person> blocked you.'": "not sent: The &lt;person&gt; blocked you.",
		"state = 'UNKNOWN'": "may have arrived. Look in Telegram",
	} {
		postgrestest.Exec(t, b.dsn, `UPDATE message SET `+set+` WHERE direction = 'OUT'`)
		require.Contains(t, br.visited(t, b.open).body, shown)
		require.Contains(t, br.last.body, "Send again")
		require.Equal(t, http.StatusSeeOther, again())
		require.Contains(t, br.visited(t, b.open).body, ">sending<")
	}
	require.Equal(t, http.StatusConflict, br.post(t, b.open+"/again", url.Values{}).status)
	require.Equal(t, http.StatusNotFound, br.post(t, b.open+"/again", url.Values{"message": {ident.New[ident.Message]().String()}}).status)
}

// TestReplyWindowEnds has a form that was opened in time, and is sent too late.
func TestReplyWindowEnds(t *testing.T) {
	t.Parallel()
	b := talks(t)
	br := b.as(t, member.Editor)
	require.Contains(t, br.visited(t, b.open).body, "<p>Reply until ")
	form := br.written("Late")
	postgrestest.Exec(t, b.dsn, `UPDATE conversation SET last_in_at = last_in_at - interval '23 hours'`)
	got := br.post(t, b.open+"/reply", form)
	require.Equal(t, http.StatusConflict, got.status)
	for _, want := range []string{"The time to answer is over.", ">\nLate</textarea>", "data-send disabled"} {
		require.Contains(t, got.body, want)
	}
	require.Equal(t, http.StatusSeeOther, br.post(t, b.open+"/note", form).status, "a note is possible")
	b.hears(t, inbox.Written{Thread: "Ours", ExternalID: "2", Person: inbox.Identity{ID: "Ours", Name: "Tilda"}, Text: "Hello?", SentAt: b.clock.Now()})
	require.Contains(t, br.visited(t, b.open).body, "<p>Reply until ")
	require.NotContains(t, br.last.body, "data-send disabled")
	require.Contains(t, br.last.body, "Hello?")
}
