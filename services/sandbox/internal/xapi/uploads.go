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

// uploadLife is how long a post can carry an upload.
const uploadLife = 24 * time.Hour

// How long the sandbox pretends to work on a film or an animation: it waits, then it works.
const (
	pendingFor = 100 * time.Millisecond
	workingFor = 250 * time.Millisecond
)

// Upload is a file on its way to a post. Nobody sees it yet.
type Upload struct {
	ID        string       `json:"id"`
	Account   string       `json:"account"`
	MediaType string       `json:"mediaType"` // as the client declared it
	Category  string       `json:"category"`
	Total     int64        `json:"total"` // bytes
	CreatedAt time.Time    `json:"createdAt"`
	EndedAt   time.Time    `json:"endedAt"`           // when the client finalized it; zero before that
	Media     ledger.Media `json:"media"`             // what it was found to be; zero before that
	Failure   string       `json:"failure,omitempty"` // why X cannot use it
}

// Uploads remembers uploads and their segments over a restart. It is safe for concurrent use.
type Uploads struct {
	folder  string
	clock   clock.Clock
	journal *journal.Journal

	mu   sync.Mutex
	last int64
	byID map[string]Upload
}

// OpenUploads reads the uploads' files in the folder, which holds nothing else.
func OpenUploads(folder string, clk clock.Clock, logger *slog.Logger) (*Uploads, error) {
	u := &Uploads{folder: folder, clock: clk, byID: make(map[string]Upload)}
	file, err := journal.Open(journal.Config{Path: filepath.Join(folder, "uploads.jsonl"), Logger: logger, Replay: u.replay})
	if err != nil {
		return nil, err
	}
	u.journal = file
	return u, nil
}

// Close ends writing.
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

// Begin keeps a new upload.
func (u *Uploads) Begin(account, mediaType, category string, total int64) (Upload, error) {
	u.mu.Lock()
	now := u.clock.Now()
	u.last = max(u.last+1, now.UnixMilli()<<20)
	upload := Upload{
		ID: strconv.FormatInt(u.last, 10), Account: account, MediaType: mediaType, Category: category, Total: total, CreatedAt: now,
	}
	u.mu.Unlock()
	return upload, u.Keep(upload)
}

// Keep takes over what became of an upload and returns when it is on disk.
func (u *Uploads) Keep(upload Upload) error {
	if err := u.journal.Append(upload); err != nil {
		return fmt.Errorf("x: %w", err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.byID[upload.ID] = upload
	return nil
}

// Of returns the account's upload; false when it has none of that id, or had it too long ago.
func (u *Uploads) Of(account, id string) (Upload, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	upload, ok := u.byID[id]
	return upload, ok && upload.Account == account && u.clock.Now().Sub(upload.CreatedAt) < uploadLife
}

// Add keeps a segment, in place of one that came before under its number.
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

// Open reads the upload's segments one after the other, as one file.
func (u *Uploads) Open(upload Upload) io.ReadCloser { return &joined{uploads: u, id: upload.ID} }

// joined is the segments of an upload as one file, of which one segment is open at a time.
type joined struct {
	uploads *Uploads
	id      string
	index   int
	segment *os.File
}

// Read gives the next bytes, up to the first segment that is missing.
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

// Close closes the segment that is open.
func (j *joined) Close() error {
	if j.segment == nil {
		return nil
	}
	segment := j.segment
	j.segment = nil
	return segment.Close()
}

// Size is that of the segments so far without a gap, in bytes.
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

// Drop removes the segments of an upload whose bytes are kept elsewhere.
func (u *Uploads) Drop(upload Upload) error { return u.remove(upload.ID + "-") }

// Clear forgets all uploads, on disk too.
func (u *Uploads) Clear() error {
	if err := u.journal.Truncate(); err != nil {
		return fmt.Errorf("x: %w", err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.byID)
	return u.remove("")
}

// remove deletes the segments whose names begin like that.
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

// state is how far X is with the upload, in its words; empty when there is nothing to wait for.
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
