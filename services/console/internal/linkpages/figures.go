package linkpages

import (
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/figures"
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// figuresPage is the data of the page with the visits and clicks.
type figuresPage struct {
	head

	Missing                 string // why there are no figures
	Ranges                  []rangeLink
	Views, Visitors, Clicks string
	ByDay                   []figureDay // newest first
	Seen                    []bar       // views
	Followed                []bar       // clicks
	Blocks                  []figureBlock
}

// rangeLink leads to the figures of other days.
type rangeLink struct {
	Text, Href string
	Here       bool
}

type figureDay struct {
	Day                     string
	Views, Visitors, Clicks string
}

type figureBlock struct {
	Label, Kind, Clicks string
	Bars                []bar
}

// bar is a figure of a day in a chart.
type bar struct {
	Name string
	N    int64
}

func (p *pages) figures(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	h, err := p.head(v, page, "figures")
	if err != nil {
		return err
	}
	data := figuresPage{head: h}
	days := linkpage.DefaultDays
	for _, n := range []int{7, linkpage.DefaultDays, 90} {
		if v.Query("days") == strconv.Itoa(n) {
			days = n
		}
	}
	for _, n := range []int{7, linkpage.DefaultDays, 90} {
		data.Ranges = append(data.Ranges, rangeLink{strconv.Itoa(n) + " days", h.Path + "/figures?days=" + strconv.Itoa(n), n == days})
	}
	today := linkpage.DayOf(v.Now())
	report, err := p.app.LinkPageAnalytics(v.Request.Context(), v.Principal, page.ID, today.AddDate(0, 0, 1-days), today)
	switch {
	case apperr.Is(err, apperr.QuotaExceeded):
		data.Missing = frame.Refusal(err, apperr.QuotaExceeded)
	case err != nil:
		return err
	default:
		data.fill(report, page)
	}
	return show(v, http.StatusOK, "figures", "Figures of "+page.Draft.Title, data)
}

const layoutDay = "Mon 2 Jan"

func (f *figuresPage) fill(report linkpage.Analytics, page linkpage.Page) {
	f.Views, f.Visitors, f.Clicks = figures.Grouped(&report.Views), figures.Grouped(&report.Visitors), figures.Grouped(&report.Clicks)
	for _, d := range report.Days {
		name := d.Day.Format(layoutDay)
		f.Seen, f.Followed = append(f.Seen, bar{name, d.Views}), append(f.Followed, bar{name, d.Clicks})
		f.ByDay = append([]figureDay{{name, figures.Grouped(&d.Views), figures.Grouped(&d.Visitors), figures.Grouped(&d.Clicks)}}, f.ByDay...)
	}
	clicked := map[ident.LinkBlock]bool{}
	for _, b := range report.Blocks {
		clicked[b.BlockID] = true
		one := figureBlock{Label: b.Label, Kind: nameOf(b.Type), Clicks: figures.Grouped(&b.Clicks)}
		if b.Type == "" {
			one.Label = "Deleted block"
		} else if one.Label == "" {
			one.Label = one.Kind
		}
		f.Blocks = append(f.Blocks, one.with(report, b.Days))
	}
	for _, b := range page.Draft.Blocks { // those without a click, which can have some
		if traits := b.Settings.Traits(); !clicked[b.ID] && (traits.Target != "" || traits.Post != nil) {
			f.Blocks = append(f.Blocks, figureBlock{Label: labelOf(b), Kind: nameOf(b.Type()), Clicks: "0"}.with(report, nil))
		}
	}
}

// with returns the block with its chart over the days of the report.
func (b figureBlock) with(report linkpage.Analytics, days []linkpage.DayClicks) figureBlock {
	counts := make(map[string]int64, len(days))
	for _, d := range days {
		counts[d.Day.Format(time.DateOnly)] = d.Clicks
	}
	for _, d := range report.Days {
		b.Bars = append(b.Bars, bar{d.Day.Format(layoutDay), counts[d.Day.Format(time.DateOnly)]})
	}
	return b
}

// bars draws a chart of bars, which a table beside it repeats in numbers.
func bars(list []bar, height int) template.HTML {
	const step, gap, least = 10, 2, 2
	var most int64
	for _, b := range list {
		most = max(most, b.N)
	}
	var out strings.Builder
	fmt.Fprintf(&out, `<svg class="lpbars" viewBox="0 0 %d %d" preserveAspectRatio="none" aria-hidden="true">`, len(list)*step, height)
	for i, b := range list {
		if b.N == 0 {
			continue
		}
		tall := max(least, int(b.N*int64(height)/most))
		fmt.Fprintf(&out, `<rect x="%d" y="%d" width="%d" height="%d"><title>%s: %d</title></rect>`,
			i*step+gap/2, height-tall, step-gap, tall, template.HTMLEscapeString(b.Name), b.N)
	}
	out.WriteString(`</svg>`)
	return template.HTML(out.String()) //nolint:gosec // G203: numbers and escaped names
}
