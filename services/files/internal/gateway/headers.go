package gateway

import (
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"socialpub.internal/shared/domain/media"
)

// Headers of requests that the store gets to see. None of them changes what is read or stored, except for the content type,
// which the signature covers.
var (
	downloadRequest = []string{"If-Modified-Since", "If-None-Match", "If-Range", "Range"}
	headRequest     = []string{"If-Modified-Since", "If-None-Match"}
	uploadRequest   = []string{"Content-Type"}
)

// Headers of answers that clients get to see.
var (
	downloadAnswer = []string{
		"Accept-Ranges", "Cache-Control", "Content-Disposition", "Content-Length", "Content-Range", "Content-Type", "Etag", "Last-Modified",
	}
	uploadAnswer = []string{"Etag"}
)

// onePart is a range of one part. Of several, stores make answers of a type of their own, or none.
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

// requestHeader is what the store gets to see of a request's headers.
func requestHeader(in *http.Request) http.Header {
	switch in.Method {
	case http.MethodPut:
		header := pick(in.Header, uploadRequest)
		if in.ContentLength > 0 {
			header.Set("Expect", "100-continue") // so that the store refuses before the bytes flow
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

// answerHeader is what clients get to see of the headers of a good answer.
func answerHeader(method string, res *http.Response) http.Header {
	if method == http.MethodPut {
		header := pick(res.Header, uploadAnswer)
		header.Set("Content-Length", "0")
		header.Set("Cache-Control", "no-store")
		return header
	}
	header := pick(res.Header, downloadAnswer)
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

// setType lets a browser show pictures and films, and makes it save everything else.
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

// protect sets what every answer has, whatever it is.
//
// In the policy, sandbox makes a document of any stored file one without scripts and without an origin; the rest keeps it
// from loading anything but itself, which is what the page does that a browser builds around a film. Being without an origin,
// that page loads the film only because any origin may read it.
func protect(header http.Header) {
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; media-src 'self'; sandbox")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Disposition, Content-Range, ETag, Retry-After")
}
