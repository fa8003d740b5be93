package main

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// threaded creates a published post with three more parts and a first comment. It returns its ID. Each of the parts has the
// state that is given for it: the columns of its row.
func (b *bundle) threaded(t *testing.T, of tenant, state string, parts ...string) string {
	t.Helper()
	at := b.clock.Now().Add(time.Minute)
	root := b.scheduled(t, of, "One", at)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'PUBLISHED', published_at = scheduled_at, post_url = 'https://x.com/acme/status/1', parts_state = $1,
		parts = '{"thread": [{"content": "Two"}, {"content": "Three"}, {"content": "Four"}], "comment": {"content": "Shop"}}' WHERE id = $2`, state, root)
	for i, columns := range parts {
		part := b.scheduled(t, of, fmt.Sprintf("Part %d", i+2), at)
		kind := "REPLY"
		if i == 3 {
			kind = "COMMENT"
		}
		postgrestest.Exec(t, b.dsn, `UPDATE post SET root_id = $1, part_index = $2, part_kind = $3, `+columns+` WHERE id = $4`, root, i+1, kind, part)
	}
	return root
}

const (
	partLive    = `status = 'PUBLISHED', published_at = scheduled_at, post_url = 'https://x.com/acme/status/2'`
	partFailed  = `status = 'FAILED', error_code = 'CONTENT_REFUSED', error_message = 'X refused the text.', error_retryable = false`
	partUnknown = `status = 'FAILED', error_code = 'OUTCOME_UNKNOWN', error_message = 'X did not respond.', error_retryable = false`
	partWaits   = `status = 'SCHEDULED', waiting_reason = 'after_post'`
)

var partLines = regexp.MustCompile(`<strong>((?:Part \d|First comment))</strong> <span class="badge [a-z]*">([^<]+)</span>`)

// TestPageOfPostShowsItsParts shows the parts in order, and the decision about a part that is not published.
func TestPageOfPostShowsItsParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	path := filled("/w/{workspace}/posts/", ours.wildcards)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	viewer := b.browser(t)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	for name, c := range map[string]struct {
		state    string
		parts    []string
		lines    string
		shown    []string
		absent   []string
		decision bool
	}{
		"in progress": {
			"IN_PROGRESS",
			[]string{partLive, partWaits, partWaits, partWaits},
			"Part 1 Live, Part 2 Live, Part 3 On its way, Part 4 Waits, First comment Waits",
			[]string{"2 of 5 live", `hx-trigger="every 3s"`, "Its parts are being published", "Publishing parts"},
			[]string{"End here"},
			false,
		},
		"complete": {
			"COMPLETE",
			[]string{partLive, partLive, partLive, partLive},
			"Part 1 Live, Part 2 Live, Part 3 Live, Part 4 Live, First comment Live",
			[]string{"5 of 5 live", `href="https://x.com/acme/status/2"`},
			[]string{"End here", "every 3s"},
			false,
		},
		"failed": {
			"INCOMPLETE",
			[]string{partLive, partFailed, partWaits, partWaits},
			"Part 1 Live, Part 2 Live, Part 3 Failed, Part 4 Waits, First comment Waits",
			[]string{"2 of 5 live; part 3 failed", "X refused the text.", "Continue at part 3", "End here", ">Incomplete<"},
			[]string{"every 3s", "cannot be found"},
			true,
		},
		"unknown": {
			"INCOMPLETE",
			[]string{partLive, partUnknown, partWaits, partWaits},
			"Part 1 Live, Part 2 Live, Part 3 Unknown, Part 4 Waits, First comment Waits",
			[]string{"2 of 5 live; part 3 cannot be found or ruled out", "If part 3 is on X, it will be there twice.", "End here"},
			nil, true,
		},
		"comment failed": {
			"INCOMPLETE",
			[]string{partLive, partLive, partLive, partFailed},
			"Part 1 Live, Part 2 Live, Part 3 Live, Part 4 Live, First comment Failed",
			[]string{"4 of 5 live; first comment failed", "Publish the comment"},
			nil, true,
		},
	} {
		id := b.threaded(t, ours, c.state, c.parts...)
		body := br.visited(t, path+id).body
		var lines []string
		for _, m := range partLines.FindAllStringSubmatch(body, -1) {
			lines = append(lines, m[1]+" "+m[2])
		}
		require.Equal(t, c.lines, strings.Join(lines, ", "), name)
		for _, text := range c.shown {
			require.Contains(t, body, text, name)
		}
		for _, text := range c.absent {
			require.NotContains(t, body, text, name)
		}
		require.Equal(t, c.decision, strings.Contains(body, path+id+`/continue"`), name)
		require.NotContains(t, viewer.visited(t, path+id).body, `/continue"`, name)
		viewer.post(t, path+id+"/continue", url.Values{})
		require.Equal(t, http.StatusForbidden, viewer.last.status, name)
		if !c.decision {
			refused := br.post(t, path+id+"/continue", url.Values{})
			require.Equal(t, http.StatusUnprocessableEntity, refused.status, name)
			require.Contains(t, refused.body, "nothing to continue", name)
		}
	}
	list := br.visited(t, strings.TrimSuffix(path, "/")).body
	require.Contains(t, list, `5<span class="unseen"> parts</span>`)
	require.Contains(t, list, "Incomplete")
	require.NotContains(t, list, "Part 2", "parts are no posts of their own")
}

// TestDecidingAboutAPart continues at the part that failed, and ends another post there.
func TestDecidingAboutAPart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	path := filled("/w/{workspace}/posts/", ours.wildcards)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	id := b.threaded(t, ours, "INCOMPLETE", partLive, partFailed, partWaits, partWaits)
	br.visited(t, path+id)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+id+"/continue", url.Values{}).status, br.last.body)
	require.Contains(t, br.visited(t, path+id).body, "Publishing the rest.")
	require.Equal(t, []string{"IN_PROGRESS"}, b.column(t, `SELECT parts_state FROM post WHERE id = $1`, id))

	id = b.threaded(t, ours, "INCOMPLETE", partLive, partUnknown, partWaits, partWaits)
	br.visited(t, path+id)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+id+"/continue", url.Values{"end": {"1"}}).status, br.last.body)
	body := br.visited(t, path+id).body
	require.Contains(t, body, "Ended. The rest is not published.")
	require.Contains(t, body, "2 of 2 live")
	require.NotContains(t, body, "Three")
	require.Equal(t, http.StatusNotFound, br.get(t, path+"00000000-0000-7000-8000-000000000000/continue").status)
}

// TestTodayNamesIncompletePosts counts a published post of which a part failed among what needs a person, until someone archives it.
func TestTodayNamesIncompletePosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	id := b.threaded(t, ours, "INCOMPLETE", partLive, partFailed, partWaits, partWaits)
	today := func() string { return br.visited(t, filled("/w/{workspace}/today", ours.wildcards)).body }
	got := today()
	require.Contains(t, got, "1 post is incomplete on ")
	require.Contains(t, got, "X refused the text.")
	require.Contains(t, got, filled("/w/{workspace}/posts/", ours.wildcards)+id)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'ARCHIVED', archived_from = 'PUBLISHED' WHERE id = $1`, id)
	require.NotContains(t, today(), "incomplete")
}
