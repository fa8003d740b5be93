package format

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"

	"golang.org/x/image/riff"

	"fencepost.internal/shared/domain/media"
)

const (
	// longestProfile is the maximum size of a colour profile, in bytes. Those of cameras and phones have a few kilobytes.
	longestProfile = 1 << 20
	// profileMark starts the JPEG segments of a profile (ICC.1:2022, B.4). Their number and the total number follow.
	profileMark = "ICC_PROFILE\x00"
)

// profile returns the colour profile of a picture. It returns nil if there is none, if the file has an unusual form,
// and if the profile is not for RGB, because the converted picture is.
func profile(file File) []byte {
	var found []byte
	switch file.ContentType {
	case media.ContentTypeJPEG:
		found = profileOfJPEG(file.reader())
	case media.ContentTypePNG:
		found = profileOfPNG(file.reader())
	case media.ContentTypeWebP:
		found = profileOfWebP(file.reader())
	}
	// The header has the colour space at 16 and a signature at 36 (ICC.1:2022, 7.2).
	const header = 128
	if len(found) < header || string(found[16:20]) != "RGB " || string(found[36:40]) != "acsp" {
		return nil
	}
	return found
}

// profileOfJPEG joins the segments of a profile, which may be in any order.
func profileOfJPEG(file io.Reader) []byte {
	const start, app2, startOfScan = 0xFFD8, 0xFFE2, 0xFFDA
	var marker [2]byte
	if _, err := io.ReadFull(file, marker[:]); err != nil || binary.BigEndian.Uint16(marker[:]) != start {
		return nil
	}
	parts, size := map[byte][]byte{}, 0
	for {
		var head [4]byte
		if _, err := io.ReadFull(file, head[:]); err != nil {
			return nil
		}
		kind, length := binary.BigEndian.Uint16(head[:2]), int(binary.BigEndian.Uint16(head[2:]))-2
		if kind == startOfScan {
			return join(parts)
		}
		if head[0] != 0xFF || length < 0 {
			return nil
		}
		segment := make([]byte, length)
		if _, err := io.ReadFull(file, segment); err != nil {
			return nil
		}
		const counters = 2
		if rest, ok := bytes.CutPrefix(segment, []byte(profileMark)); ok && kind == app2 && len(rest) > counters {
			if size += len(rest); size > longestProfile {
				return nil
			}
			parts[rest[0]] = rest[counters:]
		}
	}
}

// join returns the parts in the order of their numbers, from 1.
func join(parts map[byte][]byte) []byte {
	var whole []byte
	for n := 1; n <= len(parts); n++ {
		part, ok := parts[byte(n)]
		if !ok {
			return nil
		}
		whole = append(whole, part...)
	}
	return whole
}

// profileOfPNG reads the iCCP chunk: a name, a zero, the method and the compressed profile (PNG, 11.3.2.3).
func profileOfPNG(file io.Reader) []byte {
	const signature, checksum = 8, 4
	if _, err := io.CopyN(io.Discard, file, signature); err != nil {
		return nil
	}
	for {
		var head [8]byte
		if _, err := io.ReadFull(file, head[:]); err != nil {
			return nil
		}
		length := int64(binary.BigEndian.Uint32(head[:4]))
		switch string(head[4:]) {
		case "iCCP":
			chunk, err := io.ReadAll(io.LimitReader(file, min(length, longestProfile)))
			if err != nil {
				return nil
			}
			_, rest, ok := bytes.Cut(chunk, []byte{0})
			if !ok || len(rest) == 0 || rest[0] != 0 {
				return nil
			}
			return inflate(rest[1:])
		case "IDAT", "IEND":
			return nil
		}
		if _, err := io.CopyN(io.Discard, file, length+checksum); err != nil {
			return nil
		}
	}
}

func inflate(compressed []byte) []byte {
	reader, err := zlib.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil
	}
	return bounded(reader)
}

// profileOfWebP reads the ICCP chunk, which precedes the picture (RFC 9649, 2.7.1.4).
func profileOfWebP(file io.Reader) []byte {
	_, chunks, err := riff.NewReader(file)
	if err != nil {
		return nil
	}
	for {
		kind, _, data, err := chunks.Next()
		if err != nil {
			return nil
		}
		switch string(kind[:]) {
		case "ICCP":
			return bounded(data)
		case "VP8 ", "VP8L", "ANMF":
			return nil
		}
	}
}

// bounded reads a profile. It returns nil if the profile is too long or cannot be read.
func bounded(reader io.Reader) []byte {
	found, err := io.ReadAll(io.LimitReader(reader, longestProfile+1))
	if err != nil || len(found) > longestProfile {
		return nil
	}
	return found
}

// withProfile inserts a profile after the start of a JPEG file.
func withProfile(file, profile []byte) []byte {
	if len(profile) == 0 {
		return file
	}
	const (
		start    = 2
		counters = 2
		lengths  = 2
		longest  = 0xFFFF - lengths - len(profileMark) - counters
	)
	count := (len(profile) + longest - 1) / longest
	whole := make([]byte, 0, len(file)+len(profile)+count*(0xFFFF-longest+lengths))
	whole = append(whole, file[:start]...)
	for n := range count {
		part := profile[n*longest : min((n+1)*longest, len(profile))]
		length := lengths + len(profileMark) + counters + len(part)
		whole = append(whole, 0xFF, 0xE2)
		whole = binary.BigEndian.AppendUint16(whole, uint16(length)) //nolint:gosec // at most longest
		whole = append(whole, profileMark...)
		whole = append(whole, byte(n+1), byte(count)) //nolint:gosec // a profile has at most 17 parts
		whole = append(whole, part...)
	}
	return append(whole, file[start:]...)
}
