package failpoint

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// ErrSyntax reports an invalid list of entries; the error text contains the entry.
var ErrSyntax = errors.New("failpoint: malformed entry")

type kind string

const (
	kill     kind = "kill"
	stop     kind = "stop"
	sleep    kind = "sleep"
	injected kind = "error"
)

var entryPattern = regexp.MustCompile(
	`^([A-Za-z0-9_.\-/]+)=(?:(kill|stop|error)|(sleep)\(([^()]+)\))(?:#([1-9][0-9]*))?$`)

// entry is one armed action. Its hits are counted from the moment it was armed.
type entry struct {
	name  string
	text  string // the part after the equals sign, such as kill#3
	kind  kind
	pause time.Duration
	nth   int64 // 0 = each hit
	hits  atomic.Int64
}

// due counts a hit and reports whether the entry acts on it.
func (e *entry) due() bool {
	hit := e.hits.Add(1)

	return e.nth == 0 || hit == e.nth
}

// once reports whether the entry may act only once per log.
func (e *entry) once() bool { return e.nth > 0 }

func parseEntries(text string) ([]*entry, error) {
	var entries []*entry

	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ';' || r == '\n' || r == '\r' }) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}

		parsed, err := parseEntry(part)
		if err != nil {
			return nil, err
		}

		entries = append(entries, parsed)
	}

	return entries, nil
}

func parseEntry(text string) (*entry, error) {
	match := entryPattern.FindStringSubmatch(text)
	if match == nil {
		return nil, fmt.Errorf("%w %q: want name=kill|stop|error|sleep(duration), optionally #n", ErrSyntax, text)
	}

	parsed := &entry{name: match[1], text: text[len(match[1])+1:], kind: kind(match[2] + match[3])}

	if match[4] != "" {
		pause, err := time.ParseDuration(match[4])
		if err != nil || pause < 0 {
			return nil, fmt.Errorf("%w %q: %q is not a duration such as 200ms", ErrSyntax, text, match[4])
		}

		parsed.pause = pause
	}

	if match[5] != "" {
		nth, err := strconv.ParseInt(match[5], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%w %q: %w", ErrSyntax, text, err)
		}

		parsed.nth = nth
	}

	return parsed, nil
}
