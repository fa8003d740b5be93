package chart_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/quick"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/chart"
	"fencepost.internal/shared/domain/analytics"
)

func v(value float64) *float64 { return &value }

func sample() chart.Chart {
	return chart.Chart{
		ID: "c", Title: `Views & <b>"more"</b>`, Names: []string{"Mon", "Tue", "<Wed>", "Thu"}, Write: chart.Writer(analytics.Impressions), Complete: 3,
		Now:  chart.Line{Values: []*float64{v(1200), v(0), nil, v(5)}},
		Then: chart.Line{Values: []*float64{v(3), v(4), v(5), v(6)}},
	}
}

// TestDrawingIsWellFormed checks the SVG: its texts are escaped, each place has its title, and a gap is not drawn.
func TestDrawingIsWellFormed(t *testing.T) {
	t.Parallel()
	svg := string(chart.Draw(sample()).SVG)
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	require.NotContains(t, svg, "<b>")
	require.NotContains(t, svg, "style=", "the policy of pages forbids it")
	for _, want := range []string{
		"<title>Mon: 1\u202f200 (3 before)</title>", "<title>Tue: 0 (4 before)</title>", "<title>&lt;Wed&gt;: – (5 before)</title>",
		`class="late"`, "1\u202f200 on Mon, 5 on Thu",
	} {
		require.Contains(t, svg, want)
	}
	require.Equal(t, 2, strings.Count(svg, `class="now"`), "the gap splits the line")
	require.Contains(t, svg, `h0"`, "a single day is a dot")
	whole := sample()
	whole.Complete = 4
	require.NotContains(t, string(chart.Draw(whole).SVG), `class="late"`)
}

func TestChartsWithoutValues(t *testing.T) {
	t.Parallel()
	none := chart.Chart{ID: "c", Title: "Reach", Names: []string{"Mon", "Tue"}, Write: chart.Writer(analytics.Reach), Now: chart.Line{Values: []*float64{nil, nil}}}
	require.True(t, none.None())
	require.Equal(t, "Reach: no figures", none.Summary())
	require.NotContains(t, string(chart.Draw(none).SVG), `class="now"`)
	none.Then.Values = []*float64{v(1), nil}
	require.False(t, none.None())
	require.Equal(t, "Reach: no figures in this period", none.Summary())
	one := chart.Chart{ID: "c", Names: []string{"Mon"}, Write: none.Write, Now: chart.Line{Values: []*float64{v(7)}}, Complete: 0}
	require.Contains(t, string(chart.Draw(one).SVG), "<title>Mon: 7</title>")
	require.Equal(t, "<svg", string(chart.Draw(chart.Chart{Write: none.Write}).SVG)[:4])
}

// TestPointsAreWithinChart covers arbitrary values, negative ones included.
func TestPointsAreWithinChart(t *testing.T) {
	t.Parallel()
	require.NoError(t, quick.Check(func(values []int32, near bool) bool {
		c := chart.Chart{Write: chart.Writer(analytics.Followers), Near: near}
		for _, value := range values {
			c.Now.Values = append(c.Now.Values, v(float64(value)))
		}
		low, high := c.Scale()
		for _, points := range c.Segments(c.Now) {
			for _, p := range points {
				if p.X < 0 || p.X > 1 || p.Y < -1e-9 || p.Y > 1+1e-9 {
					return false
				}
			}
		}
		return low < high && (near || low <= 0 && high >= 0)
	}, nil))
	far := chart.Chart{Near: true, Now: chart.Line{Values: []*float64{v(2018843048), v(1848973544), v(1383721066)}}}
	_, high := far.Scale()
	require.GreaterOrEqual(t, high, 2018843048.0, "a larger step begins lower")
	require.Equal(t, []string{"2\u202f000", "1\u202f500", "1\u202f000", "500", "0"}, sample().AxisTexts())
}

func TestFiguresAsText(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"–":                   chart.Text(analytics.Reach, nil),
		"0":                   chart.Text(analytics.Reach, v(0)),
		"1\u202f234\u202f567": chart.Text(analytics.Reach, v(1234567)),
		"−1\u202f234":         chart.Text(analytics.Reach, v(-1234)),
		"2.5":                 chart.Text(analytics.Reach, v(2.5)),
		"4.6\u202f%":          chart.Text(analytics.EngagementRate, v(0.0456)),
		"999":                 chart.Grouped(999),
	} {
		require.Equal(t, want, got)
	}
	for _, c := range []struct {
		figure      analytics.Figure
		now, before *float64
		text        string
		direction   int
	}{
		{analytics.Impressions, v(15), v(10), "+50.0\u202f%", 1},
		{analytics.Impressions, v(5), v(10), "−50.0\u202f%", -1},
		{analytics.Impressions, v(5), v(0), "+5", 1},
		{analytics.Followers, v(12), v(10), "+2", 1},
		{analytics.EngagementRate, v(0.02), v(0.05), "−3.0 points", -1},
		{analytics.Impressions, v(5), v(5), "as before", 0},
		{analytics.Impressions, v(5), nil, "no figures before", 0},
		{analytics.Impressions, nil, v(5), "", 0},
	} {
		text, direction := chart.Change(c.figure, analytics.Change{Now: c.now, Before: c.before})
		require.Equal(t, c.text, text)
		require.Equal(t, c.direction, direction)
	}
}
