package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/platformtest"
)

func (b *bundle) quota(t testing.TB, id ident.Channel) map[string]any {
	t.Helper()
	got := b.get(t, "/v1/channels/"+id.String()+"/quota")
	require.Equal(t, http.StatusOK, got.status, got.body)
	return got.object(t)
}

// published stores a post of the channel that was published before a time, and which others have not written.
func (b *bundle) published(t testing.TB, of tenant, id ident.Channel, ago time.Duration) {
	t.Helper()
	b.exec(t, `INSERT INTO post (id, workspace_id, channel_id, content, content_type, status, published_at, created_at, updated_at, revision)
		VALUES (gen_random_uuid(), $1, $2, 'x', 'POST', 'PUBLISHED', $3, now(), now(), 1)`, of.id.String(), id.String(), time.Now().Add(-ago))
}

func timeOf(t testing.TB, value any) time.Time {
	t.Helper()
	at, ok := value.(string)
	require.True(t, ok, value)
	parsed, err := time.Parse(time.RFC3339, at)
	require.NoError(t, err)
	return parsed
}

// TestQuotaOfNetworkWithoutLimit checks that a network that states no limit has none, rather than an invented one.
func TestQuotaOfNetworkWithoutLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	none := map[string]any{"limit": nil, "used": nil, "remaining": nil, "resetsAt": nil, "window": nil}
	for _, of := range []channel.Type{
		channel.TelegramChannel, channel.LinkedInPage, channel.Pinterest, channel.Mastodon, channel.GoogleBusiness,
		channel.WhatsAppBusiness, channel.FacebookPage,
	} {
		require.Equal(t, none, b.quota(t, b.channel(t, b.ours.id, of, true)), of)
	}
	page := b.channel(t, b.ours.id, channel.FacebookPage, true)
	require.Equal(t, none, b.simulate(t, on(t, `"content":"x"`, page))[0].Quota)
	reel := b.simulate(t, on(t, `"contentType":"REEL","mediaIds":["`+b.ours.media.String()+`"]`, page))[0].Quota
	require.Equal(t, []any{30.0, 0.0, "PT24H"}, []any{reel["limit"], reel["used"], reel["window"]}, "Facebook limits reels only")
}

// TestQuotaOfAccount checks a quota of any 24 hours: posts that left the window, that are planned, and at another time.
func TestQuotaOfAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	threads := b.channel(t, b.ours.id, channel.Threads, true)
	require.Equal(t, map[string]any{"limit": 250.0, "used": 0.0, "remaining": 250.0, "resetsAt": nil, "window": "PT24H"},
		b.quota(t, threads))
	for _, ago := range []time.Duration{25 * time.Hour, 20 * time.Hour, time.Hour} {
		b.published(t, b.ours, threads, ago)
	}
	soon := time.Now().Add(30 * time.Minute).UTC().Format(time.RFC3339)
	id, _ := b.create(t, on(t, `"content":"x","schedule":"`+soon+`"`, threads))
	got := b.quota(t, threads)
	require.Equal(t, []any{250.0, 3.0, 247.0}, []any{got["limit"], got["used"], got["remaining"]}, "a planned post takes a place")
	require.WithinDuration(t, time.Now().Add(4*time.Hour), timeOf(t, got["resetsAt"]), time.Minute)
	require.InDelta(t, 2.0, b.simulatePost(t, id).Quota["used"], 0, "without the post itself")
	later := b.simulate(t, on(t, `"content":"y","schedule":"`+future+`"`, threads))[0].Quota
	require.Equal(t, map[string]any{"limit": 250.0, "used": 0.0, "remaining": 250.0, "resetsAt": nil, "window": "PT24H"}, later)
	for range 260 {
		b.published(t, b.ours, threads, 2*time.Hour)
	}
	got = b.quota(t, threads)
	require.Equal(t, []any{263.0, 0.0}, []any{got["used"], got["remaining"]}, "never negative")
}

// TestQuotaOfApplication checks the quotas that all channels share, also those of other workspaces, and that the posts of
// one request count in turn.
func TestQuotaOfApplication(t *testing.T) {
	t.Parallel()
	b := setup(t)
	youtube := b.ours.channels[channel.YouTube]
	b.published(t, b.theirs, b.theirs.channels[channel.YouTube], time.Second)
	b.published(t, b.ours, youtube, 26*time.Hour)
	got := b.quota(t, youtube)
	require.Equal(t, []any{100.0, 1.0, 99.0, "P1D"}, []any{got["limit"], got["used"], got["remaining"], got["window"]})
	zone, err := time.LoadLocation("America/Los_Angeles")
	require.NoError(t, err)
	resets := timeOf(t, got["resetsAt"]).In(zone)
	require.Equal(t, "00:00:00", resets.Format(time.TimeOnly), "the day ends at midnight in California")
	require.WithinRange(t, resets, time.Now(), time.Now().Add(26*time.Hour))

	one, two := b.channel(t, b.ours.id, channel.Twitter, true), b.channel(t, b.ours.id, channel.Twitter, true)
	found := b.simulate(t, on(t, `"content":"x","schedule":"`+future+`"`, one, two))
	require.Equal(t, []any{10_000.0, 9_999.0}, []any{found[0].Quota["remaining"], found[1].Quota["remaining"]})
	drafts := b.simulate(t, on(t, `"content":"x"`, one, two))
	require.Equal(t, drafts[0].Quota, drafts[1].Quota, "drafts take no place")
}

