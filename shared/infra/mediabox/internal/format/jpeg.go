package format

import (
	"bytes"
	"encoding/binary"
)

// Markers of JPEG (ITU-T T.81, table B.1).
const (
	markerSOF  = 0xC0 // the first of the frame headers and tables, up to markerSOFn
	markerJPG  = 0xC8
	markerSOFn = 0xCF
	markerRST0 = 0xD0
	markerRST7 = 0xD7
	markerSOI  = 0xD8
	markerEOI  = 0xD9
	markerSOS  = 0xDA
	markerDQT  = 0xDB
	markerDNL  = 0xDC
	markerDRI  = 0xDD
	markerAPP0 = 0xE0
	markerAPPn = 0xEF
	markerCOM  = 0xFE
)

// scanJPEG keeps the parts needed to show the picture: tables, frames, scans, the JFIF header without its preview, the
// colour profile and Adobe's colour transform. It removes all other application segments, the comments, and everything
// after the picture: second pictures, videos, camera trailers.
func scanJPEG(clean *Clean, file *walker) error {
	start, err := file.read(2)
	if err != nil {
		return err
	}
	if start[0] != 0xFF || start[1] != markerSOI {
		return broken(0, "no JPEG")
	}
	clean.keep(0, 2)
	for {
		if err := clean.full(); err != nil {
			return err
		}
		marker, err := nextMarker(file)
		if err != nil {
			return err
		}
		switch {
		case marker == markerEOI:
			clean.write([]byte{0xFF, markerEOI})
			return nil
		case marker == markerSOI, marker <= 0x01, marker >= markerRST0 && marker <= markerRST7:
			return broken(file.at, "an unexpected marker")
		}
		ended, err := jpegSegment(clean, file, marker)
		if err != nil || ended {
			return err
		}
	}
}

// nextMarker reads a marker, which may be preceded by any number of fill bytes.
func nextMarker(file *walker) (byte, error) {
	b, err := file.byte()
	if err != nil {
		return 0, err
	}
	if b != 0xFF {
		return 0, broken(file.at-1, "a missing marker")
	}
	for b == 0xFF {
		if b, err = file.byte(); err != nil {
			return 0, err
		}
	}
	return b, nil
}

// jpegSegment handles the segment after a marker. ended reports that the file stopped in its picture data.
func jpegSegment(clean *Clean, file *walker, marker byte) (ended bool, err error) {
	start := file.at - 2
	head, err := file.read(2)
	if err != nil {
		return false, err
	}
	length := int64(binary.BigEndian.Uint16(head)) - 2
	if length < 0 || length > file.left() {
		return false, broken(start, "a segment of invalid length")
	}
	switch {
	case marker == markerSOS:
		if err := file.skip(length); err != nil {
			return false, err
		}
		return jpegScan(clean, file, start)
	case marker >= markerAPP0 && marker <= markerAPPn:
		return false, jpegApplication(clean, file, marker, length)
	case marker == markerCOM:
		return false, file.skip(length)
	case marker >= markerSOF && marker <= markerSOFn && marker != markerJPG,
		marker == markerDQT, marker == markerDNL, marker == markerDRI:
		clean.keep(start, length+4)
		return false, file.skip(length)
	default:
		return false, broken(start, "an unknown marker")
	}
}

// jpegScan copies the picture data after a scan's header. A file that stops inside, after an interrupted transfer, is
// given an end marker.
func jpegScan(clean *Clean, file *walker, start int64) (ended bool, err error) {
	for file.left() > 0 {
		ahead, err := file.ahead()
		if err != nil {
			return false, err
		}
		mark := bytes.IndexByte(ahead, 0xFF)
		if mark < 0 {
			file.at += int64(len(ahead))
			continue
		}
		file.at += int64(mark) + 1
		if file.left() == 0 {
			break
		}
		ahead, err = file.ahead()
		if err != nil {
			return false, err
		}
		switch next := ahead[0]; {
		case next == 0, next >= markerRST0 && next <= markerRST7:
			file.at++
		case next == 0xFF: // fill byte
		default:
			file.at--
			clean.keep(start, file.at-start)
			return false, nil
		}
	}
	clean.keep(start, file.at-start)
	clean.write([]byte{0xFF, markerEOI})
	return true, nil
}

// jpegApplication handles an application segment.
func jpegApplication(clean *Clean, file *walker, marker byte, length int64) error {
	const (
		jfif, profile, adobe    = "JFIF\x00", "ICC_PROFILE\x00", "Adobe"
		jfifLength, adobeLength = 14, 12
	)
	start := file.at - 4
	head, err := file.read(int(min(length, jfifLength)))
	if err != nil {
		return err
	}
	begins := func(mark string) bool { return bytes.HasPrefix(head, []byte(mark)) }
	switch {
	case marker == markerAPP0 && begins(jfif) && length >= jfifLength:
		segment := append([]byte{0xFF, markerAPP0, 0, jfifLength + 2}, head...)
		segment[len(segment)-1], segment[len(segment)-2] = 0, 0 // the preview's width and height
		clean.write(segment)
	case marker == markerAPP0+1 && begins(exifMark) && clean.Orientation == upright:
		return jpegEXIF(clean, file, head, length)
	case marker == markerAPP0+2 && begins(profile), marker == markerAPP0+14 && begins(adobe) && length == adobeLength:
		clean.keep(start, length+4)
	}
	return file.skip(length - int64(len(head)))
}

// jpegEXIF copies the orientation if the picture is not upright.
func jpegEXIF(clean *Clean, file *walker, head []byte, length int64) error {
	rest, err := file.read(int(length) - len(head))
	if err != nil {
		return err
	}
	clean.Orientation = orientation(append(head, rest...))
	if clean.Orientation == upright {
		return nil
	}
	exif := append([]byte(exifMark), orientationOnly(clean.Orientation)...)
	clean.write(append([]byte{0xFF, markerAPP0 + 1, 0, byte(len(exif) + 2)}, exif...)) //nolint:gosec // 34 bytes
	return nil
}
