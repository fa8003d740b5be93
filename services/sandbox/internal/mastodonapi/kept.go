package mastodonapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/journal"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/clock"
)

const (
	// keyLife is the time in which a repeated Idempotency-Key returns the first status.
	keyLife = time.Hour
	// fileLife is the time in which a status can use a file.
	fileLife = 24 * time.Hour
	// processFor is the duration of the simulated processing of a video or an animation.
	processFor = 300 * time.Millisecond
)

// file is an uploaded file that no status contains yet.
type file struct {
	ID      string       `json:"id"`
	Account string       `json:"account"`
	At      time.Time    `json:"at"`
	Media   ledger.Media `json:"media"`
}

// ready reports whether the server has processed the file.
func (f file) ready(now time.Time) bool {
	return f.Media.Type == string(media.Image) || now.Sub(f.At) >= processFor
}

// answered is the status that an Idempotency-Key created.
type answered struct {
	Account string    `json:"account"`
	Key     string    `json:"key"`
	Status  string    `json:"status"`
	At      time.Time `json:"at"`
}

// application is an application that is registered at a server.
type application struct{ Host, ID, Secret, Redirect string }

// line is a line of the file: an upload, an answer or an application.
type line struct {
	App      *application `json:"app,omitempty"`
	File     *file        `json:"file,omitempty"`
	Answered *answered    `json:"answered,omitempty"`
}

// kept stores uploads and keys across restarts. It is safe for concurrent use.
type kept struct {
	clock   clock.Clock
	journal *journal.Journal

	mu    sync.Mutex
	last  int64
	files map[string]file
	keys  map[[2]string]answered // by account and key
	apps  map[string]application // by id
}

func openKept(path string, clk clock.Clock, logger *slog.Logger) (*kept, error) {
	k := &kept{clock: clk}
	k.reset()
	opened, err := journal.Open(journal.Config{Path: path, Logger: logger, Replay: k.replay})
	if err != nil {
		return nil, err
	}
	k.journal = opened
	return k, nil
}

func (k *kept) reset() {
	k.files, k.keys, k.apps = make(map[string]file), make(map[[2]string]answered), make(map[string]application)
}

func (k *kept) replay(raw []byte) error {
	var l line
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	switch {
	case l.File != nil:
		k.files[l.File.ID] = *l.File
		if number, err := strconv.ParseInt(l.File.ID, 10, 64); err == nil {
			k.last = max(k.last, number)
		}
	case l.Answered != nil:
		k.keys[[2]string{l.Answered.Account, l.Answered.Key}] = *l.Answered
	case l.App != nil:
		l.App.Host = cmp.Or(l.App.Host, usual) // empty in older files
		k.apps[l.App.ID] = *l.App
	default:
		return errors.New("neither a file nor a key nor an application")
	}
	return nil
}

// add stores an uploaded file.
func (k *kept) add(account, description string, item mediastore.Item) (file, error) {
	k.mu.Lock()
	now := k.clock.Now()
	k.last = max(k.last+1, now.UnixMilli()<<idBits)
	id := strconv.FormatInt(k.last, 10)
	k.mu.Unlock()
	added := file{ID: id, Account: account, At: now, Media: item.Media(id, description)}
	if err := k.journal.Append(line{File: &added}); err != nil {
		return file{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.files[id] = added
	return added, nil
}

// of returns the account's file with that id. It returns false if there is none or if it was deleted.
func (k *kept) of(account, id string) (file, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, ok := k.files[id]
	return found, ok && found.Account == account && k.clock.Now().Sub(found.At) < fileLife
}

// remember stores which status a key created.
func (k *kept) remember(account, key, status string) error {
	made := answered{Account: account, Key: key, Status: status, At: k.clock.Now()}
	if err := k.journal.Append(line{Answered: &made}); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys[[2]string{account, key}] = made
	return nil
}

// register stores an application.
func (k *kept) register(app application) error {
	if err := k.journal.Append(line{App: &app}); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.apps[app.ID] = app
	return nil
}

// app returns the application with the id at the server.
func (k *kept) app(host, id string) (application, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, ok := k.apps[id]
	return found, ok && found.Host == host
}

// first returns the id of the status that the key created within its life.
func (k *kept) first(account, key string) (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	made, ok := k.keys[[2]string{account, key}]
	return made.Status, ok && key != "" && k.clock.Now().Sub(made.At) < keyLife
}

// Clear deletes everything, on disk too.
func (k *kept) Clear() error {
	if err := k.journal.Truncate(); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reset()
	return nil
}

// Close closes the journal.
func (k *kept) Close() error { return k.journal.Close() }
