package web_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
)

func tomorrow() string { return time.Now().Add(24 * time.Hour).UTC().Format("2006-01-02T15:04:05Z") }

func (b *bundle) statusOf(t testing.TB, id string) string {
	t.Helper()
	return textAt(t, b.did(t, "get_post", object{"postId": id}), "post", "status")
}

// TestPostLifecycle covers a post that is drafted, reviewed, rejected, scheduled, unscheduled and published.
func TestPostLifecycle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.did(t, "create_post", object{
		"channelIds": []any{b.ours.channel}, "content": "Hello", "title": "T", "contentType": "POST",
		"mediaIds": []any{b.ours.video},
	})
	require.Equal(t, false, created["replayed"])
	id := textAt(t, created, "posts", 0, "id")
	require.Equal(t, []any{b.ours.video.String()}, at(t, created, "posts", 0, "mediaIds"))
	require.Equal(t, created["posts"], b.did(t, "list_posts", object{"postId": id})["data"])
	require.Equal(t, at(t, created, "posts", 0), b.did(t, "get_post", object{"postId": id})["post"])
	on := object{"postId": id}
	step := func(tool string, arguments object, want string) object {
		changed := b.did(t, tool, arguments)
		require.Equal(t, want, textAt(t, changed, "post", "status"), tool)
		require.Equal(t, want, b.statusOf(t, id))
		return changed
	}
	step("request_approval", on, "PENDING_APPROVAL")
	rejected := step("reject_post", object{"postId": id, "comment": "Shorter, please."}, "DRAFT")
	require.Equal(t, "Shorter, please.", textAt(t, rejected, "post", "approval", "comment"))
	step("request_approval", on, "PENDING_APPROVAL")
	step("approve_post", on, "DRAFT")
	when := tomorrow()
	scheduled := step("schedule_post", object{"postId": id, "scheduledAt": when}, "SCHEDULED")
	require.Equal(t, when[:19], textAt(t, scheduled, "post", "scheduledAt")[:19])
	require.Equal(t, "time", textAt(t, scheduled, "post", "waiting", "reason"))
	step("schedule_post", object{"postId": id, "schedule": "next_slot"}, "SCHEDULED")
	require.Nil(t, at(t, step("unschedule_post", on, "DRAFT"), "post", "scheduledAt"))
	step("publish_post", on, "SCHEDULED")
	require.Positive(t, b.count(t, `outbox WHERE kind = 'post' AND subject = $1`, id), "its workflow is signaled")
}

func TestCreateWithEverySchedule(t *testing.T) {
	t.Parallel()
	b := setup(t)
	create := func(schedule string) object {
		return b.did(t, "create_post", object{"channelIds": []any{b.ours.channel}, "content": "x", "schedule": schedule})
	}
	require.Equal(t, "DRAFT", textAt(t, create("draft"), "posts", 0, "status"))
	for _, schedule := range []string{"now", "next_slot", tomorrow()} {
		require.Equal(t, "SCHEDULED", textAt(t, create(schedule), "posts", 0, "status"), schedule)
	}
	both := b.did(t, "create_post", object{
		"channelIds": []any{b.ours.channels[channel.LinkedInPage], b.ours.channel}, "content": "x",
	})
	require.Equal(t, b.ours.channels[channel.LinkedInPage].String(), textAt(t, both, "posts", 0, "channelId"),
		"in the order of channelIds")
	require.Equal(t, b.ours.channel.String(), textAt(t, both, "posts", 1, "channelId"))
	before := b.count(t, `post`)
	b.refused(t, "create_post", object{
		"channelIds": []any{b.ours.channel, b.ours.channels[channel.WhatsAppBusiness]}, "content": "x",
	}, "CHANNEL_NOT_PUBLISHABLE")
	require.Equal(t, before, b.count(t, `post`), "all of them or none")
}

// TestVariants creates posts of a set with texts of their own.
func TestVariants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	linkedIn := b.ours.channels[channel.LinkedInPage]
	created := b.did(t, "create_post", object{
		"channelIds": []any{b.ours.channel, linkedIn}, "content": "Base", "schedule": "2027-03-02T09:00:00", "timezone": "Europe/Berlin",
		"variants": []any{object{"channelId": linkedIn, "content": "In detail", "title": nil, "mediaIds": nil}},
		"labels":   []any{"spring"},
	})
	require.Equal(t, "Base", textAt(t, created, "posts", 0, "content"))
	require.Equal(t, "In detail", textAt(t, created, "posts", 1, "content"))
	require.Equal(t, "2027-03-02T08:00:00.000Z", textAt(t, created, "posts", 0, "scheduledAt"))
	require.Equal(t, textAt(t, created, "posts", 0, "groupId"), textAt(t, created, "posts", 1, "groupId"))
	require.Len(t, postIDs(t, b.did(t, "list_posts", object{"label": "spring"})), 2)
}

func TestRefusedPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	lost, full, paused := b.channel(t, b.ours.id, channel.TelegramChannel, false), b.channel(t, b.ours.id,
		channel.TelegramChannel, true), b.channel(t, b.ours.id, channel.TelegramChannel, true)
	b.exec(t, `UPDATE channel SET is_queue_paused = true WHERE id = $1`, paused.String())
	create := func(of any, schedule string) object {
		return object{"channelIds": []any{of}, "content": "x", "schedule": schedule}
	}
	draft := textAt(t, b.did(t, "create_post", create(lost, "draft")), "posts", 0, "id")
	busy := b.inState(t, b.ours, post.Scheduled)
	b.exec(t, `UPDATE post SET publishing_since = now() WHERE id = $1`, busy)
	yesterday := time.Now().Add(-24 * time.Hour).UTC().Format("2006-01-02T15:04:05Z")
	for _, c := range []struct {
		tool      string
		arguments object
		code      string
		next      string // part of the advice
	}{
		{
			"create_post", create(b.ours.channels[channel.WhatsAppBusiness], "draft"), "CHANNEL_NOT_PUBLISHABLE",
			"capabilities.publish",
		},
		{"create_post", create(lost, "now"), "CHANNEL_DISCONNECTED", "reconnect the channel"},
		{"create_post", create(b.ours.channel, yesterday), "SCHEDULED_IN_PAST", "it is now 20"},
		{"create_post", create(full, "next_slot"), "NO_FREE_SLOT", "schedule of create_post"},
		{"create_post", create(paused, "next_slot"), "QUEUE_PAUSED", "Pass a time"},
		{"publish_post", object{"postId": draft}, "CHANNEL_DISCONNECTED", "reconnect the channel"},
		{
			"schedule_post",
			object{"postId": draft, "scheduledAt": tomorrow()},
			"CHANNEL_DISCONNECTED",
			"reconnect the channel",
		},
		{
			"schedule_post",
			object{"postId": b.draft(t, b.ours), "scheduledAt": yesterday},
			"SCHEDULED_IN_PAST",
			"publish_post",
		},
		{"publish_post", object{"postId": busy}, "PUBLISH_IN_PROGRESS", "get_post"},
		{"unschedule_post", object{"postId": busy}, "PUBLISH_IN_PROGRESS", "get_post"},
		{"schedule_post", object{"postId": busy, "scheduledAt": "soon"}, "VALIDATION_FAILED", "errors"},
		{"schedule_post", object{"postId": busy}, "VALIDATION_FAILED", "errors"},
		{
			"schedule_post",
			object{"postId": busy, "scheduledAt": tomorrow(), "schedule": "next_slot"},
			"VALIDATION_FAILED",
			"errors",
		},
		{"reject_post", object{"postId": busy, "comment": longText(2001)}, "VALIDATION_FAILED", "errors"},
	} {
		reported := b.refused(t, c.tool, c.arguments, c.code)
		require.Contains(t, reported.Next, c.next, "%s %s", c.tool, c.code)
	}
	// A faulty field is not also reported as missing.
	soon := b.refused(t, "schedule_post", object{"postId": busy, "scheduledAt": "soon"}, "VALIDATION_FAILED")
	require.Equal(t, []string{"/scheduledAt"}, soon.pointers())
}

func longText(n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = 'x'
	}
	return string(out)
}

// TestInvalidStates calls each tool for a post in each state that does not allow it.
func TestInvalidStates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	allowed := map[string][]post.Status{
		"schedule_post": {post.Draft, post.Scheduled, post.Failed}, "publish_post": {post.Draft, post.Scheduled, post.Failed},
		"unschedule_post": {post.Scheduled}, "request_approval": {post.Draft}, "approve_post": {post.PendingApproval},
		"reject_post": {post.PendingApproval},
	}
	advice := map[post.Status]string{
		post.Draft: "schedule_post, publish_post or request_approval", post.PendingApproval: "approve_post or reject_post",
		post.Scheduled: "unschedule_post",
		post.Failed:    "publish_post or schedule_post", post.Published: "create_post", post.Archived: "in the application",
	}
	for tool, states := range allowed {
		for status, next := range advice {
			id := b.inState(t, b.ours, status)
			arguments := object{"postId": id}
			if tool == "schedule_post" {
				arguments["scheduledAt"] = tomorrow()
			}
			if allows(states, status) {
				b.did(t, tool, arguments)
				continue
			}
			reported := b.refused(t, tool, arguments, "INVALID_STATE")
			require.Equal(t, string(status), reported.CurrentStatus)
			require.Contains(t, reported.Next, next)
			require.Equal(t, string(status), b.statusOf(t, id))
		}
	}
}

