package web_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
)

// hostile is a text with all kinds of hidden characters, except control characters that the service rejects. Harmless
// is the text that an agent reads.
const (
	hostile  = "Ad\u202eam\u2066 \u200bsa\ufeffys\U000E0049\U000E0067 hi\U000E0102 👩\u200d👧 ❤\ufe0f\u00ad"
	harmless = "Adam says hi 👩\u200d👧 ❤\ufe0f"
)

func requireClean(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		suspect := unicode.Is(unicode.Cf, r) && r != 0x200C && r != 0x200D ||
			unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0xE0000 && r <= 0xE01EF
		require.False(t, suspect, "%U in %q", r, text)
	}
}

// TestUserTextsAreSanitized covers every tool that shows user content.
func TestUserTextsAreSanitized(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page := b.page(t, b.ours)
	id := b.inState(t, b.ours, post.Failed)
	b.exec(t,
		`UPDATE post SET content = $1, title = $1, error_message = $1, approval_status = 'REJECTED', approval_comment = $1 WHERE id = $2`, hostile+"\u0007\u009b", id)
	b.exec(t, `UPDATE channel SET name = $1, username = $1 WHERE workspace_id = $2`, hostile, b.ours.id.String())
	b.did(t, "add_link_block", object{
		"pageId": page, "type": "LINK", "settings": object{"title": "A", "url": "https://a.example/"},
	})
	b.exec(t, `UPDATE link_page SET draft = replace(draft::text, '"A"', to_json($1::text)::text)::jsonb WHERE id = $2`,
		hostile, page)
	shown := 0
	for _, c := range []struct {
		tool      string
		arguments object
	}{
		{"list_posts", object{"postId": id}},
		{"list_posts", object{}},
		{
			"create_post",
			object{"channelIds": []any{b.ours.channel}, "content": hostile, "title": hostile, "idempotencyKey": "k"},
		},
		{
			"create_post",
			object{"channelIds": []any{b.ours.channel}, "content": hostile, "title": hostile, "idempotencyKey": "k"},
		},
		{"get_analytics", object{}},
		{"get_link_page", object{"pageId": page}},
		{"list_link_pages", object{}},
	} {
		for _, revision := range revisions() {
			a := b.do(t, callOf(t, revision, b.ours.key, c.tool, c.arguments))
			r := b.resultOf(t, c.tool, a)
			require.False(t, r.IsError, a.body)
			out := encode(t, b.good(t, c.tool, r))
			requireClean(t, r.Content[0].Text)
			requireClean(t, out)
			requireClean(t, a.body)
			for _, escape := range []string{`\u202e`, `\u200b`, `\udb40`, `\u0007`, `\ufeff`} {
				require.NotContains(t, strings.ToLower(a.body), escape)
			}
			shown += strings.Count(r.Content[0].Text, harmless)
		}
	}
	require.Greater(t, shown, 20, "what can be read is still there")
	require.Equal(t, hostile,
		b.column(t, `SELECT content FROM post WHERE content LIKE 'Ad%' AND status = 'DRAFT' LIMIT 1`)[0],
		"what is stored stays as it was written")
}

func TestTextsInErrorsAreSanitized(t *testing.T) {
	t.Parallel()
	b := setup(t)
	lost := b.channel(t, b.ours.id, channel.TelegramChannel, false)
	b.exec(t, `UPDATE channel SET name = $1 WHERE id = $2`, hostile, lost.String())
	for _, c := range []struct {
		tool, code string
		arguments  object
	}{
		{"create_post", "CHANNEL_DISCONNECTED", object{"channelIds": []any{lost}, "content": "x", "schedule": "now"}},
		{"create_post", "VALIDATION_FAILED", object{"channelIds": []any{lost}, hostile: 1}},
		{"create_media_upload", "VALIDATION_FAILED", object{"fileName": "a", "contentType": hostile, "sizeBytes": 1}},
	} {
		a := b.do(t, callOf(t, newest, b.ours.key, c.tool, c.arguments))
		got := b.refusalIn(t, c.tool, a, c.code)
		for _, text := range append([]string{a.body, got.Detail, got.Next}, got.pointers()...) {
			requireClean(t, text)
		}
		require.Contains(t, a.body, "hi 👩", "what can be read is still there")
	}
}
