package objectstore

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestName bounds a file name, in bytes: file systems take 255, and browsers add to it.
const longestName = 180

// disposition is the value of a Content-Disposition header (RFC 6266). The parameter filename is for old clients and holds
// ASCII alone; filename* (RFC 8187) holds the whole name and is left out when it would say the same.
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

// safeName makes any text a file name: the last part of a path, without control characters and without those that change
// the direction of writing (a way to make "gpj.exe" out of "exe.jpg"), with underscores in place of what file systems
// reserve, and not hidden.
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

// shorten cuts the middle of a long name, so that its extension stays.
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

// plainName replaces what a quoted string of ASCII cannot hold, or what some clients would decode in it.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '%' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, name)
}

// escape percent-encodes everything but the attr-char of RFC 8187.
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
