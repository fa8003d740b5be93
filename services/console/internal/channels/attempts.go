package channels

import (
	"errors"
	"fmt"
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// attemptItem is an attempt to connect, in plain words.
type attemptItem struct {
	channel.Attempt

	Way, Slug, Tone, State, By string
}

func itemOf(a channel.Attempt) attemptItem {
	item := attemptItem{Attempt: a, Slug: Slug(a.Type, a.Variant), By: frame.Actor(post.Actor(a.Actor))}
	item.Way, _ = accountOf(a.Type).Describe(a.Variant)
	switch a.Outcome {
	case channel.AttemptOpen:
		item.Tone, item.State = "info", "Not finished"
	case channel.AttemptPicking:
		item.Tone, item.State = "info", "Choose accounts"
	case channel.AttemptConnected:
		item.Tone, item.State = "good", "Connected"
	case channel.AttemptDenied:
		item.Tone, item.State = "warn", "Declined"
	case channel.AttemptFailed:
		item.Tone, item.State = "bad", "Failed"
	}
	return item
}

// account is an account to choose.
type account struct {
	channel.Candidate

	Known   bool // the workspace has a channel of the account, which is reconnected
	Checked bool
	Value   *platform.Field // that the person enters to register the account; nil: it is registered
	Fault   string          // of that value
}

// attemptPage is the data of the page of an attempt.
type attemptPage struct {
	attemptItem

	Channel  channel.Channel // that was to be reconnected; zero: none
	Over     bool            // without an outcome, and too late for one
	Last     channel.AttemptStep
	Accounts []account
	Again    string // path within the workspace
	Fault    string
}

func (c *channels) attempt(v *frame.Visit) error {
	return c.attemptPage(v, http.StatusOK, nil, "", nil)
}

// attemptPage shows an attempt; with faults of the values of accounts, by the accounts' IDs.
func (c *channels) attemptPage(
	v *frame.Visit, status int, chosen map[string]bool, fault string, faults map[string]string,
) error {
	id, err := frame.PathID(v, "attempt", ident.Parse[ident.Connect])
	if err != nil {
		return err
	}
	ctx := v.Request.Context()
	found, offers, err := c.connections.Attempt(ctx, v.Principal, v.Binding(), id)
	if err != nil {
		return err
	}
	page := attemptPage{
		attemptItem: itemOf(found), Again: "/connect/" + Slug(found.Type, found.Variant), Fault: fault,
		Over: !found.Outcome.Final() && !c.clock.Now().Before(found.ExpiresAt),
	}
	if !found.ChannelID.IsZero() {
		page.Again = "/channels/" + found.ChannelID.String() + "/reconnect"
		if page.Channel, err = c.app.Channel(ctx, v.Principal, found.ChannelID); err != nil {
			return err
		}
	}
	if n := len(found.Steps); n > 0 {
		page.Last = found.Steps[n-1]
	}
	if found.Outcome == channel.AttemptPicking && !page.Over {
		known, err := c.app.Channels(ctx, v.Principal)
		if err != nil {
			return err
		}
		page.Accounts = accountsOf(offers, known, chosen)
		for i, one := range page.Accounts {
			if one.Needs && one.Problem == "" {
				page.Accounts[i].Value, page.Accounts[i].Fault = c.connections.RegistrationField(found.Type), faults[one.ExternalID]
			}
		}
	}
	return v.Page(frame.Page{Name: "channels/attempt", Title: page.heading(), Status: status, Data: page})
}

// heading says how the attempt ended.
func (p attemptPage) heading() string {
	name := p.Type.Network().Name()
	if p.Channel.Name != "" {
		return p.again()
	}
	switch {
	case p.Over:
		return "This attempt to connect is over"
	case p.Outcome == channel.AttemptOpen:
		return "Continue at " + name
	case p.Outcome == channel.AttemptPicking:
		return "Choose the accounts to connect"
	case p.Outcome == channel.AttemptConnected:
		return name + " is connected"
	default:
		return name + " was not connected"
	}
}

// again is heading for an attempt to reconnect a channel.
func (p attemptPage) again() string {
	switch {
	case p.Over:
		return "Reconnecting " + p.Channel.Name + " took too long"
	case p.Outcome == channel.AttemptOpen:
		return "Continue at " + p.Type.Network().Name()
	case p.Outcome == channel.AttemptPicking:
		return "Choose the accounts to connect"
	case p.Outcome == channel.AttemptConnected:
		return p.Channel.Name + " is reconnected"
	default:
		return p.Channel.Name + " was not reconnected"
	}
}

// Submit returns the text of the button for the accounts that are checked.
func (p attemptPage) Submit() string {
	checked := 0
	for _, a := range p.Accounts {
		if a.Checked {
			checked++
		}
	}
	switch checked {
	case 0:
		return "Connect accounts"
	case 1:
		return "Connect 1 account"
	default:
		return fmt.Sprintf("Connect %d accounts", checked)
	}
}

// accountsOf marks the accounts that the workspace has already. The only account to choose is ticked.
func accountsOf(offers []channel.Candidate, known []channel.Channel, chosen map[string]bool) []account {
	accounts := make([]account, len(offers))
	usable := 0
	for i, offer := range offers {
		accounts[i] = account{Candidate: offer, Checked: chosen[offer.ExternalID]}
		for _, c := range known {
			accounts[i].Known = accounts[i].Known || c.Type == offer.Type && c.ExternalID == offer.ExternalID
		}
		if offer.Problem == "" {
			usable++
		}
	}
	for i := range accounts {
		accounts[i].Checked = accounts[i].Checked || usable == 1 && accounts[i].Problem == ""
	}
	return accounts
}

func (c *channels) pick(v *frame.Visit) error {
	id, err := frame.PathID(v, "attempt", ident.Parse[ident.Connect])
	if err != nil {
		return err
	}
	picked := v.Fields()["account"]
	chosen := make(map[string]bool, len(picked))
	for _, one := range picked {
		chosen[one] = true
	}
	values := make(map[string]string, len(picked))
	for _, one := range picked {
		values[one] = v.Form("value-" + one)
	}
	err = c.connections.Register(v.Request.Context(), v.Principal, v.Binding(), id, picked, values)
	if faults, ok := frame.Faults(err); ok {
		return c.attemptPage(v, http.StatusUnprocessableEntity, chosen, "", faults)
	}
	if err != nil {
		return err
	}
	created, err := c.connections.Pick(v.Request.Context(), v.Principal, v.Binding(), id, picked)
	if faults, ok := frame.Faults(err); ok {
		fault := "Choose at least one account."
		if len(picked) > 0 {
			fault = faults["accounts"]
		}
		return c.attemptPage(v, http.StatusUnprocessableEntity, chosen, fault, nil)
	}
	if known, is := errors.AsType[*apperr.Error](err); is && known.Code == apperr.QuotaExceeded {
		return c.attemptPage(v, http.StatusForbidden, chosen, known.Message, nil)
	}
	if err != nil {
		return err
	}
	if inbox.Window(created[0].Type) > 0 && len(created) == 1 { // its page says whether the network reports
		return v.Done(v.Path("/channels/"+created[0].ID.String()), created[0].Name+" connected.")
	}
	notice := created[0].Name + " connected."
	if len(created) > 1 {
		notice = fmt.Sprintf("%d channels connected.", len(created))
	}
	return v.Done(v.Path("/channels"), notice)
}
