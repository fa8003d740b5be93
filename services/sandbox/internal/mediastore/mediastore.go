// Package mediastore is the sandbox network's memory of media: the files that its networks were given or have fetched.
//
// A file is kept once, under the hash of its bytes, and what it is was seen in those bytes alone. It is on disk before
// anybody hears of it.
package mediastore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // sizes of GIFs
	_ "image/jpeg" // of JPEG pictures
	_ "image/png"  // of PNG pictures
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/shared/domain/media"
)

// Refusals of Put and Fetch.
var (
	ErrTooLarge    = errors.New("mediastore: the file is larger than the network takes")
	ErrEmpty       = errors.New("mediastore: the file is empty")
	ErrUnsupported = errors.New("mediastore: the file is of no kind that is taken")
	ErrUnknown     = errors.New("mediastore: there is no such file")
)

// fetchTimeout bounds one fetch from dialling to the last byte.
const fetchTimeout = 2 * time.Minute

// incoming begins the names of files that are still being written.
const incoming = "incoming-"

// Item is one file.
type Item struct {
	SHA256        string     // of the bytes, in lower-case hexadecimal digits; the file's name in the store
	Type          media.Type // of the bytes, as is the content type
	ContentType   string
	Size          int64 // bytes
	Width, Height int   // pixels; zero for films, documents, and pictures that the standard library cannot read
}

// Media is the file as a post carries it: under the network's own id and with the words that stand for it.
func (i Item) Media(id, altText string) ledger.Media {
	return ledger.Media{
		ID: id, Type: string(i.Type), ContentType: i.ContentType, SHA256: i.SHA256, Size: i.Size,
		Width: i.Width, Height: i.Height, AltText: altText,
	}
}

// Config of a store.
type Config struct {
	Folder string // holds nothing else
	Logger *slog.Logger
	// Transport makes the calls of Fetch; a plain one when nil.
	Transport http.RoundTripper
}

// Store keeps files. It is safe for concurrent use.
type Store struct {
	folder string
	logger *slog.Logger
	client *http.Client

	clearing sync.RWMutex // keeps Clear and writing apart
	history  history
}

// Open makes the folder when it is missing and removes what a crash left half written.
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

// Put keeps the bytes of the reader and returns when they are on disk. ErrTooLarge tells that there are more than limit,
// ErrUnsupported that they are of no kind that is taken. The reader is read no further than that.
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

// write copies what comes and tells what it was.
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

// describe looks at the file's head.
func describe(file io.ReaderAt, sum string, size int64) (Item, error) {
	head := make([]byte, media.HeadSize)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return Item{}, fmt.Errorf("mediastore: %w", err)
	}
	kind, contentType, ok := media.Sniff(head[:n])
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

// Get describes the file of that hash; ErrUnknown when there is none.
func (s *Store) Get(sum string) (Item, error) {
	file, item, err := s.Open(sum)
	if err != nil {
		return Item{}, err
	}
	return item, file.Close()
}

// Open reads the file of that hash, which the caller closes; ErrUnknown when there is none.
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

// Clear forgets every file and every fetch, on disk too.
func (s *Store) Clear() error {
	s.clearing.Lock()
	defer s.clearing.Unlock()
	s.history.clear()
	return s.remove(func(string) bool { return true })
}

// remove deletes the files whose names are meant.
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

// cancellable ends with its context.
type cancellable struct {
	ctx  context.Context //nolint:containedctx // a Read has none of its own
	from io.Reader
}

// Read reads while the context lasts.
func (c *cancellable) Read(into []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.from.Read(into)
}
