package egress

import (
	"compress/gzip"
	"errors"
	"io"
)

// packedLimit returns the number of bytes that a file of at most limit bytes may have in gzip form. Without a limit of
// its own, empty gzip members could follow each other for as long as a transfer may take.
func packedLimit(limit int64) int64 {
	const overhead = 64 << 10 // of a header with a long name

	return limit + limit/1000 + overhead
}

// unpackedBody decompresses the body of a download. It returns no byte beyond the limit, which makes decompression bombs
// harmless.
type unpackedBody struct {
	packed    io.ReadCloser
	reader    *gzip.Reader // nil before the first Read
	remaining int64        // bytes that may still be read
	failed    error
}

// Read returns an *Error or io.EOF.
func (b *unpackedBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}

	n, err := b.unpack(p)
	if int64(n) > b.remaining {
		n, err = int(b.remaining), because(ClassTooLarge, tooLarge, ErrLimit)
	}

	b.remaining -= int64(n)

	if err != nil {
		b.failed = unpackFailure(err)
		_ = b.packed.Close()
	}

	return n, b.failed
}

func (b *unpackedBody) unpack(p []byte) (n int, err error) {
	if b.reader == nil {
		if b.reader, err = gzip.NewReader(b.packed); err != nil {
			return 0, err
		}
	}

	return b.reader.Read(p)
}

func unpackFailure(err error) error {
	var known *Error

	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, io.ErrUnexpectedEOF):
		return because(ClassProtocol, "the response ended before it was complete", err)
	case errors.Is(err, io.EOF):
		return io.EOF
	default:
		return because(ClassProtocol, "the response is said to be gzip, but is not", err)
	}
}

// Close ends the transfer, complete or not.
func (b *unpackedBody) Close() error {
	if b.failed == nil {
		b.failed = newError(ClassCanceled, StageExchange, nil)
	}

	return b.packed.Close()
}
