package frame

import (
	"fmt"
	"io"
	"path"
	"strings"

	"fencepost.internal/shared/kernel/plaintext"
)

// longestFileName is the number of characters of a file's name that are kept.
const longestFileName = 100

// File returns the name and the content of the form's field file; empty if no file was chosen.
func (v *Visit) File() (name string, content []byte, err error) {
	form := v.Request.MultipartForm
	if form == nil || len(form.File["file"]) == 0 {
		return "", nil, nil
	}
	chosen := form.File["file"][0]
	file, err := chosen.Open()
	if err != nil {
		return "", nil, fmt.Errorf("frame: %w", err)
	}
	defer func() { _ = file.Close() }()
	if content, err = io.ReadAll(file); err != nil {
		return "", nil, fmt.Errorf("frame: %w", err)
	}
	given := []rune(strings.Map(visible, path.Base(strings.ReplaceAll(chosen.Filename, `\`, "/"))))
	return strings.TrimSpace(string(given[:min(len(given), longestFileName)])), content, nil
}

// visible drops the characters that change how the words beside a name read.
func visible(r rune) rune {
	if !plaintext.OneLine(string(r)) {
		return -1
	}
	return r
}
