package plan

import (
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	domain "fencepost.internal/shared/domain/plan"
)

type channelOf = channel.Channel

// The states of files of the web.
const (
	running = media.ImportRunning
	done    = media.ImportDone
)

// title returns the name of a column for people.
func title(c domain.Column) string {
	switch c {
	case domain.Date:
		return "Date"
	case domain.Time:
		return "Time"
	case domain.Zone:
		return "Time zone"
	case domain.Channel:
		return "Channel"
	case domain.Text:
		return "Text"
	case domain.Title:
		return "Title"
	case domain.Media:
		return "Media"
	case domain.AltText:
		return "Alt text"
	case domain.Labels:
		return "Labels"
	case domain.ExternalID:
		return "External ID"
	case domain.State:
		return "State"
	case domain.PostID:
		return "Post ID"
	default:
		return ""
	}
}

// nextAddress begins a new line before each address after another one in a cell.
var nextAddress = strings.NewReplacer(", http", "\nhttp", ",http", "\nhttp", " http", "\nhttp", "; http", "\nhttp", ";http", "\nhttp")

// mediaIn returns the names and addresses of a cell. Addresses may contain semicolons.
func mediaIn(cell string) (list []string) {
	for line := range strings.SplitSeq(nextAddress.Replace(cell), "\n") {
		if line = strings.TrimSpace(line); isAddress(line) {
			list = append(list, strings.TrimRight(line, ",;"))
			continue
		}
		list = append(list, parts(line, ";|")...)
	}
	return list
}

func isAddress(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// altTextsIn returns the alternative texts of a cell: one for each line, or between bars, in the order of the media. That of
// a single file is the whole cell.
func altTextsIn(cell string, media int) []string {
	if cell == "" {
		return nil
	}
	separator := "|"
	switch {
	case media == 1:
		return []string{cell}
	case strings.Contains(cell, "\n"):
		separator = "\n"
	}
	texts := strings.Split(cell, separator)
	for i, text := range texts {
		texts[i] = strings.TrimSpace(text)
	}
	return texts
}

// columnOf returns the column of a member of a request.
func columnOf(member string) domain.Column {
	name, _, _ := strings.Cut(strings.TrimPrefix(member, "/"), "/")
	switch name {
	case "content":
		return domain.Text
	case "title":
		return domain.Title
	case "mediaIds":
		return domain.Media
	case "mediaAltTexts":
		return domain.AltText
	case "schedule":
		return domain.Date
	case "channelIds":
		return domain.Channel
	case "labels":
		return domain.Labels
	case "externalId":
		return domain.ExternalID
	default:
		return ""
	}
}
