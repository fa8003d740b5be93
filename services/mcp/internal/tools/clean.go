package tools

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// cleaned removes invisible characters from every text of a result: control characters, bidirectional marks and tag
// characters. Users do not see them, and a model may misinterpret them. User content in a result is data and must not
// affect its structure.
func cleaned(raw []byte) (jsontext.Value, error) {
	if !suspicious(raw) {
		return raw, nil
	}
	var out bytes.Buffer
	decoder, encoder := jsontext.NewDecoder(bytes.NewReader(raw)), jsontext.NewEncoder(&out)
	for {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(out.Bytes()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("clean a result: %w", err)
		}
		if token.Kind() == '"' {
			token = jsontext.String(visible(token.String()))
		}
		if err := encoder.WriteToken(token); err != nil {
			return nil, fmt.Errorf("clean a result: %w", err)
		}
	}
}

// suspicious reports whether there may be a hidden character, or an escape that may encode one. Most results have
// neither.
func suspicious(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		switch b := raw[i]; {
		case b == '\\':
			i++
			if i == len(raw) || strings.IndexByte(`nt"\/`, raw[i]) < 0 {
				return true
			}
		case b >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(raw[i:])
			if hidden(r) {
				return true
			}
			i += size - 1
		case b < ' ' || b == 0x7F:
			if hidden(rune(b)) {
				return true
			}
		}
	}
	return false
}

// visible returns the text without hidden characters. It keeps joiners, which many scripts and some emoji need.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, text)
}

func hidden(r rune) bool {
	const joiners, tags, lastVariation = "\u200c\u200d", 0xE0000, 0xE01EF
	switch {
	case r == '\n' || r == '\t' || strings.ContainsRune(joiners, r):
		return false
	// tags and the 240 variation selectors, which can encode arbitrary bytes after an emoji
	case r >= tags && r <= lastVariation:
		return true
	case r == 0xFFFD:
		return false
	default: // control characters, and format characters of direction, order and width
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	}
}
