package main

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// scheduled creates a post for the channel of a tenant, at a time.
func (b *bundle) scheduled(t *testing.T, of tenant, text string, at time.Time) string {
	t.Helper()
	id, err := ident.Parse[ident.Channel](of.wildcards["channel"])
	require.NoError(t, err)
	created, err := post.Create(post.NewPost{
		WorkspaceID: of.workspace.ID, ChannelID: id, ContentType: post.ContentPost, Content: text, ScheduleAt: at,
	}, b.clock.Now(), "user Ada")
	require.NoError(t, err)
	require.NoError(t, postgres.NewPosts(b.db).Insert(t.Context(), []post.Change{created}))
	return created.Post.ID.String()
}

// TestScheduledPostsAreListedByDay checks that the next post due is first, under the heading of its day, over pages.
func TestScheduledPostsAreListedByDay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	midnight := b.clock.Now().UTC().Truncate(24 * time.Hour)
	b.clock.Set(midnight.Add(12 * time.Hour))
	for text, at := range map[string]time.Time{
		"In three weeks": midnight.Add(21*24*time.Hour + time.Minute), "Tomorrow morning": midnight.Add(33 * time.Hour),
		"Tonight": midnight.Add(20 * time.Hour), "Tomorrow night": midnight.Add(47 * time.Hour),
	} {
		b.scheduled(t, ours, text, at)
	}
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	list := filled("/w/{workspace}/posts", ours.wildcards)
	body := br.visited(t, list+"?status=scheduled").body
	found := regexp.MustCompile(`class="day[^"]*">([^<]+)|class="clip"[^>]*>([^<]+)`).FindAllStringSubmatch(body, -1)
	var order []string
	for _, match := range found {
		order = append(order, strings.TrimSpace(match[1]+match[2]))
	}
	require.Equal(t, []string{
		"Today", "Tonight", "Tomorrow", "Tomorrow morning", "Tomorrow night",
		midnight.Add(21 * 24 * time.Hour).Format("Mon 2 January"), "In three weeks",
	}, order)
	for range 30 {
		b.scheduled(t, ours, "At noon", midnight.Add(36*time.Hour))
	}
	next := regexp.MustCompile(`href="([^"]*after=[^"]*)"`).FindStringSubmatch(br.visited(t, list+"?status=scheduled").body)
	require.NotNil(t, next)
	second := br.visited(t, html.UnescapeString(next[1])).body
	require.Contains(t, second, "In three weeks")
	require.NotContains(t, second, "Tonight")
	require.Equal(t, 34, strings.Count(br.visited(t, list+"?status=scheduled").body, `class="clip"`)+strings.Count(second, `class="clip"`))
}

func TestPostsAreSearched(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	b.scheduled(t, ours, "Forty cups came out of the kiln", b.clock.Now().Add(time.Hour))
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	list := filled("/w/{workspace}/posts", ours.wildcards)
	got := br.visited(t, list+"?q=KILN+cups").body
	require.Contains(t, got, "Forty cups")
	require.NotContains(t, got, ours.wildcards["post"])
	require.Contains(t, got, `value="KILN cups"`)
	require.Contains(t, got, "status=draft\"", "a tab keeps the search")
	require.Regexp(t, `href="[^"]*q=KILN\+cups[^"]*status=draft"`, html.UnescapeString(got))
	require.Contains(t, br.visited(t, list+"?q=%3Cb%3Ebowl").body, "No post contains “&lt;b&gt;bowl”.")
	require.Contains(t, br.visited(t, list+"?status=draft&q=kiln").body, "No post contains")
}

// TestEmptyListsAreExplained checks the texts of each tab, and of filters that do not exist.
func TestEmptyListsAreExplained(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Owner).Email)
	list := filled("/w/{workspace}/posts", ours.wildcards)
	for query, want := range map[string]string{
		"status=scheduled": "Nothing scheduled", "status=pending_approval": "Nothing waits for your approval.",
		"status=published": "Nothing published yet", "status=failed": "No failed posts", "status=archived": "Nothing archived",
		"status=foo": "There is nothing called “foo” to filter by.",
		"channel=x":  "There is nothing called “x” to filter by.", "channel=" + ours.wildcards["channel"] + "&status=foo": "Unknown filter",
		"channel=" + theirs.wildcards["channel"]:                            "Unknown filter",
		"channel=" + ours.wildcards["channel"] + "&status=failed":           "This channel has no posts in this list.",
		"after=1." + ident.New[ident.Post]().String():                       "No more posts",
		"status=scheduled&after=." + "ffffffff-ffff-7fff-bfff-ffffffffffff": "No more posts",
	} {
		require.Contains(t, br.visited(t, list+"?"+query).body, want, query)
		require.NotContains(t, br.last.body, ours.wildcards["post"], query)
	}
	viewer := b.browser(t)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	require.Contains(t, viewer.visited(t, list+"?status=pending_approval").body, "Nothing waits for approval.")
}

