package mediawork

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	"socialpub.internal/shared/media"
	"socialpub.internal/shared/mediabox"
)

// rendition is what is published of a file: without the place, the camera and whatever else it says beside the picture. It is
// nil for a file that is published as it is. A file that cannot be walked is a *mediabox.Failure, because nobody knows what
// it says.
func rendition(original *spool, contentType string) (*mediabox.Stripped, error) {
	stripped, err := mediabox.Strip(original, original.size)
	if class, ok := mediabox.ClassOf(err); ok && class == mediabox.Unsupported && !strippable(contentType) {
		return nil, nil //nolint:nilnil // nothing to take away is no failure
	}
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
		return false, fmt.Errorf("mediawork: %w", err)
	}
	return bytes.Equal(sum.Sum(nil), original.sum[:]), nil
}

// strippable tells whether files of the type are published without their metadata.
func strippable(contentType string) bool {
	return slices.Contains([]string{
		media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeWebP, media.ContentTypeGIF,
	}, contentType)
}
