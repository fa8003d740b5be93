package config

import (
	"fmt"
	"math"
	"net"
	"net/mail"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// formats maps the names of format tags to rules. A rule returns the problem, or an empty string. Rules for a Secret
// never quote it.
var formats = map[string]func(value any) string{
	"log-format":    of(matching(`json|text`, "is not json or text")),
	"otlp-protocol": of(matching(`http/protobuf|`+ProtocolGRPC, "is not http/protobuf or grpc")),
	"s3-addressing": of(matching(`path|virtual|auto`, "is not path, virtual or auto")),
	"smtp-tls":      of(matching(`starttls|tls|none`, "is not starttls, tls or none")),
	"listen":        of(rule(isListenAddress, "is not a listen address")),
	"host-port":     of(rule(isHostPort, "is not host:port")),
	"mail-host":     of(rule(isMailHost, "is not a host without a port")),
	"sender":        of(rule(isSender, "is not an email address, with or without a name")),
	"port":          between(1, math.MaxUint16, "is not a port"),
	"count":         between(0, math.MaxFloat64, "is negative"),
	"positive":      between(math.SmallestNonzeroFloat64, math.MaxFloat64, "is not positive"),
	"name":          of(nameRule),
	"names":         of(names),
	"inbox-parts":   of(each(matching(`comments|mentions|reviews|off`, "is not comments, mentions, reviews or off"))),
	// Temporal joins the name of a deployment and a build by a colon, formerly by a dot.
	"deployment":   of(matching(`[A-Za-z0-9][A-Za-z0-9_-]{0,62}`, "is not 1 to 63 characters of A-Z a-z 0-9 _ -")),
	"build":        of(matching(`[A-Za-z0-9][A-Za-z0-9._+-]{0,127}`, "is not 1 to 128 characters of A-Z a-z 0-9 . _ + -")),
	"retention":    of(rule(isRetention, "is less than "+minRetention.String()+"; use off to keep the data for good")),
	"http-url":     of(httpURL),
	"hosts":        of(each(rule(isHost, "is not a host such as api.internal or api.internal:8080"))),
	"origins":      of(each(origin)),
	"postgres-url": of(postgresURL),
	"secrets":      of(secrets),
}

var nameRule = matching(`[a-z0-9][a-z0-9._-]{0,62}`, "is not a name of a-z 0-9 . _ -")

// minRetention is the shortest retention. What the API shows for a month, events and deliveries, is never shorter-lived
// than its history.
const minRetention = 30 * 24 * time.Hour

// of returns the rule for values of type T.
func of[T any](check func(T) string) func(any) string {
	return func(value any) string {
		typed, ok := value.(T)
		if !ok {
			return fmt.Sprintf("is declared as %T, not as %T", value, typed)
		}
		return check(typed)
	}
}

// rule returns the check that a value is valid. The problem follows the value.
func rule[T any](valid func(T) bool, problem string) func(T) string {
	return func(value T) string {
		if valid(value) {
			return ""
		}
		return quote(value) + " " + problem
	}
}

// quote returns a value for a message: all but numbers in quotation marks.
func quote(value any) string {
	if reflect.ValueOf(value).CanConvert(reflect.TypeFor[float64]()) {
		return fmt.Sprint(value)
	}
	return fmt.Sprintf("%.80q", fmt.Sprint(value))
}

// matching returns the check that a text matches a pattern.
func matching(pattern, problem string) func(string) string {
	return rule(regexp.MustCompile("^(?:"+pattern+")$").MatchString, problem)
}

// between returns the rule for numbers and durations.
func between(least, most float64, problem string) func(any) string {
	return rule(func(value any) bool {
		number, kind := reflect.ValueOf(value), reflect.TypeFor[float64]()
		return number.CanConvert(kind) && number.Convert(kind).Float() >= least && number.Convert(kind).Float() <= most
	}, problem)
}

// each returns the check of a list by that of an element.
func each(check func(string) string) func([]string) string {
	return func(list []string) string {
		for _, element := range list {
			if problem := check(element); problem != "" {
				return problem
			}
		}
		return ""
	}
}

func isListenAddress(value string) bool {
	_, port, err := net.SplitHostPort(value)
	return err == nil && validPort(port, 0)
}

func isHostPort(value string) bool {
	host, port, err := net.SplitHostPort(value)
	return err == nil && host != "" && validPort(port, 1)
}

func validPort(port string, least uint64) bool {
	number, err := strconv.ParseUint(port, 10, 16)
	return err == nil && number >= least
}

// isMailHost accepts a name or an IP address, without a port.
func isMailHost(value string) bool {
	parsed, err := url.Parse("//" + value)
	return net.ParseIP(value) != nil || err == nil && parsed.Hostname() == value
}

func isSender(value string) bool {
	_, err := mail.ParseAddress(value)
	return err == nil
}

func isRetention(age Wait) bool { return age.After() == nil || *age.After() >= minRetention }

// httpURL is strict, because paths are appended to the value unchanged.
func httpURL(value string) string {
	parsed, err := url.Parse(value)
	switch {
	case err != nil || parsed.Host == "" || parsed.Hostname() == "" || parsed.Scheme != "http" && parsed.Scheme != "https":
		return quote(value) + " is not an http or https address"
	case parsed.User != nil:
		return "must not contain credentials"
	case parsed.Port() != "" && !validPort(parsed.Port(), 1):
		return quote(value) + " has no valid port"
	case parsed.RawQuery != "" || parsed.ForceQuery || strings.Contains(value, "#"):
		return quote(value) + " must not have a query or fragment"
	case strings.HasSuffix(value, "/"):
		return quote(value) + " must not end with a slash"
	}
	return ""
}

// names accepts different names.
func names(list []string) string {
	for i, element := range list {
		if slices.Contains(list[:i], element) {
			return quote(element) + " occurs twice"
		}
	}
	return each(nameRule)(list)
}

// isHost accepts a name or an IP address, with or without a port.
func isHost(value string) bool {
	parsed, err := url.Parse("http://" + value)
	return err == nil && parsed.Host == value && parsed.Hostname() != "" && (parsed.Port() != "" || !strings.HasSuffix(value, ":"))
}

// origin accepts a value as browsers send it in Origin (RFC 6454, section 7): only scheme, host and port.
func origin(value string) string {
	problem := httpURL(value)
	if parsed, err := url.Parse(value); problem == "" && (err != nil || value != parsed.Scheme+"://"+parsed.Host) {
		return quote(value) + " is not an origin (scheme, host and port) such as https://agent.example.com"
	}
	return problem
}

// secrets accepts a secret, or the new and the old one.
func secrets(secret Secret) string {
	if list := secret.List(); len(list) > 2 || slices.Contains(list, "") {
		return "is not one secret, or two that are separated by a comma"
	}
	return ""
}

// postgresURL omits the parse error, because it quotes the URL, including the password.
func postgresURL(secret Secret) string {
	parsed, err := url.Parse(secret.Reveal())
	switch {
	case err != nil || parsed.Scheme != "postgres" && parsed.Scheme != "postgresql":
		return "is not a postgres:// URL"
	case parsed.Host == "" && parsed.Query().Get("host") == "":
		return "has no host"
	case strings.Trim(parsed.Path, "/") == "":
		return "has no database"
	}
	return ""
}
