// Package channels serves the list of channels and the page of a channel: health, queue and posting schedule.
package channels

import (
	"embed"
	"html/template"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

type channels struct {
	app         *app.App
	connections *app.Connections
	inbox       *app.Inbox
	clock       clock.Clock
	targets     string // sources to which forms may lead, besides the application
}

// Feature returns the pages. The sandbox is the origin of a network for development, if there is one.
func Feature(
	a *app.App, connections *app.Connections, conversations *app.Inbox, clk clock.Clock, sandbox string,
) frame.Feature {
	c := &channels{
		app: a, connections: connections, inbox: conversations, clock: clk, targets: strings.TrimSpace("'self' https: " + sandbox),
	}
	route := func(pattern string, needs credential.Permission, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	return frame.Feature{
		Name: "channels", Templates: templates,
		Section:   &frame.Section{Title: "Channels", Path: "/channels", Icon: "radio", Key: "h", Counts: counts},
		Functions: template.FuncMap{"inputType": inputType},
		Routes: append(append(c.connecting(), c.pictureRoutes()...),
			route("GET /w/{workspace}/channels", "", c.list),
			route("GET /w/{workspace}/channels/{channel}", "", c.show),
			route("POST /w/{workspace}/channels/{channel}/pause", credential.PostsPublish, c.pause),
			route("POST /w/{workspace}/channels/{channel}/resume", credential.PostsPublish, c.resume),
			route("POST /w/{workspace}/channels/{channel}/inbox", credential.ChannelsConnect, c.publicInbox),
			route("POST /w/{workspace}/channels/{channel}/schedule", credential.PostsPublish, c.schedule),
			route("POST /w/{workspace}/channels/{channel}/receipts", credential.InboxManage, c.receipts),
		),
	}
}

// connecting returns the routes on which accounts are connected and disconnected.
func (c *channels) connecting() []frame.Route {
	route := func(pattern string, slow bool, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{
			Pattern: pattern, Access: frame.Members, Needs: credential.ChannelsConnect, Slow: slow, Handle: handle,
		}
	}
	live := func(r frame.Route) frame.Route {
		r.Live = true
		return r
	}
	back := func(pattern string) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.SignedIn, Slow: true, Handle: c.callback}
	}
	return []frame.Route{
		live(route("GET /w/{workspace}/connect", false, c.networks)),
		live(route("GET /w/{workspace}/connect/{way}", false, c.method)),
		live(route("POST /w/{workspace}/connect/{way}", true, c.connect)),
		live(route("GET /w/{workspace}/connect/{way}/guide", false, c.guide)),
		route("GET /w/{workspace}/attempts/{attempt}", false, c.attempt),
		route("POST /w/{workspace}/attempts/{attempt}", false, c.pick),
		live(route("GET /w/{workspace}/channels/{channel}/reconnect", false, c.reconnectPage)),
		route("POST /w/{workspace}/channels/{channel}/reconnect", true, c.reconnect),
		route("GET /w/{workspace}/channels/{channel}/disconnect", false, c.disconnectPage),
		route("POST /w/{workspace}/channels/{channel}/disconnect", true, c.disconnect),
		// A network may ask for an address that ends in a slash.
		back("GET /connect/{network}/callback"), back("GET /connect/{network}/callback/{$}"),
		back("GET /connect/{network}/callback/{server}"),
	}
}

// counts returns the channels that wait for a person.
func counts(waiting postgres.Attention, _ app.Principal) []frame.Count {
	return []frame.Count{{N: waiting.Reconnect, Tone: "person", What: "to reconnect"}}
}

// health is the state of a channel in plain words.
type health struct {
	Tone, Text string
	Advice     string // empty if there is nothing to do
}

func healthOf(c channel.Channel) health {
	switch {
	case !c.IsConnected:
		return health{"warn", "Disconnected", "Reconnect the channel to publish to it."}
	case c.TokenStatus == channel.TokenNeedsReconnect:
		return health{
			"bad", "Reconnect needed",
			c.Type.Network().Name() + " no longer accepts our access. Reconnect the channel to publish again.",
		}
	case c.TokenStatus == channel.TokenExpiring:
		return health{
			"warn", "Access ends soon",
			"Our access ends within 7 days. Reconnect the channel before then.",
		}
	case !c.Type.Capabilities().Publish:
		return health{"", "Connected, not for publishing", c.Type.Network().Name() + " lets no program publish to this kind of account."}
	default:
		return health{"good", "Healthy", ""}
	}
}

