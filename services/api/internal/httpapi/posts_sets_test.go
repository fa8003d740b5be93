package httpapi_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

func TestVariantsReplaceMembersOfRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.channel(t, b.ours.id, channel.Twitter, true)
	image := b.asset(t, b.ours.id, media.Image)
	created := b.post(t, "/v1/posts", `{"content":"base","title":"T","mediaIds":["`+image.String()+`"],
		"mediaAltTexts":{"`+image.String()+`":"tiles"},"labels":[" Spring ","Sale"],"externalId":"cms-1","metadata":{"b":"2","a":"1"},
		"channelIds":["`+b.ours.channel.String()+`","`+x.String()+`"],
		"variants":[{"channelId":"`+x.String()+`","content":"own","mediaIds":[],"options":{"longText":true}}]}`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	posts := created.list(t)
	require.Len(t, posts, 2)
	base, own := posts[0], posts[1]
	require.Equal(t, base["groupId"], own["groupId"])
	require.NotEqual(t, base["id"], base["groupId"])
	require.Equal(t, "base", base["content"])
	require.Equal(t, map[string]any{image.String(): "tiles"}, base["mediaAltTexts"])
	require.Nil(t, base["options"])
	require.Equal(t, "own", own["content"])
	require.Equal(t, "T", own["title"])
	require.Equal(t, []any{}, own["mediaIds"])
	require.Equal(t, map[string]any{}, own["mediaAltTexts"], "texts of other media are left out")
	require.Equal(t, map[string]any{"longText": true}, own["options"])
	for _, p := range posts {
		require.Equal(t, []any{"Spring", "Sale"}, p["labels"])
		require.Equal(t, "cms-1", p["externalId"])
		require.Equal(t, map[string]any{"a": "1", "b": "2"}, p["metadata"])
		require.Equal(t, p, b.get(t, "/v1/posts/"+text(t, p, "id")).object(t), "as stored")
	}
	again := b.post(t, "/v1/posts", `{"channelIds":["`+x.String()+`"],"labels":["SPRING"]}`)
	require.Equal(t, []any{"Spring"}, again.list(t)[0]["labels"], "in the spelling of the workspace")
	require.Equal(t, again.list(t)[0]["id"], again.list(t)[0]["groupId"], "a post alone is a set of its own")
}

func TestVariantsNameChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.channel(t, b.ours.id, channel.Twitter, true)
	created := b.post(t, "/v1/posts", `{"content":"base","variants":[{"channelId":"`+x.String()+`"},
		{"channelId":"`+b.ours.channel.String()+`","content":""}]}`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	require.Equal(t, []any{x.String(), "base", b.ours.channel.String(), ""}, []any{
		created.list(t)[0]["channelId"], created.list(t)[0]["content"], created.list(t)[1]["channelId"], created.list(t)[1]["content"],
	})
}