func allows(states []post.Status, status post.Status) bool {
	for _, s := range states {
		if s == status {
			return true
		}
	}
	return false
}

// TestOptionsOfPlatforms checks that the settings apply to the platform of the channel.
func TestOptionsOfPlatforms(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for typ, c := range map[channel.Type]struct {
		options object
		media   any
	}{
		channel.YouTube:               {object{"visibility": "unlisted", "madeForKids": false}, b.ours.video},
		channel.TikTokBusiness:        {object{"allowComments": false}, b.ours.video},
		channel.Pinterest:             {object{"boardId": "549755885175", "altText": "Tiles"}, b.ours.picture},
		channel.LinkedInPage:          {object{"visibility": "PUBLIC"}, b.ours.picture},
		channel.FacebookPage:          {object{"link": "https://example.com/"}, nil},
		channel.InstagramProfessional: {object{"shareToFeed": false}, b.ours.video},
		channel.GoogleBusiness:        {object{"callToAction": "SHOP", "actionUrl": "https://example.com/"}, b.ours.picture},
	} {
		if _, created := b.ours.channels[typ]; !created {
			b.ours.channels[typ] = b.channel(t, b.ours.id, typ, true)
		}
		media := []any{}
		if c.media != nil {
			media = append(media, c.media)
		}
		created := b.did(t, "create_post", object{
			"channelIds": []any{b.ours.channels[typ]}, "content": "x", "title": "T", "mediaIds": media,
			"options": c.options,
		})
		got, ok := at(t, created, "posts", 0, "options").(object)
		require.True(t, ok)
		for name, value := range c.options {
			require.Equal(t, value, got[name], "%s %s", typ, name)
		}
	}
	ofPlatform := b.did(t, "create_post", object{
		"channelIds": []any{b.ours.channels[channel.LinkedInPage]}, "content": "x", "options": object{},
	})
	require.Equal(t, object{}, at(t, ofPlatform, "posts", 0, "options"))
	require.Equal(t, object{}, at(t, b.did(t, "list_posts", object{"limit": 1}), "data", 0, "options"))
	generic := b.did(t, "create_post", object{"channelIds": []any{b.ours.channels[channel.LinkedInPage]}, "content": "x"})
	require.Nil(t, at(t, generic, "posts", 0, "options"))
	video := []any{b.ours.video}
	for name, arguments := range map[string]object{
		"other platform": {"channelIds": []any{b.ours.channel}, "content": "x", "options": object{"visibility": "PUBLIC"}},
		"two channels": {
			"channelIds": []any{b.ours.channels[channel.YouTube], b.ours.channel}, "title": "T", "mediaIds": video,
			"options": object{"visibility": "public"},
		},
		"wrong value": {
			"channelIds": []any{b.ours.channels[channel.YouTube]}, "title": "T", "mediaIds": video,
			"options": object{"visibility": "SECRET"},
		},
		"no board": {
			"channelIds": []any{b.ours.channels[channel.Pinterest]}, "mediaIds": []any{b.ours.picture},
			"options": object{"altText": "x"},
		},
		"foreign member": {
			"channelIds": []any{b.ours.channels[channel.YouTube]}, "title": "T", "mediaIds": video,
			"options": object{"boardId": "1"},
		},
		"unknown member": {
			"channelIds": []any{b.ours.channels[channel.YouTube]}, "title": "T", "mediaIds": video,
			"options": object{"colour": "red"},
		},
	} {
		reported := b.refused(t, "create_post", arguments, "VALIDATION_FAILED")
		require.NotEmpty(t, reported.pointers(), name)
	}
	require.Equal(t, 9, b.count(t, `post`))
	for _, tool := range b.catalogue(t) {
		if tool.Name != "create_post" {
			continue
		}
		described := textAt(t, decoded(t, string(tool.InputSchema)), "properties", "options", "description")
		for _, network := range b.app.Platforms() {
			require.Contains(t, described, network.Name())
		}
		for _, option := range reflect.VisibleFields(reflect.TypeFor[apiforms.PostOptions]()) {
			name, _, _ := strings.Cut(option.Tag.Get("json"), ",")
			require.Contains(t, described, name)
		}
	}
}

