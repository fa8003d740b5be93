package relay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// planned returns the message of a post with this status.
func planned(t *testing.T, id int64, status post.Status, at time.Time) postgres.Message {
	t.Helper()
	m := queued(t, id, flow.Message{
		Kind: postflow.KindPost, Subject: ident.New[ident.Post](),
		In: postflow.Plan{Revision: 3, Status: status, ScheduledAt: at},
	})
	m.Channel = &postgres.MessageChannel{
		ID: ident.New[ident.Channel](), WorkspaceID: ident.New[ident.Workspace](), Type: channel.Twitter, Connected: true,
	}
	return m
}

// missing returns a message of the sweep about a post.
func missing(t *testing.T, id int64, status post.Status, at time.Time) postgres.Message {
	t.Helper()
	m := planned(t, id, status, at)
	m.Kind, m.Swept = postflow.KindRestart, true
	return m
}

// queued returns a message as the outbox holds it.
func queued(t *testing.T, id int64, m flow.Message) postgres.Message {
	t.Helper()
	payload, err := json.Marshal(m.In)
	require.NoError(t, err)
	return postgres.Message{ID: id, Kind: m.Kind, Subject: m.Subject.String(), Payload: string(payload)}
}

// startOf returns the start of a workflow for which a message asks.
func startOf(t *testing.T, m postgres.Message) flow.Start {
	t.Helper()
	for _, kind := range postgres.Kinds() {
		if kind.Name == m.Kind {
			start, err := kind.Start(m.Payload)
			require.NoError(t, err)
			return start
		}
	}
	t.Fatalf("no kind %s", m.Kind)
	return flow.Start{}
}

// postOf returns the input of a post's workflow.
func postOf(t *testing.T, m postgres.Message) postflow.Input {
	t.Helper()
	in := postflow.Input{
		WorkspaceID: m.Channel.WorkspaceID, ChannelID: m.Channel.ID, Network: m.Channel.Type.Network(), ChannelName: m.Channel.Name,
	}
	var err error
	in.PostID, err = ident.Parse[ident.Post](m.Subject)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(m.Payload), &in.Plan))
	return in
}

// setPlan changes the plan of a post's message.
func setPlan(t *testing.T, m *postgres.Message, change func(p *postflow.Plan)) {
	t.Helper()
	plan := postOf(t, *m).Plan
	change(&plan)
	payload, err := json.Marshal(plan)
	require.NoError(t, err)
	m.Payload = string(payload)
}

// delivery returns the message of a delivery.
func delivery(t *testing.T, id int64) postgres.Message {
	t.Helper()
	in := flow.DeliveryInput{DeliveryID: ident.New[ident.Delivery](), Run: 1}
	return queued(t, id, flow.Message{Kind: flow.KindDelivery, Subject: in.DeliveryID, In: in})
}

// TestEachMessageStartsItsWorkflow delivers every message twice: its workflow starts once, on its queue, with its
// input.
func TestEachMessageStartsItsWorkflow(t *testing.T) {
	t.Parallel()
	first := delivery(t, 1)
	replay := flow.ReplayInput{ReplayID: ident.New[ident.Replay]()}
	media, letter := flow.MediaInput{MediaID: ident.New[ident.Media]()}, flow.MailInput{MailID: ident.New[ident.Mail]()}
	for name, c := range map[string]struct {
		message             postgres.Message
		id, queue, workflow string
		input               any
	}{
		"delivery": {first, startOf(t, first).ID, flow.QueueDeliveries, flow.WorkflowDelivery, startOf(t, first).Input},
		"replay": {
			queued(t, 1, replay.Message()), replay.ID(), flow.QueueDeliveries, flow.WorkflowReplay, replay,
		},
		"import": {
			queued(t, 1, media.Import()), flow.ImportID(media.MediaID), flow.QueueImport, flow.WorkflowImport, media,
		},
		"process": {
			queued(t, 1, media.Process()), flow.ProcessID(media.MediaID), flow.QueueProcess, flow.WorkflowProcess,
			media,
		},
		"mail": {queued(t, 1, letter.Message()), flow.MailID(letter.MailID), flow.QueueMails, flow.WorkflowMail, letter},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				again := c.message
				again.ID = 2
				b := setup(t, c.message, again)
				b.runFor(t, time.Second)
				require.Empty(t, b.outbox.ready)
				require.Empty(t, b.outbox.failed)
				require.Equal(t, 1, b.temporal.starts)
				run := b.temporal.running[c.id]
				require.Equal(t, c.queue, run.options.TaskQueue)
				require.Equal(t, c.workflow, run.workflow)
				require.Equal(t, c.input, run.input)
				require.True(t, run.options.EnableEagerStart)
				require.Equal(t, enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING, run.options.WorkflowIDConflictPolicy)
			})
		})
	}
}

