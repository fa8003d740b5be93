package egress

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestName is the maximum length of a file name, in bytes.
const longestName = 200

// suggestedName returns the name under which a browser would save a file: that of Content-Disposition, or the last part
// of the path.
func suggestedName(header http.Header, target *url.URL) string {
	if _, parameters, err := mime.ParseMediaType(header.Get("Content-Disposition")); err == nil {
		if name := safeName(parameters["filename"]); name != "" {
			return name
		}
	}

	return safeName(target.Path)
}

// safeName converts any text to a safe file name: the last part of a path, in valid UTF-8, with visible characters that
// do not change the text direction, and not hidden.
func safeName(text string) string {
	text = strings.ToValidUTF8(text, "")
	text = text[strings.LastIndexAny(text, `/\`)+1:]

	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		default:
			return r
		}
	}, text)

	return strings.Trim(shortened(strings.Trim(text, " .")), " .")
}

// shortened cuts the end of a long name but keeps its extension.
func shortened(name string) string {
	if len(name) <= longestName {
		return name
	}

	const longestExtension = 8

	extension := ""
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && len(name)-dot <= longestExtension {
		extension = name[dot:]
	}

	end := longestName - len(extension)
	for !utf8.RuneStart(name[end]) {
		end--
	}

	return name[:end] + extension
}
