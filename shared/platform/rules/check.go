package rules

import (
	"fmt"
	"slices"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// Check returns every finding about the content against the rules of the channel type's network: errors, which the
// network would refuse, and warnings. Replies have the rules of posts, comments those of the row's Comment. It returns nil for
// a type that cannot be published to.
func (t Table) Check(kind channel.Type, content platform.Content) []platform.Finding {
	row, ok := t.of(kind, content)
	if !ok {
		return nil
	}
	c := checker{row: row, content: content}
	if !c.part() {
		return c.findings
	}
	c.contentType()
	c.media()
	c.altTexts()
	c.text()
	c.title()
	c.options(content.Options)
	c.optionsBesideContent()
	c.parts(t, kind)
	return c.findings
}

// checker collects the findings about one post.
type checker struct {
	row      Row
	content  platform.Content
	forms    []Form // the forms of the content type; all forms if the network does not support the type
	form     Form   // the form that the content is checked against
	ofType   string // names the content type if it narrows the forms
	findings []platform.Finding
}

func (c *checker) fault(member, format string, args ...any) {
	c.findings = append(c.findings, platform.Finding{Member: member, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) warn(member, format string, args ...any) {
	c.findings = append(c.findings, platform.Finding{Member: member, Message: fmt.Sprintf(format, args...), Warning: true})
}

// contentType selects the form for the content. If the network does not support the content type, the content is still
// checked against the remaining rules, so that the author sees every finding at once.
func (c *checker) contentType() {
	c.forms = slices.DeleteFunc(slices.Clone(c.row.Forms),
		func(f Form) bool { return !slices.Contains(f.As, c.content.ContentType) })
	c.ofType = " in a post of type " + string(c.content.ContentType)
	if len(c.forms) == 0 {
		c.forms, c.ofType = c.row.Forms, ""
		c.fault("contentType", "%s accepts posts of type %s; this one is %s. Change the type.",
			c.row.Name, list(words(c.row.ContentTypes()), "or"), c.content.ContentType)
	}
	c.content.Media = replaceGIFs(c.forms, c.content.Media)
	c.form = nearest(c.forms, c.content.Media)
}

// nearest returns the form that accepts the most attachments. On a tie it prefers a form that accepts the attachments
// as a whole.
func nearest(forms []Form, assets []media.Asset) Form {
	score := func(f Form) int {
		n := 0
		for _, asset := range assets {
			if _, ok := f.Media.file(asset.Type); ok {
				n += 2
			}
		}
		if f.Media.takes(assets) {
			n++
		}
		return n
	}
	return slices.MaxFunc(forms, func(a, b Form) int { return score(a) - score(b) })
}

// ContentTypes returns the content types that the network accepts, in the published order.
func (r Row) ContentTypes() []post.ContentType {
	all := []post.ContentType{post.ContentPost, post.ContentReel, post.ContentStory, post.ContentVideo}
	return slices.DeleteFunc(all, func(t post.ContentType) bool {
		return !slices.ContainsFunc(r.Forms, func(f Form) bool { return slices.Contains(f.As, t) })
	})
}

func words[S ~string](values []S) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}
