package channels

import (
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/network"
)

// attemptsShown is the number of attempts to connect in the list.
const attemptsShown = 10

// method is a way to connect accounts, as pages show it.
type method struct {
	app.Method

	Slug, Title, Text string
	Variables         []variable
}

// variable is a configuration variable of an application.
type variable struct{ Name string }

// Slug returns the way's part of an address. The usual variant of a type may be empty.
func Slug(t channel.Type, v channel.Variant) string {
	text := strings.ToLower(string(t))
	if kinds := variants(t); v == "" && len(kinds) > 0 {
		v = kinds[0]
	}
	if v != "" {
		text += "-" + string(v)
	}
	return strings.ReplaceAll(text, "_", "-")
}

func accountOf(t channel.Type) network.Account { return connectors.Of(t.Network()).Account(t) }

// variants returns the ways in which accounts of a type are connected.
func variants(t channel.Type) []channel.Variant { return accountOf(t).VariantIDs() }

// methods lists what this build can connect, those that the operator has configured first.
func (c *channels) methods() []method {
	var list []method
	for _, one := range c.connections.Methods(variants) {
		w := method{Method: one, Slug: Slug(one.Type, one.Variant)}
		w.Title, w.Text = accountOf(one.Type).Describe(one.Variant)
		declared := connectors.Of(one.Type.Network())
		if application, ok := applicationOf(declared, one); ok {
			for _, name := range []string{application.ID, application.Secret} {
				w.Variables = append(w.Variables, variable{Name: name})
			}
		}
		list = append(list, w)
	}
	slices.SortStableFunc(list, func(a, b method) int {
		switch {
		case a.Configured == b.Configured:
			return strings.Compare(a.Title, b.Title)
		case a.Configured:
			return -1
		default:
			return 1
		}
	})
	return list
}

// applicationOf returns the application with which the way connects accounts; false if it needs none.
func applicationOf(declared network.Declaration, w app.Method) (network.Application, bool) {
	usual := w.Variant
	if kinds := declared.Account(w.Type).Variants; len(kinds) > 0 && kinds[0].ID == w.Variant {
		usual = ""
	}
	at := slices.IndexFunc(declared.Applications, func(a network.Application) bool {
		return slices.Contains(a.Types, w.Type) && (a.Variant == w.Variant || a.Variant == usual)
	})
	if at < 0 {
		return network.Application{}, false
	}
	return declared.Applications[at], true
}

// methodOf returns the way of the address; NOT_FOUND for another text.
func (c *channels) methodOf(v *frame.Visit) (method, error) {
	for _, w := range c.methods() {
		if w.Slug == v.Request.PathValue("way") {
			return w, nil
		}
	}
	return method{}, apperr.New(apperr.NotFound, "This page does not exist.")
}

// connectPage is the data of the list of networks.
type connectPage struct {
	Methods  []method
	Attempts []attemptItem
}

func (c *channels) networks(v *frame.Visit) error {
	attempts, err := c.connections.Attempts(v.Request.Context(), v.Principal, attemptsShown)
	if err != nil {
		return err
	}
	page := connectPage{Methods: c.methods()}
	for _, a := range attempts {
		page.Attempts = append(page.Attempts, itemOf(a))
	}
	return v.Page(frame.Page{Name: "channels/connect", Title: "Connect a channel", Data: page})
}

// startPage is the data of the page that starts an attempt.
type startPage struct {
	method

	Channel channel.Channel     // to reconnect; zero: another account
	Named   string              // server that the person entered
	Host    string              // of the channel's server
	Values  map[string]string   // of fields that are no secrets
	Failure channel.AttemptStep // of the attempt with the entered values
	Faults  map[string]string
}

// Action returns the form's path within the workspace.
func (p startPage) Action() string {
	if !p.Channel.ID.IsZero() {
		return "/channels/" + p.Channel.ID.String() + "/reconnect"
	}
	return "/connect/" + p.Slug
}

func (c *channels) method(v *frame.Visit) error {
	w, err := c.methodOf(v)
	if err != nil {
		return err
	}
	page := startPage{method: w}
	if w.Server != nil {
		page.Named = w.Server.Usual
	}
	return c.startPage(v, http.StatusOK, page)
}

func (c *channels) startPage(v *frame.Visit, status int, page startPage) error {
	v.AllowForms(c.targets) // the form leads to the network
	title := "Connect " + page.Title
	if !page.Channel.ID.IsZero() {
		title = "Reconnect " + page.Channel.Name
	}
	return v.Page(frame.Page{Name: "channels/start", Title: title, Status: status, Data: page})
}

func (c *channels) connect(v *frame.Visit) error {
	w, err := c.methodOf(v)
	if err != nil {
		return err
	}
	return c.start(v, startPage{method: w})
}

