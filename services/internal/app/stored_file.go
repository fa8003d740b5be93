package app

import (
	"context"
	"fmt"
	"io"

	"fencepost.internal/shared/infra/objectstore"
)

// storedFile reads parts of an object. It keeps the blocks that it has read, because the parts that name the content of
// a document are small and close together. It is not safe for concurrent use.
type storedFile struct {
	ctx    context.Context //nolint:containedctx // io.ReaderAt has no context
	files  *objectstore.Store
	key    string
	size   int64
	blocks map[int64][]byte
}

// storedBlock is the length of a block in bytes.
const storedBlock = 64 << 10

// ReadAt implements io.ReaderAt.
func (f *storedFile) ReadAt(p []byte, offset int64) (read int, err error) {
	for read < len(p) {
		at := offset + int64(read)
		if at < 0 || at >= f.size {
			return read, io.EOF
		}
		block, err := f.block(at / storedBlock)
		if err != nil {
			return read, err
		}
		read += copy(p[read:], block[at%storedBlock:])
	}
	return read, nil
}

func (f *storedFile) block(number int64) ([]byte, error) {
	if block, ok := f.blocks[number]; ok {
		return block, nil
	}
	start := number * storedBlock
	object, err := f.files.Open(f.ctx, f.key, objectstore.Range{Offset: start, Length: min(storedBlock, f.size-start)})
	if err != nil {
		return nil, err
	}
	defer func() { _ = object.Close() }()
	if object.Info().Size != f.size {
		return nil, fmt.Errorf("%w: the object has %d bytes", objectstore.ErrChanged, object.Info().Size)
	}
	block := make([]byte, min(storedBlock, f.size-start))
	if _, err := io.ReadFull(object, block); err != nil {
		return nil, fmt.Errorf("read the object: %w", err)
	}
	f.blocks[number] = block
	return block, nil
}
