// Package reporttest reads the texts of reports.
package reporttest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

var (
	stream = regexp.MustCompile(`(?s)stream\r?\n(.*?)\r?\nendstream`)
	shown  = regexp.MustCompile(`(?s)\(((?:[^()\\]|\\.)*)\) ?Tj`)
)

// Texts returns the texts of a PDF in their order, as they are written on its pages.
func Texts(t testing.TB, raw []byte) (texts []string) {
	t.Helper()
	require.True(t, bytes.HasPrefix(raw, []byte("%PDF-")))
	require.Contains(t, string(raw[max(0, len(raw)-32):]), "%%EOF")
	for _, found := range stream.FindAllSubmatch(raw, -1) {
		reader, err := zlib.NewReader(bytes.NewReader(found[1]))
		if err != nil {
			continue // a font
		}
		content, err := io.ReadAll(reader)
		require.NoError(t, err)
		if !bytes.Contains(content, []byte(" Tj")) {
			continue
		}
		for _, text := range shown.FindAllSubmatch(content, -1) {
			texts = append(texts, decoded(t, text[1]))
		}
	}
	require.NotEmpty(t, texts)
	return texts
}

// decoded reads a string of PDF with the characters of UTF-16.
func decoded(t testing.TB, raw []byte) string {
	t.Helper()
	var plain []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) {
			i++
			if at := strings.IndexByte("nrtbf", raw[i]); at >= 0 {
				plain = append(plain, "\n\r\t\b\f"[at])
				continue
			}
		}
		plain = append(plain, raw[i])
	}
	require.Zero(t, len(plain)%2, "%q", plain)
	units := make([]uint16, len(plain)/2)
	for i := range units {
		units[i] = binary.BigEndian.Uint16(plain[2*i:])
	}
	return string(utf16.Decode(units))
}
