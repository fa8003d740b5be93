package linkpage

import (
	"errors"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"fencepost.internal/shared/kernel/plaintext"
)

// MaxAddress is the maximum length of a link's URL, in bytes.
const MaxAddress = 2048

const (
	hostLabel = `[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`
	hostName  = `(?:` + hostLabel + `\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])`
)

var (
	hostPattern  = regexp.MustCompile(`^` + hostName + `\.?$`)
	hostEnd      = regexp.MustCompile(`^[^/]*//[^/?#]+`)
	emailPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}@` + hostName + `$`)
	phonePattern = regexp.MustCompile(`^\+?[0-9][0-9().-]{2,30}$`)
)

// address validates the target of a link and returns its stored form: printable ASCII only, so that it is safe in a
// header and in an HTML attribute. Only https, mailto and tel are accepted, each in one unambiguous form, because
// browsers also accept "https:evil", "//evil" and a scheme that contains a tab as URLs.
func (f *faults) address(at, given string) string {
	text := strings.Trim(given, " ")
	scheme, rest, found := strings.Cut(text, ":")
	switch {
	case text == "":
		return ""
	case len(text) > MaxAddress:
		f.add(at, "has %d bytes; at most %d are allowed", len(text), MaxAddress)
		return ""
	case !found:
		f.add(at, "must start with https://, mailto: or tel:")
		return ""
	}
	switch strings.ToLower(scheme) {
	case "https":
		return f.web(at, text)
	case "mailto":
		return f.email(at, rest)
	case "tel":
		return f.phone(at, rest)
	case "http":
		f.add(at, "must use https instead of http")
	default:
		f.add(at, "must start with https://, mailto: or tel:")
	}
	return ""
}

func (f *faults) web(at, text string) string {
	parsed, err := plaintext.ParseURL(text)
	switch {
	case f.unsafe(at, strings.TrimPrefix(text, hostEnd.FindString(text))):
	case errors.Is(err, plaintext.ErrUser):
		f.add(at, "must not contain a user name or a password")
	case errors.Is(err, plaintext.ErrNoHost), errors.Is(err, plaintext.ErrForeign), err == nil &&
		!hostPattern.MatchString(parsed.Hostname()):
		f.add(at,
			"has no valid host, such as example.com; write names in other scripts in their ASCII form, which starts with xn--")
	case err != nil:
		f.add(at, "is not a web address, such as https://example.com/path")
	case !validPort(parsed.Host, parsed.Port()):
		f.add(at, "has a port that does not exist")
	case len(parsed.String()) > MaxAddress:
		f.add(at, "is too long after percent-encoding; at most %d bytes are allowed", MaxAddress)
	default:
		return parsed.String()
	}
	return ""
}

// unsafe refuses the characters that percent-encoding makes valid: not those of a host, a recipient or a number.
func (f *faults) unsafe(at, part string) bool {
	if !strings.ContainsFunc(part, plaintext.NeverInURL) {
		return false
	}
	f.add(at, "has characters that a URL cannot contain; percent-encode them")
	return true
}

func validPort(host, port string) bool {
	if port == "" {
		return !strings.HasSuffix(host, ":")
	}
	number, err := strconv.ParseUint(port, 10, 16)
	return err == nil && number > 0
}

// email accepts one recipient and the parameters subject and body.
func (f *faults) email(at, rest string) string {
	recipient, query, hasQuery := strings.Cut(rest, "?")
	values, err := url.ParseQuery(query)
	switch {
	case !emailPattern.MatchString(recipient) || err != nil || hasQuery && query == "":
		f.add(at, "is not an email link, such as mailto:name@example.com")
		return ""
	case f.unsafe(at, query):
		return ""
	}
	for name := range values {
		if name != "subject" && name != "body" {
			f.add(at, "accepts only the parameters subject and body")
			return ""
		}
	}
	if !hasQuery {
		return "mailto:" + recipient
	}
	// Mail programs do not decode a plus sign as a space.
	return "mailto:" + recipient + "?" + strings.ReplaceAll(values.Encode(), "+", "%20")
}

func (f *faults) phone(at, rest string) string {
	if !phonePattern.MatchString(rest) {
		f.add(at, "is not a telephone link, such as tel:+46701234567; write it without spaces")
		return ""
	}
	return "tel:" + rest
}
