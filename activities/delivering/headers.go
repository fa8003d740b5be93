package delivering

import (
	"net/http"
	"slices"
	"strings"
)

// longestHeaders bounds the stored headers of a request or a response, in bytes.
const longestHeaders = 4 << 10

// headerLines returns headers as text, one a line, sorted by name. It leaves out cookies, which are the receiver's secrets,
// and lines beyond 4 KiB.
func headerLines(header http.Header) string {
	var lines []string
	for name, values := range header {
		if name == "Set-Cookie" {
			continue
		}
		for _, v := range values {
			lines = append(lines, name+": "+strings.ToValidUTF8(strings.ReplaceAll(v, "\x00", ""), "\uFFFD"))
		}
	}
	slices.Sort(lines)
	size := 0
	for i, line := range lines {
		if size += len(line) + 1; size > longestHeaders {
			return strings.Join(lines[:i], "\n")
		}
	}
	return strings.Join(lines, "\n")
}
