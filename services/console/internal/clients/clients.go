// Package clients serves the links by which people without an account see posts: the pages on which a workspace makes them, and
// the page that they open.
package clients

import (
	"embed"
	"net/http"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/clientlink"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

type pages struct {
	app     *app.App
	limiter *ratelimit.Limiter
	appURL  string
}

// pathLinks is the page with the links of a workspace, within it.
const pathLinks = "/client-links"

// Feature returns the pages.
func Feature(a *app.App, limiter *ratelimit.Limiter, appURL string) frame.Feature {
	p := &pages{app: a, limiter: limiter, appURL: appURL}
	member := func(pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: credential.PostsPublish, Handle: handle}
	}
	outside := func(pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Outside, Handle: handle}
	}
	return frame.Feature{
		Name: "clients", Templates: templates,
		Tabs: []frame.Tab{{Title: "Client links", Path: pathLinks, Needs: credential.PostsPublish}},
		Routes: []frame.Route{
			member("GET /w/{workspace}/client-links", p.list),
			member("POST /w/{workspace}/client-links", p.create),
			member("GET /w/{workspace}/client-links/new", p.blank),
			member("POST /w/{workspace}/client-links/select", p.selected),
			member("POST /w/{workspace}/client-links/{link}/revoke", p.revoke),
			member("POST /w/{workspace}/client-links/{link}/posts/{post}/remove", p.remove),
			outside("GET "+pathReview+"{token}", p.review),
			outside("POST "+pathReview+"{token}/enter", p.enter),
			outside("POST "+pathReview+"{token}/posts/{post}", p.act),
			outside("GET "+pathLook+"{file}", look),
		},
	}
}

// row is a link in the list.
type row struct {
	clientlink.Link

	Maker       string
	State, Tone string
	Open        bool
	Allows      string
	Shown       []shown
}

// shown is a post of a link in the list.
type shown struct {
	ID    ident.Post
	Words string
	Gone  bool
}

// listPage is the data of the page with the links.
type listPage struct {
	Rows    []row
	Secret  string // address of the link that was made by this request
	Created string // its name
}

func (p *pages) list(v *frame.Visit) error { return p.listPage(v, http.StatusOK, listPage{}) }

func (p *pages) listPage(v *frame.Visit, status int, page listPage) error {
	ctx := v.Request.Context()
	links, err := p.app.ClientLinks(ctx, v.Principal)
	if err != nil {
		return err
	}
	members, err := p.app.Members(ctx, v.Principal)
	if err != nil {
		return err
	}
	makers := map[ident.User]string{}
	for _, m := range members {
		makers[m.UserID] = m.Name
	}
	var ids []ident.Post
	for _, l := range links {
		for _, s := range l.Posts {
			ids = append(ids, s.PostID)
		}
	}
	found, err := p.app.PostsNamed(ctx, v.Principal, ids)
	if err != nil {
		return err
	}
	for _, l := range links {
		page.Rows = append(page.Rows, rowOf(v, l, makers[l.CreatedBy], found))
	}
	return v.Page(frame.Page{Name: "clients/list", Title: "Client links", Status: status, Data: page})
}

func rowOf(v *frame.Visit, l clientlink.Link, maker string, found []post.Post) row {
	r := row{Link: l, Maker: maker, Allows: allows(l)}
	switch l.State(v.Now()) {
	case clientlink.Open:
		r.State, r.Tone, r.Open = "Open", "good", true
	case clientlink.Expired:
		r.State, r.Tone = "Expired", "warn"
	case clientlink.Revoked:
		r.State = "Revoked"
	}
	for _, s := range l.Posts {
		at := slices.IndexFunc(found, func(one post.Post) bool { return one.ID == s.PostID })
		if at < 0 {
			r.Shown = append(r.Shown, shown{ID: s.PostID, Words: "A deleted post", Gone: true})
			continue
		}
		r.Shown = append(r.Shown, shown{ID: s.PostID, Words: wordsOf(found[at])})
	}
	return r
}

// allows says what the guests of a link may do.
func allows(l clientlink.Link) string {
	switch {
	case l.Decides:
		return "comment and decide"
	case l.Comments:
		return "comment"
	default:
		return "read"
	}
}

func wordsOf(of post.Post) string {
	const most = 80
	return poststate.Clipped(poststate.Words(of), most)
}

// choice is a post in the form of a new link.
type choice struct {
	post.Post

	Words   string
	Channel channel.Channel
	// Own posts cannot be approved by the link of their author.
	Own bool
}

// newPage is the data of the form.
type newPage struct {
	Posts                 []choice
	Name, Allows, Expires string
	Asks                  bool
	Drafts                int
	Faults                map[string]string
	Lives                 []string
}

// lives are the lifetimes that the form offers, in days.
func lives() map[string]int {
	return map[string]int{"1 week": 7, "2 weeks": 14, "1 month": 30, "3 months": 90}
}

