package linkedinapi

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"socialpub.internal/services/sandbox/internal/journal"
	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/services/sandbox/internal/segments"
	"socialpub.internal/shared/kernel/clock"
)

// urlLife is the time in which the addresses of an upload work.
const urlLife = 24 * time.Hour

// processFor is the time in which the sandbox "processes" a complete file.
const processFor = 250 * time.Millisecond

// assetKind is a kind of media: the name of its resource.
type assetKind string

const (
	kindImage    assetKind = "images"
	kindDocument assetKind = "documents"
	kindVideo    assetKind = "videos"
)

// word returns the kind's word in URNs and JSON members.
func (k assetKind) word() string { return string(k[:len(k)-1]) }

// The states of an asset.
const (
	stateWaiting    = "WAITING_UPLOAD"
	stateProcessing = "PROCESSING"
	stateAvailable  = "AVAILABLE"
	stateFailed     = "PROCESSING_FAILED"
)

// Asset is a file that a post can contain.
type Asset struct {
	ID        string       `json:"id"` // its URN ends in it
	Kind      assetKind    `json:"kind"`
	Owner     string       `json:"owner"` // URN
	Account   string       `json:"account"`
	Key       string       `json:"key"`            // of the addresses of its upload
	Size      int64        `json:"size,omitempty"` // bytes of a video, as declared
	Token     string       `json:"token,omitempty"`
	CreatedAt time.Time    `json:"createdAt"`
	EndedAt   time.Time    `json:"endedAt"`         // when its bytes were complete; zero before
	ETags     []string     `json:"etags,omitempty"` // of a video's parts; empty for a missing one
	Media     ledger.Media `json:"media"`           // the detected media; zero before
	Failure   string       `json:"failure,omitempty"`
}

func (a Asset) urn() string { return "urn:li:" + a.Kind.word() + ":" + a.ID }

// state returns the asset's state at a time.
func (a Asset) state(now time.Time) string {
	switch {
	case a.EndedAt.IsZero():
		return stateWaiting
	case now.Before(a.EndedAt.Add(processFor)):
		return stateProcessing
	case a.Failure != "":
		return stateFailed
	default:
		return stateAvailable
	}
}

// Assets stores assets and the parts of videos across restarts. It is safe for concurrent use.
type Assets struct {
	clock    clock.Clock
	journal  *journal.Journal
	segments *segments.Store

	mu   sync.Mutex
	byID map[string]Asset
}

// OpenAssets reads the assets' files in the folder, which contains nothing else.
func OpenAssets(folder string, clk clock.Clock, logger *slog.Logger) (*Assets, error) {
	s := &Assets{clock: clk, segments: segments.Open(folder), byID: make(map[string]Asset)}
	file, err := journal.Open(journal.Config{
		Path: filepath.Join(folder, "assets.jsonl"), Logger: logger, Replay: s.replay,
	})
	if err != nil {
		return nil, err
	}
	s.journal = file
	return s, nil
}

// Close closes the journal.
func (s *Assets) Close() error { return s.journal.Close() }

func (s *Assets) replay(line []byte) error {
	var asset Asset
	if err := json.Unmarshal(line, &asset); err != nil {
		return err
	}
	s.byID[asset.ID] = asset
	return nil
}

// Begin stores a new asset.
func (s *Assets) Begin(asset Asset) (Asset, error) {
	asset.ID, asset.Key, asset.CreatedAt = "C4E22AQ"+rand.Text(), rand.Text(), s.clock.Now()
	return asset, s.Change(asset.ID, func(a *Asset) { *a = asset })
}

// Change changes an asset and returns when it is on disk.
func (s *Assets) Change(id string, change func(*Asset)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	asset := s.byID[id]
	asset.ETags = append([]string(nil), asset.ETags...)
	change(&asset)
	if err := s.journal.Append(asset); err != nil {
		return fmt.Errorf("linkedin: %w", err)
	}
	s.byID[id] = asset
	return nil
}

// Of returns the asset with that id. It returns false if there is none.
func (s *Assets) Of(id string) (Asset, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asset, ok := s.byID[id]
	return asset, ok
}

// Clear deletes all assets, on disk too.
func (s *Assets) Clear() error {
	if err := s.journal.Truncate(); err != nil {
		return fmt.Errorf("linkedin: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.byID)
	return s.segments.Clear()
}
