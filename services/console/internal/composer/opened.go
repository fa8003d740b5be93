package composer

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// origin names the posts that a draft changes, as they were when it was opened.
type origin struct {
	Group ident.Group `json:"group,omitzero"` // the whole set
	Post  ident.Post  `json:"post,omitzero"`  // or one post
	// Labels are those of the posts, as the form shows them.
	Labels   string          `json:"labels,omitempty"`
	Campaign ident.Campaign  `json:"campaign,omitzero"`
	Seen     map[string]seen `json:"seen"` // by the channel's ID
}

// seen is a post as it was.
type seen struct {
	Post    ident.Post             `json:"post"`
	Tag     string                 `json:"tag"`
	Members map[post.Member]string `json:"members"` // hashes
}

// existing are the posts that a draft changes, as they are now.
type existing struct {
	posts    []post.Post // that can be changed
	closed   []closed
	channels []channel.Channel // of all of them
}

// closed is a post that cannot be changed here, or did not take its change.
type closed struct {
	ID      ident.Post // zero: it was deleted
	Channel channel.Channel
	Why     string
}

// of returns the post of a channel.
func (e existing) of(id ident.Channel) (post.Post, bool) {
	at := slices.IndexFunc(e.posts, func(p post.Post) bool { return p.ChannelID == id })
	if at < 0 {
		return post.Post{}, false
	}
	return e.posts[at], true
}

// closedTo reports whether the post of a channel cannot be changed.
func (e existing) closedTo(id ident.Channel) bool {
	return slices.ContainsFunc(e.closed, func(one closed) bool { return one.Channel.ID == id })
}

// channel returns one of the channels.
func (e existing) channel(id ident.Channel) channel.Channel {
	at := slices.IndexFunc(e.channels, func(c channel.Channel) bool { return c.ID == id })
	return e.channels[at]
}

// desk holds the channels of a draft, and the posts that it changes.
type desk struct {
	channels []channel.Channel
	existing existing
}

// desk returns the channels of new posts, or those of the posts that the draft changes.
func (c *composer) desk(v *frame.Visit, of *origin) (d desk, err error) {
	if of == nil {
		d.channels, err = c.channels(v)
		return d, err
	}
	d.existing, err = c.existing(v, *of)
	d.channels = d.existing.channels
	return d, err
}

// whyClosed returns why a post cannot be changed in the composer; empty if it can.
func whyClosed(v *frame.Visit, of post.Post) string {
	switch {
	case !of.PublishingSince.IsZero():
		return "It is being published now."
	case of.Status == post.Published:
		return "It was published. Its page says what the network still lets you change."
	case of.Status == post.Archived:
		return "It is archived. Restore it first."
	case of.Status == post.Scheduled && !v.Principal.Allows(credential.PostsPublish):
		return "It was approved as it is. Ask an editor to move it back to drafts."
	case !of.Status.Allows(post.ActionEdit):
		return "It cannot be changed in its state."
	}
	return ""
}

// Wishes returns the changes that approvers requested.
func (l *look) Wishes() (list []closed) {
	for _, p := range l.existing.posts {
		if a := p.Approval; a != nil && a.Status == post.ApprovalRejected && a.Comment != "" {
			list = append(list, closed{p.ID, l.existing.channel(p.ChannelID), a.Comment})
		}
	}
	return list
}

// existing reads the posts of an origin. Those that were deleted are closed.
func (c *composer) existing(v *frame.Visit, o origin) (e existing, err error) {
	ctx, found := v.Request.Context(), []post.Post(nil)
	if !o.Post.IsZero() {
		var one post.Post
		if one, err = c.app.Post(ctx, v.Principal, o.Post); err == nil {
			found = append(found, one)
		}
	} else {
		found, err = c.app.SetPosts(ctx, v.Principal, o.Group)
	}
	if err != nil && !apperr.Is(err, apperr.NotFound) {
		return e, err
	}
	all, err := c.app.Channels(ctx, v.Principal)
	if err != nil {
		return e, err
	}
	known := channel.ByID(all)
	add := func(id ident.Channel) (channel.Channel, error) {
		one, ok := known[id]
		if !ok { // it was disconnected
			if one, err = c.app.Channel(ctx, v.Principal, id); err != nil {
				return one, err
			}
		}
		e.channels = append(e.channels, one)
		return one, nil
	}
	for _, one := range found {
		of, err := add(one.ChannelID)
		if err != nil {
			return e, err
		}
		if why := whyClosed(v, one); why != "" {
			e.closed = append(e.closed, closed{one.ID, of, why})
			continue
		}
		e.posts = append(e.posts, one)
	}
	for text, was := range o.Seen {
		if slices.ContainsFunc(found, func(p post.Post) bool { return p.ID == was.Post }) {
			continue
		}
		id, err := ident.Parse[ident.Channel](text)
		if err != nil {
			return e, noPage()
		}
		of, err := add(id)
		if err != nil {
			return e, err
		}
		e.closed = append(e.closed, closed{Channel: of, Why: "It was deleted meanwhile."})
	}
	return e, nil
}

// draftOf returns the draft that the posts are now.
func (c *composer) draftOf(v *frame.Visit, of existing, alone bool) (draft, error) {
	posts, covers, err := c.uncovered(v, of.posts, of.channel)
	if err != nil {
		return draft{}, err
	}
	d := draftOf(posts, alone)
	d.Covers = covers
	return d, nil
}

