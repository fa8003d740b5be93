package cli

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/backup"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
)

const (
	argFolder = "FOLDER"
	argBackup = "BACKUP"
)

// backupConfig is the part of the configuration that the commands need.
type backupConfig struct {
	config.Logging
	config.ObjectStore

	Database   config.Database
	Encryption config.Encryption
}

// backupRecord is a backup in JSON.
type backupRecord struct {
	Path    string    `json:"path"`
	At      time.Time `json:"at"`
	Schema  int64     `json:"schema"`
	Bytes   int64     `json:"databaseBytes"`
	Objects int       `json:"objects"`
	Missing []string  `json:"missing"`
	Keys    []string  `json:"keys"`
}

func toBackupRecord(path string, m backup.Manifest) backupRecord {
	return backupRecord{path, m.At, m.Schema, m.Dump.Size, len(m.Objects), m.Missing, m.Keys}
}

func (a *app) backups() *cobra.Command {
	cmd := group("backup", "Back up database and files, check a backup, restore it",
		"These commands need DATABASE_URL, ENCRYPTION_KEYS and the S3 variables of a worker, and the programs pg_dump and "+
			"pg_restore.\nENCRYPTION_KEYS is not part of a backup: keep it elsewhere. See docs/reference/backup.md.",
		a.backupTake(), a.backupVerify(), a.backupRestore())
	cmd.GroupID = groupOther
	return cmd
}

func (a *app) backupTake() *cobra.Command {
	return &cobra.Command{
		Use: "take FOLDER", Short: "Back up the database and its files",
		Long: `take writes the database and every file that it references to a new backup in the folder. The programs may run meanwhile. Files
that an earlier backup in the folder has are not copied again.`,
		Example: "  admin backup take /var/backups/fencepost", Args: exactly(argFolder),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.withInstallation(cmd.Context(), func(ctx context.Context, of backup.Installation, _ []string) error {
				path, m, err := backup.Take(ctx, of, args[0], func(text string) { a.note("%s", text) })
				if err != nil {
					return err
				}
				return a.show(toBackupRecord(path, m), func() error {
					return a.print("Backup %s: state of %s, %d files, %d missing. It needs the keys %s.\n", path,
						at(m.At, ""), len(m.Objects), len(m.Missing), strings.Join(m.Keys, ", "))
				})
			})
		}),
	}
}

func (a *app) backupVerify() *cobra.Command {
	return &cobra.Command{
		Use: "verify BACKUP", Short: "Check that a backup can be restored",
		Long: `verify reads every file of the backup, compares it with the hash that was taken with the backup, and checks that
ENCRYPTION_KEYS has the keys of its secrets. It does not replace a restore on another installation, which you should practice.`,
		Example: "  admin backup verify /var/backups/fencepost/20261123T201500Z", Args: exactly(argBackup),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			keys, err := config.Load[config.Encryption](a.process.Environ)
			if err != nil {
				return err
			}
			m, err := backup.Verify(cmd.Context(), args[0], keyIDs(keys.Keys))
			if err != nil {
				return err
			}
			return a.show(toBackupRecord(args[0], m), func() error {
				return a.print("The backup is complete: state of %s, schema %d, %d files.\n", at(m.At, ""), m.Schema, len(m.Objects))
			})
		}),
	}
}

func (a *app) backupRestore() *cobra.Command {
	return &cobra.Command{
		Use: "restore BACKUP", Short: "Restore a backup into an empty database and bucket",
		Long: `restore verifies the backup, and writes it into the empty database and the bucket that the environment names. It can be repeated
after an interruption.

Afterwards run "migrate up" and "worker recover", and start the programs. They do not start before "worker recover", because posts
that were published after the backup are open in the restored database: it holds them until their network was checked.`,
		Example: "  admin backup restore /var/backups/fencepost/20261123T201500Z", Args: exactly(argBackup),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.withInstallation(cmd.Context(), func(ctx context.Context, to backup.Installation, keys []string) error {
				m, err := backup.Restore(ctx, args[0], keys, to, func(text string) { a.note("%s", text) })
				if err != nil {
					return err
				}
				return a.show(toBackupRecord(args[0], m), func() error {
					return a.print("Restored the state of %s (schema %s, %d files).\nNow run \"migrate up\" and \"worker recover\", then "+
						"start the programs.\n", at(m.At, ""), strconv.FormatInt(m.Schema, 10), len(m.Objects))
				})
			})
		}),
	}
}

func keyIDs(keys config.EncryptionKeys) []string {
	ids := make([]string, len(keys))
	for i, key := range keys {
		ids[i] = key.ID
	}
	return ids
}

// withInstallation runs fn with the database and the bucket of the environment, and the ids of its keys.
func (a *app) withInstallation(
	ctx context.Context, fn func(ctx context.Context, i backup.Installation, keys []string) error,
) error {
	cfg, err := config.Load[backupConfig](a.process.Environ)
	if err != nil {
		return err
	}
	objects, err := bootstrap.Files(cfg.ObjectStore)
	if err != nil {
		return err
	}
	db, _, err := a.database(cfg.Logging, cfg.Database, "admin backup")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return fn(ctx, backup.Installation{DB: db, URL: cfg.Database.URL.Reveal(), Objects: objects}, keyIDs(cfg.Encryption.Keys))
}