// idsOf reads the posts of boxes and addresses: each value has ids with commas between them, or an id and what was seen.
func idsOf(values []string) (ids []ident.Post) {
	for _, value := range values {
		for text := range strings.SplitSeq(value, ",") {
			text, _, _ = strings.Cut(text, " ")
			if id, err := ident.Parse[ident.Post](text); err == nil && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// selected leads from the boxes of a page to the form of a new link.
func (p *pages) selected(v *frame.Visit) error {
	ids := idsOf(v.Fields()["post"])
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	switch {
	case len(ids) == 0:
		return v.Done(v.Path("/posts"), "Select the posts to share first.")
	case len(ids) > clientlink.MaxPosts:
		return v.Done(v.Path("/posts"), "A link has up to 50 posts. Select fewer.")
	}
	v.Redirect(v.Path(pathLinks + "/new?post=" + strings.Join(texts, ",")))
	return nil
}

func (p *pages) blank(v *frame.Visit) error {
	return p.newPage(v, http.StatusOK, idsOf(v.Request.URL.Query()["post"]), newPage{Allows: "decide", Expires: "2 weeks", Asks: true})
}

func (p *pages) newPage(v *frame.Visit, status int, ids []ident.Post, page newPage) error {
	ctx := v.Request.Context()
	found, err := p.app.PostsNamed(ctx, v.Principal, ids)
	if err != nil {
		return err
	}
	channels, err := p.app.Channels(ctx, v.Principal)
	if err != nil {
		return err
	}
	byID := channel.ByID(channels)
	for _, one := range found {
		strict := one.Policy == approval.Required || one.Policy == approval.TwoStep
		page.Posts = append(page.Posts, choice{
			Post: one, Words: wordsOf(one), Channel: byID[one.ChannelID], Own: strict && slices.Contains(one.Writers, v.User.ID),
		})
		if one.Status == post.Draft {
			page.Drafts++
		}
	}
	page.Lives = []string{"1 week", "2 weeks", "1 month", "3 months"}
	return v.Page(frame.Page{Name: "clients/new", Title: "Share with a client", Status: status, Data: page})
}

func (p *pages) create(v *frame.Visit) error {
	ctx, ids := v.Request.Context(), idsOf(v.Fields()["post"])
	page := newPage{Name: v.Form("name"), Allows: v.Form("allows"), Expires: v.Form("expires"), Asks: v.Form("ask") != ""}
	in := app.NewClientLink{Posts: ids, Password: v.Request.PostFormValue("password"), Link: clientlink.Link{
		Name: page.Name, Comments: page.Allows != "read", Decides: page.Allows == "decide",
	}}
	if days := lives()[page.Expires]; days > 0 {
		in.ExpiresAt = v.Now().UTC().Truncate(time.Millisecond).AddDate(0, 0, days)
	}
	secret, err := p.app.MakeClientLink(ctx, v.Principal, in)
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		return p.newPage(v, http.StatusUnprocessableEntity, ids, page)
	}
	if err != nil {
		return err
	}
	if in.Decides && page.Asks {
		if err := p.ask(v, ids); err != nil {
			return err
		}
	}
	return p.listPage(v, http.StatusCreated, listPage{Secret: p.appURL + pathReview + secret, Created: page.Name})
}

// ask sends the drafts among the posts for approval. Those that cannot be sent yet stay drafts, as their pages say.
func (p *pages) ask(v *frame.Visit, ids []ident.Post) error {
	found, err := p.app.PostsNamed(v.Request.Context(), v.Principal, ids)
	if err != nil {
		return err
	}
	for _, one := range found {
		if one.Status != post.Draft {
			continue
		}
		_, err := p.app.RequestApproval(v.Request.Context(), v.Principal, one.ID)
		if code := apperr.CodeOf(err); err != nil && (code == apperr.Internal || code == apperr.Unavailable) {
			return err
		}
	}
	return nil
}

func (p *pages) revoke(v *frame.Visit) error {
	id, err := frame.PathID(v, "link", ident.Parse[ident.ClientLink])
	if err != nil {
		return err
	}
	if err := p.app.RevokeClientLink(v.Request.Context(), v.Principal, id); err != nil {
		return err
	}
	return v.Done(v.Path(pathLinks), "Link revoked.")
}

func (p *pages) remove(v *frame.Visit) error {
	id, err := frame.PathID(v, "link", ident.Parse[ident.ClientLink])
	if err != nil {
		return err
	}
	of, err := frame.PathID(v, "post", ident.Parse[ident.Post])
	if err != nil {
		return err
	}
	if err := p.app.RemoveFromClientLink(v.Request.Context(), v.Principal, id, of); err != nil {
		return err
	}
	return v.Done(v.Path(pathLinks), "Post removed from the link.")
}
