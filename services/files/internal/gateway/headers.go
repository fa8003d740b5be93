package gateway

import (
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/shared/domain/media"
)

// Request headers that are forwarded to the store. None of them changes the data that is read or stored, except the
// content type, which the signature covers.
var (
	downloadRequest = []string{"If-Modified-Since", "If-None-Match", "If-Range", "Range"}
	headRequest     = []string{"If-Modified-Since", "If-None-Match"}
	uploadRequest   = []string{"Content-Type"}
)

// Response headers that are forwarded to clients.
var (
	downloadResponse = []string{
		"Accept-Ranges", "Cache-Control", "Content-Disposition", "Content-Length", "Content-Range", "Content-Type", "Etag",
		"Last-Modified",
	}
	uploadResponse = []string{"Etag"}
)

// onePart matches a range of one part. For several parts, stores respond with a content type of their own or not at
// all.
var onePart = regexp.MustCompile(`^bytes=(?:[0-9]+-[0-9]*|-[0-9]+)$`)

func pick(from http.Header, names []string) http.Header {
	picked := make(http.Header, len(names)+1)
	for _, name := range names {
		if values := from[name]; len(values) > 0 {
			picked[name] = values[:1:1]
		}
	}
	return picked
}

// requestHeader returns the request headers that are forwarded to the store.
func requestHeader(in *http.Request) http.Header {
	switch in.Method {
	case http.MethodPut:
		header := pick(in.Header, uploadRequest)
		if in.ContentLength > 0 {
			header.Set("Expect", "100-continue") // lets the store refuse before the body is sent
		}
		return header
	case http.MethodHead:
		return pick(in.Header, headRequest)
	}
	header := pick(in.Header, downloadRequest)
	if !onePart.MatchString(header.Get("Range")) {
		header.Del("Range")
		header.Del("If-Range")
	}
	return header
}

// responseHeader returns the headers of a successful response that are forwarded to clients.
func responseHeader(method string, res *http.Response) http.Header {
	if method == http.MethodPut {
		header := pick(res.Header, uploadResponse)
		header.Set("Content-Length", "0")
		header.Set("Cache-Control", "no-store")
		return header
	}
	header := pick(res.Header, downloadResponse)
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", "private")
	}
	if res.StatusCode != http.StatusNotModified {
		setType(header)
		if res.ContentLength >= 0 {
			header.Set("Content-Length", strconv.FormatInt(res.ContentLength, 10))
		}
	}
	return header
}

// setType lets a browser show images and videos, and makes it download everything else.
func setType(header http.Header) {
	contentType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || !slices.Contains(media.ContentTypes(), contentType) {
		contentType = "application/octet-stream"
	}
	header.Set("Content-Type", contentType)
	if strings.HasPrefix(contentType, "image/") || strings.HasPrefix(contentType, "video/") {
		return
	}
	header.Set("Content-Disposition", attachment(header.Get("Content-Disposition")))
}

// attachment keeps the file name of a Content-Disposition.
func attachment(disposition string) string {
	const kind = "attachment"
	_, parameters, err := mime.ParseMediaType(disposition)
	if _, rest, found := strings.Cut(disposition, ";"); err == nil && len(parameters) > 0 && found {
		return kind + ";" + rest
	}
	return kind
}

// protect sets the headers of every response.
//
// In the policy, sandbox makes a document of any stored file one without scripts and without an origin. The other
// directives restrict it to loading itself, as the page does that a browser builds around a video. That page has no
// origin, so it can load the video only because every origin may read it.
func protect(header http.Header) {
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; media-src 'self'; sandbox")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Disposition, Content-Range, ETag, Retry-After")
}
