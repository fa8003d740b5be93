package faults_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// TestF72WorkersDieWhileTheyReply kills workers at every step of an answer, and loses the responses of the network.
func TestF72WorkersDieWhileTheyReply(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F72", Title: "A worker dies before the intent of an answer, after it, after the network took it, and after the record; the " +
			"network loses responses",
		Expect: "no answer arrives twice; what may have arrived is shown to people, and everything else arrives",
	}, "PUBLISH_COMMIT_TIMEOUT=3s", "PUBLISH_SEND_WINDOW=3s")
	l.Run(2)
	l.Start("inbound", "").Ready()
	of := l.AddInbox("shop")
	l.Sandbox.Write(harness.Writes{Platform: "telegram", Account: "shop", From: "anna", Text: "Hello"})
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Equal(c, []string{"Hello"}, written(c, l)) }, recovery, 100*time.Millisecond)
	conversation, err := ident.Parse[ident.Conversation](l.Query(t, `SELECT id FROM conversation`)[0])
	require.NoError(t, err)
	store := postgres.NewReplies(l.DB, harness.Keyring(t))
	points := []string{"replying.before_intent", "replying.after_intent", "replying.after_send", "replying.after_record"}
	var entries []string
	for _, point := range points {
		entries = append(entries, lab.Kills(point, 2)...)
	}
	l.Arm(entries...)
	for _, kind := range []string{"timeout_after_accept", "error_after_accept", "unavailable"} {
		l.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "reply", Kind: kind, Times: 2})
	}
	const replies = 40
	for n := range replies {
		queued, err := store.Queue(t.Context(), inbox.Message{
			ID: ident.New[ident.Message](), ConversationID: conversation, WorkspaceID: l.Workspace, ChannelID: of.ID, Direction: inbox.Out,
			Text: fmt.Sprintf("Answer %d", n), State: inbox.Queued, SentAt: time.Now(),
		}, channel.NetworkTelegram, nil)
		require.NoError(t, err)
		require.True(t, queued)
	}
	for _, point := range points {
		l.WaitFiredTimes(point, 2, 2*reached)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, []string{"0"}, l.Query(c, `SELECT count(*) FROM message WHERE state = 'QUEUED'`))
	}, 2*recovery, 200*time.Millisecond)
	for _, m := range l.Query(t, `SELECT state || ' ' || text FROM message WHERE direction = 'OUT'`) {
		var state string
		var n int
		_, err := fmt.Sscanf(m, "%s Answer %d", &state, &n)
		require.NoError(t, err)
		arrived := len(l.Sandbox.Replies("telegram", "shop", "anna", fmt.Sprintf("Answer %d", n)))
		switch inbox.MessageState(state) { //nolint:exhaustive // an answer has no other state here
		case inbox.Sent:
			require.Equal(t, 1, arrived, m)
		case inbox.Unknown:
			require.LessOrEqual(t, arrived, 1, m)
		default:
			require.Fail(t, "an answer is "+m)
		}
	}
	l.Check()
}
