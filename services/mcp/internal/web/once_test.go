package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

func TestParallelCallsWithOneKeyTakeEffectOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.twin(t)
	arguments := object{
		"channelIds": []any{b.ours.channel, b.ours.channels["LINKEDIN_PAGE"]}, "content": "x", "idempotencyKey": "one",
	}
	responses := atOnce(50, func(i int) toolResponse {
		return []*bundle{b, other}[i%2].do(t, callOf(t, newest, b.ours.key, "create_post", arguments))
	})
	var first object
	var fresh int
	for _, a := range responses {
		r := b.resultOf(t, "create_post", a)
		if r.IsError {
			got := b.refusalIn(t, "create_post", a, "IDEMPOTENCY_IN_PROGRESS")
			require.Contains(t, got.Next, "including idempotencyKey")
			continue
		}
		created := b.good(t, "create_post", r)
		if first == nil {
			first = created
		}
		require.Equal(t, first["posts"], created["posts"])
		if created["replayed"] == false {
			fresh++
		}
	}
	require.Equal(t, 1, fresh, "one call did the work")
	require.Equal(t, 2, b.count(t, `post`))
	require.Equal(t, 2, b.count(t, `event`))
	require.Equal(t, true, b.did(t, "create_post", arguments)["replayed"])
}

func TestKeyIdentifiesOneCall(t *testing.T) {
	t.Parallel()
	b := setup(t)
	arguments := func(change func(o object)) object {
		out := object{"channelIds": []any{b.ours.channel}, "content": "é", "idempotencyKey": "k"}
		change(out)
		return out
	}
	first := b.did(t, "create_post", arguments(func(object) {}))
	b.did(t, "publish_post", object{"postId": textAt(t, first, "posts", 0, "id")})
	again := b.did(t, "create_post", arguments(func(object) {}))
	require.Equal(t, first["posts"], again["posts"], "as they were then")
	for name, change := range map[string]func(o object){
		"value": func(o object) { o["content"] = "e" }, "more": func(o object) { o["title"] = "T" },
		"less":     func(o object) { delete(o, "content") },
		"schedule": func(o object) { o["schedule"] = "now" }, "the same in words": func(o object) { o["schedule"] = "draft" },
	} {
		t.Log(name)
		require.Contains(t, b.refused(t, "create_post", arguments(change), "IDEMPOTENCY_KEY_REUSED").Next, "new key")
	}
	require.Equal(t, false, b.call(t, b.theirs.key, "create_post",
		object{"channelIds": []any{b.theirs.channel}, "content": "é", "idempotencyKey": "k"})["replayed"],
		"keys are the workspace's")
	b.refused(t, "create_post", object{"channelIds": []any{b.theirs.channel}, "content": "x", "idempotencyKey": "f"},
		"NOT_FOUND")
	require.Equal(t, false, b.did(t, "create_post",
		object{"channelIds": []any{b.ours.channel}, "content": "x", "idempotencyKey": "f"})["replayed"],
		"failures are not kept")
	for _, key := range []string{"a b", "é", "\t", longText(256)} {
		got := b.refused(t, "create_post", arguments(func(o object) { o["idempotencyKey"] = key }), "VALIDATION_FAILED")
		require.True(t, slices.Contains(got.pointers(), "/idempotencyKey"))
	}
	require.Equal(t, 3, b.count(t, `post`))
	narrow := b.key(t, b.ours.id, "posts:write")
	b.did(t, "create_post", object{
		"channelIds": []any{b.ours.channel}, "content": "x", "schedule": "now", "idempotencyKey": "p",
	})
	b.refusalIn(t, "create_post", b.do(t, callOf(t, newest, narrow, "create_post",
		object{"channelIds": []any{b.ours.channel}, "content": "x", "schedule": "now", "idempotencyKey": "p"})),
		"INSUFFICIENT_SCOPE") // a stored response is shown only to those who may request it
}

