package publishing_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"socialpub.internal/activities/publishing"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/infra/postgres/postgrestest"
	"socialpub.internal/shared/platform"
)

// leaving is a network whose preparation leaves something behind that can be deleted.
type leaving struct {
	*network

	discarded []platform.Handle
	tokens    []string
	err       error
}

func (l *leaving) Discard(_ context.Context, account platform.Account, handle platform.Handle) error {
	l.discarded, l.tokens = append(l.discarded, handle), append(l.tokens, account.Credentials.AccessToken)
	return l.err
}

// setupLeaving returns a bench of a network whose preparation leaves an upload, and which ends the call as commit does.
func setupLeaving(t *testing.T, commit error) (*bundle, *leaving) {
	t.Helper()
	net := &leaving{network: &network{}}
	net.prepare = func(platform.Handle) (platform.Preparation, error) {
		return platform.Preparation{Ready: true, Handle: "upload"}, nil
	}
	net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{ExternalID: "ext-1"}, commit
	}
	return setupWith(t, net.network, net), net
}

// leftovers deletes leftovers as a worker does.
func (b *bundle) leftovers(t *testing.T, link platform.Link) *publishing.Leftovers {
	t.Helper()
	registry, err := platform.NewRegistry(link)
	require.NoError(t, err)
	made, err := publishing.NewLeftovers(publishing.LeftoversConfig{
		Store: postgres.NewLeftovers(b.db, b.box), Access: b.keeper, Connectors: registry, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return made
}

// left returns the number of leftovers.
func (b *bundle) left(t *testing.T) int {
	t.Helper()
	return len(postgrestest.Column(t, b.address, `SELECT n FROM publish_attempt WHERE discard_after IS NOT NULL`))
}

// passes moves the times of all leftovers into the past.
func (b *bundle) passes(t *testing.T, d time.Duration) {
	t.Helper()
	postgrestest.Exec(t, b.address, `UPDATE publish_attempt SET discard_after = discard_after - $1 * interval '1 second',
		finished_at = finished_at - $1 * interval '1 second'`, d.Seconds())
}

// TestAFailedPostLeavesNothingBehind checks after which endings the preparation is deleted: never after a post that may
// be published, and not if a later attempt uses it.
func TestAFailedPostLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		commit  error
		discard error
		want    []platform.Handle
	}{
		"refused":              {fails(platform.ClassRejected, "REFUSED"), nil, []platform.Handle{"upload"}},
		"the owner must act":   {fails(platform.ClassUser, "BANNED"), nil, []platform.Handle{"upload"}},
		"deletion fails":       {fails(platform.ClassRejected, "REFUSED"), errors.New("down"), []platform.Handle{"upload"}},
		"it is tried again":    {fails(platform.ClassTransient, "DOWN"), nil, nil},
		"the response is lost": {fails(platform.ClassUnknown, "LOST"), nil, nil},
		"published":            {nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, net := setupLeaving(t, c.commit)
			net.err = c.discard
			p := b.due(t, time.Second)
			b.publish(t, p)
			require.Equal(t, c.want, net.discarded)
			require.Equal(t, c.discard != nil, b.left(t) == 1)
			if c.want != nil {
				require.Equal(t, post.Failed, b.reload(t, p).Post.Status)
			}
		})
	}
}

// TestALeftoverIsDeletedLater checks that a worker deletes what the execution that failed a post did not delete, with
// fresh credentials, not before that execution has had its time, and not twice.
func TestALeftoverIsDeletedLater(t *testing.T) {
	t.Parallel()
	b, net := setupLeaving(t, fails(platform.ClassRejected, "REFUSED"))
	net.err = errors.New("down")
	b.publish(t, b.due(t, time.Second))
	require.Len(t, net.discarded, 1)
	later := b.leftovers(t, net)
	require.NoError(t, later.Round(t.Context()))
	require.Len(t, net.discarded, 1, "the execution may still be deleting it")

	b.passes(t, 2*time.Minute)
	require.ErrorContains(t, later.Round(t.Context()), "down")
	require.Len(t, net.discarded, 2)
	require.NoError(t, later.Round(t.Context()))
	require.Len(t, net.discarded, 2, "it waits after a failure")

	b.passes(t, 15*time.Minute)
	net.err = nil
	ended, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { later.Run(ended) })
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Zero(c, b.left(t)) }, 10*time.Second, 20*time.Millisecond)
	end()
	running.Wait()
	require.Equal(t, []platform.Handle{"upload", "upload", "upload"}, net.discarded)
	require.Equal(t, []string{"old", "old", "old"}, net.tokens)
	require.NoError(t, later.Round(t.Context()))
	require.Len(t, net.discarded, 3)
}

// TestALeftoverIsGivenUp checks the end of trying, and a build whose connector deletes nothing.
func TestALeftoverIsGivenUp(t *testing.T) {
	t.Parallel()
	b, net := setupLeaving(t, fails(platform.ClassRejected, "REFUSED"))
	net.err = errors.New("down")
	b.publish(t, b.due(t, time.Second))
	b.passes(t, 8*24*time.Hour)
	require.NoError(t, b.leftovers(t, net).Round(t.Context()))
	require.Len(t, net.discarded, 1)
	require.Zero(t, b.left(t))

	b.publish(t, b.due(t, time.Second))
	require.Equal(t, 1, b.left(t))
	b.passes(t, time.Hour)
	require.NoError(t, b.leftovers(t, net.network).Round(t.Context()))
	require.Len(t, net.discarded, 2)
	require.Zero(t, b.left(t))
}

func TestLeftoversNeedTheirDependencies(t *testing.T) {
	t.Parallel()
	_, err := publishing.NewLeftovers(publishing.LeftoversConfig{})
	require.ErrorContains(t, err, "dependency")
}
