// Package mediastore stores the media files that the sandbox networks received or fetched.
//
// A file is stored once, under the hash of its bytes. Its type is detected only from its bytes. Put and Fetch return
// after the file is on disk.
package mediastore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // dimensions of GIF,
	_ "image/jpeg" // JPEG
	_ "image/png"  // and PNG images
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/shared/domain/media"
)

// Errors of Put, Fetch, Get and Open.
var (
	ErrTooLarge    = errors.New("mediastore: the file is larger than the network accepts")
	ErrEmpty       = errors.New("mediastore: the file is empty")
	ErrUnsupported = errors.New("mediastore: the file is of an unsupported type")
	ErrUnknown     = errors.New("mediastore: there is no such file")
)

// fetchTimeout limits one fetch, from dialing to the last byte.
const fetchTimeout = 2 * time.Minute

// incoming is the name prefix of files that are still being written.
const incoming = "incoming-"

// Item describes one file.
type Item struct {
	SHA256        string     // of the bytes, in lower-case hexadecimal digits; the file's name in the store
	Type          media.Type // detected from the bytes, as is ContentType
	ContentType   string
	Size          int64 // bytes
	Width, Height int   // pixels; zero for videos, documents, and images that the standard library cannot decode
}

// Media returns the file as a post's media, with the network's own id and the alternative text.
func (i Item) Media(id, altText string) ledger.Media {
	return ledger.Media{
		ID: id, Type: string(i.Type), ContentType: i.ContentType, SHA256: i.SHA256, Size: i.Size,
		Width: i.Width, Height: i.Height, AltText: altText,
	}
}

// Config holds the settings of a store.
type Config struct {
	Folder string // contains nothing else
	Logger *slog.Logger
	// Transport sends the requests of Fetch. Nil means a plain http.Transport.
	Transport http.RoundTripper
}

// Store stores files. It is safe for concurrent use.
type Store struct {
	folder string
	logger *slog.Logger
	client *http.Client

	clearing sync.RWMutex // excludes Clear while files are written
	history  history
}

// Open creates the folder if it is missing and deletes files that a crash left incomplete.
func Open(config Config) (*Store, error) {
	if config.Folder == "" || config.Logger == nil {
		return nil, errors.New("mediastore: folder and logger are needed")
	}
	if config.Transport == nil {
		config.Transport = &http.Transport{DisableCompression: true, DisableKeepAlives: true}
	}
	s := &Store{folder: config.Folder, logger: config.Logger, client: &http.Client{
		Transport: config.Transport, Timeout: fetchTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if err := os.MkdirAll(config.Folder, 0o750); err != nil {
		return nil, fmt.Errorf("mediastore: %w", err)
	}
	return s, s.remove(func(name string) bool { return strings.HasPrefix(name, incoming) })
}

// Put stores the reader's bytes and returns when they are on disk. It returns ErrTooLarge if there are more than limit,
// ErrEmpty if there are none, and ErrUnsupported if their type is not accepted. It reads at most one byte more than the
// limit.
func (s *Store) Put(ctx context.Context, from io.Reader, limit int64) (Item, error) {
	s.clearing.RLock()
	defer s.clearing.RUnlock()
	file, err := os.CreateTemp(s.folder, incoming)
	if err != nil {
		return Item{}, fmt.Errorf("mediastore: %w", err)
	}
	item, err := write(file, &cancellable{ctx: ctx, from: from}, limit)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), s.path(item.SHA256))
	}
	if err != nil {
		return Item{}, errors.Join(err, os.Remove(file.Name()))
	}
	return item, nil
}

// write copies the bytes to the file and describes them.
func write(file *os.File, from io.Reader, limit int64) (Item, error) {
	hash := sha256.New()
	size, err := io.Copy(io.MultiWriter(file, hash), io.LimitReader(from, limit+1))
	switch {
	case err != nil:
		return Item{}, fmt.Errorf("mediastore: %w", err)
	case size > limit:
		return Item{}, ErrTooLarge
	case size == 0:
		return Item{}, ErrEmpty
	}
	return describe(file, hex.EncodeToString(hash.Sum(nil)), size)
}

// describe detects the file's type from its bytes.
func describe(file io.ReaderAt, sum string, size int64) (Item, error) {
	kind, contentType, ok, err := media.SniffFile(file, size)
	if err != nil {
		return Item{}, fmt.Errorf("mediastore: %w", err)
	}
	if !ok {
		return Item{}, ErrUnsupported
	}
	item := Item{SHA256: sum, Type: kind, ContentType: contentType, Size: size}
	if kind == media.Image || kind == media.GIF {
		if picture, _, err := image.DecodeConfig(io.NewSectionReader(file, 0, size)); err == nil {
			item.Width, item.Height = picture.Width, picture.Height
		}
	}
	return item, nil
}

// Get describes the file with that hash. It returns ErrUnknown if there is none.
func (s *Store) Get(sum string) (Item, error) {
	file, item, err := s.Open(sum)
	if err != nil {
		return Item{}, err
	}
	return item, file.Close()
}

