package objectstore

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"
)

// errReleased is returned to a transfer that reads after its call has returned.
var errReleased = errors.New("the call has returned")

// content reads the caller's body for an upload. It counts and hashes the bytes, checks the declared size, and records
// the body's own error, so that it is not mistaken for an error of the store.
type content struct {
	size int64 // the declared size of the body, or UnknownSize

	// An HTTP transport may still read after its call has returned, and must then not touch the caller's body.
	mu       sync.Mutex
	body     io.Reader
	released bool
	ended    bool
	read     int64
	sum      hash.Hash
	err      error
}

func newContent(body io.Reader, size int64) *content {
	return &content{size: size, body: body, sum: sha256.New()}
}

// Read returns the last bytes of a body of known size only after it has seen the body's end, because a store keeps an
// object once it has all declared bytes, whatever follows.
func (c *content) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.released {
		return 0, errReleased
	}
	if c.err != nil {
		return 0, c.err
	}
	if c.ended {
		return 0, io.EOF
	}
	if c.size != UnknownSize {
		p = p[:min(int64(len(p)), c.size-c.read)]
	}
	n, err := c.body.Read(p)
	c.read += int64(n)
	if failed := c.check(err); failed != nil {
		c.err = failed
		return 0, failed
	}
	_, _ = c.sum.Write(p[:n])
	if c.ended = err != nil || c.read == c.size; c.ended {
		return n, io.EOF
	}
	return n, nil
}

// check evaluates the result of a read, and checks for the body's end once all declared bytes are read.
func (c *content) check(err error) error {
	switch ended := errors.Is(err, io.EOF); {
	case err != nil && !ended:
		return err
	case c.size == UnknownSize || c.read < c.size && !ended:
		return nil
	case c.read < c.size:
		return fmt.Errorf("%w: %d bytes, not the declared %d", io.ErrUnexpectedEOF, c.read, c.size)
	case !ended:
		return c.checkEnd()
	}
	return nil
}

func (c *content) checkEnd() error {
	switch n, err := io.ReadFull(c.body, make([]byte, 1)); {
	case n > 0:
		return fmt.Errorf("the content is longer than the declared %d bytes", c.size)
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// release stops further reads and waits for a read in progress.
func (c *content) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.released = true
	return c.err
}

// digest returns the SHA-256 of the bytes read, and their number.
func (c *content) digest() ([sha256.Size]byte, int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return [sha256.Size]byte(c.sum.Sum(nil)), c.read
}
