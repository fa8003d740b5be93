package facebookapi

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

	"fencepost.internal/services/sandbox/internal/journal"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/shared/kernel/clock"
)

// The kinds of objects.
const (
	kindPhoto = "photo"
	kindReel  = "reel"
	kindStory = "story" // a video
	kindVideo = "video" // in the feed
	kindFile  = "file"  // of the application; feed videos are made from it
)

const (
	// objectLife is the time in which a post can use an unpublished object.
	objectLife = 24 * time.Hour
	// processing is the time that a published video is processed, unless its state is read twice before.
	processing = time.Second
	// idPrefix begins the ids of objects. Those of posts begin with other digits.
	idPrefix = "122"
)

// object is a photo, a video or a file. It is invisible until a post contains it.
type object struct {
	ID      string `json:"id"`
	Account string `json:"account"` // of a file: the application
	Kind    string `json:"kind"`

	Media ledger.Media `json:"media"`           // zero before the bytes are complete
	Total int64        `json:"total,omitempty"` // bytes; zero if the client has not said it yet
	// Problem is the reason why the video cannot be used.
	Problem string `json:"problem,omitempty"`

	CreatedAt time.Time `json:"createdAt"`
	EndedAt   time.Time `json:"endedAt"` // when the bytes were complete; zero before
	PostedAt  time.Time `json:"postedAt"`
	Post      string    `json:"post,omitempty"` // the id of the post that contains it
	Text      string    `json:"text,omitempty"` // of a video
}

// objects stores objects and their bytes across restarts. It is safe for concurrent use.
type objects struct {
	folder  string
	clock   clock.Clock
	journal *journal.Journal

	mu     sync.Mutex
	last   int64
	byID   map[string]object
	looked map[string]bool // videos whose processing was read
	busy   map[string]bool // objects whose bytes are being received
	locks  sync.Map        // by account; see using
}

// openObjects reads the objects' files in the folder, which contains nothing else.
func openObjects(folder string, clk clock.Clock, logger *slog.Logger) (*objects, error) {
	o := &objects{
		folder: folder, clock: clk, byID: make(map[string]object), looked: make(map[string]bool), busy: make(map[string]bool),
	}
	file, err := journal.Open(journal.Config{
		Path: filepath.Join(folder, "objects.jsonl"), Logger: logger, Replay: o.replay,
	})
	if err != nil {
		return nil, err
	}
	o.journal = file
	return o, nil
}

// Close closes the journal.
func (o *objects) Close() error { return o.journal.Close() }

func (o *objects) replay(line []byte) error {
	var changed []object
	if err := json.Unmarshal(line, &changed); err != nil {
		return err
	}
	for _, made := range changed {
		o.byID[made.ID] = made
		if number, err := strconv.ParseInt(made.ID, 10, 64); err == nil {
			o.last = max(o.last, number)
		}
	}
	return nil
}

// add stores a new object and sets its id and its creation time.
func (o *objects) add(made object) (object, error) {
	o.mu.Lock()
	made.CreatedAt = o.clock.Now()
	o.last = max(o.last+1, ledger.IDAt(idPrefix, made.CreatedAt))
	made.ID = strconv.FormatInt(o.last, 10)
	o.mu.Unlock()
	if made.Media.SHA256 != "" {
		made.Media.ID = made.ID
	}
	return made, o.keep(made)
}

// keep stores the new state of objects and returns when it is on disk.
func (o *objects) keep(changed ...object) error {
	if err := o.journal.Append(changed); err != nil {
		return fmt.Errorf("facebook: %w", err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, made := range changed {
		o.byID[made.ID] = made
	}
	return nil
}

// using excludes other posts of the account that use objects, until the result is called.
func (o *objects) using(account string) (release func()) {
	lock, _ := o.locks.LoadOrStore(account, new(sync.Mutex))
	mutex, _ := lock.(*sync.Mutex)
	mutex.Lock()
	return mutex.Unlock
}

// of returns the account's object with that id. It returns false if there is none, or if it expired unpublished.
func (o *objects) of(account, id string) (object, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	found, ok := o.byID[id]
	fresh := !found.PostedAt.IsZero() || o.clock.Now().Sub(found.CreatedAt) < objectLife
	return found, ok && found.Account == account && fresh
}

// file returns the file that the text identifies.
func (o *objects) file(text string) (object, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, found := range o.byID {
		if found.Kind == kindFile && !found.EndedAt.IsZero() && fileName(found) == text {
			return found, o.clock.Now().Sub(found.CreatedAt) < objectLife
		}
	}
	return object{}, false
}

// chunk is the number of bytes for which the text that identifies a file has a line.
const chunk = 1 << 20

// fileName returns the text that identifies an uploaded file.
func fileName(of object) string {
	var lines []string
	for from := int64(0); from == 0 || from < of.Total; from += chunk {
		lines = append(lines, fmt.Sprintf("4:ZmlsbS5tcDQ=:dmlkZW8vbXA0:%s:e:%s:%d", of.Media.SHA256, of.ID, from))
	}
	return strings.Join(lines, "\n")
}

// receive reserves the object's bytes for one request. It returns false while another request sends them.
func (o *objects) receive(id string) (release func(), ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.busy[id] {
		return nil, false
	}
	o.busy[id] = true
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.busy, id)
	}, true
}

// received returns the number of the object's bytes so far.
func (o *objects) received(of object) int64 {
	if !of.EndedAt.IsZero() {
		return of.Total
	}
	info, err := os.Stat(o.path(of.ID))
	if err != nil {
		return 0
	}
	return info.Size()
}

// write appends the bytes to the object's file at the offset, and returns their number, even if the client disconnects
// before the end.
func (o *objects) write(of object, offset int64, from io.Reader) (int64, error) {
	file, err := os.OpenFile(o.path(of.ID), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return 0, fmt.Errorf("facebook: %w", err)
	}
	_, err = file.Seek(offset, io.SeekStart)
	if err != nil {
		return 0, errors.Join(fmt.Errorf("facebook: %w", err), file.Close())
	}
	n, err := io.Copy(file, from)
	return n, errors.Join(err, file.Close())
}

// cut removes the bytes after the offset.
func (o *objects) cut(of object, offset int64) error { return os.Truncate(o.path(of.ID), offset) }

// open opens the object's bytes.
func (o *objects) open(of object) (*os.File, error) { return os.Open(o.path(of.ID)) }

func (o *objects) path(id string) string { return filepath.Join(o.folder, id+".part") }

// processed reports whether the published video is processed: after a time, or at the second call.
func (o *objects) processed(of object) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	looked := o.looked[of.ID]
	o.looked[of.ID] = true
	return looked || o.clock.Now().Sub(of.PostedAt) >= processing
}

// Clear deletes all objects, on disk too.
func (o *objects) Clear() error {
	if err := o.journal.Truncate(); err != nil {
		return fmt.Errorf("facebook: %w", err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.byID)
	clear(o.looked)
	entries, err := os.ReadDir(o.folder)
	if err != nil {
		return fmt.Errorf("facebook: %w", err)
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".part") {
			if err := os.Remove(filepath.Join(o.folder, entry.Name())); err != nil {
				return fmt.Errorf("facebook: %w", err)
			}
		}
	}
	return nil
}
