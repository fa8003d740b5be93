package graph_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/platformtest"
)

const listCall = "GET /v1/42/posts"

// reconcile reconciles a call that published container 7 at the current time.
func (b *bundle) reconcile(t *testing.T, textless bool) (platform.Evidence, platform.Publication, error) {
	t.Helper()
	return b.look(t, platform.Sent{
		Handle: "7", Text: "Hello", At: time.Unix(epoch, 0), Taken: func(id string) bool { return id == "999" },
	}, textless)
}

func (b *bundle) look(
	t *testing.T, sent platform.Sent, textless bool,
) (platform.Evidence, platform.Publication, error) {
	t.Helper()
	return b.api.Reconcile(t.Context(), b.account, sent, func(ctx context.Context, after string) (graph.ContainerPage, error) {
		page, err := b.api.Page(ctx, b.account, url.Values{"after": {after}}, "42", "posts")
		for i := range page.Posts {
			page.Posts[i].Textless = textless
		}
		return page, err
	})
}

// listed returns a post that was created the given time after the call, with Threads' name for the text.
func listed(id, text string, after time.Duration) string {
	return fmt.Sprintf(`{"id":%q,"text":%q,"timestamp":%q,"permalink":"https://network.test/%s"}`,
		id, text, time.Unix(epoch, 0).Add(after).UTC().Format(time.RFC3339), id)
}

// undated returns a post with an invalid time.
func undated(id, text string) string {
	return fmt.Sprintf(`{"id":%q,"text":%q,"timestamp":"soon"}`, id, text)
}

func listing(after string, posts ...string) platformtest.Response {
	return ok(`{"data":[%s],"paging":{"cursors":{"after":%q}}}`, strings.Join(posts, ","), after)
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	const second, minute = time.Second, time.Minute
	for name, c := range map[string]struct {
		state    string
		list     []platformtest.Response
		textless bool
		later    time.Duration
		want     platform.Evidence
		id       string
		class    platform.Class
	}{
		"finished":    {state: "FINISHED", want: platform.EvidenceAbsent},
		"failed":      {state: "ERROR", want: platform.EvidenceAbsent},
		"expired":     {state: "EXPIRED", want: platform.EvidenceAbsent},
		"in progress": {state: "IN_PROGRESS"},
		"a new word":  {state: "PONDERING"},
		"found": {
			state: "PUBLISHED", list: []platformtest.Response{listing("", listed("1", " Hello\n", second))},
			want: platform.EvidenceFound, id: "1",
		},
		"the nearest": {
			state: "PUBLISHED",
			list:  []platformtest.Response{listing("", listed("1", "Hello", minute), listed("2", "Hello", -second))},
			want:  platform.EvidenceFound, id: "2",
		},
		"another's": {
			state: "PUBLISHED",
			list:  []platformtest.Response{listing("", listed("999", "Hello", 0), listed("2", "Hello", minute))},
			want:  platform.EvidenceFound, id: "2",
		},
		"without text": {
			state: "PUBLISHED", list: []platformtest.Response{listing("", listed("1", "", second))}, textless: true,
			want: platform.EvidenceFound, id: "1",
		},
		"on the second page": {
			state: "PUBLISHED",
			list:  []platformtest.Response{listing("c", listed("1", "Other", second)), listing("", listed("2", "Hello", 0))},
			want:  platform.EvidenceFound, id: "2",
		},
		"too early": {
			state: "PUBLISHED", list: []platformtest.Response{listing("", listed("1", "Hello", -3*minute))},
			class: platform.ClassTransient,
		},
		"too late": {
			state: "PUBLISHED", list: []platformtest.Response{listing("", listed("1", "Hello", 31*minute))},
			class: platform.ClassTransient,
		},
		"never listed": {
			state: "PUBLISHED", list: []platformtest.Response{listing("")}, later: 3 * minute, want: platform.EvidenceFound,
		},
		"not to be named": {
			state: "PUBLISHED", list: []platformtest.Response{listing("", listed("../1", "Hello", second))},
			class: platform.ClassTransient,
		},
		"no listing": {state: "PUBLISHED", list: []platformtest.Response{ok("<html>")}, class: platform.ClassTransient},
		"down":       {state: "PUBLISHED", list: []platformtest.Response{down()}, class: platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{"GET /v1/7": status(c.state), listCall: c.list})
			b.clock.Advance(c.later)
			evidence, publication, err := b.reconcile(t, c.textless)
			require.Equal(t, c.want, evidence)
			require.Equal(t, c.id, publication.ExternalID)
			if c.class != "" {
				require.Equal(t, c.class, platformtest.Failure(t, err).Class)
				return
			}
			require.NoError(t, err)
			if c.id != "" {
				require.Equal(t, "https://network.test/"+c.id, publication.URL)
			}
		})
	}
}

