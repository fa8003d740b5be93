package posts

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/console/internal/preview"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// Approvals returns the pages on which people approve posts.
func Approvals(a *app.App, live *app.Live) frame.Feature {
	p := &posts{app: a, live: live}
	member := func(pattern string, needs credential.Permission, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	return frame.Feature{
		Name: "approvals", Templates: templates, Functions: template.FuncMap{"sprite": poststate.Sprite, "units": units, "span": span},
		Section: &frame.Section{
			Title: "Approvals", Path: pathApprovals, Icon: "shield-check", Key: "v", Group: "Publish",
			Counts: func(waiting postgres.Attention, p app.Principal) []frame.Count {
				if !p.Allows(credential.PostsApprove) {
					return nil
				}
				return []frame.Count{{N: waiting.Pending, Tone: "person", What: "to approve"}}
			},
		},
		Routes: []frame.Route{
			member("GET /w/{workspace}/approvals", "", p.approvals),
			member("POST /w/{workspace}/approvals/decide", credential.PostsApprove, p.decide),
		},
	}
}

const pathApprovals = "/approvals"

// mostReviews is the number of posts that the page lists.
const mostReviews = 100

// reviewRow is a post in the list.
type reviewRow struct {
	item
	app.Review

	Picture string
	Asker   string
	Passed  bool // its time
	Here    bool
	Href    string
}

// Value returns the value of the row's box: the post, and the content that the person sees.
func (r reviewRow) Value() string { return r.ID.String() + " " + r.ContentHash() }

// approvalsPage is the data of the page.
type approvalsPage struct {
	Tab     string
	Filters []filter
	Rows    []reviewRow
	Open    *reviewed
	Reading bool // a post was chosen: phones show only it
	Fault   string
	Comment string
	Day     string
	Clock   string
	Blank   blank
	Members []string // names
}

// reviewed is the post that the page shows.
type reviewed struct {
	reviewRow

	Preview  template.HTML
	Before   *postgres.Approved // nil: no version was approved before
	Old, New version
	Changes  []changed
	Talk     []remark
	Given    []post.Consent
	Why      string // why the visitor does not decide; empty: the visitor does
	Asks     bool   // for a time
}

// remark has the words of a person about the post.
type remark struct {
	entry

	Pieces []piece
}

// tabs returns the parts of the page.
func (p *posts) reviewTabs(v *frame.Visit, current string) []filter {
	list := []filter{
		{Text: "For me", Href: v.Path(pathApprovals), Count: frame.Count{N: v.Attention().Pending, Tone: "person", What: "to approve"}},
		{Text: "Asked by me", Href: v.Path(pathApprovals + "?tab=asked")},
		{Text: "Decided", Href: v.Path(pathApprovals + "?tab=decided")},
	}
	if !v.Principal.Allows(credential.PostsApprove) {
		list[0].Count = frame.Count{}
	}
	for i, tab := range []string{"", "asked", "decided"} {
		list[i].Current = tab == current
	}
	return list
}

func (p *posts) approvals(v *frame.Visit) error {
	return p.approvalsPage(v, http.StatusOK, v.Query("post"), approvalsPage{Tab: v.Query("tab")})
}

// approvalsPage shows the page with the chosen post, or the first one.
func (p *posts) approvalsPage(v *frame.Visit, status int, chosen string, page approvalsPage) error {
	if page.Tab != "asked" && page.Tab != "decided" {
		page.Tab = ""
	}
	page.Filters, page.Reading = p.reviewTabs(v, page.Tab), chosen != ""
	found, err := p.reviewsOf(v, page.Tab)
	if err != nil {
		return err
	}
	if page.Rows, err = p.reviewRows(v, found, page.Tab); err != nil {
		return err
	}
	at := slices.IndexFunc(page.Rows, func(r reviewRow) bool { return r.ID.String() == chosen })
	if at < 0 && len(page.Rows) > 0 {
		at, page.Reading = 0, false
	}
	if at >= 0 {
		page.Rows[at].Here = true
		if page.Members, err = p.names(v); err != nil {
			return err
		}
		if page.Open, err = p.reviewed(v, page.Rows[at]); err != nil {
			return err
		}
	} else {
		page.Blank = blank{Icon: "shield-check", Title: "All done", Text: map[string]string{
			"": "Nothing waits for your approval.", "asked": "Nothing that you sent for approval waits.", "decided": "Nothing was decided yet.",
		}[page.Tab]}
	}
	return v.Page(frame.Page{
		Name: "approvals/approvals", Title: "Approvals", Status: status, Wide: true, Data: page, Scripts: []string{"posts.js", "mention.js"},
		Styles: append(styles(), "approvals.css", "insert.css", preview.Style),
	})
}

// reviewsOf returns the posts of a tab.
func (p *posts) reviewsOf(v *frame.Visit, tab string) ([]app.Review, error) {
	ctx := v.Request.Context()
	var found []post.Post
	var err error
	if tab == "decided" {
		found, err = p.app.DecidedPosts(ctx, v.Principal, mostReviews)
	} else {
		found, err = p.app.Posts(ctx, v.Principal, postgres.PostFilter{
			Statuses: []post.Status{post.PendingApproval}, Sort: post.EarliestFirst, Limit: mostReviews,
		})
	}
	if err != nil {
		return nil, err
	}
	reviews, err := p.app.Reviews(ctx, v.Principal, found)
	return slices.DeleteFunc(reviews, func(r app.Review) bool {
		mine := r.AuthorID == v.User.ID || r.RequestedBy == v.Principal.Actor()
		return tab == "" && !r.Mine || tab == "asked" && !mine
	}), err
}

func (p *posts) reviewRows(v *frame.Visit, reviews []app.Review, tab string) ([]reviewRow, error) {
	channels, err := p.app.Channels(v.Request.Context(), v.Principal)
	if err != nil {
		return nil, err
	}
	found, first := make([]post.Post, len(reviews)), []ident.Media(nil)
	for i, r := range reviews {
		if found[i] = r.Post; len(r.MediaIDs) > 0 {
			first = append(first, r.MediaIDs[0])
		}
	}
	items, err := p.items(v, found, channels)
	if err != nil {
		return nil, err
	}
	shots, err := p.app.Thumbnails(v.Request.Context(), v.Principal, first)
	if err != nil {
		return nil, err
	}
	rows := make([]reviewRow, len(reviews))
	for i, r := range reviews {
		query := url.Values{"post": {r.ID.String()}}
		if tab != "" {
			query.Set("tab", tab)
		}
		rows[i] = reviewRow{
			item: items[i], Review: r, Asker: cmp.Or(frame.Actor(r.RequestedBy), "The service"),
			Passed: r.Status == post.PendingApproval && !r.ScheduledAt.IsZero() && !r.ScheduledAt.After(v.Now()),
			Href:   v.Path(pathApprovals + "?" + query.Encode()),
		}
		if len(r.MediaIDs) > 0 {
			rows[i].Picture = shots[r.MediaIDs[0]]
		}
	}
	return rows, nil
}

// reviewed reads what people need to decide about a post.
func (p *posts) reviewed(v *frame.Visit, row reviewRow) (*reviewed, error) {
	ctx, of := v.Request.Context(), row.Review.Post
	out := &reviewed{reviewRow: row, Given: of.Valid(), Why: p.whyNot(v, row), Asks: of.ScheduledAt.IsZero() || row.Passed}
	show := showPage{item: row.item}
	var err error
	if show.Media, err = p.app.PostMedia(ctx, v.Principal, of); err != nil {
		return nil, err
	}
	if out.Preview, err = p.preview(v, show); err != nil {
		return nil, err
	}
	before, err := p.app.ApprovedBefore(ctx, of)
	if err != nil {
		return nil, err
	}
	if !before.At.IsZero() && of.Status == post.PendingApproval {
		out.Before = &before
		old, err := p.app.PostMedia(ctx, v.Principal, post.Post{MediaIDs: before.MediaIDs})
		if err != nil {
			return nil, err
		}
		out.Old.Text, out.New.Text = compared(before.Content, of.Content)
		out.Old.Title, out.New.Title = compared(before.Title, of.Title)
		out.Old.Pictures, out.New.Pictures = marked(old, of.MediaIDs, "removed"), marked(show.Media, before.MediaIDs, "new")
		out.Changes = changes(before, of, show.Media)
	}
	out.Talk, err = p.talk(v, row)
	return out, err
}

// talk returns what people said about the post, the oldest first.
func (p *posts) talk(v *frame.Visit, row reviewRow) (talk []remark, err error) {
	timeline, err := p.app.Timeline(v.Request.Context(), v.Principal, row.ID)
	if err != nil {
		return nil, err
	}
	names, err := p.names(v)
	if err != nil {
		return nil, err
	}
	for _, e := range timeline {
		switch line := entryOf(e, ""); e.Kind { //nolint:exhaustive // the others are no words of people
		case post.EntryCommented, post.EntryApproved, post.EntryRejected:
			talk = append(talk, remark{line, mentions(line.Quote, names)})
		}
	}
	return talk, nil
}

// names returns the names of the members.
func (p *posts) names(v *frame.Visit) (names []string, err error) {
	members, err := p.app.Members(v.Request.Context(), v.Principal)
	for _, m := range members {
		names = append(names, m.Name)
	}
	return names, err
}

// whyNot returns why the visitor cannot decide about a post; empty if the visitor can.
func (p *posts) whyNot(v *frame.Visit, row reviewRow) string {
	switch {
	case row.Status != post.PendingApproval:
		return row.Sign.Text + "."
	case !v.Principal.Allows(credential.PostsApprove):
		return "Your role doesn’t allow you to approve posts."
	case row.Mine:
		return ""
	case row.AgreedBy(v.User.ID):
		return "You approved it. It waits for one more person."
	default:
		return "You wrote it or changed it last. Another person must approve it."
	}
}
