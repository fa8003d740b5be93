package frame

import (
	"slices"

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

// tagClass returns the class of a label's color.
func tagClass(color string) string {
	i := slices.Index(post.LabelColors(), color)
	if i < 0 {
		return ""
	}
	return "tag-" + "abcdefgh"[i:i+1]
}
