package leads

import (
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// card is a lead in the pipeline, in the list, and at the top of its page.
type card struct {
	lead.Lead

	Href   string
	Owner  string // name; empty: none
	Follow string // the follow-up in words; empty: none is planned
	Late   bool
}

// Network returns the network of the lead's platform, for its mark.
func (c card) Network() string { return networkOf(c.Platform) }

// PlatformName returns the platform for people.
func (c card) PlatformName() string { return platformName(c.Platform) }

// Money returns the value for people; empty if there is none.
func (c card) Money() string { return money(c.Value, c.Currency) }

// Heat returns the temperature in lower case, for its class and its word.
func (c card) Heat() string { return strings.ToLower(string(c.Temperature)) }

// Flame returns the icon of the temperature.
func (c card) Flame() string {
	return map[lead.Temperature]string{
		lead.TemperatureHot: "flame", lead.TemperatureWarm: "thermometer", lead.TemperatureCold: "snowflake",
	}[c.Temperature]
}

func cardOf(v *frame.Visit, l lead.Lead, owners map[ident.User]string) card {
	c := card{Lead: l, Href: v.Path(path + "/" + l.ID.String()), Owner: owners[l.OwnerID]}
	if l.OwnerID == v.Principal.Person.ID && !l.OwnerID.IsZero() {
		c.Owner = "You"
	}
	if l.FollowUpAt.IsZero() || !l.Stage.Open() {
		return c
	}
	now, at := v.Now(), l.FollowUpAt.In(v.Zone())
	c.Late = l.Overdue(now)
	switch today := frame.Today(l.FollowUpAt, now); {
	case c.Late && today:
		c.Follow = "was due " + at.Format("15:04")
	case c.Late:
		c.Follow = "was due " + dayOf(at, now, "Mon 2 Jan")
	case today:
		c.Follow = "today " + at.Format("15:04")
	default:
		c.Follow = dayOf(at, now, "2 Jan")
	}
	return c
}

// dayOf returns a day, with its year if it is not of this one.
func dayOf(at, now time.Time, layout string) string {
	if at.Year() != now.Year() {
		layout += " 2006"
	}
	return at.Format(layout)
}

// names returns the names of members by their IDs.
func names(owners []app.Assignee) map[ident.User]string {
	byID := make(map[ident.User]string, len(owners))
	for _, o := range owners {
		byID[o.ID] = o.Name
	}
	return byID
}

// networkOf returns the network of a platform; the platform itself if the service knows no such network.
func networkOf(p lead.Platform) string {
	for _, t := range channel.Types() {
		if p != "" && strings.HasPrefix(string(t), string(p)) {
			return string(t.Network())
		}
	}
	return strings.ToLower(string(p))
}

// platformName returns the name of a platform for people.
func platformName(p lead.Platform) string {
	for _, t := range channel.Types() {
		if p != "" && strings.HasPrefix(string(t), string(p)) {
			return t.Network().Name()
		}
	}
	return frame.Words(p)
}

// money returns an amount with its currency for people.
func money(value lead.Amount, currency string) string {
	if value == "" {
		return ""
	}
	if sign := map[string]string{"EUR": "€", "USD": "$", "GBP": "£"}[currency]; sign != "" {
		return sign + value.Grouped()
	}
	return currency + " " + value.Grouped()
}

// sumsOf returns the number of leads of stages, and the sums of their values, each currency by itself.
func sumsOf(all []postgres.StageSum, of func(lead.Stage) bool) (count int, text string) {
	var order []string
	sums := make(map[string][]lead.Amount)
	for _, s := range all {
		if !of(s.Stage) {
			continue
		}
		count += s.Count
		if s.Currency == "" || s.Sum == "" {
			continue
		}
		if sums[s.Currency] == nil {
			order = append(order, s.Currency)
		}
		sums[s.Currency] = append(sums[s.Currency], s.Sum)
	}
	texts := make([]string, 0, len(order))
	for _, currency := range order {
		texts = append(texts, money(lead.Add(sums[currency]...), currency))
	}
	return count, strings.Join(texts, ", ")
}
