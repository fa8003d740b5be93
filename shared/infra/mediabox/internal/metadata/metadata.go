// Package metadata finds and removes what a file says beside its pictures and sound: where and with what it was taken, by
// whom, earlier states, comments. It walks the parts of a file without decoding any of them, in memory that does not grow
// with the file.
//
// JPEG, PNG, WebP and GIF files become shorter. HEIC, MP4, MOV and WebM files are full of places given as numbers of bytes;
// there everything stays where it is, and what goes is overwritten.
package metadata

import (
	"bytes"
	"errors"
	"io"

	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/infra/mediabox/internal/fault"
)

// Clean is a file without its metadata: pieces of the first file and a few bytes of our own, byte for byte the same
// picture or film.
type Clean struct {
	source io.ReaderAt
	pieces []piece
	// Size is the file's length in bytes.
	Size int64
	// Orientation is how the picture has to be turned (EXIF, tag 274); 1 is upright.
	Orientation int
	// Frames is the number of a GIF's pictures, and 0 for other formats.
	Frames int
	// Hundredths is how long a GIF's pictures show once, in hundredths of a second.
	Hundredths int64
}

// piece is a range of the source, or literal bytes, or as many zeros as length says.
type piece struct {
	offset, length int64
	literal        []byte
	blank          bool
}

// zeros is an endless row of zero bytes.
type zeros struct{}

func (zeros) Read(data []byte) (int, error) {
	clear(data)
	return len(data), nil
}

// NewReader reads the clean file from its beginning. It may be called again, and while other readers are in use.
func (c *Clean) NewReader() io.Reader {
	return &reader{source: c.source, left: c.pieces, current: bytes.NewReader(nil)}
}

// reader reads pieces one after the other.
type reader struct {
	source  io.ReaderAt
	left    []piece
	current io.Reader
}

// Read is that of io.Reader.
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

// keep takes a range of the source over; ranges that touch become one.
func (c *Clean) keep(offset, length int64) {
	c.Size += length
	if last := len(c.pieces) - 1; last >= 0 && c.pieces[last].literal == nil && !c.pieces[last].blank &&
		c.pieces[last].offset+c.pieces[last].length == offset {
		c.pieces[last].length += length
		return
	}
	c.pieces = append(c.pieces, piece{offset: offset, length: length})
}

// blank adds zeros.
func (c *Clean) blank(length int64) {
	c.Size += length
	c.pieces = append(c.pieces, piece{length: length, blank: true})
}

// full fails when a picture's file has more pieces than may be kept in memory.
func (c *Clean) full() error {
	const mostPieces = 1 << 16
	if len(c.pieces) > mostPieces {
		return crowded()
	}
	return nil
}

// write adds bytes of our own and returns where they stand among the pieces.
func (c *Clean) write(literal []byte) (index int) {
	c.Size += int64(len(literal))
	c.pieces = append(c.pieces, piece{literal: literal})
	return len(c.pieces) - 1
}

// Scan walks a file of size bytes and returns it without its metadata. Failures are *fault.Failure; any other error is
// the source's.
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
	case media.ContentTypeHEIC, media.ContentTypeMP4, media.ContentTypeMOV:
		err = scanBoxes(clean, file)
	case media.ContentTypeWebM:
		err = scanWebM(clean, file)
	default:
		return nil, fault.New(fault.Unsupported, "%s has no metadata that could be removed", contentType)
	}
	if err != nil {
		return nil, err
	}
	return clean, nil
}
