package lab_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
)

const (
	workspace = "w1"
	endpoint  = "https://receiver.test"
)

// sound returns the records of both ledgers for one correctly published post and a draft.
func sound() lab.Evidence {
	at := time.Now().Add(-time.Minute)
	out := at.Add(time.Second)
	return lab.Evidence{
		Accepted: []lab.Accepted{
			{ID: "p1", Text: "one", Type: "TWITTER", At: at, Key: "k1"}, {ID: "p2", Text: "two", Type: "THREADS"},
		},
		Posts: []lab.PostRow{
			{
				ID: "p1", WorkspaceID: workspace, Type: "TWITTER", Content: "one", Status: "PUBLISHED", ScheduledAt: &at,
				PublishedAt: &out, PostURL: new("https://x.test/1"),
			},
			{ID: "p2", WorkspaceID: workspace, Type: "THREADS", Content: "two", Status: "DRAFT"},
		},
		Attempts: []lab.AttemptRow{
			{PostID: "p1", N: 1, State: "CONFIRMED", ExternalID: new("1"), PostURL: new("https://x.test/1")},
		},
		Timeline: []lab.TimelineRow{
			{PostID: "p1", Kind: "created"}, {PostID: "p1", Kind: "published"}, {PostID: "p2", Kind: "created"},
		},
		Events: []lab.EventRow{
			{ID: "e1", WorkspaceID: workspace, Type: "post.created", PostID: "p1", CreatedAt: at, PublicID: "evt_1"},
			{ID: "e2", WorkspaceID: workspace, Type: "post.published", PostID: "p1", CreatedAt: out, PublicID: "evt_2"},
			{ID: "e3", WorkspaceID: workspace, Type: "post.created", PostID: "p2", CreatedAt: at, PublicID: "evt_3"},
		},
		Webhooks: []lab.WebhookRow{
			{ID: "h1", WorkspaceID: workspace, URL: endpoint + "/hook", Events: []string{"*"}, CreatedAt: at.Add(-time.Hour)},
		},
		Deliveries: []lab.DeliveryRow{
			{ID: "d1", WorkspaceID: workspace, WebhookID: "h1", EventID: "e1", State: "SUCCEEDED", Attempts: 2},
			{ID: "d2", WorkspaceID: workspace, WebhookID: "h1", EventID: "e2", State: "FAILED", Attempts: 1},
			{ID: "d3", WorkspaceID: workspace, WebhookID: "h1", EventID: "e3", State: "SKIPPED"},
		},
		Tries: []lab.TryRow{
			{DeliveryID: "d1", N: 1, Class: new("timeout")},
			{DeliveryID: "d1", N: 2, Status: new(204)},
			{DeliveryID: "d2", N: 1, Status: new(500)},
		},
		Network:    []harness.Entry{{ID: "1", Platform: "x", Text: "one", Created: out}},
		Received:   []harness.Received{{ID: "evt_1", Verified: true}},
		ReceiverAt: endpoint,
	}
}

func TestSoundLedgersSatisfyInvariants(t *testing.T) {
	t.Parallel()
	require.Empty(t, lab.Judge(sound(), lab.Late(2*time.Second)))
}

