package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/ident"
)

const (
	pathLinks = "/v1/link-pages"
	aLink     = `{"type":"LINK","settings":{"title":"Shop","url":"https://shop.example.com/"}}`
)

// write sends a JSON body with our key.
func (b *bundle) write(t testing.TB, method, path, body string) response {
	t.Helper()
	return b.do(t, request{method: method, path: path, key: b.ours.key, contentType: "application/json", body: body})
}

// matching sends a change with an If-Match header.
func (b *bundle) matching(t testing.TB, method, path, body, tag string) response {
	t.Helper()
	r := request{method: method, path: path, key: b.ours.key, body: body, header: map[string]string{"If-Match": tag}}
	if body != "" {
		r.contentType = "application/json"
	}
	return b.do(t, r)
}

// handle returns a unique handle.
func handle() string {
	return "p" + strings.ReplaceAll(ident.New[ident.LinkPage]().String(), "-", "")[8:]
}

// linkPage creates a page and returns its path.
func (b *bundle) linkPage(t testing.TB, of tenant) string {
	t.Helper()
	created := b.do(t, request{
		method: http.MethodPost, path: pathLinks, key: of.key, contentType: "application/json",
		body: `{"handle":"` + handle() + `","title":"Mara"}`,
	})
	require.Equal(t, http.StatusCreated, created.status, created.body)
	return pathLinks + "/" + text(t, created.object(t), "id")
}

// linkBlock creates a page with a block.
func (b *bundle) linkBlock(t testing.TB, of tenant) (page, block string) {
	t.Helper()
	path := b.linkPage(t, of)
	created := b.do(t, request{
		method: http.MethodPost, path: path + "/blocks", key: of.key, contentType: "application/json", body: aLink,
	})
	require.Equal(t, http.StatusCreated, created.status, created.body)
	return strings.TrimPrefix(path, pathLinks+"/"), text(t, created.object(t), "id")
}

// blocks returns the blocks of our page, in their order.
func (b *bundle) blocks(t testing.TB, page string) []map[string]any {
	t.Helper()
	var read struct {
		Blocks []map[string]any `json:"blocks"`
	}
	b.get(t, pathLinks+"/"+page).into(t, &read)
	return read.Blocks
}

// blockIDs returns the ids of the blocks of our page.
func (b *bundle) blockIDs(t testing.TB, page string) []any {
	t.Helper()
	ids := []any{}
	for _, block := range b.blocks(t, page) {
		ids = append(ids, block["id"])
	}
	return ids
}
