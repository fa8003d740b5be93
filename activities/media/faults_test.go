package media_test

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/kernel/apperr"
)

// moment selects a request to the store.
type moment func(*http.Request) bool

func method(name string) moment {
	return func(r *http.Request) bool { return r.Method == name }
}

// nth selects the n-th matching request.
func nth(n int, match moment) moment {
	return func(r *http.Request) bool {
		if match(r) {
			n--
		}
		return n == 0
	}
}

// query selects a request with a parameter of multipart uploads.
func query(method, parameter string) moment {
	return func(r *http.Request) bool { return r.Method == method && r.URL.Query().Has(parameter) }
}

// stall makes the store unresponsive from this request on.
func (b *bundle) stall(*http.Request) (*http.Response, error) {
	b.proxy.Stall()
	return nil, nil //nolint:nilnil // the request continues without a response
}

// lose forwards the request and drops the response.
func (b *bundle) lose(r *http.Request) (*http.Response, error) {
	response, err := b.wire.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close()
	return nil, io.ErrUnexpectedEOF
}

// full responds like a store without free space.
func full(r *http.Request) (*http.Response, error) {
	const text = `<?xml version="1.0"?><Error><Code>XMinioStorageFull</Code><Message>no space</Message></Error>`
	return &http.Response{
		StatusCode: http.StatusInsufficientStorage, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/xml"}}, Body: io.NopCloser(strings.NewReader(text)),
		ContentLength: int64(len(text)),
	}, nil
}

// halfway serves a file and calls do after half of it was sent.
func halfway(content []byte, announced bool, do func()) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if announced {
			w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		}
		half := len(content) / 2
		_, _ = w.Write(content[:half])
		do()
		_, _ = w.Write(content[half:])
	}
}

// TestStoreFailsDuringImport covers each phase of an import: nothing is recorded, the next attempt succeeds, and the
// objects of the first one are cleaned up.
func TestStoreFailsDuringImport(t *testing.T) {
	t.Parallel()
	content := video(24 << 20)
	tests := map[string]struct {
		announced bool
		prepare   func(b *bundle)
		halfway   func(b *bundle)
	}{
		"silent from the start": {announced: true, prepare: func(b *bundle) { b.proxy.Stall() }},
		"silent at the transfer": {
			announced: true, prepare: func(b *bundle) { b.wire.at(method(http.MethodPut), b.stall) },
		},
		"cut in the transfer":    {announced: true, halfway: func(b *bundle) { b.proxy.Cut() }},
		"silent in the transfer": {announced: true, halfway: func(b *bundle) { b.proxy.Stall() }},
		"the answer is lost": {
			announced: true, prepare: func(b *bundle) { b.wire.at(method(http.MethodPut), b.lose) },
		},
		"full": {
			announced: true, prepare: func(b *bundle) { b.wire.at(method(http.MethodPut), full) },
		},
		"in parts, silent at the beginning": {
			prepare: func(b *bundle) { b.wire.at(query(http.MethodPost, "uploads"), b.stall) },
		},
		"in parts, silent at the second part": {
			prepare: func(b *bundle) { b.wire.at(nth(2, query(http.MethodPut, "partNumber")), b.stall) },
		},
		"in parts, the second is cut": {
			prepare: func(b *bundle) { b.wire.at(nth(2, query(http.MethodPut, "partNumber")), b.lose) },
		},
		"in parts, full at the third": {
			prepare: func(b *bundle) { b.wire.at(nth(3, query(http.MethodPut, "partNumber")), full) },
		},
		"in parts, silent at the end": {
			prepare: func(b *bundle) { b.wire.at(query(http.MethodPost, "uploadId"), b.stall) },
		},
		"in parts, the answer is lost": {
			prepare: func(b *bundle) { b.wire.at(query(http.MethodPost, "uploadId"), b.lose) },
		},
		"in parts, cut in the transfer": {halfway: func(b *bundle) { b.wire.at(method(http.MethodPut), b.lose) }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, workspace.Free)
			if test.prepare != nil {
				test.prepare(b)
			}
			var first sync.Once // the second attempt may start before the server detects the end of the first
			i := b.request(t, halfway(content, test.announced, func() {
				first.Do(func() {
					if test.halfway != nil {
						test.halfway(b)
					}
				})
			}))
			_, err := b.importer.Import(t.Context(), inputOf(i))
			require.Error(t, err, "our own fault, to be tried again")
			now, err := b.imports.Get(t.Context(), b.owner.ID, i.ID)
			require.NoError(t, err)
			require.Equal(t, media.ImportRunning, now.State)
			_, err = b.media.Get(t.Context(), b.owner.ID, i.ID)
			require.True(t, apperr.Is(err, apperr.NotFound))
			require.Zero(t, b.storage(t))

			b.proxy.Resume()
			_, err = b.importer.Import(t.Context(), inputOf(i))
			require.NoError(t, err)
			asset := b.reload(t, i.ID)
			b.sweep(t, asset)
			require.True(t, bytes.Equal(content, b.read(t, asset.Files.Original.Key)))
			require.Equal(t, int64(len(content)), b.storage(t))
		})
	}
}

