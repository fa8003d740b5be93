package infra

import (
	"os"
	"path/filepath"
	"time"

	"github.com/stretchr/testify/require"
)

// Backup is a copy of the whole server at a point in time.
type Backup struct {
	At     time.Time
	folder string
}

// Backup takes a base backup, as an operator does.
func (s *Postgres) Backup() Backup {
	s.t.Helper()
	b := Backup{At: time.Now(), folder: filepath.Join(s.folder, "backup-"+time.Now().Format("150405.000"))}
	s.run("pg_basebackup", "-D", b.folder, "-X", "stream", "-c", "fast", "--no-sync", "-d", s.URL())
	return b
}

// Restore restores the server from the backup. All later changes are lost.
func (s *Postgres) Restore(b Backup) {
	s.t.Helper()
	s.Down(Fast)
	require.NoError(s.t, os.RemoveAll(s.Data()))
	require.NoError(s.t, os.Rename(b.folder, s.Data()))
	s.Resume()
}
