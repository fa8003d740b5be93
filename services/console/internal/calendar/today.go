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
	Address  string
	Failed   []slip
	Pending  []slip
	Broken   []channel.Channel // to reconnect
	Next     []day
	Counts   postgres.Attention
}

// First returns the time of the next post of today or tomorrow; zero if there is none.
func (p todayPage) First() time.Time {
	for _, d := range p.Next {
		for _, e := range d.Entries {
			if e.Slip != nil {
				return e.At
			}
		}
	}
	return time.Time{}
}

// Quiet reports whether nothing needs a person.
func (p todayPage) Quiet() bool { return len(p.Failed)+len(p.Pending)+len(p.Broken) == 0 }

const (
	nextDays  = 2 // today and tomorrow
	nextSlips = 20
	mostNeeds = 5 // of each kind; a link leads to the others
)

func (c *calendar) today(v *frame.Visit) error {
	ctx := v.Request.Context()
	channels, err := c.app.Channels(ctx, v.Principal)
	if err != nil {
		return err
	}
	data := todayPage{Channels: channels, Address: v.Path("/today"), Counts: v.Attention()}
	data.Broken = slices.DeleteFunc(slices.Clone(channels), func(c channel.Channel) bool {
		return !c.IsConnected || c.TokenStatus != channel.TokenNeedsReconnect
	})
	if data.Failed, err = c.newest(v, channels, post.Failed); err != nil {
		return err
	}
	if v.Principal.Allows(credential.PostsApprove) {
		if data.Pending, err = c.newest(v, channels, post.PendingApproval); err != nil {
			return err
		}
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
	for _, slips := range [][]slip{data.Failed, data.Pending} {
		for i := range slips {
			shown = append(shown, &slips[i])
		}
	}
	if err := c.illustrate(v, shown); err != nil {
		return err
	}
	return v.Page(frame.Page{
		Name: "calendar/today", Title: "Today", Wide: true, Styles: []string{"calendar.css"}, Scripts: []string{"calendar.js"}, Data: data,
	})
}

// newest returns the newest posts with a status.
func (c *calendar) newest(v *frame.Visit, channels []channel.Channel, status post.Status) ([]slip, error) {
	found, err := c.app.Posts(v.Request.Context(), v.Principal, postgres.PostFilter{Statuses: []post.Status{status}, Limit: mostNeeds})
	return slipsOf(found, channels, v.Zone()), err
}
