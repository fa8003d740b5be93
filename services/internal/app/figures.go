package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// FiguresDeps holds the dependencies of Figures.
type FiguresDeps struct {
	DB       *postgres.DB
	Keyring  *secretbox.Keyring
	Files    *objectstore.Store // with the logos of reports
	Coverage func(channel.Type) analytics.Coverage
	Clock    clock.Clock
}

// Figures implements the use cases of the page of analytics and of monthly reports. The API has the same figures. It is safe for
// concurrent use.
type Figures struct {
	*Records

	insights   *postgres.Insights
	channels   *postgres.Channels
	posts      *postgres.Posts
	workspaces *postgres.Workspaces
	reports    *postgres.Reports
	files      *objectstore.Store
	coverage   func(channel.Type) analytics.Coverage
}

// NewFigures returns the use cases.
func NewFigures(d FiguresDeps) (*Figures, error) {
	if d.DB == nil || d.Keyring == nil || d.Files == nil || d.Coverage == nil || d.Clock == nil {
		return nil, errors.New("app: every dependency of Figures is required")
	}
	records, err := NewRecords(RecordsDeps{DB: d.DB, Keyring: d.Keyring, Clock: d.Clock})
	return &Figures{
		Records: records, insights: postgres.NewInsights(d.DB), channels: postgres.NewChannels(d.DB, nil), posts: postgres.NewPosts(d.DB),
		workspaces: postgres.NewWorkspaces(d.DB), reports: postgres.NewReports(d.DB), files: d.Files, coverage: d.Coverage,
	}, err
}

// OverviewOf selects what an overview is about; zero fields do not filter.
type OverviewOf struct {
	Days

	Channel ident.Channel
	Label   string
	Post    ident.Post

	before *analytics.Range // to compare with; nil: the range of the same length before
}

// ofPosts reports whether the figures are those of posts, not of channels.
func (o OverviewOf) ofPosts() bool { return o.Label != "" || !o.Post.IsZero() }

// Overview has the figures of a range and those of the range before it.
type Overview struct {
	analytics.Range

	Before    analytics.Range
	Zone      *time.Location
	OfPosts   bool // the figures are those of posts
	Courses   int  // the number of posts with figures in the range, if they are
	Figures   []Compared
	Published analytics.Change // posts
	Channels  []ChannelFigures // of which the figures are
	Results   []postgres.MeasuredPost
	Times     analytics.Times
	Words     string // of the only post
}

// Compared is a figure with the values of the period before.
type Compared struct {
	analytics.Series

	Earlier analytics.Series
	// Unsummed means that the figures of several posts cannot be added.
	Unsummed bool
}

// Change compares the values of both periods.
func (c Compared) Change() analytics.Change {
	return analytics.Change{Now: c.Total, Before: c.Earlier.Total}
}

// Of returns a figure of the overview.
func (o Overview) Of(f analytics.Figure) Compared {
	at := slices.IndexFunc(o.Figures, func(c Compared) bool { return c.Figure == f })
	if at < 0 {
		return Compared{}
	}
	return o.Figures[at]
}

// ChannelFigures has the figures of one channel.
type ChannelFigures struct {
	postgres.ChannelState

	Channel  channel.Channel
	Coverage analytics.Coverage
	Figures  []Compared
	Complete analytics.Date // the last day with figures; zero: none
}

// Of returns a figure of the channel.
func (c ChannelFigures) Of(f analytics.Figure) Compared { return Overview{Figures: c.Figures}.Of(f) }

// scope limits what an overview may show.
type scope struct {
	workspace workspace.Workspace
	zone      *time.Location
	channels  []channel.Channel // of the filter
	only      []ident.Channel   // their IDs; nil: every channel
}

// Overview returns the figures of the workspace, of a channel, of posts with a label, or of one post. Errors: NOT_FOUND when the
// workspace has no such channel or post, VALIDATION_FAILED for an invalid range.
func (a *Figures) Overview(ctx context.Context, p Principal, of OverviewOf) (Overview, error) {
	if err := p.Require(credential.AnalyticsRead); err != nil {
		return Overview{}, err
	}
	s, err := a.scope(ctx, p, of.Channel)
	if err != nil {
		return Overview{}, err
	}
	r, faults := analytics.NewRange(of.From, of.To, analytics.DateOf(a.now().In(s.zone)))
	if err := apperr.Invalid(faults); err != nil {
		return Overview{}, err
	}
	words := ""
	if !of.Post.IsZero() {
		one, err := a.posts.For(p.Channels).Get(ctx, p.WorkspaceID, of.Post)
		if err != nil {
			return Overview{}, err
		}
		words = cmp.Or(one.Title, one.Content)
	}
	out, err := a.overview(ctx, s, of, r)
	out.Words = words
	return out, err
}

// scope returns what the client may see, narrowed to a channel.
func (a *Figures) scope(ctx context.Context, p Principal, id ident.Channel) (s scope, err error) {
	if s.workspace, err = a.workspaces.Get(ctx, p.WorkspaceID); err != nil {
		return s, err
	}
	s.zone, s.only = analytics.Zone(s.workspace.Timezone), p.Channels
	if id.IsZero() {
		s.channels, err = a.channels.For(p.Channels).List(ctx, p.WorkspaceID)
		return s, err
	}
	one, err := a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id)
	s.channels, s.only = []channel.Channel{one}, []ident.Channel{id}
	return s, err
}

