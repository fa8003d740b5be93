package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/apiclient"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// odd is a text that an incorrect JSON encoder would change.
const odd = `Zoë & "Söhne" <b>\u0026</b> 🎈`

// happenings triggers events and counts the expected ones.
type happenings struct {
	*harness.System

	t    *testing.T
	want map[event.Type]int
	hook string // the receiver's webhook
}

// TestEveryEventIsSentOnceAndMatchesSchema triggers every event, through the API and the admin program, and performs
// many operations that must not send an event. It validates the received bytes against the published schemas.
func TestEveryEventIsSentOnceAndMatchesSchema(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.Subscribe()
	hooks, err := s.API.ListWebhooksWithResponse(t.Context())
	require.NoError(t, err)
	h := &happenings{
		System: s, t: t, want: make(map[event.Type]int), hook: harness.Response(t, hooks.JSON200, hooks.Body).Data[0].ID,
	}
	h.creation()
	h.editing()
	h.approval()
	h.publishing()
	h.channels()
	h.access()
	h.files()
	h.leads()
	h.test()
	for _, typ := range event.Types() {
		require.NotZero(t, h.want[typ], "%s must happen here", typ)
	}
	total := 0
	for _, n := range h.want {
		total += n
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.GreaterOrEqual(c, len(s.Receiver.All()), total) }, soon,
		50*time.Millisecond)
	h.requireLog()
	h.requireDeliveries(total)
}

// requireLog checks the stored events: each type has the expected number of events, and each event is valid JSON.
func (h *happenings) requireLog() {
	got := make(map[event.Type]int)
	for _, body := range postgrestest.Column(h.t, h.Database(), `SELECT convert_from(body, 'UTF8') FROM event`) {
		var e struct{ Type event.Type }
		require.NoError(h.t, json.Unmarshal([]byte(body), &e))
		got[e.Type]++
	}
	require.Equal(h.t, h.want, got, "each change has one event, and there are no others")
}

// requireDeliveries checks the received events byte for byte.
func (h *happenings) requireDeliveries(total int) {
	published, err := os.ReadFile("../../docs/events.schema.json")
	require.NoError(h.t, err)
	validator, err := harness.NewEventValidator(published)
	require.NoError(h.t, err)
	all := h.Receiver.All()
	require.Len(h.t, all, total)
	seen := make(map[string]bool)
	for _, r := range all {
		require.NoError(h.t, validator.Check(r.Body))
		var e struct {
			ID, Type, WorkspaceID string
			CreatedAt             time.Time
		}
		require.NoError(h.t, json.Unmarshal(r.Body, &e))
		require.True(h.t, r.Verified, "%s", r.Body)
		require.Equal(h.t, []string{e.ID, e.Type, h.Workspace.String()}, []string{r.ID, r.Type, e.WorkspaceID})
		require.WithinDuration(h.t, time.Now(), e.CreatedAt, 5*time.Minute)
		require.Equal(h.t, "application/json", r.Headers.Get("Content-Type"))
		require.False(h.t, seen[e.ID], "twice: %s", r.Body)
		seen[e.ID] = true
		require.Equal(h.t, []string{string(r.Body)}, postgrestest.Column(h.t, h.Database(),
			`SELECT convert_from(body, 'UTF8') FROM event WHERE 'evt_' || id = $1`, e.ID), "the sent body equals the stored one")
	}
}

func (h *happenings) fires(typ event.Type) { h.want[typ]++ }

// draft creates a post that stays unpublished.
func (h *happenings) draft() string {
	h.fires(event.PostCreated)
	return h.Create(channel.Threads, odd, "draft").ID
}

func (h *happenings) remove(id string) {
	removed, err := h.API.DeletePostWithResponse(h.t.Context(), id, nil)
	require.NoError(h.t, err)
	require.Equal(h.t, http.StatusNoContent, removed.StatusCode(), "%s", removed.Body)
	h.fires(event.PostDeleted)
}

// creation creates posts with every kind of operation, and repeats the same request.
func (h *happenings) creation() {
	content, key := odd, "events-1"
	in := apiclient.CreatePostsRequest{
		ChannelIds: &[]string{h.Channels[channel.Threads].ID.String(), h.Channels[channel.Twitter].ID.String()},
		Content:    &content,
	}
	for range 2 { // the second request creates nothing
		created, err := h.API.CreatePostsWithResponse(h.t.Context(), &apiclient.CreatePostsParams{IdempotencyKey: &key}, in)
		require.NoError(h.t, err)
		require.Len(h.t, harness.Response(h.t, created.JSON201, created.Body), 2)
	}
	h.want[event.PostCreated] += 2
	bad := apiclient.CreatePostsRequest{ChannelIds: &[]string{ident.New[ident.Channel]().String()}}
	bulk, err := h.API.CreatePostsInBulkWithResponse(h.t.Context(), nil,
		apiclient.CreateBulkRequest{Posts: []apiclient.CreatePostsRequest{in, bad}})
	require.NoError(h.t, err)
	require.Equal(h.t, http.StatusOK, bulk.StatusCode(), "%s", bulk.Body)
	h.want[event.PostCreated] += 2
	linked, err := h.API.CreateLinkedinPostWithResponse(h.t.Context(), nil, apiclient.CreateLinkedInRequest{
		ChannelID: h.Channels[channel.LinkedInPage].ID.String(), Content: odd,
	})
	require.NoError(h.t, err)
	require.Equal(h.t, http.StatusCreated, linked.StatusCode(), "%s", linked.Body)
	h.fires(event.PostCreated)
	validated, err := h.API.ValidatePostsWithResponse(h.t.Context(), in)
	require.NoError(h.t, err)
	require.Equal(h.t, http.StatusOK, validated.StatusCode(), "%s", validated.Body)
}

