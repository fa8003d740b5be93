package presentation

import (
	"fmt"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
	"fencepost.internal/shared/platform/rules/textlen"
)

// Of returns how the network of the channel type shows the content, whether or not it accepts it. It returns false for a
// type that cannot be published to.
func Of(table rules.Table, kind channel.Type, content platform.Content) (View, bool) {
	chosen, known := table.Choose(kind, content)
	style, styled := styleOf(kind.Network())
	if !known || !styled {
		return View{}, false
	}
	content.Media = chosen.Media
	b := builder{chosen: chosen, style: style, content: content}
	b.look = b.choose()
	b.view = View{Network: kind.Network(), Frame: b.look.Frame, Safe: b.look.Safe}
	b.view.Tiles, b.view.Layout = b.tiles()
	b.text()
	b.title()
	b.view.Card = b.card()
	b.options()
	b.view.Grid = b.grid()
	b.view.Name = b.name()
	b.view.Notes = b.notes()
	return b.view, true
}

// ProfileOf returns the grid of profiles on a network. It returns false for a network without one.
func ProfileOf(network channel.Network) (Profile, bool) {
	style, styled := styleOf(network)
	if !styled || style.Profile == nil {
		return Profile{}, false
	}
	return *style.Profile, true
}

// builder makes a View.
type builder struct {
	chosen  rules.Chosen
	style   Style
	look    Look
	content platform.Content
	view    View
}

// choose returns the look of the post.
func (b *builder) choose() Look {
	kind := b.content.ContentType
	video, alone := b.alone()
	switch reel := b.style.Reel; {
	case kind == post.ContentStory && b.style.Story != nil:
		return *b.style.Story
	case reel == nil:
	case b.style.Upright.ByFile && alone && !video.Probe.IsZero():
		if b.style.Upright.takes(video) {
			return *reel
		}
	case kind == post.ContentReel || alone && b.style.Upright.takes(video):
		return *reel
	}
	return b.style.Post
}

// alone returns the only attachment that is no cover, if it is a video.
func (b *builder) alone() (media.Asset, bool) {
	rest := slices.DeleteFunc(slices.Clone(b.content.Media), func(asset media.Asset) bool {
		return asset.Type == b.chosen.Form.Media.Cover.Type
	})
	if len(rest) != 1 || rest[0].Type != media.Video {
		return media.Asset{}, false
	}
	return rest[0], true
}

// takes reports whether the network shows a video as a reel.
func (u Upright) takes(video media.Asset) bool {
	size := ratioOf(video.Probe)
	return u.Widest != rules.Ratio{} && !wider(size, u.Widest) && (size != rules.Ratio{} || wider(u.Widest, wide)) &&
		(u.Longest == 0 || video.Probe.Duration <= u.Longest)
}

// text sets the text, with its cut and its excess.
func (b *builder) text() {
	text, rule := b.content.Text, b.chosen.Form.Text
	if rule.Dropped || strings.TrimSpace(text) == "" {
		return
	}
	found := b.style.Marks.find(text)
	whole := b.style.Marks.whole(found)
	shown, fits := 0, len(text)
	if !b.look.Closed {
		shown = b.look.Text.end(text, rule, b.chosen.Limit, whole)
	}
	if length := rule.Count.Length(text); length > b.chosen.Limit && !rule.Unsure {
		fits = fitting(text, b.chosen.Limit, rule.Count, whole)
		b.view.Over = length - b.chosen.Limit
	}
	b.view.Text = runs(text, found, shown, fits)
	if shown < len(text) && !b.look.Closed {
		b.view.More = b.look.More
	}
}

// title sets the title. Titles of documents and of cards are shown there.
func (b *builder) title() {
	title, rule := b.content.Title, b.chosen.Form.Title
	document := b.view.Layout == Pages
	if strings.TrimSpace(title) == "" || rule.Card || rule.Use == rules.Ignored || !b.look.Titled && !document {
		return
	}
	fits := len(title)
	if rule.Max > 0 && !rule.Unsure {
		fits = fitting(title, rule.Max, rule.Count, nil)
	}
	b.view.Title = runs(title, nil, b.look.Title.end(title, rules.Text{}, 0, nil), fits)
}

