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
	"log-format":    oneOf("json", "text"),
	"otlp-protocol": oneOf("http/protobuf", ProtocolGRPC),
	"s3-addressing": oneOf("path", "virtual", "auto"),
	"smtp-tls":      oneOf("starttls", "tls", "none"),
	"listen":        rule(isListenAddress, "is not a listen address"),
	"host-port":     rule(isHostPort, "is not host:port"),
	"mail-host":     rule(isMailHost, "is not a host without a port"),
	"port":          rule(isPort, "is not a port"),
	"sender":        rule(isSender, "is not an email address, with or without a name"),
	"count":         rule(func(n int) bool { return n >= 0 }, "is negative"),
	"delay":         rule(func(d time.Duration) bool { return d >= 0 }, "is negative"),
	"name":          rule(namePattern.MatchString, notName),
	// Temporal joins the name of a deployment and a build by a colon, formerly by a dot.
	"deployment":   rule(regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$`).MatchString, "is not 1 to 63 characters of A-Z a-z 0-9 _ -"),
	"build":        rule(regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$`).MatchString, "is not 1 to 128 characters of A-Z a-z 0-9 . _ + -"),
	"retention":    rule(isRetention, "is less than "+minRetention.String()+"; use off to keep the data for good"),
	"http-url":     of(httpURL),
	"hosts":        of(hosts),
	"names":        of(names),
	"origins":      of(origins),
	"postgres-url": of(postgresURL),
	"positive":     positive,
}

var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)

const notName = "is not a name of a-z 0-9 . _ -"

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

// rule returns the rule that a value of type T is valid. The problem follows the value.
func rule[T any](valid func(T) bool, problem string) func(any) string {
	return of(func(value T) string {
		if valid(value) {
			return ""
		}
		return quote(value) + " " + problem
	})
}

// quote returns a value for a message: all but numbers in quotation marks.
func quote(value any) string {
	if number, ok := value.(int); ok {
		return strconv.Itoa(number)
	}
	return fmt.Sprintf("%.80q", fmt.Sprint(value))
}

func oneOf(words ...string) func(any) string {
	last := len(words) - 1
	return rule(func(value string) bool { return slices.Contains(words, value) },
		"is not "+strings.Join(words[:last], ", ")+" or "+words[last])
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

func isPort(value int) bool { return value >= 1 && value <= math.MaxUint16 }

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

func names(list []string) string {
	for i, element := range list {
		if !namePattern.MatchString(element) {
			return quote(element) + " " + notName
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