// Open opens the file with that hash; the caller closes it. It returns ErrUnknown if there is none.
func (s *Store) Open(sum string) (*os.File, Item, error) {
	if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size || strings.ToLower(sum) != sum {
		return nil, Item{}, ErrUnknown
	}
	file, err := os.Open(s.path(sum))
	if errors.Is(err, os.ErrNotExist) {
		return nil, Item{}, ErrUnknown
	}
	if err != nil {
		return nil, Item{}, fmt.Errorf("mediastore: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, Item{}, errors.Join(fmt.Errorf("mediastore: %w", err), file.Close())
	}
	item, err := describe(file, sum, info.Size())
	if err != nil {
		return nil, Item{}, errors.Join(err, file.Close())
	}
	return file, item, nil
}

// Clear deletes every file, on disk too, and the history of fetches.
func (s *Store) Clear() error {
	s.clearing.Lock()
	defer s.clearing.Unlock()
	s.history.clear()
	return s.remove(func(string) bool { return true })
}

// remove deletes the files whose names match.
func (s *Store) remove(meant func(name string) bool) error {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return fmt.Errorf("mediastore: %w", err)
	}
	for _, entry := range entries {
		if !meant(entry.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(s.folder, entry.Name())); err != nil {
			return fmt.Errorf("mediastore: %w", err)
		}
	}
	return nil
}

func (s *Store) path(sum string) string { return filepath.Join(s.folder, sum) }

// cancellable is a reader that fails when its context ends.
type cancellable struct {
	ctx  context.Context //nolint:containedctx // Read takes no context
	from io.Reader
}

// Read reads until the context ends.
func (c *cancellable) Read(into []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.from.Read(into)
}

// Check stores a file that a network received. It returns false if the network cannot use it: it is empty, too large, or
// of none of the types, which are content types or kinds of media. The error is one of the disk or of the reader.
func (s *Store) Check(ctx context.Context, from io.Reader, limit int64, types ...string) (Item, bool, error) {
	item, err := s.Put(ctx, from, limit)
	switch {
	case errors.Is(err, ErrUnsupported), errors.Is(err, ErrTooLarge), errors.Is(err, ErrEmpty):
		return Item{}, false, nil
	case err != nil:
		return Item{}, false, err
	default:
		return item, slices.Contains(types, item.ContentType) || slices.Contains(types, string(item.Type)), nil
	}
}

// ErrFetch reports a failed fetch: the address is invalid, there was no response, the status was not 200, or the file
// could not be stored.
var ErrFetch = errors.New("mediastore: the file could not be fetched")

// remembered is the number of fetches kept in the history.
const remembered = 200

// Fetched is one attempt to fetch a file, with its result.
type Fetched struct {
	URL         string `json:"url"`         // without its query, which may contain a signature
	Status      int    `json:"status"`      // zero if there was no response
	ContentType string `json:"contentType"` // as in the response
	Size        int64  `json:"size"`        // stored bytes
	SHA256      string `json:"sha256"`      // empty if nothing was stored
	Error       string `json:"error"`       // empty on success
}

// Fetch stores the file at the address, as networks do that publish media from a URL: it sends one plain GET, follows
// no redirect and accepts only status 200. It returns ErrFetch, ErrTooLarge or ErrUnsupported if there is no file.
func (s *Store) Fetch(ctx context.Context, address string, limit int64) (Item, error) {
	attempt := Fetched{}
	item, err := s.fetch(ctx, address, limit, &attempt)
	if err != nil {
		attempt.Error = err.Error()
	}
	attempt.Size, attempt.SHA256 = item.Size, item.SHA256
	s.history.add(attempt)
	s.logger.InfoContext(ctx, "file fetched", slog.String("address", attempt.URL), slog.Int("status", attempt.Status),
		slog.String("content_type", attempt.ContentType), slog.Int64("bytes", attempt.Size),
		slog.String("error", attempt.Error))
	return item, err
}

func (s *Store) fetch(ctx context.Context, address string, limit int64, attempt *Fetched) (Item, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return Item{}, fmt.Errorf("%w: not an http or https URL", ErrFetch)
	}
	attempt.URL = parsed.Scheme + "://" + parsed.Host + parsed.EscapedPath()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return Item{}, fmt.Errorf("%w: not an http or https URL", ErrFetch)
	}
	request.Header.Set("User-Agent", "sandbox-network/1.0")
	response, err := s.client.Do(request)
	if err != nil {
		// the wrapper prints the whole address
		return Item{}, fmt.Errorf("%w: no response: %w", ErrFetch, errors.Unwrap(err))
	}
	defer func() { _ = response.Body.Close() }()
	attempt.Status, attempt.ContentType = response.StatusCode, response.Header.Get("Content-Type")
	if response.StatusCode != http.StatusOK {
		return Item{}, fmt.Errorf("%w: status %d", ErrFetch, response.StatusCode)
	}
	if response.ContentLength > limit {
		return Item{}, ErrTooLarge
	}
	item, err := s.Put(ctx, response.Body, limit)
	if err != nil && !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrUnsupported) {
		return Item{}, fmt.Errorf("%w: %w", ErrFetch, err)
	}
	return item, err
}

// Fetches returns the most recent fetches, newest first.
func (s *Store) Fetches() []Fetched { return s.history.newest() }

// history holds the most recent fetches, oldest first.
type history struct {
	mu      sync.Mutex
	fetches []Fetched
}

func (h *history) add(attempt Fetched) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fetches = append(h.fetches, attempt)
	if len(h.fetches) > remembered {
		h.fetches = slices.Delete(h.fetches, 0, len(h.fetches)-remembered)
	}
}

func (h *history) newest() []Fetched {
	h.mu.Lock()
	defer h.mu.Unlock()
	newest := append([]Fetched{}, h.fetches...)
	slices.Reverse(newest)
	return newest
}

func (h *history) clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fetches = nil
}
