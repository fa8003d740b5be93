package feed

import (
	"fmt"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// attachment is one media file of a post.
type attachment struct {
	ledger.Media

	Path  string // path of the bytes
	Label string // alternative text
	Bytes string // human-readable size
	Shows string // the HTML element: picture, video or link
}

// attachments returns the post's media in post order.
func attachments(p ledger.Post) []attachment {
	shown := make([]attachment, len(p.Media))
	for i, m := range p.Media {
		a := attachment{Media: m, Path: stage.MediaPath(m.SHA256), Bytes: bytesOf(m.Size), Shows: shows(m)}
		if a.Label = m.AltText; a.Label == "" {
			a.Label = kindName(m.Type)
			if len(p.Media) > 1 {
				a.Label += fmt.Sprintf(" %d of %d", i+1, len(p.Media))
			}
			a.Label += ", without a description"
		}
		shown[i] = a
	}
	return shown
}

// shows returns the HTML element for a file. HEIC and AVIF images get a link, because most browsers cannot show them.
func shows(m ledger.Media) string {
	switch kind := media.Type(m.Type); {
	case m.ContentType == media.ContentTypeHEIC, m.ContentType == media.ContentTypeAVIF, kind == media.Document:
		return "link"
	case kind == media.Video:
		return "video"
	default:
		return "picture"
	}
}

func kindName(kind string) string {
	switch media.Type(kind) {
	case media.Video:
		return "Video"
	case media.GIF:
		return "Animation"
	case media.Document:
		return "Document"
	case media.Image:
		return "Picture"
	default:
		return "File"
	}
}

func bytesOf(size int64) string {
	const kilo, mega = 1 << 10, 1 << 20
	switch {
	case size < kilo:
		return fmt.Sprintf("%d bytes", size)
	case size < mega:
		return fmt.Sprintf("%.0f KiB", float64(size)/kilo)
	default:
		return fmt.Sprintf("%.1f MiB", float64(size)/mega)
	}
}
