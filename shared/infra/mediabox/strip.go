package mediabox

import (
	"io"

	"socialpub.internal/shared/infra/mediabox/internal/metadata"
)

// Stripped is a file without what it says beside its pictures and sound.
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

// Strip removes from a file what must not be published with it: the place and the camera, times, titles, names, comments,
// previews, and whatever stands behind the picture or film. Pixels, colour profile and sound stay as they are, byte for byte;
// nothing is decoded, and little memory is used however large the file.
//
//   - JPEG, PNG, WebP and GIF files become shorter. Of EXIF one entry stays, the orientation, when the picture would not be
//     upright without it.
//   - In HEIC, MP4, MOV and WebM files everything stays in its place, and what goes is overwritten: EXIF and XMP items, user
//     data, boxes and elements that are not known to be needed, and in MP4 and MOV the tracks that are neither picture nor
//     sound, with their samples, because cameras write there where they are. Subtitles inside such a file go too.
//   - PDF is a Failure of the class Unsupported, as is what is no media at all: a document has no part that could go
//     without its content, so publish it as it is.
//
// Files that cannot be walked are Broken or TooLarge: do not publish them. Errors that are no Failure are the source's.
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
