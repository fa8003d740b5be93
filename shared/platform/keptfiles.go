package platform

import (
	"context"
	"errors"
	"io"
	"sync"

	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/kernel/ident"
)

// KeptFiles are files of which each is opened once and given out as often as it is asked for. They let the irrevocable call
// begin at once, with what its preparation has opened, instead of spending its time window on storage. They are safe for
// concurrent use.
type KeptFiles struct {
	files Files

	mu   sync.Mutex
	kept map[ident.Media]File
}

var _ Files = (*KeptFiles)(nil)

// KeepFiles keeps what is opened of the files until Close.
func KeepFiles(files Files) *KeptFiles {
	return &KeptFiles{files: files, kept: make(map[ident.Media]File)}
}

// Open gives the file from its start, opened now or before. Closing it lets nothing go.
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

// Link passes on.
func (k *KeptFiles) Link(ctx context.Context, asset media.Asset) (string, error) {
	return k.files.Link(ctx, asset)
}

// Close lets every file go. Nothing that was opened can be read any more.
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

// keptFile reads a file that others read too.
type keptFile struct {
	*io.SectionReader

	file File
}

// ContentType is the file's.
func (f *keptFile) ContentType() string { return f.file.ContentType() }

// Name is the file's.
func (f *keptFile) Name() string { return f.file.Name() }

// Close is left to the keeper.
func (f *keptFile) Close() error { return nil }
