package objectstore

import (
	"fmt"
	"regexp"
	"strings"
)

const longestKey = 512

// keyPattern is narrower than S3: these characters mean the same in a key, a file system path and every part of a URL,
// so that no store, proxy or browser on the way interprets a key differently.
var keyPattern = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`)

// prefixPattern is the beginning of a key, or empty.
var prefixPattern = regexp.MustCompile(`^([A-Za-z0-9_-][A-Za-z0-9._-]*/)*([A-Za-z0-9_-][A-Za-z0-9._-]*)?$`)

// checkKey accepts keys of segments that do not start with a dot, separated by single slashes.
func checkKey(key string) error {
	if len(key) > longestKey || !keyPattern.MatchString(key) {
		return fmt.Errorf("objectstore: %.80q is not a key of segments of A-Z a-z 0-9 . _ -", key)
	}
	return nil
}

// ValidKey reports whether a text is a valid object key of a Store.
func ValidKey(key string) bool { return checkKey(key) == nil }

func checkPrefix(prefix string) error {
	if len(prefix) > longestKey || !prefixPattern.MatchString(prefix) {
		return fmt.Errorf("objectstore: %.80q is not a key prefix", prefix)
	}
	return nil
}

func checkKeys(keys ...string) error {
	for _, key := range keys {
		if err := checkKey(key); err != nil {
			return err
		}
	}
	return nil
}

// trimETag removes the quotes, which only some stores put around an ETag.
func trimETag(etag string) string { return strings.Trim(etag, `"`) }
