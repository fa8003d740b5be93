package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/ident"
)

// page creates a link page, because no tool can.
func (b *bundle) page(t testing.TB, of tenant) string {
	t.Helper()
	handle := "p" + strings.ReplaceAll(ident.New[ident.Post]().String(), "-", "")[:20]
	created, err := b.app.CreateLinkPage(t.Context(), app.Principal{WorkspaceID: of.id, Key: credential.Key{Scopes: []credential.Scope{credential.LinksWrite}}},
		linkpage.New{Handle: handle, Title: "Mara"})
	require.NoError(t, err)
	return created.ID.String()
}

// wholeSettings returns settings of every type with all fields.
func (b *bundle) wholeSettings(t testing.TB) map[linkpage.BlockType]object {
	t.Helper()
	post, err := ident.Parse[ident.Post](b.draft(t, b.ours))
	require.NoError(t, err)
	all := make(map[linkpage.BlockType]object)
	for _, sample := range linkpage.Samples(linkpage.Sampling{
		Image: b.ours.picture, Post: post, Time: "2026-03-01T09:00:00.000Z",
	}) {
		var settings object
		require.NoError(t, json.Unmarshal(sample.Settings, &settings))
		all[sample.Type] = settings
	}
	return all
}

// TestBlocksOfEveryType adds each type, reads it, and sends the result as a change.
func TestBlocksOfEveryType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page := b.page(t, b.ours)
	settings := b.wholeSettings(t)
	require.Len(t, settings, len(linkpage.BlockTypes()))
	for typ, said := range settings {
		created := b.did(t, "add_link_block", object{
			"pageId": page, "type": string(typ), "settings": said, "showFrom": "2026-03-01T09:00:00+02:00", "position": 0,
		})
		block := at(t, created, "block")
		require.Equal(t, said, at(t, block, "settings"))
		require.Equal(t, "2026-03-01T07:00:00.000Z", at(t, block, "showFrom"))
		read := b.did(t, "get_link_page", object{"pageId": page})
		require.Equal(t, block, at(t, read, "page", "blocks", 0))
		require.Equal(t, created["revision"], at(t, read, "page", "revision"))
		same := b.did(t, "update_link_block", object{
			"pageId": page, "blockId": at(t, block, "id"), "settings": said, "expectedRevision": created["revision"],
		})
		require.Equal(t, block, same["block"])
		require.Equal(t, created["revision"], same["revision"], "nothing was changed")
		hidden := b.did(t, "update_link_block", object{
			"pageId": page, "blockId": at(t, block, "id"), "isVisible": false,
			"clear": []any{"showFrom"}, "showUntil": nil,
		})
		require.Equal(t, []any{false, nil}, []any{at(t, hidden, "block", "isVisible"), at(t, hidden, "block", "showFrom")})
	}
	published := b.did(t, "publish_link_page", object{"pageId": page})
	require.NotNil(t, at(t, published, "page", "published"))
	require.Equal(t, published, b.did(t, "publish_link_page", object{"pageId": page}),
		"a page without changes stays as it is")
	require.Equal(t, page, textAt(t, b.did(t, "list_link_pages", object{}), "data", 0, "id"))
	require.Equal(t, published["page"], b.did(t, "get_link_page", object{"pageId": page})["page"])
}

// TestOutdatedRevisionIsRefused checks that a change with an outdated revision is rejected.
func TestOutdatedRevisionIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page := b.page(t, b.ours)
	first := b.did(t, "add_link_block", object{"pageId": page, "type": "TEXT", "settings": object{"text": "A"}})
	block := textAt(t, first, "block", "id")
	second := b.did(t, "update_link_block", object{
		"pageId": page, "blockId": block, "settings": object{"text": "B"}, "expectedRevision": first["revision"],
	})
	require.Greater(t, second["revision"], first["revision"])
	for tool, arguments := range map[string]object{
		"add_link_block":    {"pageId": page, "type": "TEXT", "settings": object{"text": "C"}},
		"update_link_block": {"pageId": page, "blockId": block, "settings": object{"text": "C"}},
		"publish_link_page": {"pageId": page},
	} {
		arguments["expectedRevision"] = first["revision"]
		failure := b.refused(t, tool, arguments, "PRECONDITION_FAILED")
		require.Contains(t, failure.Next, "get_link_page")
		arguments["expectedRevision"] = 0
		require.Equal(t, []string{"/expectedRevision"}, b.refused(t, tool, arguments, "VALIDATION_FAILED").pointers())
	}
	read := b.did(t, "get_link_page", object{"pageId": page})
	require.Equal(t, "B", textAt(t, read, "page", "blocks", 0, "settings", "text"))
	require.Nil(t, at(t, read, "page", "published"))
	b.did(t, "publish_link_page", object{"pageId": page, "expectedRevision": second["revision"]})
}

func TestFaultsOfBlocks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page := b.page(t, b.ours)
	block := textAt(t, b.did(t, "add_link_block", object{"pageId": page, "type": "TEXT", "settings": object{"text": "A"}}),
		"block", "id")
	for _, c := range []struct {
		tool      string
		arguments object
		want      []string
	}{
		{"add_link_block", object{}, []string{"/pageId", "/type", "/settings"}},
		{"add_link_block", object{"pageId": page, "type": "MAP", "settings": object{}}, []string{"/type"}},
		{
			"add_link_block",
			object{"pageId": page, "type": "LINK", "settings": object{"url": "javascript:alert(1)"}},
			[]string{"/settings/title", "/settings/url"},
		},
		{
			"add_link_block",
			object{"pageId": page, "type": "TEXT", "settings": object{"text": "A", "url": "x"}},
			[]string{"/settings/url"},
		},
		{
			"add_link_block",
			object{"pageId": page, "type": "TEXT", "settings": object{"text": "A"}, "position": 100},
			[]string{"/position"},
		},
		{"update_link_block", object{"pageId": page, "blockId": block}, []string{""}},
		{
			"update_link_block",
			object{"pageId": page, "blockId": block, "settings": object{"text": nil}},
			[]string{"/settings/text"},
		},
		{"update_link_block", object{"pageId": page, "blockId": block, "type": "LINK"}, []string{"/type"}},
		{"update_link_block", object{"pageId": page, "blockId": block, "isVisible": "yes"}, []string{"/isVisible"}},
		{
			"update_link_block",
			object{"pageId": page, "blockId": block, "clear": []any{"showFrom", "settings", "showFrom"}},
			[]string{"/clear/1", "/clear/2"},
		},
		{
			"update_link_block",
			object{"pageId": page, "blockId": block, "clear": []any{"showFrom"}, "showFrom": tomorrow()},
			[]string{"/clear/0"},
		},
	} {
		require.ElementsMatch(t, c.want, b.refused(t, c.tool, c.arguments, "VALIDATION_FAILED").pointers(),
			encode(t, c.arguments))
	}
}
