package httpapi_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

// platformCase is a platform's endpoint with a minimal body.
type platformCase struct {
	path  string
	types []channel.Type
	least map[string]any // without the channel
}

func platformCases(of tenant) []platformCase {
	video := of.media.String()
	return []platformCase{
		{"/v1/posts/youtube", []channel.Type{channel.YouTube}, map[string]any{"title": "T", "mediaId": video}},
		{
			"/v1/posts/tiktok",
			[]channel.Type{channel.TikTokBusiness, channel.TikTokPersonal},
			map[string]any{"mediaIds": []string{video}},
		},
		{
			"/v1/posts/pinterest",
			[]channel.Type{channel.Pinterest},
			map[string]any{"boardId": "549755885175", "mediaIds": []string{video}},
		},
		{"/v1/posts/linkedin", []channel.Type{channel.LinkedInPage, channel.LinkedInProfile}, map[string]any{"content": "x"}},
	}
}

// body returns the minimal body with additional properties, and without those that are nil.
func (c platformCase) body(t testing.TB, id ident.Channel, members map[string]any) string {
	t.Helper()
	out := maps.Clone(c.least)
	out["channelId"] = id.String()
	for name, value := range members {
		if out[name] = value; value == nil {
			delete(out, name)
		}
	}
	return encode(t, out)
}

// on returns the platform's case and a channel for it.
func (b *bundle) on(t testing.TB, path string) (platformCase, ident.Channel) {
	t.Helper()
	for _, c := range platformCases(b.ours) {
		if c.path == path {
			return c, b.ours.channels[c.types[0]]
		}
	}
	require.Fail(t, "no such endpoint", path)
	return platformCase{}, ident.Channel{}
}

func TestPlatformsAcceptOnlyTheirChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	channels := map[channel.Type]ident.Channel{}
	for _, typ := range channel.Types() {
		channels[typ] = b.channel(t, b.ours.id, typ, true)
	}
	for _, c := range platformCases(b.ours) {
		for typ, id := range channels {
			created := b.post(t, c.path, c.body(t, id, nil))
			if !slices.Contains(c.types, typ) {
				p := requireProblem(t, created, http.StatusUnprocessableEntity, "CHANNEL_TYPE_MISMATCH")
				require.Contains(t, p["detail"], c.types[0])
				continue
			}
			require.Equal(t, http.StatusCreated, created.status, c.path+" "+created.body)
			post := created.object(t) // one post, not a list
			require.Equal(t, "DRAFT", post["status"])
			require.Equal(t, id.String(), post["channelId"])
			require.Equal(t, post, b.get(t, "/v1/posts/"+text(t, post, "id")).object(t))
		}
	}
	require.Equal(t, 6, b.count(t, `post`))
}

func TestPlatformsReturnTheirOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	picture := b.asset(t, b.ours.id, media.Image).String()
	none := map[string]any{}
	for name, test := range map[string]struct {
		path        string
		members     map[string]any
		contentType string
		options     any
	}{
		"YouTube, the least": {"/v1/posts/youtube", nil, "VIDEO", none},
		"YouTube, everything": {"/v1/posts/youtube", map[string]any{
			"videoType": "video", "category": "22", "visibility": "unlisted", "license": "creativeCommon",
			"notifySubscribers": false, "allowEmbedding": true, "madeForKids": false,
		}, "VIDEO", map[string]any{
			"videoType": "video", "category": "22", "visibility": "unlisted", "license": "creativeCommon",
			"notifySubscribers": false, "allowEmbedding": true, "madeForKids": false,
		}},
		"a Short": {
			"/v1/posts/youtube", map[string]any{"videoType": "short"}, "REEL", map[string]any{"videoType": "short"},
		},
		"TikTok, the least": {"/v1/posts/tiktok", nil, "VIDEO", none},
		"TikTok, photos":    {"/v1/posts/tiktok", map[string]any{"mediaIds": []string{picture}}, "POST", none},
		"TikTok, a title": {
			"/v1/posts/tiktok", map[string]any{"mediaIds": []string{picture}, "title": "Photo title"}, "POST", none,
		},
		"TikTok, everything": {"/v1/posts/tiktok", map[string]any{
			"content": "x", "allowComments": false, "allowDuet": true, "allowStitch": false, "brandContent": true,
			"brandOrganic": false, "uploadToDraft": true,
		}, "VIDEO", map[string]any{
			"allowComments": false, "allowDuet": true, "allowStitch": false, "brandContent": true, "brandOrganic": false,
			"uploadToDraft": true,
		}},
		"TikTok's privacyLevel is ignored": {"/v1/posts/tiktok", map[string]any{"privacyLevel": "SELF_ONLY"}, "VIDEO", none},
		"and may be anything":              {"/v1/posts/tiktok", map[string]any{"privacyLevel": "<whatever>"}, "VIDEO", none},
		"Pinterest, the least":             {"/v1/posts/pinterest", nil, "POST", map[string]any{"boardId": "549755885175"}},
		"Pinterest, everything": {"/v1/posts/pinterest", map[string]any{
			"mediaIds": []string{picture}, "link": "https://example.com/tiles?a=1&b=2", "altText": "Blue é tiles",
			"content": "x", "title": "Tiles", "boardSectionId": "549755885176",
		}, "POST", map[string]any{
			"boardId": "549755885175", "boardSectionId": "549755885176", "link": "https://example.com/tiles?a=1&b=2", "altText": "Blue é tiles",
		}},
		"LinkedIn, the least": {"/v1/posts/linkedin", nil, "POST", none},
		"LinkedIn in public": {
			"/v1/posts/linkedin", map[string]any{"visibility": "PUBLIC"}, "POST", map[string]any{"visibility": "PUBLIC"},
		},
	} {
		c, id := b.on(t, test.path)
		created := b.post(t, c.path, c.body(t, id, test.members))
		require.Equal(t, http.StatusCreated, created.status, name+" "+created.body)
		post := created.object(t)
		require.Equal(t, test.contentType, post["contentType"], name)
		require.Equal(t, test.options, post["options"], name)
		require.Equal(t, post, b.get(t, "/v1/posts/"+text(t, post, "id")).object(t), name)
	}
}

