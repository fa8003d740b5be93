package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// task is one task of a person, and the calls that an agent needs for it. The table of docs/agents.md has the calls.
type task struct {
	name string
	do   func(j *job)
}

// job is the work on one task by an agent that knows nothing yet.
type job struct {
	*agent

	s     *harness.System
	zone  *time.Location
	calls []string
}

// asks calls a tool and counts the call.
func asks[T any](j *job, tool string, arguments args) T {
	j.t.Helper()
	j.calls = append(j.calls, tool)
	return does[T](j.agent, tool, arguments)
}

type (
	withClock struct {
		Clock struct {
			Now      time.Time `json:"now"`
			Weekday  string    `json:"weekday"`
			Timezone string    `json:"timezone"`
		} `json:"clock"`
	}
	channelsListed struct {
		withClock

		Data []fencepost.Channel `json:"data"`
	}
	postsListed struct {
		withClock

		Data []fencepost.Post `json:"data"`
	}
	mediaListed struct {
		withClock

		Data []fencepost.Media `json:"data"`
	}
)

// TestTasksOfAgents does ten tasks with the official client library, and checks the end state and the number of calls.
func TestTasksOfAgents(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.StartTools(1)
	berlin := inBerlin(t, s)
	page, err := os.ReadFile("../../docs/agents.md")
	require.NoError(t, err)
	for _, one := range tasks() {
		t.Run(one.name, func(t *testing.T) {
			j := &job{agent: connected(t, s, s.MCPURL, ""), s: s, zone: berlin}
			one.do(j)
			require.Contains(t, string(page), fmt.Sprintf("| %s | %d: ", one.name, len(j.calls))+
				"`"+strings.Join(j.calls, "`, `")+"` |\n")
		})
	}
}

// inBerlin gives the workspace and its channels a time zone, and returns it.
func inBerlin(t *testing.T, s *harness.System) *time.Location {
	t.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	postgrestest.Exec(t, s.Database(), `UPDATE workspace SET timezone = 'Europe/Berlin'`)
	postgrestest.Exec(t, s.Database(), `UPDATE channel SET timezone = 'Europe/Berlin'`)
	return berlin
}

func tasks() []task {
	return []task{
		{"Schedule a picture from the web for Tuesday at 9:00 on LinkedIn and X, with a text for each", (*job).schedules},
		{"Move all posts of tomorrow by two hours", (*job).moves},
		{"Fix a typo in a scheduled post", (*job).fixes},
		{"Why did the post fail?", (*job).explains},
		{"Which channels need reconnecting?", (*job).finds},
		{"Delete the draft about the storm", (*job).deletes},
		{"Will this text fit on every channel?", (*job).checks},
		{"When are the next free slots?", (*job).looks},
		{"Use last week's picture again", (*job).reuses},
		{"Pin a picture to the board", (*job).pins},
	}
}

// first returns the first channel of a type.
func (found channelsListed) first(j *job, typ channel.Type) string {
	j.t.Helper()
	for _, c := range found.Data {
		if c.Type == fencepost.ChannelType(typ) {
			return c.ID
		}
	}
	require.Fail(j.t, "no channel", "%s", typ)
	return ""
}

// prepared creates posts as a person did before, without counting calls.
func (j *job) prepared(content string, more args) string {
	j.t.Helper()
	body := args{"channelIds": []string{j.s.Channels[channel.Threads].ID.String()}, "content": content}
	for name, value := range more {
		body[name] = value
	}
	return does[postsCreated](j.agent, "create_post", body).Posts[0].ID
}

func (j *job) schedules() {
	j.t.Helper()
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(harness.Picture(j.t, 3))
	}))
	j.t.Cleanup(source.Close)
	found := asks[channelsListed](j, "list_channels", nil)
	require.Equal(j.t, "Europe/Berlin", found.Clock.Timezone)
	now := found.Clock.Now.In(j.zone)
	require.Equal(j.t, strings.ToUpper(now.Weekday().String()), found.Clock.Weekday)
	tuesday := now.AddDate(0, 0, (int(time.Tuesday-now.Weekday())+6)%7+1)
	picture := asks[mediaCreated](j, "import_media", args{"url": source.URL + "/harbour.jpg"}).Media.ID
	linkedIn, x := found.first(j, channel.LinkedInPage), found.first(j, channel.Twitter)
	created := asks[postsCreated](j, "create_post", args{
		"variants": []args{
			{"channelId": linkedIn, "content": "The harbour, in detail."}, {"channelId": x, "content": "The harbour."},
		},
		"mediaIds": []string{picture}, "schedule": tuesday.Format("2006-01-02") + "T09:00:00", "timezone": "Europe/Berlin",
		"idempotencyKey": "tuesday",
	})
	require.Len(j.t, created.Posts, 2)
	want := time.Date(tuesday.Year(), tuesday.Month(), tuesday.Day(), 9, 0, 0, 0, j.zone)
	for i, text := range []string{"The harbour, in detail.", "The harbour."} {
		saved := j.s.Get(created.Posts[i].ID)
		require.Equal(j.t, fencepost.PostStatusScheduled, saved.Status)
		require.Equal(j.t, text, saved.Content)
		require.Equal(j.t, []string{picture}, saved.MediaIDs)
		require.True(j.t, want.Equal(*saved.ScheduledAt))
		require.Equal(j.t, created.Posts[0].GroupID, saved.GroupID)
	}
}

