package objectstore

import (
	"cmp"
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

// Addressing is the position of the bucket's name in a URL.
type Addressing string

const (
	// AddressingAuto means virtual for stores known to require it (Amazon, Google, Alibaba) and path for all others.
	AddressingAuto Addressing = "auto"
	// AddressingPath means https://host/bucket/key.
	AddressingPath Addressing = "path"
	// AddressingVirtual means https://bucket.host/key.
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

// Config configures a Store.
type Config struct {
	Endpoint string // http or https URL of the store, without a path; the scheme selects TLS
	// PublicEndpoint is the URL under which clients reach the store. Signed URLs start with it. Empty means Endpoint.
	//
	// It must not be MinIO itself, but a proxy in front of it that removes all headers starting with x-amz- or x-minio-
	// and keeps the host. No signed URL needs these headers. MinIO obeys them although no signature covers them: with
	// x-amz-content-sha256, it stores anything under any key for a client that knows the access key, which is part of
	// every signed URL, and with x-amz-copy-source, a signed upload reads any object whose key is known.
	PublicEndpoint       string
	Region               string // DefaultRegion if empty
	AccessKey, SecretKey string
	Bucket               string
	Addressing           Addressing // AddressingAuto if empty

	// CallTimeout bounds a call that transfers no content, and the wait for the start of a response; DefaultCallTimeout
	// if zero.
	CallTimeout time.Duration
	// FinishTimeout bounds the calls in which the store itself moves content: a copy, and the completion of a multipart
	// upload; DefaultFinishTimeout if zero.
	FinishTimeout time.Duration
	// StallTimeout bounds the time during which a transfer makes no progress although this side is ready;
	// DefaultStallTimeout if zero. A transfer that makes progress may last as long as its context.
	StallTimeout time.Duration
	// Transport sends the requests; NewTransport(nil) if nil.
	Transport http.RoundTripper
}

func (c *Config) setDefaults() {
	c.PublicEndpoint = cmp.Or(c.PublicEndpoint, c.Endpoint)
	c.Region = cmp.Or(c.Region, DefaultRegion)
	c.Addressing = cmp.Or(c.Addressing, AddressingAuto)
	c.CallTimeout = cmp.Or(c.CallTimeout, DefaultCallTimeout)
	c.FinishTimeout = cmp.Or(c.FinishTimeout, DefaultFinishTimeout)
	c.StallTimeout = cmp.Or(c.StallTimeout, DefaultStallTimeout)
	if c.Transport == nil {
		c.Transport = NewTransport(nil)
	}
}

// validate reports all problems at once and never quotes a key.
func (c *Config) validate() error {
	var faults []error
	if _, _, err := splitEndpoint(c.Endpoint); err != nil {
		faults = append(faults, fmt.Errorf("endpoint: %w", err))
	}
	if _, _, err := splitEndpoint(c.PublicEndpoint); err != nil {
		faults = append(faults, fmt.Errorf("public endpoint: %w", err))
	}
	if c.AccessKey == "" || c.SecretKey == "" {
		faults = append(faults, errors.New("access key and secret key are required"))
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

// splitEndpoint returns the host and port of an endpoint, and whether it uses TLS. Its error does not quote the
// endpoint, which may contain a password.
func splitEndpoint(endpoint string) (host string, secure bool, err error) {
	parsed, err := url.Parse(endpoint)
	switch {
	case err != nil || parsed.Hostname() == "" || parsed.Scheme != "http" && parsed.Scheme != "https":
		return "", false, errors.New("must be an absolute http or https URL")
	case parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "":
		return "", false, errors.New("must not have a user, query or fragment")
	case parsed.Path != "" && parsed.Path != "/":
		return "", false, errors.New("must not have a path: signatures cover the whole path")
	}
	return parsed.Host, parsed.Scheme == "https", nil
}

func isDualStack(host string) bool { return strings.Contains(host, ".dualstack.") }
