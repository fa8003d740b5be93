package config

import (
	"fmt"
	"math"
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// formats maps the names of format tags to rules. A rule returns the problem, or an empty string. Rules for a Secret
// never quote it.
var formats = map[string]func(value any) string{
	"log-format":    of(oneOf("json", "text")),
	"otlp-protocol": of(oneOf("http/protobuf", ProtocolGRPC)),
	"s3-addressing": of(oneOf("path", "virtual", "auto")),
	"listen":        of(listenAddress),
	"host-port":     of(hostPort),
	"hosts":         of(hosts),
	"http-url":      of(httpURL),
	"name":          of(name),
	"deployment":    of(deploymentName),
	"build":         of(buildID),
	"names":         of(names),
	"origins":       of(origins),
	"positive":      positive,
	"count":         of(count),
	"delay":         of(delay),
	"retention":     of(retention),
	"postgres-url":  of(postgresURL),
	"mail-host":     of(mailHost),
	"port":          of(port),
	"smtp-tls":      of(oneOf("starttls", "tls", "none")),
	"sender":        of(sender),
}

var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)

// Temporal joins the name of a deployment and a build by a colon, formerly by a dot.
var (
	deploymentPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$`)
	buildPattern      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$`)
)

func deploymentName(value string) string {
	if deploymentPattern.MatchString(value) {
		return ""
	}
	return quote(value) + " is not 1 to 63 characters of A-Z a-z 0-9 _ -"
}

func buildID(value string) string {
	if buildPattern.MatchString(value) {
		return ""
	}
	return quote(value) + " is not 1 to 128 characters of A-Z a-z 0-9 . _ + -"
}

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

func oneOf(words ...string) func(string) string {
	return func(value string) string {
		if slices.Contains(words, value) {
			return ""
		}

		last := len(words) - 1

		return quote(value) + " is not " + strings.Join(words[:last], ", ") + " or " + words[last]
	}
}

func listenAddress(value string) string {
	_, port, err := net.SplitHostPort(value)
	if err != nil || !validPort(port, 0) {
		return quote(value) + " is not a listen address"
	}

	return ""
}

func hostPort(value string) string {
	host, port, err := net.SplitHostPort(value)
	if err != nil || host == "" || !validPort(port, 1) {
		return quote(value) + " is not host:port"
	}

	return ""
}

func validPort(port string, least uint64) bool {
	number, err := strconv.ParseUint(port, 10, 16)

	return err == nil && number >= least
}

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

func name(value string) string {
	if namePattern.MatchString(value) {
		return ""
	}

	return quote(value) + " is not a name of a-z 0-9 . _ -"
}

func names(list []string) string {
	for i, element := range list {
		if message := name(element); message != "" {
			return message
		}

		if slices.Contains(list[:i], element) {
			return quote(element) + " occurs twice"
		}
	}

	return ""
}

// hosts accepts names or IP addresses, each with or without a port.
func hosts(list []string) string {
	for _, element := range list {
		if parsed, err := url.Parse("http://" + element); err != nil || parsed.Host != element || parsed.Hostname() == "" ||
			parsed.Port() == "" && strings.HasSuffix(element, ":") {
			return quote(element) + " is not a host such as api.internal or api.internal:8080"
		}
	}

	return ""
}

// minRetention is the shortest retention. What the API shows for a month, events and deliveries, is never shorter-lived
// than its history.
const minRetention = 30 * 24 * time.Hour

func retention(age Wait) string {
	if after := age.After(); after != nil && *after < minRetention {
		return quote(age.String()) + " is less than " + minRetention.String() + "; use off to keep the data for good"
	}

	return ""
}

func delay(value time.Duration) string {
	if value < 0 {
		return quote(value.String()) + " is negative"
	}

	return ""
}

func count(value int) string {
	if value >= 0 {
		return ""
	}

	return strconv.Itoa(value) + " is negative"
}

func positive(value any) string {
	good := false

	switch number := value.(type) {
	case int:
		good = number > 0
	case time.Duration:
		good = number > 0
	case float64:
		good = number > 0 && !math.IsInf(number, 0)
	}

	if good {
		return ""
	}

	return fmt.Sprintf("%v is not positive", value)
}

func postgresURL(secret Secret) string {
	// The parse error is omitted because it quotes the URL, including the password.
	parsed, err := url.Parse(secret.Reveal())
	if err != nil || parsed.Scheme != "postgres" && parsed.Scheme != "postgresql" {
		return "is not a postgres:// URL"
	}

	if parsed.Host == "" && parsed.Query().Get("host") == "" {
		return "has no host"
	}

	if strings.Trim(parsed.Path, "/") == "" {
		return "has no database"
	}

	return ""
}

// origins accepts values as browsers send them in Origin (RFC 6454, section 7): only scheme, host and port.
func origins(list []string) string {
	for _, element := range list {
		if message := httpURL(element); message != "" {
			return quote(element) + " " + message
		}

		if parsed, err := url.Parse(element); err != nil || element != parsed.Scheme+"://"+parsed.Host {
			return quote(element) + " is not an origin (scheme, host and port) such as https://agent.example.com"
		}
	}

	return ""
}

// mailHost accepts a name or an IP address, without a port.
func mailHost(value string) string {
	if parsed, err := url.Parse("//" + value); net.ParseIP(value) == nil && (err != nil || parsed.Hostname() != value) {
		return quote(value) + " is not a host without a port"
	}
	return ""
}

func port(value int) string {
	if value < 1 || value > math.MaxUint16 {
		return strconv.Itoa(value) + " is not a port"
	}
	return ""
}

func sender(value string) string {
	if _, err := mail.ParseAddress(value); err != nil {
		return quote(value) + " is not an email address, with or without a name"
	}
	return ""
}
