package rules

import (
	"strings"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/rules/textlen"
)

// text checks the text against the form's limits.
func (c *checker) text() {
	text, rule := c.content.Text, c.form.Text
	blank := strings.TrimSpace(text) == ""
	switch {
	case rule.Dropped && !blank:
		c.warn("content", "%s on %s have no text; it will be omitted.", c.form.Name, c.row.Name)
	case rule.Dropped:
	case blank && c.form.Media.Max == 0 && len(c.content.Media) == 0:
		c.fault("content", "%s does not publish an empty post; write some text%s.", c.row.Name, c.orAttach())
	}
	if rule.Dropped {
		return
	}
	limit := rule.limit(c.content.Options)
	switch length := rule.length(text, c.content.Options); {
	case length > limit && rule.Unsure:
		c.warn("content", "The text counts as %s, and %s may allow only %s. Shorten it to be sure. %s",
			plural(length, rule.Count.Unit), c.row.Name, number(limit), rule.Count.Hint)
	case length > limit:
		c.fault("content", "%s", c.tooLong("text", length, limit, rule.Count))
	case rule.Bytes > 0 && len(text) > rule.Bytes:
		c.fault("content", "%s", c.tooLong("text", len(text), rule.Bytes, UTF8Bytes()))
	case rule.Safe > 0 && len(text) > rule.Safe && length <= rule.Max:
		c.warn("content", "The text has %s, and %s may refuse more than %s. Shorten it to be sure. %s",
			plural(len(text), UTF8Bytes().Unit), c.row.Name, number(rule.Safe), UTF8Bytes().Hint)
	}
	c.forbidden("content", text)
	for _, limit := range c.row.Limits {
		c.limit(limit, text)
	}
	c.charge(text)
}

// limit returns the maximum length of a text with these options.
func (t Text) limit(options post.Options) int {
	if options.LongText != nil && *options.LongText {
		return max(t.Max, t.Long)
	}
	return t.Max
}

// length returns the length of a text with these options.
func (t Text) length(text string, options post.Options) int {
	if t.Warned {
		return t.Count.Length(text) + textlen.Characters(options.ContentWarning)
	}
	return t.Count.Length(text)
}

// orAttach returns the second remedy for an empty post if a form accepts media.
func (c *checker) orAttach() string {
	for _, form := range c.forms {
		if form.Media.Max > 0 {
			return " or attach media"
		}
	}
	return ""
}

// tooLong says by how much the text exceeds the limit, as the network counts. It mentions the media if a caption's
// limit is lower than the limit of a text without media.
func (c *checker) tooLong(what string, length, limit int, count Measure) string {
	where := ""
	if what == "text" && c.form.Media.Max > 0 && c.form.Text.Max < c.longestText() {
		where = " with this media"
	}
	return strings.TrimSpace("The " + what + " is " + plural(length-limit, count.Unit) + " too long for " + c.row.Name +
		where +
		": it counts as " + number(length) + ", and " + number(limit) + " are allowed. Shorten it. " + count.Hint)
}

func (c *checker) longestText() int {
	longest := 0
	for _, form := range c.row.Forms {
		longest = max(longest, form.Text.Max)
	}
	return longest
}

func (c *checker) forbidden(member, text string) {
	for _, forbidden := range c.row.Forbidden {
		if strings.ContainsAny(text, forbidden.Characters) {
			c.fault(member, "The %s contains %s, which %s rejects. Remove it.", nameOf(member), forbidden.Name, c.row.Name)
		}
	}
}

// nameOf returns the member's name for a sentence.
func nameOf(member string) string {
	if member == "content" {
		return "text"
	}
	return member
}

func (c *checker) limit(limit Limit, text string) {
	n := limit.Of.Count(text)
	if n <= limit.Max {
		return
	}
	allowed := "none"
	if limit.Max > 0 {
		allowed = number(limit.Max)
	}
	if limit.Unsure {
		c.warn("content", "The text seems to have %s, and %s allows %s. Remove %d to be sure.", plural(n, limit.Of.Noun),
			c.row.Name, allowed, n-limit.Max)
		return
	}
	c.fault("content", "The text has %s, and %s allows %s. Remove %d.", plural(n, limit.Of.Noun), c.row.Name, allowed,
		n-limit.Max)
}

// title checks the title against the form's use of it.
func (c *checker) title() {
	title, rule := c.content.Title, c.form.Title
	switch {
	case rule.Card && title != "" && !c.card():
		c.warn("title", "%s on %s have a title only on the card of a link; it will be omitted.", c.form.Name, c.row.Name)
		return
	case rule.Use == Ignored && title != "":
		c.warn("title", "%s on %s have no title; it will be omitted.", c.form.Name, c.row.Name)
	case rule.Use == Required && strings.TrimSpace(title) == "":
		c.fault("title", "%s on %s need a title; write one.", c.form.Name, c.row.Name)
	}
	if rule.Use == Ignored {
		return
	}
	c.forbidden("title", title)
	if rule.Max == 0 {
		return
	}
	length := rule.Count.Length(title)
	switch {
	case length <= rule.Max:
	case rule.Unsure:
		c.warn("title", "%s may refuse a title of more than %s; this one has %s. Shorten it to be sure.",
			c.row.Name, plural(rule.Max, rule.Count.Unit), number(length))
	default:
		c.fault("title", "%s", c.tooLong("title", length, rule.Max, rule.Count))
	}
}

// card reports whether the network shows the card of a link.
func (c *checker) card() bool {
	if c.content.Options.Link != "" {
		return len(c.content.Media) <= 1
	}
	return len(c.content.Media) == 0 && textlen.FirstURL(c.content.Text) != ""
}
