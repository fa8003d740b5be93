package requestlog

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"fencepost.internal/shared/kernel/ident"
)

// hidden replaces what may be personal.
const hidden = "…"

// maxText is the maximum length of a path, a query and a User-Agent in the log, in characters.
const maxText = 300

// shownValues are the query parameters whose values are never personal: IDs, times, numbers and names of the contract.
// Searches, labels and IDs of other systems are hidden.
var shownValues = []string{
	"campaignId", "channelId", "createdFrom", "createdTo", "eventType", "from", "groupId", "limit", "publishedFrom",
	"publishedTo", "scheduledFrom", "scheduledTo", "sort", "status", "to", "tokenStatus", "type", "unused", "updatedSince",
}

// plain is the form of such values. Others, such as mail addresses, are mistakes of the client.
var plain = regexp.MustCompile(`^[A-Za-z0-9_.:,+-]*$`)

// Path returns a path by its template, such as /v1/posts/{id}. The variable parts are shown if they are IDs.
func Path(template, path string) string {
	parts := strings.Split(template, "/")
	actual := strings.Split(path, "/")
	for i, part := range parts {
		if !strings.HasPrefix(part, "{") {
			continue
		}
		parts[i] = hidden
		if i < len(actual) && isID(actual[i]) {
			parts[i] = actual[i]
		}
	}
	return Text(strings.Join(parts, "/"))
}

// isID reports whether a part of a path is an ID of the service.
func isID(part string) bool {
	_, err := ident.Parse[ident.Request](strings.TrimPrefix(part, "evt_")) // the prefix of events
	return err == nil
}

// Query returns a query with the names and values of parameters that the operation has. Values that may be personal are
// hidden, and so are unknown names.
func Query(known []string, query string) string {
	if query == "" {
		return ""
	}
	var parts []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		decoded, valueErr := url.QueryUnescape(value)
		switch {
		case err != nil || !slices.Contains(known, name):
			parts = append(parts, hidden)
		case valueErr != nil || !slices.Contains(shownValues, name) || !plain.MatchString(decoded):
			parts = append(parts, name+"="+hidden)
		default:
			parts = append(parts, name+"="+decoded)
		}
	}
	return Text(strings.Join(parts, "&"))
}

// Network returns the network of an address, which does not identify a person: /24 or /48.
func Network(address netip.Addr) string {
	if !address.IsValid() {
		return ""
	}
	bits := 48
	if address = address.Unmap(); address.Is4() {
		bits = 24
	}
	network, err := address.WithZone("").Prefix(bits)
	if err != nil {
		return ""
	}
	return network.String()
}

// Text returns a text of the client as it can be stored and shown: without control characters, and shortened.
func Text(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText]) + hidden
	}
	return text
}