// editing edits posts. An edit that changes the post sends an event, one without effect does not, and scheduling is not
// an edit, but has events of its own.
func (h *happenings) editing() {
	id, other := h.draft(), odd+" again"
	for range 2 {
		edited, err := h.API.EditPostWithResponse(h.t.Context(), id, nil, apiclient.EditPostRequest{Content: &other})
		require.NoError(h.t, err)
		require.Equal(h.t, http.StatusOK, edited.StatusCode(), "%s", edited.Body)
	}
	h.fires(event.PostUpdated)
	scheduled, err := h.API.SchedulePostWithBodyWithResponse(h.t.Context(), id, nil, "application/json",
		strings.NewReader(`{"scheduledAt":"`+harness.At(time.Now().Add(time.Hour))+`"}`))
	require.NoError(h.t, err)
	require.Equal(h.t, http.StatusOK, scheduled.StatusCode(), "%s", scheduled.Body)
	h.fires(event.PostScheduled)
	taken, err := h.API.UnschedulePostWithResponse(h.t.Context(), id, nil)
	require.NoError(h.t, err)
	require.Equal(h.t, http.StatusOK, taken.StatusCode(), "%s", taken.Body)
	h.fires(event.PostUnscheduled)
	h.remove(id)
}

// approval requests approval, rejects, requests again and approves, and makes requests that the states do not allow.
func (h *happenings) approval() {
	id := h.draft()
	for _, comment := range []string{odd, ""} {
		h.RequestApproval(id)
		h.fires(event.PostApprovalRequested)
		var decision apiclient.DecisionRequest
		if comment != "" {
			decision.Comment.Set(comment)
		}
		rejected, err := h.API.RejectPostWithResponse(h.t.Context(), id, nil, decision)
		require.NoError(h.t, err)
		require.Equal(h.t, http.StatusOK, rejected.StatusCode(), "%s", rejected.Body)
		h.fires(event.PostRejected)
	}
	h.RequestApproval(id)
	h.fires(event.PostApprovalRequested)
	h.Start("console", "").Ready()
	person, path := h.NewPerson("mara@example.com"), "/posts/"+id
	require.NoError(h.t, person.SignIn(h.t.Context()))
	_, err := person.Submit(h.t.Context(), path, path+"/comment", url.Values{"comment": {odd}})
	require.NoError(h.t, err)
	h.fires(event.PostCommented)
	require.Equal(h.t, apiclient.PostStatusDRAFT, h.Approve(id, odd).Status)
	h.fires(event.PostApproved)
	refused, err := h.API.ApprovePostWithResponse(h.t.Context(), id, nil, apiclient.DecisionRequest{})
	require.NoError(h.t, err)
	require.Equal(h.t, http.StatusConflict, refused.StatusCode())
}

// publishing publishes one post that the network accepts, and one that it rejects until the post is published again.
func (h *happenings) publishing() {
	taken := h.draft()
	h.Publish(taken)
	h.fires(event.PostScheduled)
	require.Equal(h.t, apiclient.PostStatusPUBLISHED, settled(h.t, h.System, taken, soon).Status)
	h.fires(event.PostPublished)

	h.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "commit", Kind: "reject"})
	refused := h.Create(channel.TelegramChannel, odd, "now")
	h.fires(event.PostCreated)
	h.fires(event.PostScheduled)
	require.Equal(h.t, apiclient.PostStatusFAILED, settled(h.t, h.System, refused.ID, soon).Status)
	h.fires(event.PostFailed)
	h.Sandbox.Heal()
	h.Publish(refused.ID)
	h.fires(event.PostScheduled)
	require.Equal(h.t, apiclient.PostStatusPUBLISHED, settled(h.t, h.System, refused.ID, soon).Status)
	h.fires(event.PostPublished)

	h.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "commit", Kind: "reject"})
	failed := h.Create(channel.TelegramChannel, "Refuse me", "now")
	h.fires(event.PostCreated)
	h.fires(event.PostScheduled)
	require.Equal(h.t, apiclient.PostStatusFAILED, settled(h.t, h.System, failed.ID, soon).Status)
	h.fires(event.PostFailed)
	h.remove(failed.ID)
	h.Sandbox.Heal()
}