// TestEmptyOptionsAreObject covers posts of platform endpoints in every response, whatever happens to them.
func TestEmptyOptionsAreObject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	none := map[string]any{}
	for _, path := range []string{"/v1/posts/youtube", "/v1/posts/tiktok", "/v1/posts/linkedin"} {
		c, channelID := b.on(t, path)
		id := text(t, b.post(t, path, c.body(t, channelID, nil)).object(t), "id")
		require.Equal(t, none, b.get(t, "/v1/posts/"+id).object(t)["options"], path)
		for _, patch := range []string{`{"content":"edited"}`, `{"options":{}}`, `{"options":null}`} {
			require.Equal(t, none, b.patch(t, id, patch).object(t)["options"], path+" "+patch)
		}
		require.Equal(t, none, b.post(t, "/v1/posts/"+id+"/request-approval", "").object(t)["options"], path)
		var page struct{ Data []map[string]any }
		b.get(t, "/v1/posts?channelId="+channelID.String()).into(t, &page)
		require.Equal(t, none, page.Data[0]["options"], path)
	}
	generic := b.draft(t, b.ours)
	require.Nil(t, b.get(t, "/v1/posts/"+generic).object(t)["options"])
	require.Nil(t, b.patch(t, generic, `{"content":"edited","options":null}`).object(t)["options"])
}

