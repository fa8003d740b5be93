package mediastore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
)

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
	met := Fetched{}
	item, err := s.fetch(ctx, address, limit, &met)
	if err != nil {
		met.Error = err.Error()
	}
	met.Size, met.SHA256 = item.Size, item.SHA256
	s.history.add(met)
	s.logger.InfoContext(ctx, "file fetched", slog.String("address", met.URL), slog.Int("status", met.Status),
		slog.String("content_type", met.ContentType), slog.Int64("bytes", met.Size), slog.String("error", met.Error))
	return item, err
}

func (s *Store) fetch(ctx context.Context, address string, limit int64, met *Fetched) (Item, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return Item{}, fmt.Errorf("%w: not an http or https URL", ErrFetch)
	}
	met.URL = parsed.Scheme + "://" + parsed.Host + parsed.EscapedPath()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return Item{}, fmt.Errorf("%w: not an http or https URL", ErrFetch)
	}
	request.Header.Set("User-Agent", "sandbox-network/1.0")
	answer, err := s.client.Do(request)
	if err != nil {
		// the wrapper prints the whole address
		return Item{}, fmt.Errorf("%w: no response: %w", ErrFetch, errors.Unwrap(err))
	}
	defer func() { _ = answer.Body.Close() }()
	met.Status, met.ContentType = answer.StatusCode, answer.Header.Get("Content-Type")
	if answer.StatusCode != http.StatusOK {
		return Item{}, fmt.Errorf("%w: status %d", ErrFetch, answer.StatusCode)
	}
	if answer.ContentLength > limit {
		return Item{}, ErrTooLarge
	}
	item, err := s.Put(ctx, answer.Body, limit)
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

func (h *history) add(met Fetched) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fetches = append(h.fetches, met)
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
