package media

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/infra/objectstore"
)

// What an object in storage can turn out to be.
var (
	errGone    = errors.New("media: the object is gone")
	errChanged = errors.New("media: the object is not what was stored")
)

// spool is a file of ours alone. It has no name in any folder, so nobody else opens it, and nothing is left of it when the
// process dies.
type spool struct {
	*os.File
	size int64
	sum  [sha256.Size]byte // of the content
}

func newSpool(folder string) (*spool, error) {
	file, err := os.CreateTemp(folder, "media-*")
	if err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, fmt.Errorf("media: %w", errors.Join(err, file.Close()))
	}
	return &spool{File: file}, nil
}

// path leads to the file while it is open, for this process alone.
func (s *spool) path() string { return fmt.Sprintf("/dev/fd/%d", s.Fd()) }

// fill takes over a content. The spool stands at its beginning afterwards.
func (s *spool) fill(content io.Reader) error {
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(s.File, sum), content)
	if err != nil {
		return err
	}
	s.size, s.sum = size, [sha256.Size]byte(sum.Sum(nil))
	_, err = s.Seek(0, io.SeekStart)
	return err
}

// bringBack reads an object into a spool. errGone when there is none, errChanged when it is not the one that is described:
// by its SHA-256 or, where that is not known yet, by its ETag.
func bringBack(ctx context.Context, objects *objectstore.Store, folder string, object media.Object, moved *progress) (*spool, error) {
	reader, err := objects.Open(ctx, object.Key, objectstore.Range{})
	if errors.Is(err, objectstore.ErrNotFound) {
		return nil, errGone
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = reader.Close() }()
	if info := reader.Info(); info.Size != object.Size || len(object.SHA256) == 0 && info.ETag != object.ETag {
		return nil, errChanged
	}
	file, err := newSpool(folder)
	if err != nil {
		return nil, err
	}
	err = file.fill(io.TeeReader(reader, moved))
	if err == nil && (file.size != object.Size || len(object.SHA256) != 0 && !bytes.Equal(file.sum[:], object.SHA256)) {
		err = errChanged
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
