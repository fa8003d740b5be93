package channels

import (
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

// ofInbox holds the facts of its inbox that the page of a channel shows.
type ofInbox struct {
	app.ChannelInbox

	Tone, Title, Text string // of the state of the reports
	Waits             bool   // the page looks again by itself
	Months            []month
}

// month has the answers of a month by category.
type month struct {
	Name string
	Rows []costRow
}

type costRow struct {
	Category     string
	Billed, Free int
}

func (c *channels) ofInbox(v *frame.Visit, of channel.Channel) (*ofInbox, error) {
	found, err := c.inbox.OfChannel(v.Request.Context(), v.Principal, of)
	if err != nil || found == nil {
		return nil, err
	}
	out := &ofInbox{ChannelInbox: *found, Months: monthsOf(*found)}
	name := of.Type.Network().Name()
	switch {
	case !of.Ready() || of.IsTest:
		out.Title, out.Text = "Not checked", "Messages are received while the channel is connected."
	case found.CheckedAt.IsZero():
		out.Tone, out.Title, out.Waits = "info", "Waiting for "+name, true
		out.Text = "We are asking " + name + " to report messages to us. This takes a few seconds."
	case found.Fault != "":
		out.Tone, out.Title, out.Text, out.Waits = "bad", "Messages may not arrive", found.Fault, true
	case found.EventAt.IsZero():
		out.Tone, out.Title, out.Waits = "info", "Ready for the first message", true
		out.Text = name + " reports to us. Write to " + of.Name + " from another account to see it work."
	default:
		out.Tone, out.Title = "good", "Messages arrive"
	}
	return out, nil
}

// monthsOf returns the numbers of answers, newest month first.
func monthsOf(found app.ChannelInbox) (months []month) {
	for _, cost := range found.Costs {
		name := cost.Month.Format("January 2006")
		if len(months) == 0 || months[len(months)-1].Name != name {
			months = append(months, month{Name: name})
		}
		last := &months[len(months)-1]
		if n := len(last.Rows); n == 0 || last.Rows[n-1].Category != category(cost.Category) {
			last.Rows = append(last.Rows, costRow{Category: category(cost.Category)})
		}
		row := &last.Rows[len(last.Rows)-1]
		if cost.Billed {
			row.Billed += cost.N
		} else {
			row.Free += cost.N
		}
	}
	return months
}

// category returns a category of a price list in words.
func category(of string) string { return frame.Words(of) }

// receipts decides whether people see that their conversation was opened.
func (c *channels) receipts(v *frame.Visit) error {
	id, err := frame.PathID(v, "channel", ident.Parse[ident.Channel])
	if err != nil {
		return err
	}
	reads := v.Form("reads") != ""
	if err := c.inbox.SetReadsOnOpen(v.Request.Context(), v.Principal, id, reads); err != nil {
		return err
	}
	notice := "People see that you have read a message only once you answer."
	if reads {
		notice = "People see that you have read a message once you open it."
	}
	return v.Done(v.Path("/channels/"+id.String()), notice)
}

// publicInbox turns the inbox of what people write in public to a channel on or off.
func (c *channels) publicInbox(v *frame.Visit) error {
	id, err := frame.PathID(v, "channel", ident.Parse[ident.Channel])
	if err != nil {
		return err
	}
	on := v.Form("on") != ""
	if err := c.inbox.SetPublicInbox(v.Request.Context(), v.Principal, id, on); err != nil {
		return err
	}
	notice := "Comments no longer arrive in the inbox."
	if on {
		notice = "Comments arrive in the inbox."
	}
	return v.Done(v.Path("/channels/"+id.String()), notice)
}
