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

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/infra/postgres"
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

// TestEveryEventIsSentOnceAndMatchesSchema triggers every event, through the API, the admin program and the stores, and performs
// many operations that must not send an event. It validates the received bytes against the published schemas.
func TestEveryEventIsSentOnceAndMatchesSchema(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.Subscribe()
	hooks, err := s.API.Webhooks.List(t.Context())
	require.NoError(t, err)
	h := &happenings{
		System: s, t: t, want: make(map[event.Type]int), hook: hooks[0].ID,
	}
	h.creation()
	h.editing()
	h.approval()
	h.publishing()
	h.parts()
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
	require.NoError(h.t, h.API.Posts.Delete(h.t.Context(), id))
	h.fires(event.PostDeleted)
}

// creation creates posts with every kind of operation, and repeats the same request.
func (h *happenings) creation() {
	in := fencepost.CreatePostsRequest{
		ChannelIDs: []string{h.Channels[channel.Threads].ID.String(), h.Channels[channel.Twitter].ID.String()},
		Content:    odd,
	}
	for range 2 { // the second request creates nothing
		created, err := h.API.Posts.Create(h.t.Context(), in, fencepost.IdempotencyKey("events-1"))
		require.NoError(h.t, err)
		require.Len(h.t, created, 2)
	}
	h.want[event.PostCreated] += 2
	bad := fencepost.CreatePostsRequest{ChannelIDs: []string{ident.New[ident.Channel]().String()}}
	require.NoError(h.t, harness.Failure(h.API.Posts.CreateInBulk(h.t.Context(),
		fencepost.CreateBulkRequest{Posts: []fencepost.CreatePostsRequest{in, bad}})))
	h.want[event.PostCreated] += 2
	require.NoError(h.t, harness.Failure(h.API.Posts.CreateLinkedIn(h.t.Context(), fencepost.CreateLinkedInRequest{
		ChannelID: h.Channels[channel.LinkedInPage].ID.String(), Content: odd,
	})))
	h.fires(event.PostCreated)
	require.NoError(h.t, harness.Failure(h.API.Posts.Validate(h.t.Context(), in)))
}

// editing edits posts. An edit that changes the post sends an event, one without effect does not, and scheduling is not
// an edit, but has events of its own.
func (h *happenings) editing() {
	id, other := h.draft(), odd+" again"
	for range 2 {
		require.NoError(h.t, harness.Failure(h.API.Posts.Edit(h.t.Context(), id, fencepost.EditPostRequest{Content: fencepost.Set(other)})))
	}
	h.fires(event.PostUpdated)
	require.NoError(h.t, harness.Failure(h.API.Posts.Schedule(h.t.Context(), id,
		fencepost.SchedulePostRequest{ScheduledAt: harness.At(time.Now().Add(time.Hour))})))
	h.fires(event.PostScheduled)
	require.NoError(h.t, harness.Failure(h.API.Posts.Unschedule(h.t.Context(), id)))
	h.fires(event.PostUnscheduled)
	h.remove(id)
}