func TestPostPagination(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var created []string
	for range 7 {
		created = append([]string{b.draft(t, b.ours)}, created...)
	}
	scheduled := b.inState(t, b.ours, post.Scheduled)
	another := textAt(t, b.did(t, "create_post",
		object{"channelIds": []any{b.ours.channels[channel.LinkedInPage]}, "content": "x"}), "posts", 0, "id")
	var met []string
	cursor := any(nil)
	for pages := 0; pages == 0 || cursor != nil; pages++ {
		arguments := object{"limit": 3, "status": "DRAFT", "channelId": b.ours.channel}
		if cursor != nil {
			arguments["cursor"] = cursor
		}
		page := b.did(t, "list_posts", arguments)
		met, cursor = append(met, postIDs(t, page)...), page["nextCursor"]
		require.Less(t, pages, 5)
	}
	require.Equal(t, created, met, "each once, newest first")
	require.Equal(t, []string{scheduled}, postIDs(t, b.did(t, "list_posts", object{"status": "SCHEDULED"})))
	require.Equal(t, append([]string{another, scheduled}, created...), postIDs(t, b.did(t, "list_posts", object{})))
	for name, arguments := range map[string]object{
		"limit": {"limit": 0}, "large": {"limit": 101}, "status": {"status": "LOST"},
		"both": {"postId": scheduled, "limit": 5}, "and a filter": {"postId": scheduled, "channelId": b.ours.channel},
		"and a state": {"postId": scheduled, "status": "DRAFT"}, "and a cursor": {"postId": scheduled, "cursor": "x"},
		"and a sort": {"postId": scheduled, "sort": "createdAt"},
		"and a time": {"postId": scheduled, "scheduledTo": tomorrow()}, "sort": {"sort": "title"},
		"time":        {"scheduledFrom": "soon"},
		"empty range": {"scheduledFrom": tomorrow(), "scheduledTo": tomorrow()},
	} {
		require.NotEmpty(t, b.refused(t, "list_posts", arguments, "VALIDATION_FAILED").pointers(), name)
	}
}

// TestFiltersOfPosts checks the filters that lists have in common with the API, and that null and "" are absent.
func TestFiltersOfPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draft, scheduled := b.draft(t, b.ours), b.inState(t, b.ours, post.Scheduled)
	tiles := textAt(t, b.did(t, "create_post",
		object{"channelIds": []any{b.ours.channel}, "content": "Blue tiles"}), "posts", 0, "id")
	list := func(arguments object) []string { return postIDs(t, b.did(t, "list_posts", arguments)) }
	all := []string{tiles, scheduled, draft}
	require.Equal(t, []string{tiles}, list(object{"q": "TILE"}))
	require.Equal(t, []string{tiles, draft}, list(object{"status": []any{"DRAFT", "FAILED"}}))
	require.Equal(t, all, list(object{"status": []any{"DRAFT", "SCHEDULED"}, "channelId": []any{b.ours.channel}}))
	require.Equal(t, all, list(object{"channelId": b.ours.channel, "updatedSince": "2020-01-01T00:00:00Z"}))
	require.Equal(t, []string{tiles}, list(object{"groupId": tiles}))
	require.Empty(t, list(object{"label": "none"}))
	require.Empty(t, list(object{"externalId": "none", "publishedFrom": "2020-01-01T00:00:00Z"}))
	for _, absent := range []any{nil, ""} {
		require.Equal(t, all, list(object{
			"status": absent, "channelId": absent, "label": absent, "groupId": absent, "externalId": absent, "q": absent,
			"updatedSince": absent, "publishedFrom": absent, "publishedTo": absent, "sort": absent, "cursor": absent,
		}), "%v", absent)
	}
	for pointer, arguments := range map[string]object{
		"/q": {"q": "%"}, "/channelId": {"channelId": []any{"00000000-0000-0000-0000-000000000000"}},
		"/groupId": {"groupId": "00000000-0000-0000-0000-000000000000"}, "/status/1": {"status": []any{"DRAFT", "LOST"}},
		"/publishedTo":  {"publishedFrom": tomorrow(), "publishedTo": tomorrow()},
		"/updatedSince": {"updatedSince": "yesterday"}, "/channelId/0": {"channelId": []any{"x"}},
	} {
		require.Equal(t, []string{pointer}, b.refused(t, "list_posts", arguments, "VALIDATION_FAILED").pointers())
	}
}

