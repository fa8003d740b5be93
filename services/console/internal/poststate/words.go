package poststate

import (
	"cmp"
	"errors"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
)

// Words returns the beginning of a post.
func Words(p post.Post) string {
	const longest = 140
	return Clipped(cmp.Or(p.Title, p.Content, "Post without a text"), longest)
}

// Clipped returns the first characters of a text, in one line.
func Clipped(text string, most int) string {
	var line []rune
	for word := range strings.FieldsSeq(text) {
		if len(line) > 0 {
			line = append(line, ' ')
		}
		if line = append(line, []rune(word)...); len(line) > most {
			return string(line[:most]) + "…"
		}
	}
	return string(line)
}

// Refusal returns why posts were not moved, for the person who moved them; empty if they were. The error is one of the service
// itself.
func Refusal(results []app.UpdateResult) (fault string, err error) {
	for _, one := range results {
		if one.Err != nil {
			return refusal(one.Err)
		}
	}
	return "", nil
}

func refusal(failure error) (fault string, err error) {
	known, ok := errors.AsType[*apperr.Error](failure)
	switch {
	case !ok, known.Code == apperr.Unavailable, known.Code == apperr.Internal:
		return "", failure
	case known.Code == apperr.ScheduledInPast:
		return "That time has passed. Choose a later one.", nil
	case known.Code == apperr.NotFound:
		return "Someone deleted this post meanwhile.", nil
	case len(known.Fields) > 0:
		return frame.Sentence(known.Fields[0].Message), nil
	default:
		return frame.Sentence(known.Message), nil
	}
}
