package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
)

// describe changes the alternative text of an asset.
func (b *bundle) describe(t testing.TB, key, id, body string) response {
	t.Helper()
	return b.do(t, request{
		method: http.MethodPatch, path: "/v1/media/" + id, key: key, contentType: "application/json", body: body,
	})
}

// TestAltTextOfMedia checks that an asset gets an alternative text, that reads show it, and that null removes it.
func TestAltTextOfMedia(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.asset(t, b.ours.id, media.Image).String()
	require.Nil(t, b.get(t, "/v1/media/"+id).object(t)["altText"])
	longest := strings.Repeat("é", media.LongestAltText)
	for _, c := range []struct {
		text string
		want any
	}{{`"Blue tiles\n\"on\" a wall 🌍"`, "Blue tiles\n\"on\" a wall 🌍"}, {encode(t, longest), longest}, {"null", nil}, {`""`, nil}} {
		changed := b.describe(t, b.ours.key, id, `{"altText":`+c.text+`}`)
		require.Equal(t, http.StatusOK, changed.status, changed.body)
		require.Equal(t, c.want, changed.object(t)["altText"])
		require.Equal(t, id, changed.object(t)["id"])
		require.Equal(t, c.want, b.get(t, "/v1/media/"+id).object(t)["altText"])
	}
	for body, pointer := range map[string]string{
		`{}`:            "",
		`{"altText":1}`: "/altText",
		`{"altText":` + encode(t, longest+"x") + `}`: "/altText",
		`{"altText":"x","size":1}`:                   "/size",
	} {
		p := requireProblem(t, b.describe(t, b.ours.key, id, body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{pointer}, pointers(t, p))
	}
	requireProblem(t, b.describe(t, b.theirs.key, id, `{"altText":"x"}`), http.StatusNotFound, "NOT_FOUND")
	requireProblem(t, b.describe(t, b.key(t, b.ours.id, credential.PostsWrite), id, `{"altText":"x"}`), http.StatusForbidden,
		"INSUFFICIENT_SCOPE")
	require.Nil(t, b.get(t, "/v1/media/"+id).object(t)["altText"], "refused requests change nothing")
}

// TestAltTextsOfPosts checks that every endpoint that writes posts takes a post's own texts, that reads show them, and
// that texts of assets that are not attached are refused.
func TestAltTextsOfPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.asset(t, b.ours.id, media.Image).String(), b.asset(t, b.ours.id, media.Image).String()
	texts := func(ids ...string) string {
		of := map[string]string{}
		for _, id := range ids {
			of[id] = "text of " + id
		}
		return encode(t, of)
	}
	body := func(texts string) string {
		return `{"channelIds":["` + b.ours.channel.String() + `"],"mediaIds":["` + one + `"],"mediaAltTexts":` + texts + `}`
	}
	want := map[string]any{one: "text of " + one}
	var created []map[string]any
	b.post(t, "/v1/posts", body(texts(one))).into(t, &created)
	require.Equal(t, want, created[0]["mediaAltTexts"])
	id := text(t, created[0], "id")
	require.Equal(t, want, b.get(t, "/v1/posts/"+id).object(t)["mediaAltTexts"])
	bulk := b.post(t, "/v1/posts/bulk", `{"posts":[`+body(texts(one))+`,`+body(texts(two))+`]}`)
	require.Equal(t, http.StatusOK, bulk.status, bulk.body)
	require.Contains(t, bulk.body, `"mediaAltTexts":{"`+one)
	require.Contains(t, bulk.body, "VALIDATION_FAILED: /mediaAltTexts/"+two+" is not the id of an attachment")

	for _, c := range []struct{ path, body string }{
		{"/v1/posts", body(texts(one, two))},
		{"/v1/posts/validate", body(texts(two))},
		{"/v1/posts", `{"channelIds":["` + b.ours.channel.String() + `"],"content":"x","mediaAltTexts":` + texts(two) + `}`},
	} {
		p := requireProblem(t, b.post(t, c.path, c.body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{"/mediaAltTexts/" + two}, pointers(t, p))
	}
	p := requireProblem(t, b.post(t, "/v1/posts", body(`{"x":"y"}`)), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Equal(t, []string{"/mediaAltTexts/x"}, pointers(t, p))

	for _, c := range []struct {
		edit string
		want map[string]any
	}{
		{`{"mediaIds":["` + two + `","` + one + `"]}`, want},
		{`{"mediaAltTexts":` + texts(two) + `}`, map[string]any{two: "text of " + two}},
		{`{"content":"x"}`, map[string]any{two: "text of " + two}},
		{`{"mediaIds":["` + one + `"]}`, map[string]any{}},
		{`{"mediaAltTexts":` + texts(one) + `}`, want},
		{`{"mediaAltTexts":null}`, map[string]any{}},
	} {
		edited := b.patch(t, id, c.edit)
		require.Equal(t, http.StatusOK, edited.status, edited.body)
		require.Equal(t, c.want, edited.object(t)["mediaAltTexts"], c.edit)
		require.Equal(t, c.want, b.get(t, "/v1/posts/"+id).object(t)["mediaAltTexts"], c.edit)
	}
	p = requireProblem(t, b.patch(t, id, `{"mediaAltTexts":`+texts(two)+`}`), http.StatusUnprocessableEntity,
		"VALIDATION_FAILED")
	require.Equal(t, []string{"/mediaAltTexts/" + two}, pointers(t, p))
}

// TestAltTextsOnPlatforms checks that the platforms' endpoints with media take texts.
func TestAltTextsOnPlatforms(t *testing.T) {
	t.Parallel()
	b := setup(t)
	video, other := b.ours.media.String(), b.asset(t, b.ours.id, media.Image).String()
	for _, path := range []string{"/v1/posts/youtube", "/v1/posts/tiktok", "/v1/posts/pinterest"} {
		c, id := b.on(t, path)
		want := map[string]any{video: "A cat"}
		created := b.post(t, path, c.body(t, id, map[string]any{"mediaAltTexts": want}))
		require.Equal(t, http.StatusCreated, created.status, created.body)
		require.Equal(t, want, b.get(t, "/v1/posts/"+text(t, created.object(t), "id")).object(t)["mediaAltTexts"])
		p := requireProblem(t, b.post(t, path, c.body(t, id, map[string]any{"mediaAltTexts": map[string]any{other: "x"}})),
			http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{"/mediaAltTexts/" + other}, pointers(t, p))
	}
}

// TestValidateAltTexts checks that a post's own text replaces that of the asset, and that networks without alternative
// texts cause a warning.
func TestValidateAltTexts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.channel(t, b.ours.id, channel.Twitter, true)
	image := b.asset(t, b.ours.id, media.Image).String()
	b.exec(t, `UPDATE media SET content_type = 'image/jpeg' WHERE id = $1`, image)
	long := strings.Repeat("x", 1_001)
	require.Equal(t, http.StatusOK, b.describe(t, b.ours.key, image, `{"altText":"`+long+`"}`).status)
	body := func(texts string) string {
		return `{"channelIds":["` + x.String() + `","` + b.ours.channel.String() + `"],"content":"x","mediaIds":["` + image +
			`"],"mediaAltTexts":` + texts + `}`
	}
	for texts, want := range map[string]struct{ x, telegram []string }{
		`{}`:                               {[]string{"VALIDATION_FAILED /mediaIds/0"}, []string{"VALIDATION_FAILED /mediaIds"}},
		`{"` + image + `":"short"}`:        {[]string{}, []string{"VALIDATION_FAILED /mediaIds"}},
		`{"` + image + `":""}`:             {[]string{}, []string{}},
		`{"` + image + `":"` + long + `"}`: {[]string{"VALIDATION_FAILED /mediaIds/0"}, []string{"VALIDATION_FAILED /mediaIds"}},
	} {
		out := b.validate(t, body(texts))
		require.Equal(t, want.x, codes(out.Channels[0].Errors), texts)
		require.Empty(t, out.Channels[1].Errors, texts)
		require.Equal(t, want.telegram, codes(out.Channels[1].Warnings), texts)
	}
}