// approval requests approval, rejects, requests again and approves, and makes requests that the states do not allow.
func (h *happenings) approval() {
	id := h.draft()
	for _, comment := range []string{odd, ""} {
		h.RequestApproval(id)
		h.fires(event.PostApprovalRequested)
		require.NoError(h.t, harness.Failure(h.API.Posts.Reject(h.t.Context(), id, fencepost.DecisionRequest{Comment: comment})))
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
	require.Equal(h.t, fencepost.PostStatusDraft, h.Approve(id, odd).Status)
	h.fires(event.PostApproved)
	_, err = h.API.Posts.Approve(h.t.Context(), id, fencepost.DecisionRequest{})
	require.Equal(h.t, http.StatusConflict, harness.Status(err, http.StatusOK), "%v", err)
}

// parts publishes a thread whose second part the network rejects until a client continues.
func (h *happenings) parts() {
	for _, f := range []harness.Fault{{Kind: "slow", DelayMs: 1}, {Kind: "reject"}} {
		f.Platform, f.Step = "x", "commit"
		h.Sandbox.Inject(f)
	}
	created, err := h.API.Posts.Create(h.t.Context(), fencepost.CreatePostsRequest{
		ChannelIDs: []string{h.Channels[channel.Twitter].ID.String()}, Content: odd, Schedule: "now", Thread: []fencepost.Part{{Content: odd + " 2"}},
	})
	require.NoError(h.t, err)
	state := func(want string) {
		require.EventuallyWithT(h.t, func(c *assert.CollectT) {
			require.Equal(c, want, *h.Get(created[0].ID).PartsState)
		}, soon, 50*time.Millisecond)
	}
	state("INCOMPLETE")
	require.NoError(h.t, harness.Failure(h.API.Posts.ContinueParts(h.t.Context(), created[0].ID, fencepost.ContinuePartsRequest{})))
	state("COMPLETE")
	for _, typ := range []event.Type{event.PostCreated, event.PostScheduled, event.PostPublished, event.PostPartFailed, event.PostCompleted} {
		h.fires(typ)
	}
}

// publishing publishes one post that the network accepts, and one that it rejects until the post is published again.
func (h *happenings) publishing() {
	taken := h.draft()
	h.Publish(taken)
	h.fires(event.PostScheduled)
	require.Equal(h.t, fencepost.PostStatusPublished, settled(h.t, h.System, taken, soon).Status)
	h.fires(event.PostPublished)

	h.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "commit", Kind: "reject"})
	refused := h.Create(channel.TelegramChannel, odd, "now")
	h.fires(event.PostCreated)
	h.fires(event.PostScheduled)
	require.Equal(h.t, fencepost.PostStatusFailed, settled(h.t, h.System, refused.ID, soon).Status)
	h.fires(event.PostFailed)
	h.Sandbox.Heal()
	h.Publish(refused.ID)
	h.fires(event.PostScheduled)
	require.Equal(h.t, fencepost.PostStatusPublished, settled(h.t, h.System, refused.ID, soon).Status)
	h.fires(event.PostPublished)

	h.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "commit", Kind: "reject"})
	failed := h.Create(channel.TelegramChannel, "Refuse me", "now")
	h.fires(event.PostCreated)
	h.fires(event.PostScheduled)
	require.Equal(h.t, fencepost.PostStatusFailed, settled(h.t, h.System, failed.ID, soon).Status)
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

// leads adds one lead with only a name and one with all fields, as the application does.
func (h *happenings) leads() {
	ctx, store := h.t.Context(), postgres.NewLeads(h.DB)
	add := func(in lead.New) ident.Lead {
		created, err := lead.Create(in, time.Now())
		require.NoError(h.t, err)
		require.NoError(h.t, store.Insert(ctx, created))
		h.fires(event.LeadCreated)
		return created.Lead.ID
	}
	move := func(id ident.Lead, to lead.Stage, reason string) {
		_, err := store.Change(ctx, h.Workspace, id, func(l lead.Lead) (lead.Change, error) { return l.MoveTo(to, reason, time.Now()) })
		require.NoError(h.t, err)
	}
	add(lead.New{WorkspaceID: h.Workspace, Name: odd})
	person := ident.New[ident.Person]()
	postgrestest.Exec(h.t, h.Database(), `INSERT INTO person (id, workspace_id, name) VALUES ($1, $2, 'Zoe')`, person.String(), h.Workspace.String())
	known := add(lead.New{
		WorkspaceID: h.Workspace, Name: odd, Handle: odd, Platform: "INSTAGRAM", Temperature: "HOT", Interest: odd + "\n" + odd,
		ProfileURL: "https://network.test/zoe?a=1&b=2", Source: lead.SourceAgent, Value: "1200.5", Currency: "EUR",
		FollowUpAt: time.Now().Add(time.Hour), ContactEmail: "zoe&co@example.com", ContactPhone: "+46 70 123", PersonID: person,
	})
	for _, stage := range []lead.Stage{"CONTACTED", "QUALIFIED", "PROPOSAL", "WON", "NEW"} {
		for range 2 {
			move(known, stage, "")
		}
		h.fires(event.LeadStageChanged)
	}
	for _, reason := range []string{odd, "Another."} { // the second reason is not another stage
		move(known, lead.StageLost, reason)
	}
	h.fires(event.LeadStageChanged)
}

func (h *happenings) test() {
	require.NoError(h.t, harness.Failure(h.API.Webhooks.Test(h.t.Context(), h.hook)))
	h.fires(event.WebhookTest)
}