func TestFaultsOfSets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x, pin := b.channel(t, b.ours.id, channel.Twitter, true), b.channel(t, b.ours.id, channel.Pinterest, true)
	image := b.asset(t, b.ours.id, media.Image)
	long := strings.Repeat("x", 300)
	both := `"channelIds":["` + b.ours.channel.String() + `","` + x.String() + `"]`
	many := func(n int, of func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = of(i)
		}
		return strings.Join(parts, ",")
	}
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"no channels":    {`{"content":"x"}`, []string{"/channelIds"}},
		"empty variants": {`{"content":"x","variants":[]}`, []string{"/channelIds"}},
		"another channel": {
			`{` + both + `,"variants":[{"channelId":"` + pin.String() + `"}]}`, []string{"/variants/0/channelId"},
		},
		"twice": {
			`{"variants":[{"channelId":"` + x.String() + `"},{"channelId":"` + x.String() + `"}]}`, []string{"/variants/1/channelId"},
		},
		"unknown member":  {`{"variants":[{"channelId":"` + x.String() + `","schedule":"now"}]}`, []string{"/variants/0/schedule"}},
		"without channel": {`{"variants":[{"content":"x"}]}`, []string{"/variants/0/channelId"}},
		"no UUID":         {`{"variants":[{"channelId":"x"}]}`, []string{"/variants/0/channelId"}},
		"content of the variant and of the request": {
			`{` + both + `,"schedule":"now","content":"","variants":[{"channelId":"` + x.String() + `","content":"` + long + `"}]}`,
			[]string{"/content", "/variants/0/content"},
		},
		"a variant inherits": {
			`{` + both + `,"schedule":"now","content":"` + long + `","variants":[{"channelId":"` + x.String() + `","title":"T"}]}`,
			[]string{"/content"},
		},
		"alternative text of the variant": {
			`{` + both + `,"variants":[{"channelId":"` + x.String() + `","mediaAltTexts":{"` + image.String() + `":"x"}}]}`,
			[]string{"/variants/0/mediaAltTexts/" + image.String()},
		},
		"options of several networks": {`{` + both + `,"options":{"longText":true}}`, []string{"/options"}},
		"options of another network, draft": {
			`{"variants":[{"channelId":"` + x.String() + `","options":{"boardId":"1"}}]}`, []string{"/variants/0/options/boardId"},
		},
		"options of one network": {`{"channelIds":["` + x.String() + `"],"options":{"boardId":"1"}}`, []string{"/options/boardId"}},
		"unknown option":         {`{"channelIds":["` + x.String() + `"],"options":{"colour":"red"}}`, []string{"/options/colour"}},
		"required option": {
			`{"schedule":"now","variants":[{"channelId":"` + pin.String() + `","mediaIds":["` + image.String() + `"],"options":{}}]}`,
			[]string{"/variants/0/mediaIds/0", "/variants/0/options/boardId"},
		},
		"labels without case": {`{` + both + `,"labels":["a","A"]}`, []string{"/labels/1"}},
		"too many labels": {
			`{` + both + `,"labels":[` + many(11, func(i int) string { return `"l` + strconv.Itoa(i) + `"` }) + `]}`, []string{"/labels"},
		},
		"empty label":              {`{` + both + `,"labels":[" "]}`, []string{"/labels/0"}},
		"long label":               {`{` + both + `,"labels":["` + strings.Repeat("é", 51) + `"]}`, []string{"/labels/0"}},
		"two lines":                {`{` + both + `,"labels":["a\nb"]}`, []string{"/labels/0"}},
		"label type":               {`{` + both + `,"labels":[1]}`, []string{"/labels/0"}},
		"external id":              {`{` + both + `,"externalId":"` + strings.Repeat("x", 201) + `"}`, []string{"/externalId"}},
		"external id of two lines": {`{` + both + `,"externalId":"a\nb"}`, []string{"/externalId"}},
		"external id of spaces":    {`{` + both + `,"externalId":"  "}`, []string{"/externalId"}},
		"metadata type":            {`{` + both + `,"metadata":{"a":1}}`, []string{"/metadata/a"}},
		"metadata value":           {`{` + both + `,"metadata":{"a":"` + strings.Repeat("x", 501) + `"}}`, []string{"/metadata/a"}},
		"metadata name": {
			`{` + both + `,"metadata":{"` + strings.Repeat("x", 39) + `/y":"1"}}`, []string{"/metadata/" + strings.Repeat("x", 39) + "~1y"},
		},
		"metadata without a name": {`{` + both + `,"metadata":{"":"1"}}`, []string{"/metadata/"}},
		"too many values": {
			`{` + both + `,"metadata":{` + many(21, func(i int) string { return `"k` + strconv.Itoa(i) + `":"1"` }) + `}}`, []string{"/metadata"},
		},
	} {
		require.Equal(t, c.want, pointers(t, requireProblem(t, b.post(t, "/v1/posts", c.body), 422, "VALIDATION_FAILED")), name)
	}
	require.Empty(t, b.get(t, "/v1/posts").object(t)["data"], "all or nothing")
	unknown := ident.New[ident.Channel]().String()
	requireProblem(t, b.post(t, "/v1/posts", `{"variants":[{"channelId":"`+unknown+`"}]}`), 404, "NOT_FOUND")
	requireProblem(t, b.post(t, "/v1/posts", `{"variants":[{"channelId":"`+x.String()+`","mediaIds":["`+unknown+`"]}]}`), 404, "NOT_FOUND")
}

func TestValidateFollowsVariants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x, offline := b.channel(t, b.ours.id, channel.Twitter, true), b.channel(t, b.ours.id, channel.Threads, false)
	out := b.validate(t, `{"content":"","variants":[{"channelId":"`+b.ours.channel.String()+`","content":"fine"},
		{"channelId":"`+x.String()+`","content":"`+strings.Repeat("x", 300)+`"},{"channelId":"`+offline.String()+`"}]}`)
	require.True(t, out.Channels[0].Valid)
	require.Equal(t, []string{"VALIDATION_FAILED /variants/1/content"}, codes(out.Channels[1].Errors))
	require.Equal(t, []string{"CHANNEL_DISCONNECTED /variants/2/channelId", "VALIDATION_FAILED /content"}, codes(out.Channels[2].Errors))
}

