package presentation

import (
	"strconv"
	"strings"

	"fencepost.internal/shared/platform"
)

// Audience returns who sees a post with the visibility or the privacy, in words. It is empty if everyone does.
func Audience(level string) string {
	switch level {
	case "CONNECTIONS":
		return "connections"
	case "unlisted":
		return "unlisted"
	case "private":
		return "private"
	case platform.PrivacyFriends:
		return "friends"
	case platform.PrivacyFollowers:
		return "followers"
	case platform.PrivacySelf:
		return "only you"
	default:
		return ""
	}
}

// Button returns the text of a post's button; empty if there is none.
func Button(action string) string {
	switch action {
	case "BOOK":
		return "Book"
	case "ORDER":
		return "Order online"
	case "SHOP":
		return "Buy"
	case "LEARN_MORE":
		return "Learn more"
	case "SIGN_UP":
		return "Sign up"
	case "CALL":
		return "Call now"
	default:
		return ""
	}
}

// thousands formats a number: 63,206.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func plural(unit string, n int) string {
	if n == 1 {
		return unit
	}
	return unit + "s"
}

// domainOf returns the host of an address as networks show it, without www.
func domainOf(address string) string {
	if _, rest, has := strings.Cut(address, "://"); has {
		address = rest
	}
	if end := strings.IndexAny(address, "/?#"); end >= 0 {
		address = address[:end]
	}
	if at := strings.LastIndexByte(address, '@'); at >= 0 {
		address = address[at+1:]
	}
	return strings.TrimPrefix(strings.ToLower(address), "www.")
}
