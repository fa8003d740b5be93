package web_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/post"
)

// TestUpdatePost changes, clears and keeps members of a post.
func TestUpdatePost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := textAt(t, b.did(t, "create_post", object{
		"channelIds": []any{b.ours.channel}, "content": "Helo", "title": "T", "mediaIds": []any{b.ours.picture},
		"mediaAltTexts": object{b.ours.picture.String(): "A harbour"},
	}), "posts", 0, "id")
	update := func(arguments object) any {
		arguments["postId"] = id
		return at(t, b.did(t, "update_post", arguments), "post")
	}
	changed := update(object{"content": "Hello", "title": nil, "mediaAltTexts": nil, "contentType": "", "clear": nil})
	require.Equal(t, []any{"Hello", "T"}, []any{at(t, changed, "content"), at(t, changed, "title")}, "null and \"\" change nothing")
	require.Equal(t, object{b.ours.picture.String(): "A harbour"}, at(t, changed, "mediaAltTexts"))
	changed = update(object{"clear": []any{"title", "mediaAltTexts"}, "content": ""})
	require.Equal(t, []any{"Hello", nil}, []any{at(t, changed, "content"), at(t, changed, "title")})
	require.Empty(t, at(t, changed, "mediaAltTexts"))
	changed = update(object{"scheduledAt": tomorrow()})
	require.NotNil(t, at(t, changed, "scheduledAt"))
	changed = update(object{"clear": []any{"scheduledAt", "content"}})
	require.Equal(t, []any{"", nil}, []any{at(t, changed, "content"), at(t, changed, "scheduledAt")})
	require.Empty(t, at(t, update(object{"mediaIds": []any{}}), "mediaIds"))

	for name, c := range map[string]struct {
		arguments object
		want      []string
	}{
		"nothing":      {object{"content": nil}, []string{""}},
		"both":         {object{"content": "x", "clear": []any{"title", "content"}}, []string{"/clear/1"}},
		"unknown":      {object{"clear": []any{"postId"}}, []string{"/clear/0"}},
		"not a list":   {object{"clear": "title"}, []string{"/clear"}},
		"many faults":  {object{"contentType": "MOVIE", "mediaIds": []any{"x"}}, []string{"/contentType", "/mediaIds/0"}},
		"other member": {object{"status": "DRAFT"}, []string{"/status"}},
	} {
		c.arguments["postId"] = id
		require.ElementsMatch(t, c.want, b.refused(t, "update_post", c.arguments, "VALIDATION_FAILED").pointers(), name)
	}
	published := b.inState(t, b.ours, post.Published)
	require.Contains(t, b.refused(t, "update_post", object{"postId": published, "content": "x"}, "INVALID_STATE").Next,
		"create_post")
}

// TestMovingByUpdate checks that the time of a scheduled post needs the scope to publish, its text does not.
func TestMovingByUpdate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key, id := b.key(t, b.ours.id, "posts:write"), b.inState(t, b.ours, post.Scheduled)
	edited := b.call(t, key, "update_post", object{"postId": id, "content": "Hello again"})
	require.Equal(t, "SCHEDULED", textAt(t, edited, "post", "status"))
	r := b.do(t, callOf(t, newest, key, "update_post", object{"postId": id, "scheduledAt": tomorrow()}))
	b.refusalIn(t, "update_post", r, "INSUFFICIENT_SCOPE")
}