// TestQuotaOfReportingNetwork checks that the figures of the network replace ours: the limit of the account, and posts of
// other programs; and that those of this service remain while the network does not respond.
func TestQuotaOfReportingNetwork(t *testing.T) {
	t.Parallel()
	const call = "GET /instagram/v26.0/17841/content_publishing_limit"
	usage := func(used string) platformtest.Response {
		return platformtest.Response{Body: `{"data":[{"quota_usage":` + used + `,"config":{"quota_total":100,"quota_duration":86400}}]}`}
	}
	b, script, clk := networked(t, map[string][]platformtest.Response{
		call: {usage("7"), {Status: http.StatusBadGateway}, {Body: `{"data":[]}`}, usage("1")},
	})
	instagram := b.account(t, channel.InstagramProfessional)
	b.exec(t, `UPDATE channel SET external_id = '17841' WHERE id = $1`, instagram.String())
	b.published(t, b.ours, instagram, time.Hour)
	b.published(t, b.ours, instagram, 2*time.Hour)
	figures := func() []any {
		q := b.quota(t, instagram)
		return []any{q["limit"], q["used"], q["remaining"]}
	}
	require.Equal(t, []any{100.0, 7.0, 93.0}, figures())
	require.Equal(t, []any{100.0, 7.0, 93.0}, figures(), "known for 30 seconds")
	far := b.simulate(t, on(t, `"content":"x","schedule":"`+future+`"`, instagram))[0].Quota
	require.Equal(t, []any{100.0, 0.0}, []any{far["limit"], far["used"]}, "the posts of others are old by then")
	require.Len(t, script.Requests(), 1)
	for range 2 {
		clk.Advance(31 * time.Second)
		require.Equal(t, []any{50.0, 2.0, 48.0}, figures(), "the figures of this service, and the documented limit")
	}
	clk.Advance(31 * time.Second)
	require.Equal(t, []any{100.0, 2.0, 98.0}, figures(), "the network has not counted our last post yet")
	clk.Advance(2 * time.Hour) // the token has expired, and is not renewed by a question
	require.Equal(t, []any{50.0, 2.0, 48.0}, figures())
	require.Len(t, script.Requests(), 4)
}

// TestQuotaOfLimitedChannel checks that no place is free while the network refuses posts of the channel.
func TestQuotaOfLimitedChannel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tiktok := b.channel(t, b.ours.id, channel.TikTokPersonal, true)
	require.InDelta(t, 15.0, b.quota(t, tiktok)["remaining"], 0)
	b.exec(t, `INSERT INTO channel_limit (channel_id, until, line) VALUES ($1, now() + interval '5 hours', now())`, tiktok.String())
	got := b.quota(t, tiktok)
	require.Equal(t, []any{0.0, 0.0}, []any{got["used"], got["remaining"]})
	require.WithinDuration(t, time.Now().Add(5*time.Hour), timeOf(t, got["resetsAt"]), time.Minute)
	later := b.simulate(t, on(t, `"content":"x","schedule":"`+future+`"`, tiktok))[0].Quota
	require.InDelta(t, 15.0, later["remaining"], 0, "the limit is over by then")
}

// TestSimulationKnowsWhetherTheChannelIsReady checks a paused channel, and one whose access ends before the post is due.
func TestSimulationKnowsWhetherTheChannelIsReady(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ask := func() (simulated, validation) {
		body := on(t, `"content":"x","schedule":"`+future+`"`, b.ours.channel)
		return b.simulate(t, body)[0], b.validate(t, body)
	}
	set := func(columns string) {
		b.exec(t, `UPDATE channel SET `+columns+` WHERE id = $1`, b.ours.channel.String())
	}
	set(`token_status = 'EXPIRING', assessed_rev = credentials_rev, token_end_at = now() + interval '90 years'`)
	found, _ := ask()
	require.True(t, found.ChannelReady)
	require.Empty(t, found.Warnings)
	set(`token_status = 'EXPIRING', assessed_rev = credentials_rev, token_end_at = now() + interval '3 days'`)
	found, validated := ask()
	require.False(t, found.ChannelReady)
	require.Equal(t, []string{"CHANNEL_DISCONNECTED /channelIds"}, codes(found.Warnings))
	require.Equal(t, found.Warnings, validated.Channels[0].Warnings)
	require.True(t, validated.Valid)
	soon := b.simulate(t, on(t, `"content":"x","schedule":"now"`, b.ours.channel))[0]
	require.True(t, soon.ChannelReady)
	require.Empty(t, soon.Warnings)
	set(`is_queue_paused = true, token_end_at = NULL`)
	found, validated = ask()
	require.False(t, found.ChannelReady)
	require.Equal(t, []string{"QUEUE_PAUSED /schedule"}, codes(found.Warnings))
	require.True(t, validated.Valid)
	draft := b.simulate(t, on(t, `"content":"x"`, b.ours.channel))[0]
	require.False(t, draft.ChannelReady)
	require.Empty(t, draft.Warnings, "a draft waits for nothing")
}