// TestReconcileByText searches for a post without a known container, in a time range of five hours.
func TestReconcileByText(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	for name, c := range map[string]struct {
		list     []platformtest.Response
		textless bool
		later    time.Duration
		want     platform.Evidence
		id       string
	}{
		"found late": {
			list: []platformtest.Response{listing("", listed("1", "Hello", 4*hour))}, want: platform.EvidenceFound, id: "1",
		},
		"absent": {
			list: []platformtest.Response{listing("", listed("1", "Other", hour))}, later: 6 * hour,
			want: platform.EvidenceAbsent,
		},
		"too early to know": {list: []platformtest.Response{listing("")}, later: 5 * hour},
		"without text": {
			list: []platformtest.Response{listing("", listed("1", "", hour))}, textless: true, later: 6 * hour,
		},
		"endless":         {list: []platformtest.Response{listing("c", listed("1", "Other", hour))}, later: 6 * hour},
		"almost the same": {list: []platformtest.Response{listing("", listed("1", "hello!", hour))}, later: 6 * hour},
		"not to be named": {list: []platformtest.Response{listing("", listed("../1", "Hello", hour))}, later: 6 * hour},
		"not to be dated": {list: []platformtest.Response{listing("", undated("1", "Hello"))}, later: 6 * hour},
		"unlike, undated": {
			list: []platformtest.Response{listing("", undated("1", "Other"))}, later: 6 * hour, want: platform.EvidenceAbsent,
		},
		"behind an undated": {
			list:  []platformtest.Response{listing("c", undated("1", "Other")), listing("", listed("2", "Hello", hour))},
			later: 6 * hour, want: platform.EvidenceFound, id: "2",
		},
		"textless, another's": {
			list: []platformtest.Response{listing("", listed("999", "", hour))}, textless: true, later: 6 * hour,
			want: platform.EvidenceAbsent,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{listCall: c.list})
			b.clock.Advance(c.later)
			evidence, publication, err := b.look(t, platform.Sent{
				Text: "Hello", At: time.Unix(epoch, 0), Until: time.Unix(epoch, 0).Add(5 * hour),
				Taken: func(id string) bool { return id == "999" },
			}, c.textless)
			require.NoError(t, err)
			require.Equal(t, c.want, evidence)
			require.Equal(t, c.id, publication.ExternalID)
		})
	}
}

// TestReadingEnds checks that reading ends at posts older than the call, and after a maximum number of pages.
func TestReadingEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		post  string
		pages int
	}{
		"older":   {listed("1", "Other", -time.Hour), 1},
		"endless": {listed("1", "Other", time.Minute), 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{"GET /v1/7": status("PUBLISHED"), listCall: {listing("c", c.post)}})
			_, _, err := b.reconcile(t, false)
			require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
			require.Len(t, b.script.Requests(), 1+c.pages)
		})
	}
}

func TestPermalinkRequiresOwnPost(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"id":"180","permalink":"https://network.test/180"}`: "https://network.test/180",
		`{"id":"181","permalink":"https://network.test/181"}`: "",
		`{"id":"180","permalink":"javascript:alert(1)"}`:      "",
		`<html>`: "",
	} {
		b := setup(t, map[string][]platformtest.Response{
			"POST /v1/42/media_publish": {ok(`{"id":"180"}`)}, "GET /v1/180": {{Body: body}},
		})
		publication, err := b.api.Commit(t.Context(), b.account, "7")
		require.NoError(t, err)
		require.Equal(t, platform.Publication{ExternalID: "180", URL: want}, publication)
	}
}
