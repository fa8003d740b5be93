package mediastore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
)

// ErrLength is returned for a range whose body is shorter or longer than it says.
var ErrLength = errors.New("mediastore: the body does not have the length of the range")

// partSuffix ends the names of the files with pieces.
const partSuffix = ".part"

// Record holds a network's knowledge of a file: an upload, a video, a container. The type has JSON form.
type Record interface {
	// Key returns the id. The names of the files begin with it.
	Key() string
}

// Uploads stores records and files across restarts. It is safe for concurrent use.
type Uploads[R Record] struct {
	folder  string
	journal *ledger.Journal

	mu    sync.Mutex
	byKey map[string]R
	order []string // the keys by age
	last  int64    // the highest key that is a number
}

// OpenUploads reads the store in the folder, which contains nothing else.
func OpenUploads[R Record](folder string, logger *slog.Logger) (*Uploads[R], error) {
	s := &Uploads[R]{folder: folder, byKey: make(map[string]R)}
	file, err := ledger.OpenJournal(ledger.JournalConfig{
		Path: filepath.Join(folder, "records.jsonl"), Logger: logger, Replay: s.replay,
	})
	if err != nil {
		return nil, err
	}
	s.journal = file
	return s, nil
}

// Close closes the journal.
func (s *Uploads[R]) Close() error { return s.journal.Close() }

func (s *Uploads[R]) replay(line []byte) error {
	var record R
	if err := json.Unmarshal(line, &record); err != nil {
		return err
	}
	if number, err := strconv.ParseInt(record.Key(), 10, 64); err == nil {
		s.last = max(s.last, number)
	}
	s.put(record)
	return nil
}

func (s *Uploads[R]) put(record R) {
	key := record.Key()
	if _, known := s.byKey[key]; !known {
		s.order = append(s.order, key)
	}
	s.byKey[key] = record
}

// Next returns a new numeric key: at least the floor, and higher than all before, over restarts too.
func (s *Uploads[R]) Next(floor int64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last+1, floor)
	return strconv.FormatInt(s.last, 10)
}

