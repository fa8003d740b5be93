//go:build upgrade

// Package upgrade replaces the programs of the previous commit by those of this one, with posts waiting. tools/upgrade.sh
// builds both and runs it.
package upgrade_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

const (
	duringUpgrade = 600 // due while programs are replaced
	begun         = 300 // a workflow waits, due within the hour
	sleeping      = 100 // due later
	clients       = 8
)

// planned is a post to publish.
type planned struct {
	id, text string
	typ      channel.Type
}

// TestUpgrade schedules posts on the old version, replaces every program as docs/operations.md describes, and requires
// that each post is published once.
func TestUpgrade(t *testing.T) {
	old := os.Getenv("UPGRADE_FROM")
	require.NotEmpty(t, old, "UPGRADE_FROM is not set: run tools/upgrade.sh")
	s := harness.New(t, harness.Options{Env: []string{"INSIGHTS_SCHEDULES=false", "SWEEP_INTERVAL=3s"}})
	var err error
	// The present document does not describe the responses of the old version.
	s.API, err = fencepost.New(fencepost.Options{URL: s.APIURL, APIKey: s.Key, MaxAttempts: 1})
	require.NoError(t, err)
	reverted(t, s, filepath.Join(old, "migrate"))
	started := func(folder, name string) *harness.Process { return s.StartProgram(filepath.Join(folder, name)) }
	api := started(old, "api").Ready()
	workers := []*harness.Process{started(old, "worker").Ready(), started(old, "worker").Ready()}

	first := time.Now().Add(90 * time.Second)
	due := schedule(t, s, "during", duringUpgrade, func(i int) time.Time { return first.Add(time.Duration(i) * 400 * time.Millisecond) })
	waiting := schedule(t, s, "begun", begun, func(int) time.Time { return time.Now().Add(50 * time.Minute) })
	slept := schedule(t, s, "sleeping", sleeping, func(int) time.Time { return time.Now().Add(5 * time.Hour) })
	require.Less(t, time.Now(), first, "the machine is too slow: posts are due before the upgrade begins")
	t.Logf("%d posts wait on the old version", len(due)+len(waiting)+len(slept))

	<-time.After(time.Until(first.Add(10 * time.Second)))
	_, errs, code := s.Outcome(nil, "migrate", "up")
	if code != 0 { // a migration that needs a stop
		require.Contains(t, string(errs), "Stop them (SIGTERM)")
		for _, p := range append(workers, api) {
			p.Stop()
		}
		s.Run("migrate", "up")
	}
	for _, w := range workers {
		s.Start("worker", "").Ready()
		w.Stop()
	}
	api.Stop()
	s.Start("api", "").Ready()
	t.Logf("replaced %s after the first post was due", time.Since(first).Round(time.Second))

	each(t, append(waiting, slept...), func(p planned) error {
		if _, err := s.API.Posts.Publish(t.Context(), p.id); err != nil {
			return fmt.Errorf("%s: %w", p.text, err)
		}
		return nil
	})
	all := append(append(due, waiting...), slept...)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, []string{"PUBLISHED " + strconv.Itoa(len(all))}, postgrestest.Column(t, s.Database(),
			`SELECT status || ' ' || count(*) FROM post GROUP BY status ORDER BY 1`))
	}, 8*time.Minute, time.Second)
	onNetworks := make(map[string]int)
	for _, entry := range s.Sandbox.Ledger() {
		onNetworks[entry.Text]++
	}
	for _, p := range all {
		require.Equal(t, 1, onNetworks[p.text], p.text)
	}
	require.Len(t, onNetworks, len(all))
	t.Logf("%d posts are published, each once", len(all))
}

// reverted brings the database to the schema of the old version.
func reverted(t *testing.T, s *harness.System, migrate string) {
	t.Helper()
	path, err := filepath.Rel(filepath.Dir(s.Built("migrate")), migrate)
	require.NoError(t, err)
	out, errs, code := s.Outcome(nil, path, "status")
	require.Zero(t, code, "%s", errs)
	var current, newest int
	_, err = fmt.Sscanf(string(out), "schema version %d, newest %d", &current, &newest)
	require.NoError(t, err, "%s", out)
	for range current - newest {
		s.Run("migrate", "down")
	}
	t.Logf("the old version has schema %d, the new one %d", newest, current)
}

// schedule creates posts on three networks.
func schedule(t *testing.T, s *harness.System, kind string, n int, at func(i int) time.Time) []planned {
	t.Helper()
	types := []channel.Type{channel.Twitter, channel.Threads, channel.TelegramChannel}
	posts := make([]planned, n)
	indexes := make([]int, n)
	for i := range n {
		indexes[i] = i
	}
	each(t, indexes, func(i int) error {
		p := planned{text: kind + " " + strconv.Itoa(i), typ: types[i%len(types)]}
		when := at(i).UTC().Format(time.RFC3339Nano)
		created, err := s.API.Posts.Create(t.Context(), fencepost.CreatePostsRequest{
			ChannelIDs: []string{s.Channels[p.typ].ID.String()}, Content: p.text, Schedule: when,
		})
		if err != nil {
			return fmt.Errorf("%s: %w", p.text, err)
		}
		p.id = created[0].ID
		posts[i] = p
		return nil
	})
	return posts
}

// each calls fn for every value, several at a time.
func each[T any](t *testing.T, values []T, fn func(T) error) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(clients)
	for _, v := range values {
		group.Go(func() error { return fn(v) })
	}
	require.NoError(t, group.Wait())
}
