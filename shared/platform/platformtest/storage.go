package platformtest

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// Storage implements platform.Files for tests. It opens the files of posts, and serves them over HTTP to networks that
// fetch them. It is safe for concurrent use.
type Storage struct {
	server *httptest.Server

	mu      sync.Mutex
	files   map[ident.Media]Attachment
	failure *platform.Failure
	open    int
	opened  int
	served  int
}

var _ platform.Files = (*Storage)(nil)

// Files starts a Storage with these attachments.
func Files(t *testing.T, attachments ...Attachment) *Storage {
	t.Helper()
	s := &Storage{files: make(map[ident.Media]Attachment, len(attachments))}
	for _, a := range attachments {
		s.files[a.Asset.ID] = a
	}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	return s
}

// Put adds an attachment, or replaces the one of the same asset.
func (s *Storage) Put(a Attachment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[a.Asset.ID] = a
}

// Fail makes every use fail until it is called with nil. HTTP requests then get a 503.
func (s *Storage) Fail(failure *platform.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = failure
}

// Open opens a file.
func (s *Storage) Open(ctx context.Context, asset media.Asset) (platform.File, error) {
	a, failure := s.find(asset.ID)
	if failure != nil {
		return nil, failure
	}
	if err := ctx.Err(); err != nil {
		return nil, &platform.Failure{
			Class: platform.ClassTransient, Code: "STORAGE_DOWN", Message: "The storage did not respond.", Cause: err,
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	s.opened++
	return &file{Reader: bytes.NewReader(a.Bytes), attachment: a, storage: s}, nil
}

// Link returns the URL of the file.
func (s *Storage) Link(_ context.Context, asset media.Asset) (string, error) {
	a, failure := s.find(asset.ID)
	if failure != nil {
		return "", failure
	}
	return s.server.URL + "/" + a.Asset.ID.String() + "/" + a.Asset.Name + "?signature=secret", nil
}

func (s *Storage) find(id ident.Media) (Attachment, *platform.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return Attachment{}, s.failure
	}
	a, ok := s.files[id]
	if !ok {
		return Attachment{}, &platform.Failure{
			Class: platform.ClassRejected, Code: "MEDIA_GONE", Message: "A file of this post is gone.",
		}
	}
	return a, nil
}

// ServeHTTP serves a file to a network.
func (s *Storage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	id, err := ident.Parse[ident.Media](name)
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	a, failure := s.find(id)
	if failure != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	s.mu.Lock()
	s.served++
	s.mu.Unlock()
	w.Header().Set("Content-Type", a.Asset.ContentType)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.Bytes))
}

// Unclosed returns the number of opened files that are not closed.
func (s *Storage) Unclosed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// Used reports whether a file was opened or served.
func (s *Storage) Used() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened+s.served > 0
}

// file is an open file.
type file struct {
	*bytes.Reader

	attachment Attachment
	storage    *Storage
	closing    sync.Once
}

// Close closes the file.
func (f *file) Close() error {
	f.closing.Do(func() {
		f.storage.mu.Lock()
		defer f.storage.mu.Unlock()
		f.storage.open--
	})
	return nil
}

// Size returns the asset's size.
func (f *file) Size() int64 { return f.attachment.Asset.Size }

// ContentType returns the asset's content type.
func (f *file) ContentType() string { return f.attachment.Asset.ContentType }

// Name returns the asset's name.
func (f *file) Name() string { return f.attachment.Asset.Name }
