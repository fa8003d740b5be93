package media

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"

	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/infra/mediabox"
)

// rendition is what is published of a file: without the place, the camera and whatever else it says beside the picture. It is
// nil for a file that is published as it is. A file that cannot be walked is a *mediabox.Failure, because nobody knows what
// it says.
func rendition(original *spool, contentType string) (*mediabox.Stripped, error) {
	if contentType == media.ContentTypePDF {
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

// same tells whether nothing was taken away.
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
