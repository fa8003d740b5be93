package rules

import (
	"math"
	"slices"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/platform"
)

// Converts reports whether the service makes a JPEG of an image that the network would refuse.
func (f File) Converts() bool {
	return f.Type == media.Image && (len(f.Formats) == 0 || slices.Contains(f.Formats, JPEG))
}

// Form returns the form in which the service sends an image: zero if it is sent as it is. An image is converted if it
// has another format, more bytes or more pixels than the network accepts. It then also meets the limits that the
// network only recommends.
func (f File) Form(asset media.Asset) media.Form {
	opened := []Format{JPEG, PNG, WebP, GIF, HEIC}
	format := Format(asset.ContentType)
	broken := asset.Processed() && asset.Probe.IsZero()
	if !f.Converts() || asset.Type != media.Image || broken || !slices.Contains(opened, format) {
		return media.Form{}
	}
	refused := len(f.Formats) > 0 && !slices.Contains(f.Formats, format)
	heavy := f.Max > 0 && asset.Size > f.Max
	if !refused && !heavy && f.Shape.factor(asset.Probe, false) == 1 {
		return media.Form{}
	}
	factor := f.Shape.factor(asset.Probe, true)
	scaled := func(side int) int {
		if side == 0 {
			return 0
		}
		return max(1, int(float64(side)*factor))
	}
	return media.Form{
		ContentType: string(JPEG), Width: scaled(asset.Probe.Width), Height: scaled(asset.Probe.Height), MaxSize: f.Max,
	}
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
	for i, asset := range content.Media {
		if file, ok := c.fileRule(asset.Type); ok {
			forms[i] = file.Form(asset)
		}
	}
	return forms
}

// convert replaces the images that the service converts by what it sends, and says so.
func (c *checker) convert() {
	c.content.Media = slices.Clone(c.content.Media)
	for i, asset := range c.content.Media {
		file, ok := c.fileRule(asset.Type)
		form := file.Form(asset)
		if !ok || form.IsZero() {
			continue
		}
		sent := form.Of(asset)
		c.warn(pointer(i), "Attachment %d, %s, is sent to %s as %s.", i+1, before(asset, sent), c.row.Name,
			after(asset, sent, form))
		c.content.Media[i] = sent
	}
}

// before describes an image with the properties that change.
func before(asset, sent media.Asset) string {
	text := describe(asset)
	if asset.Size > sent.Size {
		text += " of " + size(asset.Size, true)
	}
	if asset.Probe != sent.Probe {
		text += " with " + pixels(asset.Probe)
	}
	return text
}

// after describes what is sent instead: its format, its dimensions if they are known, and its limit if that matters.
func after(asset, sent media.Asset, form media.Form) string {
	text := Format(sent.ContentType).Name()
	if asset.Size > sent.Size {
		text += " of up to " + size(form.MaxSize, true)
	}
	if form.Width > 0 {
		text += ", " + pixels(sent.Probe)
	}
	return text
}
