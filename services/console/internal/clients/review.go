package clients

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/preview"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/clientlink"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/apperr"
)

// pathReview begins the addresses of what links open.
const pathReview = "/review/"

// Limits per minute.
const (
	viewsOfPlace   = 120
	viewsOfLink    = 300
	wordsOfLink    = 30
	guessesOfPlace = 10
	guessesOfLink  = 30
)

// reviewPage is the data of the page that a link opens.
type reviewPage struct {
	Heading, Text string // instead of the posts
	Name          string // of the workspace
	LogoURL       string
	Look          string // address of the style sheet with the workspace's color; empty: none
	Author        string // who shares the posts
	Action        string // path of the page
	Locked        bool
	Personal      bool
	Inside        string // path of the page in the application, for a person
	Guest         string // the name that the guest gave
	Speaks        bool   // the guest may write or decide
	Fault         string
	Ends          time.Time
	City          string // of the time zone
	Posts         []sharedPost
}

// sharedPost is a post on the page.
type sharedPost struct {
	app.SharedPost

	Words        string
	Channel      channel.Channel
	Preview      template.HTML
	Status, Tone string
	Moved        bool
	Decides      bool
	Comments     bool
	Why          string // why the guest does not decide about a post that waits
	Talk         []remark
	Fault, Done  string
	Comment      string // as it was typed
}

// remark has the words of a guest.
type remark struct {
	By, Title, Text string
	At              time.Time
}

// refusal is a form about a post that was not done.
type refusal struct {
	id             string
	fault, comment string
}

// review shows the posts of a link. It changes nothing, so that programs which follow the links of a mail do no harm.
func (p *pages) review(v *frame.Visit) error {
	r, ok, err := p.open(v)
	if err != nil || !ok {
		return err
	}
	return p.reviewPage(v, http.StatusOK, r, refusal{}, "")
}

// open reads the link of the address. It responds unless the page may be shown, or its password asked for.
func (p *pages) open(v *frame.Visit) (r app.Reading, ok bool, err error) {
	h := v.Out.Header()
	h.Set("X-Robots-Tag", "noindex, nofollow")
	if !p.allowed(v, "review-from:"+v.Place(), viewsOfPlace) {
		return r, false, p.tooMany(v, app.Reading{})
	}
	r, err = p.app.OpenClientLink(v.Request.Context(), v.Request.PathValue("token"))
	if apperr.Is(err, apperr.NotFound) {
		return r, false, p.closed(v, http.StatusNotFound, r, "There is no such link", "Check the address, or ask for a new link.")
	}
	if err != nil {
		return r, false, err
	}
	v.InZone(r.Workspace)
	switch r.State {
	case clientlink.Revoked:
		return r, false, p.closed(v, http.StatusGone, r, "This link was revoked", "It no longer shows anything. Ask for a new link.")
	case clientlink.Expired:
		return r, false, p.closed(v, http.StatusGone, r, "This link has expired", "It no longer shows anything. Ask for a new link.")
	case clientlink.Open:
	}
	if !p.allowed(v, "review:"+r.Link.ID.String(), viewsOfLink) {
		return r, false, p.tooMany(v, r)
	}
	return r, true, nil
}

func (p *pages) allowed(v *frame.Visit, subject string, perMinute int) bool {
	return p.limiter.Take(v.Request.Context(), subject, ratelimit.Limit{PerMinute: perMinute, Burst: perMinute}).Allowed
}

func (p *pages) tooMany(v *frame.Visit, r app.Reading) error {
	v.Out.Header().Set("Retry-After", "60")
	return p.closed(v, http.StatusTooManyRequests, r, "Too many attempts", "Wait a minute, then try again.")
}

// closed responds with a page without posts.
func (p *pages) closed(v *frame.Visit, status int, r app.Reading, heading, text string) error {
	page := p.pageOf(v, r)
	page.Heading, page.Text = heading, text
	return show(v, status, heading, page)
}

// show responds with a page in the layout of clients.
func show(v *frame.Visit, status int, title string, page reviewPage) error {
	return v.Page(frame.Page{
		Name: "clients/review", Title: title, Status: status, Bare: true, Layout: "client", Data: page,
		Styles: []string{preview.Style, "review.css"},
	})
}

// pageOf returns what every page of a link has.
func (p *pages) pageOf(v *frame.Visit, r app.Reading) reviewPage {
	page := reviewPage{
		Name: r.Workspace.Name, LogoURL: r.LogoURL, Author: r.Author, Action: pathReview + v.Request.PathValue("token"),
		Personal: r.Link.Personal, Ends: r.Link.ExpiresAt, City: frame.City(r.Workspace.Timezone), Speaks: r.Link.Comments || r.Decides(),
	}
	if r.Workspace.Color != "" {
		page.Look = lookOf(r.Workspace.Color)
	}
	return page
}