// TestEachViolationIsReported corrupts one fact at a time and checks that it is reported.
func TestEachViolationIsReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		spoil   func(e *lab.Evidence)
		options []lab.Option
		want    string
	}{
		{
			name: "twice on the network", want: "I1",
			spoil: func(e *lab.Evidence) { e.Network = append(e.Network, e.Network[0]) },
		},
		{name: "two confirmed attempts", want: "I1", spoil: func(e *lab.Evidence) {
			e.Attempts = append(e.Attempts, lab.AttemptRow{PostID: "p1", N: 2, State: "CONFIRMED", ExternalID: new("2")})
		}},
		{name: "an accepted post is missing", want: "I2", spoil: func(e *lab.Evidence) { e.Posts = e.Posts[:1] }},
		{name: "an accepted post never ends", want: "I2", spoil: func(e *lab.Evidence) { e.Posts[0].Status = "SCHEDULED" }},
		{
			name: "not published although the fault can only delay", want: "I2", options: []lab.Option{lab.AllPublished()},
			spoil: func(*lab.Evidence) {},
		},
		{name: "an event without a subscriber", want: "I3", spoil: func(e *lab.Evidence) { e.Deliveries = e.Deliveries[1:] }},
		{name: "a delivery without an end", want: "I3", spoil: func(e *lab.Evidence) { e.Deliveries[1].State = "PENDING" }},
		{name: "a delivery that never arrived", want: "I3", spoil: func(e *lab.Evidence) { e.Received = nil }},
		{
			name: "a signature that does not verify", want: "I3",
			spoil: func(e *lab.Evidence) { e.Received = append(e.Received, harness.Received{ID: "evt_2"}) },
		},
		{name: "an attempt without its row", want: "I3", spoil: func(e *lab.Evidence) { e.Tries = e.Tries[1:] }},
		{
			name: "success without an attempt that had it", want: "I3",
			spoil: func(e *lab.Evidence) { e.Tries[1].Status = new(500) },
		},
		{name: "published, but not on the network", want: "I4", spoil: func(e *lab.Evidence) { e.Network = nil }},
		{name: "published without an address", want: "I4", spoil: func(e *lab.Evidence) { e.Posts[0].PostURL = nil }},
		{
			name: "published with the address of another post", want: "I4",
			spoil: func(e *lab.Evidence) { e.Network[0].ID = "7" },
		},
		{
			name: "published and still claimed", want: "I4",
			spoil: func(e *lab.Evidence) { e.Posts[0].Claimed = new(time.Now()) },
		},
		{
			name: "refused, but on the network", want: "I4",
			spoil: func(e *lab.Evidence) { fail(e, "PLATFORM_REJECTED", false) },
		},
		{
			name: "unknown although the network could be queried", want: "I4",
			spoil: func(e *lab.Evidence) { fail(e, "OUTCOME_UNKNOWN", false) },
		},
		{
			name: "unknown and said to be safe to repeat", want: "I4", options: []lab.Option{lab.Unknown(1)},
			spoil: func(e *lab.Evidence) { fail(e, "OUTCOME_UNKNOWN", true) },
		},
		{name: "a transition without its event", want: "I5", spoil: func(e *lab.Evidence) { e.Events = e.Events[:2] }},
		{name: "an event without its transition", want: "I5", spoil: func(e *lab.Evidence) { e.Timeline = e.Timeline[:2] }},
		{name: "an event of a post that never was", want: "I5", spoil: func(e *lab.Evidence) { e.Events[2].PostID = "p9" }},
		{name: "a published draft", want: "I6", spoil: func(e *lab.Evidence) {
			e.Network = append(e.Network, harness.Entry{ID: "2", Platform: "threads", Text: "two"})
		}},
		{name: "a key that made two posts", want: "I7", spoil: func(e *lab.Evidence) {
			e.Posts = append(e.Posts, lab.PostRow{
				ID: "p3", WorkspaceID: workspace, Type: "TWITTER", Content: "one", Status: "DRAFT",
			})
		}},
		{name: "a post without an event", want: "I7", spoil: func(e *lab.Evidence) {
			e.Posts = append(e.Posts, lab.PostRow{
				ID: "p3", WorkspaceID: workspace, Type: "TWITTER", Content: "three", Status: "DRAFT",
			})
		}},
		{
			name: "an event of another workspace's post", want: "I8",
			spoil: func(e *lab.Evidence) { e.Posts[0].WorkspaceID = "w2" },
		},
		{
			name: "a delivery to another workspace's endpoint", want: "I8",
			spoil: func(e *lab.Evidence) { e.Deliveries[0].WorkspaceID = "w2" },
		},
		{
			name: "before its time", want: "I10",
			spoil: func(e *lab.Evidence) { e.Network[0].Created = e.Posts[0].ScheduledAt.Add(-2 * time.Millisecond) },
		},
		{
			name: "later than the scenario allows", want: "I10", options: []lab.Option{lab.Late(time.Millisecond)},
			spoil: func(*lab.Evidence) {},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := sound()
			c.spoil(&e)
			var seen []string
			for _, v := range lab.Judge(e, c.options...) {
				seen = append(seen, v.Invariant)
			}
			require.Contains(t, seen, c.want)
			require.Empty(t, lab.Judge(e, append(c.options, lab.Without(seen...))...))
		})
	}
}

// fail marks the first post as failed, as the service records it.
func fail(e *lab.Evidence, code string, retryable bool) {
	p := &e.Posts[0]
	p.Status, p.ErrorCode, p.Retryable = "FAILED", &code, &retryable
}

func TestAllowedDeviationsAreNoViolations(t *testing.T) {
	t.Parallel()
	e := sound()
	e.Timeline[1].Kind, e.Events[1].Type = "failed", "post.failed"
	fail(&e, "OUTCOME_UNKNOWN", false)
	require.Empty(t, lab.Judge(e, lab.Unknown(1)))
	e.Posts[0].Type, e.Network[0].Platform = "TELEGRAM_CHANNEL", "telegram"
	require.Empty(t, lab.Judge(e), "a network that cannot be queried leaves it open")
	e.Posts[0].ErrorCode = new("PLATFORM_REJECTED")
	e.Network = nil
	require.Empty(t, lab.Judge(e), "refused, and not on the network")
}
