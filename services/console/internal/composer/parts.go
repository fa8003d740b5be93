package composer

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// part is a part of a thread after the first, which is the text of the post.
type part struct {
	Key   int           `json:"key"` // names it in the form, also after a move
	Text  string        `json:"text"`
	Media []ident.Media `json:"media,omitempty"`
}

// name returns the name of the part's inputs.
func (p part) name() string { return "part." + strconv.Itoa(p.Key) }

// comment is the first comment under a post.
type comment struct {
	Text  string `json:"text"`
	Delay int    `json:"delay,omitempty"` // seconds
}

// empty reports whether there is no comment. A delay alone is none.
func (c comment) empty() bool { return strings.TrimSpace(c.Text) == "" }

// stored returns the comment of a post.
func (c comment) stored() post.Comment {
	if c.empty() {
		return post.Comment{}
	}
	return post.Comment{Content: strings.TrimSpace(c.Text), Delay: time.Duration(c.Delay) * time.Second}
}

// The channel in names of inputs and in arrangements that are about the common parts.
const common = "all"

// threadOf returns the thread of a channel's post.
func (d draft) threadOf(id string) []part {
	if own := d.Own[id].Thread; own != nil {
		return *own
	}
	return d.Thread
}

// commentOf returns the first comment of a channel's post.
func (d draft) commentOf(id string) comment {
	if own := d.Own[id].Comment; own != nil {
		return *own
	}
	return d.Comment
}

// textOf returns the text of a channel's post.
func (d draft) textOf(id string) string {
	if own := d.Own[id].Text; own != nil {
		return *own
	}
	return d.Text
}

// parts returns the parts of all threads.
func (d draft) parts() []part {
	all := slices.Clone(d.Thread)
	for _, one := range d.Own {
		if one.Thread != nil {
			all = append(all, *one.Thread...)
		}
	}
	return all
}

// partMedia returns the attachments of all parts.
func (d draft) partMedia() (all []ident.Media) {
	for _, p := range d.parts() {
		all = append(all, p.Media...)
	}
	return all
}

// nextKey returns the key of a new part.
func (d draft) nextKey() int {
	key := 1
	for _, p := range d.parts() {
		key = max(key, p.Key+1)
	}
	return key
}

// readParts parses the common parts of the form, and those that channels have of their own.
func (d *draft) readParts(fields url.Values, channels []channel.Channel) (err error) {
	if d.Thread, err = readThread(fields, common); err != nil {
		return err
	}
	d.Comment = readComment(fields, common)
	for _, c := range channels {
		id := c.ID.String()
		one := d.Own[id]
		if fields.Has("ownthread." + id) {
			thread, err := readThread(fields, id)
			if err != nil {
				return err
			}
			one.Thread = &thread
		}
		if fields.Has("comment." + id) {
			one.Comment = new(readComment(fields, id))
		}
		if !one.empty() {
			d.Own[id] = one
		}
	}
	return nil
}

// readThread parses the thread of a channel.
func readThread(fields url.Values, id string) ([]part, error) {
	thread := []part{}
	for _, text := range fields["thread."+id] {
		key, err := strconv.Atoi(text)
		if err != nil || key < 1 {
			return nil, noPage()
		}
		p := part{Key: key}
		p.Text = line(fields.Get(p.name()))
		if p.Media, err = ids(fields, "media@"+p.name(), ident.Parse[ident.Media]); err != nil {
			return nil, err
		}
		thread = append(thread, p)
	}
	return thread, nil
}

// readComment parses the first comment of a channel. A delay that is no number is none.
func readComment(fields url.Values, id string) comment {
	delay, _ := strconv.Atoi(fields.Get("delay." + id))
	return comment{line(fields.Get("comment." + id)), delay}
}

// posted returns the parts as a post has them.
func (l *look) posted(thread []part) []post.Part {
	all := make([]post.Part, len(thread))
	for i, p := range thread {
		all[i] = post.Part{Content: strings.TrimSpace(p.Text), MediaIDs: p.Media, MediaAltTexts: l.altTexts(l.assetsOf(p.Media))}
	}
	return all
}

// fromPosted returns the parts of a post as a draft has them. Keys start from a number.
func fromPosted(thread []post.Part, key int) []part {
	all := make([]part, len(thread))
	for i, p := range thread {
		all[i] = part{key + i, p.Content, p.MediaIDs}
	}
	return all
}

func fromComment(c post.Comment) comment { return comment{c.Content, int(c.Delay / time.Second)} }
