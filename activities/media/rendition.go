package media

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox"
)

// rendition returns the published form of a file: without location, camera and other metadata. It returns nil if the
// file is published unchanged. For a file that cannot be parsed it returns a *mediabox.Failure, because the file may
// contain any metadata.
func rendition(original *spool, contentType string) (*mediabox.Stripped, error) {
	if kind, _ := media.TypeOf(contentType); kind == media.Document {
		return nil, nil //nolint:nilnil // a document is published as its author wrote it, author included
	}
	stripped, err := mediabox.Strip(original, original.size)
	if err != nil {
		return nil, err
	}
	if unchanged, err := same(stripped, original); err != nil || unchanged {
		return nil, err
	}
	return stripped, nil
}

// same reports whether stripped and original have the same content.
func same(stripped *mediabox.Stripped, original *spool) (bool, error) {
	if stripped.Size != original.size {
		return false, nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, stripped.NewReader()); err != nil {
		return false, fmt.Errorf("media: %w", err)
	}
	return bytes.Equal(sum.Sum(nil), original.sum[:]), nil
}
