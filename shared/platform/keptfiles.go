package platform

import (
	"context"
	"errors"
	"io"
	"sync"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

// KeptFiles opens each file once and returns it on every later Open. The irrevocable call can therefore reuse the files
// that its preparation has opened, and does not spend its time window on storage. KeptFiles is safe for concurrent use.
type KeptFiles struct {
	files Files

	mu   sync.Mutex
	kept map[ident.Media]File
}

var _ Files = (*KeptFiles)(nil)

// KeepFiles returns a KeptFiles that holds opened files until Close.
func KeepFiles(files Files) *KeptFiles {
	return &KeptFiles{files: files, kept: make(map[ident.Media]File)}
}

// Open returns the file, positioned at its start, and opens it on the first call. Closing the returned file has no
// effect.
func (k *KeptFiles) Open(ctx context.Context, asset media.Asset) (File, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	file, ok := k.kept[asset.ID]
	if !ok {
		opened, err := k.files.Open(ctx, asset)
		if err != nil {
			return nil, err
		}
		k.kept[asset.ID], file = opened, opened
	}
	return &keptFile{SectionReader: io.NewSectionReader(file, 0, file.Size()), file: file}, nil
}

// Link returns the link of the underlying Files.
func (k *KeptFiles) Link(ctx context.Context, asset media.Asset) (string, error) {
	return k.files.Link(ctx, asset)
}

// Close closes every file. Files returned by Open can no longer be read.
func (k *KeptFiles) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var errs []error
	for _, file := range k.kept {
		errs = append(errs, file.Close())
	}
	clear(k.kept)
	return errors.Join(errs...)
}

// keptFile reads a file that is shared with other readers.
type keptFile struct {
	*io.SectionReader

	file File
}

// ContentType returns the file's content type.
func (f *keptFile) ContentType() string { return f.file.ContentType() }

// Name returns the file's name.
func (f *keptFile) Name() string { return f.file.Name() }

// Close does nothing: KeptFiles closes the file.
func (f *keptFile) Close() error { return nil }
