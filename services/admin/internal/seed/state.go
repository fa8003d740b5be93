package seed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// load reads the state. It returns an empty state if the file does not exist.
func load(path string) (Seed, error) {
	raw, err := os.ReadFile(path) //nolint:gosec // G304: the operator's own file
	if errors.Is(err, fs.ErrNotExist) {
		return Seed{}, nil
	}
	if err != nil {
		return Seed{}, fmt.Errorf("%w cannot be read: %w", errState, err)
	}
	var state Seed
	if err := json.Unmarshal(raw, &state); err != nil {
		return Seed{}, fmt.Errorf("%w %s is damaged (%w); delete it to run the seed again", errState, path, err)
	}
	return state, nil
}

// save replaces the state file atomically. Only its owner may read it, because it contains the texts of keys.
func save(path string, state Seed) error {
	raw, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return fmt.Errorf("%w: %w", errState, err)
	}
	if err := replace(path, append(raw, '\n')); err != nil {
		return fmt.Errorf("%w cannot be written; nothing was created: %w", errState, err)
	}
	return nil
}

func replace(path string, content []byte) (err error) {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	draft, err := os.CreateTemp(folder, filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(draft.Name())
		}
	}()
	_, err = draft.Write(content)
	err = errors.Join(err, draft.Sync(), draft.Close())
	if err != nil {
		return err
	}
	return os.Rename(draft.Name(), path)
}
