// Package format reads files of the supported formats. It finds and removes metadata: where, with what device and by whom a
// picture was made, earlier states, and comments. It walks the parts of a file without decoding them, in memory that does
// not grow with the file. It walks the parts of videos too, but FFmpeg removes their metadata.
//
// JPEG, PNG, WebP and GIF files become shorter. HEIC and AVIF files contain many byte offsets, so their parts stay in
// place, and removed parts are overwritten.
//
// It also makes small pictures of large ones: it decodes JPEG, PNG, GIF and WebP within limits, scales down, turns upright
// and encodes the result, which contains only the pixels of the original. A Failure says why a file was not processed.
package format

import (
	"bytes"
	"errors"
	"io"

	"fencepost.internal/shared/domain/media"
)

// Clean is a picture without its metadata: ranges of the source file and a few new bytes. The picture data is unchanged,
// byte for byte.
type Clean struct {
	source io.ReaderAt
	pieces []piece
	// Size is the file's length in bytes.
	Size int64
	// Orientation is the EXIF orientation of the picture (tag 274); 1 is upright.
	Orientation int
	// Frames is the number of frames of a GIF or of an animated PNG or WebP, and 0 for other files.
	Frames int
	// Hundredths is the duration of one loop of a GIF, in hundredths of a second.
	Hundredths int64
}

// piece is a range of the source, literal bytes, or length zeros.
type piece struct {
	offset, length int64
	literal        []byte
	blank          bool
}

// zeros is an endless reader of zero bytes.
type zeros struct{}

func (zeros) Read(data []byte) (int, error) {
	clear(data)
	return len(data), nil
}

// NewReader returns a reader of the clean file. It may be called repeatedly and while other readers are in use.
func (c *Clean) NewReader() io.Reader {
	return &reader{source: c.source, left: c.pieces, current: bytes.NewReader(nil)}
}

// reader reads pieces one after the other.
type reader struct {
	source  io.ReaderAt
	left    []piece
	current io.Reader
}

// Read implements io.Reader.
func (r *reader) Read(data []byte) (int, error) {
	for {
		n, err := r.current.Read(data)
		ended := errors.Is(err, io.EOF)
		switch {
		case ended && len(r.left) == 0, err != nil && !ended:
			return n, err
		case n > 0 || !ended:
			return n, nil
		}
		next := r.left[0]
		r.left = r.left[1:]
		switch {
		case next.blank:
			r.current = io.LimitReader(zeros{}, next.length)
		case next.literal != nil:
			r.current = bytes.NewReader(next.literal)
		default:
			r.current = io.NewSectionReader(r.source, next.offset, next.length)
		}
	}
}

// keep appends a range of the source; adjacent ranges are merged.
func (c *Clean) keep(offset, length int64) {
	c.Size += length
	if last := len(c.pieces) - 1; last >= 0 && c.pieces[last].literal == nil && !c.pieces[last].blank &&
		c.pieces[last].offset+c.pieces[last].length == offset {
		c.pieces[last].length += length
		return
	}
	c.pieces = append(c.pieces, piece{offset: offset, length: length})
}

// blank appends zeros.
func (c *Clean) blank(length int64) {
	c.Size += length
	c.pieces = append(c.pieces, piece{length: length, blank: true})
}

// full fails if a picture's file has more pieces than may be kept in memory.
func (c *Clean) full() error {
	const mostPieces = 1 << 16
	if len(c.pieces) > mostPieces {
		return crowded()
	}
	return nil
}

// write appends new bytes and returns their index among the pieces.
func (c *Clean) write(literal []byte) (index int) {
	c.Size += int64(len(literal))
	c.pieces = append(c.pieces, piece{literal: literal})
	return len(c.pieces) - 1
}

// Scan walks a picture's file of size bytes and returns it without its metadata. Errors of the file are *Failure; any other
// error comes from the source.
func Scan(source io.ReaderAt, size int64, contentType string) (*Clean, error) {
	clean := &Clean{source: source, Orientation: upright}
	file := &walker{source: source, size: size}
	var err error
	switch contentType {
	case media.ContentTypeJPEG:
		err = scanJPEG(clean, file)
	case media.ContentTypePNG:
		err = scanPNG(clean, file)
	case media.ContentTypeWebP:
		err = scanWebP(clean, file)
	case media.ContentTypeGIF:
		err = scanGIF(clean, file)
	case media.ContentTypeHEIC, media.ContentTypeAVIF:
		err = scanStill(clean, file)
	default:
		return nil, Fail(Unsupported, "%s has no metadata that could be removed", contentType)
	}
	if err != nil {
		return nil, err
	}
	return clean, nil
}
