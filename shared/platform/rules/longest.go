package rules

import (
	"slices"
	"time"

	"fencepost.internal/shared/domain/media"
)

// Longest is the length of the longest video that a form takes.
type Longest struct {
	Form string
	Max  time.Duration
}

// Has reports whether the network has an option.
func (r Row) Has(option string) bool {
	return slices.ContainsFunc(r.Options, func(o Option) bool { return o.Name == option })
}

// LongestVideos returns the forms whose videos must not exceed a length, in the order of the forms.
func (r Row) LongestVideos() []Longest {
	var found []Longest
	for _, form := range r.Forms {
		var longest time.Duration
		for _, file := range form.Media.Of {
			if file.Type == media.Video && !file.Length.Unsure {
				longest = max(longest, file.Length.Max)
			}
		}
		if longest > 0 {
			found = append(found, Longest{form.Name, longest})
		}
	}
	return found
}
