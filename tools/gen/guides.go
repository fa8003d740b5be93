package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// sampleMark names the source of the block of code below it: a file, or with an anchor the first block of code below a
// heading of a page.
var sampleMark = regexp.MustCompile("(?m)^<!-- sample: ([^#\\s]+)(?:#(\\S+))? -->\n+(```[^\n]*\n)(?s:.*?)^```$")

// guides replaces the marked blocks of code of guides by their sources, which are tested.
func guides(files []string) error {
	for _, guide := range files {
		raw, err := os.ReadFile(guide)
		if err != nil {
			return err
		}
		var failed error
		text := sampleMark.ReplaceAllStringFunc(string(raw), func(found string) string {
			parts := sampleMark.FindStringSubmatch(found)
			code, err := sampleOf(parts[1], parts[2])
			if err != nil {
				failed = fmt.Errorf("%s: %w", guide, err)
			}
			mark, _, _ := strings.Cut(found, "\n")
			return mark + "\n\n" + parts[3] + strings.TrimRight(code, "\n") + "\n```"
		})
		if failed != nil {
			return failed
		}
		if strings.Count(text, "<!-- sample:") != len(sampleMark.FindAllString(text, -1)) {
			return fmt.Errorf("%s: a sample has no block of code below it", guide)
		}
		if err := os.WriteFile(guide, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sampleOf returns a file, or the first block of code below the heading of a page with the anchor.
func sampleOf(file, anchor string) (string, error) {
	raw, err := os.ReadFile(file)
	if err != nil || anchor == "" {
		return string(raw), err
	}
	below, fenced := false, false
	var code strings.Builder
	for line := range strings.Lines(string(raw)) {
		switch {
		case fenced && strings.HasPrefix(line, "```"):
			return code.String(), nil
		case fenced:
			code.WriteString(line)
		case below && strings.HasPrefix(line, "```"):
			fenced = true
		case strings.HasPrefix(line, "#"):
			heading := strings.TrimSpace(strings.TrimLeft(line, "#"))
			below = strings.NewReplacer(" ", "-", ".", "", "`", "").Replace(strings.ToLower(heading)) == anchor
		}
	}
	return "", fmt.Errorf("%s has no block of code below #%s", file, anchor)
}
