package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

// incomplete makes a post one whose second part failed, on a channel that takes threads.
func (b *bundle) incomplete(t testing.TB, id string) {
	t.Helper()
	x := b.channel(t, b.ours.id, channel.Twitter, true)
	b.exec(t, `UPDATE post SET status = 'PUBLISHED', published_at = now(), channel_id = $2, parts_state = 'INCOMPLETE',
		parts = '{"thread": [{"content": "Two"}, {"content": "Three"}], "comment": {"content": "Four", "delay": 0}}' WHERE id = $1`, id, x)
	for _, part := range []string{"2", "3", "4"} {
		b.exec(t, `INSERT INTO post (id, workspace_id, channel_id, content, content_type, status, scheduled_at, created_at, updated_at, revision,
				root_id, part_index, part_kind, error_code, error_message, error_retryable, own_members, labels, label_keys, consents, writers)
			SELECT $2, workspace_id, channel_id, $3, 'POST', CASE $3 WHEN '2' THEN 'FAILED' ELSE 'SCHEDULED' END, now(), now(), now(), 1, id, CAST($3 AS integer) - 1, 'REPLY',
				'REFUSED', 'No.', false, '{}', '{}', '{}', '[]', '{}'
			FROM post WHERE id = $1`, id, ident.New[ident.Post](), part)
	}
}

// threaded is a body with every part.
func threaded(id ident.Channel) string {
	return `{"channelIds":["` + id.String() + `"],"content":"One","thread":[{"content":"Two"},{"content":"Three","mediaIds":[]}],
		"firstComment":{"content":"Four","delaySeconds":60}}`
}

func TestPostWithParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.channel(t, b.ours.id, channel.Twitter, true)
	created := b.post(t, "/v1/posts", threaded(x)).list(t)[0]
	require.Equal(t, "PENDING", created["partsState"])
	require.Equal(t, []any{
		map[string]any{"content": "Two"}, map[string]any{"content": "Three"},
	}, created["thread"])
	require.Equal(t, map[string]any{"content": "Four", "delaySeconds": 60.0}, created["firstComment"])
	var kinds []string
	parts, _ := created["parts"].([]any)
	for _, part := range parts {
		state, _ := part.(map[string]any)
		require.Equal(t, "PENDING", state["status"])
		kinds = append(kinds, text(t, state, "kind"))
	}
	require.Equal(t, []string{"ROOT", "REPLY", "REPLY", "COMMENT"}, kinds)

	id := text(t, created, "id")
	changed := b.patch(t, id, `{"thread":[{"content":"Only"}],"firstComment":null}`).object(t)
	require.Len(t, changed["parts"], 2)
	require.Nil(t, changed["firstComment"])
	changed = b.patch(t, id, `{"thread":null}`).object(t)
	require.Nil(t, changed["partsState"])
	require.Equal(t, []any{}, changed["parts"])
}