// TestReschedulePosts moves posts by a shift and to times, one of which fails.
func TestReschedulePosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.inState(t, b.ours, post.Scheduled), b.inState(t, b.ours, post.Scheduled)
	published := b.inState(t, b.ours, post.Published)
	before, err := time.Parse(time.RFC3339, b.timeOf(t, first))
	require.NoError(t, err)
	shift := object{"postIds": []any{first, published, second}, "shiftBy": "-PT2H", "dryRun": true, "idempotencyKey": "k"}
	planned := b.did(t, "reschedule_posts", shift)
	require.Equal(t, before.UTC().Format(time.RFC3339), before.Format(time.RFC3339))
	want := before.Add(-2 * time.Hour).Format("2006-01-02T15:04:05.000Z")
	require.Equal(t, want, textAt(t, planned, "results", 0, "scheduledAt"))
	require.Equal(t, before.Format("2006-01-02T15:04:05.000Z"), b.timeOf(t, first), "nothing was moved")
	shift["dryRun"] = false
	moved := b.did(t, "reschedule_posts", shift)
	require.Equal(t, at(t, planned, "results", 0), at(t, moved, "results", 0))
	require.Equal(t, want, b.timeOf(t, first))
	require.Equal(t, "INVALID_STATE", textAt(t, moved, "results", 1, "problem", "code"))
	require.Contains(t, textAt(t, moved, "results", 1, "problem", "next"), "create_post")
	again := b.did(t, "reschedule_posts", shift)
	require.Equal(t, []any{true, moved["results"]}, []any{again["replayed"], again["results"]})
	require.Equal(t, want, b.timeOf(t, first), "moved once")

	at := time.Now().In(time.UTC).AddDate(0, 0, 3).Format("2006-01-02")
	b.did(t, "reschedule_posts", object{
		"times": []any{object{"postId": first, "scheduledAt": at + "T09:00:00"}}, "timezone": "Asia/Tokyo",
	})
	require.Equal(t, at+"T00:00:00.000Z", b.timeOf(t, first))
	for name, c := range map[string]struct {
		arguments object
		want      []string
	}{
		"nothing":   {object{}, []string{""}},
		"both":      {object{"postIds": []any{first}, "times": []any{object{"postId": first, "scheduledAt": tomorrow()}}}, []string{"/postIds"}},
		"no shift":  {object{"postIds": []any{first}}, []string{"/shiftBy"}},
		"zone":      {object{"postIds": []any{first}, "shiftBy": "P1D", "timezone": "Europe/Berlin"}, []string{"/timezone"}},
		"no time":   {object{"times": []any{object{"postId": first}}}, []string{"/times/0/scheduledAt"}},
		"twice":     {object{"postIds": []any{first, first}, "shiftBy": "P1D"}, []string{"/postIds/1"}},
		"no shift?": {object{"postIds": []any{first}, "shiftBy": 2}, []string{"/shiftBy"}},
	} {
		require.ElementsMatch(t, c.want, b.refused(t, "reschedule_posts", c.arguments, "VALIDATION_FAILED").pointers(), name)
	}
	wrong := b.did(t, "reschedule_posts", object{"postIds": []any{first}, "shiftBy": "two hours"})
	require.Equal(t, "VALIDATION_FAILED", textAt(t, wrong, "results", 0, "problem", "code"))
}

// timeOf returns the time of a post.
func (b *bundle) timeOf(t testing.TB, id string) string {
	t.Helper()
	return textAt(t, b.did(t, "get_post", object{"postId": id}), "post", "scheduledAt")
}

func TestDeletePost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, status := range []post.Status{post.Draft, post.Scheduled, post.PendingApproval, post.Failed, post.Archived} {
		id := b.inState(t, b.ours, status)
		require.Equal(t, id, textAt(t, b.did(t, "delete_post", object{"postId": id}), "deleted", "id"))
		b.refused(t, "get_post", object{"postId": id}, "NOT_FOUND")
		b.refused(t, "delete_post", object{"postId": id}, "NOT_FOUND")
	}
	b.refused(t, "delete_post", object{"postId": b.inState(t, b.ours, post.Published)}, "INVALID_STATE")
}

// TestValidatePost checks that validation finds what create_post would refuse, and creates nothing.
func TestValidatePost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	long := b.did(t, "validate_post", object{
		"channelIds": []any{b.ours.channel, b.ours.channels[channel.LinkedInPage]}, "content": longText(4000),
		"schedule": tomorrow(),
	})
	require.Equal(t, false, long["valid"])
	require.Empty(t, at(t, long, "posts", 0, "errors"))
	require.Equal(t, "/content", at(t, long, "posts", 1, "errors", 0, "pointer"))
	require.Zero(t, b.count(t, `post`))
}