func draftOf(posts []post.Post, alone bool) draft {
	base := post.Base(posts)
	d := draft{
		Text: base.Content, Title: base.Title, Campaign: base.CampaignID, Kind: base.ContentType, Media: slices.Clone(base.MediaIDs), When: asPlanned,
		Own: make(map[string]own), Alt: make(map[string]string), Options: make(map[string]post.Options),
		Thread: fromPosted(base.Thread, 1), Comment: fromComment(base.Comment),
	}
	var labels []string
	for _, p := range posts {
		d.Channels = append(d.Channels, p.ChannelID)
		for _, id := range p.MediaIDs {
			if !slices.Contains(d.Media, id) {
				d.Media = append(d.Media, id)
			}
		}
		for _, name := range p.Labels {
			if !slices.Contains(labels, name) {
				labels = append(labels, name)
			}
		}
		if p.HasOptions {
			d.Options[p.ChannelID.String()] = p.Options
		}
		for _, texts := range altTextsOf(p) {
			for id, text := range texts {
				if _, known := d.Alt[id.String()]; !known || p.ID == base.ID {
					d.Alt[id.String()] = text
				}
			}
		}
	}
	d.Labels = strings.Join(labels, ", ")
	for _, p := range posts {
		one := ownOf(p, base, d.Media)
		if one.Thread != nil {
			*one.Thread = fromPosted(p.Thread, d.nextKey())
		}
		if !alone && !one.empty() {
			d.Own[p.ChannelID.String()] = one
		}
	}
	return d
}

// altTextsOf returns the alternative texts of a post and of its parts.
func altTextsOf(p post.Post) []post.AltTexts {
	all := []post.AltTexts{p.MediaAltTexts}
	for _, part := range p.Thread {
		all = append(all, part.MediaAltTexts)
	}
	return all
}

// ownOf returns what a post has of its own. The parts of its thread have no keys yet.
func ownOf(p, base post.Post, all []ident.Media) (one own) {
	has := func(name post.Member) bool { return slices.Contains(p.Own, name) }
	if p.Content != base.Content || has(post.MemberContent) {
		one.Text = &p.Content
	}
	if p.Title != base.Title || has(post.MemberTitle) {
		one.Title = &p.Title
	}
	if p.ContentType != base.ContentType {
		one.Kind = p.ContentType
	}
	if len(p.MediaIDs) > 0 && len(p.MediaIDs) < len(all) {
		one.Media = slices.DeleteFunc(slices.Clone(all), func(id ident.Media) bool { return !slices.Contains(p.MediaIDs, id) })
	}
	if has(post.MemberThread) || !post.EqualThreads(p.Thread, base.Thread) {
		one.Thread = &[]part{}
	}
	if has(post.MemberFirstComment) || p.Comment != base.Comment {
		one.Comment = new(fromComment(p.Comment))
	}
	return one
}

// open shows existing posts for a change, or the changes that the person has not saved yet.
func (c *composer) open(v *frame.Visit, o origin) error {
	if v.Query("fresh") == "" {
		kept, err := c.app.Scratches(v.Request.Context(), v.Principal)
		if err != nil {
			return err
		}
		for _, one := range kept {
			d, err := restored(one.Content)
			if err != nil {
				return err
			}
			if d.Origin != nil && d.Origin.Post == o.Post && d.Origin.Group == o.Group {
				v.Redirect(address(v, one.ID.String()))
				return nil
			}
		}
	}
	e, err := c.existing(v, o)
	if err != nil {
		return err
	}
	switch {
	case len(e.posts)+len(e.closed) == 0:
		return apperr.New(apperr.NotFound, "There is no such post.")
	case len(e.posts) == 0:
		back := frame.Link{Text: "Open the post", Path: v.Path("/posts/" + e.closed[0].ID.String())}
		v.Message(http.StatusConflict, "This post cannot be changed now", e.closed[0].Why, back)
		return nil
	}
	data := page{Scratch: ident.New[ident.Scratch]()}
	d, err := c.draftOf(v, e, !o.Post.IsZero())
	if err != nil {
		return err
	}
	d.Origin = &o
	if data.look, err = c.examine(v, d, desk{e.channels, e}); err != nil {
		return err
	}
	o.Labels, o.Campaign, o.Seen = d.Labels, d.Campaign, make(map[string]seen)
	for _, p := range e.posts {
		o.Seen[p.ChannelID.String()] = seen{p.ID, app.PostTag(p), data.hashes(p.ChannelID)}
	}
	return c.page(v, data, 0)
}

// startOpened returns the origin that the address asks for; false: it asks for new posts.
func startOpened(v *frame.Visit) (o origin, requested bool, err error) {
	query := v.Request.URL.Query()
	switch {
	case query.Has("post"):
		o.Post, err = ident.Parse[ident.Post](query.Get("post"))
	case query.Has("group"):
		o.Group, err = ident.Parse[ident.Group](query.Get("group"))
	default:
		return o, false, nil
	}
	if err != nil {
		err = noPage()
	}
	return o, true, err
}

// readOrigin parses the field of the form; nil for new posts.
func readOrigin(text string) (*origin, error) {
	if text == "" {
		return nil, nil
	}
	var o origin
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return nil, noPage()
	}
	return &o, nil
}
