package mediabox

import (
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"os"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/format"
)

// Target describes a wanted file. Zero fields require nothing.
type Target struct {
	ContentType string `json:"contentType"` // image/jpeg, or video/mp4 for a GIF; empty means image/jpeg
	Width       int    `json:"width"`       // pixels of the upright picture
	Height      int    `json:"height"`
	Size        int64  `json:"size"`  // maximum number of bytes of a JPEG
	Loops       int    `json:"loops"` // how often a video shows the GIF; zero means once
}

// Converted describes a picture that Convert wrote.
type Converted struct {
	ContentType string `json:"contentType"` // image/jpeg or video/mp4
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	Size        int64  `json:"size"` // bytes
}

// Convert writes a picture as JPEG into an empty file: upright, on white instead of transparent, with its colour
// profile and no other metadata, and with the size of the target. The picture is smaller if the file would have too many
// bytes otherwise, and never larger than the original. Convert fails with a *Failure if the file is the cause, as for
// videos and documents, which are Unsupported.
//
// A GIF can become an MP4 video instead, on white, without sound, with H.264 at 25 frames per second.
func (b *Box) Convert(ctx context.Context, path string, to Target, into *os.File) (Converted, error) {
	result, err := b.open(ctx, request{Task: taskConvert, Target: to}, path, into)
	return result.Converted, err
}

// checked compares the child's output with its description and the target. Both are untrusted data.
func (t Target) checked(said *Converted, output *os.File) (Converted, error) {
	if said == nil {
		return Converted{}, format.Fail(format.Unsupported, "the file is not a picture")
	}
	info, err := output.Stat()
	if err != nil {
		return Converted{}, fmt.Errorf("mediabox: %w", err)
	}
	if t.ContentType == media.ContentTypeMP4 {
		contentType, err := sniff(output)
		if err != nil || contentType != media.ContentTypeMP4 || info.Size() != said.Size || said.ContentType != contentType ||
			said.Width != t.Width || said.Height != t.Height {
			return Converted{}, errors.Join(format.Fail(format.Broken, "the child's video is not the described one"), err)
		}
		return *said, nil
	}
	config, err := jpeg.DecodeConfig(io.NewSectionReader(output, 0, info.Size()))
	switch {
	case err != nil:
		return Converted{}, errors.Join(format.Fail(format.Broken, "the child's picture is not a JPEG"), err)
	case said.ContentType != media.ContentTypeJPEG, info.Size() != said.Size,
		config.Width != said.Width, config.Height != said.Height:
		return Converted{}, format.Fail(format.Broken, "the child's picture is not the described one")
	case t.Size > 0 && info.Size() > t.Size, t.Width > 0 && config.Width > t.Width, t.Height > 0 && config.Height > t.Height:
		return Converted{}, format.Fail(format.Broken, "the child's picture is larger than the target")
	}
	return *said, nil
}
