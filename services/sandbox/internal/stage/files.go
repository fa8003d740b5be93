package stage

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"net/http"

	"fencepost.internal/shared/domain/channel"
)

// HostileFile returns the response that a fault puts in place of the file of a message to an account. It returns false if there
// is no such fault.
func (s *Stage) HostileFile(network channel.Network, account string) (Response, bool) {
	switch s.Faults.TakeOf(network, account, StepFile, FaultRedirectInside, FaultBomb).Kind { //nolint:exhaustive // the requested ones
	case FaultRedirectInside:
		return Empty(http.StatusFound).With("Location", "http://localhost:9/inside"), true
	case FaultBomb:
		return OK(bomb()).With("Content-Type", "image/png"), true
	default:
		return Response{}, false
	}
}

// bomb returns a picture of 400 million white pixels in some kilobytes.
func bomb() []byte {
	const side = 20_000
	const row = 1 + side/8 // the filter, and a bit for each pixel
	picture := bytes.NewBufferString("\x89PNG\r\n\x1a\n")
	chunk := func(name string, content []byte) {
		body := append([]byte(name), content...)
		_ = binary.Write(picture, binary.BigEndian, uint32(len(content))) //nolint:gosec // short
		picture.Write(body)
		_ = binary.Write(picture, binary.BigEndian, crc32.ChecksumIEEE(body)) // into memory
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, side), side)
	chunk("IHDR", append(head, 1, 0, 0, 0, 0)) // one bit for each pixel
	var packed bytes.Buffer
	writer := zlib.NewWriter(&packed)
	for range side {
		_, _ = writer.Write(make([]byte, row)) // into memory
	}
	_ = writer.Close()
	chunk("IDAT", packed.Bytes())
	chunk("IEND", nil)
	return picture.Bytes()
}
