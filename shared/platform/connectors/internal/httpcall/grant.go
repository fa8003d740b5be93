package httpcall

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Limits of what a token response may state.
const (
	longestScope    = 4096
	longestLifetime = 10 * 365 * 24 * time.Hour
)

// Seconds is a lifetime in a token response. Anything but a positive number is read as zero, because an unusual
// lifetime must not cost the tokens beside it.
type Seconds int64

// UnmarshalJSON reads a number, or a number in a string. It never fails.
func (s *Seconds) UnmarshalJSON(raw []byte) error {
	*s = 0
	seconds, _ := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64) // zero or infinite with an error
	if seconds > 0 && seconds <= longestLifetime.Seconds() {
		*s = Seconds(seconds)
	}
	return nil
}

// Scope is the list of granted scopes in a token response, separated by spaces. Anything but a string or a list of
// strings is read as empty.
type Scope string

// UnmarshalJSON reads a string, whose scopes may also be separated by commas, or a list. It never fails.
func (s *Scope) UnmarshalJSON(raw []byte) error {
	*s = ""
	var text string
	var list []string
	if json.Unmarshal(raw, &text) != nil && json.Unmarshal(raw, &list) != nil {
		return nil //nolint:nilerr // odd scopes must not cost the tokens
	}
	list = append(list, strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })...)
	if joined := printable(strings.Join(list, " ")); len(joined) <= longestScope {
		*s = Scope(joined)
	}
	return nil
}

// EndOf returns the end of a lifetime that begins now. It returns zero if the response did not contain it.
func (c *Client) EndOf(life Seconds) time.Time {
	if life <= 0 {
		return time.Time{}
	}
	return c.Now().Add(time.Duration(life) * time.Second)
}
