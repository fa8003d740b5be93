// Package didyoumean refuses names that a request may not use, and suggests the one that was probably meant.
package didyoumean

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// longest is the length, in bytes, from which on a name is not compared: no known name is as long.
const longest = 64

// Refuse returns what is wrong with an unknown name: that it is none of the known ones, and which of them is the nearest. The
// synonyms lead from names that other interfaces use, in lower case and without signs, to known ones.
func Refuse(name, kind string, known []string, synonyms map[string]string) string {
	if len(known) == 0 {
		return "is not a " + kind + ", which has none"
	}
	text := "is not a " + kind + ", which has " + strings.Join(known, ", ")
	if nearest := Nearest(name, known, synonyms); nearest != "" {
		text += "; did you mean " + nearest + "?"
	}
	return text
}

// Nearest returns the known name that was probably meant; none when no known name is near.
func Nearest(name string, known []string, synonyms map[string]string) string {
	if len(name) >= longest {
		return ""
	}
	asked := folded(name)
	best, least := "", tolerance(asked)+1
	for _, candidate := range known {
		of := folded(candidate)
		if synonyms[asked] == candidate || of == asked {
			return candidate
		}
		if distance := levenshtein.ComputeDistance(asked, of); distance < least {
			best, least = candidate, distance
		}
	}
	return best
}

// tolerance is how many letters of a name may be wrong.
func tolerance(name string) int { return min(len(name)/3, 3) }

// folded is a name without what styles of writing names differ in.
func folded(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(name))
}
