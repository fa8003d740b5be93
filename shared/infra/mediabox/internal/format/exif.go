package format

import (
	"bytes"
	"encoding/binary"
)

// upright is the orientation of a picture that needs no rotation (EXIF 2.32, 4.6.4, tag 274).
const upright = 1

// exifMark is the prefix of EXIF data in a JPEG segment, and in the WebP files of some writers.
const exifMark = "Exif\x00\x00"

// longestEXIF is the number of bytes of an EXIF block that are read; the first directory is at its start.
const longestEXIF = 1 << 16

// orientation reads the orientation from EXIF data. Data that cannot be read is upright.
func orientation(exif []byte) int {
	const header, entry, tag, short = 8, 12, 0x0112, 3
	exif = bytes.TrimPrefix(exif, []byte(exifMark))
	if len(exif) < header {
		return upright
	}
	var order binary.ByteOrder
	switch string(exif[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return upright
	}
	at := int64(order.Uint32(exif[4:]))
	if at+2 > int64(len(exif)) {
		return upright
	}
	count := int(order.Uint16(exif[at:]))
	entries := exif[at+2:]
	for range min(count, len(entries)/entry) {
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short && order.Uint32(entries[4:]) == 1 {
			if value := int(order.Uint16(entries[8:])); value >= 1 && value <= 8 {
				return value
			}
			return upright
		}
		entries = entries[entry:]
	}
	return upright
}

// orientationOnly returns EXIF data that contains only the orientation.
func orientationOnly(value int) []byte {
	return []byte{
		'M', 'M', 0, '*', 0, 0, 0, 8, // most significant byte first; the first directory follows
		0, 1, // one entry
		0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(value), 0, 0, //nolint:gosec // 1 to 8
		0, 0, 0, 0, // no other directory
	}
}
