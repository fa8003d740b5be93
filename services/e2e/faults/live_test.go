package faults_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// TestF62TheProgramDiesWhileItChangesAPublishedPost kills the operator's program, and then workers, at each step of
// edits and deletions on Telegram.
func TestF62TheProgramDiesWhileItChangesAPublishedPost(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F62", Title: "Programs die at each step of an edit and a deletion on Telegram",
		Expect: "I2: each change is on the network, and once in the timeline with the person's name",
	})
	l.Run(1)
	l.Accept(3, time.Now().Add(time.Second), 100*time.Millisecond)
	points := []string{"live.after_request", "live.after_intent", "live.after_call", "live.after_record"}
	published := func(text string) string {
		p := l.System.Create(channel.TelegramChannel, text, "now")
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			require.Equal(c, fencepost.PostStatusPublished, l.Get(p.ID).Status)
		}, recovery, 100*time.Millisecond)
		return p.ID
	}
	edits, deletions := make(map[string]string), make(map[string]string) // new or old texts, and the posts
	for _, point := range points {
		edits["edited: "+point] = published("to edit: " + point)
		deletions["to delete: "+point] = published("to delete: " + point)
		l.Arm(point + "=kill#1")
		_, err := l.RunAdmin("post", "edit-live", "--by", "Dana", "--content", "edited: "+point, edits["edited: "+point])
		require.Error(t, err, "the program was not killed")
		l.WaitFired(point, reached)
		l.Arm(point + "=kill")
		_, err = l.RunAdmin("post", "delete-live", "--by", "Dana", deletions["to delete: "+point])
		l.Disarm()
		require.Error(t, err, "the program was not killed")
	}
	concluded := func() []string {
		return l.Query(t, `SELECT p.id || ' ' || l.kind || ' ' || l.actor FROM post_timeline l JOIN post p ON p.id = l.post_id
			WHERE l.kind IN ('live_edited', 'live_deleted', 'live_change_failed') ORDER BY 1`)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Len(c, concluded(), 2*len(points)) }, 2*recovery,
		100*time.Millisecond)

	// The network is down when a person asks, so that workers make the calls, and die.
	const byWorkers = 8
	texts := make([]string, byWorkers)
	for n := range texts {
		texts[n] = fmt.Sprintf("edited by a worker: %d", n)
		edits[texts[n]] = published(fmt.Sprintf("to edit by a worker: %d", n))
	}
	l.Arm("live.after_intent=kill#2", "live.after_call=kill#2", "live.after_record=kill#2")
	l.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "commit", Kind: "unavailable", Times: byWorkers})
	for _, text := range texts {
		out, err := l.RunAdmin("post", "edit-live", "--by", "Dana", "--content", text, edits[text])
		require.NoError(t, err)
		require.Contains(t, string(out), "UNKNOWN", "Telegram may have made the change")
	}
	for _, point := range points[1:] {
		l.WaitFiredTimes(point, 3, 2*reached)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Len(c, concluded(), len(edits)+len(deletions)) }, 2*recovery,
		100*time.Millisecond)
	for text, id := range edits {
		require.Equal(t, 1, l.Sandbox.Count(text), text)
		require.Equal(t, text, l.Get(id).Content)
		require.Contains(t, concluded(), id+" live_edited operator Dana")
	}
	for text, id := range deletions {
		require.Zero(t, l.Sandbox.Count(text), text)
		require.Contains(t, concluded(), id+" live_deleted operator Dana")
	}
	l.Settle(recovery)
	l.Check(lab.AllPublished(), lab.Without("I7")) // the lab has no responses to the requests of the changed posts
}
