package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/gofiber/fiber/v2"
)

const (
	cacheForever = "public, max-age=31536000, immutable" // for names that change with the content
	cacheShortly = "public, max-age=60, must-revalidate"
)

// static is a file that is the same for every client, compressed once.
type static struct {
	contentType string
	cache       string
	policy      string // Content-Security-Policy
	packed      []byte
	tag         string
}

func newStatic(contentType, policy string, content []byte) (*static, error) {
	packed, err := pack(content)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(packed)
	return &static{
		contentType: contentType, cache: cacheShortly, policy: policy, packed: packed, tag: hex.EncodeToString(sum[:12]),
	}, nil
}

// pack compresses a file with gzip at the best level, because it is sent often.
func pack(content []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("pack a file: %w", err)
	}
	if _, err := w.Write(content); err != nil {
		return nil, fmt.Errorf("pack a file: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack a file: %w", err)
	}
	return out.Bytes(), nil
}

// serve sends the file or 304 Not Modified. The two encodings of a file have different tags.
func (f *static) serve(c *fiber.Ctx) error {
	compressed := c.AcceptsEncodings("gzip") != "" && c.Get(fiber.HeaderAcceptEncoding) != ""
	tag := `"` + f.tag + `"`
	if compressed {
		tag = `"` + f.tag + `-gzip"`
	}
	c.Set(fiber.HeaderETag, tag)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderCacheControl, f.cache)
	if f.policy != "" {
		c.Set(fiber.HeaderContentSecurityPolicy, f.policy)
	}
	if hasTag(c.Get(fiber.HeaderIfNoneMatch), tag) {
		return c.SendStatus(fiber.StatusNotModified)
	}
	c.Set(fiber.HeaderContentType, f.contentType)
	if compressed {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(f.packed)
	}
	reader, err := gzip.NewReader(bytes.NewReader(f.packed))
	if err != nil {
		return fmt.Errorf("unpack a file: %w", err)
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		return fmt.Errorf("unpack a file: %w", err)
	}
	return c.Send(content)
}

// hasTag uses weak comparison (RFC 9110, section 13.1.2).
func hasTag(list, tag string) bool {
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part == "*" || strings.TrimPrefix(part, "W/") == tag {
			return true
		}
	}
	return false
}