func TestKeysOfBlocks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page, other := b.page(t, b.ours), b.page(t, b.ours)
	arguments := object{"pageId": page, "type": "TEXT", "settings": object{"text": "A"}, "idempotencyKey": "k"}
	first := b.did(t, "add_link_block", arguments)
	b.did(t, "add_link_block", object{"pageId": page, "type": "TEXT", "settings": object{"text": "B"}})
	again := b.did(t, "add_link_block", arguments)
	require.Equal(t, first["block"], again["block"])
	require.Equal(t, true, again["replayed"])
	require.Greater(t, again["revision"], first["revision"], "of the page as it is now")
	b.refused(t, "add_link_block", object{
		"pageId": other, "type": "TEXT", "settings": object{"text": "A"}, "idempotencyKey": "k",
	}, "IDEMPOTENCY_KEY_REUSED")
	b.refused(t, "add_link_block", object{
		"pageId": page, "type": "TEXT", "settings": object{"text": "C"}, "idempotencyKey": "k",
	}, "IDEMPOTENCY_KEY_REUSED")
	blocks, ok := at(t, b.did(t, "get_link_page", object{"pageId": page}), "page", "blocks").([]any)
	require.True(t, ok)
	require.Len(t, blocks, 2)
}

// TestKeyIsSharedByAllTools also covers the operations of the API.
func TestKeyIsSharedByAllTools(t *testing.T) {
	t.Parallel()
	b := setup(t)
	api, page := b.rest(t), b.page(t, b.ours)
	post := object{"channelIds": []any{b.ours.channel}, "content": "x", "idempotencyKey": "post"}
	block := object{"pageId": page, "type": "TEXT", "settings": object{"text": "A"}, "idempotencyKey": "block"}
	created := b.did(t, "create_post", post)
	b.did(t, "add_link_block", block)
	replay := api.send(t, http.MethodPost, "/v1/posts", b.ours.key,
		encode(t, object{"channelIds": post["channelIds"], "content": "x"}), "Idempotency-Key", "post")
	require.Equal(t, http.StatusCreated, replay.status, replay.body)
	require.Equal(t, "true", replay.header.Get("Idempotent-Replayed"))
	require.JSONEq(t, encode(t, created["posts"]), replay.body)
	post["idempotencyKey"], block["idempotencyKey"] = "block", "post"
	b.refused(t, "create_post", post, "IDEMPOTENCY_KEY_REUSED")
	b.refused(t, "add_link_block", block, "IDEMPOTENCY_KEY_REUSED")
	hook := encode(t, object{"url": "https://hooks.example.com/", "events": []any{"*"}})
	for _, key := range []string{"post", "block"} {
		reused := api.send(t, http.MethodPost, "/v1/webhooks", b.ours.key, hook, "Idempotency-Key", key)
		require.Equal(t, http.StatusUnprocessableEntity, reused.status, reused.body)
		require.Contains(t, reused.body, "IDEMPOTENCY_KEY_REUSED")
	}
	require.Equal(t, []int{1, 0}, []int{b.count(t, `post`), b.count(t, `webhook`)})
}

