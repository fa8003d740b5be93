package calendar

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
)

// start leads to the page on which people begin: the calendar, and on phones what is next.
func (c *calendar) start(v *frame.Visit) error {
	if onPhone(v.Request) {
		v.Redirect(v.Path("/today"))
	} else {
		v.Redirect(v.Path("/calendar"))
	}
	return nil
}

// onPhone reports whether a browser says that it is one of a phone: by a client hint, or by the word that every other
// browser of phones has in its name. It decides only where a visit begins, and both pages are there for everybody.
func onPhone(r *http.Request) bool {
	if hint := r.Header.Get("Sec-Ch-Ua-Mobile"); hint != "" {
		return hint == "?1"
	}
	return strings.Contains(r.UserAgent(), "Mobi")
}

// todayPage is the data of what is next, and of what needs a person.
type todayPage struct {
	Channels []channel.Channel
	Labels   []post.Label
	Address  string
	FollowUp []followUp
	Needs    []cause
	Next     []day
}

// followUp is a lead whose follow-up is overdue.
type followUp struct {
	Href, Name string
	At         time.Time
}

// mostFollowUps is the number of leads that the page shows.
const mostFollowUps = 5

// followUps returns the leads whose follow-up is overdue, the earliest first.
func (c *calendar) followUps(v *frame.Visit) ([]followUp, error) {
	if !v.Principal.Allows(credential.LeadsRead) {
		return nil, nil
	}
	found, err := c.leads.Leads(v.Request.Context(), v.Principal, postgres.LeadFilter{
		OverdueAt: v.Now().UTC(), Sort: postgres.LeadsByFollowUp, Limit: mostFollowUps,
	})
	list := make([]followUp, len(found))
	for i, l := range found {
		list[i] = followUp{v.Path("/leads/" + l.ID.String()), l.Name, l.FollowUpAt}
	}
	return list, err
}

// Following returns the first of the next posts; nil if there is none.
func (p todayPage) Following() *slip {
	for _, d := range p.Next {
		for _, e := range d.Entries {
			if e.Slip != nil {
				return e.Slip
			}
		}
	}
	return nil
}

const (
	nextDays  = 2 // today and tomorrow
	nextSlips = 20
)

func (c *calendar) today(v *frame.Visit) error {
	ctx := v.Request.Context()
	channels, err := c.app.Channels(ctx, v.Principal)
	if err != nil {
		return err
	}
	data := todayPage{Channels: channels, Address: v.Path("/today")}
	if data.Labels, err = c.app.Labels(ctx, v.Principal); err != nil {
		return err
	}
	if data.FollowUp, err = c.followUps(v); err != nil {
		return err
	}
	if data.Needs, err = c.needs(v, channels); err != nil {
		return err
	}
	now := v.Now()
	planned, _, err := c.app.Planned(ctx, v.Principal, now, plus(now, nextDays), postgres.PostFilter{
		Statuses: []post.Status{post.Scheduled},
	})
	if err != nil {
		return err
	}
	next := slipsOf(planned, channels, now.Location())
	days := daysOf(span{View: list, Day: midnight(now), First: midnight(now), End: plus(now, nextDays)}, next[:min(len(next), nextSlips)], nil, now)
	for i := range days {
		days[i].Entries = slices.DeleteFunc(days[i].Entries, func(e entry) bool { return e.Now })
	}
	data.Next = days
	shown := inView(list, days)
	for i := range data.Needs {
		for j := range data.Needs[i].Posts {
			shown = append(shown, &data.Needs[i].Posts[j])
		}
	}
	if err := c.illustrate(v, shown); err != nil {
		return err
	}
	return v.Page(frame.Page{
		Name: "calendar/today", Title: "Today", Wide: true, Styles: []string{"calendar.css"}, Scripts: []string{"calendar.js"}, Data: data,
	})
}
