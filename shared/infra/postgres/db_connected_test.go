package postgres_test

import (
	"database/sql"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// program connects to the bundle's database as a program of the service does.
func (b *bundle) program(t *testing.T, address, name string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(postgres.Config{
		URL: address, Name: name, MaxConnections: 1, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Ping(t.Context()))
	return db
}

// older connects as a program of another version, or as one outside the service.
func (b *bundle) older(t *testing.T, name string) {
	t.Helper()
	db, err := sql.Open("pgx", b.address+"&application_name="+name)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.PingContext(t.Context()))
}

func lines(connected []postgres.Connected) (out []string) {
	for _, c := range connected {
		before, _, _ := strings.Cut(c.String(), ", from ")
		out = append(out, before)
	}
	return out
}

func TestConnectedPrograms(t *testing.T) {
	t.Parallel()
	b := setup(t)
	migrate := b.program(t, b.address, "migrate")
	m, err := postgres.NewMigrator(migrate)
	require.NoError(t, err)
	current, newest, err := m.Status(t.Context())
	require.NoError(t, err)
	require.Equal(t, newest, current)
	b.program(t, b.address, "worker")
	b.program(t, b.address+"&application_name="+strings.Repeat("x", 70), "api")
	b.older(t, "api%20schema%3D5")
	b.older(t, "psql")
	knows := ", built for schema " + strconv.FormatInt(newest, 10)
	long := strings.Repeat("x", 63-len(" schema=")-len(strconv.FormatInt(newest, 10)))
	found, err := migrate.Connected(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"a program without a name", "api, built for schema 5", "worker" + knows, long + knows},
		lines(found),
		"the connections of the test itself have no name; what is none of the service has another one")
	require.NotEmpty(t, found[1].Address)
	require.Equal(t, 1, found[1].Count)

	none, err := m.BeforeUp(t.Context())
	require.NoError(t, err)
	require.Empty(t, none, "no migration is missing")
	hinder, err := m.BeforeDown(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"worker" + knows, long + knows}, lines(hinder), "they count on it")
	for undone := []string{}; !slices.Contains(undone, "00010_insights.sql"); {
		undone, err = m.Down(t.Context())
		require.NoError(t, err)
	}
	hinder, err = m.BeforeUp(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"a program without a name", "api, built for schema 5"}, lines(hinder),
		"this version bears its own schema")
	_, err = m.Up(t.Context())
	require.NoError(t, err)
}

func TestBeforeUpOnEmptyDatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	migrate := b.program(t, b.address, "migrate")
	m, err := postgres.NewMigrator(migrate)
	require.NoError(t, err)
	for undone := []string{"first"}; len(undone) > 0; {
		undone, err = m.Down(t.Context())
		require.NoError(t, err)
	}
	none, err := m.BeforeUp(t.Context())
	require.NoError(t, err)
	require.Empty(t, none)
	found, err := migrate.Connected(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, found)
}

// TestMessagesOfNewerVersionsAreLeft checks that relays of two versions can run side by side, each taking the kinds it
// knows.
func TestMessagesOfNewerVersionsAreLeft(t *testing.T) {
	t.Parallel()
	b := setup(t)
	outbox := postgres.NewOutbox(b.db)
	kinds := postgrestest.Column(t, b.address,
		`SELECT k[1] FROM pg_constraint, regexp_matches(pg_get_constraintdef(oid), '''([a-z]+)''::text', 'g') AS k
		WHERE conname = 'outbox_kind_check'`)
	require.Contains(t, kinds, "post")
	for _, kind := range kinds {
		postgrestest.Exec(t, b.address, `INSERT INTO outbox (kind, subject, payload) VALUES ($1, gen_random_uuid(), '{}')`,
			kind)
	}
	all := 0
	for _, lane := range lanes() {
		taken, err := outbox.Batch(t.Context(), lane, 100,
			func(messages []postgres.Message) ([]int64, map[int64]postgres.Retry) {
				var done []int64
				for _, m := range messages {
					done = append(done, m.ID)
				}
				return done, nil
			})
		require.NoError(t, err)
		all += taken
	}
	require.Equal(t, len(kinds), all, "every kind that the schema admits is known")
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT kind FROM outbox`))

	postgrestest.Exec(t, b.address, `ALTER TABLE outbox DROP CONSTRAINT outbox_kind_check`)
	postgrestest.Exec(t, b.address, `INSERT INTO outbox (kind, subject, payload, not_before)
		SELECT 'later', gen_random_uuid(), '{}', at FROM unnest(ARRAY['-infinity'::timestamptz, now() - interval '1 hour']) AS at`)
	taken, err := outbox.Batch(t.Context(), postgres.LaneUrgent, 100,
		func([]postgres.Message) ([]int64, map[int64]postgres.Retry) { return nil, nil })
	require.NoError(t, err)
	require.Zero(t, taken)
	require.Equal(t, []string{"later", "later"}, postgrestest.Column(t, b.address, `SELECT kind FROM outbox`))
}
