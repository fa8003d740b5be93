package app

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// LinkPageAnalytics returns the visits of a page between the days from and to, inclusive. Zero times select the last 30
// days (docs/contract.md, Link pages). Errors: NOT_FOUND, VALIDATION_FAILED, and QUOTA_EXCEEDED on a plan without
// analytics.
func (a *pageUseCases) LinkPageAnalytics(
	ctx context.Context, p Principal, id ident.LinkPage, from, to time.Time,
) (linkpage.Analytics, error) {
	page, err := a.linkPages.Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return linkpage.Analytics{}, err
	}
	if err := p.Plan.Limits().CheckLinkPageAnalytics(); err != nil {
		return linkpage.Analytics{}, err
	}
	period, err := linkpage.NewPeriod(from, to, a.now())
	if err != nil {
		return linkpage.Analytics{}, err
	}
	days, blocks, err := a.visits.Read(ctx, id, period)
	if err != nil {
		return linkpage.Analytics{}, err
	}
	report := linkpage.Analytics{PageID: id, Period: period, Days: everyDay(period, days), Blocks: clicksOf(page, blocks)}
	for _, d := range days {
		report.Views += d.Views
		report.Visitors += d.Visitors
		report.Clicks += d.Clicks
	}
	return report, nil
}

// everyDay returns all days of the period, with zero counts for days without visits.
func everyDay(period linkpage.Period, counted []linkpage.DayVisits) []linkpage.DayVisits {
	days := make([]linkpage.DayVisits, period.Days())
	for i := range days {
		days[i].Day = period.From.AddDate(0, 0, i)
	}
	for _, d := range counted {
		if at := int(d.Day.Sub(period.From) / (24 * time.Hour)); at >= 0 && at < len(days) {
			days[at] = d
		}
	}
	return days
}

// clicksOf groups clicks by block, with the block's type and label in the draft or else in the live content.
func clicksOf(page linkpage.Page, counted []postgres.BlockDay) []linkpage.BlockClicks {
	clicks := []linkpage.BlockClicks{}
	for _, c := range counted { // sorted by block, then by day
		if len(clicks) == 0 || clicks[len(clicks)-1].BlockID != c.BlockID {
			clicks = append(clicks, named(page, c.BlockID))
		}
		last := &clicks[len(clicks)-1]
		last.Clicks += c.Clicks
		last.Days = append(last.Days, linkpage.DayClicks{Day: c.Day, Clicks: c.Clicks})
	}
	slices.SortStableFunc(clicks, func(x, y linkpage.BlockClicks) int { return cmp.Compare(y.Clicks, x.Clicks) })
	return clicks
}

func named(page linkpage.Page, id ident.LinkBlock) linkpage.BlockClicks {
	block, found := page.Draft.Block(id)
	if !found && page.Live != nil {
		block, found = page.Live.Content.Block(id)
	}
	if !found {
		return linkpage.BlockClicks{BlockID: id}
	}
	return linkpage.BlockClicks{BlockID: id, Type: block.Type(), Label: block.Settings.Traits().Label}
}
