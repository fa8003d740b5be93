// Package segments stores the files that clients of the sandbox networks upload in segments, until they are complete.
package segments

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Store keeps segments in a folder. It is safe for concurrent use, except for one segment at a time.
type Store struct {
	folder string
}

// Open returns the store of the folder, which exists. Other files in it have no hyphen in their names.
func Open(folder string) *Store { return &Store{folder: folder} }

// Add stores a segment. It replaces an earlier segment with the same index.
func (s *Store) Add(id string, index int, segment []byte) error {
	path := s.segment(id, index)
	if err := os.WriteFile(path+".new", segment, 0o600); err != nil {
		return fmt.Errorf("segments: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("segments: %w", err)
	}
	return nil
}

// Join returns a reader of the segments in order, as one file.
func (s *Store) Join(id string) io.ReadCloser { return &joined{store: s, id: id} }

// joined reads the segments of an upload as one file. It keeps one segment open at a time.
type joined struct {
	store   *Store
	id      string
	index   int
	segment *os.File
}

// Read reads up to the first missing segment.
func (j *joined) Read(into []byte) (int, error) {
	for {
		if j.segment == nil {
			segment, err := os.Open(j.store.segment(j.id, j.index))
			if errors.Is(err, os.ErrNotExist) {
				return 0, io.EOF
			}
			if err != nil {
				return 0, fmt.Errorf("segments: %w", err)
			}
			j.segment = segment
			j.index++
		}
		n, err := j.segment.Read(into)
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		if err := j.Close(); err != nil {
			return 0, err
		}
	}
}

// Close closes the open segment.
func (j *joined) Close() error {
	if j.segment == nil {
		return nil
	}
	segment := j.segment
	j.segment = nil
	return segment.Close()
}

// Size returns the size of the consecutive segments from the first one, in bytes.
func (s *Store) Size(id string) int64 {
	size := int64(0)
	for index := 0; ; index++ {
		info, err := os.Stat(s.segment(id, index))
		if err != nil {
			return size
		}
		size += info.Size()
	}
}

// Drop deletes the segments of an upload.
func (s *Store) Drop(id string) error { return s.remove(id + "-") }

// Clear deletes all segments.
func (s *Store) Clear() error { return s.remove("") }

// remove deletes the segments whose names have the prefix.
func (s *Store) remove(prefix string) error {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return fmt.Errorf("segments: %w", err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) && strings.Contains(entry.Name(), "-") {
			if err := os.Remove(filepath.Join(s.folder, entry.Name())); err != nil {
				return fmt.Errorf("segments: %w", err)
			}
		}
	}
	return nil
}

func (s *Store) segment(id string, index int) string {
	return filepath.Join(s.folder, id+"-"+strconv.Itoa(index))
}
