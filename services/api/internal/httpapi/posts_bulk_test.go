package httpapi_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// bulk sends items, with an Idempotency-Key unless it is empty.
func (b *bundle) bulk(t testing.TB, credential, once string, items ...string) response {
	t.Helper()
	r := request{
		method: http.MethodPost, path: "/v1/posts/bulk", key: credential, contentType: "application/json",
		body: `{"posts":[` + strings.Join(items, ",") + `]}`,
	}
	if once != "" {
		r.header = map[string]string{headerOnce: once}
	}
	return b.do(t, r)
}

// requireItem checks the form of an item's result and returns its posts.
func requireItem(t testing.TB, result map[string]any, index int, failure string) []any {
	t.Helper()
	require.InDelta(t, index, result["index"], 0)
	posts, ok := result["posts"].([]any)
	require.True(t, ok, "never null")
	if failure == "" {
		require.Equal(t, true, result["success"], result["error"])
		require.NotContains(t, result, "error")
		require.Len(t, result, 3)
		return posts
	}
	require.Equal(t, false, result["success"])
	require.Contains(t, result["error"], failure)
	require.Empty(t, posts)
	require.NotEmpty(t, result["problem"])
	require.Len(t, result, 5)
	return nil
}

func TestBulkCreatesInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second := b.channel(t, b.ours.id, channel.Twitter, true)
	for _, once := range []string{"", "k"} {
		items := make([]string, 50)
		for i := range items {
			items[i] = `{"channelIds":["` + b.ours.channel.String() + `","` + second.String() + `"],"content":"` +
				strconv.Itoa(i) + `"}`
		}
		responded := b.bulk(t, b.ours.key, once, items...)
		require.Equal(t, http.StatusOK, responded.status, responded.body)
		results := responded.list(t)
		require.Len(t, results, 50)
		var ids []string
		for i, result := range results {
			posts := requireItem(t, result, i, "")
			require.Len(t, posts, 2)
			for j, each := range posts {
				post, ok := each.(map[string]any)
				require.True(t, ok)
				require.Equal(t, strconv.Itoa(i), post["content"])
				require.Equal(t, []string{b.ours.channel.String(), second.String()}[j], post["channelId"])
				require.Equal(t, post, b.get(t, "/v1/posts/"+text(t, post, "id")).object(t))
				ids = append(ids, text(t, post, "id"))
			}
		}
		require.IsIncreasing(t, ids)
	}
	require.Equal(t, 200, b.count(t, `post`))
	require.Equal(t, 200, b.count(t, `event WHERE type = 'post.created'`))
}

