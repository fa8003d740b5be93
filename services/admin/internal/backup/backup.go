// Package backup copies the database and the bucket of an installation to a folder, checks the copy, and restores it into
// an empty installation (docs/reference/backup.md).
//
// A folder holds any number of backups. Objects never change, so backups share them:
//
//	objects/<key>            the objects of all backups
//	<time>/database.dump     a dump of pg_dump, in its own format
//	<time>/manifest.json     written last: a backup without it is not complete
package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
)

const (
	fileDump     = "database.dump"
	fileManifest = "manifest.json"
	folderObject = "objects"
	private      = 0o700 // the dump contains personal data and hashes of credentials
	stampFormat  = "20060102T150405Z"
)

// Manifest describes a backup.
type Manifest struct {
	At      time.Time `json:"at"` // state of the database, by its clock
	Schema  int64     `json:"schema"`
	Server  string    `json:"server"` // version of PostgreSQL
	Keys    []string  `json:"keys"`   // ids of the keys in ENCRYPTION_KEYS that the secrets need
	Dump    File      `json:"dump"`
	Objects []File    `json:"objects"`
	// Missing are keys of objects that a record references and the bucket does not have.
	Missing []string `json:"missing"`
}

// File is a file of a backup.
type File struct {
	Name   string `json:"name"` // of the dump, or the key of an object
	Type   string `json:"type,omitempty"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Installation is the database and the bucket.
type Installation struct {
	DB      *postgres.DB
	URL     string // of the database
	Objects *objectstore.Store
}

// Take writes a backup into the folder and returns its path.
//
// The state of the database is fixed first, and the objects are copied after that: every object of that state exists
// then, because no object is deleted during a backup. The other way round, files uploaded during the copy would be
// missing.
func Take(ctx context.Context, from Installation, folder string, progress func(text string)) (string, Manifest, error) {
	var m Manifest
	var path string
	err := from.DB.WithSnapshot(ctx, func(ctx context.Context, s postgres.Snapshot) error {
		m = Manifest{At: s.Server.Now.UTC(), Schema: s.Schema, Server: s.Server.Version, Missing: []string{}, Objects: []File{}}
		path = filepath.Join(folder, m.At.Format(stampFormat))
		if err := os.MkdirAll(path, private); err != nil {
			return err
		}
		var err error
		if m.Keys, err = keysOf(ctx, from.DB); err != nil {
			return err
		}
		if err := dump(ctx, from.URL, s, filepath.Join(path, fileDump)); err != nil {
			return err
		}
		if m.Dump, err = describe(filepath.Join(path, fileDump), fileDump); err != nil {
			return err
		}
		progress(fmt.Sprintf("database: %d bytes", m.Dump.Size))
		return m.copyObjects(ctx, from.Objects, s.Objects, folder, progress)
	})
	if err != nil {
		return path, m, err
	}
	raw, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return path, m, err
	}
	return path, m, replace(filepath.Join(path, fileManifest), raw)
}

// keysOf returns the ids of the keys that the secrets of the database need.
func keysOf(ctx context.Context, db *postgres.DB) ([]string, error) {
	counts, err := postgres.NewSecrets(db, nil).Count(ctx)
	keys := []string{}
	for _, c := range counts {
		if !slices.Contains(keys, c.Key) {
			keys = append(keys, c.Key)
		}
	}
	return keys, err
}

// progressEvery is the number of objects after which the progress is reported.
const progressEvery = 1000

func (m *Manifest) copyObjects(
	ctx context.Context, store *objectstore.Store, keys []string, folder string, progress func(string),
) error {
	for i, key := range keys {
		copied, err := fetch(ctx, store, key, filepath.Join(folder, folderObject, filepath.FromSlash(key)))
		switch {
		case errors.Is(err, objectstore.ErrNotFound):
			m.Missing = append(m.Missing, key)
		case err != nil:
			return fmt.Errorf("object %s: %w", key, err)
		default:
			m.Objects = append(m.Objects, copied)
		}
		if (i+1)%progressEvery == 0 {
			progress(fmt.Sprintf("objects: %d of %d", i+1, len(keys)))
		}
	}
	progress(fmt.Sprintf("objects: %d, missing: %d", len(m.Objects), len(m.Missing)))
	return nil
}

// fetch copies an object to a file, unless an earlier backup did.
func fetch(ctx context.Context, store *objectstore.Store, key, path string) (File, error) {
	info, err := store.Stat(ctx, key)
	if err != nil {
		return File{}, err
	}
	if have, err := os.Stat(path); err == nil && have.Size() == info.Size {
		kept, err := describe(path, key)
		kept.Type = info.ContentType
		return kept, err
	}
	reader, err := store.Open(ctx, key, objectstore.Range{})
	if err != nil {
		return File{}, err
	}
	defer func() { _ = reader.Close() }()
	if err := os.MkdirAll(filepath.Dir(path), private); err != nil {
		return File{}, err
	}
	hash := sha256.New()
	size, err := write(path, io.TeeReader(reader, hash))
	return File{Name: key, Type: info.ContentType, Size: size, SHA256: hex.EncodeToString(hash.Sum(nil))}, err
}

// write writes a file under a temporary name, so that no partial file has the final one.
func write(path string, from io.Reader) (int64, error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".partial-")
	if err != nil {
		return 0, err
	}
	size, err := io.Copy(file, from)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return 0, errors.Join(err, os.Remove(file.Name()))
	}
	return size, os.Rename(file.Name(), path)
}

func replace(path string, content []byte) error {
	partial := path + ".partial"
	if err := os.WriteFile(partial, content, 0o600); err != nil {
		return err
	}
	return os.Rename(partial, path)
}

// describe returns size and hash of a file.
func describe(path, name string) (File, error) {
	file, err := os.Open(path) //nolint:gosec // G304: a file of the backup
	if err != nil {
		return File{}, err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	return File{Name: name, Size: size, SHA256: hex.EncodeToString(hash.Sum(nil))}, err
}
