package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/apiclient"
	"socialpub.internal/services/e2e/harness"
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/ident"
)

// hurried makes the waits of the protocol short, so that many crashes fit into a test. The rules stay as they are.
func hurried() []string {
	return []string{
		"PUBLISH_SEND_WINDOW=3s", "PUBLISH_READ_DELAY=1s", "PUBLISH_COMMIT_TIMEOUT=2s", "RETRY_SCALE=0.1", "SWEEP_INTERVAL=3s",
	}
}

// crashPoints are every step of the publish protocol, of the relay and of a delivery. The number says at which hit the
// process dies there, so that the deaths are spread over the run.
func crashPoints() []string {
	return []string{
		"publish.after_claim=kill#4", "publish.after_prepare=kill#5", "publish.after_handle=kill#3", "publish.after_intent=kill#6",
		"publish.before_write=kill#5", "publish.after_response=kill#7", "publish.after_send=kill#6", "publish.after_record=kill#5",
		"reconcile.after_evidence=kill#1", "relay.after_fan_out=kill#4", "relay.before_start=kill#5", "relay.before_delete=kill#4",
		"deliver.before_send=kill#6", "deliver.after_send=kill#8",
	}
}

// accepted is a post that the API promised to publish.
type accepted struct {
	id, text string
	typ      channel.Type
}

// TestNoCrashLosesOrDoublesAPost schedules posts while everything that can die dies, and then counts in the ledgers.
func TestNoCrashLosesOrDoublesAPost(t *testing.T) {
	armed := filepath.Join(t.TempDir(), "failpoints")
	fired := filepath.Join(t.TempDir(), "fired")
	require.NoError(t, os.WriteFile(armed, []byte(strings.Join(crashPoints(), ";")), 0o600))
	s := harness.New(t, harness.Options{Env: append(hurried(), "FAILPOINTS_LOG="+fired)})
	api := s.Start("api", "").Ready()
	worker := s.Start("worker", "", "FAILPOINTS_FILE="+armed).Ready()
	other := s.Start("worker", "", "FAILPOINTS_FILE="+armed).Ready()
	s.Subscribe()
	faults(s)

	const posts = 120
	var made []accepted
	types := []channel.Type{channel.Twitter, channel.Threads, channel.TelegramChannel}
	for i := range posts {
		p := accepted{text: fmt.Sprintf("post %d of the crash test", i), typ: types[i%len(types)]}
		p.id = createThrough(t, s, p, time.Now().Add(time.Duration(1000+i*40)*time.Millisecond))
		made = append(made, p)
		switch i { // the deaths that are no failpoints
		case 20, 90:
			api.Kill()
		case 35:
			worker.Kill()
		case 50:
			harness.Infrastructure(t, "postgres/stop?mode=immediate")
			harness.Infrastructure(t, "postgres/start")
		case 70:
			harness.Infrastructure(t, "temporal/kill")
			other.Kill()
			harness.Infrastructure(t, "temporal/start")
		}
	}
	final := waitForAll(t, s, made, 5*time.Minute)
	verify(t, s, made, final)
	log, err := os.ReadFile(fired)
	require.NoError(t, err)
	for _, point := range crashPoints() {
		name, _, _ := strings.Cut(point, "=")
		require.Contains(t, string(log), name, "this crash point was never reached")
	}
	t.Logf("api started %d times, workers %d and %d times", api.Starts(), worker.Starts(), other.Starts())
}

// faults mixes what networks do wrong into the run.
func faults(s *harness.System) {
	for _, platform := range []string{"x", "threads", "telegram"} {
		for _, f := range []harness.Fault{
			{Kind: "timeout_after_accept", Step: "commit", Times: 2, DelayMs: 6000},
			{Kind: "timeout_before", Step: "commit", Times: 1, DelayMs: 6000},
			{Kind: "unavailable", Step: "commit", Times: 2},
			{Kind: "rate_limit", Step: "commit", Times: 2, DelayMs: 1000},
		} {
			f.Platform = platform
			s.Sandbox.Inject(f)
		}
	}
	s.Sandbox.Inject(harness.Fault{Platform: "threads", Step: "create", Kind: "unavailable", Times: 2})
	s.Sandbox.Inject(harness.Fault{Platform: "x", Step: "token", Kind: "slow", Times: 1, DelayMs: 500})
}

