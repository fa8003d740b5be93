package e2e_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
)

type args = map[string]any

// The results of tools. Their members are those of the API, so the API's types decode them.
type (
	channelsFound struct {
		Data []struct {
			ID           string `json:"id"`
			Type         string `json:"type"`
			Capabilities struct {
				Publish bool `json:"publish"`
			} `json:"capabilities"`
		} `json:"data"`
	}
	postsFound struct {
		Data       []fencepost.Post `json:"data"`
		NextCursor *string          `json:"nextCursor"`
	}
	postsCreated struct {
		Posts    []fencepost.Post `json:"posts"`
		Replayed bool             `json:"replayed"`
	}
	postChanged struct {
		Post fencepost.Post `json:"post"`
	}
	mediaCreated struct {
		Media fencepost.Media `json:"media"`
	}
	pageFound struct {
		Page fencepost.LinkPage `json:"page"`
	}
	blockCreated struct {
		Block struct {
			ID string `json:"id"`
		} `json:"block"`
		Revision int  `json:"revision"`
		Replayed bool `json:"replayed"`
	}
)

// agent is a test's agent and the set of tools that it has called.
type agent struct {
	*harness.Agent

	t      *testing.T
	called map[string]bool
}

// connected returns an agent with the system's API key.
func connected(t *testing.T, s *harness.System, endpoint, revision string) *agent {
	t.Helper()
	created, err := harness.NewAgent(t.Context(), harness.AgentConfig{Endpoint: endpoint, Token: s.Key, Revision: revision})
	require.NoError(t, err)
	t.Cleanup(func() { _ = created.Close() })
	return &agent{Agent: created, t: t, called: make(map[string]bool)}
}

// does calls a tool that must succeed.
func does[T any](a *agent, tool string, arguments args) T {
	a.t.Helper()
	out, err := call[T](a.t.Context(), a.Agent, tool, arguments)
	require.NoError(a.t, err)
	a.called[tool] = true
	return out
}

func call[T any](ctx context.Context, a *harness.Agent, tool string, arguments args) (out T, err error) {
	return out, a.Call(ctx, tool, arguments, &out)
}

// published polls until a post is published.
func (a *agent) published(id string) fencepost.Post {
	a.t.Helper()
	var got fencepost.Post
	require.EventuallyWithT(a.t, func(c *assert.CollectT) {
		read, err := call[postChanged](a.t.Context(), a.Agent, "get_post", args{"postId": id})
		require.NoError(c, err)
		got = read.Post
		require.Equal(c, fencepost.PostStatusPublished, got.Status)
	}, soon, 100*time.Millisecond)
	a.called["get_post"] = true
	listed := does[postsFound](a, "list_posts", args{"postId": id})
	require.Equal(a.t, []fencepost.Post{got}, listed.Data)
	return got
}