func (j *job) moves() {
	j.t.Helper()
	tomorrow := time.Now().In(j.zone).AddDate(0, 0, 1)
	at := func(days, hour int) time.Time {
		return time.Date(tomorrow.Year(), tomorrow.Month(), tomorrow.Day()+days, hour, 0, 0, 0, j.zone)
	}
	plan := func(text string, when time.Time) string {
		return j.prepared(text, args{"schedule": when.Format(time.RFC3339)})
	}
	morning, noon, later := plan("Morning", at(0, 8)), plan("Noon", at(0, 12)), plan("Later", at(1, 8))
	listed := asks[postsListed](j, "list_posts", args{"status": "SCHEDULED", "sort": "scheduledAt"})
	day := listed.Clock.Now.In(j.zone).AddDate(0, 0, 1).Format("2006-01-02")
	var ids []string
	for _, p := range listed.Data {
		if p.ScheduledAt.In(j.zone).Format("2006-01-02") == day {
			ids = append(ids, p.ID)
		}
	}
	asks[any](j, "reschedule_posts", args{"postIds": ids, "shiftBy": "PT2H", "idempotencyKey": "two-hours"})
	for id, want := range map[string]time.Time{morning: at(0, 10), noon: at(0, 14), later: at(1, 8)} {
		require.True(j.t, want.Equal(*j.s.Get(id).ScheduledAt), want)
	}
}

func (j *job) fixes() {
	j.t.Helper()
	id := j.prepared("Fresh bred every morning", args{"schedule": harness.At(time.Now().Add(30 * time.Hour))})
	before := j.s.Get(id)
	found := asks[postsListed](j, "list_posts", args{"q": "bred"})
	require.Len(j.t, found.Data, 1)
	asks[postChanged](j, "update_post", args{
		"postId": found.Data[0].ID, "content": strings.Replace(found.Data[0].Content, "bred", "bread", 1),
	})
	after := j.s.Get(id)
	require.Equal(j.t, "Fresh bread every morning", after.Content)
	require.Equal(j.t, before.ScheduledAt, after.ScheduledAt)
	require.Equal(j.t, fencepost.PostStatusScheduled, after.Status)
}

func (j *job) explains() {
	j.t.Helper()
	j.s.Sandbox.Inject(harness.Fault{Platform: "threads", Step: "commit", Kind: "reject", Times: 1})
	id := j.prepared("The post that fails", args{"schedule": "now"})
	require.EventuallyWithT(j.t, func(c *assert.CollectT) {
		require.Equal(c, fencepost.PostStatusFailed, j.s.Get(id).Status)
	}, soon, 100*time.Millisecond)
	failed := asks[postsListed](j, "list_posts", args{"status": "FAILED"})
	require.Len(j.t, failed.Data, 1)
	require.Equal(j.t, id, failed.Data[0].ID)
	require.NotEmpty(j.t, failed.Data[0].Error.Message)
}

func (j *job) finds() {
	j.t.Helper()
	lost := j.s.Channels[channel.Bluesky].ID.String()
	postgrestest.Exec(j.t, j.s.Database(), `UPDATE channel SET token_status = 'NEEDS_RECONNECT' WHERE id = $1`, lost)
	var ids []string
	for _, c := range asks[channelsListed](j, "list_channels", nil).Data {
		if !c.IsConnected || c.TokenStatus == "NEEDS_RECONNECT" {
			ids = append(ids, c.ID)
		}
	}
	require.Equal(j.t, []string{lost}, ids)
	postgrestest.Exec(j.t, j.s.Database(), `UPDATE channel SET token_status = 'HEALTHY' WHERE id = $1`, lost)
}

