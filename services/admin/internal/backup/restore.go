package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fencepost.internal/shared/infra/objectstore"
)

// mostFaults bounds the faults that an error lists.
const mostFaults = 20

// Open reads the manifest of a backup.
func Open(path string) (Manifest, error) {
	raw, err := os.ReadFile(filepath.Join(path, fileManifest)) //nolint:gosec // G304: the operator names it
	if errors.Is(err, os.ErrNotExist) {
		return Manifest{}, fmt.Errorf("%s is not a complete backup: it has no %s", path, fileManifest)
	}
	if err != nil {
		return Manifest{}, err
	}
	var m Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", fileManifest, err)
	}
	return m, nil
}

// Verify checks that a backup is complete and unchanged, and that the keys open its secrets. It reads every file.
func Verify(ctx context.Context, path string, keys []string) (Manifest, error) {
	m, err := Open(path)
	if err != nil {
		return m, err
	}
	var faults []string
	check := func(file string, want File) {
		got, err := describe(file, want.Name)
		switch {
		case errors.Is(err, os.ErrNotExist):
			faults = append(faults, want.Name+" is missing")
		case err != nil:
			faults = append(faults, want.Name+": "+err.Error())
		case got.Size != want.Size || got.SHA256 != want.SHA256:
			faults = append(faults, want.Name+" was changed")
		}
	}
	check(filepath.Join(path, fileDump), m.Dump)
	for _, object := range m.Objects {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		if !objectstore.ValidKey(object.Name) {
			faults = append(faults, fmt.Sprintf("%q is not a key", object.Name))
			continue
		}
		check(objectFile(path, object.Name), object)
	}
	for _, key := range m.Keys {
		if !slices.Contains(keys, key) {
			faults = append(faults, fmt.Sprintf("ENCRYPTION_KEYS lacks the key %q, which its secrets need", key))
		}
	}
	if len(faults) == 0 {
		if err := listed(ctx, filepath.Join(path, fileDump)); err != nil {
			faults = append(faults, err.Error())
		}
	}
	if len(faults) > 0 {
		return m, fmt.Errorf("the backup %s has %d faults:\n  %s", path, len(faults),
			strings.Join(faults[:min(len(faults), mostFaults)], "\n  "))
	}
	return m, nil
}

func objectFile(path, key string) string {
	return filepath.Join(filepath.Dir(path), folderObject, filepath.FromSlash(key))
}

// Restore verifies a backup and writes it into an empty installation. The database is written last and at once: until
// then, an interrupted restore can be repeated.
func Restore(ctx context.Context, path string, keys []string, to Installation, progress func(string)) (Manifest, error) {
	m, err := Verify(ctx, path, keys)
	if err != nil {
		return m, err
	}
	progress(fmt.Sprintf("the backup is complete: %d objects", len(m.Objects)))
	empty, err := to.DB.IsEmpty(ctx)
	if err != nil {
		return m, err
	}
	if !empty {
		return m, errors.New("the database is not empty; restore into a new one, and give its address in DATABASE_URL")
	}
	if err := to.Objects.EnsureBucket(ctx); err != nil {
		return m, err
	}
	for i, object := range m.Objects {
		if err := put(ctx, to.Objects, object, objectFile(path, object.Name)); err != nil {
			return m, fmt.Errorf("object %s: %w", object.Name, err)
		}
		if (i+1)%progressEvery == 0 {
			progress(fmt.Sprintf("objects: %d of %d", i+1, len(m.Objects)))
		}
	}
	progress(fmt.Sprintf("objects: %d", len(m.Objects)))
	return m, restore(ctx, to.URL, filepath.Join(path, fileDump))
}

// put writes an object, unless it exists.
func put(ctx context.Context, store *objectstore.Store, object File, path string) error {
	info, err := store.Stat(ctx, object.Name)
	if err == nil && info.Size == object.Size {
		return nil
	}
	if err != nil && !errors.Is(err, objectstore.ErrNotFound) {
		return err
	}
	file, err := os.Open(path) //nolint:gosec // G304: a file of the backup
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	_, err = store.Put(ctx, objectstore.PutRequest{
		Key: object.Name, Body: file, Size: object.Size, ContentType: object.Type,
	})
	return err
}