// TestPlanStartsOrSignalsWorkflow checks that a plan that waits for something starts the post's workflow, and that any
// other plan is only sent to a running workflow.
func TestPlanStartsOrSignalsWorkflow(t *testing.T) {
	t.Parallel()
	for status, starts := range map[post.Status]bool{
		post.Scheduled: true, post.PendingApproval: true,
		post.Draft: false, post.Published: false, post.Failed: false, post.Archived: false,
	} {
		for _, running := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s running=%v", status, running), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					m := planned(t, 1, status, time.Now().Add(time.Hour))
					id := postflow.ID(postOf(t, m).PostID)
					b := setup(t, m)
					if running {
						b.temporal.running[id] = started{}
					}
					b.runFor(t, time.Second)
					require.Empty(t, b.outbox.ready)
					require.Empty(t, b.outbox.failed)
					require.Zero(t, b.metric(t, "relay_failures_total"))
					_, runs := b.temporal.running[id]
					require.Equal(t, running || starts, runs)
					if runs {
						require.Equal(t, []signaled{{name: postflow.SignalChanged, plan: postOf(t, m).Plan}}, b.temporal.signals[id])
					}
				})
			})
		}
	}
}

// TestSearchAttributesOfStartedPost checks the attributes that operators search by.
func TestSearchAttributesOfStartedPost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		at := time.Now().Add(time.Hour)
		scheduled, pending := planned(t, 1, post.Scheduled, at), planned(t, 2, post.PendingApproval, time.Time{})
		b := setup(t, scheduled, pending)
		b.runFor(t, time.Second)
		run := b.temporal.running[postflow.ID(postOf(t, scheduled).PostID)]
		require.Equal(t, postflow.Workflow, run.workflow)
		require.Equal(t, postOf(t, scheduled), run.input)
		require.Equal(t, postflow.Queue(channel.NetworkX), run.options.TaskQueue)
		require.NotEmpty(t, run.options.StaticSummary)
		attributes := run.options.TypedSearchAttributes
		workspace, _ := attributes.GetKeyword(postflow.AttrWorkspaceID)
		require.Equal(t, postOf(t, scheduled).WorkspaceID.String(), workspace)
		status, _ := attributes.GetKeyword(postflow.AttrPostStatus)
		require.Equal(t, string(post.Scheduled), status)
		when, _ := attributes.GetTime(postflow.AttrScheduledAt)
		require.True(t, at.Equal(when))

		attributes = b.temporal.running[postflow.ID(postOf(t, pending).PostID)].options.TypedSearchAttributes
		require.False(t, attributes.ContainsKey(postflow.AttrScheduledAt))
	})
}

// TestRestartStartsMissingWorkflows checks that a running workflow is neither started nor signaled, and that only missing
// ones count as lost.
func TestRestartStartsMissingWorkflows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lost, running := missing(t, 1, post.Scheduled, time.Now()), missing(t, 2, post.Scheduled, time.Now())
		lostToo, runningToo := delivery(t, 3), delivery(t, 4)
		messages := []postgres.Message{lost, running, lostToo, runningToo}
		for i := range messages {
			messages[i].Swept = true
		}
		b := setup(t, messages...)
		b.temporal.running[postflow.ID(postOf(t, running).PostID)] = started{}
		b.temporal.running[startOf(t, runningToo).ID] = started{}
		b.runFor(t, time.Second)
		require.Empty(t, b.outbox.ready)
		require.Empty(t, b.outbox.failed)
		require.Equal(t, 2, b.temporal.starts)
		require.InDelta(t, 2, b.metric(t, "sweep_found_total"), 0)
		require.Equal(t, startOf(t, lostToo).Input, b.temporal.running[startOf(t, lostToo).ID].input)
		restarted := b.temporal.running[postflow.ID(postOf(t, lost).PostID)]
		require.Equal(t, postOf(t, lost), restarted.input)
		require.Equal(t, postflow.Workflow, restarted.workflow)
		require.Empty(t, b.temporal.signals)
	})
}

