package medialib

import (
	"fmt"
	"strings"
	"time"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
)

// kind returns the mark on the thumbnail of a file: the length of a video, or the format and pages of a document.
func kind(a app.DeliveredAsset) string {
	switch {
	case a.Type == media.Video && a.Probe.Duration > 0:
		return length(a.Probe.Duration)
	case a.Type == media.GIF:
		return "GIF"
	case a.Type == media.Document && a.Probe.Frames > 0:
		return fmt.Sprintf("%s, %d p.", format(a), a.Probe.Frames)
	case a.Type == media.Document:
		return format(a)
	}
	return ""
}

// length returns a duration as players show it: 1:05.
func length(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	const minute, hour = 60, 3600
	if seconds >= hour {
		return fmt.Sprintf("%d:%02d:%02d", seconds/hour, seconds%hour/minute, seconds%minute)
	}
	return fmt.Sprintf("%d:%02d", seconds/minute, seconds%minute)
}

// format returns the name of a file's format: JPEG.
func format(a app.DeliveredAsset) string {
	switch a.ContentType {
	case media.ContentTypeJPEG:
		return "JPEG"
	default:
		name := media.CleanName("x", a.ContentType)
		return strings.ToUpper(name[strings.LastIndex(name, ".")+1:])
	}
}

// facts returns the format, the size and the length of a file: JPEG, 2400 × 2400, 1.8 MiB.
func facts(a app.DeliveredAsset) string {
	list := []string{format(a)}
	if a.Probe.Width > 0 && a.Type != media.Document {
		list = append(list, fmt.Sprintf("%d × %d", a.Probe.Width, a.Probe.Height))
	}
	switch {
	case a.Type == media.Document && a.Probe.Frames > 0:
		list = append(list, count(a.Probe.Frames, "page"))
	case a.Probe.Duration > 0:
		list = append(list, length(a.Probe.Duration))
	}
	return strings.Join(append(list, workspace.Bytes(a.Size)), ", ")
}

// usesOf returns what uses a file: link page, 5 posts.
func usesOf(counts map[media.OwnerType]int) string {
	var list []string
	for _, of := range []struct {
		text  string
		types []media.OwnerType
	}{
		{"link page", []media.OwnerType{media.OwnerLinkPage}},
		{"logo", []media.OwnerType{media.OwnerWorkspaceLogo}},
		{"channel picture", []media.OwnerType{media.OwnerChannelAvatar}},
		{"brand kit", []media.OwnerType{media.OwnerBrandLogo, media.OwnerBrandPersonaPhoto, media.OwnerBrandStyleReference}},
		{"idea", []media.OwnerType{media.OwnerIdeaCard}},
		{"series", []media.OwnerType{media.OwnerSeries}},
		{"evergreen", []media.OwnerType{media.OwnerEvergreen}},
		{"post", []media.OwnerType{media.OwnerPost}},
	} {
		number := 0
		for _, owner := range of.types {
			number += counts[owner]
		}
		switch {
		case number == 1 && of.text != "post":
			list = append(list, of.text)
		case number > 0:
			list = append(list, count(number, of.text))
		}
	}
	if len(list) == 0 {
		return "unused"
	}
	return strings.Join(list, ", ")
}

// count returns a number of things: 1 post, 2 posts.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// plain returns a text of a form with the line ends of texts.
func plain(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
