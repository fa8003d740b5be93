package rules

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost.internal/shared/domain/media"
)

// noun returns the noun for a kind of media.
func noun(t media.Type) string {
	switch t {
	case media.Image:
		return "image"
	case media.Video:
		return "video"
	case media.GIF:
		return "GIF"
	case media.Document:
		return "document"
	default:
		return "file"
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}

// number formats an integer with grouped thousands: 63,206.
func number(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

func article(phrase string) string {
	if strings.IndexAny(phrase, "aeiouM") == 0 {
		return "an " + phrase // "an MP4 video"
	}
	return "a " + phrase
}

// list joins words for a sentence: a, b and c.
func list(words []string, last string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
	}
}

// size formats a number of bytes for users, with one decimal place unless it is zero. It rounds up or down, so that a
// file that violates a limit never appears to meet it.
func size(bytes int64, up bool) string {
	unit, name := int64(1), "bytes"
	switch {
	case bytes >= GB:
		unit, name = GB, "GB"
	case bytes >= MB:
		unit, name = MB, "MB"
	case bytes >= KB:
		unit, name = KB, "kB"
	}
	whole, tenths := bytes/unit, bytes%unit*10/unit
	if up && bytes%unit*10%unit > 0 {
		if tenths++; tenths == 10 {
			whole, tenths = whole+1, 0
		}
	}
	if tenths == 0 {
		return fmt.Sprintf("%d %s", whole, name)
	}
	return fmt.Sprintf("%d.%d %s", whole, tenths, name)
}

// String formats the number and kinds: 2 to 10 images and videos.
func (m Media) String() string {
	if m.Cover.Type != "" {
		other := m
		other.Cover = File{}
		return other.String() + " with or without " + article(noun(m.Cover.Type)) + " as its thumbnail"
	}
	nouns := make([]string, len(m.Of))
	for i, file := range m.Of {
		nouns[i] = noun(file.Type)
		if m.Max != 1 {
			nouns[i] += "s"
		}
	}
	switch {
	case m.Max == 0:
		return "no media"
	case m.Max == 1:
		return "1 " + list(nouns, "or")
	case m.Min <= 1:
		return fmt.Sprintf("up to %d %s", m.Max, list(nouns, "and"))
	default:
		return fmt.Sprintf("%d to %d %s", m.Min, m.Max, list(nouns, "and"))
	}
}

// count formats the attachments of a post: 2 images and 1 video.
func count(assets []media.Asset) string {
	if len(assets) == 0 {
		return "none"
	}
	nouns, numbers := kinds(assets)
	for i, noun := range nouns {
		nouns[i] = plural(numbers[noun], noun)
	}
	return list(nouns, "and")
}

// kindsOf formats the kinds of the attachments: images and video.
func kindsOf(assets []media.Asset) string {
	nouns, numbers := kinds(assets)
	for i, noun := range nouns {
		if numbers[noun] > 1 {
			nouns[i] += "s"
		}
	}
	return list(nouns, "and")
}

// kinds returns the nouns of the attachments in order of appearance, and the number of each.
func kinds(assets []media.Asset) (nouns []string, numbers map[string]int) {
	numbers = make(map[string]int)
	for _, asset := range assets {
		name := noun(asset.Type)
		if numbers[name] == 0 {
			nouns = append(nouns, name)
		}
		numbers[name]++
	}
	return nouns, numbers
}

// String returns the noun for the file, in the singular.
func (f File) String() string { return noun(f.Type) }

// Sizes formats the file's size limits: 75 kB to 500 MB.
func (f File) Sizes() string {
	switch {
	case f.Max == 0:
		return "any"
	case f.Min == 0:
		return "up to " + size(f.Max, true)
	default:
		return size(f.Min, false) + " to " + size(f.Max, true)
	}
}