// TestDisconnectedChannelShowsWarning checks that a post that will fail says so in the list, on its page and on its channel.
func TestDisconnectedChannelShowsWarning(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	at := b.clock.Now().UTC().Add(72 * time.Hour).Truncate(time.Minute)
	ours.wildcards["post"] = b.scheduled(t, ours, "Bowls", at)
	postgrestest.Exec(t, b.dsn, `UPDATE channel SET is_connected = false WHERE id = $1`, ours.wildcards["channel"])
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Owner).Email)
	for _, path := range []string{"/w/{workspace}/posts", "/w/{workspace}/posts/{post}"} {
		body := br.visited(t, filled(path, ours.wildcards)).body
		require.Regexp(t, `Channel disconnected: will fail at <time [^>]*>`+at.Format("Mon 2 Jan, 15:04")+`</time>`, body, path)
		require.Contains(t, body, filled("/w/{workspace}/channels/{channel}/reconnect", ours.wildcards))
		require.Contains(t, body, "</svg>Disconnected</span>")
	}
	for _, path := range []string{"/w/{workspace}/channels", "/w/{workspace}/channels/{channel}"} {
		body := br.visited(t, filled(path, ours.wildcards)).body
		require.Regexp(t, `1 scheduled post will fail, the first at <time`, body, path)
	}
	viewer := b.browser(t)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	require.NotContains(t, viewer.visited(t, filled("/w/{workspace}/posts", ours.wildcards)).body, "/reconnect")
}

// TestPendingCounts checks the numbers in the navigation and on the tabs.
func TestPendingCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	list := filled("/w/{workspace}/posts", ours.wildcards)
	owner, viewer := b.browser(t), b.browser(t)
	owner.signInAs(t, b.membership(t, ours.workspace, member.Owner).Email)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	postgrestest.Exec(t, b.dsn, `UPDATE conversation SET state = 'CLOSED'`)
	require.NotContains(t, owner.visited(t, list).body, `class="count`)
	b.post(t, ours)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'PENDING_APPROVAL' WHERE content = 'Another'`)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'FAILED', error_code = 'X', error_message = 'No.', error_retryable = true
		WHERE content <> 'Another'`)
	postgrestest.Exec(t, b.dsn, `UPDATE channel SET token_status = 'NEEDS_RECONNECT'`)
	counts := regexp.MustCompile(`<span class="count (\w+)"><span class="unseen">, </span>(\d+)<span class="unseen"> ([^<]+)<`)
	read := func(br *browser) (all []string) {
		for _, match := range counts.FindAllStringSubmatch(br.visited(t, list).body, -1) {
			all = append(all, match[1]+" "+match[2]+" "+match[3])
		}
		return all
	}
	require.Equal(t, []string{
		"stopped 3 need you", "stopped 1 failed", "person 1 to approve", "person 1 to reconnect", // Today and the sections
		"stopped 1 failed", "person 1 to approve", // beside filters
		"stopped 3 need you", "stopped 1 failed", // in the bar of phones
	}, read(owner))
	require.Equal(t, []string{
		"stopped 2 need you", "stopped 1 failed", "person 1 to reconnect", "stopped 1 failed", "person 1 to approve",
		"stopped 2 need you", "stopped 1 failed",
	}, read(viewer))
}

// TestDeletedPostPageIsExplained checks what a page shows that is fetched again after its post was deleted.
func TestDeletedPostPageIsExplained(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Owner).Email)
	path := filled("/w/{workspace}/posts/{post}", ours.wildcards)
	br.visited(t, path)
	postgrestest.Exec(t, b.dsn, `DELETE FROM post`)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, br.base+path, http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Hx-Request", "true")
	got := br.send(t, r)
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, got.body, "This post was deleted")
	require.Contains(t, got.body, `<div id="post">`)
	got = br.get(t, path)
	require.Equal(t, http.StatusNotFound, got.status)
	require.Contains(t, got.body, "It was deleted, or it belongs to another workspace.")
}
