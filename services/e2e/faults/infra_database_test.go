package faults_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/infra"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// backWithin is the limit for the API's recovery after PostgreSQL accepts connections again.
const backWithin = 10 * time.Second

// TestF18PostgreSQLRestartsUnderLoad stops the database three times, each time less gracefully, while posts are created
// and published.
func TestF18PostgreSQLRestartsUnderLoad(t *testing.T) {
	server := infra.StartPostgres(t, infra.PostgresOptions{})
	l := lab.Alone(t, lab.Fault{
		ID: "F18", Title: "PostgreSQL restarts under load: fast, immediate, kill -9",
		Expect: "I1-I5: 503 with Retry-After in the meantime, pools recover within 10 s, every creation with response " +
			"201 exists",
	})
	l.Run(2)
	stop := load(l, 30*time.Millisecond, three()...)
	t.Cleanup(stop)
	reads := probing(t, l, 20*time.Millisecond)
	for _, outage := range []struct {
		name string
		mode infra.Mode
	}{{"fast", infra.Fast}, {"immediate", infra.Immediate}, {"kill -9", infra.Kill}} {
		<-time.After(1500 * time.Millisecond) // some requests succeed
		server.Down(outage.mode)
		l.Injected("PostgreSQL down: %s", outage.name)
		<-time.After(time.Second) // duration of the outage
		server.Resume()
		back := time.Now()
		require.Eventually(t, func() bool { return time.Since(reads.bad()) > time.Second }, 2*backWithin, 50*time.Millisecond)
		require.Less(t, reads.bad().Sub(back), backWithin, "the pool recovers")
		t.Logf("%s: the last error response came %s after PostgreSQL was back", outage.name,
			reads.bad().Sub(back).Round(time.Millisecond))
	}
	l.Healed()
	stop()
	l.Settle(90 * time.Second)
	reads.requireHonest(t, 10*time.Second)
	requireAlive(t, l)
	l.Check()
}

// TestF19ResponseToCommitIsLost drops the response to the statement that creates a post and commits it, so that the post
// exists but the API does not know.
func TestF19ResponseToCommitIsLost(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F19", Title: "the response to the statement that creates a post is lost on its way to the API",
		Expect: "I7: a retry creates each post once; no response claims that nothing was changed",
	})
	behavior := infra.NewProxy(t, "")
	runWith(l, 1, "DATABASE_URL="+through(t, behavior, l.Database()))
	lost := 0
	for i := range 12 {
		typ := three()[i%3]
		p := lab.Accepted{
			Text: l.Text(), Type: typ, Key: ident.New[ident.Event]().String(), At: time.Now().Add(3 * time.Second),
		}
		behavior.Break(infra.Fault{LoseReplyTo: p.Text, Times: 1}) // a parameter of that statement alone
		_, first := l.Try(&p)
		befallen := behavior.Befallen()
		behavior.Heal()
		if first != nil {
			lost += befallen
			failed := requireUnavailable(t, first)
			require.NotContains(t, failed.Detail, "Nothing was changed")
		}
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			replayed, err := l.Try(&p)
			require.NoError(c, err)
			if first != nil {
				require.True(c, replayed, "the first request took effect, the retry does not")
			}
		}, 20*time.Second, 50*time.Millisecond)
		l.Remember(p)
	}
	l.Injected("%d responses lost at the API", lost)
	require.Greater(t, lost, 3, "too few requests met the fault")
	l.Settle(30 * time.Second)
	requireAlive(t, l)
	l.Check()
}

// TestF20TheDatabaseHasNoRoomForUs takes every connection, and then a lock that every operation needs.
func TestF20TheDatabaseHasNoRoomForUs(t *testing.T) { squeezed(t, 12*time.Second) }

// TestNightF20TheDatabaseHasNoRoomForUs holds the lock longer.
func TestNightF20TheDatabaseHasNoRoomForUs(t *testing.T) { squeezed(t, time.Minute) }