// TestOutageOfTemporalKeepsMessages checks that errors that concern Temporal as a whole delay each message by no more
// than two seconds. After the outage all messages are delivered.
func TestOutageOfTemporalKeepsMessages(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]error{
		"deadline":            context.DeadlineExceeded,
		"canceled":            context.Canceled,
		"unavailable":         serviceerror.NewUnavailable("down"),
		"server's deadline":   serviceerror.NewDeadlineExceeded("slow"),
		"exhausted":           serviceerror.NewResourceExhausted(enums.RESOURCE_EXHAUSTED_CAUSE_RPS_LIMIT, "too many"),
		"server's canceled":   serviceerror.NewCanceled("canceled"),
		"namespace is gone":   serviceerror.NewNamespaceNotFound("test"),
		"internal":            serviceerror.NewInternal("fault"),
		"not found":           serviceerror.NewNotFound("no such namespace"),
		"with something else": errors.Join(errors.New("retry"), serviceerror.NewUnavailable("down")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, planned(t, 1, post.Scheduled, time.Now()), delivery(t, 2))
				b.outbox.again = true
				begin := time.Now()
				b.temporal.refuse = func(context.Context, string) error {
					if time.Since(begin) < 2*time.Second {
						return outage
					}
					return nil
				}
				b.runFor(t, time.Second)
				for _, retry := range b.outbox.failed {
					require.LessOrEqual(t, retry.After, 2*time.Second)
				}
				require.Positive(t, b.metric(t, "relay_failures_total"))
				require.Zero(t, b.temporal.starts)

				b.runFor(t, 5*time.Second)
				require.Empty(t, b.outbox.ready)
				require.Equal(t, 2, b.temporal.starts)
			})
		})
	}
}

// TestRefusedMessageIsDelayed checks that a message rejected by Temporal gets a delay that doubles with its tries
// up to 64 s, and delays no other message.
func TestRefusedMessageIsDelayed(t *testing.T) {
	t.Parallel()
	for tries, after := range map[int]time.Duration{
		0: time.Second, 1: 2 * time.Second, 5: 32 * time.Second, 6: 64 * time.Second, 7: 64 * time.Second,
		1000: 64 * time.Second,
	} {
		t.Run(strconv.Itoa(tries), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				refused, other := delivery(t, 1), delivery(t, 2)
				refused.Tries = tries
				b := setup(t, refused, other)
				b.temporal.refuse = func(_ context.Context, id string) error {
					if id == startOf(t, refused).ID {
						return serviceerror.NewInvalidArgument("too large")
					}
					return nil
				}
				b.runFor(t, time.Second)
				require.Empty(t, b.outbox.ready)
				require.Equal(t, after, b.outbox.failed[1].After)
				require.Contains(t, b.outbox.failed[1].Cause, "start "+startOf(t, refused).ID+": too large")
				require.Len(t, b.outbox.failed, 1)
				require.Contains(t, b.temporal.running, startOf(t, other).ID)
				require.Zero(t, b.metric(t, "relay_failures_total"))
			})
		})
	}
}

// TestHangingCallTimesOut checks that a call without a response ends after 10 s and counts as an outage.
func TestHangingCallTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, delivery(t, 1))
		var waited []time.Duration
		b.temporal.refuse = func(ctx context.Context, _ string) error {
			begin := time.Now()
			<-ctx.Done()
			waited = append(waited, time.Since(begin))
			return ctx.Err()
		}
		b.runFor(t, 10*time.Second+time.Millisecond)
		require.Equal(t, []time.Duration{10 * time.Second}, waited)
		require.Len(t, b.outbox.ready, 1)
		require.InDelta(t, 1, b.metric(t, "relay_failures_total"), 0)
	})
}

// TestLateDeliveryIsLeftToExpressLane checks that the first call for a delivery ends early and stops its batch, so
// that the rows are free for an express lane. A message that no lane takes gets a longer call.
func TestLateDeliveryIsLeftToExpressLane(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, again := delivery(t, 1), delivery(t, 2)
		again.Tries = 1
		b := setup(t)
		b.Late = time.Second
		b.outbox.first, b.outbox.deliveries = []postgres.Message{first}, []postgres.Message{again}
		waited := make(map[string]time.Duration)
		b.temporal.refuse = func(ctx context.Context, id string) error {
			begin := time.Now()
			<-ctx.Done()
			waited[id] = time.Since(begin)
			return ctx.Err()
		}
		b.runFor(t, 10*time.Second+time.Millisecond)
		require.Equal(t, map[string]time.Duration{
			startOf(t, first).ID: time.Second, startOf(t, again).ID: 10 * time.Second,
		}, waited)
		require.Equal(t, map[int64]postgres.Retry{
			1: {After: 2 * time.Second, Cause: "start " + startOf(t, first).ID + ": context deadline exceeded"},
		}, b.outbox.failed)
	})
}

