package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sanitizer replaces everything in a response that is a secret or belongs to a person: known values, and every text
// that is not known to be harmless. It keeps the form of the response, and the same value gets the same replacement.
type sanitizer struct {
	known map[string]string // replacement by value
	ids   map[string]string
}

func newSanitizer() *sanitizer {
	return &sanitizer{known: make(map[string]string), ids: make(map[string]string)}
}

// hide replaces a value wherever it occurs. An empty value is ignored.
func (s *sanitizer) hide(value, replacement string) {
	if value != "" && value != replacement {
		s.known[value], s.known[url.QueryEscape(value)] = replacement, url.QueryEscape(replacement)
	}
}

// text replaces the known values in a text.
func (s *sanitizer) text(text string) string {
	values := make([]string, 0, len(s.known))
	for value := range s.known {
		values = append(values, value)
	}
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) }) // the longest first
	for _, value := range values {
		text = strings.ReplaceAll(text, value, s.known[value])
	}
	return text
}

// leak returns a known value that the text still contains.
func (s *sanitizer) leak(text string) (string, bool) {
	for value, replacement := range s.known {
		if len(value) > 3 && !strings.Contains(replacement, value) && strings.Contains(text, value) {
			return replacement, true
		}
	}
	return "", false
}

// body returns the JSON of the response. It returns false for any other body, which is not kept.
func (s *sanitizer) body(body []byte) (json.RawMessage, bool) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil, false
	}
	clean, err := json.Marshal(s.value("", value, nil))
	return clean, err == nil
}

func (s *sanitizer) value(name string, value any, parent map[string]any) any {
	switch v := value.(type) {
	case map[string]any:
		clean := make(map[string]any, len(v))
		for member, inner := range v {
			clean[member] = s.value(member, inner, v)
		}
		return clean
	case []any:
		clean := make([]any, len(v))
		for i, inner := range v {
			clean[i] = s.value(name, inner, parent)
		}
		return clean
	case string:
		return s.word(name, v, parent)
	case json.Number:
		return s.number(name, v)
	default:
		return v
	}
}

// Patterns of values.
var (
	idPattern    = regexp.MustCompile(`^-?[0-9]{5,}$`)
	longNumber   = regexp.MustCompile(`[0-9]{5,}`)
	timePattern  = regexp.MustCompile(`^20[0-9]{2}-[01][0-9]-[0-3][0-9]T`)
	enumPattern  = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,60}$`)
	statePattern = regexp.MustCompile(`^[a-z_]{1,30}$`)
	mailPattern  = regexp.MustCompile(`[^\s"]+@[^\s"]+`)
	urlPattern   = regexp.MustCompile(`^https?://`)
	linkPattern  = regexp.MustCompile(`https?://[^\s"]+`)
)

// word replaces a text by the kind of value that its member holds.
func (s *sanitizer) word(name, text string, parent map[string]any) string {
	_, coded := parent["code"]
	_, numbered := parent["error_code"]
	_, stated := parent["status"]
	_, detailed := parent["detail"]
	problem := coded || numbered || stated || detailed
	switch known := s.text(text); {
	case known != text && !idPattern.MatchString(text) && !urlPattern.MatchString(text) && !problem:
		return s.masked(known)
	case idPattern.MatchString(text):
		return s.id(text)
	case timePattern.MatchString(text), enumPattern.MatchString(text), name == "status" && statePattern.MatchString(text):
		return text
	case urlPattern.MatchString(text) && strings.Contains(text, "/problems/"):
		return text
	case urlPattern.MatchString(text):
		return "https://example.com/1"
	case strings.HasPrefix(text, "urn:li:"), name == "name" && strings.HasPrefix(text, "accounts/"):
		return s.masked(known)
	case problem && slices.Contains([]string{"message", "title", "detail", "description", "type", "code", "reason"}, name):
		return s.masked(known)
	case slices.Contains([]string{"type", "error", "token_type", "error_description", "languageCode", "@type"}, name):
		return s.masked(known)
	default:
		return "text"
	}
}

// masked hides numbers, addresses of mail and of pages within a text.
func (s *sanitizer) masked(text string) string {
	text = linkPattern.ReplaceAllStringFunc(text, func(link string) string {
		if strings.Contains(link, "/problems/") {
			return link
		}
		return "https://example.com/1"
	})
	text = mailPattern.ReplaceAllString(text, "person@example.com")
	return longNumber.ReplaceAllStringFunc(text, s.id)
}

// id returns another id of the same length.
func (s *sanitizer) id(id string) string {
	if _, mapped := s.ids[id]; !mapped {
		number := strconv.Itoa(len(s.ids) + 1)
		digits := strings.TrimPrefix(id, "-")
		sign := id[:len(id)-len(digits)]
		s.ids[id] = sign + "1" + strings.Repeat("0", max(0, len(digits)-1-len(number))) + number
	}
	return s.ids[id]
}

// number replaces ids. Times and durations stay.
func (s *sanitizer) number(name string, number json.Number) any {
	const largest = 1_000_000
	if n, err := number.Int64(); err != nil || n < largest && n > -largest {
		return number
	}
	lower := strings.ToLower(name)
	for _, kind := range []string{"date", "created", "expires", "after", "time"} {
		if strings.Contains(lower, kind) {
			return number
		}
	}
	return json.Number(s.id(number.String()))
}

// headers returns the headers that connectors read.
func (s *sanitizer) headers(header http.Header) map[string]string {
	kept := make(map[string]string)
	for name := range header {
		lower := strings.ToLower(name)
		if lower == "content-type" || lower == "retry-after" || lower == "x-restli-id" || lower == "api-version" ||
			strings.HasPrefix(lower, "x-rate-limit-") || strings.HasPrefix(lower, "x-app-limit-") ||
			strings.HasPrefix(lower, "x-user-limit-") || strings.HasPrefix(lower, "x-ratelimit-") {
			value := s.text(header.Get(name))
			if lower == "x-restli-id" {
				value = s.masked(value)
			}
			kept[lower] = value
		}
	}
	return kept
}

// checked returns an error if a secret is left in the fixture.
func (s *sanitizer) checked(text []byte) error {
	if replacement, leaks := s.leak(string(text)); leaks {
		return fmt.Errorf("live: the fixture still contains the value that %q replaces; it was not written", replacement)
	}
	return nil
}