// options sets what the options of the network show.
func (b *builder) options() {
	o := b.content.Options
	isTrue := func(flag *bool) bool { return flag != nil && *flag }
	switch {
	case isTrue(o.UploadToDraft):
		b.view.Audience = "a draft in the creator's inbox"
	case isTrue(o.BrandContent):
		b.view.Label = "Paid partnership"
	case isTrue(o.BrandOrganic):
		b.view.Label = "Promotional content"
	}
	if !isTrue(o.UploadToDraft) {
		b.view.Audience = Audience(o.Visibility + o.Privacy)
	}
	if b.view.Frame == Pin && o.Link != "" {
		b.view.Site = domainOf(o.Link)
	}
	b.view.Button, b.view.Poll, b.view.Warning = Button(o.CallToAction), o.PollOptions, o.ContentWarning
	if o.EventTitle != "" || o.EventStart != "" {
		event := &Event{Title: o.EventTitle, Coupon: o.CouponCode, Offer: o.TopicType == "OFFER"}
		event.Start, event.Timed, _ = rules.ParseLocalTime(o.EventStart)
		event.End, event.EndTimed, _ = rules.ParseLocalTime(o.EventEnd)
		b.view.Event = event
	}
}

// grid reports whether the post is in the grid of the account's profile. A post without a picture and a story are not.
func (b *builder) grid() bool {
	o := b.content.Options
	hidden := o.ShareToFeed != nil && !*o.ShareToFeed && b.view.Frame == Tall || o.UploadToDraft != nil && *o.UploadToDraft
	return b.style.Profile != nil && b.view.Frame != Story && len(b.view.Tiles) > 0 && !hidden
}

// name returns the name of the kind of post.
func (b *builder) name() string {
	name, kind := b.chosen.Row.Name, b.look.Name
	switch {
	case b.view.Card != nil:
		kind = b.style.Card.Name
	case kind != "":
	case b.view.Layout == Pages:
		kind = "document"
	case b.view.Layout == Carousel && len(b.view.Tiles) > 1:
		kind = "carousel"
	case len(b.view.Tiles) == 1 && b.view.Tiles[0].Type == media.Video:
		kind = "video"
	}
	return strings.TrimSpace(name + " " + kind)
}

// notes returns what people should know about the look.
func (b *builder) notes() []string {
	var notes []string
	if b.view.Over > 0 {
		notes = append(notes, fmt.Sprintf("%s %s too many: the marked part does not fit.", thousands(b.view.Over),
			plural(b.chosen.Form.Text.Count.Unit, b.view.Over)))
	}
	notes = append(notes, b.lengths())
	notes = append(notes, b.look.Facts...)
	if !b.chosen.Form.Text.Dropped {
		notes = append(notes, b.style.Facts...)
	}
	if b.view.Card == nil && b.style.Card.When != Never && len(textlen.Hosts(b.content.Text)) > 0 {
		notes = append(notes, b.style.Card.Fact)
	}
	if slices.ContainsFunc(b.view.Tiles, func(t Tile) bool { return t.Cropped && t.InRow == 0 }) {
		notes = append(notes, "A picture is cropped to its middle.")
	}
	return slices.DeleteFunc(notes, func(note string) bool { return note == "" })
}

// lengths says how much of a text is shown.
func (b *builder) lengths() string {
	rule, cut := b.chosen.Form.Text, b.look.Text
	switch {
	case rule.Dropped:
		return "The text is not shown."
	case b.look.Closed:
		return ""
	case cut.Usual && b.chosen.Limit > rule.Max:
		return fmt.Sprintf("%s %s before “%s”.", thousands(rule.Max), plural(rule.Count.Unit, rule.Max), b.look.More)
	case cut.Lines > 1:
		return fmt.Sprintf("About %s characters or %d lines before “%s”.", thousands(cut.At), cut.Lines, b.look.More)
	case cut.Lines == 1:
		return fmt.Sprintf("One line, about %s characters, before “%s”.", thousands(cut.At), b.look.More)
	case cut.At > 0:
		return fmt.Sprintf("About %s characters before “%s”.", thousands(cut.At), b.look.More)
	case rule.Max > 0:
		return strings.TrimSpace(fmt.Sprintf("%s %s, all shown. %s", thousands(b.chosen.Limit),
			plural(rule.Count.Unit, b.chosen.Limit), rule.Count.Hint))
	default:
		return ""
	}
}
