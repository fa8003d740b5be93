package channels

import (
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
)

// noteLine is an entry of a channel's timeline in plain words.
type noteLine struct {
	Tone, Title, Text, By string
	At                    time.Time
}

func linesOf(notes []channel.Note) []noteLine {
	lines := make([]noteLine, len(notes))
	for i, n := range notes {
		lines[i] = noteLine{Tone: noteTone(n.Kind), Title: noteTitle(n.Kind), Text: n.Detail, At: n.At}
		text, by, found := strings.Cut(n.Detail, "By ")
		if found && (text == "" || strings.HasSuffix(text, ". ")) {
			lines[i].Text, lines[i].By = strings.TrimSpace(text), frame.Actor(post.Actor(strings.TrimSuffix(by, ".")))
		}
	}
	return lines
}

func noteTitle(kind channel.NoteKind) string {
	switch kind { //nolint:exhaustive // the others read well as they are
	case channel.NotePaused:
		return "Paused"
	case channel.NoteResumed:
		return "Resumed"
	case channel.NoteHealthy:
		return "Access extended"
	case channel.NoteExpiring:
		return "Access ends soon"
	case channel.NoteNeedsReconnect:
		return "Reconnect needed"
	default:
		return frame.Words(kind)
	}
}

// noteTone returns the color of an entry of a channel's timeline.
func noteTone(kind channel.NoteKind) string {
	switch kind { //nolint:exhaustive // the others are neutral
	case channel.NoteConnected, channel.NoteRenewed, channel.NoteHealthy:
		return "good"
	case channel.NoteRenewalRefused, channel.NoteNeedsReconnect:
		return "bad"
	case channel.NoteRenewalFailed, channel.NoteExpiring:
		return "warn"
	default:
		return ""
	}
}
