package mediabox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/format"
)

// Stripped describes a file without its metadata.
type Stripped struct {
	Size        int64  // bytes
	ContentType string // sniffed
}

// Strip writes a file into an empty one without everything that must not be published: location and camera, times,
// titles, names, comments, previews, and all data after the picture or video.
//
//   - Pictures stay unchanged, byte for byte: nothing is decoded, and no child is started. JPEG, PNG, WebP and GIF files
//     become shorter. The EXIF orientation is kept if the picture would not be upright without it. In HEIC and AVIF files
//     all parts stay in place, and what is no picture is overwritten.
//   - The packets of videos and their colours, rotation and times stay unchanged. Only the tracks of video and audio are
//     kept, because cameras record locations in others. Embedded subtitles are removed too.
//   - PDF is a Failure of the class Unsupported, as are files that are not media: no part of a document can be removed
//     without its content, so publish it unchanged.
//
// Files that cannot be read are Broken or TooLarge: do not publish them. Strip fails with a *Failure if the file is the
// cause.
func (b *Box) Strip(ctx context.Context, path string, into *os.File) (Stripped, error) {
	file, info, err := openRegular(path)
	if err != nil {
		return Stripped{}, err
	}
	defer file.Close()
	contentType, err := sniff(file)
	if err != nil {
		return Stripped{}, err
	}
	stripped := Stripped{ContentType: contentType}
	if kind, _ := media.TypeOf(contentType); kind == media.Video {
		result, err := b.open(ctx, request{Task: taskStrip}, path, into)
		stripped.Size = result.Converted.Size
		return stripped, err
	}
	clean, err := format.Scan(file, info.Size(), contentType)
	if err != nil {
		return stripped, err
	}
	stripped.Size = clean.Size
	if _, err := io.Copy(into, clean.NewReader()); err != nil {
		return stripped, fmt.Errorf("mediabox: %w", err)
	}
	return stripped, nil
}

// sameType checks that the child wrote a file of the same type. Its output is untrusted data.
func sameType(said *Converted, contentType string, output *os.File) (Converted, error) {
	if said == nil {
		return Converted{}, errors.New("mediabox: the child wrote no file")
	}
	info, err := output.Stat()
	if err != nil {
		return Converted{}, fmt.Errorf("mediabox: %w", err)
	}
	if sniffed, err := sniff(output); err != nil || sniffed != contentType || info.Size() != said.Size {
		return Converted{}, errors.Join(format.Fail(format.Broken, "the child's file is not the described one"), err)
	}
	return *said, nil
}
