package web

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"fencepost.internal/services/internal/render"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// Pages reads published pages.
type Pages interface {
	// ByHandle and ByBlock return NOT_FOUND if no live page matches.
	ByHandle(ctx context.Context, handle string) (postgres.LivePage, error)
	ByBlock(ctx context.Context, id ident.LinkBlock) (postgres.LivePage, error)
	// Versions omits handles without a live page.
	Versions(ctx context.Context, handles []string) (map[string]postgres.LiveVersion, error)
	// Domains returns the handle of the live page for each verified domain.
	Domains(ctx context.Context) (map[string]string, error)
	// Posts omits posts that are not published or do not belong to the workspace.
	Posts(ctx context.Context, workspace ident.Workspace, ids []ident.Post) (map[ident.Post]postgres.ShownPost, error)
}

// Assets reads assets.
type Assets interface {
	// GetMany omits assets that the workspace does not have.
	GetMany(ctx context.Context, workspace ident.Workspace, ids []ident.Media) (map[ident.Media]media.Asset, error)
}

// ShelfConfig holds the dependencies and settings of a shelf.
type ShelfConfig struct {
	Pages    Pages
	Assets   Assets
	Renderer *render.Renderer
	Clock    clock.Clock
	Logger   *slog.Logger
	// Registerer registers the metrics of the shelf.
	Registerer prometheus.Registerer
	Every      time.Duration // how often versions are compared; 2 s when zero
	Capacity   int           // maximum number of documents; 4,000 when zero
	Bytes      int           // approximate maximum size of all documents; 64 MiB when zero
}

const (
	defaultEvery    = 2 * time.Second
	defaultCapacity = 4000
	defaultBytes    = 64 << 20
	// maxAbsent bounds the number of cached addresses without a page.
	maxAbsent   = 20_000
	loadTimeout = 5 * time.Second
	// renewTimeout bounds the time that visitors of a cached page wait for changes to its posts and assets.
	renewTimeout = time.Second
	// pictureAge is the lifetime of a document that waits for an image to be processed.
	pictureAge = 20 * time.Second
)

// Entry is a page with its document.
type Entry struct {
	Page     postgres.LivePage
	Document render.Document
	Assets   map[ident.Media]media.Asset // the assets that the page or its posts show

	posts map[ident.Post]postgres.ShownPost
	used  time.Time
	bytes int
}

// Shelf caches entries. It is safe for concurrent use.
type Shelf struct {
	config ShelfConfig
	flight singleflight.Group

	mu       sync.Mutex
	entries  map[string]*Entry // by handle
	bytes    int               // of all entries
	blocks   map[ident.LinkBlock]string
	absent   map[string]struct{} // since the last comparison
	domains  map[string]string   // handles of pages by their own domains
	compared time.Time           // the time of the last comparison
}

// NewShelf returns an empty shelf.
func NewShelf(cfg ShelfConfig) (*Shelf, error) {
	if cfg.Pages == nil || cfg.Assets == nil || cfg.Renderer == nil || cfg.Clock == nil || cfg.Logger == nil ||
		cfg.Registerer == nil {
		return nil, errors.New("shelf: every dependency is required")
	}
	if cfg.Every <= 0 {
		cfg.Every = defaultEvery
	}
	if cfg.Capacity <= 0 {
		cfg.Capacity = defaultCapacity
	}
	if cfg.Bytes <= 0 {
		cfg.Bytes = defaultBytes
	}
	s := &Shelf{
		config: cfg, entries: map[string]*Entry{}, blocks: map[ident.LinkBlock]string{}, absent: map[string]struct{}{},
		compared: cfg.Clock.Now(),
	}
	return s, s.register(cfg.Registerer)
}

// ErrNotCached means that only the database knows whether there is a page.
var ErrNotCached = errors.New("shelf: not cached")

// ByHandle returns the live page with the handle. It returns NOT_FOUND if there is none, UNAVAILABLE if the database
// cannot be read, and ErrNotCached instead of reading the database unless load is true.
func (s *Shelf) ByHandle(ctx context.Context, handle string, load bool) (*Entry, error) {
	return s.get(ctx, "h "+handle, handle, load,
		func(ctx context.Context) (postgres.LivePage, error) { return s.config.Pages.ByHandle(ctx, handle) })
}