// reviewPage responds with the posts, or with the form for the password.
func (p *pages) reviewPage(v *frame.Visit, status int, r app.Reading, refused refusal, fault string) error {
	page := p.pageOf(v, r)
	page.Fault = fault
	pass := p.passOf(v)
	if page.Guest = pass.name; r.Link.Personal {
		page.Guest, page.Inside = r.Author, "/w/"+r.Workspace.ID.String()+"/approvals"
	}
	if page.Locked = !r.Link.Admits(pass.proof); page.Locked {
		return show(v, status, r.Link.Name, page)
	}
	shared, err := p.app.SharedPosts(v.Request.Context(), r)
	if err != nil {
		return err
	}
	for _, one := range shared {
		drawn, err := p.draw(v, r, one)
		if err != nil {
			return err
		}
		if !one.Gone && one.ID.String() == refused.id {
			drawn.Fault, drawn.Comment = refused.fault, refused.comment
		}
		if !one.Gone && one.ID.String() == v.Query("post") {
			drawn.Done = done(v.Query("done"))
		}
		page.Posts = append(page.Posts, drawn)
	}
	title := cmp.Or(r.Link.Name, "Posts to approve")
	return show(v, status, title, page)
}

// done says what the last form did.
func done(of string) string {
	switch of {
	case "comment":
		return "Thank you. Your comment was sent."
	case "changes":
		return "Thank you. Your request for changes was sent."
	case "approve":
		return "Thank you. Your approval was sent."
	default:
		return ""
	}
}

// draw returns a post as the page shows it.
func (p *pages) draw(v *frame.Visit, r app.Reading, one app.SharedPost) (sharedPost, error) {
	out := sharedPost{SharedPost: one}
	if one.Gone {
		return out, nil
	}
	ctx, of := v.Request.Context(), one.Post
	var err error
	if out.Channel, err = p.app.Channel(ctx, r.By, of.ChannelID); err != nil {
		return out, err
	}
	media, err := p.app.PostMedia(ctx, r.By, of)
	if err != nil {
		return out, err
	}
	attached, err := p.app.Attachments(ctx, r.By, of.PartMedia())
	if err != nil {
		return out, err
	}
	shown := preview.Shown{Post: of, Channel: out.Channel, Media: media, PartMedia: attached, Zone: v.Zone()}
	if out.Preview, err = preview.OfPost(ctx, p.app, r.By, shown); err != nil {
		return out, err
	}
	pending := of.Status == post.PendingApproval
	out.Words, out.Comments = wordsOf(of), r.Link.Comments && of.Status != post.Archived
	out.Status, out.Tone = statusOf(of)
	planned := pending || of.Status == post.Draft || of.Status == post.Scheduled
	out.Moved = planned && !one.PlannedAt.IsZero() && !one.PlannedAt.Equal(of.ScheduledAt)
	if out.Decides = pending && r.Decides() && one.Mine; pending && r.Decides() && !out.Decides {
		out.Why = why(r, one)
	}
	for _, e := range one.Talk {
		out.Talk = append(out.Talk, remarkOf(e))
	}
	return out, nil
}

// why says why the approval of the reader would not count.
func why(r app.Reading, one app.SharedPost) string {
	switch {
	case one.AgreedBy(r.Link.CreatedBy):
		return "Approved. One more person of the team must approve it."
	case r.Link.Personal && slices.Contains(one.Writers, r.Link.CreatedBy):
		return "You wrote it or changed it last. Another person must approve it."
	default:
		return "Someone of the team must approve this post. You can comment on it."
	}
}

// statusOf says to people outside of the team what becomes of a post.
func statusOf(of post.Post) (text, tone string) {
	switch of.Status {
	case post.PendingApproval:
		return "Waits for approval", "warn"
	case post.Scheduled:
		return "Planned", "info"
	case post.Published:
		return "Published", "good"
	case post.Failed:
		return "Not published", "bad"
	case post.Archived:
		return "No longer planned", ""
	case post.Draft:
	}
	switch last := of.Approval; {
	case last != nil && last.Status == post.ApprovalApproved:
		return "Approved, without a time", "good"
	case last != nil && last.Status == post.ApprovalRejected:
		return "Changes requested", "warn"
	default:
		return "Draft", ""
	}
}

func remarkOf(e post.Entry) remark {
	out := remark{By: frame.Actor(e.Actor), At: e.At, Title: "Commented", Text: e.Detail}
	switch e.Kind { //nolint:exhaustive // the kinds of words
	case post.EntryApproved:
		out.Title, out.Text = "Approved", wordsAfter(e.Detail)
	case post.EntryRejected:
		out.Title, out.Text = "Asked for changes", wordsAfter(e.Detail)
	}
	return out
}

// back returns the address of the page after a form about a post.
func back(v *frame.Visit, did, id string) string {
	return pathReview + v.Request.PathValue("token") + "?" + url.Values{"done": {did}, "post": {id}}.Encode() + "#post-" + id
}
