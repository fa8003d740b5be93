package infra_test

import (
	"fmt"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/infra"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

func count(t *testing.T, s *infra.Postgres) int {
	t.Helper()
	n, err := strconv.Atoi(postgrestest.Column(t, s.URL(), `SELECT count(*) FROM kept`)[0])
	require.NoError(t, err)
	return n
}

func exec(t *testing.T, s *infra.Postgres, statement string) {
	t.Helper()
	require.NoError(t, s.Try(statement))
}

func TestRestartKeepsCommittedData(t *testing.T) {
	s := infra.StartPostgres(t, infra.PostgresOptions{})
	exec(t, s, `CREATE TABLE kept (n int)`)
	for i, mode := range []infra.Mode{infra.Fast, infra.Immediate, infra.Kill} {
		exec(t, s, fmt.Sprintf(`INSERT INTO kept VALUES (%d)`, i))
		s.Down(mode)
		require.ErrorIs(t, s.Try(`SELECT 1`), syscall.ECONNREFUSED)
		s.Resume()
		require.Equal(t, i+1, count(t, s))
	}
}

// TestDatabaseIsOnServerOfTest opens databases as tests of one process do, on the shared server and on servers of
// their own.
func TestDatabaseIsOnServerOfTest(t *testing.T) {
	for _, own := range []bool{false, true, true} {
		if own {
			infra.StartPostgres(t, infra.PostgresOptions{})
		}
		_, address := postgrestest.OpenURL(t)
		require.Equal(t, []string{"0"}, postgrestest.Column(t, address, `SELECT count(*) FROM post`))
	}
}

func TestRestoreLosesLaterChanges(t *testing.T) {
	s := infra.StartPostgres(t, infra.PostgresOptions{})
	exec(t, s, `CREATE TABLE kept (n int)`)
	exec(t, s, `INSERT INTO kept VALUES (1)`)
	b := s.Backup()
	exec(t, s, `INSERT INTO kept VALUES (2)`)
	require.Equal(t, 2, count(t, s))
	s.Restore(b)
	require.Equal(t, 1, count(t, s))
}

func TestFullDiskRefusesWritesAndServesReads(t *testing.T) {
	s := infra.StartPostgres(t, infra.PostgresOptions{DiskMB: 128})
	exec(t, s, `CREATE TABLE kept (n int, ballast text)`)
	s.Fill()
	err := s.Try(`INSERT INTO kept SELECT n, repeat('x', 1000) FROM generate_series(1, 1000) AS n`)
	require.ErrorContains(t, err, "SQLSTATE 53100")
	require.Zero(t, count(t, s))
	s.Free()
	exec(t, s, `INSERT INTO kept VALUES (1)`)
	require.Equal(t, 1, count(t, s))
}

func TestClockJumps(t *testing.T) {
	s := infra.StartPostgres(t, infra.PostgresOptions{OwnTime: true})
	for _, by := range []time.Duration{time.Hour, -time.Hour, 365 * 24 * time.Hour, 0} {
		s.Jump(by)
		require.WithinDuration(t, time.Now().Add(by), s.Now(t), 2*time.Second)
	}
}