// TestImportFailsWhileStoreIsDown checks that the import fails and leaves no object.
func TestImportFailsWhileStoreIsDown(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	i := b.request(t, serveFile("", jpegFile(t)))
	b.wire.at(method(http.MethodPut), b.lose)
	_, err := b.importer.Import(t.Context(), inputOf(i))
	require.ErrorIs(t, err, objectstore.ErrUnavailable)
	_, err = b.importer.FailImport(t.Context(), inputOf(i))
	require.NoError(t, err)
	b.requireFailed(t, i, apperr.Unavailable, "Nothing was imported")
	require.Len(t, b.keys(t), 1)
	b.sweep(t)
	require.Zero(t, b.storage(t))
}

// TestStoreFailsDuringProcessing covers each phase of processing.
func TestStoreFailsDuringProcessing(t *testing.T) {
	t.Parallel()
	tests := map[string]func(b *bundle){
		"silent from the start":          func(b *bundle) { b.proxy.Stall() },
		"silent at the file":             func(b *bundle) { b.wire.at(method(http.MethodGet), b.stall) },
		"the file is cut":                func(b *bundle) { b.wire.at(method(http.MethodGet), b.lose) },
		"silent at the thumbnail":        func(b *bundle) { b.wire.at(method(http.MethodPut), b.stall) },
		"the thumbnail's answer is lost": func(b *bundle) { b.wire.at(method(http.MethodPut), b.lose) },
		"full at the thumbnail":          func(b *bundle) { b.wire.at(method(http.MethodPut), full) },
		"silent at what is published":    func(b *bundle) { b.wire.at(nth(2, method(http.MethodPut)), b.stall) },
		"the published one's answer":     func(b *bundle) { b.wire.at(nth(2, method(http.MethodPut)), b.lose) },
		"full at what is published":      func(b *bundle) { b.wire.at(nth(2, method(http.MethodPut)), full) },
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, workspace.Free)
			asset := b.arrived(t, media.ContentTypeJPEG, jpegFile(t))
			prepare(b)
			_, err := b.processor.Process(t.Context(), flow.MediaInput{MediaID: asset.ID, WorkspaceID: asset.WorkspaceID})
			require.Error(t, err)
			require.False(t, b.reload(t, asset.ID).Processed())
			b.requireNoFiles(t)

			b.proxy.Resume()
			asset = b.process(t, asset)
			require.Empty(t, asset.Problem)
			b.sweep(t, asset)
		})
	}
}

// TestStoreConnectionIsCutDuringRead cuts the connection to the store while a file is read.
func TestStoreConnectionIsCutDuringRead(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	content := append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("x"), 16<<20)...)
	asset := b.arrived(t, media.ContentTypePDF, content)
	b.wire.at(method(http.MethodGet), func(r *http.Request) (*http.Response, error) {
		response, err := b.wire.next.RoundTrip(r)
		if err == nil {
			response.Body = &cutBody{ReadCloser: response.Body, remaining: 5 << 20, cut: b.proxy.Cut}
		}
		return response, err
	})
	_, err := b.processor.Process(t.Context(), flow.MediaInput{MediaID: asset.ID, WorkspaceID: asset.WorkspaceID})
	require.ErrorIs(t, err, objectstore.ErrUnavailable)
	require.False(t, b.reload(t, asset.ID).Processed())
	b.requireNoFiles(t)
	b.sweep(t, b.process(t, asset))
}

// cutBody cuts the connection after a number of bytes.
type cutBody struct {
	io.ReadCloser
	remaining int
	cut       func()
}

// Read reads from the body.
func (c *cutBody) Read(p []byte) (int, error) {
	if c.remaining > 0 {
		n, err := c.ReadCloser.Read(p)
		if c.remaining -= n; c.remaining <= 0 {
			c.cut()
		}
		return n, err
	}
	return c.ReadCloser.Read(p)
}