// start begins an attempt with the form of the page.
func (c *channels) start(v *frame.Visit, page startPage) error {
	in := app.BeginConnect{
		Session: v.Binding(), Type: page.Type, Variant: page.Variant, Channel: page.Channel.ID,
	}
	if len(page.Fields) > 0 {
		return c.enter(v, page, in)
	}
	if page.Server != nil && in.Channel.IsZero() {
		page.Named = v.Form(page.Server.Name)
		in.Server = page.Named
	}
	begun, address, err := c.connections.Begin(v.Request.Context(), v.Principal, in)
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		if !in.Channel.IsZero() { // without a field
			page.Failure.What, page.Faults = faults[page.Server.Name], nil
		}
		return c.startPage(v, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	if begun.Outcome.Final() {
		if page = page.refused(begun.Steps[len(begun.Steps)-1]); page.Faults != nil {
			return c.startPage(v, http.StatusUnprocessableEntity, page)
		}
		v.Redirect(v.Path("/attempts/" + begun.ID.String()))
		return nil
	}
	http.Redirect(v.Out, v.Request, address, http.StatusSeeOther)
	return nil
}

// enter makes an attempt with the values that the person entered.
func (c *channels) enter(v *frame.Visit, page startPage, in app.BeginConnect) error {
	values := make(map[string]string, len(page.Fields))
	page.Values = make(map[string]string, len(page.Fields))
	for _, field := range page.Fields {
		values[field.Name] = v.Form("field-" + field.Name) // a form has a token of its own
		if !field.Secret {
			page.Values[field.Name] = values[field.Name]
		}
	}
	created, err := c.connections.Enter(v.Request.Context(), v.Principal, in, values)
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		return c.startPage(v, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	if created.Outcome == channel.AttemptFailed {
		return c.startPage(v, http.StatusUnprocessableEntity, page.refused(created.Steps[len(created.Steps)-1]))
	}
	return c.arrived(v, created)
}

// refused returns the page with the failure of an attempt at the field whose value caused it, or above the form.
func (p startPage) refused(last channel.AttemptStep) startPage {
	p.Failure = last
	fields := p.Fields
	if p.Server != nil && p.Channel.ID.IsZero() {
		fields = append(slices.Clone(fields), *p.Server)
	}
	for _, field := range fields {
		if slices.Contains(field.Codes, last.Code) {
			p.Faults = map[string]string{field.Name: last.What}
		}
	}
	return p
}

// reconnection returns the page of the channel in the address.
func (c *channels) reconnection(v *frame.Visit) (startPage, error) {
	id, err := frame.PathID(v, "channel", ident.Parse[ident.Channel])
	if err != nil {
		return startPage{}, err
	}
	found, err := c.app.Channel(v.Request.Context(), v.Principal, id)
	if err != nil {
		return startPage{}, err
	}
	variant, server, err := c.connections.Held(v.Request.Context(), v.Principal, id)
	if err != nil {
		return startPage{}, err
	}
	_, host, _ := strings.Cut(server, "://")
	page := startPage{Channel: found, Host: host}
	for _, w := range c.methods() {
		if w.Type == found.Type && (page.Slug == "" || w.Variant == variant) {
			page.method = w
		}
	}
	if page.Slug == "" {
		return startPage{}, apperr.New(apperr.InvalidState, "This version of the service cannot connect accounts of the type %s.",
			found.Type)
	}
	return page, nil
}

func (c *channels) reconnectPage(v *frame.Visit) error {
	page, err := c.reconnection(v)
	if err != nil {
		return err
	}
	return c.startPage(v, http.StatusOK, page)
}

func (c *channels) reconnect(v *frame.Visit) error {
	if v.Workspace.IsTest() {
		return c.reconnectTest(v)
	}
	page, err := c.reconnection(v)
	if err != nil {
		return err
	}
	return c.start(v, page)
}

// reconnectTest restores the connection of a test channel, which has no network to ask.
func (c *channels) reconnectTest(v *frame.Visit) error {
	id, err := frame.PathID(v, "channel", ident.Parse[ident.Channel])
	if err != nil {
		return err
	}
	of, err := c.connections.ReconnectTest(v.Request.Context(), v.Principal, id)
	if err != nil {
		return err
	}
	return v.Done(v.Path("/channels/"+id.String()), of.Name+" is connected again.")
}

// callback receives the person from the network. It continues at an address without the code.
func (c *channels) callback(v *frame.Visit) error {
	ctx := v.Request.Context()
	state := v.Query("state")
	workspace, err := c.connections.Owner(ctx, v.Binding(), state)
	if err == nil {
		err = v.Within(workspace)
	}
	var a channel.Attempt
	if err == nil {
		a, err = c.connections.Finish(ctx, v.Principal, v.Binding(), app.Returned{
			Network: channel.Network(v.Request.PathValue("network")), Server: v.Request.PathValue("server"), State: state,
			Code: v.Query("code"), Error: v.Query("error"), Description: v.Query("error_description"),
		})
	}
	if apperr.Is(err, apperr.NotFound) {
		v.Message(http.StatusGone, "This attempt to connect is over",
			"It was started in another browser or session, more than ten minutes ago, or it was finished already. Nothing was "+
				"changed. Connect the account again.", frame.Link{Text: "Go to the start page", Path: "/"})
		return nil
	}
	if err != nil {
		return err
	}
	return c.arrived(v, a)
}

// arrived continues after the network has responded.
func (c *channels) arrived(v *frame.Visit, a channel.Attempt) error {
	if a.Outcome == channel.AttemptConnected {
		return v.Done(v.Path("/channels/"+a.ChannelID.String()), a.Steps[len(a.Steps)-1].What+
			" Posts that waited for it are published now.")
	}
	v.Redirect(v.Path("/attempts/" + a.ID.String()))
	return nil
}

// inputType returns the type of a field's input.
func inputType(f platform.Field) string {
	if f.Secret {
		return "password"
	}
	return "text"
}
