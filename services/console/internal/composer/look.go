package composer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/campaign"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/rules"
)

// look is a draft as the page shows it.
type look struct {
	draft    draft
	existing existing

	Marks    []mark
	Tightest counter // of the channels with the common text
	Follow   int     // channels with the common text
	Others   string  // names of those with a text of their own
	Picked   int
	Findings []finding
	Stops    int
	Cares    int
	Ready    []string // IDs of the channels without a fault
	Timing   timing
	cost     rules.Cost // of all posts together
	payee    string     // the network that charges it
	May      bool       // the person may publish without asking others
	Missing  int        // people who must approve first
	Assets   []app.DeliveredAsset
	Covers   map[ident.Channel]app.DeliveredAsset // of the posts that have one
	Titled   bool                                 // a network shows the title
	Threads  []thread                             // the common one first
	// PartAssets are the attachments of the parts of threads.
	PartAssets []app.DeliveredAsset
	Previews   []template.HTML
	// Campaigns are those of the workspace.
	Campaigns []campaign.Campaign
}

// Draft returns what was written.
func (l *look) Draft() draft { return l.draft }

// Alt returns the alternative text of an attachment in this post.
func (l *look) Alt(of app.DeliveredAsset) string {
	if text, changed := l.draft.Alt[of.ID.String()]; changed {
		return text
	}
	return of.AltText
}

// Origin returns the field that names the posts that the draft changes; empty for new ones.
func (l *look) Origin() (string, error) {
	if l.draft.Origin == nil {
		return "", nil
	}
	text, err := json.Marshal(l.draft.Origin)
	return string(text), err
}

// Closed returns the posts that cannot be changed.
func (l *look) Closed() []closed { return l.existing.closed }

// Orphaned reports whether none of the posts can be changed any more.
func (l *look) Orphaned() bool { return l.draft.Origin != nil && len(l.existing.posts) == 0 }

// Cost says what the networks charge for all posts together; empty: nothing.
func (l *look) Cost() string {
	if l.cost.Thousandths == 0 {
		return ""
	}
	whole, rest := l.cost.Thousandths/1000, l.cost.Thousandths%1000 //nolint:mnd // thousandths
	amount := fmt.Sprintf("%s %d.%s", l.cost.Currency, whole, strings.TrimSuffix(fmt.Sprintf("%03d", rest), "0"))
	return l.payee + " charges " + strings.Replace(amount, "USD ", "$", 1)
}

// Kinds are the kinds of posts, with their words.
func (l *look) Kinds() [][2]string {
	return [][2]string{{"POST", "Post"}, {"REEL", "Reel or Short"}, {"STORY", "Story"}, {"VIDEO", "Video"}}
}

// All returns the channels, for the sprite of marks.
func (l *look) All() []channel.Channel {
	all := make([]channel.Channel, len(l.Marks))
	for i, m := range l.Marks {
		all[i] = m.Channel
	}
	return all
}

// mark is a channel in the list.
type mark struct {
	channel.Channel

	Avatar   string
	Picked   bool
	Differs  bool // has a text or files of its own
	OwnText  bool
	Files    []ident.Media // its own ones; none: all
	Text     string
	Title    string
	OwnTitle bool
	Titled   bool // the network shows the title
	OwnKind  post.ContentType
	Closed   bool   // its post cannot be changed
	Sub      string // its time, or why it has none
	At       time.Time
	Cover    ident.Media // chosen; zero: none
	Options  optional
	Counter  counter
	Stops    int
	Cares    int
}

// counter is the length of a text as a network counts it.
type counter struct {
	Shown bool
	Class string // near, over or empty
	Text  string
	Words string // for those who do not see the ring
	Dash  int    // percent
	Fits  int    // UTF-16 units of the text that fit, as scripts count; negative: all
	Of    string // name of the network
	full  float64
}

// over is the class of the counter of a text that is too long.
const over = "over"

// counterOf returns the counter of a text on a channel.
func counterOf(of channel.Channel, text string, l rules.TextLength) counter {
	if l.Max == 0 {
		return counter{Fits: -1}
	}
	c := counter{
		Shown: true, Text: strconv.Itoa(l.Used), Words: fmt.Sprintf(" of %d %ss", l.Max, l.Unit), Fits: -1, Of: of.Type.Network().Name(),
		full: float64(l.Used) / float64(l.Max),
	}
	c.Dash = min(100, int(c.full*100)) //nolint:mnd // percent
	switch {
	case l.Over() > 0:
		c.Class, c.Text = over, fmt.Sprintf("−%d", l.Over())
		c.Words = fmt.Sprintf(" %ss too many of %d", l.Unit, l.Max)
		lead := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace)) // posts have no space around their texts
		c.Fits = len(utf16.Encode([]rune(text[:lead+l.Fits])))
	case c.full >= 0.9: //nolint:mnd // the last tenth
		c.Class = "near"
	}
	return c
}

