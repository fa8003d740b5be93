package media

import (
	"fmt"
	"time"
	"unicode/utf8"

	"fencepost.internal/shared/kernel/ident"
)

// ShortestTrim is the shortest part of a video that becomes a file.
const ShortestTrim = time.Second

// Trim is a part of a video of the library that becomes a file of its own. The zero Trim is none.
type Trim struct {
	Of         ident.Media
	Start, End time.Duration
}

// IsZero reports whether there is no part.
func (t Trim) IsZero() bool { return t == Trim{} }

// Faults returns what is wrong with the part of a video of this length, by the members start and end.
func (t Trim) Faults(whole time.Duration) map[string]string {
	faults := make(map[string]string)
	switch {
	case t.Start < 0:
		faults["start"] = "Use a time from 0."
	case t.Start >= whole:
		faults["start"] = fmt.Sprintf("The video ends at %s. Start earlier.", Clock(whole))
	case t.End > whole:
		faults["end"] = fmt.Sprintf("The video ends at %s. End earlier.", Clock(whole))
	case t.End-t.Start < ShortestTrim:
		faults["end"] = "Choose an end at least one second after the start."
	case t.Start == 0 && t.End == whole:
		faults["end"] = "This is the whole video. Choose a later start or an earlier end."
	}
	return faults
}

// Name returns the name of the part, after that of the video.
func (t Trim) Name(of string) string {
	stem, extension := cutExtension(of)
	part := fmt.Sprintf(", %s to %s", Clock(t.Start), Clock(t.End)) + extension
	for utf8.RuneCountInString(stem+part) > LongestName {
		_, last := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-last]
	}
	return stem + part
}

// Clock writes a time in a video in minutes and seconds, with the tenths that are not zero: 1:05, 0:02.5.
func Clock(d time.Duration) string {
	const tenth = 100 * time.Millisecond
	d = d.Round(tenth)
	text := fmt.Sprintf("%d:%02d", int(d/time.Minute), int(d%time.Minute/time.Second))
	if rest := d % time.Second / tenth; rest > 0 {
		text += fmt.Sprintf(".%d", rest)
	}
	return text
}
