package httpapi_test

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// thumbnail stores the result of processing an asset: a thumbnail.
func (b *bundle) thumbnail(t testing.TB, id string, data []byte) {
	t.Helper()
	parsed, err := ident.Parse[ident.Media](id)
	require.NoError(t, err)
	store := postgres.NewMedia(b.db)
	a, err := store.Get(t.Context(), b.ours.id, parsed)
	require.NoError(t, err)
	a.Files.Original.SHA256, a.Files.Published = make([]byte, 32), a.Files.Original
	a.Files.Published.SHA256 = a.Files.Original.SHA256
	a.Files.Thumbnail = media.Object{Key: media.NewKey(), ContentType: media.ContentTypePNG, Size: int64(len(data))}
	require.NoError(t, postgres.NewLoose(b.db).Register(t.Context(), a.Files.Thumbnail.Key, time.Hour))
	_, err = b.files.Put(t.Context(), objectstore.PutRequest{
		Key: a.Files.Thumbnail.Key, Body: bytes.NewReader(data), Size: int64(len(data)), ContentType: media.ContentTypePNG,
	})
	require.NoError(t, err)
	require.NoError(t, store.Processed(t.Context(), a, time.Now()))
}

func TestReadMedia(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	created := b.uploaded(t, "spring.png", media.ContentTypePNG, picture(t, 1))
	id := text(t, created, "id")
	read := b.get(t, "/v1/media/"+id)
	require.Equal(t, http.StatusOK, read.status, read.body)
	require.Equal(t, "no-store", read.header.Get("Cache-Control"), "signed addresses are not for caches")
	got := read.object(t)
	require.Equal(t, []any{created["id"], created["name"], created["type"], nil, created["size"], created["createdAt"]},
		[]any{got["id"], got["name"], got["type"], got["thumbnailUrl"], got["size"], got["createdAt"]})
	require.Equal(t, got["id"], b.get(t, "/v1/media/"+strings.ToUpper(id)).object(t)["id"])
	requireProblem(t, b.do(t, request{method: http.MethodGet, path: "/v1/media/" + id, key: b.theirs.key}),
		http.StatusNotFound, "NOT_FOUND")

	small := picture(t, 9)
	b.thumbnail(t, id, small)
	res := download(t, text(t, b.get(t, "/v1/media/"+id).object(t), "thumbnailUrl"))
	require.Equal(t, http.StatusOK, res.status)
	require.Equal(t, string(small), res.body)
	require.Equal(t, media.ContentTypePNG, res.header.Get("Content-Type"))
	require.True(t, strings.HasPrefix(res.header.Get("Content-Disposition"), "inline"))
}

// TestSignedAddresses checks that URLs are valid for a day, declare the file's type whatever the store has, and allow
// only reading.
func TestSignedAddresses(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	for _, f := range mediaboxtest.Good(t) {
		asset := b.uploaded(t, f.Name, f.ContentType, f.Data)
		address := text(t, asset, "url")
		parsed, err := url.Parse(address)
		require.NoError(t, err)
		require.Equal(t, "86400", parsed.Query().Get("X-Amz-Expires"))
		require.NotContains(t, parsed.Path, b.ours.id.String())
		res := download(t, address)
		require.Equal(t, http.StatusOK, res.status)
		require.True(t, bytes.Equal(f.Data, []byte(res.body)), f.Name)
		require.Equal(t, f.ContentType, res.header.Get("Content-Type"), f.Name)
		require.Equal(t, "private, max-age=86400, immutable", res.header.Get("Cache-Control"))
		shown, saved := "inline", asset["type"] == "DOCUMENT"
		if saved {
			shown = "attachment" // a PDF can contain scripts
		}
		require.True(t, strings.HasPrefix(res.header.Get("Content-Disposition"), shown), f.Name)
		require.Contains(t, res.header.Get("Content-Disposition"), text(t, asset, "name"))
	}
	address := text(t, b.uploaded(t, "a.png", media.ContentTypePNG, picture(t, 1)), "url")
	for name, changed := range map[string]string{
		"type":        strings.Replace(address, "image%2Fpng", "text%2Fhtml", 1),
		"disposition": strings.Replace(address, "inline", "attachment", 1),
		"time":        strings.Replace(address, "X-Amz-Expires=86400", "X-Amz-Expires=86401", 1),
		"signature":   address[:len(address)-1] + map[bool]string{true: "1", false: "0"}[strings.HasSuffix(address, "0")],
	} {
		require.NotEqual(t, address, changed, name)
		res := download(t, changed)
		require.GreaterOrEqual(t, res.status, http.StatusBadRequest, name)
		require.NotContains(t, res.body, "IHDR", name)
	}
}