func (a *Figures) overview(ctx context.Context, s scope, of OverviewOf, r analytics.Range) (Overview, error) {
	out := Overview{Range: r, Before: *cmp.Or(of.before, new(r.Earlier())), Zone: s.zone, OfPosts: of.ofPosts()}
	posts := postgres.PostsOf{Channels: s.only, Label: of.Label, Post: of.Post}
	var err error
	if out.OfPosts {
		err = a.addPosts(ctx, s, posts, &out)
	} else {
		err = a.addChannels(ctx, s, &out)
	}
	if err != nil {
		return out, err
	}
	if of.Post.IsZero() {
		out.Results, err = a.insights.Results(ctx, s.workspace.ID, posts, r, s.zone)
	}
	results := make([]analytics.PostResult, len(out.Results))
	for i, p := range out.Results {
		results[i] = p.PostResult
	}
	out.Times = analytics.TimesOf(results, s.zone)
	return out, err
}

// addChannels adds the figures of channels, each and all together.
func (a *Figures) addChannels(ctx context.Context, s scope, out *Overview) error {
	states, err := a.states(ctx, s, out.Range)
	if err != nil {
		return err
	}
	earlier, err := a.states(ctx, s, out.Before)
	if err != nil {
		return err
	}
	now, err := a.insights.Sources(ctx, s.workspace.ID, out.Range)
	if err != nil {
		return err
	}
	then, err := a.insights.Sources(ctx, s.workspace.ID, out.Before)
	if err != nil {
		return err
	}
	var all, before []analytics.Source
	var published, publishedBefore analytics.Sum
	for _, c := range s.channels {
		own, ownBefore := sourceOf(now, c.ID), sourceOf(then, c.ID)
		all, before = append(all, own), append(before, ownBefore)
		line := ChannelFigures{ChannelState: states[c.ID], Channel: c, Coverage: a.coverage(c.Type)}
		line.Figures = compare(*out, []analytics.Source{own}, []analytics.Source{ownBefore})
		if len(own.Days) > 0 {
			line.Complete = own.Days[len(own.Days)-1].Date
		}
		out.Channels = append(out.Channels, line)
		published = published.Add(new(states[c.ID].PostsPublished))
		publishedBefore = publishedBefore.Add(new(earlier[c.ID].PostsPublished))
	}
	out.Figures = compare(*out, all, before)
	out.Published = changed(published, publishedBefore)
	return nil
}

func sourceOf(all map[ident.Channel]analytics.Source, id ident.Channel) analytics.Source {
	one := all[id]
	one.Channel = id
	return one
}

func changed(now, before analytics.Sum) analytics.Change {
	var c analytics.Change
	for _, side := range []struct {
		sum  analytics.Sum
		into **float64
	}{{now, &c.Now}, {before, &c.Before}} {
		if value := side.sum.Value(); value != nil {
			*side.into = new(float64(*value))
		}
	}
	return c
}

func compare(o Overview, now, before []analytics.Source) []Compared {
	list := make([]Compared, 0, len(analytics.Charted()))
	for _, f := range append(analytics.Charted(), analytics.Engagements) {
		list = append(list, Compared{Series: analytics.Compose(f, o.Range, now), Earlier: analytics.Compose(f, o.Before, before)})
	}
	return list
}

func (a *Figures) states(ctx context.Context, s scope, r analytics.Range) (map[ident.Channel]postgres.ChannelState, error) {
	list, err := a.insights.States(ctx, s.workspace.ID, r, s.zone)
	states := make(map[ident.Channel]postgres.ChannelState, len(list))
	for _, state := range list {
		states[state.ChannelID] = state
	}
	return states, err
}

// addPosts adds what posts gained. Followers belong to channels; people whom several posts have reached cannot be added.
func (a *Figures) addPosts(ctx context.Context, s scope, of postgres.PostsOf, out *Overview) error {
	gains := func(r analytics.Range) ([]analytics.Source, int, error) {
		courses, err := a.insights.Courses(ctx, s.workspace.ID, of, r, s.zone)
		list := make([]analytics.Source, 0, len(courses))
		for _, c := range courses {
			list = append(list, c.Gains(r))
		}
		return list, len(courses), err
	}
	now, n, err := gains(out.Range)
	if err != nil {
		return err
	}
	before, _, err := gains(out.Before)
	if err != nil {
		return err
	}
	out.Courses = n
	for _, c := range compare(*out, now, before) {
		if c.Unsummed = c.Figure == analytics.Reach && of.Post.IsZero(); c.Unsummed {
			c.Series, c.Earlier = analytics.Compose(c.Figure, out.Range, nil), analytics.Compose(c.Figure, out.Before, nil)
		}
		out.Figures = append(out.Figures, c)
	}
	for _, c := range s.channels {
		out.Channels = append(out.Channels, ChannelFigures{Channel: c, Coverage: a.coverage(c.Type)})
	}
	return nil
}

// Snapshots calls each with the readings of posts in the range, one post after the other. The errors are those of Overview.
func (a *Figures) Snapshots(
	ctx context.Context, p Principal, of OverviewOf, each func(analytics.PostCourse) error,
) error {
	if err := p.Require(credential.AnalyticsRead); err != nil {
		return err
	}
	s, err := a.scope(ctx, p, of.Channel)
	if err != nil {
		return err
	}
	r, faults := analytics.NewRange(of.From, of.To, analytics.DateOf(a.now().In(s.zone)))
	if err := apperr.Invalid(faults); err != nil {
		return err
	}
	courses, err := a.insights.Courses(ctx, s.workspace.ID, postgres.PostsOf{Channels: s.only, Label: of.Label, Post: of.Post}, r, s.zone)
	if err != nil {
		return err
	}
	for _, c := range courses {
		c.Days = slices.DeleteFunc(c.Days, func(d analytics.PostDay) bool { return !r.Contains(d.Date) })
		if err := each(c); err != nil {
			return err
		}
	}
	return nil
}
