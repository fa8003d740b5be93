package rules

import (
	"fmt"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// Comment holds the limits of first comments. They have only text.
type Comment struct {
	Text    Text               // zero: the network takes none, or takes replies instead (Row.Threads)
	Limits  []Limit            // maximum numbers of tokens in the text
	Without []post.ContentType // content types that have no comments
}

// Replies reports whether the network of the channel type takes parts of the kind.
func (t Table) Replies(kind channel.Type, part post.PartKind) bool {
	row, ok := t.Of(kind)
	return ok && row.replies(part)
}

func (r Row) replies(part post.PartKind) bool {
	switch part {
	case post.PartReply:
		return r.Threads
	case post.PartComment:
		return r.Threads || r.Comment.Text.Max > 0
	case post.PartRoot:
	}
	return true
}

// of returns the row for the content: with what is known about the account, and for a comment with the limits of comments.
func (t Table) of(kind channel.Type, content platform.Content) (Row, bool) {
	row, ok := t.Of(kind)
	if !ok {
		return Row{}, false
	}
	if row.Known != nil {
		row.Known(&row, content.Facts)
	}
	if isComment(content) {
		row = row.ofComments()
	}
	return row, true
}

func isComment(content platform.Content) bool {
	return content.ReplyTo != nil && content.ReplyTo.Kind == post.PartComment
}

// ofComments returns the row with the limits of comments. Where they are replies, those are the limits of a text post.
func (r Row) ofComments() Row {
	text := r.Forms[0].Text
	if r.Comment.Text.Max > 0 {
		text, r.Limits, r.Forbidden = r.Comment.Text, r.Comment.Limits, nil
	}
	r.Forms = []Form{{Name: "Comments", As: r.ContentTypes(), Text: text}}
	return r
}

// part checks what only concerns replies and comments. It returns false if the other rules do not apply.
func (c *checker) part() bool {
	if c.content.ReplyTo == nil {
		return true
	}
	switch comment := isComment(c.content); {
	case comment && !c.row.replies(post.PartComment):
		c.fault("content", "%s takes no first comments; remove it.", c.row.Name)
	case comment && slices.Contains(c.row.Comment.Without, c.content.ContentType):
		c.fault("content", "Posts of type %s on %s have no comments; remove the first comment.", c.content.ContentType, c.row.Name)
	case comment:
		c.comment()
	case !c.row.replies(post.PartReply):
		c.fault("content", "%s takes no threads; write one post.", c.row.Name)
	default:
		return true
	}
	return false
}

// comment checks a first comment.
func (c *checker) comment() {
	c.forms, c.form = c.row.Forms, c.row.Forms[0]
	if len(c.content.Media) > 0 {
		c.fault("mediaIds", "A first comment has only text; remove the attachments.")
	}
	if strings.TrimSpace(c.content.Text) == "" {
		c.fault("content", "The first comment is empty; write some text.")
		return
	}
	c.text()
}

// parts checks the parts that are published after the post, each by its own rules.
func (c *checker) parts(t Table, kind channel.Type) {
	threads := false
	for i, part := range c.content.Parts {
		part.Facts = c.content.Facts
		member := "firstComment"
		if part.ReplyTo.Kind == post.PartReply {
			member = fmt.Sprintf("thread/%d", i)
			if !c.row.replies(post.PartReply) {
				if !threads {
					c.fault("thread", "%s takes no threads; leave the thread out for this channel.", c.row.Name)
				}
				threads = true
				continue
			}
		}
		for _, f := range t.Check(kind, part) {
			f.Member = member + "/" + f.Member
			c.findings = append(c.findings, f)
		}
	}
}