// channels connects and removes channels, connects one again, replaces its credentials, and reconnects it after a loss
// of access.
func (h *happenings) channels() {
	token := h.Secret("7:sandbox-zoe")
	created := h.Admin("channel", "create", "--type", "TELEGRAM_CHANNEL", "--name", odd, "--username", "zoe", "--external-id",
		"@zoe",
		"--access-token-file", token)
	h.fires(event.ChannelConnected)
	id, ok := created["id"].(string)
	require.True(h.t, ok)
	for range 2 {
		h.Admin("channel", "disconnect", id)
	}
	h.fires(event.ChannelDisconnected)
	for range 2 {
		h.Admin("channel", "connect", id)
	}
	h.fires(event.ChannelConnected)
	h.Admin("channel", "connect", id, "--access-token-file", token)
	postgrestest.Exec(h.t, h.Database(), `UPDATE channel SET token_status = 'NEEDS_RECONNECT' WHERE username = 'zoe'`)
	h.Admin("channel", "connect", id, "--access-token-file", token)
	h.fires(event.ChannelConnected)
	h.fires(event.ChannelAccessRestored)
}

// access connects a channel whose token soon ends for good, and lets a network reject the tokens of another one.
func (h *happenings) access() {
	h.Admin("channel", "create", "--type", "TWITTER", "--name", odd, "--username", "zoe", "--external-id", "7",
		"--access-token-file", h.Secret("soon-gone"), "--expires-at", time.Now().Add(24*time.Hour).Format(time.RFC3339),
		"--skip-check")
	h.fires(event.ChannelConnected)
	h.fires(event.ChannelExpiring)
	for step, kind := range map[string]string{"commit": "expired_token", "token": "reject"} {
		h.Sandbox.Inject(harness.Fault{Platform: "x", Step: step, Kind: kind, Times: -1})
	}
	h.Create(channel.Twitter, odd, "now")
	h.fires(event.PostCreated)
	h.fires(event.PostScheduled)
	h.fires(event.ChannelAccessLost)
	require.EventuallyWithT(h.t, func(c *assert.CollectT) {
		require.Equal(c, []string{"1"}, postgrestest.Column(h.t, h.Database(),
			`SELECT CAST(count(*) AS text) FROM channel WHERE token_status = 'NEEDS_RECONNECT'`))
	}, soon, 100*time.Millisecond)
	h.Sandbox.Heal()
}

// files uploads a picture, and one of which the end is missing.
func (h *happenings) files() {
	whole := harness.Picture(h.t, 1)
	h.Upload(strings.NewReplacer("/", "", `\`, "").Replace(odd)+".jpg", "image/jpeg", whole) // a name has no path
	h.fires(event.MediaReady)
	h.Upload("half.jpg", "image/jpeg", whole[:len(whole)/2])
	h.fires(event.MediaFailed)
	require.EventuallyWithT(h.t, func(c *assert.CollectT) {
		require.Equal(c, []string{"2"}, postgrestest.Column(h.t, h.Database(),
			`SELECT CAST(count(*) AS text) FROM media WHERE processed_at IS NOT NULL`))
	}, soon, 100*time.Millisecond)
}

// leads adds one lead with only a name and one with all fields.
func (h *happenings) leads() {
	h.Admin("lead", "add", "--name", odd)
	h.fires(event.LeadCreated)
	known := h.Admin("lead", "add", "--name", odd, "--handle", odd, "--platform", "INSTAGRAM", "--temperature", "HOT",
		"--interest", odd+"\n"+odd,
		"--profile-url", "https://network.test/zoe?a=1&b=2", "--source", "SALES_LEAD_AGENT", "--value", "1200.5",
		"--currency", "EUR",
		"--follow-up-at", time.Now().Add(time.Hour).Format(time.RFC3339), "--contact-email", "zoe&co@example.com",
		"--contact-phone", "+46 70 123",
		"--person-id", ident.New[ident.Person]().String())
	h.fires(event.LeadCreated)
	id, ok := known["id"].(string)
	require.True(h.t, ok)
	for _, stage := range []string{"CONTACTED", "QUALIFIED", "PROPOSAL", "WON", "NEW"} {
		for range 2 {
			h.Admin("lead", "stage", id, stage)
		}
		h.fires(event.LeadStageChanged)
	}
	for _, reason := range []string{odd, "Another."} { // the second reason is not another stage
		h.Admin("lead", "stage", id, "LOST", "--lost-reason", reason)
	}
	h.fires(event.LeadStageChanged)
}

func (h *happenings) test() {
	sent, err := h.API.TestWebhookWithResponse(h.t.Context(), h.hook, nil)
	require.NoError(h.t, err)
	require.Equal(h.t, http.StatusAccepted, sent.StatusCode(), "%s", sent.Body)
	h.fires(event.WebhookTest)
}
