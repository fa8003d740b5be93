// Package partfile stores files that arrive in consecutive ranges, and what a network knows about each of them. It never
// holds a file in memory.
package partfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"fencepost.internal/services/sandbox/internal/journal"
)

// ErrLength is returned for a range whose body is shorter or longer than it says.
var ErrLength = errors.New("partfile: the body does not have the length of the range")

// partSuffix ends the names of the files.
const partSuffix = ".part"

// Record holds a network's knowledge of a file: an upload or a video. The type has JSON form.
type Record interface {
	// Key returns the id, which is the name of the file too.
	Key() string
}

// Store stores records and files across restarts. It is safe for concurrent use.
type Store[R Record] struct {
	folder  string
	journal *journal.Journal

	mu    sync.Mutex
	byKey map[string]R
	order []string // the keys by age
}

// Open reads the store in the folder, which contains nothing else.
func Open[R Record](folder string, logger *slog.Logger) (*Store[R], error) {
	s := &Store[R]{folder: folder, byKey: make(map[string]R)}
	file, err := journal.Open(journal.Config{
		Path: filepath.Join(folder, "records.jsonl"), Logger: logger, Replay: s.replay,
	})
	if err != nil {
		return nil, err
	}
	s.journal = file
	return s, nil
}

// Close closes the journal.
func (s *Store[R]) Close() error { return s.journal.Close() }

func (s *Store[R]) replay(line []byte) error {
	var record R
	if err := json.Unmarshal(line, &record); err != nil {
		return err
	}
	s.put(record)
	return nil
}

func (s *Store[R]) put(record R) {
	key := record.Key()
	if _, known := s.byKey[key]; !known {
		s.order = append(s.order, key)
	}
	s.byKey[key] = record
}

// Keep stores the state of a record and returns when it is on disk.
func (s *Store[R]) Keep(record R) error {
	if err := s.journal.Append(record); err != nil {
		return fmt.Errorf("partfile: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(record)
	return nil
}

// Get returns the record. It returns false if there is none.
func (s *Store[R]) Get(key string) (R, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record, ok := s.byKey[key]
	return record, ok
}

// List returns the records that match, newest first.
func (s *Store[R]) List(wanted func(R) bool) []R {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []R
	for _, key := range slices.Backward(s.order) {
		if record := s.byKey[key]; wanted(record) {
			found = append(found, record)
		}
	}
	return found
}

// Write writes a range of the file at its place. It returns ErrLength if the body does not have that length. The range
// counts only when the record says so: it may be written again.
func (s *Store[R]) Write(key string, at, length int64, body io.Reader) error {
	file, err := os.OpenFile(s.path(key), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("partfile: %w", err)
	}
	written, err := io.Copy(io.NewOffsetWriter(file, at), io.LimitReader(body, length+1))
	err = errors.Join(err, file.Close())
	switch {
	case err != nil:
		return fmt.Errorf("partfile: %w", err)
	case written != length:
		return ErrLength
	default:
		return nil
	}
}

// Open opens the first bytes of the file; the caller closes it.
func (s *Store[R]) Open(key string, size int64) (io.ReadCloser, error) {
	file, err := os.Open(s.path(key))
	if err != nil {
		return nil, fmt.Errorf("partfile: %w", err)
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(file, size), file}, nil
}

// Drop deletes the file. The record stays.
func (s *Store[R]) Drop(key string) { _ = os.Remove(s.path(key)) }

// Clear deletes all records and files, on disk too.
func (s *Store[R]) Clear() error {
	if err := s.journal.Truncate(); err != nil {
		return fmt.Errorf("partfile: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.byKey)
	s.order = nil
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return fmt.Errorf("partfile: %w", err)
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), partSuffix) {
			if err := os.Remove(filepath.Join(s.folder, entry.Name())); err != nil {
				return fmt.Errorf("partfile: %w", err)
			}
		}
	}
	return nil
}

// path returns the path of a file. Keys are ids that the sandbox made.
func (s *Store[R]) path(key string) string {
	return filepath.Join(s.folder, filepath.Base(key)+partSuffix)
}
