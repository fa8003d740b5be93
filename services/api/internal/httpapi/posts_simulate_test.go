package httpapi_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

const pathSimulate = "/v1/posts/simulate"

// simulated is a post in the response of simulate-posts.
type simulated struct {
	ChannelID    string
	PostID, At   *string
	Errors       []finding
	Warnings     []finding
	Conversions  []map[string]any
	Quota        map[string]any
	Conflicts    []map[string]any
	Cost         map[string]any
	ChannelReady bool
}

func (b *bundle) simulate(t testing.TB, body string) []simulated {
	t.Helper()
	responded := b.post(t, pathSimulate, body)
	require.Equal(t, http.StatusOK, responded.status, responded.body)
	for _, list := range []string{"posts", "errors", "warnings", "conversions", "conflicts"} {
		require.NotContains(t, responded.body, `"`+list+`":null`)
	}
	var out struct{ Posts []simulated }
	responded.into(t, &out)
	return out.Posts
}

// simulatePost simulates one existing post.
func (b *bundle) simulatePost(t testing.TB, id string) simulated {
	t.Helper()
	return b.simulate(t, `{"postIds":["`+id+`"]}`)[0]
}

// on returns a body for the channels with further members.
func on(t testing.TB, rest string, ids ...ident.Channel) string {
	t.Helper()
	return `{"channelIds":` + encode(t, ids) + `,` + rest + `}`
}

// create creates a post and returns its id and time.
func (b *bundle) create(t testing.TB, body string) (id string, at any) {
	t.Helper()
	created := b.post(t, "/v1/posts", body)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	return text(t, created.list(t)[0], "id"), created.list(t)[0]["scheduledAt"]
}

// TestSimulationAgreesWithCreation checks that a post gets the forecast time, and that the findings are those of
// validate-posts.
func TestSimulationAgreesWithCreation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, rest := range map[string]string{
		"a draft": `"content":"a draft"`, "a time": `"content":"a time","schedule":"` + future + `"`,
		"a slot":       `"content":"a slot","schedule":"next_slot"`,
		"another slot": `"content":"another slot","schedule":"next_slot"`,
		"a warning":    `"content":"a warning","title":"Telegram shows none","schedule":"next_slot"`,
	} {
		body := on(t, rest, b.ours.channel)
		found := b.simulate(t, body)
		require.Len(t, found, 1)
		forecast, validated := found[0], b.validate(t, body).Channels[0]
		require.Equal(t, b.ours.channel.String(), forecast.ChannelID)
		require.Nil(t, forecast.PostID)
		require.Equal(t, validated.Errors, forecast.Errors)
		require.Equal(t, validated.Warnings, forecast.Warnings)
		require.True(t, forecast.ChannelReady)
		id, at := b.create(t, body)
		if at == nil {
			require.Nil(t, forecast.At, name)
		} else {
			require.Equal(t, at, *forecast.At, name)
		}
		existing := b.simulatePost(t, id)
		require.Equal(t, id, *existing.PostID)
		require.Equal(t, forecast.At, existing.At, "the post exists now")
		require.Equal(t, forecast.Warnings, existing.Warnings)
	}
	before := time.Now().Truncate(time.Millisecond)
	now := b.simulate(t, on(t, `"content":"now","schedule":"now"`, b.ours.channel))[0]
	at, err := time.Parse(time.RFC3339, *now.At)
	require.NoError(t, err)
	require.WithinRange(t, at, before, time.Now())
}

func TestSimulationFindsFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	empty := b.channel(t, b.ours.id, channel.Threads, true)
	offline := b.channel(t, b.ours.id, channel.Threads, false)
	for want, body := range map[string]string{
		"VALIDATION_FAILED /content":           on(t, `"schedule":"`+future+`"`, empty),
		"NO_FREE_SLOT /schedule":               on(t, `"content":"x","schedule":"next_slot"`, empty),
		"SCHEDULED_IN_PAST /schedule":          on(t, `"content":"x","schedule":"2020-01-01T00:00:00Z"`, empty),
		"CHANNEL_DISCONNECTED /channelIds":     on(t, `"content":"x","schedule":"now"`, offline),
		"VALIDATION_FAILED /mediaIds/0":        on(t, `"content":"x","mediaIds":["`+b.damaged(t)+`"]`, empty),
		"CHANNEL_NOT_PUBLISHABLE /channelIds":  on(t, `"content":"x"`, b.channel(t, b.ours.id, channel.WhatsAppBusiness, true)),
		"VALIDATION_FAILED /contentType":       on(t, `"content":"x","contentType":"STORY"`, empty),
		"VALIDATION_FAILED /mediaIds (remove)": on(t, `"content":"x","mediaIds":`+b.videos(t, 21), empty),
	} {
		want, _, _ = strings.Cut(want, " (")
		got := b.simulate(t, body)[0]
		require.Equal(t, []string{want}, codes(got.Errors), body)
		if !strings.HasPrefix(want, "VALIDATION_FAILED") && !strings.HasPrefix(want, "CHANNEL") {
			require.Nil(t, got.At, "no time is available")
		}
		require.Equal(t, !strings.HasPrefix(want, "CHANNEL"), got.ChannelReady, want)
	}
}

// damaged creates an image that cannot be published.
func (b *bundle) damaged(t testing.TB) string {
	t.Helper()
	id := b.image(t, "image/jpeg", 1000, 1000, 1<<20)
	b.exec(t, `UPDATE media SET problem = 'broken' WHERE id = $1`, id)
	return id
}

// image creates a measured image.
func (b *bundle) image(t testing.TB, format string, width, height int, size int64) string {
	t.Helper()
	id := postgrestest.Asset(t, b.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: b.ours.id, Name: "file", Type: media.Image, ContentType: format, Size: size,
		CreatedAt: time.Now(),
	}).ID.String()
	b.exec(t, `UPDATE media SET width = $2, height = $3, processed_at = now(), process_again = NULL WHERE id = $1`, id, width, height)
	return id
}

// TestSimulationWritesNothing compares the contents of all tables before and after simulations of each kind.
func TestSimulationWritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.create(t, on(t, `"content":"x","schedule":"next_slot"`, b.ours.channel))
	instagram, picture := b.channel(t, b.ours.id, channel.InstagramProfessional, true), b.image(t, "image/png", 4000, 3000, 1<<20)
	b.get(t, "/v1/workspace") // the last use of the key is recorded once a minute
	before := b.contents(t)
	for _, schedule := range []string{"draft", "now", "next_slot", future} {
		b.simulate(t, on(t, `"content":"x","mediaIds":["`+picture+`"],"schedule":"`+schedule+`"`, b.ours.channel, instagram))
	}
	b.simulatePost(t, id)
	require.Equal(t, http.StatusOK, b.get(t, "/v1/channels/"+instagram.String()+"/quota").status)
	require.Equal(t, before, b.contents(t))
}

// contents returns a hash of each table, without the rate limits, which every request changes.
func (b *bundle) contents(t testing.TB) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for _, table := range b.column(t, `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'
		AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'rate%'`) {
		found[table] = b.column(t, `SELECT count(*) || ' ' || coalesce(md5(string_agg(md5(CAST(x AS text)), '' ORDER BY md5(CAST(x AS text)))), '')
			FROM `+table+` AS x`)[0]
	}
	require.Greater(t, len(found), 40)
	return found
}

