package httpcall

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Request is one call.
type Request struct {
	Operation string // name of the call for metrics: publish, status, refresh …
	// Address is an absolute URL that the network gave, such as that of an upload. It replaces the base URL, Path and
	// Query, and is sent unchanged. The connector has checked its host.
	Address   string
	Method    string   // GET if empty
	Path      []string // segments after the base URL, escaped by the client
	PathSlash bool     // the path ends in a slash, which some networks require
	PathKeys  bool     // also escape colons in the segments, as Rest.li requires for keys
	Query     url.Values
	QueryTail string // appended to Query unchanged, for parameters that Query cannot encode: name=(a:1,b:List(2))
	Header    http.Header
	JSON      any        // the body as JSON, or
	Form      url.Values // the body as a form, or
	Multipart *Multipart // the body as a form with files, or
	Body      *Body      // the body as raw bytes
	Secrets   []string   // credentials in this request; removed from errors even if the network echoes them
	// Timeout is used if shorter than the client's timeout. platform.TransferTime of the body is added in either case.
	Timeout time.Duration
}

// Response is a complete response of any status.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	commit bool
	hide   *strings.Replacer
}

// Decode decodes the body as one JSON value. Its error never quotes the body.
func (r Response) Decode(into any) error {
	if err := json.Unmarshal(r.Body, into); err != nil {
		return errors.New("the response is not the expected JSON")
	}
	return nil
}

// OK reports whether the status is a 2xx.
func (r Response) OK() bool { return r.Status >= 200 && r.Status < 300 }

// Reasons why a request's URL cannot be built.
var (
	errPath  = errors.New("a segment of the path is empty or a dot") // such a segment changes the path's structure
	errQuery = errors.New("the end of the query is not escaped")
	errURL   = errors.New("the address is not an absolute http or https URL")
)

// tailPattern matches a valid QueryTail. It excludes characters that end the query or need escaping.
var tailPattern = regexp.MustCompile(`^[A-Za-z0-9_.~%&=(),:*!'-]*$`)

// address returns the URL of the call.
func (c *Client) address(request Request) (string, error) {
	if request.Address != "" {
		given, err := url.Parse(request.Address)
		if err != nil || given.Scheme != "http" && given.Scheme != "https" || given.Hostname() == "" || given.User != nil {
			return "", errURL
		}
		return given.String(), nil
	}
	address := *c.base
	path := make([]string, 0, len(request.Path))
	for _, segment := range request.Path {
		if segment == "" || segment == "." || segment == ".." {
			return "", errPath
		}
		escaped := url.PathEscape(segment)
		if request.PathKeys {
			escaped = strings.ReplaceAll(escaped, ":", "%3A")
		}
		path = append(path, escaped)
	}
	if !tailPattern.MatchString(request.QueryTail) {
		return "", errQuery
	}
	end := ""
	if request.PathSlash {
		end = "/"
	}
	address.RawPath = address.EscapedPath() + "/" + strings.Join(path, "/") + end
	address.Path += "/" + strings.Join(request.Path, "/") + end
	address.RawQuery = strings.Trim(request.Query.Encode()+"&"+request.QueryTail, "&")
	return address.String(), nil
}

func (c *Client) build(ctx context.Context, request Request) (*http.Request, error) {
	address, err := c.address(request)
	if err != nil {
		return nil, err
	}
	body, contentType, err := request.body()
	if err != nil {
		return nil, err
	}
	built, err := http.NewRequestWithContext(ctx, request.Method, address, body)
	if err != nil {
		return nil, errors.New("the request cannot be formed")
	}
	for name, values := range request.Header {
		built.Header[http.CanonicalHeaderKey(name)] = values
	}
	built.Header.Set("User-Agent", c.config.UserAgent)
	built.Header.Set("Accept", "application/json")
	if contentType != "" {
		built.Header.Set("Content-Type", contentType)
	}
	return built, nil
}

func (r Request) body() (io.Reader, string, error) {
	switch {
	case r.JSON != nil:
		encoded, err := json.Marshal(r.JSON)
		if err != nil {
			return nil, "", errors.New("the body cannot be encoded")
		}
		return bytes.NewReader(encoded), "application/json", nil
	case r.Form != nil:
		return strings.NewReader(r.Form.Encode()), "application/x-www-form-urlencoded", nil
	default:
		return nil, "", nil
	}
}

// replacer replaces the request's credentials, in each encoding in which a response may echo them.
func (r Request) replacer() *strings.Replacer {
	var pairs []string
	for _, secret := range r.Secrets {
		if secret == "" {
			continue
		}
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			pairs = append(pairs, form, "[redacted]")
		}
	}
	return strings.NewReplacer(pairs...)
}