// mediaPage reads one page and returns the names of its assets and the next cursor.
func (b *bundle) mediaPage(t testing.TB, of tenant, query url.Values) (names []string, next string) {
	t.Helper()
	read := b.do(t, request{method: http.MethodGet, path: "/v1/media?" + query.Encode(), key: of.key})
	require.Equal(t, http.StatusOK, read.status, read.body)
	var page struct {
		Data       []map[string]any `json:"data"`
		NextCursor *string          `json:"nextCursor"`
	}
	read.into(t, &page)
	require.NotNil(t, page.Data, "data is never null")
	for _, asset := range page.Data {
		require.Len(t, asset, 8)
		names = append(names, text(t, asset, "name"))
	}
	if page.NextCursor != nil {
		next = *page.NextCursor
	}
	return names, next
}

// shelf creates assets in our workspace, images and documents alternately, and returns their names, newest first.
func (b *bundle) shelf(t testing.TB, n int) []string {
	t.Helper()
	b.exec(t, `DELETE FROM media`)
	var names []string
	for i := range n {
		typ := []media.Type{media.Image, media.Document}[i%2]
		id := b.asset(t, b.ours.id, typ).String()
		names = append(names, strconv.Itoa(i)+" "+string(typ))
		b.exec(t, `UPDATE media SET name = $1 WHERE id = $2`, names[i], id)
	}
	slices.Reverse(names)
	return names
}

func TestListMediaReturnsEachAssetOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	names := b.shelf(t, 7)
	b.asset(t, b.theirs.id, media.Image)
	for limit := 1; limit <= 8; limit++ {
		query, seen := url.Values{"limit": {strconv.Itoa(limit)}}, []string(nil)
		for {
			page, next := b.mediaPage(t, b.ours, query)
			seen = append(seen, page...)
			if next == "" {
				break
			}
			require.Len(t, page, limit)
			query.Set("cursor", next)
		}
		require.Equal(t, names, seen)
	}
	page, next := b.mediaPage(t, b.ours, url.Values{"limit": {"7"}})
	require.Len(t, page, 7)
	require.Empty(t, next, "a full last page has no next one")
	page, _ = b.mediaPage(t, b.ours, url.Values{"limit": {"100"}})
	require.Equal(t, names, page)
	page, _ = b.mediaPage(t, b.theirs, nil)
	require.Equal(t, []string{"file"}, page)
}

func TestListMediaByType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	names := b.shelf(t, 6)
	for typ, want := range map[string][]string{
		"": names, "IMAGE": {names[1], names[3], names[5]}, "DOCUMENT": {names[0], names[2], names[4]}, "VIDEO": nil,
		"GIF": nil,
	} {
		query := url.Values{"type": {typ}}
		if typ == "" {
			query = nil
		}
		page, next := b.mediaPage(t, b.ours, query)
		require.Equal(t, want, page, typ)
		require.Empty(t, next)
	}
	_, next := b.mediaPage(t, b.ours, url.Values{"type": {"IMAGE"}, "limit": {"1"}})
	page, _ := b.mediaPage(t, b.ours, url.Values{"type": {"IMAGE"}, "limit": {"5"}, "cursor": {next}})
	require.Equal(t, []string{names[3], names[5]}, page)
	_, ofPosts := b.page(t, url.Values{})
	require.Empty(t, ofPosts)

	for query, want := range map[string][]string{
		"type=image": {"type"}, "type=IMAGE,GIF": {"type"}, "type=PDF": {"type"}, "limit=0": {"limit"},
		"limit=101": {"limit"}, "type=x&limit=-1": {"type", "limit"},
	} {
		p := requireProblem(t, b.get(t, "/v1/media?"+query), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.ElementsMatch(t, want, pointers(t, p), query)
	}
	for _, query := range []string{
		"cursor=" + next, "type=DOCUMENT&cursor=" + next, "type=IMAGE&cursor=x", "type=IMAGE&cursor=" + next + "A",
	} {
		requireProblem(t, b.get(t, "/v1/media?"+query), http.StatusUnprocessableEntity, "INVALID_CURSOR")
	}
	requireProblem(t, b.do(t, request{
		method: http.MethodGet, path: "/v1/media?type=IMAGE&cursor=" + next, key: b.theirs.key,
	}), http.StatusUnprocessableEntity, "INVALID_CURSOR")
	requireProblem(t, b.get(t, "/v1/posts?cursor="+next), http.StatusUnprocessableEntity, "INVALID_CURSOR")
}
