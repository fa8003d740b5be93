package ownpg_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/faults/ownpg"
)

func count(t *testing.T, s *ownpg.Server) int {
	t.Helper()
	var n int
	require.NoError(t, s.Ask(t, `SELECT count(*) FROM kept`, &n))
	return n
}

func exec(t *testing.T, s *ownpg.Server, statement string) {
	t.Helper()
	require.NoError(t, s.Ask(t, statement, nil))
}

func TestItKeepsWhatWasCommitted(t *testing.T) { //nolint:paralleltest // it sets the environment
	s := ownpg.Start(t, ownpg.Options{})
	exec(t, s, `CREATE TABLE kept (n int)`)
	for i, mode := range []ownpg.Mode{ownpg.Fast, ownpg.Immediate, ownpg.Kill} {
		exec(t, s, fmt.Sprintf(`INSERT INTO kept VALUES (%d)`, i))
		s.Down(mode)
		require.ErrorIs(t, s.Ask(t, `SELECT 1`, nil), syscall.ECONNREFUSED)
		s.Resume()
		require.Equal(t, i+1, count(t, s))
	}
}

func TestARestoreForgets(t *testing.T) { //nolint:paralleltest // it sets the environment
	s := ownpg.Start(t, ownpg.Options{})
	exec(t, s, `CREATE TABLE kept (n int)`)
	exec(t, s, `INSERT INTO kept VALUES (1)`)
	b := s.Backup()
	exec(t, s, `INSERT INTO kept VALUES (2)`)
	require.Equal(t, 2, count(t, s))
	s.Restore(b)
	require.Equal(t, 1, count(t, s))
}

func TestAFullDiskRefusesWritesAndServesReads(t *testing.T) { //nolint:paralleltest // it sets the environment
	s := ownpg.Start(t, ownpg.Options{DiskMB: 128})
	exec(t, s, `CREATE TABLE kept (n int, ballast text)`)
	s.Fill()
	var full *pgconn.PgError
	require.ErrorAs(t, s.Ask(t, `INSERT INTO kept SELECT n, repeat('x', 1000) FROM generate_series(1, 1000) AS n`, nil), &full)
	require.Equal(t, "53100", full.Code)
	require.Zero(t, count(t, s))
	s.Free()
	exec(t, s, `INSERT INTO kept VALUES (1)`)
	require.Equal(t, 1, count(t, s))
}

func TestItsClockJumps(t *testing.T) { //nolint:paralleltest // it sets the environment
	s := ownpg.Start(t, ownpg.Options{OwnTime: true})
	for _, by := range []time.Duration{time.Hour, -time.Hour, 365 * 24 * time.Hour, 0} {
		s.Jump(by)
		require.WithinDuration(t, time.Now().Add(by), s.Now(t), 2*time.Second)
	}
}
