package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

// wholeSettings returns settings of every type with all fields, as they are in requests and responses.
func (b *bundle) wholeSettings(t testing.TB) map[linkpage.BlockType]string {
	t.Helper()
	post, err := ident.Parse[ident.Post](b.draft(t, b.ours))
	require.NoError(t, err)
	all := make(map[linkpage.BlockType]string)
	for _, sample := range linkpage.Samples(linkpage.Sampling{
		Image: b.asset(t, b.ours.id, media.Image), Post: post, Time: "2026-03-01T09:00:00.000Z",
	}) {
		all[sample.Type] = string(sample.Settings)
	}
	return all
}

// TestBlocksOfEveryType adds each type, reads it, and sends the response as a change.
func TestBlocksOfEveryType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.linkPage(t, b.ours)
	page := strings.TrimPrefix(path, pathLinks+"/")
	for typ, settings := range b.wholeSettings(t) {
		created := b.post(t, path+"/blocks", `{"type":"`+string(typ)+`","settings":`+settings+
			`,"showFrom":"2026-03-01T09:00:00+02:00","position":0}`)
		require.Equal(t, http.StatusCreated, created.status, created.body)
		block := created.object(t)
		require.JSONEq(t, settings, encode(t, block["settings"]))
		require.Equal(t, []any{string(typ), true, "2026-03-01T07:00:00.000Z", nil},
			[]any{block["type"], block["isVisible"], block["showFrom"], block["showUntil"]})
		at := path + "/blocks/" + text(t, block, "id")
		require.Equal(t, at, created.header.Get("Location"))
		require.Equal(t, block, b.blocks(t, page)[0])
		same := b.write(t, http.MethodPatch, at, `{"settings":`+encode(t, block["settings"])+`}`)
		require.Equal(t, block, same.object(t))
		require.Equal(t, created.header.Get("ETag"), same.header.Get("ETag"), "nothing was changed")

		var least map[string]any
		require.NoError(t, json.Unmarshal([]byte(settings), &least))
		bare := map[string]any{}
		for name := range least {
			bare[name] = nil
		}
		p := requireProblem(t, b.write(t, http.MethodPatch, at, `{"settings":`+encode(t, bare)+`}`),
			http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		for _, pointer := range pointers(t, p) {
			name := strings.TrimPrefix(pointer, "/settings/")
			bare[name] = least[name]
		}
		changed := b.write(t, http.MethodPatch, at, `{"settings":`+encode(t, bare)+`}`)
		require.Equal(t, http.StatusOK, changed.status, changed.body)
		again := b.write(t, http.MethodPatch, at, `{"settings":`+encode(t, changed.object(t)["settings"])+`,"showFrom":null}`)
		require.Equal(t, changed.object(t)["settings"], again.object(t)["settings"], "what is answered can be sent")
		require.Nil(t, again.object(t)["showFrom"])
	}
	require.Len(t, b.blocks(t, page), len(linkpage.BlockTypes()))
}

func TestBlockFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page, block := b.linkBlock(t, b.ours)
	path := pathLinks + "/" + page + "/blocks"
	for body, want := range map[string][]string{
		`{}`:                            {"/type", "/settings"},
		`{"type":"HTML","settings":{}}`: {"/type"},
		`{"type":"link","settings":{}}`: {"/type"},
		`{"type":"LINK","settings":[]}`: {"/settings"},
		`{"type":"LINK","settings":{}}`: {"/settings/title", "/settings/url"},
		`{"settings":{"title":"A"}}`:    {"/type"},
		`{"type":"LINK","settings":{"titel":"A","title":"` + strings.Repeat("x",
			101) + `","url":"javascript:alert(1)","featured":1}}`: {
			"/settings/title", "/settings/url", "/settings/featured", "/settings/titel",
		},
		`{"type":"TEXT","settings":{"text":"A","url":"https://a.example"}}`:                                                                            {"/settings/url"},
		`{"type":"FAQ","settings":{"items":[{"question":"A"},{"question":"A","answer":"B","x":1}]},"position":-1,"showFrom":"today"}`:                  {"/position", "/showFrom", "/settings/items/0/answer", "/settings/items/1/x"},
		`{"type":"COUPON","settings":{"title":"A","code":"B","buttonLabel":"C"},"showFrom":"2026-03-02T00:00:00Z","showUntil":"2026-03-01T00:00:00Z"}`: {"/settings/buttonLabel", "/showUntil"},
		`{"type":"TESTIMONIAL","settings":{"quote":"A","author":"B","rating":1.5},"id":"x"}`:                                                           {"/id", "/settings/rating"},
		`{"type":"SECTION","settings":{"title":"A"},"position":2}`:                                                                                     {"/position"},
	} {
		p := requireProblem(t, b.post(t, path, body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.ElementsMatch(t, want, pointers(t, p), body)
	}
	for body, want := range map[string][]string{
		`{}`: {""}, `{"settings":null}`: {"/settings"}, `{"type":"TEXT"}`: {"/type"},
		`{"settings":{"text":"x"}}`: {"/settings/text"}, `{"position":0}`: {"/position"},
		`{"settings":{"url":null,"title":""}}`: {"/settings/title", "/settings/url"}, `{"isVisible":null}`: {"/isVisible"},
		`{"showUntil":"1999-01-01T00:00:00Z"}`:                                    {"/showUntil"},
		`{"settings":{"imageMediaId":"x","url":"http://a.example"}}`:              {"/settings/imageMediaId", "/settings/url"},
		`{"settings":{"imageMediaId":"` + uuid.Nil.String() + `"},"isVisible":1}`: {"/isVisible"},
	} {
		p := requireProblem(t, b.write(t, http.MethodPatch, path+"/"+block, body), http.StatusUnprocessableEntity,
			"VALIDATION_FAILED")
		require.ElementsMatch(t, want, pointers(t, p), body)
	}
	for _, body := range []string{
		`{"type":"LINK","settings":{"title":"A","title":"B","url":"https://a.example"}}`,
		`{"type":"TEXT","settings":{"text":"\u0000"}}`,
		`{"type":"TEXT","settings":{"text":` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + `}}`,
	} {
		requireProblem(t, b.post(t, path, body), http.StatusBadRequest, "MALFORMED_REQUEST")
	}
	for _, typ := range []string{
		`"type":"LINK","settings":{"title":"A","url":"https://a.example",`, `"type":"PRODUCT","settings":{"name":"A","url":"https://a.example",`,
		`"type":"TESTIMONIAL","settings":{"quote":"A","author":"B",`,
	} {
		p := requireProblem(t, b.post(t, path, `{`+typ+`"imageMediaId":"`+uuid.Nil.String()+`"}}`), http.StatusNotFound,
			"NOT_FOUND")
		require.Equal(t, "There is no media asset "+uuid.Nil.String()+".", p["detail"])
	}
	require.Len(t, b.blocks(t, page), 1, "nothing was added")
}

func TestOrderOfBlocks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page, _ := b.linkBlock(t, b.ours)
	path := pathLinks + "/" + page + "/blocks"
	for range 2 {
		require.Equal(t, http.StatusCreated, b.post(t, path, aLink).status)
	}
	ids := b.blockIDs(t, page)
	slices.Reverse(ids)
	ordered := b.write(t, http.MethodPut, path+"/order", `{"blockIds":`+encode(t, ids)+`}`)
	require.Equal(t, http.StatusOK, ordered.status, ordered.body)
	require.Equal(t, ids, b.blockIDs(t, page))
	for name, c := range map[string]struct {
		ids  []any
		want string
	}{
		"one is missing": {ids[:2], "/blockIds"}, "none": {[]any{}, "/blockIds"},
		"twice": {[]any{ids[0], ids[1], ids[2], ids[0]}, "/blockIds/3"},
	} {
		p := requireProblem(t, b.write(t, http.MethodPut, path+"/order", `{"blockIds":`+encode(t, c.ids)+`}`),
			http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Contains(t, pointers(t, p), c.want, name)
	}
	require.Equal(t, ids, b.blockIDs(t, page))
	require.Equal(t, http.StatusNoContent, b.do(t,
		request{method: http.MethodDelete, path: fmt.Sprint(path, "/", ids[0]), key: b.ours.key}).status)
	require.Equal(t, ids[1:], b.blockIDs(t, page))
}

// TestLinkPageWithMaximumBlocks has the maximum number of blocks.
func TestLinkPageWithMaximumBlocks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.linkPage(t, b.ours) + "/blocks"
	for range linkpage.MaxBlocks {
		require.Equal(t, http.StatusCreated, b.post(t, path, aLink).status)
	}
	p := requireProblem(t, b.post(t, path, aLink), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Equal(t, "The page has 100 blocks; at most 100 are allowed. Delete a block first.", p["detail"])
	item := map[string]any{
		"question": strings.Repeat("ü", linkpage.MaxQuestion), "answer": strings.Repeat("ü", linkpage.MaxAnswer),
	}
	path = b.linkPage(t, b.ours) + "/blocks"
	faq := encode(t, map[string]any{
		"type": "FAQ", "settings": map[string]any{"items": slices.Repeat([]any{item}, linkpage.MaxItems)},
	})
	var refused response
	for range 6 {
		refused = b.post(t, path, faq)
	}
	p = requireProblem(t, refused, http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Contains(t, p["detail"], "at most 524288 are allowed")
}
