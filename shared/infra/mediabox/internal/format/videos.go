package format

import (
	"io"
	"math/bits"

	"fencepost.internal/shared/domain/media"
)

// CheckVideo walks the parts of a video before FFmpeg reads them, so that the class of a hostile file does not depend on
// FFmpeg's version. It reports whether the media data end early, as after an interrupted transfer.
func CheckVideo(source io.ReaderAt, size int64, contentType string) (cut bool, err error) {
	b := &boxes{walker: &walker{source: source, size: size}}
	if contentType == media.ContentTypeWebM {
		err = b.checkWebM()
	} else {
		err = b.checkMP4()
	}
	return b.cut, err
}

func (b *boxes) checkMP4() error {
	movie := false
	_, err := b.topLevel(func(top box) error {
		if top.kind != "moov" {
			return nil
		}
		movie = true
		return b.checkMovie(top)
	}, func() bool { return movie })
	if err == nil && !movie {
		err = broken(0, "no video")
	}
	return err
}

// checkMovie refuses a video whose header is compressed or whose data are in other files.
func (b *boxes) checkMovie(parent box) error {
	_, err := b.each(parent, func(child box) error {
		switch parent.kind + "/" + child.kind {
		case "moov/trak", "trak/mdia", "mdia/minf", "minf/dinf":
			return b.checkMovie(child)
		case "moov/cmov", "moov/rmra":
			return Fail(Unsupported, "a compressed or external movie header, at byte %d", child.start)
		case "dinf/dref":
			const counted = 8
			child.body = min(child.body+counted, child.end)
			return b.checkMovie(child)
		}
		if parent.kind == "dref" {
			return b.checkReference(child)
		}
		return nil
	})
	return err
}

// checkReference refuses data in another file.
func (b *boxes) checkReference(entry box) error {
	const flags = 4
	head, err := b.content(entry, flags)
	if err == nil && head[flags-1]&1 == 0 {
		err = broken(entry.start, "images or audio in another file")
	}
	return err
}

// The WebM elements (RFC 9559) that this package distinguishes, by ID.
const (
	ebmlHeader  = "\x1A\x45\xDF\xA3"
	webmSegment = "\x18\x53\x80\x67"
	webmTracks  = "\x16\x54\xAE\x6B"
	webmCluster = "\x1F\x43\xB6\x75"
)

// unknownEnd is the end of an element of unknown size, as in a live recording.
const unknownEnd = -1

// checkWebM walks the parts of the segment, and those of its clusters of unknown size.
func (b *boxes) checkWebM() error {
	seen, end := map[string]bool{}, b.size
	for b.at < end {
		part, err := b.element(end)
		if seen[webmCluster] && IsBroken(err) {
			break // not an element: other data after the video
		}
		if err != nil {
			return err
		}
		seen[part.kind] = true
		switch {
		case part.kind == webmSegment && part.end != unknownEnd:
			end = part.end
		case part.kind == webmSegment, part.kind == webmCluster && part.end == unknownEnd: // its parts follow
		case part.end == unknownEnd:
			return broken(part.start, "an element without a size")
		default:
			b.at = part.end
		}
	}
	if !seen[ebmlHeader] || !seen[webmSegment] || !seen[webmTracks] {
		return broken(0, "no video")
	}
	return nil
}

// element reads the header of the WebM element at the current position, as next reads that of a box.
func (b *boxes) element(limit int64) (box, error) {
	const longestID, longestSize = 4, 8
	found := box{start: b.at}
	id, err := b.variable(longestID)
	if err != nil {
		return box{}, err
	}
	found.kind = string(id)
	digits, err := b.variable(longestSize)
	if err != nil {
		return box{}, err
	}
	found.body = b.at
	unknown := uint64(1)<<(7*len(digits)) - 1
	size, room := bigEndian(digits)&unknown, limit-found.body
	switch {
	case size == unknown:
		found.end = unknownEnd
	case room >= 0 && size <= uint64(room):
		found.end = found.body + int64(size) //nolint:gosec // within the file
	case room >= 0 && (found.kind == webmCluster || found.kind == webmSegment):
		found.end, b.cut = limit, true
	default:
		return box{}, broken(found.start, "an element of invalid length")
	}
	switch found.kind {
	case webmCluster, "\xE7", "\xA3", "\xA0", "\xAB", "\xA7": // clusters and what they contain
		return found, nil
	default:
		return found, b.count()
	}
}

// variable reads a number whose leading bits give its width in bytes.
func (b *boxes) variable(longest int) ([]byte, error) {
	ahead, err := b.ahead()
	if err != nil {
		return nil, err
	}
	width := bits.LeadingZeros8(ahead[0]) + 1
	if width > longest {
		return nil, broken(b.at, "no element")
	}
	return b.read(width)
}