// TestSortsOfPosts checks that lists have the same filters and sorts as the API's.
func TestSortsOfPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	later := func(hours int) string {
		return time.Now().Add(time.Duration(hours) * time.Hour).UTC().Format(time.RFC3339)
	}
	ids := map[string]string{"untimed": b.draft(t, b.ours)}
	for name, hours := range map[string]int{"second": 2, "third": 3} {
		ids[name] = b.draft(t, b.ours)
		b.did(t, "schedule_post", object{"postId": ids[name], "scheduledAt": later(hours)})
	}
	list := func(arguments object) []string { return postIDs(t, b.did(t, "list_posts", arguments)) }
	require.Equal(t, []string{ids["second"], ids["third"], ids["untimed"]}, list(object{"sort": "scheduledAt"}))
	require.Equal(t, []string{ids["third"], ids["second"], ids["untimed"]}, list(object{"sort": "-scheduledAt"}))
	require.Equal(t, ids["untimed"], list(object{"sort": "createdAt"})[0])
	require.Equal(t, ids["untimed"], list(object{"sort": "-createdAt"})[2])
	require.Equal(t, []string{
		ids["third"],
	}, list(object{"scheduledFrom": later(3)[:14] + "00:00Z", "scheduledTo": later(5)}))
	first := b.did(t, "list_posts", object{"sort": "scheduledAt", "limit": 1})
	next := textAt(t, first, "nextCursor")
	require.Equal(t, []string{ids["third"], ids["untimed"]}, list(object{"sort": "scheduledAt", "cursor": next}))
	for _, arguments := range []object{
		{"cursor": next},
		{"sort": "-scheduledAt", "cursor": next},
		{"sort": "scheduledAt", "scheduledTo": later(9), "cursor": next},
	} {
		b.refused(t, "list_posts", arguments, "INVALID_CURSOR")
	}
}

// TestChannels checks that a client that may write posts can list channels without access to analytics.
func TestChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	lost := b.channel(t, b.ours.id, channel.Threads, false)
	key := b.key(t, b.ours.id, "channels:read", "posts:write")
	channels, ok := at(t, b.call(t, key, "list_channels", object{}), "data").([]any)
	require.True(t, ok)
	require.Len(t, channels, len(b.ours.channels)+1)
	for i := range channels {
		id := textAt(t, channels, i, "id")
		require.Equal(t, textAt(t, channels, i, "type") != "WHATSAPP_BUSINESS", at(t, channels, i, "capabilities", "publish"))
		require.Equal(t, id != lost.String(), at(t, channels, i, "isConnected"))
		if at(t, channels, i, "capabilities", "publish") == true {
			b.call(t, key, "create_post", object{"channelIds": []any{id}, "content": "x", "title": "T"})
		}
	}
	require.Equal(t, []string{"/limit"}, b.refused(t, "list_channels", object{"limit": 5}, "VALIDATION_FAILED").pointers())
}

func TestFigures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	lost := b.channel(t, b.ours.id, channel.Threads, false)
	all := b.did(t, "get_analytics", object{})
	require.Equal(t, []string{"clock", "workspace"}, sortedKeys(all))
	channels, ok := at(t, all, "workspace", "channels").([]any)
	require.True(t, ok)
	require.Len(t, channels, len(b.ours.channels)+1)
	for i := range channels {
		id := textAt(t, channels, i, "channelId")
		require.Equal(t, textAt(t, channels, i, "type") != "WHATSAPP_BUSINESS", at(t, channels, i, "canPublish"))
		require.Equal(t, id != lost.String(), at(t, channels, i, "isConnected"))
		require.Equal(t, "news", at(t, channels, i, "username"))
	}
	one := b.did(t, "get_analytics", object{"channelId": b.ours.channel, "from": "2026-02-01", "to": "2026-02-03"})
	require.Equal(t, []string{"channel", "clock"}, sortedKeys(one))
	id := b.inState(t, b.ours, post.Published)
	require.Equal(t, []string{"clock", "post"}, sortedKeys(b.did(t, "get_analytics", object{"postId": id})))
	for name, arguments := range map[string]object{
		"both": {"postId": id, "channelId": b.ours.channel}, "no day": {"from": "2026-02-30"}, "no date": {"to": "today"},
		"backwards": {"from": "2026-02-02", "to": "2026-02-01"},
		"too many":  {"from": "2024-01-01", "to": "2026-02-01"}, "two faults": {"from": "x", "to": "y"},
	} {
		require.NotEmpty(t, b.refused(t, "get_analytics", arguments, "VALIDATION_FAILED").pointers(), name)
	}
	require.Equal(t, http.StatusOK, b.do(t, callOf(t, newest, b.key(t, b.ours.id, "analytics:read"), "get_analytics",
		object{})).status)
}