func TestExternalIDIsUniqueInChannel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.channel(t, b.ours.id, channel.Twitter, true)
	body := func(of ident.Channel) string {
		return `{"channelIds":["` + of.String() + `"],"content":"x","externalId":"cms"}`
	}
	first := b.post(t, "/v1/posts", body(x))
	require.Equal(t, http.StatusCreated, first.status, first.body)
	id := text(t, first.list(t)[0], "id")
	inUse := func(r response) {
		t.Helper()
		p := requireProblem(t, r, 409, "EXTERNAL_ID_IN_USE")
		require.Equal(t, id, p["postId"])
		require.Equal(t, []string{"/externalId"}, pointers(t, p))
	}
	inUse(b.post(t, "/v1/posts", body(x)))
	keyed := request{
		method: http.MethodPost, path: "/v1/posts", key: b.ours.key, contentType: "application/json", body: body(x),
		header: map[string]string{"Idempotency-Key": "once"},
	}
	inUse(b.do(t, keyed))
	require.Equal(t, http.StatusCreated, b.post(t, "/v1/posts", body(b.ours.channel)).status, "another channel")

	bulk := b.post(t, "/v1/posts/bulk", `{"posts":[`+body(x)+`,{"channelIds":["`+x.String()+`"]}]}`).list(t)
	require.Equal(t, []any{false, true}, []any{bulk[0]["success"], bulk[1]["success"]})
	require.Contains(t, bulk[0]["error"], "EXTERNAL_ID_IN_USE: ")
	require.Contains(t, bulk[0]["error"], id)

	other := b.draft(t, b.ours)
	require.Equal(t, http.StatusOK, b.patch(t, other, `{"externalId":"mine"}`).status)
	alone := text(t, b.post(t, "/v1/posts", `{"channelIds":["`+x.String()+`"]}`).list(t)[0], "id")
	inUse(b.patch(t, alone, `{"externalId":"cms"}`))

	require.Equal(t, http.StatusNoContent, b.delete(t, id).status)
	require.Equal(t, http.StatusCreated, b.do(t, keyed).status, "the id of a deleted post is free; a failure is not stored")
	replayed := b.do(t, keyed)
	require.Equal(t, "true", replayed.header.Get("Idempotent-Replayed"))
}

func TestNamesOfPostsAreEdited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	edited := b.patch(t, id, `{"labels":["Spring"],"externalId":"cms","metadata":{"a":"1","b":"2"}}`)
	require.Equal(t, http.StatusOK, edited.status, edited.body)
	edited = b.patch(t, id, `{"metadata":{"a":null,"c":"3"}}`)
	got := edited.object(t)
	require.Equal(t, map[string]any{"b": "2", "c": "3"}, got["metadata"], "a merge patch")
	require.Equal(t, []any{"Spring"}, got["labels"])
	require.Equal(t, "cms", got["externalId"])
	got = b.patch(t, id, `{"labels":null,"externalId":null,"metadata":null}`).object(t)
	require.Equal(t, []any{[]any{}, nil, map[string]any{}}, []any{got["labels"], got["externalId"], got["metadata"]})
	require.Equal(t, got, b.get(t, "/v1/posts/"+id).object(t))

	for name, c := range map[string]struct{ body, pointer string }{
		"label": {`{"labels":["a","A"]}`, "/labels/1"}, "external id": {`{"externalId":"a\nb"}`, "/externalId"},
		"value": {`{"metadata":{"a":1}}`, "/metadata/a"}, "name": {`{"metadata":{"` + strings.Repeat("n", 41) + `":"1"}}`, "/metadata/" + strings.Repeat("n", 41)},
	} {
		require.Equal(t, []string{c.pointer}, pointers(t, requireProblem(t, b.patch(t, id, c.body), 422, "VALIDATION_FAILED")), name)
	}
	values := make([]string, 20)
	for i := range values {
		values[i] = `"k` + strconv.Itoa(i) + `":"1"`
	}
	require.Equal(t, http.StatusOK, b.patch(t, id, `{"metadata":{`+strings.Join(values, ",")+`}}`).status)
	require.Equal(t, []string{"/metadata"}, pointers(t, requireProblem(t, b.patch(t, id, `{"metadata":{"more":"1"}}`), 422, "VALIDATION_FAILED")))
}

func TestSetTakesSlotsOfEachChannel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.channel(t, b.ours.id, channel.Twitter, true)
	b.slots(t, x, slot.Slot{Weekday: time.Monday, Hour: 9})
	b.slots(t, b.ours.channel, slot.Slot{Weekday: time.Monday, Hour: 9})
	created := b.post(t, "/v1/posts", `{"schedule":"next_slot","content":"base","labels":["a"],
		"variants":[{"channelId":"`+x.String()+`","content":"own"},{"channelId":"`+b.ours.channel.String()+`"}]}`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	require.Equal(t, []any{"own", "SCHEDULED"}, []any{created.list(t)[0]["content"], created.list(t)[0]["status"]})
	require.NotNil(t, created.list(t)[1]["scheduledAt"])
}
