package listen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Terminal color codes.
const (
	plain  = ""
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// Text returns a printer for people. With colour, keys and verdicts are highlighted.
func Text(w io.Writer, colour bool) Printer {
	return &text{w: w, colour: colour, key: regexp.MustCompile(`(?m)^(\s*)("(?:[^"\\]|\\.)*")(: )`)}
}

type text struct {
	w      io.Writer
	colour bool
	key    *regexp.Regexp
}

func (t *text) Print(d Delivery) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s\n", d.At.UTC().Format("15:04:05.000Z"), t.paint(bold, printable(or(d.Type, "(no type)"))),
		printable(or(d.ID, "(no id)")))
	b.WriteString("  " + t.verdict(d) + "\n")
	for _, remark := range slices.Concat(d.Refusals, d.Oddities) {
		b.WriteString("  " + t.paint(yellow, "! "+printable(remark)) + "\n")
	}
	b.WriteString(t.body(d.Body) + "\n")
	_, err := io.WriteString(t.w, b.String())
	return err
}

// verdict returns a line that reports whether the delivery is genuine, whether it is new, its age, and the response.
func (t *text) verdict(d Delivery) string {
	parts := []string{t.paint(red, "NOT VERIFIED")}
	if d.Genuine() {
		parts = []string{t.paint(green, "verified by "+strings.Join(d.Verified, " and ")), t.attempt(d)}
	}
	if d.Age != nil {
		parts = append(parts, span(*d.Age)+" after the event")
	}
	colour := green
	if d.Response/100 != 2 {
		colour = red
	}
	text := "response " + t.paint(colour, strconv.Itoa(d.Response)+" "+http.StatusText(d.Response))
	if d.Delay > 0 {
		text += " after " + d.Delay.String()
	}
	return strings.Join(append(parts, strings.TrimRight(text, " ")), ", ")
}

// attempt describes the attempt by the number of arrivals. The service does not send its own attempt number, and other
// attempts may have been lost or sent elsewhere.
func (t *text) attempt(d Delivery) string {
	switch {
	case d.Accepted:
		return t.paint(yellow, fmt.Sprintf("DUPLICATE: attempt %d received, acknowledged before", d.Seen))
	case d.Seen > 1:
		return t.paint(yellow, fmt.Sprintf("a retry: attempt %d received, response %d before", d.Seen, d.Before))
	default:
		return "first attempt received"
	}
}

func (t *text) body(body []byte) string {
	var pretty bytes.Buffer
	if json.Indent(&pretty, body, "  ", "  ") != nil {
		return "  " + printable(strings.ReplaceAll(strings.ToValidUTF8(string(body), "\uFFFD"), "\n", "\n  ")) + "\n"
	}
	shown := printable(strings.TrimSpace(pretty.String()))
	if t.colour {
		shown = t.key.ReplaceAllString(shown, "$1"+"\x1b["+cyan+"m$2\x1b[0m$3")
	}
	return "  " + shown + "\n"
}

func (t *text) paint(colour, words string) string {
	if !t.colour || colour == plain {
		return words
	}
	return "\x1b[" + colour + "m" + words + "\x1b[0m"
}

// printable escapes characters that could control the terminal.
func printable(words string) string {
	var b strings.Builder
	for _, r := range words {
		switch {
		case !speaks(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r) // as in JSON
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// speaks reports control characters other than the line feed, and characters that change the text direction or break
// lines. Joiners are excluded, because emoji use them.
func speaks(r rune) bool {
	const joiner, nonJoiner = '\u200d', '\u200c'
	if r == '\n' || r == joiner || r == nonJoiner {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

func or(value, none string) string {
	if value == "" {
		return none
	}
	return value
}

// span formats a duration for people: in milliseconds below ten seconds, then in seconds.
func span(d time.Duration) string {
	const few = 10 * time.Second
	if d.Abs() < few {
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return d.Round(time.Second).String()
}