// TestBulkItemsFailAlone mixes successful items with one item for each failure reason, in one transaction and in many.
func TestBulkItemsFailAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := func(typ channel.Type, connected bool) string { return b.channel(t, b.ours.id, typ, connected).String() }
	item := func(id, rest string) string { return `{"channelIds":["` + id + `"]` + rest + `}` }
	ours, whatsapp, offline, x := b.ours.channel.String(), id(channel.WhatsAppBusiness, true), id(channel.Threads,
		false), id(channel.Twitter, true)
	unknown := ident.New[ident.Channel]().String()
	failures := []struct{ item, code string }{
		{`5`, "VALIDATION_FAILED: must be an object, not a number"},
		{`"x"`, "VALIDATION_FAILED: must be an object, not a string"},
		{`null`, "VALIDATION_FAILED: must be an object, not null"},
		{`[]`, "VALIDATION_FAILED: must be an object, not an array"},
		{`{}`, "VALIDATION_FAILED: /channelIds is missing"},
		{
			item(ours, `,"stauts":1`),
			"VALIDATION_FAILED: /stauts is not a field of this object, which has campaignId, channelIds, content",
		},
		{item("x", ``), "VALIDATION_FAILED: /channelIds/0 must be a UUID"},
		{
			item(ours, `,"content":5,"schedule":"soon"`),
			"VALIDATION_FAILED: /content must be a string, not a number; /schedule must be draft, now, next_slot",
		},
		{
			item(ours, `,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1`),
			"/e is not a field of this object, which has campaignId, channelIds, content, contentType, externalId, firstComment, labels, " +
				"mediaAltTexts, mediaIds, metadata, options, publishAfter, schedule, thread, timezone, title, variants; and 2 more",
		},
		{item(b.theirs.channel.String(), ``), "NOT_FOUND: There is no channel " + b.theirs.channel.String()},
		{item(unknown, ``), "NOT_FOUND: There is no channel " + unknown},
		{`{"channelIds":["` + ours + `","` + unknown + `"],"content":"x"}`, "NOT_FOUND: There is no channel " + unknown},
		{
			item(ours, `,"mediaIds":["`+b.theirs.media.String()+`"]`),
			"NOT_FOUND: There is no media asset " + b.theirs.media.String(),
		},
		{item(whatsapp, ``), "CHANNEL_NOT_PUBLISHABLE: Channel " + whatsapp},
		{item(offline, `,"content":"x","schedule":"now"`), "CHANNEL_DISCONNECTED: Channel " + offline},
		{item(ours, `,"content":"x","schedule":"2020-01-01T00:00:00Z"`), "SCHEDULED_IN_PAST: "},
		{item(ours, `,"schedule":"now"`), "VALIDATION_FAILED: /content "},
		{item(x, `,"content":"x","schedule":"next_slot"`), "NO_FREE_SLOT: Channel " + x},
		{
			`{"channelIds":["` + ours + `","` + x + `"],"content":"` + strings.Repeat("x", 300) + `","schedule":"now"}`,
			"VALIDATION_FAILED: /content ",
		},
	}
	for _, once := range []string{"", "k"} {
		b.exec(t, `DELETE FROM post`)
		var items []string
		for i, f := range failures {
			items = append(items, f.item, b.ours.withContent(strconv.Itoa(i)))
		}
		responded := b.bulk(t, b.ours.key, once, items...)
		require.Equal(t, http.StatusOK, responded.status, responded.body)
		results := responded.list(t)
		require.Len(t, results, len(items))
		for i, f := range failures {
			t.Log(f.item)
			requireItem(t, results[2*i], 2*i, f.code)
			require.Len(t, requireItem(t, results[2*i+1], 2*i+1, ""), 1)
		}
		require.Equal(t, len(failures), b.count(t, `post`), "what failed has left nothing")
		require.NotContains(t, responded.body, "sql")
	}
}

func TestInvalidBulkRequests(t *testing.T) {
	t.Parallel()
	b := setup(t)
	many := make([]string, 51)
	for i := range many {
		many[i] = b.ours.withContent("x")
	}
	for body, want := range map[string]string{
		`{"posts":[` + strings.Join(many, ",") + `]}`: "/posts", `{"posts":[]}`: "/posts", `{}`: "/posts",
		`{"posts":{}}`: "/posts", `{"posts":null}`: "/posts",
		`{"posts":[{}],"schedule":"now"}`: "/schedule", `[]`: "",
	} {
		p := requireProblem(t, b.post(t, "/v1/posts/bulk", body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{want}, pointers(t, p))
	}
	for _, item := range []string{
		`{"content":"a","content":"b"}`, `{"content":"\u0000"}`, `{"a":`, `{"content":"` + "\xff" + `"}`,
		strings.Repeat(`[`, 20) + strings.Repeat(`]`, 20),
	} {
		requireProblem(t, b.bulk(t, b.ours.key, "", b.ours.withContent("x"), item), http.StatusBadRequest, "MALFORMED_REQUEST")
	}
	require.Zero(t, b.count(t, `post`))
}

func TestBulkItemsRequireScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	writer := b.key(t, b.ours.id, credential.PostsWrite)
	scheduled := func(schedule string) string {
		return strings.Replace(b.ours.withContent("x"), `}`, `,"schedule":"`+schedule+`"}`, 1)
	}
	for _, once := range []string{"", "k"} {
		results := b.bulk(t, writer, once, scheduled("draft"), scheduled("now"), scheduled("next_slot"), scheduled(future),
			b.ours.withContent("x")).list(t)
		for i, failure := range []string{"", "INSUFFICIENT_SCOPE: ", "INSUFFICIENT_SCOPE: ", "INSUFFICIENT_SCOPE: ", ""} {
			requireItem(t, results[i], i, failure)
			require.Equal(t, failure != "", strings.Contains(fmt.Sprint(results[i]["error"]), "posts:publish"))
		}
	}
	require.Equal(t, 4, b.count(t, `post WHERE status = 'DRAFT'`))
	require.Equal(t, 4, b.count(t, `post`))
}