// TestKeysOfImports imports with one key by parallel and repeated calls, and by the API.
func TestKeysOfImports(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.wake = func(relay.Wake) { b.finishImports(t) } // as the worker does
	b = b.twin(t)
	arguments := object{"url": "https://cdn.example.com/spring.png", "name": "Spring", "idempotencyKey": "import"}
	var fresh int
	for _, a := range atOnce(10, func(int) toolResponse {
		return b.do(t, callOf(t, newest, b.ours.key, "import_media", arguments))
	}) {
		if r := b.resultOf(t, "import_media", a); r.IsError {
			b.refusalIn(t, "import_media", a, "IDEMPOTENCY_IN_PROGRESS")
		} else if b.good(t, "import_media", r)["replayed"] == false {
			fresh++
		}
	}
	require.Equal(t, 1, fresh, "one call did the work")
	again := b.did(t, "import_media", arguments)
	require.Equal(t, true, again["replayed"])
	require.Equal(t, "Spring", textAt(t, again, "media", "name"))
	imported := `media WHERE name = 'Spring' AND workspace_id = $1`
	require.Equal(t, 1, b.count(t, imported, b.ours.id.String()))
	require.Equal(t, 1, b.count(t, `media_import`))

	changed := object{"url": arguments["url"], "name": "Summer", "idempotencyKey": "import"}
	b.refused(t, "import_media", changed, "IDEMPOTENCY_KEY_REUSED")
	theirs := b.call(t, b.theirs.key, "import_media", arguments)
	require.Equal(t, false, theirs["replayed"], "keys are the workspace's")
	replay := b.rest(t).send(t, http.MethodPost, "/v1/media", b.ours.key,
		encode(t, object{"url": arguments["url"], "name": "Spring"}), "Idempotency-Key", "import")
	require.Equal(t, http.StatusCreated, replay.status, replay.body)
	require.Equal(t, textAt(t, again, "media", "id"), textAt(t, decoded(t, replay.body), "id"))
	require.Equal(t, 1, b.count(t, imported, b.ours.id.String()))
}

// finishImports completes the running imports with an asset.
func (b *bundle) finishImports(t testing.TB) {
	t.Helper()
	imports := postgres.NewImports(b.db, b.keyring)
	for _, row := range b.column(t, `SELECT workspace_id || ' ' || id FROM media_import WHERE state = 'RUNNING'`) {
		of, id, _ := strings.Cut(row, " ")
		workspaceID, err := ident.Parse[ident.Workspace](of)
		require.NoError(t, err)
		mediaID, err := ident.Parse[ident.Media](id)
		require.NoError(t, err)
		found, err := imports.Get(t.Context(), workspaceID, mediaID)
		require.NoError(t, err)
		object := media.Object{Key: media.NewKey(), ETag: "etag", ContentType: media.ContentTypePNG, Size: 70}
		require.NoError(t, postgres.NewLoose(b.db).Register(t.Context(), object.Key, time.Hour))
		require.NoError(t, imports.Finish(t.Context(), media.Asset{
			ID: found.ID, WorkspaceID: found.WorkspaceID, Name: found.Name, Type: media.Image, ContentType: object.ContentType,
			Size: object.Size, CreatedAt: found.CreatedAt, Files: media.Files{Original: object},
		}, workspace.Growth.Limits()))
	}
}

// TestEveryChangeAcceptsKey repeats a call of each tool that changes something.
func TestEveryChangeAcceptsKey(t *testing.T) {
	t.Parallel()
	b := withStore(t, objectstoretest.Open(t))
	samples := b.samples(t, b.ours)
	started := b.did(t, "create_media_upload", object{
		"fileName": "spring.png", "contentType": media.ContentTypePNG, "sizeBytes": len(picture(t)),
	})
	require.Equal(t, http.StatusOK, b.send(t, started, picture(t)))
	samples["complete_media_upload"] = object{"mediaId": textAt(t, started, "mediaId")}
	for _, tool := range b.catalogue(t) {
		arguments := samples[tool.Name]
		if tool.Annotations["readOnlyHint"] == true {
			require.NotContains(t, string(tool.InputSchema), "idempotencyKey", tool.Name)
			continue
		}
		if tool.Name == "import_media" { // TestKeysOfImports
			continue
		}
		arguments["idempotencyKey"] = tool.Name
		first := b.did(t, tool.Name, arguments)
		before := b.state(t)
		again := b.did(t, tool.Name, arguments)
		require.Equal(t, before, b.state(t), tool.Name)
		if tool.Name != "create_media_upload" { // its output is that of the API
			require.Equal(t, []any{false, true}, []any{first["replayed"], again["replayed"]}, tool.Name)
			delete(first, "replayed")
			delete(again, "replayed")
		}
		delete(first, "clock")
		delete(again, "clock")
		require.Equal(t, first, again, tool.Name)
	}
}