// ByBlock returns the live page that contains the block. It returns the same errors as ByHandle.
func (s *Shelf) ByBlock(ctx context.Context, id ident.LinkBlock, load bool) (*Entry, error) {
	s.mu.Lock()
	handle := s.blocks[id]
	s.mu.Unlock()
	return s.get(ctx, "b "+id.String(), handle, load,
		func(ctx context.Context) (postgres.LivePage, error) { return s.config.Pages.ByBlock(ctx, id) })
}

// get returns the cached entry, or loads it. Concurrent requests for the same key load it once.
func (s *Shelf) get(
	ctx context.Context, key, handle string, load bool, find func(context.Context) (postgres.LivePage, error),
) (*Entry, error) {
	now := s.config.Clock.Now()
	s.mu.Lock()
	entry, found := s.entries[handle]
	_, none := s.absent[key]
	if found {
		entry.used = now
	}
	s.mu.Unlock()
	switch {
	case found && (entry.Document.Until.IsZero() || now.Before(entry.Document.Until)):
		return entry, nil
	case none:
		return nil, apperr.New(apperr.NotFound, "There is no such link page.")
	case !found && !load:
		return nil, ErrNotCached
	}
	shared, err, _ := s.flight.Do(key, func() (any, error) {
		// Other requests wait for the same result: cancellation of this request must not fail them.
		if found {
			return s.renew(context.WithoutCancel(ctx), entry)
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTimeout)
		defer cancel()
		return s.load(ctx, key, find)
	})
	if err != nil {
		return nil, err
	}
	fresh, ok := shared.(*Entry)
	if !ok {
		return nil, errors.New("shelf: not an entry")
	}
	return fresh, nil
}

func (s *Shelf) load(
	ctx context.Context, key string, find func(context.Context) (postgres.LivePage, error),
) (*Entry, error) {
	page, err := find(ctx)
	if apperr.Is(err, apperr.NotFound) {
		s.mu.Lock()
		if len(s.absent) < maxAbsent {
			s.absent[key] = struct{}{}
		}
		s.mu.Unlock()
	}
	if err != nil {
		return nil, err
	}
	entry := &Entry{Page: page}
	if entry.posts, entry.Assets, err = s.surroundings(ctx, page); err != nil {
		return nil, err
	}
	return s.put(entry)
}

// renew renders an expired document again. While the database is unavailable, it keeps the previous posts and images.
func (s *Shelf) renew(ctx context.Context, old *Entry) (*Entry, error) {
	entry := &Entry{Page: old.Page, posts: old.posts, Assets: old.Assets}
	reading, cancel := context.WithTimeout(ctx, renewTimeout)
	defer cancel()
	posts, assets, err := s.surroundings(reading, old.Page)
	if err == nil {
		entry.posts, entry.Assets = posts, assets
	} else {
		s.config.Logger.WarnContext(ctx, "a page is shown with what was known before", slog.Any("error", err))
	}
	return s.put(entry)
}

// surroundings reads the posts and assets that a page refers to.
func (s *Shelf) surroundings(
	ctx context.Context, page postgres.LivePage,
) (map[ident.Post]postgres.ShownPost, map[ident.Media]media.Asset, error) {
	posts, err := s.config.Pages.Posts(ctx, page.WorkspaceID, page.Content.Posts())
	if err != nil {
		return nil, nil, err
	}
	ids := page.Content.Assets()
	for _, p := range posts {
		if id := render.FirstPicture(p); !id.IsZero() {
			ids = append(ids, id)
		}
	}
	assets, err := s.config.Assets.GetMany(ctx, page.WorkspaceID, ids)
	return posts, assets, err
}

// Pictures returns the objects that show an asset: a small one, and a full one for previews on other sites. Both are
// zero until the asset is processed. The original is never used, because it may contain the location where it was
// taken.
func (e *Entry) Pictures(id ident.Media) (small, full media.Object) {
	files := e.Assets[id].Files
	if files.Thumbnail.IsZero() {
		return media.Object{}, media.Object{}
	}
	small, full = files.Thumbnail, files.Thumbnail
	if kind := e.Assets[id].Type; !files.Published.IsZero() && (kind == media.Image || kind == media.GIF) {
		full = files.Published
	}
	return small, full
}

