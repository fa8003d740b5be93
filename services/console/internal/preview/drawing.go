package preview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform/presentation"
)

// tile is an attachment to draw.
type tile struct {
	presentation.Tile

	URL, Alt, Name string
	Width, Height  int    // have the ratio of the shape
	Pips           []bool // one for each tile of a carousel, true for this one
	Place          string // in a carousel: 1/3
	Lasts          string // the length of a video
	Icon           string // replaces a missing picture
	VideoURL       string // address of the video at the frame that is its cover; empty: the picture is shown
}

// tile returns the tile at a place among others, with its picture.
func (p Preview) tile(of presentation.Tile, at, among int) tile {
	const height = 1000
	shown := tile{Tile: of, Height: height, Width: height, Icon: iconOf(of.Type)}
	if of.Shape.High > 0 {
		shown.Width = max(1, int(of.Shape.Wide/of.Shape.High*height))
	}
	if of.Picture >= 0 && of.Picture < len(p.Pictures) {
		picture := p.Pictures[of.Picture]
		shown.URL, shown.Alt, shown.Name = picture.URL, picture.Alt, picture.Name
		if of.Moment > 0 && picture.VideoURL != "" {
			shown.VideoURL = fmt.Sprintf("%s#t=%.3f", picture.VideoURL, of.Moment.Seconds())
		}
	}
	if of.Length > 0 {
		shown.Lasts = lasting(of.Length)
	}
	if among > 1 && p.View.Layout == presentation.Carousel {
		shown.Place = fmt.Sprintf("%d/%d", at+1, among)
		shown.Pips = make([]bool, among)
		shown.Pips[at] = true
	}
	return shown
}

// Video reports whether the tile is a video.
func (t tile) Video() bool { return t.Type == media.Video }

func iconOf(kind media.Type) string {
	switch kind {
	case media.Video:
		return "video"
	case media.Document:
		return "file-text"
	case media.Image, media.GIF:
	}
	return "image"
}

// lasting formats the length of a video: 12:48.
func lasting(d time.Duration) string {
	const minute = 60
	seconds := int(d.Round(time.Second).Seconds())
	minutes := seconds / minute
	if minutes >= minute {
		return fmt.Sprintf("%d:%02d:%02d", minutes/minute, minutes%minute, seconds%minute)
	}
	return fmt.Sprintf("%d:%02d", minutes, seconds%minute)
}

// acts returns the icons of what readers may do with a post.
func acts(v presentation.View) []string {
	reel := v.Frame == presentation.Tall
	switch v.Network { //nolint:exhaustive // the others have none
	case channel.NetworkX:
		return []string{"message-circle", "repeat-2", "heart", "chart-no-axes-column", "bookmark"}
	case channel.NetworkThreads:
		return []string{"heart", "message-circle", "repeat-2", "send"}
	case channel.NetworkInstagram:
		return []string{"heart", "message-circle", "send", "bookmark"}
	case channel.NetworkLinkedIn:
		return []string{"thumbs-up", "message-circle", "repeat-2", "send"}
	case channel.NetworkFacebook:
		return []string{"thumbs-up", "message-circle", "share-2"}
	case channel.NetworkTikTok:
		return []string{"heart", "message-circle", "bookmark", "share-2"}
	case channel.NetworkBluesky:
		return []string{"message-circle", "repeat-2", "heart", "ellipsis"}
	case channel.NetworkMastodon:
		return []string{"message-circle", "repeat-2", "star", "bookmark"}
	case channel.NetworkYouTube:
		if reel {
			return []string{"thumbs-up", "thumbs-down", "message-circle", "share-2"}
		}
	}
	return nil
}

// linesOf returns the texts beside the account's picture.
func linesOf(p Preview) lines {
	day, handle := "now", ""
	if !p.At.IsZero() {
		day = p.At.Format("2 Jan")
	}
	if p.Account.Username != "" {
		handle = "@" + p.Account.Username
	}
	who := lines{Name: p.Account.Name}
	switch p.View.Network { //nolint:exhaustive // the others show the name alone
	case channel.NetworkX, channel.NetworkBluesky, channel.NetworkMastodon:
		who.Beside = joined(handle, day)
	case channel.NetworkThreads:
		who.Name, who.Beside = cmp.Or(p.Account.Username, p.Account.Name), day
	case channel.NetworkInstagram, channel.NetworkTikTok:
		who.Name = cmp.Or(p.Account.Username, p.Account.Name)
	case channel.NetworkLinkedIn:
		who.Below = joined(day, p.View.Audience)
	case channel.NetworkFacebook:
		if !p.At.IsZero() {
			day = p.At.Format("2 January at 15:04")
		}
		who.Below = joined(day, "Public")
	case channel.NetworkYouTube:
		who.Below = joined(p.Account.Name, "0 views", day, p.View.Audience)
		if p.View.Frame == presentation.Tall {
			who.Name = cmp.Or(handle, p.Account.Name)
		}
	case channel.NetworkGoogleBusiness:
		who.Below = day
	case channel.NetworkTelegram:
		if !p.At.IsZero() {
			who.Below = p.At.Format("15:04")
		}
	}
	return who
}

// joined joins the parts that are not empty, with a dot in the middle.
func joined(parts ...string) string { return joinedBy(" · ", parts...) }

func joinedBy(by string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), by)
}

// When returns when an event takes place.
func (d drawing) When() string {
	event := d.View.Event
	if event == nil || event.Start.IsZero() {
		return ""
	}
	text := moment(event.Start, event.Timed, time.Time{})
	if !event.End.IsZero() {
		text = joinedBy(" to ", text, moment(event.End, event.EndTimed, event.Start))
	}
	return text
}

// moment formats a day, with its time if it has one. The day is left out if it is that of the time before.
func moment(at time.Time, timed bool, before time.Time) string {
	same := at.Format(time.DateOnly) == before.Format(time.DateOnly)
	switch {
	case timed && same:
		return at.Format("15:04")
	case timed:
		return at.Format("2 Jan, 15:04")
	case same:
		return ""
	default:
		return at.Format("2 Jan")
	}
}

// TitleCut reports whether the network hides the end of the title.
func (d drawing) TitleCut() bool {
	return slices.ContainsFunc(d.View.Title, func(run presentation.Run) bool { return run.Rest })
}
