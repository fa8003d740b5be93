package xapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"socialpub.internal/services/sandbox/internal/journal"
	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/shared/kernel/clock"
)

// uploadLife is the time in which a post can use an upload.
const uploadLife = 24 * time.Hour

// Duration of the simulated processing of a video or an animation: it is pending first, then in progress.
const (
	pendingFor = 100 * time.Millisecond
	workingFor = 250 * time.Millisecond
)

// Upload is a file that no post contains yet.
type Upload struct {
	ID        string       `json:"id"`
	Account   string       `json:"account"`
	MediaType string       `json:"mediaType"` // as the client declared it
	Category  string       `json:"category"`
	Total     int64        `json:"total"` // bytes
	CreatedAt time.Time    `json:"createdAt"`
	EndedAt   time.Time    `json:"endedAt"`           // when the client finalized it; zero before
	Media     ledger.Media `json:"media"`             // the detected media; zero before
	Failure   string       `json:"failure,omitempty"` // why X cannot use it
}

// Uploads stores uploads and their segments across restarts. It is safe for concurrent use.
type Uploads struct {
	folder  string
	clock   clock.Clock
	journal *journal.Journal

	mu   sync.Mutex
	last int64
	byID map[string]Upload
}

// OpenUploads reads the uploads' files in the folder, which contains nothing else.
func OpenUploads(folder string, clk clock.Clock, logger *slog.Logger) (*Uploads, error) {
	u := &Uploads{folder: folder, clock: clk, byID: make(map[string]Upload)}
	file, err := journal.Open(journal.Config{
		Path: filepath.Join(folder, "uploads.jsonl"), Logger: logger, Replay: u.replay,
	})
	if err != nil {
		return nil, err
	}
	u.journal = file
	return u, nil
}

// Close closes the journal.
func (u *Uploads) Close() error { return u.journal.Close() }

func (u *Uploads) replay(line []byte) error {
	var upload Upload
	if err := json.Unmarshal(line, &upload); err != nil {
		return err
	}
	u.byID[upload.ID] = upload
	if number, err := strconv.ParseInt(upload.ID, 10, 64); err == nil {
		u.last = max(u.last, number)
	}
	return nil
}

// Begin stores a new upload.
func (u *Uploads) Begin(account, mediaType, category string, total int64) (Upload, error) {
	u.mu.Lock()
	now := u.clock.Now()
	u.last = max(u.last+1, now.UnixMilli()<<20)
	upload := Upload{
		ID: strconv.FormatInt(u.last, 10), Account: account, MediaType: mediaType, Category: category, Total: total,
		CreatedAt: now,
	}
	u.mu.Unlock()
	return upload, u.Keep(upload)
}

// Keep stores the new state of an upload and returns when it is on disk.
func (u *Uploads) Keep(upload Upload) error {
	if err := u.journal.Append(upload); err != nil {
		return fmt.Errorf("x: %w", err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.byID[upload.ID] = upload
	return nil
}

// Of returns the account's upload with that id. It returns false if there is none or if it is expired.
func (u *Uploads) Of(account, id string) (Upload, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	upload, ok := u.byID[id]
	return upload, ok && upload.Account == account && u.clock.Now().Sub(upload.CreatedAt) < uploadLife
}

// Add stores a segment. It replaces an earlier segment with the same index.
func (u *Uploads) Add(upload Upload, index int, segment []byte) error {
	path := u.segment(upload.ID, index)
	if err := os.WriteFile(path+".new", segment, 0o600); err != nil {
		return fmt.Errorf("x: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("x: %w", err)
	}
	return nil
}

// Open returns a reader of the upload's segments in order, as one file.
func (u *Uploads) Open(upload Upload) io.ReadCloser { return &joined{uploads: u, id: upload.ID} }

// joined reads the segments of an upload as one file. It keeps one segment open at a time.
type joined struct {
	uploads *Uploads
	id      string
	index   int
	segment *os.File
}

// Read reads up to the first missing segment.
func (j *joined) Read(into []byte) (int, error) {
	for {
		if j.segment == nil {
			segment, err := os.Open(j.uploads.segment(j.id, j.index))
			if errors.Is(err, os.ErrNotExist) {
				return 0, io.EOF
			}
			if err != nil {
				return 0, fmt.Errorf("x: %w", err)
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
func (u *Uploads) Size(upload Upload) int64 {
	size := int64(0)
	for index := 0; ; index++ {
		info, err := os.Stat(u.segment(upload.ID, index))
		if err != nil {
			return size
		}
		size += info.Size()
	}
}

// Drop deletes the segments of an upload whose bytes are stored elsewhere.
func (u *Uploads) Drop(upload Upload) error { return u.remove(upload.ID + "-") }

// Clear deletes all uploads, on disk too.
func (u *Uploads) Clear() error {
	if err := u.journal.Truncate(); err != nil {
		return fmt.Errorf("x: %w", err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.byID)
	return u.remove("")
}

// remove deletes the segments whose names have the prefix.
func (u *Uploads) remove(prefix string) error {
	entries, err := os.ReadDir(u.folder)
	if err != nil {
		return fmt.Errorf("x: %w", err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) && strings.Contains(entry.Name(), "-") {
			if err := os.Remove(filepath.Join(u.folder, entry.Name())); err != nil {
				return fmt.Errorf("x: %w", err)
			}
		}
	}
	return nil
}

func (u *Uploads) segment(id string, index int) string {
	return filepath.Join(u.folder, id+"-"+strconv.Itoa(index))
}

// state returns X's processing state of the upload. It is empty if there is no processing.
func (u *Uploads) state(upload Upload) string {
	switch since := u.clock.Now().Sub(upload.EndedAt); {
	case upload.EndedAt.IsZero(), upload.Category == categoryImage:
		return ""
	case since < pendingFor:
		return "pending"
	case since < workingFor:
		return "in_progress"
	case upload.Failure != "":
		return "failed"
	default:
		return "succeeded"
	}
}
