package linkedinapi

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"fencepost.internal/services/sandbox/internal/journal"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/segments"
	"fencepost.internal/shared/kernel/clock"
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
	records  *journal.Records[Asset]
	segments *segments.Store
}

// OpenAssets reads the assets' files in the folder, which contains nothing else.
func OpenAssets(folder string, clk clock.Clock, logger *slog.Logger) (*Assets, error) {
	records, err := journal.OpenRecords(filepath.Join(folder, "assets.jsonl"), logger, func(a Asset) string { return a.ID })
	if err != nil {
		return nil, err
	}
	return &Assets{clock: clk, records: records, segments: segments.Open(folder)}, nil
}

// Close closes the journal.
func (s *Assets) Close() error { return s.records.Close() }

// Begin stores a new asset.
func (s *Assets) Begin(asset Asset) (Asset, error) {
	asset.ID, asset.Key, asset.CreatedAt = "C4E22AQ"+rand.Text(), rand.Text(), s.clock.Now()
	return asset, s.Change(asset.ID, func(a *Asset) { *a = asset })
}

// Change changes an asset and returns when it is on disk.
func (s *Assets) Change(id string, change func(*Asset)) error {
	err := s.records.Change(id, func(asset Asset) Asset {
		asset.ETags = slices.Clone(asset.ETags)
		change(&asset)
		return asset
	})
	if err != nil {
		return fmt.Errorf("linkedin: %w", err)
	}
	return nil
}

// Of returns the asset with that id. It returns false if there is none.
func (s *Assets) Of(id string) (Asset, bool) { return s.records.Of(id) }

// Clear deletes all assets, on disk too.
func (s *Assets) Clear() error {
	if err := s.records.Clear(); err != nil {
		return fmt.Errorf("linkedin: %w", err)
	}
	return s.segments.Clear()
}
