package media

import (
	"bytes"
	"context"
	"errors"
	"os"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox"
)

// Stripper removes the metadata of untrusted files; see mediabox.Box.
type Stripper interface {
	Strip(ctx context.Context, path string, into *os.File) (mediabox.Stripped, error)
}

// rendition returns the published form of a file: without location, camera and other metadata. It returns nil if the
// file is published unchanged. For a file whose metadata cannot be removed it returns a *mediabox.Failure, because the
// file may contain any metadata.
func rendition(ctx context.Context, box Stripper, folder string, original *spool, contentType string) (*spool, error) {
	if kind, _ := media.TypeOf(contentType); kind == media.Document {
		return nil, nil //nolint:nilnil // a document is published as its author wrote it, author included
	}
	stripped, err := newSpool(folder)
	if err != nil {
		return nil, err
	}
	_, err = box.Strip(ctx, original.path(), stripped.File)
	if err == nil {
		err = stripped.measure()
	}
	if err != nil || bytes.Equal(stripped.sum[:], original.sum[:]) {
		return nil, errors.Join(err, stripped.Close())
	}
	return stripped, nil
}
