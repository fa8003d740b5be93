package problem

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// longest is the length in bytes from which a name is not compared. All known names are shorter.
const longest = 64

// UnknownName returns the error text for an unknown name: the known names, and the nearest one. Synonyms map names of other
// interfaces, in lower case and without separators, to known names.
func UnknownName(name, kind string, known []string, synonyms map[string]string) string {
	if len(known) == 0 {
		return "is not a " + kind + ", which has none"
	}
	text := "is not a " + kind + ", which has " + strings.Join(known, ", ")
	if nearest := Nearest(name, known, synonyms); nearest != "" {
		text += "; did you mean " + nearest + "?"
	}
	return text
}

// Nearest returns the known name that was probably meant, or "" when no known name is near.
func Nearest(name string, known []string, synonyms map[string]string) string {
	if len(name) >= longest {
		return ""
	}
	requested := folded(name)
	best, least := "", tolerance(requested)+1
	for _, candidate := range known {
		of := folded(candidate)
		if synonyms[requested] == candidate || of == requested {
			return candidate
		}
		if distance := levenshtein.ComputeDistance(requested, of); distance < least {
			best, least = candidate, distance
		}
	}
	return best
}

// tolerance returns the largest edit distance of a match.
func tolerance(name string) int { return min(len(name)/3, 3) }

// folded returns the name in lower case without separators, so that naming styles compare equal.
func folded(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(name))
}