// examine reads what a draft would become.
func (c *composer) examine(v *frame.Visit, d draft, on desk) (look, error) {
	ctx := v.Request.Context()
	l := look{draft: d, existing: on.existing}
	var err error
	if l.Missing, err = c.app.Missing(ctx, v.Principal, v.Workspace.Approval); err != nil {
		return l, err
	}
	if l.May = v.Principal.Allows(credential.PostsPublish) && l.Missing == 0; !l.May {
		l.draft = d.asking()
	}
	avatars, err := c.app.Avatars(ctx, v.Principal)
	if err != nil {
		return l, err
	}
	if l.Assets, err = c.app.Attachments(ctx, v.Principal, d.Media); err != nil {
		return l, err
	}
	l.draft.Media = nil
	for _, asset := range l.Assets { // what was deleted meanwhile is left out
		l.draft.Media = append(l.draft.Media, asset.ID)
	}
	if err := c.readPartMedia(ctx, v.Principal, &l); err != nil {
		return l, err
	}
	if err := c.readCovers(ctx, v.Principal, &l, on.channels); err != nil {
		return l, err
	}
	if l.Campaigns, err = c.app.Campaigns(ctx, v.Principal); err != nil {
		return l, err
	}
	if !slices.ContainsFunc(l.Campaigns, func(one campaign.Campaign) bool { return one.ID == l.draft.Campaign }) {
		l.draft.Campaign = ident.Campaign{} // it was deleted
	}
	l.Timing = l.draft.timing(v)
	found, err := c.found(ctx, v, l)
	if err != nil {
		return l, err
	}
	for _, one := range on.channels {
		m := l.mark(one)
		m.Avatar = avatars[one.ID]
		if m.Picked {
			c.describe(v, &l, &m, found[one.ID.String()])
		}
		if m.Options, err = c.optional(one, d); err != nil {
			return l, err
		}
		if _, covered := l.Covers[one.ID]; covered {
			m.Options.Summary = strings.TrimPrefix(m.Options.Summary+", own cover", ", ")
		}
		l.Marks = append(l.Marks, m)
	}
	l.sum()
	c.threads(&l, cmp.Or(v.Form("target"), common))
	return l, c.previews(v, &l, found)
}

// mark returns a channel with what was written for it.
func (l *look) mark(of channel.Channel) mark {
	d, id := l.draft, of.ID.String()
	own := d.Own[id]
	m := mark{
		Channel: of, Picked: d.picked(of.ID), Text: d.textOf(id), OwnText: own.Text != nil, Title: d.Title, OwnTitle: own.Title != nil,
		Cover: d.Covers[id], Files: own.Media, Differs: !own.empty(), OwnKind: own.Kind, Counter: counter{Fits: -1},
		Sub: "not picked", Closed: l.existing.closedTo(of.ID),
	}
	if m.OwnTitle {
		m.Title = *own.Title
	}
	return m
}

// found returns the findings about the posts, by the IDs of their channels.
func (c *composer) found(ctx context.Context, v *frame.Visit, l look) (map[string]app.Forecast, error) {
	if len(l.draft.Channels) == 0 {
		return nil, nil
	}
	results, err := c.app.Preview(ctx, v.Principal, l.request(l.draft.Channels))
	if err != nil {
		return nil, err
	}
	found := make(map[string]app.Forecast, len(results))
	for _, one := range results {
		found[one.Channel.ID.String()] = one
	}
	return found, nil
}

// describe completes a picked channel by what is found about its post.
func (c *composer) describe(v *frame.Visit, l *look, m *mark, found app.Forecast) {
	m.At, m.Titled = found.At, found.Titled
	existing, exists := l.existing.of(m.ID)
	planned := exists && l.draft.When == asPlanned
	if planned {
		m.At = existing.ScheduledAt
	}
	l.Titled = l.Titled || found.Titled
	if found.Cost.Thousandths > 0 && l.Plans() {
		l.cost.Thousandths, l.cost.Currency = l.cost.Thousandths+found.Cost.Thousandths, found.Cost.Currency
		l.payee = m.Type.Network().Name()
	}
	m.Counter = counterOf(m.Channel, m.Text, found.Length)
	for _, one := range c.findings(v, l, *m, found) {
		if one.Stop {
			m.Stops++
		} else {
			m.Cares++
		}
		l.Findings = append(l.Findings, one)
	}
	if _, labels := l.draft.labels(); m.Stops == 0 && len(labels) == 0 {
		l.Ready = append(l.Ready, m.ID.String())
	}
	switch {
	case !m.Ready():
		m.Sub = "reconnect it"
	case m.Paused():
		m.Sub = "paused"
	case l.draft.When == atOnce:
		m.Sub = "now"
	case !m.At.IsZero():
		m.Sub = m.At.In(v.Zone()).Format("Mon 15:04")
		if far := m.At.Sub(v.Now()); far > 6*24*time.Hour || far < 0 {
			m.Sub = m.At.In(v.Zone()).Format("2 Jan 15:04")
		}
	case planned:
		m.Sub = frame.Words(existing.Status)
	case l.draft.When == asDraft:
		m.Sub = "draft"
	case l.draft.When == approval:
		m.Sub = "for approval"
	default:
		m.Sub = m.Type.Name()
	}
}

// sum counts what the channels have together.
func (l *look) sum() {
	l.Tightest.Fits = -1
	var others []string
	for _, m := range l.Marks {
		if !m.Picked {
			continue
		}
		l.Picked++
		if m.OwnText {
			others = append(others, m.Name)
			continue
		}
		l.Follow++
		if m.Counter.Shown && (!l.Tightest.Shown || m.Counter.full > l.Tightest.full) {
			l.Tightest = m.Counter
		}
	}
	switch n := len(others); {
	case n == 1:
		l.Others = others[0] + " has its own"
	case n > 1:
		l.Others = strings.Join(others[:n-1], ", ") + " and " + others[n-1] + " have their own"
	}
	_, labels := l.draft.labels()
	l.Findings = merged(append(labels, l.Findings...))
	for _, f := range l.Findings {
		if f.Stop {
			l.Stops++
		} else {
			l.Cares++
		}
	}
}

// address returns the address of a scratch.
func address(v *frame.Visit, id string) string {
	return v.Path(path) + "?" + url.Values{"scratch": {id}}.Encode()
}
