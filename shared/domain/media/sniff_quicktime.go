package media

import (
	"encoding/binary"
	"slices"
)

// Sizes in the format that predates the file type box (QuickTime File Format Specification, atoms).
const (
	atomHead     = 8       // 32 bits of size, four letters
	largestMovie = 1 << 28 // bytes of tables
	largestMedia = 1 << 40 // bytes of image and sound data
)

// isQuickTime recognizes videos without a file type box, which QuickTime and cameras wrote for a long time. After
// optional free space, all of it in the head, must follow the movie, which starts with its header, or media data of a
// plausible size.
func isQuickTime(head []byte) bool {
	for at := 0; len(head)-at >= atomHead; {
		rest := head[at:]
		size := uint64(binary.BigEndian.Uint32(rest))
		switch string(rest[4:atomHead]) {
		case "moov":
			return isMovie(rest, size)
		case "mdat":
			if at == 0 && !slices.ContainsFunc(rest[:4], isNotText) {
				return false // four letters could be a size, but are text
			}
			if large := atomHead + 8; size == 1 && len(rest) >= large {
				size = binary.BigEndian.Uint64(rest[atomHead:])
				if size < uint64(large) {
					return false
				}
			}
			if size > uint64(len(rest)) {
				return size < largestMedia
			}
		case "wide", "free", "skip", "pnot":
		default:
			return false
		}
		if size < atomHead || size >= uint64(len(rest)) {
			return false
		}
		at += int(size) //nolint:gosec // within the head
	}
	return false
}

// isMovie requires the movie's header as its first part, with one of the header's two possible lengths.
func isMovie(movie []byte, size uint64) bool {
	const inner, version, short, long = atomHead, 2 * atomHead, 108, 120
	if len(movie) <= version || size < inner+short || size > largestMovie || string(movie[inner+4:version]) != "mvhd" {
		return false
	}
	length := binary.BigEndian.Uint32(movie[inner:])
	return (length == short && movie[version] == 0) || (length == long && movie[version] == 1)
}
