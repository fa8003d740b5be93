package objectstore

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestName is the maximum length of a file name, in bytes: file systems allow 255, and browsers append to it.
const longestName = 180

// disposition returns the value of a Content-Disposition header (RFC 6266). The parameter filename is for old clients
// and contains only ASCII; filename* (RFC 8187) contains the full name and is left out if it would be the same.
func disposition(inline bool, fileName string) string {
	kind := "attachment"
	if inline {
		kind = "inline"
	}
	name := safeName(fileName)
	if name == "" {
		return kind
	}
	plain := plainName(name)
	value := kind + `; filename="` + plain + `"`
	if plain != name {
		value += "; filename*=UTF-8''" + escape(name)
	}
	return value
}

// safeName converts any text to a safe file name: the last part of a path, without control characters and without
// characters that change the text direction (which can make "exe.jpg" look like "gpj.exe"), with underscores for
// characters that file systems reserve, and not hidden.
func safeName(text string) string {
	text = strings.ToValidUTF8(text, "_")
	text = text[strings.LastIndexAny(text, `/\`)+1:]
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), unicode.In(r, unicode.Zl, unicode.Zp), r == '\uFEFF':
			return -1
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, text)
	return strings.Trim(shorten(strings.Trim(text, " .")), " .")
}

// shorten cuts a long name but keeps its extension.
func shorten(name string) string {
	const longestExtension = 16
	if len(name) <= longestName {
		return name
	}
	extension := ""
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && len(name)-dot <= longestExtension {
		extension = name[dot:]
	}
	end := longestName - len(extension)
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + extension
}

// plainName replaces characters that an ASCII quoted string cannot contain, or that some clients would decode in it.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '%' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, name)
}

// escape percent-encodes everything except the attr-char of RFC 8187.
func escape(name string) string {
	const hex = "0123456789ABCDEF"
	var out strings.Builder
	for _, b := range []byte(name) {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', strings.IndexByte("!#$&+-.^_`|~", b) >= 0:
			out.WriteByte(b)
		default:
			out.WriteByte('%')
			out.WriteByte(hex[b>>4])
			out.WriteByte(hex[b&0xF])
		}
	}
	return out.String()
}