// createThrough creates a post as a careful client does: it asks again with the same key when it got no answer, because the
// API may have died after it committed.
func createThrough(t *testing.T, s *harness.System, p accepted, at time.Time) string {
	t.Helper()
	var id string
	params := &apiclient.CreatePostsParams{IdempotencyKey: new(ident.New[ident.Event]().String())}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		made, err := s.API.CreatePostsWithResponse(t.Context(), params, apiclient.CreatePosts{
			ChannelIds: []string{s.Channels[p.typ].ID.String()}, Content: &p.text, Schedule: new(harness.At(at)),
		})
		require.NoError(c, err)
		if refused := made.ApplicationProblemJSON422; refused != nil && refused.Code == apiclient.ProblemCodeSCHEDULEDINPAST {
			at = time.Now().Add(time.Second) // the outage took longer; nothing was made, so the key is free
		}
		require.NotNil(c, made.JSON201, "%s", made.Body)
		id = (*made.JSON201)[0].ID
	}, time.Minute, 200*time.Millisecond)
	return id
}

func waitForAll(t *testing.T, s *harness.System, made []accepted, within time.Duration) map[string]apiclient.Post {
	t.Helper()
	final := make(map[string]apiclient.Post)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		for _, p := range made {
			if _, known := final[p.id]; known {
				continue
			}
			if got, err := s.API.GetPostWithResponse(t.Context(), p.id); err == nil && got.JSON200 != nil && got.JSON200.Status != apiclient.PostStatusSCHEDULED {
				final[p.id] = *got.JSON200
			}
		}
		require.Len(c, final, len(made))
	}, within, 500*time.Millisecond)
	return final
}

// verify counts in the networks' ledger and in the receiver's: no post twice, none lost, states true, one event each.
func verify(t *testing.T, s *harness.System, made []accepted, final map[string]apiclient.Post) {
	t.Helper()
	counts := make(map[string]int)
	for _, e := range s.Sandbox.Ledger() {
		counts[e.Text]++
	}
	var violations []string
	unknown := 0
	for _, p := range made {
		if final[p.id].Status == apiclient.PostStatusFAILED {
			unknown++
		}
		if wrong := judge(p, final[p.id], counts[p.text]); wrong != "" {
			violations = append(violations, fmt.Sprintf("%s on %s: %s", p.text, p.typ, wrong))
		}
	}
	require.Empty(t, violations)
	t.Logf("%d posts: %d published, %d with an unknown outcome on a network that cannot be asked", len(made), len(made)-unknown, unknown)
	verifyEvents(t, s, made, final)
}

// judge holds a post against the number of times that its network has it, and says what is wrong.
func judge(p accepted, got apiclient.Post, onNetwork int) string {
	switch {
	case onNetwork > 1:
		return fmt.Sprintf("published %d times", onNetwork)
	case got.Status == apiclient.PostStatusPUBLISHED && onNetwork == 0:
		return "PUBLISHED, but not on the network"
	case got.Status == apiclient.PostStatusPUBLISHED && (got.PublishedAt.IsNull() || got.PostURL.IsNull()):
		return "PUBLISHED without its time or address"
	case got.Status == apiclient.PostStatusPUBLISHED:
		return ""
	case got.Status != apiclient.PostStatusFAILED:
		return "unexpected status " + string(got.Status)
	}
	// Only a network that cannot be asked may leave an outcome open, and then it is said so.
	if failure := got.Error.MustGet(); p.typ != channel.TelegramChannel || failure.Code != "OUTCOME_UNKNOWN" || failure.Retryable {
		return fmt.Sprintf("failed: %+v", failure)
	}
	return ""
}

