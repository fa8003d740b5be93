package faults_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/kernel/ident"
)

func TestF01TheToolServerDiesBeforeTheCommitOfACreation(t *testing.T) {
	toolCreations(t, lab.Fault{
		ID:     "F01",
		Title:  "A tool server dies before the COMMIT of create_post; the agent repeats it at another replica",
		Expect: "I7 I5: one post per idempotencyKey",
	}, "once.before_commit")
}

func TestF02TheToolServerDiesAfterTheCommitOfACreation(t *testing.T) {
	toolCreations(t, lab.Fault{
		ID:     "F02",
		Title:  "A tool server dies after the COMMIT of create_post; the agent repeats it at another replica",
		Expect: "I7 I2: the stored response; one post per idempotencyKey, all published",
	}, "once.after_commit")
}

// createdPosts is the result of create_post, with the posts' JSON unchanged.
type createdPosts struct {
	Posts    []json.RawMessage `json:"posts"`
	Replayed bool              `json:"replayed"`
}

// toolCreations kills the two replicas of the tool server three times in total while posts are created.
func toolCreations(t *testing.T, f lab.Fault, name string) {
	t.Helper()
	l := lab.Begin(t, f)
	l.Run(1)
	tools := l.StartTools(2)
	const deaths, posts = 3, 12 // enough hits for the third kill in one process
	l.Arm(lab.Kills(name, deaths)...)
	created := make([]lab.Accepted, posts)
	for i := range created {
		created[i] = acceptedByTools(t, l, tools, i)
	}
	l.WaitFiredTimes(name, deaths, reached)
	require.Equal(t, 2+deaths, tools.Replicas[0].Starts()+tools.Replicas[1].Starts())
	for i, p := range created { // repeated calls must return the first result, on every replica
		for _, endpoint := range tools.Endpoints {
			var again createdPosts
			require.EventuallyWithT(t, func(c *assert.CollectT) { // the replica that was killed last is starting
				var err error
				again, err = createByTool(t, l, endpoint, p)
				require.NoError(c, err)
			}, reached, 50*time.Millisecond)
			require.True(t, again.Replayed, "post %d", i)
			require.Len(t, again.Posts, 1)
			require.JSONEq(t, p.Body, string(again.Posts[0]))
		}
	}
	l.Settle(recovery)
	l.Check(lab.AllPublished())
}

// acceptedByTools creates the i-th post with an idempotency key. If there is no response, it repeats the call on the
// other replica.
func acceptedByTools(t *testing.T, l *lab.Lab, tools *harness.Tools, i int) lab.Accepted {
	t.Helper()
	const ahead = 6 * time.Second
	p := lab.Accepted{
		Type: texts()[i%len(texts())], At: time.Now().Add(ahead), Text: l.Text(), Key: ident.New[ident.Event]().String(),
	}
	try := i
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		endpoint := tools.Endpoints[try%len(tools.Endpoints)]
		try++
		got, err := createByTool(t, l, endpoint, p)
		require.NoError(c, err)
		require.Len(c, got.Posts, 1)
		var post struct {
			ID string `json:"id"`
		}
		require.NoError(c, json.Unmarshal(got.Posts[0], &post))
		p.ID, p.Body = post.ID, string(got.Posts[0])
	}, reached, 50*time.Millisecond)
	l.Remember(p)
	return p
}

// createByTool calls create_post on one replica. The same post always has the same arguments.
func createByTool(t *testing.T, l *lab.Lab, endpoint string, p lab.Accepted) (createdPosts, error) {
	t.Helper()
	agent, err := harness.NewAgent(t.Context(), harness.AgentConfig{Endpoint: endpoint, Token: l.Key})
	if err != nil {
		return createdPosts{}, err
	}
	var got createdPosts
	err = agent.Call(t.Context(), "create_post", map[string]any{
		"channelIds": []string{l.Channels[p.Type].ID.String()}, "content": p.Text, "schedule": harness.At(p.At),
		"idempotencyKey": p.Key,
	}, &got)
	_ = agent.Close() // the replica may be down
	return got, err
}
