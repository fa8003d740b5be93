package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestRepeatedCallsCreateOnePost checks that each idempotencyKey creates one post: for agents that cancel a call at any
// time, and for agents that send the same call several times concurrently to different replicas.
func TestRepeatedCallsCreateOnePost(t *testing.T) {
	t.Parallel()
	s := harness.New(t, harness.Options{})
	tools := s.StartTools(2)
	var agents []*harness.Agent
	for _, endpoint := range tools.Endpoints {
		agents = append(agents, connected(t, s, endpoint, "").Agent)
	}
	post := func(text string) args {
		return args{
			"channelIds": []string{s.Channels[channel.Threads].ID.String()}, "content": text,
			"idempotencyKey": text[:len(text)-1],
		}
	}
	const posts, most = 60, 15 * time.Millisecond // longer than a call takes
	givenUp, kept := 0, 0
	for i := range posts {
		arguments := post(fmt.Sprintf("given-up-%d.", i))
		hurried, cancel := context.WithTimeout(t.Context(), time.Duration(i)*most/posts)
		_, err := call[postsCreated](hurried, agents[i%2], "create_post", arguments)
		cancel()
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			givenUp++
		}
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			created, err := call[postsCreated](t.Context(), agents[(i+1)%2], "create_post", arguments)
			require.NoError(c, err) // the first call may still be running
			require.Len(c, created.Posts, 1)
			if created.Replayed {
				kept++
			}
		}, soon, 20*time.Millisecond)
	}
	t.Logf("%d of %d calls were given up, %d had been done", givenUp, posts, kept)
	require.Positive(t, givenUp)

	const rounds, atOnce = 10, 8
	for i := range rounds {
		arguments := post(fmt.Sprintf("at-once-%d.", i))
		var crowd errgroup.Group
		for n := range atOnce {
			crowd.Go(func() error { return createdOnce(t.Context(), agents[n%2], arguments) })
		}
		require.NoError(t, crowd.Wait())
	}
	created := postgrestest.Column(t, s.Database(),
		`SELECT content || ' ' || count(*) FROM post GROUP BY content HAVING count(*) > 1 UNION ALL SELECT count(*)::text FROM post`)
	require.Equal(t, []string{strconv.Itoa(posts + rounds)}, created)
}

// createdOnce creates a post as one of several concurrent identical calls. It accepts that the post is created, was
// created already, or is being created.
func createdOnce(ctx context.Context, a *harness.Agent, arguments args) error {
	created, err := call[postsCreated](ctx, a, "create_post", arguments)
	refused := new(harness.Refused)
	if errors.As(err, &refused) && refused.Code == "IDEMPOTENCY_IN_PROGRESS" {
		return nil
	}
	return holds(err, len(created.Posts) == 1, created)
}
