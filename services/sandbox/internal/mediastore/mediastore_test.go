package mediastore_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/shared/domain/media"
)

func setup(t *testing.T) (*mediastore.Store, string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "media")
	return open(t, folder), folder
}

func open(t *testing.T, folder string) *mediastore.Store {
	t.Helper()
	store, err := mediastore.Open(mediastore.Config{Folder: folder, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return store
}

func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, image.NewGray(image.Rect(0, 0, width, height))))
	return file.Bytes()
}

func hash(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	list := []string{}
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}

func TestOpenRequiresConfig(t *testing.T) {
	t.Parallel()

	_, err := mediastore.Open(mediastore.Config{})
	require.Error(t, err)
}

func TestPut(t *testing.T) {
	t.Parallel()

	store, folder := setup(t)
	file := picture(t, 7, 5)
	item, err := store.Put(t.Context(), bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	require.Equal(t, mediastore.Item{
		SHA256: hash(file), Type: media.Image, ContentType: "image/png", Size: int64(len(file)), Width: 7, Height: 5,
	}, item)
	require.Equal(t, ledger.Media{
		ID: "7", Type: "IMAGE", ContentType: "image/png", SHA256: item.SHA256, Size: item.Size, Width: 7, Height: 5,
		AltText: "words",
	}, item.Media("7", "words"))

	again, err := store.Put(t.Context(), iotest.OneByteReader(bytes.NewReader(file)), int64(len(file)))
	require.NoError(t, err)
	require.Equal(t, item, again)
	require.Equal(t, []string{item.SHA256}, names(t, folder), "once")

	for _, kept := range []*mediastore.Store{store, open(t, folder)} {
		known, err := kept.Get(item.SHA256)
		require.NoError(t, err)
		require.Equal(t, item, known)
		reader, _, err := kept.Open(item.SHA256)
		require.NoError(t, err)
		content, err := io.ReadAll(reader)
		require.NoError(t, errors.Join(err, reader.Close()))
		require.Equal(t, file, content)
	}
}

func TestPutRefuses(t *testing.T) {
	t.Parallel()

	file := picture(t, 7, 5)
	ended, end := context.WithCancel(t.Context())
	end()
	for name, test := range map[string]struct {
		ctx    context.Context //nolint:containedctx // a test case
		reader io.Reader
		limit  int64
		want   error
	}{
		"one byte too many": {t.Context(), bytes.NewReader(file), int64(len(file)) - 1, mediastore.ErrTooLarge},
		"a page": {
			t.Context(), strings.NewReader("<!doctype html><script>alert(1)</script>"), 1 << 20, mediastore.ErrUnsupported,
		},
		"nothing":             {t.Context(), strings.NewReader(""), 1 << 20, mediastore.ErrEmpty},
		"a reader that fails": {t.Context(), iotest.ErrReader(io.ErrUnexpectedEOF), 1 << 20, io.ErrUnexpectedEOF},
		"an end on the way":   {ended, bytes.NewReader(file), 1 << 20, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			store, folder := setup(t)
			_, err := store.Put(test.ctx, test.reader, test.limit)
			require.ErrorIs(t, err, test.want)
			require.Empty(t, names(t, folder))
		})
	}
}

func TestUnknownFiles(t *testing.T) {
	t.Parallel()

	store, folder := setup(t)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(folder), "secret"), picture(t, 1, 1), 0o600))
	for _, name := range []string{
		"", "..", "../secret", "%2e%2e/secret", hash(nil), strings.ToUpper(hash(nil)), hash(nil) + "/",
	} {
		_, _, err := store.Open(name)
		require.ErrorIs(t, err, mediastore.ErrUnknown, name)
		_, err = store.Get(name)
		require.ErrorIs(t, err, mediastore.ErrUnknown, name)
	}
}

func TestOpenRemovesIncompleteFiles(t *testing.T) {
	t.Parallel()

	store, folder := setup(t)
	file := picture(t, 2, 2)
	_, err := store.Put(t.Context(), bytes.NewReader(file), 1<<20)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "incoming-1"), file[:9], 0o600))
	open(t, folder)
	require.Equal(t, []string{hash(file)}, names(t, folder))
}

func TestClear(t *testing.T) {
	t.Parallel()

	store, folder := setup(t)
	var group sync.WaitGroup
	for i := range 40 {
		file := picture(t, i+1, 1)
		group.Go(func() {
			_, err := store.Put(context.WithoutCancel(t.Context()), bytes.NewReader(file), 1<<20)
			require.NoError(t, err)
		})
		if i%10 == 0 {
			group.Go(func() { require.NoError(t, store.Clear()) })
		}
	}
	group.Wait()
	_, err := store.Fetch(t.Context(), "nowhere", 1)
	require.Error(t, err)
	require.NoError(t, store.Clear())
	require.Empty(t, names(t, folder))
	require.Empty(t, store.Fetches())
}

func TestFetch(t *testing.T) {
	t.Parallel()

	file := picture(t, 3, 3)
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("signature") != "secret" {
			w.WriteHeader(http.StatusForbidden)
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(file)
	})
	mux.HandleFunc("/created", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusCreated) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/ok?signature=secret", http.StatusFound)
	})
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write(file)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	store, folder := setup(t)
	item, err := store.Fetch(t.Context(), server.URL+"/ok?signature=secret", 1<<20)
	require.NoError(t, err)
	require.Equal(t, hash(file), item.SHA256)
	require.Equal(t, []mediastore.Fetched{{
		URL: server.URL + "/ok", Status: http.StatusOK, ContentType: "text/html", Size: int64(len(file)), SHA256: hash(file),
	}}, store.Fetches())

	for path, want := range map[string]error{
		"/created": mediastore.ErrFetch, "/moved": mediastore.ErrFetch, "/nowhere": mediastore.ErrFetch,
		"/short": mediastore.ErrFetch,
		"/page":  mediastore.ErrUnsupported, "/endless": mediastore.ErrTooLarge,
	} {
		_, err := store.Fetch(t.Context(), server.URL+path+"?signature=secret", 1<<20)
		require.ErrorIs(t, err, want, path)
		require.Equal(t, server.URL+path, store.Fetches()[0].URL)
		require.NotEmpty(t, store.Fetches()[0].Error)
	}
	for _, address := range []string{
		"", "ftp://127.0.0.1/a", "file:///etc/passwd", "http://", "http://127.0.0.1:1/?signature=secret", "::",
	} {
		_, err := store.Fetch(t.Context(), address, 1<<20)
		require.ErrorIs(t, err, mediastore.ErrFetch, address)
		require.NotContains(t, err.Error(), "secret")
	}
	require.Equal(t, []string{hash(file)}, names(t, folder))
}

func TestOldFetchesAreDropped(t *testing.T) {
	t.Parallel()

	store, _ := setup(t)
	for range 250 {
		_, err := store.Fetch(t.Context(), "ftp://a", 1)
		require.Error(t, err)
	}
	require.Len(t, store.Fetches(), 200)
}