func squeezed(t *testing.T, locked time.Duration) {
	t.Helper()
	const connections = 40
	server := infra.StartPostgres(t, infra.PostgresOptions{Settings: []string{
		fmt.Sprintf("max_connections = %d", connections), "superuser_reserved_connections = 0",
	}})
	l := lab.Alone(t, lab.Fault{
		ID: "F20", Title: fmt.Sprintf("every connection to PostgreSQL is taken; LOCK TABLE post for %s", locked),
		Expect: "I2 I12: 503 within bounds, the number of goroutines stays bounded, publishing continues afterwards",
	}, "DB_MAX_CONNS=8")
	l.Run(1)
	l.Accept(6, time.Now().Add(2*time.Second), 10*time.Millisecond)

	reads := probing(t, l, 20*time.Millisecond)
	exhaust(t, l, server, connections)
	<-time.After(time.Second)

	release := postgrestest.Hold(t, l.Database(), `LOCK TABLE post IN ACCESS EXCLUSIVE MODE`)
	l.Injected("LOCK TABLE post for %s, with 40 clients", locked)
	statuses := crowd(t, l, 40, locked)
	release()
	l.Healed()
	t.Logf("while the table was locked, the responses to create requests were %v", statuses)
	require.Zero(t, statuses[0], "every request gets a response")
	require.Positive(t, statuses[http.StatusServiceUnavailable])
	require.Len(t, statuses, 1, "%v", statuses)
	l.Accept(6, time.Now().Add(time.Second), 10*time.Millisecond)
	l.Settle(60 * time.Second)
	reads.requireHonest(t, 12*time.Second)
	requireAlive(t, l)
	l.Check(lab.Bounded(lab.Ceiling{Memory: 400 << 20, Goroutines: 800, Files: 400}))
}

// exhaust takes all remaining connections and terminates the service's, so that the service cannot reconnect.
func exhaust(t *testing.T, l *lab.Lab, server *infra.Postgres, connections int) {
	t.Helper()
	hog := server.URL() + "&application_name=hog"
	killer, taken := postgrestest.NewReader(t, hog), 1 // its own
	var release []func()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		killer.Column(t.Context(), c,
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name <> 'hog' AND backend_type = 'client backend'`)
		got, free := postgrestest.Exhaust(t, hog, connections-taken)
		taken, release = taken+got, append(release, free)
		require.Equal(c, connections, taken)
	}, 30*time.Second, 20*time.Millisecond)
	l.Injected("%d of %d connections taken", taken, connections)
	<-time.After(3 * time.Second) // duration of the shortage
	for _, free := range release {
		free()
	}
}

// crowd lets many clients create drafts repeatedly for the duration, and counts the responses by status.
func crowd(t *testing.T, l *lab.Lab, clients int, during time.Duration) map[int]int {
	t.Helper()
	var mu sync.Mutex
	statuses := make(map[int]int)
	until := time.Now().Add(during)
	var group sync.WaitGroup
	text := l.Text() + " of the crowd, which is not made"
	for range clients {
		group.Go(func() {
			for time.Until(until) > 3*time.Second {
				_, err := l.API.Posts.Create(t.Context(), fencepost.CreatePostsRequest{
					ChannelIDs: []string{l.Channels[channel.Twitter].ID.String()}, Content: text, Schedule: "draft",
				})
				mu.Lock()
				statuses[harness.Status(err, http.StatusCreated)]++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	<-time.After(time.Until(until))
	return statuses
}

// TestF21TheDatabasesDiskIsFull fills the disk of the database completely.
func TestF21TheDatabasesDiskIsFull(t *testing.T) {
	server := infra.StartPostgres(t, infra.PostgresOptions{DiskMB: 200})
	l := lab.Alone(t, lab.Fault{
		ID: "F21", Title: "the disk of PostgreSQL's data is full",
		Expect: "I2 I4 I7: writes return 503 without effect, reads work, work continues when space is available; no " +
			"partial change",
	})
	l.Run(1)
	l.Accept(12, time.Now().Add(3*time.Second), 100*time.Millisecond)
	server.Fill()
	l.Injected("no space left on the disk of PostgreSQL's data")
	statuses := make(map[int]int)
	for begin := time.Now(); time.Since(begin) < 8*time.Second; {
		statuses[draft(t, l)]++
		require.NoError(t, l.API.Request(t.Context(), http.MethodGet, "/v1/posts", nil, nil, nil), "reads work")
	}
	t.Logf("while the disk was full, the responses to drafts were %v", statuses)
	require.Positive(t, statuses[http.StatusServiceUnavailable], "%v", statuses)
	delete(statuses, http.StatusCreated) // a page may have had free space
	require.Len(t, statuses, 1, "%v", statuses)
	server.Free()
	l.Healed()
	l.Accept(6, time.Now().Add(time.Second), 10*time.Millisecond)
	l.Settle(60 * time.Second)
	requireAlive(t, l)
	l.Check()
}

// draft creates a long draft and registers it if the request succeeds.
func draft(t *testing.T, l *lab.Lab) int {
	t.Helper()
	text := l.Text() + strings.Repeat(" and so on", 300)
	created, err := l.API.Posts.Create(t.Context(), fencepost.CreatePostsRequest{
		ChannelIDs: []string{l.Channels[channel.TelegramChannel].ID.String()}, Content: text, Schedule: "draft",
	})
	if err == nil {
		l.Remember(lab.Accepted{ID: created[0].ID, Text: text, Type: channel.TelegramChannel})
	}
	status := harness.Status(err, http.StatusCreated)
	require.NotZero(t, status, "%v", err)
	return status
}