// verifyEvents checks that every transition has its one event, and that every event reached the receiver.
func verifyEvents(t *testing.T, s *harness.System, made []accepted, final map[string]apiclient.Post) {
	t.Helper()
	end := map[apiclient.PostStatus]string{
		apiclient.PostStatusPUBLISHED: "post.published", apiclient.PostStatusFAILED: "post.failed",
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		ids := make(map[string]map[string]bool) // post and type → event ids
		for _, r := range s.Receiver.All() {
			require.True(c, r.Verified, "a signature does not verify")
			post, _ := r.Data["postId"].(string)
			if ids[post+" "+r.Type] == nil {
				ids[post+" "+r.Type] = make(map[string]bool)
			}
			ids[post+" "+r.Type][r.ID] = true
		}
		for _, p := range made {
			require.Len(c, ids[p.id+" post.created"], 1, "post.created of %s", p.text)
			require.Len(c, ids[p.id+" "+end[final[p.id].Status]], 1, "%s of %s", end[final[p.id].Status], p.text)
		}
		require.Len(c, ids, 2*len(made))
	}, 2*time.Minute, time.Second)
}

// TestPausedWorkerDoesNotSend stops a worker right before the irrevocable call, until another one has taken over, and lets
// it go on: it must not send any more.
func TestPausedWorkerDoesNotSend(t *testing.T) {
	for _, point := range []string{"publish.after_intent", "publish.before_write"} {
		for _, typ := range []channel.Type{channel.Twitter, channel.Threads, channel.TelegramChannel} {
			t.Run(point+"/"+string(typ), func(t *testing.T) {
				t.Parallel() // mostly waiting
				fired := filepath.Join(t.TempDir(), "fired")
				s := harness.New(t, harness.Options{Env: append(hurried(), "FAILPOINTS_LOG="+fired)})
				s.Start("api", "").Ready()
				paused := s.Start("worker", "", "FAILPOINTS="+point+"=stop#1").Ready()
				text := "paused at " + point
				p := s.Create(typ, text, "now")
				require.EventuallyWithT(t, func(c *assert.CollectT) {
					log, err := os.ReadFile(fired)
					require.NoError(c, err)
					require.Contains(c, string(log), point)
				}, soon, 20*time.Millisecond)
				s.Start("worker", "").Ready()
				got := settled(t, s, p.ID, 4*time.Minute) // the frozen worker still holds polls, and each task it takes must time out
				paused.Signal(syscall.SIGCONT)
				if typ == channel.TelegramChannel {
					require.Equal(t, "OUTCOME_UNKNOWN", got.Error.MustGet().Code)
				} else {
					require.Equal(t, apiclient.PostStatusPUBLISHED, got.Status, "%+v", got.Error)
				}
				want := s.Sandbox.Count(text)
				require.LessOrEqual(t, want, 1)
				// The paused worker proves that it goes on by publishing the next post, and has not sent the first one.
				next := s.Create(channel.Threads, "after "+text, "now")
				require.Equal(t, apiclient.PostStatusPUBLISHED, settled(t, s, next.ID, soon).Status)
				require.EventuallyWithT(t, func(c *assert.CollectT) {
					require.Contains(c, paused.Log(), "SEND_WINDOW_CLOSED")
				}, soon, 100*time.Millisecond)
				require.Equal(t, want, s.Sandbox.Count(text))
			})
		}
	}
}

