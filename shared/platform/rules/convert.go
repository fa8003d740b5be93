package rules

import (
	"math"
	"slices"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
)

// Converts reports whether the service makes a JPEG of an image that the network would refuse.
func (f File) Converts() bool {
	return f.Type == media.Image && (len(f.Formats) == 0 || slices.Contains(f.Formats, JPEG))
}

// Form returns the form in which the service sends an image or an animation: zero if it is sent as it is. An image is
// converted if it has another format, more bytes or more pixels than the network accepts, or if its pixels are not stored
// upright, because not every network turns them. If it is converted for another reason, it also meets the limits that the
// network only recommends.
func (f File) Form(asset media.Asset) media.Form {
	if asset.Processed() && asset.Probe.IsZero() || !asset.Convertible() {
		return media.Form{}
	}
	format := Format(asset.ContentType)
	switch {
	case asset.Type == media.Video && format == GIF:
		return f.video(asset)
	case asset.Type != media.Image, !f.Converts(), !slices.Contains([]Format{JPEG, PNG, WebP, GIF, HEIC, AVIF}, format):
		return media.Form{}
	}
	refused := len(f.Formats) > 0 && !slices.Contains(f.Formats, format)
	heavy := f.Max > 0 && asset.Size > f.Max
	changed := refused || heavy || f.Shape.factor(asset.Probe, false) < 1
	if !changed && !asset.Probe.Turned {
		return media.Form{}
	}
	factor := 1.0
	if changed {
		factor = f.Shape.factor(asset.Probe, true)
	}
	return media.Form{
		ContentType: string(JPEG), Width: scaled(asset.Probe.Width, factor), Height: scaled(asset.Probe.Height, factor),
		MaxSize: f.Max,
	}
}

// video returns the form of an animation for a network that takes videos instead. H.264 requires even numbers of pixels.
func (f File) video(asset media.Asset) media.Form {
	const longest = 1920
	factor := f.Shape.factor(asset.Probe, true)
	if long := max(asset.Probe.Width, asset.Probe.Height); long > longest {
		factor = min(factor, longest/float64(long))
	}
	even := func(side int) int { return (scaled(side, factor) + 1) &^ 1 }
	return media.Form{ContentType: string(MP4), Width: even(asset.Probe.Width), Height: even(asset.Probe.Height)}
}

// scaled returns a scaled side of an image. The side is 0 if it is unknown.
func scaled(side int, factor float64) int {
	if side == 0 {
		return 0
	}
	return max(1, int(float64(side)*factor))
}

// replaceGIFs returns the attachments with the GIFs that none of the forms accepts as what the service makes of them: an
// image if a GIF has one frame, and otherwise a video. A form may accept animations only.
func replaceGIFs(forms []Form, assets []media.Asset) []media.Asset {
	takes := func(t media.Type) bool {
		return slices.ContainsFunc(forms, func(f Form) bool {
			file, ok := f.Media.file(t)
			return ok && (t != media.Video || slices.Contains(file.Formats, MP4))
		})
	}
	still := func(f Form) bool {
		file, ok := f.Media.file(media.GIF)
		return ok && !file.Animated
	}
	if slices.ContainsFunc(forms, still) {
		return assets
	}
	assets = slices.Clone(assets)
	for i, asset := range assets {
		switch {
		case asset.Type != media.GIF:
		case asset.Probe.Frames == 1 && takes(media.Image):
			assets[i].Type = media.Image
		case takes(media.GIF):
		case takes(media.Video):
			assets[i].Type = media.Video
		}
	}
	return assets
}

// factor returns the factor by which an image is scaled down to meet the upper limits; 1 if it meets them. Limits that
// the network only recommends count if recommended is true.
func (s Shape) factor(probe media.Probe, recommended bool) float64 {
	width, height, known := pictured(probe)
	if !known {
		return 1
	}
	factor := 1.0
	for _, limit := range []struct {
		span Span
		has  float64
	}{
		{s.Width, width},
		{s.Height, height},
		{s.Short, math.Min(width, height)},
		{s.Long, math.Max(width, height)},
		{s.Sum, width + height},
	} {
		if limit.span.lowers(recommended) {
			factor = math.Min(factor, float64(limit.span.Max)/limit.has)
		}
	}
	if s.Area.lowers(recommended) {
		factor = math.Min(factor, math.Sqrt(float64(s.Area.Max)/(width*height)))
	}
	return factor
}

// lowers reports whether a span has an upper limit that counts.
func (s Span) lowers(recommended bool) bool {
	return s.Max > 0 && (recommended || !s.Unsure && s.Else == "")
}

// Forms returns the form of each attachment for the channel type's network: zero if it is sent as it is.
func (t Table) Forms(kind channel.Type, content platform.Content) []media.Form {
	forms := make([]media.Form, len(content.Media))
	row, ok := t.Of(kind)
	if !ok {
		return forms
	}
	c := checker{row: row, content: content}
	c.contentType()
	for i, asset := range c.content.Media {
		if file, ok := c.fileRule(asset.Type); ok {
			forms[i] = file.Form(asset)
		}
	}
	return forms
}

// convert replaces the images and animations that the service converts by what it sends, and says so. It says nothing
// about an image that is only turned upright.
func (c *checker) convert() {
	c.content.Media = slices.Clone(c.content.Media)
	for i, asset := range c.content.Media {
		file, ok := c.fileRule(asset.Type)
		form := file.Form(asset)
		if !ok || form.IsZero() {
			continue
		}
		sent := form.Of(asset)
		c.content.Media[i] = sent
		upright := asset.Probe
		upright.Turned, upright.Frames = false, 0
		if sent.ContentType != asset.ContentType || sent.Size != asset.Size || sent.Probe != upright {
			c.warn(pointer(i), "Attachment %d, %s, is sent to %s as %s.", i+1, before(asset, sent), c.row.Name,
				after(asset, sent, form))
		}
	}
}

// before describes an image or an animation with the properties that change.
func before(asset, sent media.Asset) string {
	text := describe(asset)
	if asset.Size > sent.Size {
		text += " of " + size(asset.Size, true)
	}
	if asset.Probe.Width != sent.Probe.Width || asset.Probe.Height != sent.Probe.Height {
		text += " with " + pixels(asset.Probe)
	}
	return text
}

// after describes what is sent instead: its format, its dimensions if they are known, and its limit if that matters. A
// picture has fewer pixels than announced if it would otherwise have too many bytes, which takes a limit of less than a
// byte per pixel.
func after(asset, sent media.Asset, form media.Form) string {
	text := Format(sent.ContentType).Name()
	if sent.Type == media.Video {
		text = article(text + " video")
	}
	if asset.Size > sent.Size {
		text += " of up to " + size(form.MaxSize, true)
	}
	if form.Width > 0 {
		text += ", "
		if form.MaxSize > 0 && form.MaxSize < int64(form.Width)*int64(form.Height) {
			text += "at most "
		}
		text += pixels(sent.Probe)
	}
	return text
}
