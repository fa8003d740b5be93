package ideas

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// card is an idea on its board and on its page.
type card struct {
	postgres.PlacedCard

	Href    string
	Write   string // address of the composer
	Labels  []idea.Label
	Picture *app.DeliveredAsset // the first file; nil: there is none
	More    int                 // further files
	By      string              // the author; empty: no person
	DueText string              // empty: it is not due
	Late    bool
	Became  []became
}

// became is a post that an idea became.
type became struct {
	post.Post

	Channel      channel.Channel
	Glyph, Words string
	Sign         poststate.Sign
}

// Host returns the host of the link.
func (c card) Host() string {
	u, err := url.Parse(c.Link)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.Hostname(), "www.")
}

// Notes returns the beginning of the notes.
func (c card) Notes() string {
	const most = 160
	return poststate.Clipped(c.Content, most)
}

// Channels returns those of the posts, each once.
func (c card) Channels() (list []channel.Channel) {
	for _, one := range c.Became {
		if !slices.ContainsFunc(list, func(known channel.Channel) bool { return known.ID == one.Channel.ID }) {
			list = append(list, one.Channel)
		}
	}
	return list
}

// Networks returns the names of the networks of the posts.
func (c card) Networks() string { return poststate.Networks(c.Channels()) }

// Urgent returns the post that needs a person most; nil: there is no post.
func (c card) Urgent() *became {
	if len(c.Became) == 0 {
		return nil
	}
	one := slices.MaxFunc(c.Became, func(a, b became) int { return cmp.Compare(poststate.Urgency(a.Glyph), poststate.Urgency(b.Glyph)) })
	return &one
}

// State returns the state of the posts in words.
func (c card) State() string {
	urgent, n := c.Urgent(), 0
	for _, one := range c.Became {
		if one.Sign == urgent.Sign {
			n++
		}
	}
	if n == len(c.Became) {
		return urgent.Sign.Text
	}
	return fmt.Sprintf("%d of %d %s", n, len(c.Became), strings.ToLower(urgent.Sign.Text))
}

// cards returns cards of a board as the page shows them.
func (p *pages) cards(v *frame.Visit, b idea.Board, found []postgres.PlacedCard) ([]card, error) {
	var files []ident.Media
	var posts []ident.Post
	for _, one := range found {
		if len(one.MediaIDs) > 0 {
			files = append(files, one.MediaIDs[0])
		}
		posts = append(posts, one.Posts...)
	}
	pictures, err := p.app.Attachments(v.Request.Context(), v.Principal, files)
	if err != nil {
		return nil, err
	}
	known, err := p.became(v, posts)
	if err != nil {
		return nil, err
	}
	list := make([]card, len(found))
	for i, one := range found {
		list[i] = cardFrom(v, b, one)
		for _, id := range one.Posts {
			if of, ok := known[id]; ok {
				list[i].Became = append(list[i].Became, of)
			}
		}
		at := slices.IndexFunc(pictures, func(a app.DeliveredAsset) bool { return len(one.MediaIDs) > 0 && a.ID == one.MediaIDs[0] })
		if at >= 0 {
			list[i].Picture, list[i].More = &pictures[at], len(one.MediaIDs)-1
		}
	}
	return list, nil
}

// became returns posts that the visitor sees, by their IDs.
func (p *pages) became(v *frame.Visit, ids []ident.Post) (map[ident.Post]became, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	ctx, known := v.Request.Context(), make(map[ident.Post]became)
	posts, err := p.app.PostsNamed(ctx, v.Principal, ids)
	if err != nil {
		return nil, err
	}
	connected, err := p.app.Channels(ctx, v.Principal)
	channels := channel.ByID(connected)
	for _, one := range posts {
		c, found := channels[one.ChannelID]
		if !found { // it was disconnected
			c.ID, c.Type = one.ChannelID, channel.Type(one.ChannelType)
		}
		known[one.ID] = became{one, c, poststate.Glyph(one, c), poststate.Words(one), poststate.Of(one, c, false)}
	}
	return known, err
}

func cardFrom(v *frame.Visit, b idea.Board, of postgres.PlacedCard) card {
	c := card{
		PlacedCard: of, Href: cardPath(v, of.ID), By: of.Author,
		Write: v.Path("/compose?" + url.Values{"idea": {of.ID.String()}}.Encode()),
	}
	if of.AuthorID == v.Principal.Person.ID && !of.AuthorID.IsZero() {
		c.By = "You"
	}
	for _, l := range b.Labels {
		if slices.Contains(of.LabelIDs, l.ID) {
			c.Labels = append(c.Labels, l)
		}
	}
	c.DueText, c.Late = dueIn(of.Due, v.Now().In(v.Zone()))
	c.Late = c.Late && len(of.Posts) == 0
	return c
}

// dueIn returns the day until which something is due in words, and whether it is over.
func dueIn(day, now time.Time) (text string, over bool) {
	if day.IsZero() {
		return "", false
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	layout := "2 Jan"
	if day.Year() != now.Year() {
		layout += " 2006"
	}
	switch {
	case day.Equal(today):
		return "today", false
	case day.Equal(today.AddDate(0, 0, 1)):
		return "tomorrow", false
	}
	return day.Format(layout), day.Before(today)
}