func TestEachBulkItemTakesSlot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second := b.channel(t, b.ours.id, channel.Twitter, true)
	b.slots(t, second, slot.Slot{Weekday: time.Tuesday, Hour: 12})
	queued := func(ids ...ident.Channel) string {
		return `{"channelIds":` + encode(t, ids) + `,"content":"x","schedule":"next_slot"}`
	}
	seen := map[string]bool{}
	for _, once := range []string{"", "k"} {
		results := b.bulk(t, b.ours.key, once, queued(b.ours.channel), queued(second, b.ours.channel),
			queued(b.ours.channels[channel.LinkedInPage]), queued(b.ours.channel)).list(t)
		for i, failure := range []string{"", "", "NO_FREE_SLOT: ", ""} {
			for _, each := range requireItem(t, results[i], i, failure) {
				post, ok := each.(map[string]any)
				require.True(t, ok)
				require.Equal(t, "SCHEDULED", post["status"])
				at := text(t, post, "channelId") + " " + text(t, post, "scheduledAt")
				require.False(t, seen[at], "given away twice: "+at)
				seen[at] = true
			}
		}
	}
	require.Len(t, seen, 8)
}

// TestBulkDoesNotWaitForForeignQueue names a channel of another workspace whose queue is locked. The request must not
// wait for it.
func TestBulkDoesNotWaitForForeignQueue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hold(t, `SELECT pg_advisory_xact_lock(hashtextextended('`+b.theirs.channel.String()+`', 2))`)
	item := func(of tenant) string {
		return `{"channelIds":["` + of.channel.String() + `"],"content":"x","schedule":"next_slot"}`
	}
	for _, once := range []string{"", "k"} {
		responded := b.bulk(t, b.ours.key, once, item(b.theirs), item(b.ours))
		require.Equal(t, http.StatusOK, responded.status, responded.body)
		requireItem(t, responded.list(t)[0], 0, "NOT_FOUND: ")
		requireItem(t, responded.list(t)[1], 1, "")
	}
}

// TestBulkRollsBackSingleItem has an item that the database rejects, because its channel was deleted after the process
// had cached it.
func TestBulkRollsBackSingleItem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, once := range []string{"", "k"} {
		gone := b.channel(t, b.ours.id, channel.Twitter, true)
		item := `{"channelIds":["` + b.ours.channel.String() + `","` + gone.String() + `"],"content":"x"}`
		require.Equal(t, http.StatusCreated, b.post(t, "/v1/posts", item).status)
		b.exec(t, `DELETE FROM post WHERE channel_id = $1`, gone.String())
		b.exec(t, `DELETE FROM channel WHERE id = $1`, gone.String())
		before := b.count(t, `post`)
		results := b.bulk(t, b.ours.key, once, b.ours.withContent("x"), item, b.ours.withContent("x")).list(t)
		for i, failure := range []string{"", "NOT_FOUND: ", ""} {
			requireItem(t, results[i], i, failure)
		}
		require.Equal(t, before+2, b.count(t, `post`))
	}
}

// TestBulksDoNotDeadlock sends requests for slots of two channels in opposite orders, each in one transaction.
func TestBulksDoNotDeadlock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second := b.channel(t, b.ours.id, channel.Twitter, true)
	b.slots(t, second, slot.Slot{Weekday: time.Monday}, slot.Slot{Weekday: time.Tuesday}, slot.Slot{Weekday: time.Friday})
	item := func(id ident.Channel) string {
		return `{"channelIds":["` + id.String() + `"],"content":"x","schedule":"next_slot"}`
	}
	items := []string{item(b.ours.channel), item(second)}
	for i, a := range atOnce(10, func(i int) response {
		return b.bulk(t, b.ours.key, strconv.Itoa(i), items[i%2],
			items[1-i%2])
	}) {
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.NotContains(t, a.body, `"success":false`, i)
	}
}
