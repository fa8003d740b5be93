package analytics

// Rate adds up engagements and the views that they are of. The zero Rate has none.
type Rate struct {
	engagements, views int64
}

// Add counts a day in. A day whose engagements are not known, or which has neither impressions nor reach, says nothing of the
// rate and is left out.
func (r Rate) Add(f ChannelFigures) Rate {
	views := viewsOf(f)
	if f.Engagements == nil || views == 0 {
		return r
	}
	return Rate{engagements: r.engagements + *f.Engagements, views: r.views + views}
}

// Plus is the rate of both.
func (r Rate) Plus(o Rate) Rate {
	return Rate{engagements: r.engagements + o.engagements, views: r.views + o.views}
}

// Value is engagements ÷ views; nil when nothing is known.
func (r Rate) Value() *float64 {
	if r.views == 0 {
		return nil
	}
	value := float64(r.engagements) / float64(r.views)
	return &value
}

// EngagementRate is the rate of one day.
func (f ChannelFigures) EngagementRate() *float64 { return Rate{}.Add(f).Value() }

// viewsOf is what engagements are held against: impressions, else reach, else nothing.
func viewsOf(f ChannelFigures) int64 {
	for _, views := range []*int64{f.Impressions, f.Reach} {
		if views != nil && *views > 0 {
			return *views
		}
	}
	return 0
}