// TestUnscheduleWinsOrLosesCleanly lets unschedule race with the claim: after a 200 the post is not on the network, after
// a 409 it is.
func TestUnscheduleWinsOrLosesCleanly(t *testing.T) {
	s := running(t)
	const posts = 100
	wins, losses := 0, 0
	at := time.Now().Add(8 * time.Second)
	var made []apiclient.Post
	for i := range posts {
		made = append(made, s.Create(channel.TelegramChannel, fmt.Sprintf("race %d", i), harness.At(at.Add(time.Duration(i)*60*time.Millisecond))))
	}
	for i, p := range made {
		due := at.Add(time.Duration(i)*60*time.Millisecond + time.Duration(i%15-3)*25*time.Millisecond)
		<-time.After(time.Until(due))
		answer, err := s.API.UnschedulePostWithResponse(t.Context(), p.ID)
		require.NoError(t, err)
		if answer.JSON200 != nil {
			wins++
			require.Equal(t, apiclient.PostStatusDRAFT, s.Get(p.ID).Status)
			continue
		}
		losses++
		harness.Answer(t, answer.ApplicationProblemJSON409, answer.Body)
		require.Equal(t, apiclient.PostStatusPUBLISHED, settled(t, s, p.ID, soon).Status)
	}
	t.Logf("unschedule won %d times and lost %d times", wins, losses)
	require.Positive(t, wins)
	require.Positive(t, losses)
	<-time.After(2 * time.Second) // what must not happen needs a while to not happen
	for i, p := range made {
		want := 0
		if s.Get(p.ID).Status == apiclient.PostStatusPUBLISHED {
			want = 1
		}
		require.Equal(t, want, s.Sandbox.Count(fmt.Sprintf("race %d", i)))
	}
}

// TestTemporalDown accepts posts while Temporal is down and publishes them once it is back, by workers that were started
// long before it.
func TestTemporalDown(t *testing.T) {
	s := harness.New(t, harness.Options{Env: hurried()})
	harness.Infrastructure(t, "temporal/kill")
	t.Cleanup(func() { harness.Infrastructure(t, "temporal/start") })
	s.Start("api", "").Ready()
	worker := s.Start("worker", "")
	at := time.Now().Add(6 * time.Second)
	ahead := s.Create(channel.Threads, "due after the outage", harness.At(at))
	now := s.Create(channel.Twitter, "due during the outage", "now")
	require.Equal(t, apiclient.PostStatusSCHEDULED, now.Status)
	<-time.After(3 * time.Second) // the outage takes its time
	harness.Infrastructure(t, "temporal/start")
	worker.Ready()
	require.Equal(t, apiclient.PostStatusPUBLISHED, settled(t, s, now.ID, soon).Status)
	onTime := settled(t, s, ahead.ID, soon)
	require.Equal(t, apiclient.PostStatusPUBLISHED, onTime.Status)
	require.Less(t, onTime.PublishedAt.MustGet().Sub(at), 5*time.Second)
	require.Equal(t, 1, worker.Starts())
}

// TestTemporalLosesItsStore takes Temporal's databases away: every open workflow is started again from ours.
func TestTemporalLosesItsStore(t *testing.T) {
	s := running(t, hurried()...)
	at := time.Now().Add(25 * time.Second)
	var made []accepted
	for i := range 12 {
		p := accepted{text: fmt.Sprintf("rebuilt %d", i), typ: channel.Threads}
		p.id = s.Create(p.typ, p.text, harness.At(at)).ID
		made = append(made, p)
	}
	pending := s.Create(channel.Threads, "pending", "draft")
	s.RequestApproval(pending.ID)
	harness.Infrastructure(t, "temporal/wipe")
	s.Migrate()
	final := waitForAll(t, s, made, time.Minute)
	for _, p := range made {
		require.Equal(t, apiclient.PostStatusPUBLISHED, final[p.id].Status)
		require.Less(t, final[p.id].PublishedAt.MustGet().Sub(at), 10*time.Second)
		require.Equal(t, 1, s.Sandbox.Count(p.text))
	}
	require.Equal(t, apiclient.PostStatusDRAFT, s.Approve(pending.ID, "").Status)
}