func (s *Shelf) put(entry *Entry) (*Entry, error) {
	now := s.config.Clock.Now()
	shown, waiting := make(map[ident.Media]bool, len(entry.Assets)), false
	for id, asset := range entry.Assets {
		small, _ := entry.Pictures(id)
		shown[id] = !small.IsZero()
		waiting = waiting || !asset.Processed()
	}
	var err error
	if entry.Document, err = s.config.Renderer.Page(render.Input{Page: entry.Page, Pictures: shown, Posts: entry.posts},
		now); err != nil {
		return nil, err
	}
	if soon := now.Add(pictureAge); waiting && (entry.Document.Until.IsZero() || soon.Before(entry.Document.Until)) {
		entry.Document.Until = soon
	}
	entry.used, entry.bytes = now, size(entry.Document)
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, found := s.entries[entry.Page.Handle]; found {
		s.dropLocked(old)
	}
	for len(s.entries) > 0 && (len(s.entries) >= s.config.Capacity || s.bytes+entry.bytes > s.config.Bytes) {
		s.dropOldestLocked()
	}
	s.entries[entry.Page.Handle] = entry
	s.bytes += entry.bytes
	for _, b := range entry.Page.Content.Blocks {
		s.blocks[b.ID] = entry.Page.Handle
	}
	return entry, nil
}

// size estimates the memory of a page: its encodings and its content, whose size is about that of the plain encoding.
func size(d render.Document) int {
	const perPage, plainAndContent = 4 << 10, 2
	return perPage + plainAndContent*len(d.Plain) + len(d.Gzip) + len(d.Brotli)
}

func (s *Shelf) dropLocked(entry *Entry) {
	if s.entries[entry.Page.Handle] != entry {
		return
	}
	delete(s.entries, entry.Page.Handle)
	s.bytes -= entry.bytes
	for _, b := range entry.Page.Content.Blocks {
		if s.blocks[b.ID] == entry.Page.Handle {
			delete(s.blocks, b.ID)
		}
	}
}

func (s *Shelf) dropOldestLocked() {
	var oldest *Entry
	for _, e := range s.entries {
		if oldest == nil || e.used.Before(oldest.used) {
			oldest = e
		}
	}
	if oldest != nil {
		s.dropLocked(oldest)
	}
}

// ByDomain returns the handle of the page at a verified domain; empty if there is none. It reads no database: a request for any
// name costs nothing.
func (s *Shelf) ByDomain(host string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.domains[host]
}

// Run compares versions until the context ends. While the database is unavailable, it keeps serving cached pages:
// nothing can be published at that time, and the process reports that it is not ready.
func (s *Shelf) Run(ctx context.Context) {
	tick := time.NewTicker(s.config.Every)
	defer tick.Stop()
	for {
		if err := s.Compare(ctx); err != nil && ctx.Err() == nil {
			s.config.Logger.WarnContext(ctx, "versions of pages could not be compared", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Compare drops entries that are no longer live.
func (s *Shelf) Compare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	domains, err := s.config.Pages.Domains(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	clear(s.absent)
	handles := make([]string, 0, len(s.entries))
	for handle := range s.entries {
		handles = append(handles, handle)
	}
	s.mu.Unlock()
	live := map[string]postgres.LiveVersion{}
	if len(handles) > 0 {
		if live, err = s.config.Pages.Versions(ctx, handles); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compared, s.domains = s.config.Clock.Now(), domains
	for _, handle := range handles {
		entry, found := s.entries[handle]
		if found && live[handle] != (postgres.LiveVersion{PageID: entry.Page.ID, Version: entry.Page.Version, Host: entry.Page.Host}) {
			s.dropLocked(entry)
		}
	}
	return nil
}

// Len returns the number of cached documents.
func (s *Shelf) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.entries)
}

// Shown returns the block, and reports whether visitors see it at the given time.
func (e *Entry) Shown(id ident.LinkBlock, now time.Time) (linkpage.Block, bool) {
	block, found := e.Page.Content.Block(id)
	return block, found && block.ShownAt(now)
}
