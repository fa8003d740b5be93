package insights

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/sheet"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

// exportLife is the longest time in which the figures of a channel or a post are sent.
const exportLife = time.Minute

// export sends the figures of the address as a file: the days of channels or, with a label or a post, the readings of posts. A
// figure that is not known is empty.
func (p *pages) export(v *frame.Visit) error {
	q, err := p.queryOf(v)
	if err != nil {
		return err
	}
	of := q.of()
	// The range and the filters are checked before anything is sent.
	overview, err := p.figures.Overview(v.Request.Context(), v.Principal, of)
	if len(q.Faults) > 0 || err != nil {
		if _, refused := frame.Faults(err); refused || err == nil {
			v.Say(http.StatusUnprocessableEntity, "Not done", "The range is not valid. Go back and choose another one.")
			return nil
		}
		return err
	}
	h := v.Out.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	h.Set("Content-Disposition", `attachment; filename="analytics-`+overview.From.String()+`-`+overview.To.String()+`.csv"`)
	out := &file{v: v, csv: csv.NewWriter(v.Out), channels: channel.ByID(q.Channels)}
	out.csv.UseCRLF = true
	if _, err := io.WriteString(v.Out, "\ufeff"); err != nil { // a mark by which spreadsheets know UTF-8
		return nil //nolint:nilerr // the visitor has left
	}
	if overview.OfPosts {
		err = p.exportPosts(out, of)
	} else {
		err = p.exportChannels(out, of, overview)
	}
	if err != nil {
		// The status is sent: only a broken connection shows the browser that rows are missing.
		panic(http.ErrAbortHandler) //nolint:forbidigo // how a handler cuts a connection
	}
	return nil
}

// file writes rows.
type file struct {
	v        *frame.Visit
	csv      *csv.Writer
	channels map[ident.Channel]channel.Channel
}

// write writes a row. Spreadsheets show its cells as texts.
func (f *file) write(cells ...string) error {
	for i, cell := range cells {
		cells[i] = sheet.Guarded(cell)
	}
	return f.csv.Write(cells)
}

// flush sends what was written.
func (f *file) flush() error {
	_ = frame.MayWriteFor(f.v.Out, exportLife) // an error means that the connection has no deadlines, as in tests
	f.csv.Flush()
	return f.csv.Error()
}

// cells returns the named figures, with the decimals that the API has.
func cells(names []analytics.Figure, value func(analytics.Figure) *float64) []string {
	list := make([]string, len(names))
	for i, name := range names {
		if found := value(name); found != nil {
			const millionths = 1e6
			list[i] = strconv.FormatFloat(math.Round(*found*millionths)/millionths, 'f', -1, 64)
		}
	}
	return list
}

func heading(first []string, names []analytics.Figure) []string {
	for _, name := range names {
		first = append(first, name.Name())
	}
	return first
}

func (p *pages) exportChannels(out *file, of app.OverviewOf, o app.Overview) error {
	names := []analytics.Figure{
		analytics.Followers, analytics.Impressions, analytics.Reach, analytics.Engagements, analytics.EngagementRate, analytics.ProfileViews,
		analytics.WebsiteClicks,
	}
	err := out.write(heading([]string{"Date", "Channel", "Network"}, names)...)
	for _, c := range o.Channels {
		found, failure := p.app.ChannelAnalytics(out.v.Request.Context(), out.v.Principal, c.Channel.ID, of.Days)
		err = errors.Join(err, failure)
		for _, day := range found.Days {
			err = errors.Join(err, out.write(append([]string{day.Date.String(), c.Channel.Name, c.Channel.Type.Name()}, cells(names, day.Value)...)...))
		}
		if err = errors.Join(err, out.flush()); err != nil {
			return err
		}
	}
	return nil
}

func (p *pages) exportPosts(out *file, of app.OverviewOf) error {
	names := []analytics.Figure{
		analytics.Impressions, analytics.Reach, analytics.Likes, analytics.Comments, analytics.Shares, analytics.Saves, analytics.Clicks,
		analytics.VideoViews,
	}
	if err := out.write(heading([]string{"Date", "Post", "Channel", "Network"}, names)...); err != nil {
		return err
	}
	err := p.figures.Snapshots(out.v.Request.Context(), out.v.Principal, of, func(c analytics.PostCourse) error {
		own := out.channels[c.Channel]
		for _, day := range c.Days {
			if err := out.write(append([]string{day.Date.String(), c.ID.String(), own.Name, own.Type.Name()}, cells(names, day.Value)...)...); err != nil {
				return err
			}
		}
		return out.flush()
	})
	return errors.Join(err, out.flush())
}
