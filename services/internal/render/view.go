package render

import (
	"cmp"
	"html/template"
	"net/url"
	"strings"
	"time"
	"unicode"

	"fencepost.internal/services/internal/marks"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/presentation"
)

// postsAge is the lifetime of a document that shows posts. Posts can change: they can be archived or get their address.
const postsAge = time.Minute

type pageView struct {
	Title, Bio string
	Initial    string // shown when there is no avatar
	Avatar     string
	Head       headView
	Style      template.CSS
	Script     template.JS
	Blocks     []blockView
	Data       any // structured data (JSON-LD)
	Preview    bool
}

type headView struct {
	Title, Description, URL, Image string
	NoIndex                        bool
	Light, Dark                    string
}

type blockView struct {
	id     ident.LinkBlock
	target string

	Type  linkpage.BlockType
	S     linkpage.Settings
	Mark  template.HTML // of the network to which the block leads; empty: it is none
	Href  template.URL  // address that counts a click; empty when the block has no link
	Image string
	// Loading says when the picture is loaded: the first one before all others, those below the first screen when the visitor
	// scrolls to them.
	Loading template.HTMLAttr
	Deep    bool // under a section: its headings are one level lower

	Label string
	Post  *postView
	Time  timeView // the time until which the block looks as it does now
	Ended bool     // that time has come
}

// firstScreen is the number of blocks that a phone shows without scrolling.
const firstScreen = 5

type timeView struct{ Machine, Human string }

type postView struct {
	Title, Text, Network, Name string
	Handle                     string             // of the account, as its network shows it; may be empty
	Lines                      []presentation.Run // of the text
	PictureFirst               bool               // the network shows the picture above the text
	Time                       timeView
}

// view returns the view of the page as of the given time, and the time until which it is valid.
func (r *Renderer) view(in Input, now time.Time) (pageView, time.Time) {
	content := in.Page.Content
	picture := func(id ident.Media, size string) string {
		if in.Preview != nil || !in.Pictures[id] {
			return in.Preview[id]
		}
		return "/i/" + in.Page.Handle + "/" + id.String() + size
	}
	light, dark := themeColors(content.Theme)
	v := pageView{
		Title: content.Title, Bio: content.Bio, Initial: initial(content.Title), Avatar: picture(content.Theme.Avatar, ""),
		Preview: in.Preview != nil,
		Style:   r.styleOf(content.Theme), Script: template.JS(r.script), //nolint:gosec // our own script
		Head: headView{
			Title: cmp.Or(content.SEO.Title, content.Title), Description: cmp.Or(content.SEO.Description, oneLine(content.Bio), content.Title),
			URL: r.address(in.Page), NoIndex: content.SEO.NoIndex, Light: light, Dark: dark,
		},
	}
	if image := cmp.Or(picture(content.SEO.Image, "/full"), picture(content.Theme.Avatar, "/full")); image != "" && !v.Preview {
		v.Head.Image = r.config.PagesURL + image
	}
	var until earliest
	if len(content.Posts()) > 0 {
		until.add(now.Add(postsAge), now)
	}
	deep, first := false, true
	for _, b := range content.Blocks {
		until.add(b.ShowFrom, now)
		until.add(b.ShowUntil, now)
		if !b.ShownAt(now) {
			continue
		}
		traits := b.Settings.Traits()
		block, shown := r.showBlock(b, in, now)
		if !shown {
			continue
		}
		until.add(traits.Until, now)
		deep = deep || traits.Heading
		block.Deep = deep
		image := traits.Asset
		if traits.Post != nil {
			image = cmp.Or(FirstPicture(in.Posts[*traits.Post]), image)
		}
		if !image.IsZero() {
			block.Image = picture(image, "")
			switch {
			case len(v.Blocks) >= firstScreen:
				block.Loading = `loading="lazy"`
			case first:
				block.Loading, first = `fetchpriority="high"`, false
			}
		}
		v.Blocks = append(v.Blocks, block)
	}
	v.Data = data(v)
	return v, until.at
}

// earliest is the first of the added times that lie in the future.
type earliest struct{ at time.Time }

func (e *earliest) add(t, now time.Time) {
	if t.After(now) && (e.at.IsZero() || t.Before(e.at)) {
		e.at = t
	}
}