// TestValidatePostForecasts checks that validation says what the API's simulation says, also of existing posts.
func TestValidatePostForecasts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	api, linkedIn := b.rest(t), b.ours.channels[channel.LinkedInPage]
	id := textAt(t, b.did(t, "create_post", object{
		"channelIds": []any{b.ours.channel}, "content": "Harbour", "schedule": "next_slot",
	}), "posts", 0, "id")
	for _, arguments := range []object{
		{
			"channelIds": []any{b.ours.channel, linkedIn}, "content": "harbour", "schedule": tomorrow(),
			"variants": []any{object{"channelId": linkedIn, "content": longText(4000)}},
		},
		{"postIds": []any{id}},
	} {
		forecast := api.send(t, http.MethodPost, "/v1/posts/simulate", b.ours.key, encode(t, arguments))
		require.Equal(t, http.StatusOK, forecast.status, forecast.body)
		validated := b.did(t, "validate_post", arguments)
		require.Equal(t, decoded(t, forecast.body)["posts"], validated["posts"])
		require.Equal(t, arguments["postIds"] != nil, validated["valid"], "the text of LinkedIn is too long")
	}
	created := b.did(t, "validate_post", object{"channelIds": []any{b.ours.channel}, "content": "HARBOUR", "schedule": "next_slot"})
	require.Equal(t, object{"kind": "SAME_TEXT", "postId": id}, at(t, created, "posts", 0, "conflicts", 0))
	require.NotNil(t, at(t, created, "posts", 0, "at"))
	for name, c := range map[string]struct {
		arguments object
		want      []string
	}{
		"nothing": {object{}, []string{""}},
		"both":    {object{"postIds": []any{id}, "content": "x"}, []string{"/postIds"}},
		"no id":   {object{"postIds": []any{"x"}}, []string{"/postIds/0"}},
	} {
		require.ElementsMatch(t, c.want, b.refused(t, "validate_post", c.arguments, "VALIDATION_FAILED").pointers(), name)
	}
	b.refused(t, "validate_post", object{"postIds": []any{b.draft(t, b.theirs)}}, "NOT_FOUND")
}

// TestListChannelsFilters checks the filters of the API's list, of which one may be repeated.
func TestListChannelsFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.exec(t, `UPDATE channel SET token_status = 'NEEDS_RECONNECT' WHERE id = $1`, b.ours.channels[channel.YouTube].String())
	for name, c := range map[string]struct {
		arguments object
		want      []channel.Type
	}{
		"one":          {object{"type": "PINTEREST"}, []channel.Type{channel.Pinterest}},
		"several":      {object{"type": []any{"PINTEREST", "YOUTUBE"}}, []channel.Type{channel.YouTube, channel.Pinterest}},
		"status":       {object{"tokenStatus": "NEEDS_RECONNECT"}, []channel.Type{channel.YouTube}},
		"both":         {object{"type": []any{"PINTEREST"}, "tokenStatus": "NEEDS_RECONNECT"}, nil},
		"no such type": {object{"type": "THREADS", "tokenStatus": ""}, nil},
	} {
		data, ok := b.did(t, "list_channels", c.arguments)["data"].([]any)
		require.True(t, ok)
		var got []channel.Type
		for i := range data {
			got = append(got, channel.Type(textAt(t, data, i, "type")))
		}
		require.Equal(t, c.want, got, name)
	}
	for pointer, arguments := range map[string]object{
		"/type/1": {"type": []any{"YOUTUBE", "MYSPACE"}}, "/type": {"type": 5}, "/tokenStatus": {"tokenStatus": "LOST"},
	} {
		require.Equal(t, []string{pointer}, b.refused(t, "list_channels", arguments, "VALIDATION_FAILED").pointers())
	}
}

func TestPostTimeline(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.inState(t, b.ours, post.PendingApproval)
	b.did(t, "reject_post", object{"postId": id, "comment": "Shorter."})
	read := b.did(t, "get_post_timeline", object{"postId": id})
	for i, kind := range []string{"created", "approval_requested", "rejected"} {
		require.Equal(t, kind, textAt(t, read, "data", i, "kind"))
	}
	require.Contains(t, textAt(t, read, "data", 2, "detail"), "Shorter.")
}