// TestOnlyFirstDeliveriesAreLeftToExpressLane checks which calls end early, and which failures leave a delivery to the
// lane.
func TestOnlyFirstDeliveriesAreLeftToExpressLane(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		swept, letter := delivery(t, 1), flow.MailInput{MailID: ident.New[ident.Mail]()}
		swept.Swept = true
		redelivery := queued(t, 2, flow.Redeliver(flow.DeliveryInput{
			DeliveryID: ident.New[ident.Delivery](), RedeliveryID: ident.New[ident.Redelivery](),
		}))
		mail := queued(t, 3, letter.Message())
		refused, unreachable := delivery(t, 4), delivery(t, 5)
		b := setup(t, swept, redelivery, mail, refused, unreachable)
		b.Late = time.Second
		waited := make(map[string]time.Duration)
		b.temporal.refuse = func(ctx context.Context, id string) error {
			switch id {
			case startOf(t, refused).ID:
				return errRefused
			case startOf(t, unreachable).ID:
				return serviceerror.NewUnavailable("down")
			}
			begin := time.Now()
			<-ctx.Done()
			b.temporal.mu.Lock()
			defer b.temporal.mu.Unlock()
			waited[id] = time.Since(begin)
			return ctx.Err()
		}
		b.runFor(t, 10*time.Second+time.Millisecond)
		require.Equal(t, map[string]time.Duration{
			startOf(t, swept).ID: 10 * time.Second, startOf(t, redelivery).ID: 10 * time.Second,
			flow.MailID(letter.MailID): 10 * time.Second,
		}, waited)
		require.Len(t, b.outbox.failed, 2)
		require.Equal(t, time.Second, b.outbox.failed[refused.ID].After, "a rejected message is tried again by the relay")
		require.Equal(t, 2*time.Second, b.outbox.failed[unreachable.ID].After, "an outage gives the lane its time")
	})
}

// TestLateDeliveryStopsItsBatch checks that no further call starts once Temporal did not take a delivery in time.
func TestLateDeliveryStopsItsBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, deliveries(t, 100)...)
		b.Late = time.Second / 2
		var calls atomic.Int32
		b.temporal.refuse = func(ctx context.Context, _ string) error { calls.Add(1); <-ctx.Done(); return ctx.Err() }
		b.runFor(t, b.Late+time.Millisecond)
		require.EqualValues(t, 8, calls.Load())
	})
}

// TestRejectedMessageIsNeverDone checks that a message rejected by Temporal never counts as done.
func TestRejectedMessageIsNeverDone(t *testing.T) {
	t.Parallel()
	media := flow.MediaInput{MediaID: ident.New[ident.Media]()}
	restart, waiting, ended := missing(t, 1, post.Scheduled, time.Now()), planned(t, 1, post.Scheduled, time.Now()), planned(t, 1,
		post.Draft, time.Now())
	schedule := func(payload string, c *postgres.MessageChannel) postgres.Message {
		return postgres.Message{
			ID: 1, Kind: flow.KindInsights, Subject: ident.New[ident.Channel]().String(), Payload: payload, Channel: c,
		}
	}
	connected := &postgres.MessageChannel{Type: channel.Twitter, Connected: true}
	restartToo := delivery(t, 1)
	restartToo.Swept = true
	running := temporal.ErrScheduleAlreadyRunning
	for name, c := range map[string]struct {
		message postgres.Message
		create  error
		cause   string
	}{
		"delivery": {delivery(t, 1), nil, "start delivery/"},
		"replay": {
			queued(t, 1, flow.ReplayInput{ReplayID: ident.New[ident.Replay]()}.Message()), nil, "start replay/",
		},
		"import":            {queued(t, 1, media.Import()), nil, "start import/"},
		"process":           {queued(t, 1, media.Process()), nil, "start media/"},
		"mail":              {queued(t, 1, flow.MailInput{MailID: ident.New[ident.Mail]()}.Message()), nil, "start mail/"},
		"restart":           {restart, nil, "restart post/"},
		"restart too":       {restartToo, nil, "restart delivery/"},
		"scheduled post":    {waiting, nil, "signal-with-start post/"},
		"post of no plan":   {ended, nil, "signal post/"},
		"new schedule":      {schedule(`{}`, connected), errRefused, "create schedule"},
		"triggered":         {schedule(`{"now":true}`, connected), running, "trigger schedule"},
		"unwanted schedule": {schedule(`{}`, nil), nil, "delete schedule"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, c.message)
				b.temporal.create = c.create
				b.temporal.refuse = func(context.Context, string) error { return errRefused }
				b.runFor(t, time.Second)
				require.Len(t, b.outbox.failed, 1)
				require.Contains(t, b.outbox.failed[1].Cause, c.cause)
				require.Contains(t, b.outbox.failed[1].Cause, "refused")
			})
		})
	}
}