// TestSimulationOfExistingPosts checks the time and the findings of a post in each state.
func TestSimulationOfExistingPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := make(map[string]string)
	for _, status := range []string{"DRAFT", "PENDING_APPROVAL", "SCHEDULED", "PUBLISHED", "FAILED", "ARCHIVED"} {
		ids[status], _ = b.create(t, on(t, `"content":"`+status+`"`, b.ours.channel))
	}
	for status, set := range map[string]string{
		"DRAFT": `scheduled_at = $2`, "PENDING_APPROVAL": `status = 'PENDING_APPROVAL', approval_status = 'PENDING', scheduled_at = $2`,
		"SCHEDULED": `status = 'SCHEDULED', scheduled_at = $2`,
		"PUBLISHED": `status = 'PUBLISHED', published_at = now(), scheduled_at = $2`,
		"FAILED":    `status = 'FAILED', error_code = 'REJECTED', scheduled_at = $2`, "ARCHIVED": `status = 'ARCHIVED', archived_from = 'DRAFT', scheduled_at = $2`,
	} {
		b.exec(t, `UPDATE post SET `+set+` WHERE id = $1`, ids[status], future)
	}
	order := slices.Collect(maps.Keys(ids))
	list := make([]string, len(order))
	for i, status := range order {
		list[i] = ids[status]
	}
	found := b.simulate(t, `{"postIds":`+encode(t, list)+`}`)
	for i, status := range order {
		got := found[i]
		require.Equal(t, list[i], *got.PostID, "in the order of the request")
		if status == "SCHEDULED" || status == "PENDING_APPROVAL" {
			require.Equal(t, future, *got.At)
		} else {
			require.Nil(t, got.At, status)
		}
		if status == "PUBLISHED" || status == "ARCHIVED" {
			require.Equal(t, []string{"INVALID_STATE /status"}, codes(got.Errors), status)
		} else {
			require.Empty(t, got.Errors, status)
		}
	}
	b.exec(t, `UPDATE post SET scheduled_at = now() - interval '1 hour' WHERE id = $1`, ids["SCHEDULED"])
	overdue, err := time.Parse(time.RFC3339, *b.simulatePost(t, ids["SCHEDULED"]).At)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), overdue, time.Minute, "an overdue post is published now")
	b.exec(t, `UPDATE channel SET token_status = 'NEEDS_RECONNECT' WHERE id = $1`, b.ours.channel.String())
	lost := b.simulatePost(t, ids["FAILED"])
	require.Equal(t, []string{"CHANNEL_DISCONNECTED /channelId"}, codes(lost.Errors))
	require.False(t, lost.ChannelReady)
}

func TestSimulationRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.draft(t, b.ours), b.draft(t, b.theirs)
	many := make([]ident.Post, 51)
	for i := range many {
		many[i] = ident.New[ident.Post]()
	}
	for _, id := range []string{theirs, ident.New[ident.Post]().String(), "00000000-0000-0000-0000-000000000000"} {
		requireProblem(t, b.post(t, pathSimulate, `{"postIds":["`+mine+`","`+id+`"]}`), http.StatusNotFound, "NOT_FOUND")
	}
	for _, body := range []string{
		on(t, `"content":"x"`, b.theirs.channel), on(t, `"content":"x"`, ident.New[ident.Channel]()),
		on(t, `"content":"x","mediaIds":["`+b.theirs.media.String()+`"]`, b.ours.channel),
	} {
		requireProblem(t, b.post(t, pathSimulate, body), http.StatusNotFound, "NOT_FOUND")
	}
	ours := encode(t, []ident.Channel{b.ours.channel})
	for body, want := range map[string][]string{
		`{"postIds":["` + mine + `"],"content":"x"}`:             {"/postIds"},
		`{"postIds":["` + mine + `"],"channelIds":` + ours + `}`: {"/postIds"},
		`{"postIds":["` + mine + `"],"schedule":"now"}`:          {"/postIds"},
		`{"postIds":` + encode(t, many) + `}`:                    {"/postIds"},
		`{"postIds":[]}`:                                         {"/postIds"},
		`{"postIds":["` + mine + `","` + mine + `"]}`:            {"/postIds/1"},
		`{"postIds":["x"]}`:                                      {"/postIds/0"},
		`{"postIds":"` + mine + `"}`:                             {"/postIds"},
		`{}`:                                                     {""},
		`{"postIds":null}`:                                       {""},
		`{"content":"x"}`:                                        {""},
		`{"content":"x","schedule":"soon"}`:                      {"/schedule", ""},
		`{"content":"x","variants":[]}`:                          {""},
		`{"postIds":["` + mine + `"],"variants":[{"channelId":"` + b.ours.channel.String() + `"}]}`: {"/postIds"},
		`{"channelIds":[],"content":"x"}`:                                          {"/channelIds"},
		`{"channelIds":` + ours + `,"ids":["` + mine + `"]}`:                       {"/ids"},
		on(t, `"mediaAltTexts":{"`+b.ours.media.String()+`":"a"}`, b.ours.channel): {"/mediaAltTexts/" + b.ours.media.String()},
	} {
		p := requireProblem(t, b.post(t, pathSimulate, body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, want, pointers(t, p), body)
	}
	p := requireProblem(t, b.post(t, pathSimulate+"?dryRun=true", `{"postIds":["`+mine+`"]}`), http.StatusUnprocessableEntity,
		"VALIDATION_FAILED")
	require.Equal(t, []string{"dryRun"}, pointers(t, p))
	writer, publisher := b.key(t, b.ours.id, credential.PostsWrite), b.key(t, b.ours.id, credential.PostsPublish)
	for key, want := range map[string]int{writer: http.StatusOK, publisher: http.StatusForbidden} {
		got := b.do(t, request{
			method: http.MethodPost, path: pathSimulate, key: key, contentType: "application/json",
			body: on(t, `"content":"x","schedule":"now"`, b.ours.channel),
		})
		require.Equal(t, want, got.status, "who may write may ask, whatever the schedule: "+got.body)
	}
}

