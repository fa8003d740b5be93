package format

import (
	"encoding/binary"
)

// Bits of the extended WebP header (RFC 9649, 2.7.1).
const (
	webpXMP  = 1 << 2
	webpEXIF = 1 << 3
)

// riffHead is the length of a chunk's name and size.
const riffHead = 8

// webpFile holds the headers that are completed at the end of the walk, because the first header contains the total
// length.
type webpFile struct {
	*Clean
	riff     []byte // RIFF, length, WEBP
	extended []byte // the VP8X chunk; nil in a simple file
}

// scanWebP keeps the picture or its animation, the transparency and the colour profile. It removes EXIF, XMP and
// unknown chunks.
func scanWebP(clean *Clean, file *walker) error {
	const head = 12
	riff, err := file.read(head)
	if err != nil {
		return err
	}
	if string(riff[:4]) != "RIFF" || string(riff[8:]) != "WEBP" {
		return broken(0, "no WebP")
	}
	file.size = min(file.size, int64(binary.LittleEndian.Uint32(riff[4:]))+riffHead)
	webp := &webpFile{Clean: clean, riff: riff}
	clean.write(riff)
	pictures := 0
	for file.left() >= riffHead {
		picture, err := webp.chunk(file)
		if err != nil {
			return err
		}
		if picture {
			pictures++
		}
	}
	if pictures == 0 {
		return truncated(file.at)
	}
	webp.finish()
	return nil
}

// chunk handles the next chunk and reports whether it was a picture or a frame.
func (w *webpFile) chunk(file *walker) (picture bool, err error) {
	if err := w.full(); err != nil {
		return false, err
	}
	start := file.at
	kind, length, err := riffChunk(file)
	if err != nil {
		return false, err
	}
	switch kind {
	case "VP8X":
		const extended = 10
		if w.extended != nil || length != extended {
			return false, broken(start, "a second or invalid header")
		}
		data, err := file.read(extended)
		if err != nil {
			return false, err
		}
		w.extended = append(riffName(kind, extended), data...)
		w.write(w.extended)
		return false, nil
	case "VP8 ", "VP8L", "ALPH", "ICCP", "ANIM":
		w.keepChunk(file, length)
		return kind[:3] == "VP8", nil
	case "ANMF":
		w.Frames++
		return true, w.frame(file, length)
	case "EXIF":
		return false, w.exif(file, length)
	default:
		return false, file.skip(min(padded(length), file.left()))
	}
}

// frame keeps a frame of an animation without its unknown chunks.
func (w *webpFile) frame(file *walker, length int64) error {
	const head = 16
	end := file.at + length
	place, err := file.read(head)
	if err != nil {
		return err
	}
	at, before := w.write(append(riffName("ANMF", 0), place...)), w.Size
	for file.at+riffHead <= end {
		if err := w.full(); err != nil {
			return err
		}
		start := file.at
		kind, inner, err := riffChunk(file)
		if err != nil {
			return err
		}
		if file.at+padded(inner) > end {
			return broken(start, "a chunk that exceeds its frame")
		}
		if kind == "ALPH" || kind == "VP8 " || kind == "VP8L" {
			w.keepChunk(file, inner)
			continue
		}
		if err := file.skip(padded(inner)); err != nil {
			return err
		}
	}
	binary.LittleEndian.PutUint32(w.pieces[at].literal[4:],
		uint32(head+w.Size-before)) //nolint:gosec // at most the file's own 32-bit length
	return file.skip(min(padded(length)-(file.at-end+length), file.left()))
}

// keepChunk copies the chunk whose name and size were just read and moves past it. Some files lack the padding byte of
// their last chunk.
func (w *webpFile) keepChunk(file *walker, length int64) {
	w.keep(file.at-riffHead, riffHead+length)
	file.at += length
	switch {
	case length&1 == 0:
	case file.left() == 0:
		w.write([]byte{0})
	default:
		w.keep(file.at, 1)
		file.at++
	}
}

// exif records the orientation of an extended file.
func (w *webpFile) exif(file *walker, length int64) error {
	end := file.at + min(padded(length), file.left())
	exif, err := file.read(int(min(length, longestEXIF)))
	if err != nil {
		return err
	}
	if w.extended != nil && w.Orientation == upright {
		if w.Orientation = orientation(exif); w.Orientation != upright {
			only := orientationOnly(w.Orientation)
			w.write(append(riffName("EXIF", len(only)), only...))
		}
	}
	return file.skip(end - file.at)
}

// finish writes the length and the content flags into the headers.
func (w *webpFile) finish() {
	binary.LittleEndian.PutUint32(w.riff[4:],
		uint32(w.Size-riffHead)) //nolint:gosec // not longer than the first file, whose length had 32 bits
	if w.extended == nil {
		return
	}
	w.extended[riffHead] &^= webpXMP | webpEXIF
	if w.Orientation != upright {
		w.extended[riffHead] |= webpEXIF
	}
}

func riffChunk(file *walker) (kind string, length int64, err error) {
	head, err := file.read(riffHead)
	if err != nil {
		return "", 0, err
	}
	length = int64(binary.LittleEndian.Uint32(head[4:]))
	if length > file.left() {
		return "", 0, truncated(file.at)
	}
	return string(head[:4]), length, nil
}

func riffName(kind string, length int) []byte {
	return binary.LittleEndian.AppendUint32([]byte(kind), uint32(length)) //nolint:gosec // a few constant bytes
}

// padded returns the padded length of a chunk, which is even.
func padded(length int64) int64 { return length + length&1 }
