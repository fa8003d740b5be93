package faults_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/infra"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// written returns the texts that a lab's inbox has, sorted.
func written(t require.TestingT, l *lab.Lab) []string {
	return l.Query(t, `SELECT text FROM message WHERE direction = 'IN' ORDER BY text COLLATE "C"`)
}

// TestF71ProgramsDieWhileTheyReceive kills the receiver and the worker at every step of a message, while the network reports
// several times.
func TestF71ProgramsDieWhileTheyReceive(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F71", Title: "The receiver dies before and after it stores what a network reports, and the worker after it has read it",
		Expect: "every message is in the inbox, once",
	})
	l.Run(2)
	l.Start("inbound", "").Ready()
	l.AddInbox("shop")
	l.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "inbound", Kind: "duplicate", Times: 30})
	points := []string{"inbound.before_store", "inbound.after_store", "receiving.after_apply"}
	var entries []string
	for _, point := range points {
		entries = append(entries, lab.Kills(point, 2)...)
	}
	l.Arm(entries...)
	const people, each = 4, 25
	var want []string
	for person := range people {
		from := fmt.Sprintf("person%d", person)
		l.Sandbox.Write(harness.Writes{Platform: "telegram", Account: "shop", From: from, Text: from, Times: each})
		for n := range each {
			want = append(want, fmt.Sprintf("%s %d", from, n+1))
		}
	}
	for _, point := range points {
		l.WaitFiredTimes(point, 2, 2*reached)
	}
	slices.Sort(want)
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Equal(c, want, written(c, l)) }, recovery, 200*time.Millisecond)
	require.Equal(t, []string{strconv.Itoa(people)}, l.Query(t, `SELECT count(*) FROM conversation`))
	require.Equal(t, []string{strconv.Itoa(people)}, l.Query(t, `SELECT count(*) FROM person`))
	l.Check()
}

// converse lets a person write, and returns the conversation.
func converse(t *testing.T, l *lab.Lab, w harness.Writes) ident.Conversation {
	t.Helper()
	l.Sandbox.Write(w)
	var of ident.Conversation
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		found := l.Query(c, `SELECT v.id FROM conversation v JOIN channel c ON c.id = v.channel_id WHERE c.type LIKE upper($1) || '%'`, w.Platform)
		require.Len(c, found, 1)
		var err error
		of, err = ident.Parse[ident.Conversation](found[0])
		require.NoError(c, err)
	}, recovery, 100*time.Millisecond)
	return of
}

// queue queues an answer.
func queue(t *testing.T, l *lab.Lab, of channel.Channel, conversation ident.Conversation, text string) {
	t.Helper()
	queued, err := postgres.NewReplies(l.DB, harness.Keyring(t)).Queue(t.Context(), inbox.Message{
		ID: ident.New[ident.Message](), ConversationID: conversation, WorkspaceID: l.Workspace, ChannelID: of.ID, Direction: inbox.Out,
		Text: text, State: inbox.Queued, SentAt: time.Now(),
	}, of.Type.Network(), nil)
	require.NoError(t, err)
	require.True(t, queued)
}

// settled waits until no answer waits, and requires that each arrived once, or may have and is shown as such.
func settled(t *testing.T, l *lab.Lab, platform string, of channel.Channel, allowed ...inbox.MessageState) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, []string{"0"}, l.Query(c, `SELECT count(*) FROM message WHERE state = 'QUEUED'`))
	}, 2*recovery, 200*time.Millisecond)
	for _, m := range l.Query(t, `SELECT state || ' ' || text FROM message WHERE direction = 'OUT' AND channel_id = $1`, of.ID) {
		state, text, _ := strings.Cut(m, " ")
		arrived := len(l.Sandbox.Replies(platform, "shop", "anna", text))
		require.Contains(t, append(allowed, inbox.Sent, inbox.Delivered), inbox.MessageState(state), m)
		if inbox.MessageState(state) == inbox.Unknown {
			require.LessOrEqual(t, arrived, 1, m)
			continue
		}
		require.Equal(t, 1, arrived, m)
	}
}