// TestPlatformsRefuseInvalidDrafts checks that a platform's required fields are validated at creation, with
// pointers into the endpoint's body.
func TestPlatformsRefuseInvalidDrafts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	many := func(n int) []string {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = ident.New[ident.Media]().String()
		}
		return ids
	}
	for path, tests := range map[string][]struct {
		members map[string]any
		want    []string
	}{
		"/v1/posts/youtube": {
			{map[string]any{"title": nil, "mediaId": nil}, []string{"/title", "/mediaId"}},
			{map[string]any{"title": ""}, []string{"/title"}},
			{map[string]any{"title": strings.Repeat("x", 501)}, []string{"/title"}},
			{map[string]any{"mediaIds": []string{b.ours.media.String()}}, []string{"/mediaIds"}},
			{
				map[string]any{"videoType": "SHORT", "visibility": "PUBLIC", "license": "mit"},
				[]string{"/videoType", "/visibility", "/license"},
			},
			{map[string]any{"category": "news"}, []string{"/category"}},
			{map[string]any{"category": "22222222222", "madeForKids": "no"}, []string{"/category", "/madeForKids"}},
			{
				map[string]any{"notifySubscribers": 1, "allowEmbedding": "true"},
				[]string{"/notifySubscribers", "/allowEmbedding"},
			},
			{map[string]any{"schedule": "soon", "content": "x"}, []string{"/content", "/schedule"}},
		},
		"/v1/posts/tiktok": {
			{map[string]any{"mediaIds": nil}, []string{"/mediaIds"}},
			{map[string]any{"mediaIds": []string{}}, []string{"/mediaIds"}},
			{map[string]any{"mediaIds": many(36)}, []string{"/mediaIds"}},
			{
				map[string]any{"allowComments": "yes", "uploadToDraft": 1, "privacyLevel": true},
				[]string{"/allowComments", "/uploadToDraft", "/privacyLevel"},
			},
			{
				map[string]any{"allowDuet": []string{}, "allowStitch": "x", "brandContent": 0, "brandOrganic": "no"},
				[]string{"/allowDuet", "/allowStitch", "/brandContent", "/brandOrganic"},
			},
		},
		"/v1/posts/pinterest": {
			{map[string]any{"boardId": nil, "mediaIds": nil}, []string{"/boardId", "/mediaIds"}},
			{map[string]any{"boardId": ""}, []string{"/boardId"}},
			{map[string]any{"boardId": "../me"}, []string{"/boardId"}},
			{map[string]any{"mediaIds": many(6)}, []string{"/mediaIds"}},
			{map[string]any{"altText": strings.Repeat("x", 501)}, []string{"/altText"}},
			{map[string]any{"link": "javascript:alert(1)"}, []string{"/link"}},
			{map[string]any{"link": "/tiles", "boardId": "a b"}, []string{"/boardId", "/link"}},
			{map[string]any{"link": "https://user:pass@example.com/"}, []string{"/link"}},
			{map[string]any{"link": "https://example.com/" + strings.Repeat("x", 2048)}, []string{"/link"}},
		},
		"/v1/posts/linkedin": {
			{map[string]any{"content": nil}, []string{"/content"}},
			{map[string]any{"content": ""}, []string{"/content"}},
			{map[string]any{"visibility": "public"}, []string{"/visibility"}},
			{map[string]any{"visibility": "CONNECTIONS"}, []string{"/visibility"}}, // the channel is a page
			{map[string]any{"mediaIds": []string{b.ours.media.String()}}, []string{"/mediaIds"}},
		},
	} {
		c, id := b.on(t, path)
		for _, test := range tests {
			body := c.body(t, id, test.members)
			p := requireProblem(t, b.post(t, path, body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
			require.ElementsMatch(t, test.want, pointers(t, p), path+" "+body)
		}
		without := b.post(t, path, c.body(t, id, map[string]any{"channelId": nil}))
		require.Equal(t, []string{"/channelId"}, pointers(t,
			requireProblem(t, without, http.StatusUnprocessableEntity, "VALIDATION_FAILED")))
	}
	require.Zero(t, b.count(t, `post`))
}

func TestLinkedInProfilesAllowConnectionsVisibility(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, page := b.on(t, "/v1/posts/linkedin")
	profile := b.channel(t, b.ours.id, channel.LinkedInProfile, true)
	created := b.post(t, c.path, c.body(t, profile, map[string]any{"visibility": "CONNECTIONS", "schedule": future}))
	require.Equal(t, http.StatusCreated, created.status, created.body)
	require.Equal(t, map[string]any{"visibility": "CONNECTIONS"}, created.object(t)["options"])
	require.Equal(t, "SCHEDULED", created.object(t)["status"])
	refused := requireProblem(t, b.post(t, c.path, c.body(t, page, map[string]any{"visibility": "CONNECTIONS"})),
		http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Contains(t, refused["detail"], "PUBLIC")
}

// TestPlatformsCheckNetworkRulesWhenScheduled checks that drafts may violate the network's rules, and that scheduled posts
// may not. Pointers refer to the endpoint's body.
func TestPlatformsCheckNetworkRulesWhenScheduled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	picture := b.asset(t, b.ours.id, media.Image).String()
	for _, test := range []struct {
		path    string
		members map[string]any
		want    []string
	}{
		{"/v1/posts/youtube", map[string]any{"title": "<T>"}, []string{"/title"}},
		{"/v1/posts/youtube", map[string]any{"title": strings.Repeat("x", 101)}, []string{"/title"}},
		{"/v1/posts/youtube", map[string]any{"mediaId": picture}, []string{"/mediaId"}},
		{"/v1/posts/tiktok", map[string]any{"content": strings.Repeat("x", 2201)}, []string{"/content"}},
		{
			"/v1/posts/tiktok",
			map[string]any{"mediaIds": []string{b.ours.media.String(), picture}},
			[]string{"/mediaIds"},
		},
		{"/v1/posts/pinterest", map[string]any{"content": strings.Repeat("x", 801)}, []string{"/content"}},
		{"/v1/posts/linkedin", map[string]any{"content": strings.Repeat("x", 3001)}, []string{"/content"}},
	} {
		c, id := b.on(t, test.path)
		created := b.post(t, test.path, c.body(t, id, test.members))
		require.Equal(t, http.StatusCreated, created.status, created.body)
		for _, schedule := range []string{"now", future} {
			test.members["schedule"] = schedule
			p := requireProblem(t, b.post(t, test.path, c.body(t, id, test.members)), http.StatusUnprocessableEntity,
				"VALIDATION_FAILED")
			found := slices.Compact(slices.Sorted(slices.Values(pointers(t, p))))
			require.ElementsMatch(t, test.want, found, "%s %v", test.path, p["errors"])
		}
	}
	c, id := b.on(t, "/v1/posts/linkedin")
	requireProblem(t, b.post(t, c.path, c.body(t, id, map[string]any{"schedule": "next_slot"})),
		http.StatusUnprocessableEntity, "NO_FREE_SLOT")
	requireProblem(t, b.post(t, c.path, c.body(t, id, map[string]any{"schedule": "2020-01-01T00:00:00Z"})),
		http.StatusUnprocessableEntity, "SCHEDULED_IN_PAST")
	offline := b.channel(t, b.ours.id, channel.LinkedInPage, false)
	require.Equal(t, http.StatusCreated, b.post(t, c.path, c.body(t, offline, nil)).status)
	requireProblem(t, b.post(t, c.path, c.body(t, offline, map[string]any{"schedule": "now"})),
		http.StatusUnprocessableEntity, "CHANNEL_DISCONNECTED")
}