func (c *channels) list(v *frame.Visit) error {
	found, err := c.app.Channels(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	cards, err := c.cards(v, found...)
	if err != nil {
		return err
	}
	list, err := c.faced(v, cards)
	if err != nil {
		return err
	}
	return v.Page(frame.Page{Name: "channels/list", Title: "Channels", Data: list})
}

// day is a weekday with its slots.
type day struct {
	Name  string
	Value string // as in forms
	Slots []slot.Text
}

// showPage is the data of a channel's page.
type showPage struct {
	card

	Avatar    string
	NextAt    time.Time
	Days      []day
	SlotCount int
	Kits      []kit
	History   []noteLine
	Inbox     *ofInbox // nil: it has none, or the visitor may not read it
	Late      int      // posts that became due while the channel is paused, which Resume decides about
	Fault     string
	TimeFault string // of the new time
	ZoneFault string
	Public    app.PublicInbox
}

func (c *channels) show(v *frame.Visit) error { return c.pageWith(v, http.StatusOK, nil) }

// pageWith shows the page of the channel in the address, with changes.
func (c *channels) pageWith(v *frame.Visit, status int, change func(*showPage)) error {
	id, err := frame.PathID(v, "channel", ident.Parse[ident.Channel])
	if err != nil {
		return err
	}
	found, err := c.app.ChannelSchedule(v.Request.Context(), v.Principal, id)
	if err != nil {
		return err
	}
	cards, err := c.cards(v, found.Channel)
	if err != nil {
		return err
	}
	page := showPage{
		card: cards[0], NextAt: found.NextAt(), Days: week(found.Slots),
		SlotCount: len(found.Slots),
	}
	if change != nil {
		change(&page)
	}
	if page.IsQueuePaused && !page.PublishingStopped { // otherwise they wait further
		pauses, err := c.app.Pauses(v.Request.Context(), v.Principal)
		if err != nil {
			return err
		}
		page.Late = pauses.Late[id]
	}
	list, err := c.faced(v, cards)
	if err != nil {
		return err
	}
	page.Avatar = list[0].Avatar
	if page.Public, err = c.inbox.PublicInbox(v.Request.Context(), v.Principal, found.Channel); err != nil {
		return err
	}
	if page.Kits, err = c.kits(v, id); err != nil {
		return err
	}
	notes, err := c.app.ChannelHistory(v.Request.Context(), v.Principal, id)
	if err != nil {
		return err
	}
	page.History = linesOf(notes)
	if page.Inbox, err = c.ofInbox(v, found.Channel); err != nil {
		return err
	}
	return v.Page(frame.Page{Name: "channels/show", Title: found.Channel.Name, Status: status, Scripts: []string{"zone.js"}, Data: page})
}

// week returns the slots by weekday, starting on Monday.
func week(slots []slot.Slot) []day {
	days := make([]day, 7)
	for i := range days {
		weekday := time.Weekday((i + 1) % 7)
		days[i] = day{Name: weekday.String(), Value: strings.ToUpper(weekday.String())}
		for _, s := range slots {
			if s.Weekday == weekday {
				days[i].Slots = append(days[i].Slots, s.Text())
			}
		}
	}
	return days
}

// schedule stores the slots that are ticked, and the new ones: one time on each chosen weekday.
func (c *channels) schedule(v *frame.Visit) error {
	id, err := frame.PathID(v, "channel", ident.Parse[ident.Channel])
	if err != nil {
		return err
	}
	slots, fault := slotsOf(v)
	if fault != "" {
		return c.pageWith(v, http.StatusUnprocessableEntity, func(p *showPage) { p.TimeFault = fault })
	}
	if v.Fields().Has("timezone") { // the form of an earlier version has none
		err := c.app.SetChannelTimezone(v.Request.Context(), v.Principal, id, v.Form("timezone"))
		if faults, ok := frame.Faults(err); ok {
			return c.pageWith(v, http.StatusUnprocessableEntity, func(p *showPage) { p.ZoneFault = faults["timezone"] })
		}
		if err != nil {
			return err
		}
	}
	err = c.app.SetSchedule(v.Request.Context(), v.Principal, id, slots)
	if faults, ok := frame.Faults(err); ok {
		return c.pageWith(v, http.StatusUnprocessableEntity, func(p *showPage) { p.Fault = faults["slots"] })
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path("/channels/"+id.String()), "Schedule saved.")
}

// slotsOf reads the slots of the form, without duplicates.
func slotsOf(v *frame.Visit) (slots []slot.Slot, fault string) {
	form := v.Fields()
	texts := make([]slot.Text, 0, len(form["slot"])+7)
	for _, kept := range form["slot"] {
		weekday, at, _ := strings.Cut(kept, " ")
		texts = append(texts, slot.Text{Weekday: weekday, Time: at})
	}
	switch at, days := v.Form("time"), len(form["weekday"]); {
	case at == "" && days > 0:
		return nil, "Choose a time."
	case at != "" && days == 0:
		return nil, "Choose at least one day."
	case at != "":
		for _, weekday := range form["weekday"] {
			texts = append(texts, slot.Text{Weekday: weekday, Time: at})
		}
	}
	seen := make(map[slot.Slot]bool)
	for _, text := range texts {
		parsed, faults := slot.Parse(text)
		if len(faults) > 0 {
			return nil, "Enter a time from 00:00 to 23:59."
		}
		if !seen[parsed] {
			seen[parsed] = true
			slots = append(slots, parsed)
		}
	}
	return slots, ""
}