func TestSimulationReportsConflicts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	near, _ := b.create(t, on(t, `"content":"Spring  is\n here","schedule":"`+future+`"`, b.ours.channel))
	body := on(t, `"content":" spring is here ","schedule":"`+future+`"`, b.ours.channel, b.channel(t, b.ours.id, channel.Threads, true))
	found := b.simulate(t, body)
	require.Equal(t, []map[string]any{{"kind": "SAME_TIME", "postId": near}, {"kind": "SAME_TEXT", "postId": near}}, found[0].Conflicts)
	require.Empty(t, found[1].Conflicts, "another channel")
	require.Empty(t, b.simulatePost(t, near).Conflicts, "a post does not collide with itself")
	other, _ := b.create(t, body)
	require.Equal(t, []map[string]any{{"kind": "SAME_TIME", "postId": other}, {"kind": "SAME_TEXT", "postId": other}},
		b.simulatePost(t, near).Conflicts)
}

func TestSimulationReportsCosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.channel(t, b.ours.id, channel.Twitter, true)
	cost := func(rest string) map[string]any { return b.simulate(t, on(t, rest, x))[0].Cost }
	picture := b.image(t, "image/jpeg", 1000, 1000, 1<<20)
	require.Equal(t, map[string]any{"amount": 0.015, "currency": "USD"}, cost(`"content":"Hello"`))
	require.Equal(t, map[string]any{"amount": 0.2, "currency": "USD"}, cost(`"content":"See https://example.com"`))
	require.Equal(t, map[string]any{"amount": 0.02, "currency": "USD"},
		cost(`"content":"Hello","mediaIds":["`+picture+`"],"mediaAltTexts":{"`+picture+`":"Tiles"}`))
	require.Nil(t, b.simulate(t, on(t, `"content":"See https://example.com"`, b.ours.channel))[0].Cost)
}

// TestSimulationReportsConversions checks the files that the publisher makes, before and after it made them.
func TestSimulationReportsConversions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	instagram := b.channel(t, b.ours.id, channel.InstagramProfessional, true)
	large, fits := b.image(t, "image/png", 2880, 2160, 1<<20), b.image(t, "image/jpeg", 1000, 1000, 1<<20)
	body := on(t, `"content":"x","mediaIds":["`+fits+`","`+large+`"]`, instagram, b.ours.channel)
	found := b.simulate(t, body)
	require.Equal(t, []map[string]any{
		{"mediaId": large, "to": "image/jpeg", "width": 1440.0, "height": 1080.0, "bytes": nil},
	}, found[0].Conversions)
	require.Empty(t, found[1].Conversions, "Telegram takes the picture as it is")
	id, err := ident.Parse[ident.Media](large)
	require.NoError(t, err)
	require.NoError(t, postgres.NewLoose(b.db).Register(t.Context(), "r/1", time.Hour))
	require.NoError(t, postgres.NewRenditions(b.db).Insert(t.Context(), id, media.Rendition{
		Form:  media.Form{ContentType: "image/jpeg", Width: 1440, Height: 1080, MaxSize: 8 << 20},
		Width: 1440, Height: 1080, Object: media.Object{Key: "r/1", ETag: "e", ContentType: "image/jpeg", Size: 4321, SHA256: make([]byte, 32)},
	}))
	require.Equal(t, []map[string]any{
		{"mediaId": large, "to": "image/jpeg", "width": 1440.0, "height": 1080.0, "bytes": 4321.0},
	}, b.simulate(t, body)[0].Conversions)
}
