package campaigns

import (
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/figures"
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/shared/domain/campaign"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// most is the number of posts that the page counts.
	most = postgres.MaxPeriod - 1
	// listed is the number of posts of a state that the page lists.
	listed = 8
)

// showPage is the data of the page of a campaign.
type showPage struct {
	campaign.Campaign

	Period  string
	Groups  []group
	Figures *figures.Table // nil: no network has reported any
	Links   []postgres.LinkClicks
	Clicks  int64 // on all links
	Clipped bool  // there are more posts than the page counts
}

// Channels returns the channels of the listed posts, for the sprite of marks.
func (s showPage) Channels() (list []channel.Channel) {
	for _, g := range s.Groups {
		for _, p := range g.Posts {
			list = append(list, p.Channel)
		}
	}
	return list
}

// group has the posts of a state.
type group struct {
	Title, Href string
	Count       int
	Posts       []listedPost
}

// More returns the number of posts that are not listed.
func (g group) More() int { return g.Count - len(g.Posts) }

type listedPost struct {
	post.Post

	Channel      channel.Channel
	Glyph, Words string
}

func (p *pages) show(v *frame.Visit) error {
	c, err := p.known(v)
	if err != nil {
		return err
	}
	ctx := v.Request.Context()
	posts, err := p.app.Posts(ctx, v.Principal, postgres.PostFilter{CampaignID: c.ID, Sort: post.EarliestFirst, Limit: postgres.MaxPeriod})
	if err != nil {
		return err
	}
	connected, err := p.app.Channels(ctx, v.Principal)
	if err != nil {
		return err
	}
	channels := channel.ByID(connected)
	page := showPage{Campaign: c, Period: period(c), Clipped: len(posts) > most}
	posts = posts[:min(len(posts), most)]
	page.Groups = groups(v, c.ID, posts, channels)
	if page.Figures, err = p.figures(v, posts); err != nil {
		return err
	}
	texts := make([]string, len(posts))
	for i, one := range posts {
		texts[i] = one.Content
	}
	if page.Links, err = p.app.LinkClicks(ctx, v.Principal, texts...); err != nil {
		return err
	}
	for _, l := range page.Links {
		page.Clicks += l.Clicks
	}
	slices.SortStableFunc(page.Links, func(a, b postgres.LinkClicks) int { return int(b.Clicks - a.Clicks) })
	return v.Page(frame.Page{Name: "campaigns/show", Title: c.Name, Styles: []string{"sheet.css", "posts.css"}, Data: page})
}

// groups returns the posts by their states, those first that come next.
func groups(v *frame.Visit, of ident.Campaign, posts []post.Post, channels map[ident.Channel]channel.Channel) []group {
	var list []group
	for _, status := range []post.Status{post.Failed, post.PendingApproval, post.Scheduled, post.Draft, post.Published, post.Archived} {
		g := group{Title: frame.Words(status), Href: v.Path("/posts?" + url.Values{
			"status": {strings.ToLower(string(status))}, "campaign": {of.String()},
		}.Encode())}
		for _, one := range posts {
			if one.Status != status {
				continue
			}
			g.Count++
			c, known := channels[one.ChannelID]
			if !known { // it was disconnected
				c.Type = channel.Type(one.ChannelType)
			}
			g.Posts = append(g.Posts, listedPost{one, c, poststate.Glyph(one, c), poststate.Words(one)})
		}
		if status == post.Published || status == post.Archived {
			slices.Reverse(g.Posts)
		}
		if g.Posts = g.Posts[:min(len(g.Posts), listed)]; g.Count > 0 {
			list = append(list, g)
		}
	}
	return list
}

// figures returns the sums of the figures, by network.
func (p *pages) figures(v *frame.Visit, posts []post.Post) (*figures.Table, error) {
	var ids []ident.Post
	var lines []figures.Posts
	for _, one := range posts {
		if one.Status != post.Published && one.Status != post.Archived {
			continue
		}
		ids = append(ids, one.ID)
		name := channel.Type(one.ChannelType).Network().Name()
		at := slices.IndexFunc(lines, func(l figures.Posts) bool { return l.Name == name })
		if at < 0 {
			at, lines = len(lines), append(lines, figures.Posts{Name: name})
		}
		lines[at].IDs = append(lines[at].IDs, one.ID)
	}
	if len(ids) == 0 {
		return nil, nil //nolint:nilnil // a page without figures
	}
	latest, err := p.app.LatestFigures(v.Request.Context(), v.Principal, ids)
	if err != nil || len(latest) == 0 {
		return nil, err
	}
	return figures.Of(lines, latest), nil
}
