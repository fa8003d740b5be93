package objectstore

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// Defaults of a Config.
const (
	DefaultRegion        = "us-east-1"
	DefaultCallTimeout   = 15 * time.Second
	DefaultFinishTimeout = 5 * time.Minute
	DefaultStallTimeout  = 30 * time.Second
)

// Addressing says where the bucket's name stands in an address.
type Addressing string

const (
	// AddressingAuto is virtual for stores known to want it (Amazon, Google, Alibaba) and path for all others.
	AddressingAuto Addressing = "auto"
	// AddressingPath is https://host/bucket/key.
	AddressingPath Addressing = "path"
	// AddressingVirtual is https://bucket.host/key.
	AddressingVirtual Addressing = "virtual"
)

func (a Addressing) lookup() minio.BucketLookupType {
	switch a {
	case AddressingPath:
		return minio.BucketLookupPath
	case AddressingVirtual:
		return minio.BucketLookupDNS
	case AddressingAuto:
	}
	return minio.BucketLookupAuto
}

// Config says where the bucket is.
type Config struct {
	Endpoint string // http or https address of the store, without a path; its scheme decides on TLS
	// PublicEndpoint is the like, as clients reach the store: signed addresses begin with it. Endpoint when empty.
	//
	// MinIO must not be reachable there itself, but behind a proxy that takes all headers away that begin with x-amz- or
	// x-minio-, and keeps the host. No signed address needs them. MinIO obeys them although no signature covers them: with
	// x-amz-content-sha256 it stores anything under any key for whoever knows the access key, which stands in every signed
	// address, and with x-amz-copy-source a signed upload reads any object whose key is known.
	PublicEndpoint       string
	Region               string // DefaultRegion when empty
	AccessKey, SecretKey string
	Bucket               string
	Addressing           Addressing // AddressingAuto when empty

	// CallTimeout bounds a call that moves no content, and the wait for the beginning of an answer; DefaultCallTimeout
	// when zero.
	CallTimeout time.Duration
	// FinishTimeout bounds the calls in which the store itself moves content: a copy, and the end of a multipart upload;
	// DefaultFinishTimeout when zero.
	FinishTimeout time.Duration
	// StallTimeout bounds the time in which a transfer does not move although our side is ready; DefaultStallTimeout when
	// zero. A transfer that moves may last as long as its context.
	StallTimeout time.Duration
	// Transport carries the requests; NewTransport(nil) when nil.
	Transport http.RoundTripper
}

func (c *Config) setDefaults() {
	if c.PublicEndpoint == "" {
		c.PublicEndpoint = c.Endpoint
	}
	if c.Region == "" {
		c.Region = DefaultRegion
	}
	if c.Addressing == "" {
		c.Addressing = AddressingAuto
	}
	if c.CallTimeout == 0 {
		c.CallTimeout = DefaultCallTimeout
	}
	if c.FinishTimeout == 0 {
		c.FinishTimeout = DefaultFinishTimeout
	}
	if c.StallTimeout == 0 {
		c.StallTimeout = DefaultStallTimeout
	}
	if c.Transport == nil {
		c.Transport = NewTransport(nil)
	}
}

// validate reports all faults at once, and never quotes a key.
func (c *Config) validate() error {
	var faults []error
	if _, _, err := splitEndpoint(c.Endpoint); err != nil {
		faults = append(faults, fmt.Errorf("endpoint: %w", err))
	}
	if _, _, err := splitEndpoint(c.PublicEndpoint); err != nil {
		faults = append(faults, fmt.Errorf("public endpoint: %w", err))
	}
	if c.AccessKey == "" || c.SecretKey == "" {
		faults = append(faults, errors.New("access key and secret key are needed"))
	}
	if err := s3utils.CheckValidBucketNameStrict(c.Bucket); err != nil {
		faults = append(faults, fmt.Errorf("bucket %q: %w", c.Bucket, err))
	}
	if c.Addressing != AddressingAuto && c.Addressing != AddressingPath && c.Addressing != AddressingVirtual {
		faults = append(faults, fmt.Errorf("addressing %q is not path, virtual or auto", c.Addressing))
	}
	if c.CallTimeout < 0 || c.FinishTimeout < 0 || c.StallTimeout < 0 {
		faults = append(faults, errors.New("a timeout is negative"))
	}
	return errors.Join(faults...)
}

// splitEndpoint returns host and port of an endpoint, and whether it wants TLS. Its error does not quote the endpoint,
// which may hold a password.
func splitEndpoint(endpoint string) (host string, secure bool, err error) {
	parsed, err := url.Parse(endpoint)
	switch {
	case err != nil || parsed.Hostname() == "" || parsed.Scheme != "http" && parsed.Scheme != "https":
		return "", false, errors.New("need an absolute http or https address")
	case parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "":
		return "", false, errors.New("must have no user, query or fragment")
	case parsed.Path != "" && parsed.Path != "/":
		return "", false, errors.New("must have no path: signatures cover the whole path")
	}
	return parsed.Host, parsed.Scheme == "https", nil
}

func isDualStack(host string) bool { return strings.Contains(host, ".dualstack.") }
