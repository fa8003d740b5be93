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

// cleaned takes out of every text of a result what people do not see and a model may take for something else: control characters,
// marks that turn the direction of text round, and tags. What people wrote is data of a result, never a part of its form.
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

// suspicious reports whether there may be something to take out: a character that is hidden, or an escape behind which there may be
// one. Nearly all results have neither.
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

// visible is a text without what is hidden in it. Joiners stay: many scripts, and pictures of families, are written with them.
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
	case r >= tags && r <= lastVariation: // tags, and the 240 marks of variation by which any bytes can be hidden behind a picture
		return true
	case r == 0xFFFD:
		return false
	default: // controls, and the marks of direction, order and width that are formats
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	}
}
