package format

import (
	"encoding/binary"
	"hash/crc32"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// scanPNG keeps the chunks needed to show the picture or its animation, with its colours. It removes texts, times,
// EXIF, unknown chunks and everything after the end.
func scanPNG(clean *Clean, file *walker) error {
	const head, checksum = 8, 4
	signature, err := file.read(len(pngSignature))
	if err != nil {
		return err
	}
	if string(signature) != pngSignature {
		return broken(0, "no PNG")
	}
	clean.keep(0, file.at)
	for first := true; ; first = false {
		if err := clean.full(); err != nil {
			return err
		}
		start := file.at
		chunk, err := file.read(head)
		if err != nil {
			return err
		}
		length, kind := int64(binary.BigEndian.Uint32(chunk)), string(chunk[4:])
		if length+checksum > file.left() || first != (kind == "IHDR") {
			return broken(start, "an invalid chunk")
		}
		switch kind {
		case "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "bKGD", "sBIT", "pHYs", // the picture
			"fcTL", "fdAT", // its animation
			"cHRM", "gAMA", "iCCP", "sRGB", "cICP", "mDCV", "cLLI": // its colours
			clean.keep(start, head+length+checksum)
			err = file.skip(length + checksum)
		case "acTL":
			clean.keep(start, head+length+checksum)
			err = pngAnimation(clean, file, length+checksum)
		case "eXIf":
			err = pngEXIF(clean, file, length)
		default:
			err = file.skip(length + checksum)
		}
		if err != nil || kind == "IEND" {
			return err
		}
	}
}

// pngAnimation reads the number of frames.
func pngAnimation(clean *Clean, file *walker, length int64) error {
	const number = 4
	if length < number {
		return broken(file.at, "an invalid chunk")
	}
	frames, err := file.read(number)
	if err != nil {
		return err
	}
	clean.Frames = int(binary.BigEndian.Uint32(frames))
	return file.skip(length - number)
}

func pngEXIF(clean *Clean, file *walker, length int64) error {
	end := file.at + length + 4
	exif, err := file.read(int(min(length, longestEXIF)))
	if err != nil {
		return err
	}
	if clean.Orientation == upright {
		if clean.Orientation = orientation(exif); clean.Orientation != upright {
			clean.write(pngChunk("eXIf", orientationOnly(clean.Orientation)))
		}
	}
	return file.skip(end - file.at)
}

func pngChunk(kind string, data []byte) []byte {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data))) //nolint:gosec // our own few bytes
	chunk = append(append(chunk, kind...), data...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}
