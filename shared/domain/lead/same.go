package lead

import "strings"

// Traits are by what two leads are recognized as the same person. Empty ones match nothing. The store compares the same
// forms.
type Traits struct{ Email, Phone, Profile string }

// Traits returns the traits of the lead.
func (l Lead) Traits() Traits {
	return Traits{Email: strings.ToLower(l.ContactEmail), Phone: PhoneDigits(l.ContactPhone), Profile: ProfileKey(l.ProfileURL)}
}

// PhoneDigits returns the digits of a telephone number without the zeros that are dialed before a country or an area.
func PhoneDigits(phone string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, phone)
	return strings.TrimLeft(digits, "0")
}

// ProfileKey returns the address of a profile without what may be written in several ways: the scheme, www, the case and the
// last slash.
func ProfileKey(address string) string {
	key := strings.ToLower(address)
	key = strings.TrimPrefix(strings.TrimPrefix(key, "http://"), "https://")
	return strings.TrimRight(strings.TrimPrefix(key, "www."), "/")
}
