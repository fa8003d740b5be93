package person

import (
	"regexp"
	"strings"
)

// Lengths of phone numbers with the code of the country (ITU-T E.164).
const (
	fewestDigits = 7
	mostDigits   = 15
)

// variant is a form of the numbers of a country that reaches the same phone as another one.
type variant struct {
	form    *regexp.Regexp
	instead string
}

var variants = []variant{
	// Brazil: the ninth digit of mobile numbers, which some networks omit for older accounts.
	{regexp.MustCompile(`^(55[1-9]{2})([6-9]\d{7})$`), "${1}9${2}"},
	// Argentina: the 9 that calls from abroad to mobile phones need.
	{regexp.MustCompile(`^549(\d{10})$`), "54${1}"},
	// Mexico: the 1 that calls from abroad to mobile phones needed until 2019.
	{regexp.MustCompile(`^521(\d{10})$`), "52${1}"},
}

// Phone returns a phone number with the code of the country as digits, in the form that all its variants have in common; false if
// the text is no such number.
func Phone(text string) (digits string, ok bool) {
	digits, plain := dial(text)
	digits = strings.TrimPrefix(digits, "00")
	if !plain || len(digits) < fewestDigits || len(digits) > mostDigits || digits[0] == '0' {
		return "", false
	}
	for _, v := range variants {
		digits = v.form.ReplaceAllString(digits, v.instead)
	}
	return digits, true
}

// Dialed returns the digits of a text with nothing but a phone number or a part of one, as searches find them; false for another text.
func Dialed(text string) (digits string, ok bool) {
	if whole, is := Phone(text); is && strings.HasPrefix(strings.TrimSpace(text), "+") {
		return whole, true
	}
	const fewest = 3
	digits, plain := dial(text)
	digits = strings.TrimLeft(digits, "0") // the network's form has the code of the country instead
	return digits, plain && len(digits) >= fewest
}

// dial returns the digits of a text, and whether it has nothing else but what people write between them.
func dial(text string) (digits string, plain bool) {
	plain = true
	digits = strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9':
			return r
		case strings.ContainsRune("+ ()-./\u00a0", r):
		default:
			plain = false
		}
		return -1
	}, strings.TrimSpace(text))
	return digits, plain
}