// TestFaultsOfParts checks that each fault names its part, and a remedy.
func TestFaultsOfParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x, telegram := b.channel(t, b.ours.id, channel.Twitter, true), b.channel(t, b.ours.id, channel.TelegramChannel, true)
	for name, c := range map[string]struct {
		id          ident.Channel
		members, at string
		says        string
	}{
		"a part too long":     {x, `"thread":[{"content":"ok"},{"content":"` + strings.Repeat("x", 300) + `"}]`, "/thread/1/content", "280"},
		"an empty part":       {x, `"thread":[{"content":""}]`, "/thread/0/content", ""},
		"too many parts":      {x, `"thread":[` + strings.Repeat(`{"content":"x"},`, 24) + `{"content":"x"}]`, "/thread", "24"},
		"no threads there":    {telegram, `"thread":[{"content":"x"}]`, "/thread", "takes no threads"},
		"no comments there":   {telegram, `"firstComment":{"content":"x"}`, "/firstComment/content", "takes no first comments"},
		"a delay of two days": {x, `"firstComment":{"content":"x","delaySeconds":172800}`, "/firstComment/delaySeconds", "86400"},
		"a text of no file":   {x, `"thread":[{"content":"x","mediaAltTexts":{"` + ident.New[ident.Media]().String() + `":"x"}}]`, "/thread/0/mediaAltTexts", "is not the id of an attachment"},
		"an unknown member":   {x, `"thread":[{"text":"x"}]`, "/thread/0/text", "content"},
	} {
		body := `{"channelIds":["` + c.id.String() + `"],"content":"x","schedule":"now",` + c.members + `}`
		p := requireProblem(t, b.post(t, "/v1/posts", body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		found := false
		faults, _ := p["errors"].([]any)
		for _, fault := range faults {
			one, _ := fault.(map[string]any)
			if pointer, _ := one["pointer"].(string); strings.HasPrefix(pointer, c.at) {
				found = true
				require.Contains(t, one["message"], c.says, name)
			}
		}
		require.True(t, found, "%s: %v", name, p["errors"])
	}
	missing := `{"channelIds":["` + x.String() + `"],"content":"x","thread":[{"content":"x","mediaIds":["` + ident.New[ident.Media]().String() + `"]}]}`
	requireProblem(t, b.post(t, "/v1/posts", missing), http.StatusNotFound, "NOT_FOUND")
}

// TestVariantsOfParts gives one channel of a set its own thread, and another none.
func TestVariantsOfParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x, telegram := b.channel(t, b.ours.id, channel.Twitter, true), b.channel(t, b.ours.id, channel.TelegramChannel, true)
	posts := b.post(t, "/v1/posts", `{"content":"One","thread":[{"content":"Two"}],"firstComment":{"content":"Three"},"schedule":"now","variants":[
		{"channelId":"`+x.String()+`","thread":[{"content":"Own"}]},
		{"channelId":"`+telegram.String()+`","thread":[],"firstComment":null}]}`).list(t)
	require.Len(t, posts[0]["parts"], 3)
	require.Equal(t, []any{map[string]any{"content": "Own"}}, posts[0]["thread"])
	require.Nil(t, posts[1]["partsState"])
}

// TestSimulationCountsParts checks that the price of a thread is that of all its parts.
func TestSimulationCountsParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.channel(t, b.ours.id, channel.Twitter, true)
	cost := func(body string) any {
		posts, _ := b.post(t, "/v1/posts/simulate", body).object(t)["posts"].([]any)
		simulated, _ := posts[0].(map[string]any)
		amount, _ := simulated["cost"].(map[string]any)
		return amount["amount"]
	}
	require.InDelta(t, 0.015, cost(`{"channelIds":["`+x.String()+`"],"content":"One"}`), 1e-9)
	require.InDelta(t, 0.060, cost(threaded(x)), 1e-9)
}

// TestContinuePost goes on with a post of which a part failed, and gives the rest of another one up.
func TestContinuePost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	requireProblem(t, b.post(t, "/v1/posts/"+id+"/continue", ""), http.StatusConflict, "INVALID_STATE")
	b.incomplete(t, id)
	before := b.get(t, "/v1/posts/"+id).object(t)
	failed, _ := before["parts"].([]any)[1].(map[string]any)
	require.Equal(t, "FAILED", failed["status"])
	require.Equal(t, "INCOMPLETE", before["partsState"])
	after := b.post(t, "/v1/posts/"+id+"/continue", "").object(t)
	require.Equal(t, "IN_PROGRESS", after["partsState"])
	requireProblem(t, b.post(t, "/v1/posts/"+id+"/continue", ""), http.StatusConflict, "INVALID_STATE")
	require.Nil(t, b.post(t, "/v1/posts/"+id+"/continue", `{"end":true}`).object(t)["partsState"], "parts that wait can be given up")

	other := b.draft(t, b.ours)
	b.incomplete(t, other)
	ended := b.post(t, "/v1/posts/"+other+"/continue", `{"end":true}`).object(t)
	require.Nil(t, ended["partsState"])
	require.Equal(t, "PUBLISHED", ended["status"])
	require.Equal(t, []any{}, ended["thread"])
	require.Len(t, b.get(t, "/v1/posts?status=PUBLISHED").object(t)["data"], 2, "parts are no posts of their own")
}
