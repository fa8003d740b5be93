package youtubeapi

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a video and of its metadata.
const (
	longestTitle       = 100  // characters
	longestDescription = 5000 // bytes
	longestTags        = 500  // characters together
	largestVideo       = 256 << 30
	largestCover       = 50 << 20
	chunkUnit          = 256 << 10 // divides the size of every chunk but the last
	// insertsPerDay is the number of upload sessions of a project and day.
	insertsPerDay = 100
)

func runes(text string) int { return utf8.RuneCountInString(text) }

// angled reports whether the text has a character that YouTube does not accept.
func angled(text string) bool { return strings.ContainsAny(text, "<>") }

// length returns the length of tags: those with blanks are stored in quotes.
func length(tags []string) int {
	n := 0
	for _, tag := range tags {
		n += runes(tag)
		if strings.Contains(tag, " ") {
			n += len(`""`)
		}
	}
	return n
}

// categories returns the categories of videos that can be chosen in most regions.
func categories() []string {
	return strings.Fields("1 2 10 15 17 19 20 22 23 24 25 26 27 28 29")
}

// pacific is the zone of the quota's day. The sandbox's images have no zone files, so standard time is used where the
// zone is unknown.
func pacific() *time.Location {
	if zone, err := time.LoadLocation("America/Los_Angeles"); err == nil {
		return zone
	}
	const standard = -8 * 60 * 60
	return time.FixedZone("PST", standard)
}

// usedUp reports whether the project has created as many upload sessions today as it may. The quota exists only while the
// sandbox is strict.
func (a *API) usedUp() bool {
	if !a.stage.Strict() {
		return false
	}
	zone := pacific()
	today := a.stage.Clock.Now().In(zone).Format(time.DateOnly)
	used := a.files.List(func(v video) bool { return v.Begun.In(zone).Format(time.DateOnly) == today })
	return len(used) >= insertsPerDay
}
