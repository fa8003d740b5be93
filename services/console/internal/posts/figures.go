package posts

import (
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// figures is a table of what the networks report about posts that were created together.
type figures struct {
	Names []string // of the columns: the figures that one of the networks reports
	Lines []figureLine
	Sum   []string  // empty for one post
	At    time.Time // of the oldest snapshot
}

// figureLine has the figures of a post.
type figureLine struct {
	Name   string // of its channel
	Values []string
}

// kinds returns the kinds of figures.
func kinds() []figureKind {
	return []figureKind{
		{"Impressions", func(f analytics.PostFigures) *int64 { return f.Impressions }, true},
		{"Reach", func(f analytics.PostFigures) *int64 { return f.Reach }, false}, // the same person may see several posts
		{"Views", func(f analytics.PostFigures) *int64 { return f.VideoViews }, true},
		{"Likes", func(f analytics.PostFigures) *int64 { return f.Likes }, true},
		{"Comments", func(f analytics.PostFigures) *int64 { return f.Comments }, true},
		{"Shares", func(f analytics.PostFigures) *int64 { return f.Shares }, true},
		{"Saves", func(f analytics.PostFigures) *int64 { return f.Saves }, true},
		{"Clicks", func(f analytics.PostFigures) *int64 { return f.Clicks }, true},
	}
}

type figureKind struct {
	name  string
	of    func(analytics.PostFigures) *int64
	added bool // the figures of several posts have a sum
}

// figures reads the figures of posts; nil if their networks have reported none.
func (p *posts) figures(v *frame.Visit, together []item) (*figures, error) {
	var ids []ident.Post
	for _, i := range together {
		if i.Post.Status == post.Published || i.Post.Status == post.Archived {
			ids = append(ids, i.Post.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil //nolint:nilnil // a page without figures
	}
	latest, err := p.app.LatestFigures(v.Request.Context(), v.Principal, ids)
	if err != nil || len(latest) == 0 {
		return nil, err
	}
	return figuresOf(together, latest), nil
}

func figuresOf(together []item, latest map[ident.Post]analytics.PostDay) *figures {
	table := &figures{}
	for _, i := range together {
		day, known := latest[i.Post.ID]
		if !known {
			continue
		}
		table.Lines = append(table.Lines, figureLine{Name: i.Channel.Name})
		if table.At.IsZero() || day.CollectedAt.Before(table.At) {
			table.At = day.CollectedAt
		}
	}
	for _, kind := range kinds() {
		var sum analytics.Sum
		var values []string
		for _, i := range together {
			if day, known := latest[i.Post.ID]; known {
				n := kind.of(day.PostFigures)
				sum, values = sum.Add(n), append(values, grouped(n))
			}
		}
		if sum.Value() == nil {
			continue // no network reports it
		}
		table.Names = append(table.Names, kind.name)
		for line, value := range values {
			table.Lines[line].Values = append(table.Lines[line].Values, value)
		}
		switch {
		case len(table.Lines) == 1:
		case kind.added:
			table.Sum = append(table.Sum, grouped(sum.Value()))
		default:
			table.Sum = append(table.Sum, none)
		}
	}
	if len(table.Names) == 0 {
		return nil
	}
	return table
}

// none is shown for a figure that a network does not report.
const none = "–"

// grouped writes a number with a space between thousands.
func grouped(n *int64) string {
	if n == nil {
		return none
	}
	text := strconv.FormatInt(*n, 10)
	var groups []string
	for len(text) > 3 { //nolint:mnd // digits
		groups, text = append([]string{text[len(text)-3:]}, groups...), text[:len(text)-3]
	}
	return strings.Join(append([]string{text}, groups...), "\u202f")
}
