package failpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// file is the list of entries that a test may change while the process runs.
type file struct {
	path string

	mu      sync.Mutex
	seen    version
	entries []*entry
	err     error
}

// version identifies a state of the file. It includes size and identity because two writes can have the same
// modification time.
type version struct {
	modified time.Time
	size     int64
	info     fs.FileInfo
}

func (v version) same(other version) bool {
	return v.modified.Equal(other.modified) && v.size == other.size &&
		(v.info == nil) == (other.info == nil) && (v.info == nil || os.SameFile(v.info, other.info))
}

// current returns the current entries of the file; a missing file arms nothing.
func (f *file) current() ([]*entry, error) {
	if f.path == "" {
		return nil, nil
	}

	f.mu.Lock()
	defer f.mu.Unlock()

	now, err := stat(f.path)
	if err != nil {
		return nil, err
	}

	if !now.same(f.seen) {
		f.seen = now
		f.err = f.reload(now)
	}

	return f.entries, f.err
}

func stat(path string) (version, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return version{}, nil
	}

	if err != nil {
		return version{}, fmt.Errorf("failpoint: %w", err)
	}

	return version{modified: info.ModTime(), size: info.Size(), info: info}, nil
}

func (f *file) reload(now version) error {
	old := f.entries
	f.entries = nil

	if now.info == nil {
		return nil
	}

	text, err := os.ReadFile(f.path)
	if err != nil {
		return fmt.Errorf("failpoint: %w", err)
	}

	entries, err := parseEntries(string(text))
	if err != nil {
		return err
	}

	// An entry that stays armed keeps its count.
	for i, fresh := range entries {
		for _, known := range old {
			if known.name == fresh.name && known.text == fresh.text {
				entries[i] = known
			}
		}
	}

	f.entries = entries

	return nil
}
