// Package email defines the addresses by which people sign in, are invited and get mails. It is a package of its own, so that
// there is one comparison of addresses.
package email

import (
	"net/mail"
	"strings"
)

const longest = 254 // bytes (RFC 5321, section 4.5.3.1.3)

// Fault is the message at a field whose text is no address.
const Fault = "Enter an email address such as ada@example.com."

// Address is the email address of a person, as it was entered. Two addresses belong to the same person if Same says so;
// the stores compare with the same rule (postgres, sameEmail). Compare them in no other way: Unicode maps other letters
// to those of ASCII (the Kelvin sign U+212A to k), so that an address that another person can own would match.
type Address string

// Parse returns the address in a text, without the space around it; false if the text is no address.
func Parse(text string) (Address, bool) {
	text = strings.TrimSpace(text)
	parsed, err := mail.ParseAddress(text)
	if err != nil || parsed.Address != text || len(text) > longest {
		return "", false
	}
	return Address(text), true
}

// Same reports whether both are equal if the case of ASCII letters is ignored.
func (a Address) Same(other Address) bool { return a.Folded() == other.Folded() }

// Folded returns the address with its ASCII letters in lower case: equal for addresses that are the same.
func (a Address) Folded() string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, string(a))
}
