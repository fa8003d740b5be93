package objectstore

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// MaxExpiry is the maximum lifetime of a signed URL.
const MaxExpiry = 24 * time.Hour

// PutTerms are the terms of a signed upload.
type PutTerms struct {
	Key         string
	ContentType string        // the only accepted content type
	Size        int64         // the only accepted size, in bytes
	Expires     time.Duration // lifetime of the URL, in whole seconds, up to MaxExpiry
}

// SignedPut is a signed URL that allows storing one object with a PUT.
type SignedPut struct {
	URL string
	// Header must be sent unchanged. The Content-Length is part of the signature too: clients send it automatically
	// with a body of known size, and it must be PutTerms.Size.
	Header    http.Header
	ExpiresAt time.Time
}

// PresignPut signs a URL for storing one object. The URL can be used until it expires, also repeatedly; the object is
// then replaced.
//
// Nothing about such an object is trustworthy except its bytes, and those only after Copy has moved them to a key that
// the uploader cannot write. An uploader can send headers that no signature covers, and stores keep some of them with
// the object. If x-minio- headers reach MinIO, they can even set the ETag and the modification time, and flags that
// make the object unreadable and fail every listing that includes it. So checked objects belong under other prefixes.
func (s *Store) PresignPut(terms PutTerms) (SignedPut, error) {
	faults := []error{checkKey(terms.Key), checkContentType(terms.ContentType), checkExpiry(terms.Expires)}
	if terms.Size < 0 || terms.Size > MaxSize {
		faults = append(faults, fmt.Errorf("objectstore: %d bytes cannot be uploaded", terms.Size))
	}
	if err := errors.Join(faults...); err != nil {
		return SignedPut{}, err
	}
	header := http.Header{"Content-Type": {terms.ContentType}}
	signed := header.Clone()
	signed.Set("Content-Length", strconv.FormatInt(terms.Size, 10))
	address, expires, err := s.presign(http.MethodPut, terms.Key, terms.Expires, nil, signed)
	if err != nil {
		return SignedPut{}, err
	}
	return SignedPut{URL: address, Header: header, ExpiresAt: expires}, nil
}

// GetTerms are the terms of a signed download. Empty fields keep the stored values.
type GetTerms struct {
	Key          string
	ContentType  string
	CacheControl string
	// Inline lets a browser show the object; otherwise the browser saves it.
	Inline bool
	// FileName is the name under which a browser saves the object. Any text is accepted: only the last part of a path
	// is used, and characters that would mislead users or programs are removed.
	FileName string
	Expires  time.Duration // lifetime of the URL, in whole seconds, up to MaxExpiry
}

// SignedGet is a signed URL that allows reading one object with a GET.
type SignedGet struct {
	URL       string
	ExpiresAt time.Time
}

// PresignGet signs a URL for reading one object. It does not check whether the object exists.
func (s *Store) PresignGet(terms GetTerms) (SignedGet, error) {
	faults := []error{checkKey(terms.Key), checkExpiry(terms.Expires), checkHeader("Cache-Control", terms.CacheControl)}
	if terms.ContentType != "" {
		faults = append(faults, checkContentType(terms.ContentType))
	}
	if err := errors.Join(faults...); err != nil {
		return SignedGet{}, err
	}
	query := url.Values{"response-content-disposition": {disposition(terms.Inline, terms.FileName)}}
	if terms.ContentType != "" {
		query.Set("response-content-type", terms.ContentType)
	}
	if terms.CacheControl != "" {
		query.Set("response-cache-control", terms.CacheControl)
	}
	address, expires, err := s.presign(http.MethodGet, terms.Key, terms.Expires, query, nil)
	if err != nil {
		return SignedGet{}, err
	}
	return SignedGet{URL: address, ExpiresAt: expires}, nil
}

// presign makes no request: the region is known and the credentials do not change.
//
//nolint:contextcheck,nolintlint // so it needs no context; contextcheck reports the callers but reads it here
func (s *Store) presign(
	method, key string, life time.Duration, query url.Values, header http.Header,
) (string, time.Time, error) {
	signed, err := s.signer.PresignHeader(context.Background(), method, s.config.Bucket, key, life, query, header)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("objectstore: sign %s of %s: %s", method, key, printable(err.Error()))
	}
	const amazonTime = "20060102T150405Z"
	since, err := time.Parse(amazonTime, signed.Query().Get("X-Amz-Date"))
	if err != nil {
		return "", time.Time{}, fmt.Errorf("objectstore: sign %s of %s: no date in the URL", method, key)
	}
	return signed.String(), since.Add(life), nil
}

func checkExpiry(life time.Duration) error {
	if life < time.Second || life > MaxExpiry || life%time.Second != 0 {
		return fmt.Errorf("objectstore: a signed URL cannot be valid for %s", life)
	}
	return nil
}

// checkContentType accepts only unambiguous values, because a signature covers a header with its spaces normalized.
func checkContentType(contentType string) error {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.Contains(kind, "/") || strings.Join(strings.Fields(contentType), " ") != contentType {
		return fmt.Errorf("objectstore: %.80q is not a content type", contentType)
	}
	return checkHeader("Content-Type", contentType)
}

func checkHeader(name, value string) error {
	if !httpguts.ValidHeaderFieldValue(value) ||
		strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fmt.Errorf("objectstore: %.80q cannot be the value of %s", value, name)
	}
	return nil
}

// Origin returns the origin of signed links, such as https://media.example.com.
func (s *Store) Origin() (string, error) {
	address, _, err := s.presign(http.MethodGet, "origin", time.Second, nil, nil)
	if err != nil {
		return "", err
	}
	signed, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("objectstore: %w", err)
	}
	return signed.Scheme + "://" + signed.Host, nil
}
