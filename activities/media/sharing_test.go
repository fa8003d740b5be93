package media_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// internet is a Downloader that responds from a table of files by address, and records the addresses.
type internet struct {
	files     map[string]string
	requested []string
}

// Get implements media.Downloader.
func (n *internet) Get(_ context.Context, address string, limit int64) (*egress.Download, error) {
	n.requested = append(n.requested, address)
	content, ok := n.files[address]
	switch {
	case !ok:
		return nil, &egress.Error{Class: egress.ClassStatus, Stage: egress.StageExchange, Reason: "404", Status: 404}
	case int64(len(content)) > limit:
		return nil, &egress.Error{Class: egress.ClassTooLarge, Cause: egress.ErrLimit}
	}
	return &egress.Download{Host: "accounts.example", Size: -1, Body: io.NopCloser(bytes.NewBufferString(content))}, nil
}

func (b *bundle) importURL(t *testing.T, address string) media.Import {
	t.Helper()
	now := time.Now().UTC()
	i := media.Import{
		ID: ident.New[ident.Media](), WorkspaceID: b.owner.ID, URL: address, CreatedAt: now,
		Deadline: now.Add(time.Minute),
	}
	b.insert(t, i)
	_, err := b.importer.Import(t.Context(), inputOf(i))
	require.NoError(t, err)
	return i
}

// TestShareLinks checks that the file behind a share link is imported from its direct address.
func TestShareLinks(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	const drive = "https://drive.usercontent.google.com/download?confirm=t&export=download&id=1aB-c_9"
	for given, file := range map[string]string{
		"https://drive.google.com/file/d/1aB-c_9/view?usp=sharing":       drive,
		"https://Drive.Google.com/file/u/2/d/1aB-c_9/edit#x":             drive,
		"https://drive.google.com/open?id=1aB-c_9":                       drive,
		"https://drive.google.com/uc?export=view&id=1aB-c_9":             drive,
		" https://docs.google.com/uc?id=1aB-c_9 ":                        drive,
		"https://drive.google.com/file/d/1aB-c_9/view?resourcekey=0-K":   drive + "&resourcekey=0-K",
		"https://www.dropbox.com/s/k9/our cat.jpg?dl=0":                  "https://www.dropbox.com/s/k9/our%20cat.jpg?dl=1",
		"https://www.dropbox.com/scl/fi/k9/a.jpg?rlkey=r&st=s&dl=0#x":    "https://www.dropbox.com/scl/fi/k9/a.jpg?dl=1&rlkey=r&st=s",
		"https://dropbox.com/s/k9/a.jpg":                                 "https://dropbox.com/s/k9/a.jpg?dl=1",
		"https://www.dropbox.com/scl/fo/k9/folder?dl=0":                  "https://www.dropbox.com/scl/fo/k9/folder?dl=0",
		"https://www.dropbox.com/s/k9/a.jpg?raw=1":                       "https://www.dropbox.com/s/k9/a.jpg?raw=1",
		"https://drive.google.com/drive/folders/1aB-c_9":                 "https://drive.google.com/drive/folders/1aB-c_9",
		"https://notdropbox.com/s/k9/a.jpg":                              "https://notdropbox.com/s/k9/a.jpg",
		"https://drive.google.com.evil.example/file/d/1aB-c_9/view?id=1": "https://drive.google.com.evil.example/file/d/1aB-c_9/view?id=1",
	} {
		net := &internet{files: map[string]string{file: string(jpegFile(t))}}
		b.importer.Downloader = net
		b.reload(t, b.importURL(t, given).ID)
		require.Equal(t, []string{file}, net.requested, given)
	}
}

// TestShareLinksWithoutFile checks the fallback to the link itself, and the names of services.
func TestShareLinksWithoutFile(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	const (
		html  = "\n <!doctype html><title>photo.jpg - Drive</title>"
		share = "https://drive.google.com/file/d/1a/view"
		file  = "https://drive.usercontent.google.com/download?confirm=t&export=download&id=1a"
	)
	for name, test := range map[string]struct {
		files     map[string]string
		url       string
		requested []string
		text      string
	}{
		"both pages": {
			map[string]string{share: html, file: html},
			share,
			[]string{file, share},
			"This is a web page of Google Drive, not a file. Give the address of the file itself; a share link works if",
		},
		"direct address is gone": {map[string]string{share: html}, share, []string{file, share}, "a web page of Google Drive,"},
		"both gone":              {nil, share, []string{file, share}, "The file cannot be fetched: unexpected_status"},
		"too large":              {map[string]string{file: string(make([]byte, 51<<20))}, share, []string{file}, "larger than the 50 MiB"},
		"another service": {
			map[string]string{"https://1drv.ms/i/x": html},
			"https://1drv.ms/i/x",
			[]string{"https://1drv.ms/i/x"},
			"This is a web page of OneDrive, not a file. Give the address of the file itself.",
		},
		"unknown service": {
			map[string]string{"https://a.example/x": html},
			"https://a.example/x",
			[]string{"https://a.example/x"},
			"This is a web page of accounts.example, not a file.",
		},
	} {
		net := &internet{files: test.files}
		b.importer.Downloader = net
		i := b.importURL(t, test.url)
		require.Equal(t, test.requested, net.requested, name)
		code := apperr.ImportFailed
		if name == "too large" {
			code = apperr.QuotaExceeded
		}
		b.requireFailed(t, i, code, test.text)
	}

	// The page of the direct address is not the reason of a failure, but the file behind the link.
	net := &internet{files: map[string]string{file: html, share: string(jpegFile(t))}}
	b.importer.Downloader = net
	b.reload(t, b.importURL(t, share).ID)
	require.Equal(t, []string{file, share}, net.requested)
}

// TestImportOfGzipResponse checks that a compressed response is stored as the file that it contains.
func TestImportOfGzipResponse(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	content := jpegFile(t)
	i := b.request(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		packer := gzip.NewWriter(w)
		_, err := packer.Write(content)
		if err := errors.Join(err, packer.Close()); err != nil {
			t.Error(err)
		}
	})
	_, err := b.importer.Import(t.Context(), inputOf(i))
	require.NoError(t, err)
	asset := b.reload(t, i.ID)
	require.Equal(t, int64(len(content)), asset.Size)
	require.Equal(t, content, b.read(t, asset.Files.Original.Key))
}
