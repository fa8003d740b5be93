package infra

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

func (s *Postgres) timeFile() string { return filepath.Join(s.folder, "time") }

// timeEnv runs the server under libfaketime, which reads the current offset from a file whenever the server reads the
// clock. Monotonic clocks are not changed.
func (s *Postgres) timeEnv() []string {
	if !s.o.OwnTime {
		return nil
	}
	found, _ := filepath.Glob("/usr/lib/*/faketime/libfaketime.so.1")
	require.NotEmpty(s.t, found, "libfaketime is not installed: run tools/install.sh clock")
	if _, err := os.Stat(s.timeFile()); err != nil {
		s.offset(0)
	}
	return []string{
		"LD_PRELOAD=" + found[0], "FAKETIME_TIMESTAMP_FILE=" + s.timeFile(), "FAKETIME_NO_CACHE=1",
		"FAKETIME_DONT_FAKE_MONOTONIC=1",
		"FAKETIME_DISABLE_SHM=1",
	}
}

func (s *Postgres) offset(by time.Duration) {
	s.t.Helper()
	next := s.timeFile() + ".next"
	require.NoError(s.t, os.WriteFile(next, fmt.Appendf(nil, "%+d\n", int(by.Seconds())), 0o644)) //nolint:gosec // the server's user reads it
	require.NoError(s.t, os.Rename(next, s.timeFile()))
}

// Jump sets the offset of the server's clock from the test's clock, and waits until it takes effect.
func (s *Postgres) Jump(by time.Duration) {
	s.t.Helper()
	require.True(s.t, s.o.OwnTime, "the server's clock is not changed")
	s.offset(by)
	require.EventuallyWithT(s.t, func(c *assert.CollectT) {
		require.InDelta(c, by.Seconds(), time.Until(s.Now(c)).Seconds(), 2)
	}, 10*time.Second, 100*time.Millisecond)
}

// Now returns the server's time.
func (s *Postgres) Now(t require.TestingT) time.Time {
	s.t.Helper()
	found := postgrestest.Column(s.t, s.URL(), "SELECT clock_timestamp()")
	now, err := time.Parse(time.RFC3339Nano, found[0])
	require.NoError(t, err)
	return now
}
