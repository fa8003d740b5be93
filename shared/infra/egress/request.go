package egress

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"

	"golang.org/x/net/http/httpguts"
)

func (c *Client) build(ctx context.Context, target string, request Request) (*http.Request, error) {
	method := request.Method
	method = cmp.Or(method, http.MethodPost)

	outgoing, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(request.Body))
	if err != nil {
		return nil, fmt.Errorf("egress: %w", err)
	}

	for name, values := range request.Header {
		if !httpguts.ValidHeaderFieldName(name) {
			return nil, fmt.Errorf("egress: header name %q is malformed", name)
		}

		for _, value := range values {
			if !httpguts.ValidHeaderFieldValue(value) {
				return nil, fmt.Errorf("egress: the value of header %q is malformed", name)
			}

			outgoing.Header.Add(name, value)
		}
	}

	for _, name := range withheld() {
		outgoing.Header.Del(name)
	}

	outgoing.Header.Set("User-Agent", c.userAgent)

	return outgoing, nil
}

// withheld returns the headers that no request carries: those that identify a client, and those that belong to the
// connection.
func withheld() []string {
	return []string{
		"Cookie", "Referer", "Host", "Connection", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection",
		"Content-Length", "Transfer-Encoding", "Te", "Trailer", "Upgrade", "Expect", "Accept-Encoding",
	}
}
