package xapi

import (
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/journal"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/segments"
	"fencepost.internal/shared/kernel/clock"
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
	clock    clock.Clock
	records  *journal.Records[Upload]
	segments *segments.Store

	mu   sync.Mutex
	last int64
}

// OpenUploads reads the uploads' files in the folder, which contains nothing else.
func OpenUploads(folder string, clk clock.Clock, logger *slog.Logger) (*Uploads, error) {
	records, err := journal.OpenRecords(filepath.Join(folder, "uploads.jsonl"), logger, func(u Upload) string { return u.ID })
	if err != nil {
		return nil, err
	}
	u := &Uploads{clock: clk, records: records, segments: segments.Open(folder)}
	for upload := range records.All() {
		if number, err := strconv.ParseInt(upload.ID, 10, 64); err == nil {
			u.last = max(u.last, number)
		}
	}
	return u, nil
}

// Close closes the journal.
func (u *Uploads) Close() error { return u.records.Close() }

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
	if err := u.records.Keep(upload); err != nil {
		return fmt.Errorf("x: %w", err)
	}
	return nil
}

// Of returns the account's upload with that id. It returns false if there is none or if it is expired.
func (u *Uploads) Of(account, id string) (Upload, bool) {
	upload, ok := u.records.Of(id)
	return upload, ok && upload.Account == account && u.clock.Now().Sub(upload.CreatedAt) < uploadLife
}

// Add stores a segment. It replaces an earlier segment with the same index.
func (u *Uploads) Add(upload Upload, index int, segment []byte) error {
	return u.segments.Add(upload.ID, index, segment)
}

// Open returns a reader of the upload's segments in order, as one file.
func (u *Uploads) Open(upload Upload) io.ReadCloser { return u.segments.Join(upload.ID) }

// Size returns the size of the consecutive segments from the first one, in bytes.
func (u *Uploads) Size(upload Upload) int64 { return u.segments.Size(upload.ID) }

// Drop deletes the segments of an upload whose bytes are stored elsewhere.
func (u *Uploads) Drop(upload Upload) error { return u.segments.Drop(upload.ID) }

// Clear deletes all uploads, on disk too.
func (u *Uploads) Clear() error {
	if err := u.records.Clear(); err != nil {
		return fmt.Errorf("x: %w", err)
	}
	return u.segments.Clear()
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
