package player

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
)

// seen is a request that the player received.
type seen struct {
	Method string      `json:"method"`
	Path   string      `json:"path"`
	Query  url.Values  `json:"query,omitempty"`
	Header http.Header `json:"headers"`
	body   []byte
}

// faults returns how a request differs from the expected one.
func (want Request) faults(got seen, earlier map[int]seen) []string {
	var found []string
	fault := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if got.Method != want.Method || got.Path != want.Path {
		fault("the request is %s %s instead of %s %s", got.Method, got.Path, want.Method, want.Path)
	}
	if query := want.values(); !reflect.DeepEqual(query, got.Query) {
		fault("the query is %v instead of %v", got.Query, query)
	}
	for name, matcher := range want.Headers {
		if wrong := matcher.fault(name, got.Header, earlier); wrong != "" {
			fault("%s", wrong)
		}
	}
	switch {
	case want.NoBody && len(got.body) > 0:
		fault("the body is %q instead of empty", got.body)
	case want.BodyText != nil && *want.BodyText != string(got.body):
		fault("the body is %q instead of %q", got.body, *want.BodyText)
	case want.BodySize != nil && *want.BodySize != len(got.body):
		fault("the body has %d bytes instead of %d", len(got.body), *want.BodySize)
	case want.Body != nil && !sameJSON(want.Body, got.body):
		fault("the body is %s instead of %s", got.body, want.Body)
	}
	return found
}

// values returns the expected query: a text or a list of texts for each name.
func (want Request) values() url.Values {
	query := url.Values{}
	for name, raw := range want.Query {
		var one string
		if json.Unmarshal(raw, &one) == nil {
			query[name] = []string{one}
			continue
		}
		var several []string
		_ = json.Unmarshal(raw, &several) // another type equals no query
		query[name] = several
	}
	return query
}

func (m Matcher) fault(name string, header http.Header, earlier map[int]seen) string {
	got := header.Get(name)
	differs := func(want string) string {
		return fmt.Sprintf("the header %s is %q instead of %s", name, got, want)
	}
	switch {
	case m.Absent:
		if len(header.Values(name)) > 0 {
			return differs("absent")
		}
	case m.Matches != "":
		if !regexp.MustCompile(m.Matches).MatchString(got) {
			return differs(m.Matches)
		}
	case m.Same != nil:
		if first := earlier[*m.Same].Header.Get(name); got == "" || got != first {
			return differs(fmt.Sprintf("%q, as in exchange %d", first, *m.Same))
		}
	case m.Differs != nil:
		if got == "" || got == earlier[*m.Differs].Header.Get(name) {
			return differs(fmt.Sprintf("another than in exchange %d", *m.Differs))
		}
	case got != m.Equals:
		return differs(fmt.Sprintf("%q", m.Equals))
	}
	return ""
}

// sameJSON compares two documents. Numbers are compared as written, so that large ones are not rounded.
func sameJSON(a, b []byte) bool {
	left, leftErr := decode(a)
	right, rightErr := decode(b)
	return leftErr == nil && rightErr == nil && reflect.DeepEqual(left, right)
}

func decode(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// next returns the number of the exchange for a request: the first open one, or an open one of its group with the same
// method and path.
func next(exchanges []Exchange, open []int, got seen) int {
	first := open[0]
	group := exchanges[first].Group
	if group == "" {
		return first
	}
	at := slices.IndexFunc(open, func(i int) bool {
		want := exchanges[i]
		return want.Group == group && want.Request.Method == got.Method && want.Request.Path == got.Path
	})
	if at < 0 {
		return first
	}
	return open[at]
}
