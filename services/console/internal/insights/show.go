package insights

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/chart"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
)

const (
	layoutDay  = "2 Jan 2006"
	layoutTick = "2 Jan"
	layoutFull = "Mon 2 January 2006"

	mostRanked = 10
)

// showPage is the data of the page.
type showPage struct {
	query

	Period, Earlier string
	Tiles           []tile
	Charts          []graph
	Lines           []line
	Best            []best
	Unranked        int  // posts without the figure
	Clipped         bool // there are more posts than the overview has
	Times           times
	OfPosts         bool
	Counted         int // posts with figures in the range
	About           string
	Shown           bool // the range has no fault
}

// tile is a figure of the whole period.
type tile struct {
	Name, Value, Change, Before string
	Direction                   int
	Note                        string // what is missing in it
}

// Icon returns the icon of the direction; empty if there is none.
func (t tile) Icon() string {
	return map[int]string{1: "arrow-up", -1: "arrow-down"}[t.Direction]
}

// graph is a chart with its table.
type graph struct {
	chart.Drawing

	Rows  []row
	Now   string
	Then  string
	Note  string
	Late  bool // the last days are marked
	Until string
}

// row is a day of the table of a chart.
type row struct{ Day, Value, Before string }

// cell is a figure of a channel, with the reason why it is missing.
type cell struct{ Text, Reason string }

// line has the figures of a channel.
type line struct {
	Channel   channel.Channel
	Href      string
	Cells     []cell
	Posts     string
	Complete  string
	Coverage  string // what its network gives
	Problem   string
	Collected time.Time
}

// best is a post of the ranking.
type best struct {
	postgres.MeasuredPost

	Channel channel.Channel
	Title   string
	Value   string
	Seen    string
	Rank    int
}

func (s *showPage) fill(v *frame.Visit, q query, o app.Overview) {
	s.Shown, s.OfPosts, s.Counted = true, o.OfPosts, o.Courses
	s.Period, s.Earlier = period(o.Range), period(o.Before)
	s.About = poststate.Clipped(o.Words, 140) //nolint:mnd // characters
	names := channelNames(o.Channels)
	for _, f := range []analytics.Figure{analytics.Impressions, analytics.Reach, analytics.EngagementRate, analytics.Followers} {
		s.Tiles = append(s.Tiles, tileOf(o, o.Of(f), names))
		s.Charts = append(s.Charts, graphOf(o, o.Of(f), names))
	}
	if !o.OfPosts {
		text, direction := chart.Change(analytics.Impressions, o.Published)
		s.Tiles = append(s.Tiles, tile{
			Name: "Posts published", Value: chart.Text(analytics.Impressions, o.Published.Now), Change: text, Direction: direction,
			Before: chart.Text(analytics.Impressions, o.Published.Before),
		})
		for _, c := range o.Channels {
			s.Lines = append(s.Lines, lineOf(q, c))
		}
	}
	s.rank(q, o)
	s.Times = timesOf(o.Times, frame.City(v.Workspace.Timezone))
}

func period(r analytics.Range) string {
	from, to := at(r.From), at(r.To)
	if r.From == r.To {
		return from.Format(layoutDay)
	}
	return from.Format(layoutDay) + " – " + to.Format(layoutDay)
}

func at(d analytics.Date) time.Time { return d.Start(time.UTC) }

// channelNames returns a function that lists channels by their names.
func channelNames(channels []app.ChannelFigures) func(analytics.Series) string {
	return func(s analytics.Series) string {
		var list []string
		for _, c := range channels {
			if slices.Contains(s.Missing, c.Channel.ID) {
				list = append(list, isolated(c.Channel.Name)+" ("+c.Channel.Type.Name()+")")
			}
		}
		const most = 3
		if n := len(list); n > most {
			list = append(list[:most], fmt.Sprintf("%d more", n-most))
		}
		return strings.Join(list, ", ")
	}
}

// isolated returns a name whose direction of writing does not change that of the text around it.
func isolated(name string) string { return "\u2068" + name + "\u2069" }

// missing says what a sum lacks.
func missing(o app.Overview, c app.Compared, names func(analytics.Series) string) string {
	without := names(c.Series)
	switch {
	case o.OfPosts && c.Figure == analytics.Followers:
		return "Followers belong to channels, not to posts."
	case c.Unsummed:
		return "Several posts may reach the same person, so reach has no sum."
	case o.OfPosts && c.Total == nil:
		return "No network of these posts has reported it in this period."
	case len(o.Channels) == 0:
		return "No channel is connected."
	case c.Total == nil:
		return "No channel has it in this period."
	case without != "":
		return "Without " + without + "."
	default:
		return ""
	}
}

func tileOf(o app.Overview, c app.Compared, names func(analytics.Series) string) tile {
	t := tile{
		Name: c.Figure.Name(), Value: chart.Text(c.Figure, c.Total), Before: chart.Text(c.Figure, c.Earlier.Total), Note: missing(o, c, names),
	}
	if n := len(c.Missing); n > 1 && c.Total != nil && !o.OfPosts { // the charts name them
		t.Note = fmt.Sprintf("Without %d of %d channels.", n, len(o.Channels))
	}
	t.Change, t.Direction = chart.Change(c.Figure, c.Change())
	return t
}

