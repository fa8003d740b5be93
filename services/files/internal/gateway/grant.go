package gateway

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/infra/objectstore"
)

// grant holds the parameters of a signed address. The store checks the signature. The gateway checks the form only, so
// that only signed addresses of the kind that this service makes (objectstore.PresignGet and PresignPut) reach the
// store.
type grant struct {
	query   string // the same parameters in a canonical encoding
	expires time.Time
}

// signatureParameters returns the patterns of the required parameters. Each must occur exactly once.
func signatureParameters() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"X-Amz-Algorithm":     algorithmPattern,
		"X-Amz-Credential":    credentialPattern,
		"X-Amz-Date":          datePattern,
		"X-Amz-Expires":       expiresPattern,
		"X-Amz-SignedHeaders": headersPattern,
		"X-Amz-Signature":     signaturePattern,
	}
}

var (
	algorithmPattern  = regexp.MustCompile(`^AWS4-HMAC-SHA256$`)
	credentialPattern = regexp.MustCompile(`^[^/[:cntrl:]]{1,128}/[0-9]{8}/[a-z0-9._-]{1,63}/s3/aws4_request$`)
	datePattern       = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z$`)
	expiresPattern    = regexp.MustCompile(`^[0-9]{1,6}$`)
	headersPattern    = regexp.MustCompile(`^[a-z;-]{1,64}$`)
	signaturePattern  = regexp.MustCompile(`^[0-9a-f]{64}$`)

	// responseParameters are allowed in a download address, each at most once.
	responseParameters = []string{"response-cache-control", "response-content-disposition", "response-content-type"}
)

// Headers covered by a signature. The signature of an upload fixes the size and the content type.
const (
	downloadHeaders = "host"
	uploadHeaders   = "content-length;content-type;host"
)

// readGrant parses the query of a request. It returns false if the query is not a signed address for the method.
func readGrant(method, rawQuery string) (grant, bool) {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return grant{}, false
	}
	patterns, found := signatureParameters(), 0
	for name, values := range query {
		pattern, ofSignature := patterns[name]
		switch {
		case len(values) != 1:
			return grant{}, false
		case ofSignature && pattern.MatchString(values[0]):
			found++
		case !ofSignature && method != http.MethodPut && slices.Contains(responseParameters, name):
		default:
			return grant{}, false
		}
	}
	headers := downloadHeaders
	if method == http.MethodPut {
		headers = uploadHeaders
	}
	expires, ok := expiry(query.Get("X-Amz-Date"), query.Get("X-Amz-Expires"))
	if found != len(patterns) || query.Get("X-Amz-SignedHeaders") != headers || !ok {
		return grant{}, false
	}
	// Some stores read a plus sign as a space, others as a plus sign.
	return grant{query: strings.ReplaceAll(query.Encode(), "+", "%20"), expires: expires}, true
}

func expiry(date, seconds string) (time.Time, bool) {
	const amazonTime = "20060102T150405Z"
	since, err := time.Parse(amazonTime, date)
	if err != nil {
		return time.Time{}, false
	}
	life, err := strconv.Atoi(seconds)
	if err != nil || life < 1 || time.Duration(life)*time.Second > objectstore.MaxExpiry {
		return time.Time{}, false
	}
	return since.Add(time.Duration(life) * time.Second), true
}
