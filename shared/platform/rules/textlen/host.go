package textlen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// longestLabel is the DNS limit of a label. longestRun bounds the work on text that only resembles a host.
const (
	longestLabel = 63
	longestRun   = 1024
)

// hostAt returns the length of the longest valid host at the start of the text, or zero if there is none. Without a
// protocol, only ASCII and accented Latin letters count, so that a host can be found inside Japanese or Chinese text
// without spaces.
func hostAt(text string, protocol bool) int {
	labels := strings.SplitN(text[:hostRun(text, protocol)], ".", 1+strings.Count(text, "."))
	length, end := 0, 0
	for i, label := range labels {
		if i > 0 {
			if tld := topLevelAt(label, text[length:]); tld > 0 && validName(labels[i-1], false) {
				end = length + tld
			}
		}
		if !validName(label, true) {
			break
		}
		length += len(label) + 1
	}
	return end
}

// hostRun returns the length of the leading run of characters that are valid in hosts.
func hostRun(text string, protocol bool) int {
	for at, r := range text {
		inside := r == '.' || r == '-' || r == '_' || isHostLetter(r)
		if !protocol && r > unicode.MaxASCII && !isLatinAccent(r) {
			inside = false
		}
		if !inside {
			return at
		}
		if at > longestRun {
			return 0
		}
	}
	return len(text)
}

// isHostLetter accepts letters of any script, and symbols, as X does.
func isHostLetter(r rune) bool {
	if r <= unicode.MaxASCII {
		return isASCIIAlphanumeric(r)
	}
	return !unicode.In(r, unicode.P, unicode.Z, unicode.C)
}

// validName reports whether one label is valid: it has no hyphen or underscore at its ends, an underscore only in a
// subdomain, and an ASCII form within the DNS limit.
func validName(label string, subdomain bool) bool {
	if label == "" || strings.ContainsRune("-_", rune(label[0])) || strings.ContainsRune("-_", rune(label[len(label)-1])) {
		return false
	}
	if !subdomain && strings.Contains(label, "_") {
		return false
	}
	ascii, err := idna.Punycode.ToASCII(label)
	return err == nil && len(ascii) <= longestLabel
}

// topLevelAt returns the length of the top-level domain that starts the label. An ASCII domain may be followed directly
// by text in another script, but not by a letter, digit, hyphen, underscore, plus or at sign.
func topLevelAt(label, rest string) int {
	first, _ := utf8.DecodeRuneInString(label)
	end := len(label)
	if isASCIIAlphanumeric(first) {
		end = 0
		for end < len(label) && (isASCIIAlphanumeric(rune(label[end])) || label[end] == '-') {
			end++
		}
		if end < len(label) && label[end] == '_' {
			return 0
		}
	}
	if next, _ := utf8.DecodeRuneInString(rest[end:]); strings.ContainsRune("@+", next) {
		return 0
	}
	if !isTopLevel(label[:end]) {
		return 0
	}
	return end
}

// TopLevel reports whether the host ends with a top-level domain that exists.
func TopLevel(host string) bool {
	at := strings.LastIndexByte(host, '.')
	return at > 0 && isTopLevel(host[at+1:])
}

// isTopLevel reports whether the label is a top-level domain of the public suffix list.
func isTopLevel(label string) bool {
	ascii, err := idna.Punycode.ToASCII(strings.ToLower(label))
	if err != nil || ascii == "" {
		return false
	}
	_, listed := publicsuffix.PublicSuffix("name." + ascii)
	return listed
}
