package posts

import (
	"cmp"
	"html/template"
	"net/http"
	"slices"

	"fencepost.internal/services/console/internal/figures"
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/inbox"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/console/internal/preview"
	"fencepost.internal/services/console/internal/series"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/campaign"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const maxComment = 2000

// showPage is the data of a post's page.
type showPage struct {
	item

	Remedy   poststate.Remedy // of a FAILED post
	Verdict  verdict
	Track    []stage
	Set      []sibling // the posts that were created together, with this one; empty for a post alone
	Own      string    // what differs from the base of the set
	Media    []app.DeliveredAsset
	Parts    []partRow
	Decision *continuation  // nil: every part is published, or will be
	Preview  template.HTML  // as its network shows it; empty for a channel that cannot be published to
	Figures  *figures.Table // nil: its network has reported none
	Entries  []entry
	Busy     bool
	Approval *post.Approval
	// Decides reports that the visitor may approve the post; otherwise Undecided says why not. Passed: its time has.
	Decides, Passed bool
	Undecided       string
	Live            liveState
	Edits           bool // the visitor may change the post in place
	Editor          editor
	Deletes         bool // the visitor may delete the post
	Form            selection
	City            string // of the time zone
	Labels          []post.Label
	Series          repeats
	Members         []string          // names
	Campaign        campaign.Campaign // zero: none
	Clicks          []postgres.LinkClicks
	Comments        []inbox.Below // conversations below it, the last first
}

// repeats says by which series a post repeats.
type repeats struct {
	ID    ident.Series // zero: by none
	Words string
}

// shown has what a page shows beside the post: a form that was refused.
type shown struct {
	status      int
	text, fault string // of a change on the network
	form        selection
	editor      *editor
}

// gone responds to a post that does not exist. A page that shows the post, and is fetched again, knows that it did.
func gone(v *frame.Visit, err error) error {
	switch {
	case !apperr.Is(err, apperr.NotFound):
		return err
	case v.Request.Header.Get("Hx-Request") != "":
		return v.Page(frame.Page{Name: "posts/gone", Title: "Post deleted"})
	default:
		v.Say(http.StatusNotFound, "Post not found", "It was deleted, or it belongs to another workspace.")
		return nil
	}
}

// Title returns the first words of the post.
func (s showPage) Title() string {
	const most = 60
	return cmp.Or(poststate.Clipped(cmp.Or(s.Post.Title, s.Post.Content), most), "Post on "+s.Channel.Name)
}

// Allows reports whether the state of the post allows an action.
func (s showPage) Allows(action string) bool {
	return !s.Busy && s.Post.Status.Allows(post.Action(action))
}

func (p *posts) show(v *frame.Visit) error {
	id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
	if err != nil {
		return err
	}
	return p.pageOf(v, id, shown{})
}

// pageOf shows a post.
func (p *posts) pageOf(v *frame.Visit, id ident.Post, with shown) error {
	ctx := v.Request.Context()
	found, err := p.app.Post(ctx, v.Principal, id)
	if err != nil {
		return gone(v, err)
	}
	page := showPage{Busy: !found.PublishingSince.IsZero(), Approval: found.Approval, Form: with.form}
	if err := p.readSet(v, &page, found); err != nil {
		return err
	}
	if err := p.readHistory(v, &page, found); err != nil {
		return err
	}
	if page.Media, err = p.app.PostMedia(ctx, v.Principal, found); err != nil {
		return err
	}
	if page.Preview, err = p.preview(v, page); err != nil {
		return err
	}
	if page.Live, err = p.liveOf(v, found, page.Channel); err != nil {
		return err
	}
	if with.fault != "" {
		page.Live.Text, page.Live.Fault = with.text, with.fault
	}
	if page.Labels, err = p.app.Labels(ctx, v.Principal); err != nil {
		return err
	}
	if page.Series, err = p.repeats(v, found); err != nil {
		return err
	}
	if page.Members, err = p.names(v); err != nil {
		return err
	}
	if err := p.readCampaign(v, &page, found); err != nil {
		return err
	}
	if err := p.readReview(v, &page, found); err != nil {
		return err
	}
	if page.Comments, err = inbox.BelowPost(v, p.inbox, id); err != nil {
		return err
	}
	page.Deletes = page.Allows("delete") && v.Principal.Allows(credential.PostsWrite) && v.Principal.MayDelete(found.Status) == nil
	page.Parts, page.Decision = partsOf(found), continuationOf(found, page.Channel)
	page.Edits, page.City = edits(v, found), frame.City(v.Workspace.Timezone)
	page.Editor = editorOf(found, page.Media, v.Zone())
	page.Editor.Open = v.Query("edit") != ""
	page.Editor.Was = page.Editor.Base()
	if with.editor != nil {
		page.Editor = *with.editor
	}
	if found.Error != nil && found.Status == post.Failed {
		page.Remedy = poststate.RemedyOf(found.Error, page.Channel)
	}
	return v.Page(frame.Page{
		Name: "posts/show", Title: page.Title(), Status: with.status, Wide: true, Scripts: []string{"posts.js", "mention.js"}, Data: page,
		Styles: append(styles(), preview.Style, "insert.css"),
	})
}

// repeats returns the series of a post.
func (p *posts) repeats(v *frame.Visit, of post.Post) (r repeats, err error) {
	day, ok, err := p.app.SeriesOf(v.Request.Context(), v.Principal, of.GroupID)
	if err != nil || !ok {
		return r, err
	}
	found, err := p.app.Series(v.Request.Context(), v.Principal, day.SeriesID)
	return repeats{found.ID, series.Words(found.Rule)}, err
}

// readCampaign reads the campaign of the post, and the clicks on its short links.
func (p *posts) readCampaign(v *frame.Visit, page *showPage, found post.Post) (err error) {
	ctx := v.Request.Context()
	if !found.CampaignID.IsZero() {
		page.Campaign, err = p.app.Campaign(ctx, v.Principal, found.CampaignID)
		if err != nil && !apperr.Is(err, apperr.NotFound) { // it was deleted in between
			return err
		}
	}
	page.Clicks, err = p.app.LinkClicks(ctx, v.Principal, found.Content)
	return err
}

// readReview says whether the visitor decides about the post.
func (p *posts) readReview(v *frame.Visit, page *showPage, found post.Post) error {
	if found.Status != post.PendingApproval {
		return nil
	}
	reviews, err := p.app.Reviews(v.Request.Context(), v.Principal, []post.Post{found})
	if err != nil {
		return err
	}
	page.Undecided = p.whyNot(v, reviewRow{item: page.item, Review: reviews[0]})
	page.Decides = page.Undecided == ""
	page.Passed = !found.ScheduledAt.IsZero() && !found.ScheduledAt.After(v.Now())
	return nil
}

// preview draws the post as its network shows it.
func (p *posts) preview(v *frame.Visit, page showPage) (template.HTML, error) {
	attached, err := p.app.Attachments(v.Request.Context(), v.Principal, page.Post.PartMedia())
	if err != nil {
		return "", err
	}
	return preview.OfPost(v.Request.Context(), p.app, v.Principal, preview.Shown{
		Post: page.Post, Channel: page.Channel, Media: page.Media, PartMedia: attached, Notes: true, Zone: v.Zone(),
	})
}

// readSet reads the post with those that were created together with it, and their channels.
func (p *posts) readSet(v *frame.Visit, page *showPage, found post.Post) error {
	ctx, together := v.Request.Context(), []post.Post{found}
	var err error
	if found.InSet() {
		if together, err = p.app.SetPosts(ctx, v.Principal, found.GroupID); err != nil {
			return err
		}
	}
	channels, err := p.app.Channels(ctx, v.Principal)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(channels, func(c channel.Channel) bool { return c.ID == found.ChannelID }) { // it was disconnected
		of, err := p.app.Channel(ctx, v.Principal, found.ChannelID)
		if err != nil {
			return err
		}
		channels = append(channels, of)
	}
	items, err := p.items(v, together, channels)
	if err != nil {
		return err
	}
	for _, i := range items {
		if i.Post.ID == found.ID {
			page.item = i
		}
		if len(items) > 1 {
			page.Set = append(page.Set, sibling{i, i.Post.ID == found.ID})
		}
	}
	if len(items) > 1 {
		page.Own = ownOf(found.Own)
	}
	page.Figures, err = p.figures(v, items)
	return err
}

// readHistory reads what happened to the post.
func (p *posts) readHistory(v *frame.Visit, page *showPage, found post.Post) error {
	ctx := v.Request.Context()
	timeline, err := p.app.Timeline(ctx, v.Principal, found.ID)
	if err != nil {
		return err
	}
	attempts, err := p.app.Attempts(ctx, v.Principal, found.ID)
	if err != nil {
		return err
	}
	page.Entries = withFacts(entries(timeline, page.Channel), attempts, page.Channel)
	page.Verdict = verdictOf(page.item, attempts, v.Now())
	page.Track = trackOf(page.item, timeline, attempts)
	return nil
}
