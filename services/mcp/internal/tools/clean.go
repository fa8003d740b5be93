package tools

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// cleaned takes out of every text of a result what people do not see and a model may take for something else: control characters,
// marks that turn the direction of text round, and tags. What people wrote is data of a result, never a part of its form.
func cleaned(raw []byte) (jsontext.Value, error) {
	if !bytes.ContainsFunc(raw, suspicious) {
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

// suspicious marks what may have to be taken out: characters beyond ASCII, and escapes, behind which there may be any.
func suspicious(r rune) bool { return r == '\\' || hidden(r) }

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
	const joiners, tags, lastTag = "\u200c\u200d", 0xE0000, 0xE007F
	switch {
	case r == '\n' || r == '\t' || strings.ContainsRune(joiners, r):
		return false
	case r >= tags && r <= lastTag:
		return true
	case r == 0xFFFD:
		return false
	default: // controls, and the marks of direction, order and width that are formats
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	}
}