func (j *job) deletes() {
	j.t.Helper()
	id, other := j.prepared("A draft about the storm", nil), j.prepared("A draft about the sun", nil)
	found := asks[postsListed](j, "list_posts", args{"status": "DRAFT", "q": "storm"})
	require.Len(j.t, found.Data, 1)
	asks[any](j, "delete_post", args{"postId": found.Data[0].ID, "idempotencyKey": "storm"})
	requireProblem(j.t, harness.Failure(j.s.API.Posts.Get(j.t.Context(), id)), http.StatusNotFound, fencepost.ProblemCodeNotFound)
	require.Equal(j.t, fencepost.PostStatusDraft, j.s.Get(other).Status)
}

func (j *job) checks() {
	j.t.Helper()
	var ids []string
	for _, c := range asks[channelsListed](j, "list_channels", nil).Data {
		ids = append(ids, c.ID)
	}
	found := asks[struct {
		Valid bool                      `json:"valid"`
		Posts []fencepost.SimulatedPost `json:"posts"`
	}](j, "validate_post", args{"channelIds": ids, "content": strings.Repeat("A long text. ", 30)})
	require.False(j.t, found.Valid)
	fits := map[string]bool{}
	for _, p := range found.Posts {
		fits[p.ChannelID] = len(p.Errors) == 0
	}
	require.False(j.t, fits[j.s.Channels[channel.Twitter].ID.String()])
	require.True(j.t, fits[j.s.Channels[channel.LinkedInPage].ID.String()])
}

func (j *job) looks() {
	j.t.Helper()
	j.s.SetSlots(channel.LinkedInPage, slot.Slot{Weekday: time.Monday, Hour: 9}, slot.Slot{Weekday: time.Friday, Hour: 15})
	id := asks[channelsListed](j, "list_channels", nil).first(j, channel.LinkedInPage)
	found := asks[struct {
		NextSlots []time.Time `json:"nextSlots"`
	}](j, "get_channel_schedule", args{"channelId": id})
	require.Len(j.t, found.NextSlots, 10)
	for _, at := range found.NextSlots {
		require.Contains(j.t, []string{"Monday 09:00", "Friday 15:00"}, at.In(j.zone).Format("Monday 15:04"))
	}
}

func (j *job) reuses() {
	j.t.Helper()
	old := j.s.Upload("harbour-at-dawn.jpg", "image/jpeg", harness.Picture(j.t, 6)).ID
	postgrestest.Exec(j.t, j.s.Database(), `UPDATE media SET created_at = created_at - interval '7 days' WHERE id = $1`, old)
	found := asks[channelsListed](j, "list_channels", nil)
	day := func(days int) string { return found.Clock.Now.AddDate(0, 0, days).Format(time.RFC3339) }
	pictures := asks[mediaListed](j, "list_media", args{"type": "IMAGE", "createdFrom": day(-8), "createdTo": day(-6)})
	require.Len(j.t, pictures.Data, 1)
	created := asks[postsCreated](j, "create_post", args{
		"channelIds": []string{found.first(j, channel.LinkedInPage)}, "content": "Once more", "mediaIds": []string{pictures.Data[0].ID},
	})
	require.Equal(j.t, []string{old}, j.s.Get(created.Posts[0].ID).MediaIDs)
}

func (j *job) pins() {
	j.t.Helper()
	picture := j.s.Upload("pin.jpg", "image/jpeg", harness.Picture(j.t, 8)).ID
	id := asks[channelsListed](j, "list_channels", nil).first(j, channel.Pinterest)
	boards := asks[struct {
		Data []fencepost.PinterestBoard `json:"data"`
	}](j, "list_boards", args{"channelId": id})
	require.NotEmpty(j.t, boards.Data)
	created := asks[postsCreated](j, "create_post", args{
		"channelIds": []string{id}, "content": "Blue tiles on a pin", "title": "Tiles", "mediaIds": []string{picture},
		"options": args{"boardId": boards.Data[0].ID}, "schedule": "now", "idempotencyKey": "pin",
	})
	require.Equal(j.t, fencepost.PostStatusPublished, settled(j.t, j.s, created.Posts[0].ID, soon).Status)
	seen := j.s.Sandbox.Accepted("Blue tiles on a pin")
	require.Len(j.t, seen, 1)
	require.Equal(j.t, boards.Data[0].ID, seen[0].Details["Board"])
}
