package postgres_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres"
)

// slowly calls act while another session locks the workspace table, for longer than slowStatement.
func (b *bundle) slowly(t *testing.T, act func() error) {
	t.Helper()
	other, err := sql.Open("pgx", b.address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })
	lock, err := other.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = lock.ExecContext(t.Context(), `LOCK TABLE workspace`)
	require.NoError(t, err)
	acted := make(chan error, 1)
	go func() { acted <- act() }()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		var waiting bool
		require.NoError(c, other.QueryRowContext(t.Context(),
			`SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'workspace'::regclass)`).Scan(&waiting))
		require.True(c, waiting)
	}, 10*time.Second, 5*time.Millisecond)
	_, err = lock.ExecContext(t.Context(), `SELECT pg_sleep(0.6)`)
	require.NoError(t, err)
	require.NoError(t, lock.Commit())
	require.NoError(t, <-acted)
}

func TestSlowStatements(t *testing.T) {
	t.Parallel()
	for name, level := range map[string]slog.Level{"info": slog.LevelInfo, "debug": slog.LevelDebug} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			var log bytes.Buffer
			db, err := postgres.Open(postgres.Config{
				URL: b.address, Name: "slow", MaxConnections: 1,
				Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: level})),
			})
			require.NoError(t, err)
			defer func() { require.NoError(t, db.Close()) }()
			b.slowly(t, func() error {
				_, err := postgres.NewWorkspaces(db).Get(t.Context(), b.ws.ID)
				return err
			})
			if level > slog.LevelDebug {
				require.Empty(t, log.String())
				return
			}
			var line struct {
				Level, Msg, Statement string
				Took                  time.Duration
			}
			require.NoError(t, json.Unmarshal(log.Bytes(), &line), "one line: %s", log.String())
			require.Equal(t, "DEBUG slow statement", line.Level+" "+line.Msg)
			require.Contains(t, line.Statement, "SELECT")
			require.LessOrEqual(t, len([]rune(line.Statement)), 81)
			require.NotContains(t, line.Statement, b.ws.ID.String())
			require.Greater(t, line.Took, 500*time.Millisecond)
		})
	}
}
