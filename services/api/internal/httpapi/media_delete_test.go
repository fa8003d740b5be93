package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

func (b *bundle) remove(t testing.TB, path string) response {
	t.Helper()
	return b.do(t, request{method: http.MethodDelete, path: path, key: b.ours.key})
}

func TestDeleteMedia(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	asset := b.uploaded(t, "spring.png", media.ContentTypePNG, picture(t, 1))
	id := text(t, asset, "id")
	b.thumbnail(t, id, picture(t, 2))
	address := text(t, b.get(t, "/v1/media/"+id).object(t), "thumbnailUrl")
	requireProblem(t, b.do(t, request{method: http.MethodDelete, path: "/v1/media/" + id, key: b.theirs.key}),
		http.StatusNotFound, "NOT_FOUND")

	gone := b.remove(t, "/v1/media/"+id)
	require.Equal(t, http.StatusNoContent, gone.status, gone.body)
	require.Empty(t, gone.body)
	requireProblem(t, b.get(t, "/v1/media/"+id), http.StatusNotFound, "NOT_FOUND")
	requireProblem(t, b.remove(t, "/v1/media/"+id), http.StatusNotFound, "NOT_FOUND")
	requireProblem(t, b.complete(t, id), http.StatusNotFound, "NOT_FOUND")
	requireProblem(t, b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+`"],"content":"x","mediaIds":["`+
		id+`"]}`), http.StatusNotFound, "NOT_FOUND")
	for _, signed := range []string{address, text(t, asset, "url")} {
		res := download(t, signed)
		require.Equal(t, http.StatusNotFound, res.status, "the objects are gone at once")
	}
	require.Len(t, b.stored(t), 1, "the upload's own object, which the clean-up takes")
	require.Equal(t, 1, b.count(t, `loose_object WHERE key LIKE 'uploads/%'`))
	require.Equal(t, 1, b.count(t, `loose_object WHERE key LIKE 'uploads/%' OR delete_after < now()`))
	require.Equal(t, [2]int{0, 1}, b.used(t, b.ours), "storage is given back, the month's count is not")
}

// TestMediaInUseIsNotDeleted checks that the response lists the references, for every kind of owner.
func TestMediaInUseIsNotDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	references := postgres.NewReferences(b.db)
	for typ, owner := range map[media.OwnerType]struct{ id, label, name string }{
		media.OwnerBrandLogo:           {uuid.NewString(), "Spring kit", "Spring kit"},
		media.OwnerBrandPersonaPhoto:   {uuid.NewString(), "Ann", "Ann"},
		media.OwnerBrandStyleReference: {uuid.NewString(), "Style", "Style"},
		media.OwnerWorkspaceLogo:       {b.ours.id.String(), "", "Acme"},
		media.OwnerChannelAvatar:       {b.ours.channel.String(), "", "News"},
	} {
		id := b.asset(t, b.ours.id, media.Image)
		set := func(ids ...ident.Media) {
			t.Helper()
			require.NoError(t, references.Set(t.Context(),
				postgres.Owner{WorkspaceID: b.ours.id, Type: typ, ID: owner.id, Label: owner.label}, ids))
		}
		set(id)
		p := requireProblem(t, b.remove(t, "/v1/media/"+id.String()), http.StatusConflict, "MEDIA_IN_USE")
		require.Equal(t, []any{map[string]any{"type": string(typ), "id": owner.id, "name": owner.name}}, p["references"])
		for _, part := range []string{strings.ReplaceAll(strings.ToLower(string(typ)), "_", " "), owner.id, owner.name} {
			require.Contains(t, p["detail"], part, "the message lists it too")
		}
		require.Equal(t, http.StatusOK, b.get(t, "/v1/media/"+id.String()).status)
		requireProblem(t, b.do(t, request{method: http.MethodDelete, path: "/v1/media/" + id.String(), key: b.theirs.key}),
			http.StatusNotFound, "NOT_FOUND")
		set()
		require.Equal(t, http.StatusNoContent, b.remove(t, "/v1/media/"+id.String()).status, typ)
	}
}