func graphOf(o app.Overview, c app.Compared, names func(analytics.Series) string) graph {
	drawn := chart.Chart{
		ID: "chart-" + string(c.Figure), Title: c.Figure.Name() + perDay(c.Figure), Now: chart.Line{Name: period(o.Range), Values: c.Values},
		Then: chart.Line{Name: period(o.Before), Values: c.Earlier.Values}, Write: chart.Writer(c.Figure), Complete: len(c.Values),
		Near: c.Figure == analytics.Followers,
	}
	if !o.OfPosts && !c.Complete.IsZero() {
		drawn.Complete = max(0, min(drawn.Complete, c.Complete.DaysSince(o.From)+1))
	}
	for i := range c.Values {
		drawn.Names = append(drawn.Names, at(o.From.Add(i)).Format(layoutFull))
	}
	drawn.Ends = ends(o.Range)
	g := graph{Now: drawn.Now.Name, Then: drawn.Then.Name, Note: missing(o, c, names)}
	if g.Late = drawn.Complete < len(c.Values); g.Late {
		g.Until = at(c.Complete).Format(layoutFull)
	}
	for i, value := range c.Values {
		r := row{Day: drawn.Names[i], Value: drawn.Write(value), Before: chart.None}
		if i < len(c.Earlier.Values) {
			r.Before = drawn.Write(c.Earlier.Values[i])
		}
		g.Rows = append(g.Rows, r)
	}
	g.Drawing = chart.Draw(drawn)
	return g
}

func perDay(f analytics.Figure) string {
	if f == analytics.Followers {
		return ""
	}
	return " a day"
}

// ends returns up to five days that are evenly spread, with the first and the last.
func ends(r analytics.Range) []string {
	const most = 5
	n := min(most, r.Days())
	list := make([]string, 0, n)
	for i := range n {
		offset := 0
		if n > 1 {
			offset = i * (r.Days() - 1) / (n - 1)
		}
		list = append(list, at(r.From.Add(offset)).Format(layoutTick))
	}
	return list
}

func lineOf(q query, c app.ChannelFigures) line {
	l := line{
		Channel: c.Channel, Posts: chart.Grouped(c.PostsPublished), Problem: c.Stopped, Collected: c.CollectedAt,
		Coverage: c.Coverage.Words(c.Channel.Type.Name()),
	}
	to := q
	to.Channel = c.Channel.ID
	l.Href = to.Href(q.Range)
	for _, f := range []analytics.Figure{analytics.Followers, analytics.Impressions, analytics.Reach, analytics.EngagementRate} {
		of := c.Of(f)
		l.Cells = append(l.Cells, cell{chart.Text(f, of.Total), reason(c, f)})
		if f == analytics.Followers {
			text, _ := chart.Change(f, of.Change())
			l.Cells = append(l.Cells, cell{Text: strings.Replace(text, "no figures before", chart.None, 1)})
		}
	}
	if !c.Complete.IsZero() {
		l.Complete = at(c.Complete).Format(layoutFull)
	}
	return l
}

// reason says why a figure of a channel is missing; empty if it is not.
func reason(c app.ChannelFigures, f analytics.Figure) string {
	switch {
	case c.Of(f).Total != nil:
		return ""
	case !c.Channel.Type.Capabilities().Analytics || !c.Coverage.Reports(f):
		return c.Channel.Type.Name() + " does not give this figure"
	case c.Stopped != "":
		return "not read: " + c.Stopped
	case c.CollectedAt.IsZero():
		return "not read yet"
	default:
		return "no figures in this period"
	}
}

// rank fills the list of the best posts.
func (s *showPage) rank(q query, o app.Overview) {
	shown, results := make(map[string]postgres.MeasuredPost), make([]analytics.PostResult, len(o.Results))
	for i, p := range o.Results {
		shown[p.ID.String()], results[i] = p, p.PostResult
	}
	ranked, unranked := analytics.Rank(results, q.By)
	s.Unranked, s.Clipped = unranked, len(results) == postgres.MaxOverview
	channels := make(map[string]channel.Channel)
	for _, c := range o.Channels {
		channels[c.Channel.ID.String()] = c.Channel
	}
	for i, p := range ranked[:min(len(ranked), mostRanked)] {
		one := best{
			MeasuredPost: shown[p.ID.String()], Channel: channels[p.Channel.String()], Rank: i + 1, Value: chart.Text(q.By, p.Latest.Value(q.By)),
		}
		one.Title = poststate.Clipped(one.Words, 140) //nolint:mnd // characters
		if one.Title == "" {
			one.Title = "Post without a text"
		}
		if q.By != analytics.Impressions {
			one.Seen = chart.Text(analytics.Impressions, p.Latest.Value(analytics.Impressions))
		}
		s.Best = append(s.Best, one)
	}
}

// ByName returns the figure of the ranking in words.
func (s *showPage) ByName() string { return strings.ToLower(s.By.Name()) }

// BestChannels returns the channels of the best posts, for the sprite of marks.
func (s *showPage) BestChannels() []channel.Channel { return s.Channels }