// TestChannelSchedule checks that the next free slots leave out those that a post holds.
func TestChannelSchedule(t *testing.T) {
	t.Parallel()
	b := setup(t)
	read := func() []any {
		slots, ok := b.did(t, "get_channel_schedule", object{"channelId": b.ours.channel})["nextSlots"].([]any)
		require.True(t, ok)
		return slots
	}
	before := read()
	require.Len(t, before, 10)
	b.did(t, "create_post", object{"channelIds": []any{b.ours.channel}, "content": "x", "schedule": "next_slot"})
	require.Equal(t, before[1:], read()[:9])
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for i := range read() {
		next, err := time.Parse(time.RFC3339, textAt(t, read(), i))
		require.NoError(t, err)
		local := next.In(berlin)
		require.Contains(t, []slot.Slot{{Weekday: time.Monday, Hour: 9}, {Weekday: time.Thursday, Hour: 17, Minute: 30}},
			slot.Slot{Weekday: local.Weekday(), Hour: local.Hour(), Minute: local.Minute()})
	}
	b.exec(t, `UPDATE channel SET is_queue_paused = true WHERE id = $1`, b.ours.channel.String())
	require.Empty(t, read())
	without := b.did(t, "get_channel_schedule", object{"channelId": b.ours.channels[channel.LinkedInPage]})
	require.Equal(t, []any{[]any{}, nil}, []any{without["nextSlots"], without["nextSlotAt"]})
}

// TestClock checks that results about times have the present time in the zone of the workspace.
func TestClock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	for tool, arguments := range map[string]object{
		"list_channels": {}, "list_posts": {}, "get_post": {"postId": id}, "get_post_timeline": {"postId": id},
		"get_channel_schedule": {"channelId": b.ours.channel}, "get_analytics": {}, "list_media": {},
		"validate_post": {"channelIds": []any{b.ours.channel}, "content": "x"},
		"create_post":   {"channelIds": []any{b.ours.channel}, "content": "x"},
		"update_post":   {"postId": id, "content": "y"}, "schedule_post": {"postId": id, "scheduledAt": tomorrow()},
	} {
		read := b.did(t, tool, arguments)
		require.Equal(t, "Europe/Berlin", textAt(t, read, "clock", "timezone"), tool)
		now, err := time.Parse(time.RFC3339, textAt(t, read, "clock", "now"))
		require.NoError(t, err)
		require.WithinDuration(t, time.Now(), now, 5*time.Second)
		berlin, err := time.LoadLocation("Europe/Berlin")
		require.NoError(t, err)
		local := now.In(berlin)
		require.Equal(t, local.Format(time.RFC3339), textAt(t, read, "clock", "now"), "with the zone's offset")
		require.Contains(t, []string{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"}[local.Weekday()],
			textAt(t, read, "clock", "weekday"))
	}
}

// TestNullAndEmptyTextsAreAbsent calls every tool with its sample and with null or an empty text as all other arguments.
func TestNullAndEmptyTextsAreAbsent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, absent := range []any{nil, ""} {
		samples := b.samples(t, b.ours)
		for _, tool := range b.catalogue(t) {
			arguments := samples[tool.Name]
			members, _ := decoded(t, string(tool.InputSchema))["properties"].(object)
			for member := range members {
				if _, sent := arguments[member]; !sent {
					arguments[member] = absent
				}
			}
			r := b.resultOf(t, tool.Name, b.do(t, callOf(t, newest, b.ours.key, tool.Name, arguments)))
			if tool.Name == "import_media" || tool.Name == "list_boards" || tool.Name == "complete_media_upload" { // need other programs
				require.NotContains(t, r.Content[0].Text, "VALIDATION_FAILED", tool.Name)
				continue
			}
			require.False(t, r.IsError, "%s: %s", tool.Name, r.Content[0].Text)
		}
	}
}

func TestListMedia(t *testing.T) {
	t.Parallel()
	b := setup(t)
	all := b.did(t, "list_media", object{"type": ""})
	require.Len(t, at(t, all, "data"), 2)
	images := b.did(t, "list_media", object{"type": "IMAGE"})
	require.Equal(t, b.ours.picture.String(), textAt(t, images, "data", 0, "id"))
	first := b.did(t, "list_media", object{"limit": 1})
	rest := b.did(t, "list_media", object{"limit": 1, "cursor": first["nextCursor"]})
	require.NotEqual(t, textAt(t, first, "data", 0, "id"), textAt(t, rest, "data", 0, "id"))
	require.Nil(t, rest["nextCursor"])
	b.refused(t, "list_media", object{"limit": 1, "cursor": first["nextCursor"], "type": "IMAGE"}, "INVALID_CURSOR")
	require.Equal(t, http.StatusOK, b.do(t, callOf(t, newest, b.key(t, b.ours.id, "media:write"), "list_media", object{})).status)
}