// showBlock returns the view of a block, or false if the post that it shows is not published.
func (r *Renderer) showBlock(b linkpage.Block, in Input, now time.Time) (blockView, bool) {
	traits := b.Settings.Traits()
	v := blockView{
		id: b.ID, target: traits.Target, Type: b.Type(), S: b.Settings, Label: traits.Label,
		Time: moment(traits.Until, humanTime), Ended: !traits.Until.IsZero() && !now.Before(traits.Until),
	}
	if parsed, err := url.Parse(traits.Target); err == nil && traits.Target != "" {
		v.Mark = mark(channel.NetworkAt(parsed.Hostname()))
	}
	if traits.Post != nil {
		post, found := in.Posts[*traits.Post]
		if !found {
			return v, false
		}
		v.target, v.Post, v.Mark = r.webOnly(post.PostURL), showPost(post), mark(channel.Type(post.Channel).Network())
	}
	switch {
	case in.Preview != nil:
		v.Href = template.URL(v.target) //nolint:gosec // G203: addresses that the domain has checked
	case v.target != "":
		v.Href = template.URL("/l/" + b.ID.String()) //nolint:gosec // G203: an ID
	}
	return v, true
}

// address returns the address of a page: at its own domain if it has one.
func (r *Renderer) address(page postgres.LivePage) string {
	if page.Host != "" {
		return "https://" + page.Host + "/"
	}
	return r.config.PagesURL + "/" + page.Handle
}

func showPost(post postgres.ShownPost) *postView {
	on, kind := network(post.Channel), channel.Type(post.Channel).Network()
	v := &postView{
		Title: post.Title, Text: post.Content, Network: on, Name: account(post.Name, on), Lines: presentation.TextOf(kind, post.Content),
		Time: moment(post.PublishedAt, humanDate),
	}
	if handle := strings.TrimPrefix(post.Username, "@"); handle != "" && handle != v.Name {
		v.Handle = "@" + handle
	}
	_, v.PictureFirst = presentation.ProfileOf(kind)
	return v
}

// mark returns the mark of a network as inline SVG; empty if there is none.
func mark(network channel.Network) template.HTML {
	body := marks.Body(string(network))
	if body == "" {
		return ""
	}
	//nolint:gosec // G203: an embedded file
	return template.HTML(`<svg class="mark" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">` + body)
}

// FirstPicture returns the first asset of a post, or zero if the post has none.
func FirstPicture(p postgres.ShownPost) ident.Media {
	if len(p.MediaIDs) == 0 {
		return ident.Media{}
	}
	return p.MediaIDs[0]
}

// webOnly returns the address that a network gave to a post if it is a web address, or "". It accepts https, and http
// when the pages themselves are served over http, as in development.
func (r *Renderer) webOnly(address string) string {
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.User != nil {
		return ""
	}
	if parsed.Scheme == "https" || parsed.Scheme == "http" && strings.HasPrefix(r.config.PagesURL, "http://") {
		return address
	}
	return ""
}

// Date and time formats of a page. The script writes the same formats in the visitor's time zone.
const (
	humanDate = "2 January 2006"
	humanTime = humanDate + ", 15:04 MST"
)

// moment formats a time for machines and, in UTC, for people.
func moment(t time.Time, layout string) timeView {
	if t.IsZero() {
		return timeView{}
	}
	return timeView{Machine: t.UTC().Format(time.RFC3339), Human: t.UTC().Format(layout)}
}

// stars returns one element for each star of a full rating: whether it is filled.
func stars(rating int) []bool {
	all := make([]bool, linkpage.MaxRating)
	for i := range all {
		all[i] = i < rating
	}
	return all
}

func price(amount, currency string) string {
	if amount == "" {
		return ""
	}
	if sign, known := map[string]string{"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹"}[currency]; known {
		return sign + amount
	}
	return amount + "\u00a0" + currency
}

// account returns the name of a channel without the network's name, which the page adds.
func account(name, network string) string { return strings.TrimSuffix(name, " on "+network) }

// network returns the display name of the network of a channel type.
func network(channelType string) string {
	if name := channel.Type(channelType).Network().Name(); name != "" {
		return name
	}
	return "the network"
}

func initial(title string) string {
	for _, r := range title {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(unicode.ToUpper(r))
		}
	}
	return "•"
}

const maxDescription = 200

func oneLine(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= maxDescription {
		return string(runes)
	}
	return string(runes[:maxDescription-1]) + "…"
}