// TestPriorityOfPost checks the delay of the first task and the priority of posts by the time that is left.
func TestPriorityOfPost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status    post.Status
		remaining time.Duration
		priority  int
		sleeps    bool
	}{
		"now":             {post.Scheduled, 0, postflow.PriorityDue, false},
		"overdue":         {post.Scheduled, -time.Hour, postflow.PriorityDue, false},
		"soon":            {post.Scheduled, 10 * time.Minute, postflow.PriorityDue, false},
		"later":           {post.Scheduled, 10*time.Minute + time.Second, postflow.PriorityWaiting, false},
		"almost an hour":  {post.Scheduled, time.Hour - time.Second, postflow.PriorityWaiting, false},
		"an hour":         {post.Scheduled, time.Hour, postflow.PrioritySlept, true},
		"a month":         {post.Scheduled, 30 * 24 * time.Hour, postflow.PrioritySlept, true},
		"waits for a nod": {post.PendingApproval, 48 * time.Hour, postflow.PriorityWaiting, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := planned(t, 1, c.status, time.Now().Add(c.remaining))
				b := setup(t, m)
				b.runFor(t, time.Millisecond)
				options := b.temporal.running[postflow.ID(postOf(t, m).PostID)].options
				require.Equal(t, temporal.Priority{PriorityKey: c.priority, FairnessKey: postOf(t, m).WorkspaceID.String()},
					options.Priority)
				if !c.sleeps {
					require.Zero(t, options.StartDelay)
					return
				}
				require.GreaterOrEqual(t, options.StartDelay, c.remaining-10*time.Minute)
				require.Less(t, options.StartDelay, c.remaining-5*time.Minute)
			})
		})
	}
}

// TestFirstStepsOfScheduledPostsAreSpread checks that the steps of posts that are due at one instant are spread.
func TestFirstStepsOfScheduledPostsAreSpread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		due := time.Now().Add(time.Minute)
		pending := planned(t, 1, post.PendingApproval, due)
		messages := []postgres.Message{pending}
		const posts = 40
		for n := range int64(posts) {
			m := planned(t, n+2, post.Scheduled, due)
			m.Swept = n%2 == 0
			messages = append(messages, m)
		}
		b := setup(t, messages...)
		b.runFor(t, time.Second)
		require.Equal(t, posts+1, b.temporal.started())
		require.NotContains(t, b.temporal.holds, postflow.ID(postOf(t, pending).PostID))
		require.Len(t, b.temporal.holds, posts)
		leads := slices.Sorted(maps.Values(b.temporal.holds))
		require.GreaterOrEqual(t, leads[0], postflow.HoldShortest)
		require.LessOrEqual(t, leads[posts-1], postflow.HoldLongest)
		require.Greater(t, leads[posts-1]-leads[0], (postflow.HoldLongest-postflow.HoldShortest)/2)
	})
}

// TestPostBeyondHorizonIsNotStarted checks that its plan is only sent to a workflow that is running already.
func TestPostBeyondHorizonIsNotStarted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		absent, running := planned(t, 1, post.Scheduled, time.Now().Add(1000*time.Hour)), planned(t, 2, post.Scheduled,
			time.Now().Add(1000*time.Hour))
		absent.Beyond, running.Beyond = true, true
		b := setup(t, absent, running)
		id := postflow.ID(postOf(t, running).PostID)
		b.temporal.running[id] = started{}
		b.runFor(t, time.Second)
		require.Empty(t, b.outbox.ready)
		require.Zero(t, b.temporal.starts)
		require.Len(t, b.temporal.signals[id], 1)
	})
}
