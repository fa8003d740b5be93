package blueskyapi

import (
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/journal"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/shared/kernel/clock"
)

// Times of files.
const (
	// blobLife is the time after which a server deletes a file that no record refers to.
	blobLife = time.Hour
	// Duration of the simulated conversion of a video.
	createdFor  = 100 * time.Millisecond
	encodingFor = 250 * time.Millisecond
)

// stored is a file on an account's server.
type stored struct {
	Account string    `json:"account"`
	SHA256  string    `json:"sha256"`
	Type    string    `json:"type"` // MIME type, as the server detected it
	Size    int64     `json:"size"`
	At      time.Time `json:"at"`
	Job     string    `json:"job,omitempty"`  // of the video service; empty: uploaded directly
	Used    bool      `json:"used,omitempty"` // a record refers to it
}

// cid returns the identifier of the file: version 1, raw, SHA-256, in base 32 (atproto.com/specs/data-model).
func (s stored) cid() string { return identifier(0x55, s.SHA256) }

// identifier returns the CID of a content type and a hexadecimal SHA-256.
func identifier(codec byte, sum string) string {
	raw, err := hex.DecodeString(sum)
	if err != nil {
		return ""
	}
	const version, sha256, length = 0x01, 0x12, 0x20
	encoding := base32.StdEncoding.WithPadding(base32.NoPadding)
	return "b" + strings.ToLower(encoding.EncodeToString(append([]byte{version, codec, sha256, length}, raw...)))
}

// ready reports whether a record may refer to the file.
func (s stored) ready(now time.Time) bool { return s.Job == "" || s.age(now) >= createdFor+encodingFor }

func (s stored) age(now time.Time) time.Duration { return now.Sub(s.At) }

// reference returns the file in the form in which records refer to it.
func (s stored) reference() map[string]any {
	return map[string]any{
		"$type": "blob", "ref": map[string]string{"$link": s.cid()}, "mimeType": s.Type, "size": s.Size,
	}
}

// blobs stores which account uploaded which file, across restarts. It is safe for concurrent use.
type blobs struct {
	clock   clock.Clock
	journal *journal.Journal

	mu   sync.Mutex
	byID map[blobKey]stored
}

type blobKey struct{ account, id string }

func openBlobs(path string, clk clock.Clock, logger *slog.Logger) (*blobs, error) {
	b := &blobs{clock: clk, byID: make(map[blobKey]stored)}
	file, err := journal.Open(journal.Config{Path: path, Logger: logger, Replay: b.replay})
	if err != nil {
		return nil, err
	}
	b.journal = file
	return b, nil
}

func (b *blobs) replay(line []byte) error {
	var file stored
	if err := json.Unmarshal(line, &file); err != nil {
		return err
	}
	if file.SHA256 == "" {
		return errors.New("not a file")
	}
	b.insert(file)
	return nil
}

func (b *blobs) insert(file stored) {
	b.byID[blobKey{file.Account, file.cid()}] = file
	if file.Job != "" {
		b.byID[blobKey{"", file.Job}] = file
	}
}

// keep stores the state of a file and returns when it is on disk.
func (b *blobs) keep(file stored) error {
	if err := b.journal.Append(file); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.insert(file)
	return nil
}

// add stores an uploaded file.
func (b *blobs) add(account, job string, item mediastore.Item) (stored, error) {
	file := stored{
		Account: account, SHA256: item.SHA256, Type: item.ContentType, Size: item.Size, At: b.clock.Now(), Job: job,
	}
	if job != "" {
		file.Type = "video/mp4" // whatever it was before
	}
	return file, b.keep(file)
}

// of returns the account's file with that CID. It returns false if there is none, if the video service has not finished
// it, or if it was deleted.
func (b *blobs) of(account, cid string) (stored, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	file, ok := b.byID[blobKey{account, cid}]
	now := b.clock.Now()
	return file, ok && file.ready(now) && (file.Used || file.age(now) < blobLife)
}

// ofJob returns the video of a job.
func (b *blobs) ofJob(job string) (stored, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	file, ok := b.byID[blobKey{"", job}]
	return file, ok
}

// Clear deletes everything, on disk too.
func (b *blobs) Clear() error {
	if err := b.journal.Truncate(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.byID = make(map[blobKey]stored)
	return nil
}

// Close closes the journal.
func (b *blobs) Close() error { return b.journal.Close() }
