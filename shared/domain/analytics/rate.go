package analytics

// Rate sums engagements and the corresponding views. The zero Rate has no value.
type Rate struct {
	engagements, views int64
}

// Add adds a day. It ignores a day without known engagements, or with neither impressions nor reach, because such a day
// does not contribute to the rate.
func (r Rate) Add(f ChannelFigures) Rate {
	views := viewsOf(f)
	if f.Engagements == nil || views == 0 {
		return r
	}
	return Rate{engagements: r.engagements + *f.Engagements, views: r.views + views}
}

// Plus returns the combined rate.
func (r Rate) Plus(o Rate) Rate {
	return Rate{engagements: r.engagements + o.engagements, views: r.views + o.views}
}

// Value returns engagements ÷ views, or nil if there are no views.
func (r Rate) Value() *float64 {
	if r.views == 0 {
		return nil
	}
	value := float64(r.engagements) / float64(r.views)
	return &value
}

// EngagementRate returns the rate of one day.
func (f ChannelFigures) EngagementRate() *float64 { return Rate{}.Add(f).Value() }

// viewsOf returns the denominator of the rate: impressions, else reach, else 0.
func viewsOf(f ChannelFigures) int64 {
	for _, views := range []*int64{f.Impressions, f.Reach} {
		if views != nil && *views > 0 {
			return *views
		}
	}
	return 0
}
