package rules

import (
	"slices"
	"strconv"

	"fencepost.internal/shared/domain/media"
)

// file returns the form's rules for a file of the type. It returns false if the form accepts none.
func (m Media) file(t media.Type) (File, bool) {
	at := slices.IndexFunc(m.Of, func(f File) bool { return f.Type == t })
	switch {
	case at >= 0:
		return m.Of[at], true
	case t != "" && t == m.Cover.Type:
		return m.Cover, true
	default:
		return File{}, false
	}
}

// Files returns the requirements on every kind of file, the thumbnail's last.
func (m Media) Files() []File {
	if m.Cover.Type == "" {
		return m.Of
	}
	return append(slices.Clone(m.Of), m.Cover)
}

// atMost returns the maximum number of attachments, with the thumbnail.
func (m Media) atMost() int {
	if m.Cover.Type == "" {
		return m.Max
	}
	return m.Max + 1
}

// counted returns the number of attachments without the thumbnail, and whether there is at most one.
func (m Media) counted(assets []media.Asset) (n int, oneCover bool) {
	if m.Cover.Type == "" {
		return len(assets), true
	}
	for _, asset := range assets {
		if asset.Type != m.Cover.Type {
			n++
		}
	}
	return n, len(assets)-n <= 1
}

// takesKinds reports whether the form accepts the type of each attachment.
func (m Media) takesKinds(assets []media.Asset) bool {
	return !slices.ContainsFunc(assets, func(asset media.Asset) bool {
		_, ok := m.file(asset.Type)
		return !ok
	})
}

// takes reports whether the form accepts the attachments. It ignores the maximum number if that is Unsure.
func (m Media) takes(assets []media.Asset) bool {
	n, oneCover := m.counted(assets)
	return m.takesKinds(assets) && oneCover && n >= m.Min && (n <= m.Max || m.Unsure)
}

// media checks the number and types of the attachments, and then each attachment.
func (c *checker) media() {
	assets := c.content.Media
	n, _ := c.form.Media.counted(assets)
	switch limit := c.form.Media; {
	case !limit.takes(assets):
		c.mediaFault()
	case n > limit.Max:
		c.warn("mediaIds", "%s may refuse a post with more than %d attachments; this one has %s. Remove %d to be sure.",
			c.row.Name, limit.Max, count(assets), n-limit.Max)
	}
	usable := make([]bool, len(assets))
	for i, asset := range assets {
		usable[i] = c.problem(i, asset)
		c.animation(i, asset)
	}
	c.convert()
	for i, asset := range c.content.Media {
		if file, ok := c.fileRule(asset.Type); ok && usable[i] {
			c.format(i, asset, file)
			c.size(i, asset, file)
			c.duration(i, asset, file)
			c.demands(i, asset, file)
		}
	}
	c.alike()
}

func (c *checker) mediaFault() {
	var choices []string
	for _, form := range c.forms {
		if choice := form.Media.String(); form.Media.Max > 0 && !slices.Contains(choices, choice) {
			choices = append(choices, choice)
		}
	}
	c.fault("mediaIds", "%s accepts %s%s; this one has %s. %s",
		c.row.Name, list(choices, "or"), c.ofType, count(c.content.Media), c.mediaRemedy())
}

// mediaRemedy returns the remedy for attachments that no form accepts.
func (c *checker) mediaRemedy() string {
	assets := c.content.Media
	if n, _ := c.form.Media.counted(assets); n == 0 {
		return "Attach the missing files."
	}
	others := slices.DeleteFunc(slices.Clone(assets), func(asset media.Asset) bool {
		_, ok := c.fileRule(asset.Type)
		return ok
	})
	if len(others) > 0 {
		return "Remove the " + kindsOf(others) + "."
	}
	least, most := 0, 0
	for _, form := range c.forms {
		if form.Media.takesKinds(assets) {
			most = max(most, form.Media.atMost())
			if least == 0 || form.Media.Min < least {
				least = form.Media.Min
			}
		}
	}
	switch {
	case most == 0:
		return "Keep one kind."
	case len(assets) > most:
		return "Remove " + number(len(assets)-most) + "."
	default:
		return "Add " + number(least-len(assets)) + "."
	}
}

// fileRule returns the form's rules for files of the type, or those of any form of the content type. A file that is too
// large is therefore reported even if it has the wrong type for the form.
func (c *checker) fileRule(t media.Type) (File, bool) {
	if file, ok := c.form.Media.file(t); ok {
		return file, true
	}
	for _, form := range c.forms {
		if file, ok := form.Media.file(t); ok {
			return file, true
		}
	}
	return File{}, false
}

// format checks the content type that was detected from the bytes.
func (c *checker) format(i int, asset media.Asset, file File) {
	format := Format(asset.ContentType)
	wanted := list(names(file.Formats), "or")
	switch {
	case format == "", len(file.Formats)+len(file.Maybe) == 0, slices.Contains(file.Formats, format):
	case slices.Contains(file.Maybe, format) && wanted == "":
		c.warn(pointer(i), "Attachment %d is %s, which %s may not accept.", i+1, describe(asset), c.row.Name)
	case slices.Contains(file.Maybe, format):
		c.warn(pointer(i), "Attachment %d is %s, which %s may not accept. Convert it to %s to be sure.",
			i+1, describe(asset), c.row.Name, wanted)
	default:
		if wanted == "" {
			wanted = list(names(file.Maybe), "or")
		}
		c.fault(pointer(i), "Attachment %d is %s, which %s does not accept. Convert it to %s.", i+1, describe(asset),
			c.row.Name, wanted)
	}
}

func (c *checker) size(i int, asset media.Asset, file File) {
	switch {
	case file.Max > 0 && asset.Size > file.Max && file.Unsure:
		c.warn(pointer(i), "Attachment %d has %s, and %s may refuse %ss of more than %s. Make it smaller to be sure.",
			i+1, size(asset.Size, true), c.row.Name, noun(file.Type), size(file.Max, true))
	case file.Max > 0 && asset.Size > file.Max:
		c.fault(pointer(i), "Attachment %d has %s, and %s accepts %ss of up to %s. Make it smaller.",
			i+1, size(asset.Size, true), c.row.Name, noun(file.Type), size(file.Max, true))
	case asset.Size < file.Min:
		c.warn(pointer(i), "Attachment %d has %s, and %s expects %ss of at least %s. Use a larger one.",
			i+1, size(asset.Size, false), c.row.Name, noun(file.Type), size(file.Min, false))
	}
}

// pointer returns the path of the attachment's JSON member in the post.
func pointer(i int) string { return "mediaIds/" + strconv.Itoa(i) }

func names(formats []Format) []string {
	out := make([]string, len(formats))
	for i, format := range formats {
		out[i] = format.Name()
	}
	return out
}
