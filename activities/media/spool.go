package media

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/objectstore"
)

// Errors of objects read from storage.
var (
	errGone    = errors.New("media: the object no longer exists")
	errChanged = errors.New("media: the object differs from the stored one")
)

// spool is a private temporary file. It has no name in any directory, so that no other process opens it, and the system
// removes it when the process dies.
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

// path returns a path of the open file that is valid only in this process.
func (s *spool) path() string { return fmt.Sprintf("/dev/fd/%d", s.Fd()) }

// fill copies content into the spool and rewinds it.
func (s *spool) fill(content io.Reader) error { return s.describe(s.File, content) }

// measure records the size and the sum of what another writer has written, and rewinds the spool.
func (s *spool) measure() error {
	return s.describe(io.Discard, io.NewSectionReader(s.File, 0, math.MaxInt64))
}

func (s *spool) describe(into io.Writer, content io.Reader) error {
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(into, sum), content)
	if err != nil {
		return err
	}
	s.size, s.sum = size, [sha256.Size]byte(sum.Sum(nil))
	_, err = s.Seek(0, io.SeekStart)
	return err
}

// restore copies an object into a spool. It returns errGone if the object does not exist, and errChanged if it is not
// the described one, by its SHA-256 or, if that is not known yet, by its ETag.
func restore(
	ctx context.Context, objects *objectstore.Store, folder string, object media.Object, moved *progress,
) (*spool, error) {
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