// TestF72WorkersDieWhileTheyReply kills workers at every step of an answer, and loses the responses of the network, on each
// network that people are answered on.
func TestF72WorkersDieWhileTheyReply(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F72", Title: "A worker dies before the claim and the intent of an answer, after it, during the call, after the network took " +
			"the answer, and after the record; the network loses responses",
		Expect: "no answer arrives twice; what may have arrived is shown to people, and everything else arrives",
	}, "PUBLISH_COMMIT_TIMEOUT=3s", "PUBLISH_SEND_WINDOW=3s")
	l.Run(2)
	l.Start("inbound", "").Ready()
	points := []string{
		"replying.before_claim", "replying.before_intent", "replying.after_intent", "replying.after_send", "replying.after_record",
	}
	networks := []struct {
		platform string
		of       channel.Channel
	}{{"telegram", l.AddInbox("shop")}, {"whatsapp", l.AddNumber("shop")}}
	for round, network := range networks {
		reports(t, l)
		conversation := converse(t, l, harness.Writes{Platform: network.platform, Account: "shop", From: "anna", Text: "Hello"})
		const each = 2
		var entries []string
		for _, point := range points { // an entry acts once in the whole run
			entries = append(entries, lab.Kills(point, each*(round+1))[each*round:]...)
		}
		l.Arm(entries...)
		for _, kind := range []string{"timeout_after_accept", "error_after_accept", "unavailable"} {
			l.Sandbox.Inject(harness.Fault{Platform: network.platform, Step: "reply", Kind: kind, Times: 2})
		}
		const replies = 40
		for n := range replies {
			queue(t, l, network.of, conversation, fmt.Sprintf("Answer %d on %s.", n, network.platform))
		}
		for _, point := range points {
			l.WaitFiredTimes(point, each*(round+1), 2*reached)
		}
		l.Disarm()
		l.Sandbox.Heal()
		l.Sandbox.Inject(harness.Fault{Platform: network.platform, Step: "reply", Kind: "timeout_after_accept", Times: 100, DelayMs: 2500})
		queue(t, l, network.of, conversation, "Killed.")
		require.Eventually(t, func() bool {
			return len(l.Sandbox.Replies(network.platform, "shop", "anna", "Killed.")) == 1
		}, recovery, 10*time.Millisecond)
		for _, worker := range l.Workers {
			worker.Kill()
		}
		l.Injected("both workers are killed during a call on %s", network.platform)
		l.Sandbox.Heal()
	}
	for _, network := range networks { // last, because the server repeats the steps of dead workers after half a minute
		settled(t, l, network.platform, network.of, inbox.Unknown)
	}
	l.Check()
}

// reports waits until networks report every account.
func reports(t *testing.T, l *lab.Lab) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, l.Query(c, `SELECT count(*) FROM channel WHERE type IN ('TELEGRAM_BUSINESS', 'WHATSAPP_BUSINESS')`),
			l.Query(c, `SELECT count(*) FROM inbound_source WHERE checked_at IS NOT NULL AND fault = ''`))
	}, recovery, 100*time.Millisecond)
}

// TestF73RepliesWaitForServers takes Temporal and PostgreSQL away while people answer, also beyond the end of the time to answer.
func TestF73RepliesWaitForServers(t *testing.T) {
	temporal, database := infra.NewProxy(t, temporalAddress(t)), infra.NewProxy(t, "")
	l := lab.Begin(t, lab.Fault{
		ID: "F73", Title: "Temporal and PostgreSQL are away while people answer; the time to answer ends meanwhile",
		Expect: "answers leave once when the servers are back, or say that the time to answer was over",
	}, "PUBLISH_COMMIT_TIMEOUT=3s", "PUBLISH_SEND_WINDOW=3s")
	runWith(l, 1, "TEMPORAL_ADDRESS="+temporal.Address(), "DATABASE_URL="+through(t, database, l.Database()))
	l.Start("inbound", "").Ready()
	of := l.AddNumber("shop")
	reports(t, l)
	conversation := converse(t, l, harness.Writes{Platform: "whatsapp", Account: "shop", From: "anna", Text: "Hello"})
	for name, server := range map[string]*infra.Proxy{"Temporal": temporal, "PostgreSQL": database} {
		server.Break(infra.Fault{Closed: true})
		server.Sever()
		l.Injected("%s is away", name)
		for n := range 5 {
			queue(t, l, of, conversation, fmt.Sprintf("While %s was away %d.", name, n))
		}
		<-time.After(3 * time.Second) // duration of the outage
		require.Equal(t, []string{"5"}, l.Query(t, `SELECT count(*) FROM message WHERE state = 'QUEUED'`))
		server.Heal()
		settled(t, l, "whatsapp", of)
	}
	temporal.Break(infra.Fault{Closed: true})
	temporal.Sever()
	queue(t, l, of, conversation, "Too late.")
	l.Exec(`UPDATE conversation SET last_in_at = last_in_at - interval '24 hours'`)
	temporal.Heal()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, []string{"FAILED WINDOW_CLOSED"}, l.Query(c, `SELECT state || ' ' || failure_code FROM message WHERE text = 'Too late.'`))
	}, 2*recovery, 200*time.Millisecond)
	require.Empty(t, l.Sandbox.Replies("whatsapp", "shop", "anna", "Too late."))
	l.Healed()
	l.Check()
}

// TestF75WorkersDieWhileTheyPoll kills workers after they have read reviews, and after they have stored them.
func TestF75WorkersDieWhileTheyPoll(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F75", Title: "A worker dies after it has read a page of reviews, and after it has stored it",
		Expect: "every review is in the inbox, once",
	})
	l.Run(2)
	points := []string{"polling.after_call", "polling.after_store"}
	l.Arm(slices.Concat(lab.Kills(points[0], 2), lab.Kills(points[1], 2))...)
	var want []string
	for n := range 20 {
		text := fmt.Sprintf("Review %02d", n)
		l.Sandbox.Comment(harness.Comments{
			Platform: string(channel.GoogleBusiness), Kind: "review", Account: l.Channels[channel.GoogleBusiness].ExternalID,
			From: fmt.Sprintf("person%d", n), Text: text, Rating: 3,
		})
		want = append(want, text)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		l.Exec(`UPDATE inbox_poll SET next_at = now(), lease_until = NULL`) // instead of waiting for minutes
		for _, point := range points {
			require.Equal(c, 2, l.Fired(point), point)
		}
		require.Equal(c, want, written(c, l))
	}, recovery, 500*time.Millisecond)
	for _, point := range points {
		l.WaitFiredTimes(point, 2, reached)
	}
	l.Check()
}