// Keep stores the state of a record and returns when it is on disk.
func (s *Uploads[R]) Keep(record R) error {
	if err := s.journal.Append(record); err != nil {
		return fmt.Errorf("mediastore: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(record)
	return nil
}

// Change stores the state that the function makes of the record with that key, or of a zero one, and returns when it is on
// disk. No other Change runs meanwhile.
func (s *Uploads[R]) Change(key string, change func(*R)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	record := s.byKey[key]
	change(&record)
	if err := s.journal.Append(record); err != nil {
		return fmt.Errorf("mediastore: %w", err)
	}
	s.put(record)
	return nil
}

// Get returns the record. It returns false if there is none.
func (s *Uploads[R]) Get(key string) (R, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record, ok := s.byKey[key]
	return record, ok
}

// List returns the records that match, newest first.
func (s *Uploads[R]) List(matches func(R) bool) []R {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []R
	for _, key := range slices.Backward(s.order) {
		if record := s.byKey[key]; matches(record) {
			found = append(found, record)
		}
	}
	return found
}

// Write writes a range of the file at its place. It returns ErrLength if the body does not have that length. The range
// counts only when the record says so: it may be written again.
func (s *Uploads[R]) Write(key string, at, length int64, body io.Reader) error {
	file, err := os.OpenFile(s.path(key, 0), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("mediastore: %w", err)
	}
	written, err := io.Copy(io.NewOffsetWriter(file, at), io.LimitReader(body, length+1))
	err = errors.Join(err, file.Close())
	switch {
	case err != nil:
		return fmt.Errorf("mediastore: %w", err)
	case written != length:
		return ErrLength
	default:
		return nil
	}
}

// Add stores a piece of the file by its index. It replaces an earlier piece with the same index.
func (s *Uploads[R]) Add(key string, index int, piece []byte) error {
	path := s.path(key, index)
	if err := os.WriteFile(path+".new", piece, 0o600); err != nil {
		return fmt.Errorf("mediastore: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("mediastore: %w", err)
	}
	return nil
}

// Size returns the size of the consecutive pieces from the first one, in bytes.
func (s *Uploads[R]) Size(key string) int64 {
	size := int64(0)
	for index := 0; ; index++ {
		info, err := os.Stat(s.path(key, index))
		if err != nil {
			return size
		}
		size += info.Size()
	}
}

// Reader returns a reader of the first bytes of the consecutive pieces as one file; the caller closes it.
func (s *Uploads[R]) Reader(key string, size int64) io.ReadCloser {
	pieces := &joined{path: func(index int) string { return s.path(key, index) }}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(pieces, size), pieces}
}

// Check stores the first bytes of the pieces as a file in the media store, as Check of that store does.
func (s *Uploads[R]) Check(
	ctx context.Context, media *Store, key string, size, limit int64, types ...string,
) (Item, bool, error) {
	file := s.Reader(key, size)
	item, usable, err := media.Check(ctx, file, limit, types...)
	return item, usable, errors.Join(err, file.Close())
}

// Drop deletes the pieces of the file. The record stays.
func (s *Uploads[R]) Drop(key string) error { return s.remove(filepath.Base(key) + "-") }

// Clear deletes all records and files, on disk too.
func (s *Uploads[R]) Clear() error {
	if err := s.journal.Truncate(); err != nil {
		return fmt.Errorf("mediastore: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.byKey)
	s.order = nil
	return s.remove("")
}

// remove deletes the pieces whose names have the prefix.
func (s *Uploads[R]) remove(prefix string) error {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return fmt.Errorf("mediastore: %w", err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) && strings.HasSuffix(entry.Name(), partSuffix) {
			if err := os.Remove(filepath.Join(s.folder, entry.Name())); err != nil {
				return fmt.Errorf("mediastore: %w", err)
			}
		}
	}
	return nil
}

// path returns the path of a piece. Keys are ids that the sandbox created.
func (s *Uploads[R]) path(key string, index int) string {
	return filepath.Join(s.folder, filepath.Base(key)+"-"+strconv.Itoa(index)+partSuffix)
}

// joined reads pieces as one file. It keeps one of them open at a time.
type joined struct {
	path  func(index int) string
	index int
	piece *os.File
}

// Read reads up to the first missing piece.
func (j *joined) Read(into []byte) (int, error) {
	for {
		if j.piece == nil {
			piece, err := os.Open(j.path(j.index))
			if errors.Is(err, os.ErrNotExist) {
				return 0, io.EOF
			}
			if err != nil {
				return 0, fmt.Errorf("mediastore: %w", err)
			}
			j.piece = piece
			j.index++
		}
		n, err := j.piece.Read(into)
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		if err := j.Close(); err != nil {
			return 0, err
		}
	}
}

// Close closes the open piece.
func (j *joined) Close() error {
	if j.piece == nil {
		return nil
	}
	piece := j.piece
	j.piece = nil
	return piece.Close()
}

// Range is the Content-Range of a request: the bytes From to To of Total. A status request has no bytes.
type Range struct {
	From, To, Total int64
	Status          bool // bytes */Total
}

// Length returns the number of bytes.
func (r Range) Length() int64 { return r.To - r.From + 1 }

var (
	rangePattern  = regexp.MustCompile(`^bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15})$`)
	statusPattern = regexp.MustCompile(`^bytes \*/([0-9]{1,15})$`)

	// ErrRange is returned for a header that is no range of a file.
	ErrRange = errors.New("mediastore: not a range")
)

// ParseRange parses a Content-Range header.
func ParseRange(header string) (Range, error) {
	if parts := statusPattern.FindStringSubmatch(header); parts != nil {
		total, err := strconv.ParseInt(parts[1], 10, 64)
		return Range{Total: total, Status: true}, err
	}
	parts := rangePattern.FindStringSubmatch(header)
	if parts == nil {
		return Range{}, ErrRange
	}
	var numbers [3]int64
	for i := range numbers {
		number, err := strconv.ParseInt(parts[i+1], 10, 64)
		if err != nil {
			return Range{}, ErrRange
		}
		numbers[i] = number
	}
	r := Range{From: numbers[0], To: numbers[1], Total: numbers[2]}
	if r.From > r.To || r.To >= r.Total {
		return Range{}, ErrRange
	}
	return r, nil
}

// Progress has the words of a network for the processing of a complete file.
type Progress struct {
	Waiting, Processing, Failed, Done string
	Time                              time.Duration
}

// State returns the state of a file that is complete since a time; zero: not yet.
func (p Progress) State(complete, now time.Time, failed bool) string {
	switch {
	case complete.IsZero():
		return p.Waiting
	case now.Before(complete.Add(p.Time)):
		return p.Processing
	case failed:
		return p.Failed
	default:
		return p.Done
	}
}

// Cut deletes the bytes of a file after the size. A file without bytes stays.
func (s *Uploads[R]) Cut(key string, size int64) { _ = os.Truncate(s.path(key, 0), size) }