// TestMediaOfPostsIsNotDeleted covers posts in every state.
func TestMediaOfPostsIsNotDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.asset(t, b.ours.id, media.Image).String()
	body := func(rest string) string {
		return `{"channelIds":["` + b.ours.channel.String() + `"],"content":"Our spring","mediaIds":["` + id + `"]` + rest +
			`}`
	}
	created := b.post(t, "/v1/posts", body(""))
	require.Equal(t, http.StatusCreated, created.status, created.body)
	p := text(t, created.list(t)[0], "id")
	be := func(state string) {
		t.Helper()
		b.exec(t,
			`UPDATE post SET status = $1, scheduled_at = now(), published_at = CASE WHEN $1 = 'PUBLISHED' THEN now() END,
			archived_from = CASE WHEN $1 = 'ARCHIVED' THEN 'DRAFT' END, error_code = CASE WHEN $1 = 'FAILED' THEN 'REJECTED' END WHERE id = $2`, state, p)
	}
	for _, state := range []string{"DRAFT", "PENDING_APPROVAL", "SCHEDULED", "PUBLISHED", "FAILED", "ARCHIVED"} {
		be(state)
		refused := requireProblem(t, b.remove(t, "/v1/media/"+id), http.StatusConflict, "MEDIA_IN_USE")
		require.Equal(t, []any{map[string]any{"type": "POST", "id": p, "name": "Our spring"}}, refused["references"], state)
	}
	be("DRAFT")
	second := b.post(t, "/v1/posts", body(`,"title":"A title"`))
	require.Equal(t, http.StatusCreated, second.status, second.body)
	refused := requireProblem(t, b.remove(t, "/v1/media/"+id), http.StatusConflict, "MEDIA_IN_USE")
	require.Len(t, refused["references"], 2)
	require.Equal(t, http.StatusNoContent, b.remove(t, "/v1/posts/"+text(t, second.list(t)[0], "id")).status)
	edited := b.do(t, request{
		method: http.MethodPatch, path: "/v1/posts/" + p, key: b.ours.key, contentType: "application/json",
		body: `{"mediaIds":[]}`,
	})
	require.Equal(t, http.StatusOK, edited.status, edited.body)
	require.Equal(t, http.StatusNoContent, b.remove(t, "/v1/media/"+id).status, "it is no longer used")
}

// TestConcurrentDeleteAndPost checks that either the post has its file or there is no post.
func TestConcurrentDeleteAndPost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 20 {
		id := b.asset(t, b.ours.id, media.Image).String()
		responses := atOnce(2, func(i int) response {
			if i == 0 {
				return b.remove(t, "/v1/media/"+id)
			}
			return b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+`"],"content":"x","mediaIds":["`+id+`"]}`)
		})
		if responses[1].status == http.StatusCreated {
			requireProblem(t, responses[0], http.StatusConflict, "MEDIA_IN_USE")
			continue
		}
		requireProblem(t, responses[1], http.StatusNotFound, "NOT_FOUND")
		require.Equal(t, http.StatusNoContent, responses[0].status, responses[0].body)
	}
}

// TestDeleteWhileStoreIsDown checks that the asset is deleted at once, and its objects when the store is available
// again.
func TestDeleteWhileStoreIsDown(t *testing.T) {
	t.Parallel()
	b, proxy, direct := behindProxy(t)
	asset := b.uploaded(t, "spring.png", media.ContentTypePNG, picture(t, 1))
	id := text(t, asset, "id")
	proxy.Stall()
	require.Equal(t, http.StatusNoContent, b.remove(t, "/v1/media/"+id).status)
	requireProblem(t, b.get(t, "/v1/media/"+id), http.StatusNotFound, "NOT_FOUND")
	require.Zero(t, b.used(t, b.ours)[0])
	proxy.Resume()
	n, err := postgres.NewLoose(b.db).Sweep(t.Context(), 10, direct.Delete)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	b.files = direct
	for _, key := range b.stored(t) {
		require.True(t, strings.HasPrefix(key, "uploads/"), key)
	}
}

// behindProxy returns a bundle with a proxy that can cut the connection to the store, and the store itself.
func behindProxy(t testing.TB) (*bundle, *objectstoretest.Proxy, *objectstore.Store) {
	t.Helper()
	config := objectstoretest.Config(t)
	proxy := objectstoretest.NewProxy(t, config.Endpoint)
	slow := config
	slow.Endpoint, slow.PublicEndpoint, slow.CallTimeout, slow.FinishTimeout = proxy.Endpoint(), config.Endpoint, impatience, impatience
	slow.Transport = objectstoretest.Transport(t)
	return withStore(t, objectstoretest.New(t, slow)), proxy, objectstoretest.New(t, config)
}
