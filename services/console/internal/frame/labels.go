package frame

import (
	"fmt"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/post"
)

// LabelColor is a color of labels, as people call it.
type LabelColor struct{ Value, Name string }

// LabelColors returns the colors that people can choose. The style sheet has a class for each, by its place in the list,
// because pages have no inline styles.
func LabelColors() []LabelColor {
	names := [...]string{"Red", "Amber", "Olive", "Green", "Teal", "Blue", "Violet", "Pink"}
	list := make([]LabelColor, len(names))
	for i, value := range post.LabelColors() {
		list[i] = LabelColor{value, names[i]}
	}
	return list
}

// SplitLabels returns the labels of a field in which commas separate them, each once.
func SplitLabels(text string) (names []string) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(post.LabelKeys(names), post.LabelKey(part)) {
			names = append(names, part)
		}
	}
	return names
}

// ReadLabels reads such a field of a post or a file, or says what is wrong with it.
func ReadLabels(text, of string) (names []string, fault string) {
	given := SplitLabels(text)
	if len(given) > post.MaxLabels {
		return given, fmt.Sprintf("A %s has at most %d labels.", of, post.MaxLabels)
	}
	names, faults := post.ReadLabels(given, "")
	if len(faults) > 0 {
		return names, Sentence("a label " + faults[0].Message)
	}
	return names, ""
}

// labelsOf returns labels of the workspace by their names. One that the workspace does not have is without a color.
func labelsOf(all []post.Label, names []string) []post.Label {
	list := make([]post.Label, len(names))
	for i, name := range names {
		list[i].Name = name
		for _, l := range all {
			if post.LabelKey(l.Name) == post.LabelKey(name) {
				list[i].Color = l.Color
			}
		}
	}
	return list
}

// tagClass returns the class of a label's color: that of the nearest one of LabelColors, because boards of ideas have others too.
func tagClass(color string) string {
	at, ok := nearest(color)
	if !ok {
		return ""
	}
	return "tag-" + "abcdefgh"[at:at+1]
}

// nearest returns the place of the label color that looks most like a color; false for a text that is none.
func nearest(color string) (at int, ok bool) {
	wanted, ok := primaries(color)
	if !ok {
		return 0, false
	}
	least := -1
	for i, known := range post.LabelColors() {
		one, _ := primaries(known)
		distance := 0
		for n, part := range one {
			distance += (part - wanted[n]) * (part - wanted[n])
		}
		if least < 0 || distance < least {
			least, at = distance, i
		}
	}
	return at, true
}

// primaries returns red, green and blue of a color such as #1f7a3a.
func primaries(color string) (rgb [3]int, ok bool) {
	_, err := fmt.Sscanf(color, "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2])
	return rgb, err == nil
}

// ColorsBeside returns LabelColors with a present color in the place of the one that looks most like it, so that a form can keep
// it.
func ColorsBeside(present string) []LabelColor {
	list := LabelColors()
	if at, ok := nearest(present); ok {
		list[at].Value = present
	}
	return list
}
