package mediabox

import (
	"io"

	"socialpub.internal/shared/mediabox/internal/metadata"
)

// Stripped is a picture's file without what it says beside the picture.
type Stripped struct {
	// Size is its length in bytes.
	Size int64
	// ContentType is that of the first file, sniffed.
	ContentType string

	clean *metadata.Clean
}

// NewReader reads the file from its beginning, out of the source given to Strip. It may be called again, so a transfer can be
// repeated.
func (s *Stripped) NewReader() io.Reader { return s.clean.NewReader() }

// Strip removes from a JPEG, PNG, WebP or GIF file what must not be published with it: EXIF with the place and the camera,
// XMP, IPTC, comments, previews, and whatever stands behind the picture. Pixels and colour profile stay as they are, byte
// for byte; nothing is decoded, and little memory is used however large the file. Of EXIF one entry stays, the
// orientation, when the picture would not be upright without it.
//
// Other types are a Failure of the class Unsupported, files that cannot be walked Broken. Errors that are no Failure are
// the source's.
func Strip(source io.ReaderAt, size int64) (*Stripped, error) {
	contentType, err := sniff(source)
	if err != nil {
		return nil, err
	}
	clean, err := metadata.Scan(source, size, contentType)
	if err != nil {
		return nil, err
	}
	return &Stripped{Size: clean.Size, ContentType: contentType, clean: clean}, nil
}
