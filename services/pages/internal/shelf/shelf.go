// Package shelf keeps published pages as finished documents in memory.
//
// A document is made when a page is first asked for. Every two seconds one statement asks which versions are live; what was
// published again or taken away meanwhile is dropped, in every process by itself. No connection is kept for notifications: one
// that is lost unnoticed would leave an old page standing.
package shelf

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"socialpub.internal/services/pages/internal/render"
	"socialpub.internal/shared/domain/linkpage"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/clock"
	"socialpub.internal/shared/kernel/ident"
)

// Pages is what the shelf reads published pages from.
type Pages interface {
	// ByHandle and ByBlock give NOT_FOUND when nothing is live there.
	ByHandle(ctx context.Context, handle string) (postgres.LivePage, error)
	ByBlock(ctx context.Context, id ident.LinkBlock) (postgres.LivePage, error)
	// Versions leaves out handles at which nothing is live.
	Versions(ctx context.Context, handles []string) (map[string]postgres.LiveVersion, error)
	// Posts leaves out what is not published, or not of the workspace.
	Posts(ctx context.Context, workspace ident.Workspace, ids []ident.Post) (map[ident.Post]postgres.ShownPost, error)
}

// Assets is what the shelf reads assets from.
type Assets interface {
	// GetMany leaves out what the workspace does not have.
	GetMany(ctx context.Context, workspace ident.Workspace, ids []ident.Media) (map[ident.Media]media.Asset, error)
}

// Config is what a shelf stands on.
type Config struct {
	Pages    Pages
	Assets   Assets
	Renderer *render.Renderer
	Clock    clock.Clock
	Logger   *slog.Logger
	// Registerer takes the metrics of the shelf.
	Registerer prometheus.Registerer
	Every      time.Duration // how often versions are compared; 2 s when zero
	Capacity   int           // documents at most; 4,000 when zero
	Bytes      int           // that all documents together take at most, about; 64 MiB when zero
}

const (
	defaultEvery    = 2 * time.Second
	defaultCapacity = 4000
	defaultBytes    = 64 << 20
	// maxAbsent bounds what is remembered of addresses at which nothing is.
	maxAbsent   = 20_000
	loadTimeout = 5 * time.Second
	// renewTimeout is how long visitors of a page that stands there wait for what may have changed around it.
	renewTimeout = time.Second
	// pictureAge is how long a document stands that waits for a picture to be processed.
	pictureAge = 20 * time.Second
)

// Entry is a page with its document.
type Entry struct {
	Page     postgres.LivePage
	Document render.Document
	Assets   map[ident.Media]media.Asset // that the page shows, or its posts

	posts map[ident.Post]postgres.ShownPost
	used  time.Time
	bytes int
}

// Shelf keeps entries. It is safe for concurrent use.
type Shelf struct {
	config Config
	flight singleflight.Group

	mu       sync.Mutex
	entries  map[string]*Entry // by handle
	bytes    int               // of all entries
	blocks   map[ident.LinkBlock]string
	absent   map[string]struct{} // since the last comparison
	compared time.Time           // when versions were compared last
}

// New makes a shelf.
func New(cfg Config) (*Shelf, error) {
	if cfg.Pages == nil || cfg.Assets == nil || cfg.Renderer == nil || cfg.Clock == nil || cfg.Logger == nil || cfg.Registerer == nil {
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
		config: cfg, entries: map[string]*Entry{}, blocks: map[ident.LinkBlock]string{}, absent: map[string]struct{}{}, compared: cfg.Clock.Now(),
	}
	return s, s.register(cfg.Registerer)
}

// ByHandle gives the page that is live at the handle; NOT_FOUND when there is none, UNAVAILABLE when that cannot be found out.
func (s *Shelf) ByHandle(ctx context.Context, handle string) (*Entry, error) {
	return s.get(ctx, "h "+handle, handle, func(ctx context.Context) (postgres.LivePage, error) { return s.config.Pages.ByHandle(ctx, handle) })
}

// ByBlock gives the live page that has the block; errors as with ByHandle.
func (s *Shelf) ByBlock(ctx context.Context, id ident.LinkBlock) (*Entry, error) {
	s.mu.Lock()
	handle := s.blocks[id]
	s.mu.Unlock()
	return s.get(ctx, "b "+id.String(), handle, func(ctx context.Context) (postgres.LivePage, error) { return s.config.Pages.ByBlock(ctx, id) })
}

// get gives what stands on the shelf, or loads it; requests that miss the same thing load it once.
func (s *Shelf) get(ctx context.Context, key, handle string, find func(context.Context) (postgres.LivePage, error)) (*Entry, error) {
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
	}
	shared, err, _ := s.flight.Do(key, func() (any, error) {
		// Others wait for the same: that this one gave up must not fail them.
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

func (s *Shelf) load(ctx context.Context, key string, find func(context.Context) (postgres.LivePage, error)) (*Entry, error) {
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

// renew makes the document anew because of the time. While the database does not answer, posts and pictures stay as they were.
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

// surroundings reads what a page refers to.
func (s *Shelf) surroundings(ctx context.Context, page postgres.LivePage) (map[ident.Post]postgres.ShownPost, map[ident.Media]media.Asset, error) {
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

// Pictures are the objects to show of an asset: a small one, and one for previews elsewhere; zero when there is none yet. The
// original never is one: it may tell where it was taken.
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
	if entry.Document, err = s.config.Renderer.Page(render.Input{Page: entry.Page, Pictures: shown, Posts: entry.posts}, now); err != nil {
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

// size is about how much memory a page takes: its forms, and its content, which stands in the plain one.
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

// Run compares versions until the context ends. While the database does not answer, what stands there is served on: nobody can
// publish then either, and the process reports that it is not ready.
func (s *Shelf) Run(ctx context.Context) {
	tick := time.NewTicker(s.config.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := s.Compare(ctx); err != nil && ctx.Err() == nil {
				s.config.Logger.WarnContext(ctx, "versions of pages could not be compared", slog.Any("error", err))
			}
		}
	}
}

// Compare drops what is not live any more.
func (s *Shelf) Compare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	s.mu.Lock()
	clear(s.absent)
	handles := make([]string, 0, len(s.entries))
	for handle := range s.entries {
		handles = append(handles, handle)
	}
	s.mu.Unlock()
	live := map[string]postgres.LiveVersion{}
	if len(handles) > 0 {
		var err error
		if live, err = s.config.Pages.Versions(ctx, handles); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compared = s.config.Clock.Now()
	for _, handle := range handles {
		entry, found := s.entries[handle]
		if found && live[handle] != (postgres.LiveVersion{PageID: entry.Page.ID, Version: entry.Page.Version}) {
			s.dropLocked(entry)
		}
	}
	return nil
}

// Len is how many documents stand there.
func (s *Shelf) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.entries)
}

// Shown gives the block when visitors see it now.
func (e *Entry) Shown(id ident.LinkBlock, now time.Time) (linkpage.Block, bool) {
	block, found := e.Page.Content.Block(id)
	return block, found && block.ShownAt(now)
}
