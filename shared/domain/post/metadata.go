package post

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"fencepost.internal/shared/kernel/apperr"
)

// Limits of metadata and of external ids (docs/contract.md, Post).
const (
	MaxMetadata          = 20  // values of a post
	LongestMetadataName  = 40  // in characters
	LongestMetadataValue = 500 // in characters
	LongestExternalID    = 200 // in characters

	// maxMetadataBytes limits the metadata in events, which escape a few characters by more than four bytes.
	maxMetadataBytes = 48 << 10
)

// Metadata holds the values that a client stored with a post, by their names.
type Metadata map[string]string

// Faults returns what is wrong with the metadata, at pointers below the given one.
func (m Metadata) Faults(pointer string) []apperr.Field {
	var faults []apperr.Field
	add := func(at, format string, args ...any) {
		faults = append(faults, apperr.Field{Pointer: at, Message: fmt.Sprintf(format, args...)})
	}
	if len(m) > MaxMetadata {
		add(pointer, "has %d values; at most %d are allowed", len(m), MaxMetadata)
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901
	for _, name := range slices.Sorted(maps.Keys(m)) {
		at := pointer + "/" + escape.Replace(name)
		switch length := utf8.RuneCountInString(name); {
		case length == 0:
			add(at, "has an empty name; name the value")
		case length > LongestMetadataName:
			add(at, "has a name of %d characters; at most %d are allowed", length, LongestMetadataName)
		}
		if length := utf8.RuneCountInString(m[name]); length > LongestMetadataValue {
			add(at, "has %d characters; at most %d are allowed", length, LongestMetadataValue)
		}
	}
	if raw, err := json.Marshal(m); len(faults) == 0 && (err != nil || len(raw) > maxMetadataBytes) {
		add(pointer, "is larger than %d bytes as JSON; shorten its values", maxMetadataBytes)
	}
	return faults
}
