package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

func TestLinkPageLifecycle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.post(t, pathLinks, `{"handle":"Mara-Weber","title":" Mara ","bio":"Hello","theme":{"name":"OCEAN"}}`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	page := created.object(t)
	path := pathLinks + "/" + text(t, page, "id")
	require.Equal(t, path, created.header.Get("Location"))
	require.Equal(t, `"1"`, created.header.Get("ETag"))
	require.Equal(t, "mara-weber", page["handle"])
	require.Equal(t, pagesURL+"/mara-weber", page["url"])
	require.Equal(t, "DRAFT", page["status"])
	require.Equal(t, "Mara", page["title"])
	require.Equal(t, []any{}, page["blocks"])
	require.Nil(t, page["published"])
	require.Equal(t, map[string]any{"name": "OCEAN", "accentColor": "#0b7189", "appearance": "AUTO", "avatarMediaId": nil},
		page["theme"])
	require.Equal(t, map[string]any{"title": nil, "description": nil, "imageMediaId": nil, "noIndex": false}, page["seo"])
	require.Equal(t, page, b.get(t, path).object(t))

	require.Equal(t, http.StatusCreated, b.post(t, path+"/blocks", aLink).status)
	live := b.post(t, path+"/publish", "").object(t)
	require.Equal(t, "PUBLISHED", live["status"])
	require.Equal(t, false, live["hasUnpublishedChanges"])
	again := b.post(t, path+"/publish", "")
	require.Equal(t, live, again.object(t), "there was nothing to publish")

	edited := b.write(t, http.MethodPatch, path,
		`{"handle":"mara","title":"M","bio":null,"seo":{"title":"S","noIndex":true}}`)
	require.Equal(t, http.StatusOK, edited.status, edited.body)
	page = edited.object(t)
	require.Equal(t, []any{"mara", pagesURL + "/mara", "M", nil, true},
		[]any{page["handle"], page["url"], page["title"], page["bio"], page["hasUnpublishedChanges"]})
	shown, ok := page["published"].(map[string]any)
	require.True(t, ok)
	require.Equal(t, []any{"mara-weber", pagesURL + "/mara-weber", "Mara", "Hello"},
		[]any{shown["handle"], shown["url"], shown["title"], shown["bio"]})
	page = b.write(t, http.MethodPatch, path, `{"seo":{"description":"D"},"theme":{"appearance":"DARK"}}`).object(t)
	require.Equal(t, map[string]any{"title": "S", "description": "D", "imageMediaId": nil, "noIndex": true}, page["seo"],
		"what is left out stays")
	require.Equal(t, map[string]any{"name": "OCEAN", "accentColor": "#0b7189", "appearance": "DARK", "avatarMediaId": nil},
		page["theme"])

	list := b.get(t, pathLinks).object(t)
	require.Nil(t, list["nextCursor"])
	require.Equal(t, []any{map[string]any{
		"id": page["id"], "handle": "mara", "url": pagesURL + "/mara", "status": "PUBLISHED", "title": "M", "blockCount": 1.,
		"revision":              page["revision"],
		"hasUnpublishedChanges": true, "publishedUrl": pagesURL + "/mara-weber", "publishedAt": shown["publishedAt"],
		"createdAt": page["createdAt"], "updatedAt": page["updatedAt"],
	}}, list["data"])

	down := b.post(t, path+"/unpublish", "")
	require.Equal(t, "DRAFT", down.object(t)["status"])
	p := requireProblem(t, b.post(t, path+"/unpublish", ""), http.StatusConflict, "INVALID_STATE")
	require.Equal(t, "DRAFT", p["currentStatus"])
	require.Equal(t, http.StatusNoContent, b.do(t, request{method: http.MethodDelete, path: path, key: b.ours.key}).status)
	requireProblem(t, b.get(t, path), http.StatusNotFound, "NOT_FOUND")
	require.Equal(t, http.StatusCreated, b.post(t, pathLinks, `{"handle":"mara-weber","title":"A"}`).status,
		"the handle is free again")
}

func TestLinkPageFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.linkPage(t, b.ours)
	video := b.ours.media.String()
	for body, want := range map[string][]string{
		`{}`:                           {"/handle", "/title"},
		`{"handle":"a b","title":" "}`: {"/handle", "/title"},
		`{"handle":"admin","title":"A","bio":"` + strings.Repeat("x",
			501) + `","seo":{"titel":"x"},"theme":{"name":"NEON","accentColor":"red"}}`: {
			"/bio", "/seo/titel", "/theme/name", "/handle",
		},
		`{"handle":"fine","title":"A","theme":{"accentColor":"#ffffff"}}`: {"/theme/accentColor"},
		`{"handle":"fine","title":"A","seo":{"imageMediaId":"x"},"theme":{"avatarMediaId":"x"}}`: {
			"/seo/imageMediaId", "/theme/avatarMediaId",
		},
		`{"handle":"fine","title":"A","seo":{"imageMediaId":"` + video + `"},"theme":{"avatarMediaId":"` + video +
			`"}}`: {"/seo/imageMediaId", "/theme/avatarMediaId"},
		`{"handle":"fine","title":"A","blocks":[],"status":"PUBLISHED"}`: {"/blocks", "/status"},
	} {
		p := requireProblem(t, b.post(t, pathLinks, body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.ElementsMatch(t, want, pointers(t, p), body)
	}
	for body, want := range map[string]string{
		`{}`: "", `{"seo":{}}`: "", `{"handle":null}`: "/handle", `{"title":""}`: "/title",
		`{"theme":{"accentColor":"#ffffff"}}`: "/theme/accentColor",
		`{"theme":{"name":null}}`:             "/theme/name", `{"seo":null}`: "/seo",
		`{"seo":{"imageMediaId":"` + video + `"}}`: "/seo/imageMediaId",
	} {
		p := requireProblem(t, b.write(t, http.MethodPatch, path, body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{want}, pointers(t, p), body)
	}
	theirs := b.get(t, b.linkPage(t, b.ours)).object(t)
	p := requireProblem(t, b.write(t, http.MethodPatch, path,
		`{"handle":"`+strings.ToUpper(text(t, theirs, "handle"))+`"}`), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Equal(t, "/handle is taken; choose another name", p["detail"])
	p = requireProblem(t, b.post(t, pathLinks, `{"handle":"fine","title":"A","theme":{"accentColor":"#ffffff"}}`),
		http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Regexp(t, `at least 3 is needed, as #[0-9a-f]{6} has`, p["detail"], "the remedy")
}

// TestLinkPagesReferToOwnResources sets every id property to ids of other tenants and to unknown ids, also the nil UUID.
func TestLinkPagesReferToOwnResources(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page, block := b.linkBlock(t, b.ours)
	path := pathLinks + "/" + page
	image, foreign := b.asset(t, b.ours.id, media.Image).String(), b.asset(t, b.theirs.id, media.Image).String()
	unknown := ident.New[ident.Media]().String()
	mine, theirPost := b.draft(t, b.ours), b.draft(t, b.theirs)
	type attempt struct{ method, path, body, ours, theirs string }
	for _, c := range []attempt{
		{http.MethodPost, pathLinks, `{"handle":"fine","title":"A","seo":{"imageMediaId":"ID"}}`, image, foreign},
		{http.MethodPost, pathLinks, `{"handle":"finer","title":"A","theme":{"avatarMediaId":"ID"}}`, image, foreign},
		{http.MethodPatch, path, `{"seo":{"imageMediaId":"ID"}}`, image, foreign},
		{http.MethodPatch, path, `{"theme":{"avatarMediaId":"ID"}}`, image, foreign},
		{
			http.MethodPost, path + "/blocks",
			`{"type":"LINK","settings":{"title":"A","url":"https://a.example","imageMediaId":"ID"}}`, image, foreign,
		},
		{
			http.MethodPost, path + "/blocks",
			`{"type":"PRODUCT","settings":{"name":"A","url":"https://a.example","imageMediaId":"ID"}}`, image, foreign,
		},
		{
			http.MethodPost, path + "/blocks",
			`{"type":"TESTIMONIAL","settings":{"quote":"A","author":"A","imageMediaId":"ID"}}`, image, foreign,
		},
		{http.MethodPost, path + "/blocks", `{"type":"POST_CARD","settings":{"postId":"ID"}}`, mine, theirPost},
		{http.MethodPatch, path + "/blocks/" + block, `{"settings":{"imageMediaId":"ID"}}`, image, foreign},
	} {
		var first map[string]any
		for _, id := range []string{c.theirs, unknown, uuid.Nil.String()} {
			p := requireProblem(t, b.write(t, c.method, c.path, strings.ReplaceAll(c.body, "ID", id)), http.StatusNotFound,
				"NOT_FOUND")
			p["detail"] = strings.ReplaceAll(text(t, p, "detail"), id, "…")
			delete(p, "requestId")
			if first == nil {
				first = p
			}
			require.Equal(t, first, p, "a foreign id looks like an unknown one")
		}
		require.Less(t, b.write(t, c.method, c.path, strings.ReplaceAll(c.body, "ID", c.ours)).status, 300, c.body)
	}
	p := requireProblem(t, b.do(t, request{method: http.MethodDelete, path: "/v1/media/" + image, key: b.ours.key}),
		http.StatusConflict, "MEDIA_IN_USE")
	require.Contains(t, p["detail"], "link page "+page)

	theirPage, theirBlock := b.linkBlock(t, b.theirs)
	for _, at := range []string{
		theirPage + "/blocks/" + theirBlock, theirPage + "/blocks/" + block, page + "/blocks/" + theirBlock,
	} {
		requireProblem(t, b.write(t, http.MethodPatch, pathLinks+"/"+at, `{"isVisible":false}`), http.StatusNotFound,
			"NOT_FOUND")
		requireProblem(t, b.do(t, request{method: http.MethodDelete, path: pathLinks + "/" + at, key: b.ours.key}),
			http.StatusNotFound, "NOT_FOUND")
	}
}

func TestLinkPageQuota(t *testing.T) {
	t.Parallel()
	b := setup(t)
	free := tenant{id: b.emptyWorkspace(t)}
	free.key = b.key(t, free.id, credential.LinksRead, credential.LinksWrite)
	path := b.linkPage(t, free)
	refused := b.do(t, request{
		method: http.MethodPost, path: pathLinks, key: free.key, contentType: "application/json",
		body: `{"handle":"another","title":"A"}`,
	})
	p := requireProblem(t, refused, http.StatusForbidden, "QUOTA_EXCEEDED")
	require.Contains(t, p["detail"], "has 1 of the 1 link pages that the plan allows")
	require.Empty(t, refused.header.Get("WWW-Authenticate"), "no scope helps")
	p = requireProblem(t, b.do(t, request{method: http.MethodGet, path: path + "/analytics", key: free.key}),
		http.StatusForbidden, "QUOTA_EXCEEDED")
	require.Contains(t, p["detail"], "does not include analytics of link pages")
	requireProblem(t, b.do(t, request{method: http.MethodGet, path: pathLinks + "/x/analytics", key: free.key}),
		http.StatusNotFound, "NOT_FOUND")
	for _, key := range []string{b.key(t, free.id, credential.DefaultScopes()...)} {
		requireProblem(t, b.do(t, request{method: http.MethodGet, path: pathLinks, key: key}), http.StatusForbidden,
			"INSUFFICIENT_SCOPE")
	}
}

func TestLinkPageCreationIsIdempotent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := `{"handle":"once","title":"A"}`
	first := b.once(t, "k", pathLinks, body)
	requireFresh(t, first, http.StatusCreated)
	second := b.once(t, "k", pathLinks, body)
	requireReplay(t, first, second)
	require.Equal(t, first.header.Get("Location"), second.header.Get("Location"))
	path := first.header.Get("Location") + "/blocks"
	block := b.once(t, "k2", path, aLink)
	requireFresh(t, block, http.StatusCreated)
	requireReplay(t, block, b.once(t, "k2", path, aLink))
	requireProblem(t, b.once(t, "k2", path, strings.Replace(aLink, "Shop", "Shops", 1)), http.StatusUnprocessableEntity,
		"IDEMPOTENCY_KEY_REUSED")
	require.Len(t, b.blocks(t, text(t, first.object(t), "id")), 1)
}
