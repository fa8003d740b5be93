package format

import (
	"bufio"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"time"

	"golang.org/x/image/webp"

	"fencepost.internal/shared/domain/media"
)

// Limits bounds what is decoded. The limits are checked before memory is allocated for the pixels.
type Limits struct {
	Pixels int64 // width × height
	Side   int   // the longer of width and height
	Frames int   // frames of a GIF, which are counted without decoding
}

// Check compares a size with the limits.
func (l Limits) Check(width, height int) error {
	switch {
	case width <= 0 || height <= 0:
		return Fail(Broken, "a size of %d × %d", width, height)
	case width > l.Side || height > l.Side || int64(width)*int64(height) > l.Pixels:
		return Fail(TooLarge, "%d × %d pixels", width, height)
	default:
		return nil
	}
}

// File is a picture's file.
type File struct {
	Source      io.ReaderAt
	Size        int64 // bytes
	ContentType string
}

// Info is the information in a file about its picture.
type Info struct {
	Width, Height int // as stored
	Orientation   int // EXIF, tag 274
	Frames        int
	Duration      time.Duration
}

// Shown returns the size of the picture when it is upright.
func (i Info) Shown() (width, height int) {
	if sideways(i.Orientation) {
		return i.Height, i.Width
	}
	return i.Width, i.Height
}

// Inspect reads the header of a file and walks its parts. It fails if a limit is exceeded. It decodes nothing.
func Inspect(file File, limits Limits) (Info, error) {
	config, err := decodeConfig(file)
	if err != nil {
		return Info{}, classify(err)
	}
	info := Info{Width: config.Width, Height: config.Height, Orientation: 1}
	if err := limits.Check(info.Width, info.Height); err != nil {
		return info, err
	}
	parts, err := Scan(file.Source, file.Size, file.ContentType)
	if err != nil {
		return info, err
	}
	info.Orientation = parts.Orientation
	info.Frames = parts.Frames
	if info.Frames > 1 {
		info.Duration = time.Duration(parts.Hundredths) * 10 * time.Millisecond
	}
	if file.ContentType == media.ContentTypeGIF && info.Frames > limits.Frames {
		return info, Fail(TooLarge, "%d frames", info.Frames)
	}
	return info, nil
}

func decodeConfig(file File) (image.Config, error) {
	switch file.ContentType {
	case media.ContentTypeJPEG:
		return jpeg.DecodeConfig(file.reader())
	case media.ContentTypePNG:
		return png.DecodeConfig(file.reader())
	case media.ContentTypeGIF:
		return gif.DecodeConfig(file.reader())
	case media.ContentTypeWebP:
		return webp.DecodeConfig(file.reader())
	default:
		return image.Config{}, Fail(Unsupported, "no decoder for %s", file.ContentType)
	}
}

// decode returns the first picture of the file and its position on the canvas.
func decode(file File) (decoded image.Image, at image.Point, err error) {
	switch file.ContentType {
	case media.ContentTypeJPEG:
		decoded, err = jpeg.Decode(file.reader())
	case media.ContentTypePNG:
		decoded, err = png.Decode(file.reader())
	case media.ContentTypeGIF:
		if decoded, err = gif.Decode(file.reader()); err == nil {
			at = decoded.Bounds().Min
		}
	case media.ContentTypeWebP:
		decoded, at, err = decodeWebP(file)
	default:
		err = Fail(Unsupported, "no decoder for %s", file.ContentType)
	}
	return decoded, at, err
}

func (f File) reader() io.Reader {
	const buffer = 64 << 10
	return bufio.NewReaderSize(io.NewSectionReader(f.Source, 0, f.Size), buffer)
}

// classify adds a class to the decoders' errors.
func classify(err error) error {
	if _, ok := errors.AsType[*Failure](err); ok {
		return err
	}
	if _, ok := errors.AsType[jpeg.UnsupportedError](err); ok {
		return Fail(Unsupported, "%v", err)
	}
	if _, ok := errors.AsType[png.UnsupportedError](err); ok {
		return Fail(Unsupported, "%v", err)
	}
	return Fail(Broken, "%v", err)
}
