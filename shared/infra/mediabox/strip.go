package mediabox

import (
	"io"

	"fencepost.internal/shared/infra/mediabox/internal/metadata"
)

// Stripped is a file without its metadata.
type Stripped struct {
	// Size is the length in bytes.
	Size int64
	// ContentType is the sniffed content type of the original file.
	ContentType string

	clean *metadata.Clean
}

// NewReader returns a reader of the file, which reads from the source given to Strip. It may be called repeatedly, so
// that a transfer can be retried.
func (s *Stripped) NewReader() io.Reader { return s.clean.NewReader() }

// Strip removes everything from a file that must not be published: location and camera, times, titles, names, comments,
// previews, and all data after the picture or video. Pixels, colour profile and audio stay unchanged, byte for byte.
// Nothing is decoded, and the memory use does not depend on the size of the file.
//
//   - JPEG, PNG, WebP and GIF files become shorter. The EXIF orientation is kept if the picture would not be upright
//     without it.
//   - In HEIC, MP4, MOV and WebM files all parts stay in place, and removed parts are overwritten: EXIF and XMP items,
//     user data, boxes and elements not known to be needed, and in MP4 and MOV the tracks that are neither video nor
//     audio, with their samples, because cameras record locations there. Embedded subtitles are removed too.
//   - PDF is a Failure of the class Unsupported, as are files that are not media: no part of a document can be removed
//     without its content, so publish it unchanged.
//
// Files that cannot be walked are Broken or TooLarge: do not publish them. Errors other than Failure come from the
// source.
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
