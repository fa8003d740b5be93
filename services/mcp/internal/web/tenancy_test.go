package web_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/ident"
)

const nilID = "00000000-0000-0000-0000-000000000000"

// place is the position of an id in the arguments of a tool.
type place struct {
	tool    string
	member  string
	foreign string                 // an id of the other workspace, of the required kind
	put     func(id string) object // returns the arguments with an id in that place
}

// places returns every id argument of the tools.
func (b *bundle) places(t testing.TB) []place {
	t.Helper()
	ours, theirs := b.samples(t, b.ours), b.samples(t, b.theirs)
	var out []place
	with := func(tool, member string, foreign any, change func(arguments object, id string)) {
		text, ok := foreign.(string)
		require.True(t, ok, "%s %s", tool, member)
		out = append(out, place{tool: tool, member: member, foreign: text, put: func(id string) object {
			arguments := maps.Clone(ours[tool])
			change(arguments, id)
			return arguments
		}})
	}
	for tool, arguments := range theirs {
		for _, member := range []string{"postId", "channelId", "mediaId", "pageId", "blockId"} {
			if id, ok := arguments[member]; ok {
				with(tool, member, id, func(a object, id string) { a[member] = id })
			}
		}
	}
	with("get_analytics", "postId", theirs["list_posts"]["postId"], func(a object, id string) {
		delete(a, "channelId")
		a["postId"] = id
	})
	for _, tool := range []string{"create_post", "validate_post"} {
		of := b.theirs.channel.String()
		with(tool, "channelIds/0", of, func(a object, id string) { a["channelIds"] = []any{id} })
		with(tool, "channelIds/1", of, func(a object, id string) { a["channelIds"] = []any{b.ours.channel, id} })
	}
	for _, tool := range []string{"create_post", "validate_post", "update_post"} {
		of := b.theirs.video.String()
		with(tool, "mediaIds/0", of, func(a object, id string) { a["mediaIds"] = []any{id} })
		with(tool, "mediaIds/1", of, func(a object, id string) { a["mediaIds"] = []any{b.ours.video, id} })
	}
	b.settings(t, with, theirs)
	return out
}

// settings adds the ids in settings of blocks.
func (b *bundle) settings(
	t testing.TB, with func(tool, member string, foreign any, change func(arguments object, id string)),
	theirs map[string]object,
) {
	t.Helper()
	page := b.page(t, b.ours)
	foreignPost, foreignPicture := theirs["list_posts"]["postId"], b.theirs.picture.String()
	for _, c := range []struct {
		typ, member string
		foreign     any
		settings    object
	}{
		{"POST_CARD", "postId", foreignPost, object{"postId": b.draft(t, b.ours)}},
		{"LINK", "imageMediaId", foreignPicture, object{"title": "A", "url": "https://a.example/"}},
		{"PRODUCT", "imageMediaId", foreignPicture, object{"name": "A", "url": "https://a.example/"}},
		{"TESTIMONIAL", "imageMediaId", foreignPicture, object{"quote": "A", "author": "B"}},
	} {
		created := b.did(t, "add_link_block", object{"pageId": page, "type": c.typ, "settings": c.settings})
		with("add_link_block", "settings/"+c.typ+"/"+c.member, c.foreign, func(a object, id string) {
			settings := maps.Clone(c.settings)
			settings[c.member] = id
			a["pageId"], a["type"], a["settings"] = page, c.typ, settings
		})
		with("update_link_block", "settings/"+c.typ+"/"+c.member, c.foreign, func(a object, id string) {
			a["pageId"], a["blockId"], a["settings"] = page, textAt(t, created, "block", "id"), object{c.member: id}
		})
	}
}

// TestForeignIDsAreNotFound covers every id argument of the tools.
func TestForeignIDsAreNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	places := b.places(t)
	require.Len(t, places, 39)
	before := b.state(t)
	for _, p := range places {
		t.Log(p.tool, p.member)
		var first string
		for _, id := range []string{p.foreign, ident.New[ident.Post]().String(), strings.ToUpper(p.foreign)} {
			got := b.refused(t, p.tool, p.put(id), "NOT_FOUND")
			require.Empty(t, got.Errors)
			got.RequestID = ""
			got.Detail = strings.ReplaceAll(got.Detail, strings.ToLower(id), "…")
			text := encode(t, got)
			require.NotContains(t, text, p.foreign)
			if first == "" {
				first = text
			}
			require.Equal(t, first, text, "a foreign id looks like an unknown one")
		}
		if !strings.HasSuffix(p.member, "imageMediaId") { // there the nil id means no picture
			r := b.resultOf(t, p.tool, b.do(t, callOf(t, newest, b.ours.key, p.tool, p.put(nilID))))
			require.True(t, r.IsError, "%s %s: an unknown id: %s", p.tool, p.member, r.Content[0].Text)
			require.Contains(t, []string{"NOT_FOUND", "VALIDATION_FAILED"}, codeOf(t, r))
		}
		for _, id := range []string{
			"x", p.foreign + "x", "urn:uuid:" + p.foreign, "{" + p.foreign + "}", strings.ReplaceAll(p.foreign, "-", ""),
		} {
			require.NotEmpty(t, b.refused(t, p.tool, p.put(id), "VALIDATION_FAILED").Errors)
		}
	}
	require.Equal(t, before, b.state(t), "nothing of it had an effect")
}

func codeOf(t testing.TB, r result) string {
	t.Helper()
	var got refusal
	require.NoError(t, json.Unmarshal([]byte(r.Content[0].Text), &got))
	return got.Code
}

// TestForeignFilters checks that a list filtered by a foreign channel is as empty as one filtered by an unknown
// channel.
func TestForeignFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.draft(t, b.ours)
	b.draft(t, b.theirs)
	for _, id := range []string{b.theirs.channel.String(), ident.New[ident.Channel]().String()} {
		require.Empty(t, postIDs(t, b.did(t, "list_posts", object{"channelId": id})))
	}
	require.Len(t, postIDs(t, b.did(t, "list_posts", object{"channelId": b.ours.channel})), 1)
	require.Len(t, postIDs(t, b.did(t, "list_posts", object{})), 1)
	b.refused(t, "list_posts", object{"channelId": nilID}, "VALIDATION_FAILED")
	for _, pages := range []object{
		b.did(t, "list_link_pages", object{}), b.call(t, b.theirs.key, "list_link_pages", object{}),
	} {
		require.Empty(t, at(t, pages, "data"))
	}
	channels, ok := at(t, b.did(t, "get_analytics", object{}), "workspace", "channels").([]any)
	require.True(t, ok)
	require.Len(t, channels, len(b.ours.channels))
	require.NotContains(t, encode(t, channels), b.theirs.channel.String())
}

// TestForeignCursors checks that cursors of another list are rejected.
func TestForeignCursors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 {
		b.draft(t, b.ours)
		b.draft(t, b.theirs)
	}
	foreign := textAt(t, b.call(t, b.theirs.key, "list_posts", object{"limit": 1}), "nextCursor")
	mine := textAt(t, b.did(t, "list_posts", object{"limit": 1}), "nextCursor")
	for _, arguments := range []object{
		{"cursor": foreign},
		{"cursor": "x"},
		{"cursor": mine + "A"},
		{"cursor": strings.ToUpper(mine)},
		{"cursor": mine, "status": "DRAFT"},
		{"cursor": mine, "channelId": b.ours.channel},
	} {
		b.refused(t, "list_posts", arguments, "INVALID_CURSOR")
	}
	require.Len(t, postIDs(t, b.did(t, "list_posts", object{"cursor": mine})), 2)
}
