package settings

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/channels"
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
)

// applicationItem is an application at a network, as the page shows it.
type applicationItem struct {
	app.RegisteredApplication

	Networks    string
	Marks       []channel.Network
	Guide       string // the way whose guide explains it
	Redirects   []string
	Tone, State string
	Check       *app.Check
	Faults      map[string]string
	ID          string // as entered
}

// Fixed reports that the environment sets both values.
func (i applicationItem) Fixed() bool {
	return i.RegisteredApplication.ID.InEnvironment && i.Secret.InEnvironment
}

// Removable reports that there is a stored value.
func (i applicationItem) Removable() bool {
	return i.RegisteredApplication.ID.IsStored || i.Secret.IsStored
}

// applicationsPage is the data of the page of the applications at networks.
type applicationsPage struct {
	Items    []applicationItem
	Operator bool
}

func itemOf(a app.RegisteredApplication) applicationItem {
	item := applicationItem{RegisteredApplication: a}
	var names []string
	for _, way := range a.Methods {
		if name := way.Type.Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
		if network := way.Type.Network(); !slices.Contains(item.Marks, network) {
			item.Marks = append(item.Marks, network)
		}
		item.Guide = cmp.Or(item.Guide, channels.Slug(way.Type, way.Variant))
		if !slices.Contains(item.Redirects, way.Redirect) {
			item.Redirects = append(item.Redirects, way.Redirect)
		}
	}
	item.Networks = strings.Join(names, ", ")
	switch {
	case a.ID.IsSet() && a.Secret.IsSet():
		item.Tone, item.State = "good", "Ready"
	case a.Works && !a.ID.IsSet() && !a.Secret.IsSet() && a.Instead == "":
		item.Tone, item.State = "good", "Ready (sandbox)"
	case a.ID.IsSet() || a.Secret.IsSet():
		item.Tone, item.State = "warn", "Incomplete"
	case a.Instead != "":
		item.State = "Uses " + a.Instead
	default:
		item.State = "Not set up"
	}
	return item
}

func (s *settings) applications(v *frame.Visit) error {
	return s.applicationsPage(v, http.StatusOK, "", func(*applicationItem) {})
}

// applicationsPage shows the page, with changes of the item of one application.
func (s *settings) applicationsPage(v *frame.Visit, status int, id string, change func(*applicationItem)) error {
	ctx := v.Request.Context()
	list, err := s.networks.List(ctx, v.Principal)
	if err != nil {
		return err
	}
	var page applicationsPage
	if page.Operator, err = s.networks.IsOperator(ctx, v.Principal); err != nil {
		return err
	}
	for _, one := range list {
		item := itemOf(one)
		if one.ID.Name == id {
			change(&item)
		}
		page.Items = append(page.Items, item)
	}
	return v.Page(frame.Page{
		Name: "settings/networks", Title: "Networks", Status: status, Tabs: Tabs("Networks"), Data: page,
	})
}

func (s *settings) setApplication(v *frame.Visit) error {
	name, id := v.Request.PathValue("application"), v.Form("id")
	err := s.networks.Set(v.Request.Context(), v.Principal, name, id, v.Form("secret"))
	if faults, ok := frame.Faults(err); ok {
		return s.applicationsPage(v, http.StatusUnprocessableEntity, name, func(item *applicationItem) {
			item.Faults, item.ID = faults, id
		})
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path("/settings/networks"), "Saved. It works within 15 seconds.")
}

func (s *settings) removeApplication(v *frame.Visit) error {
	if err := s.networks.Remove(v.Request.Context(), v.Principal, v.Request.PathValue("application")); err != nil {
		return err
	}
	return v.Done(v.Path("/settings/networks"), "Deleted.")
}

func (s *settings) checkApplication(v *frame.Visit) error {
	name := v.Request.PathValue("application")
	check, err := s.networks.Check(v.Request.Context(), v.Principal, name)
	if err != nil {
		return err
	}
	return s.applicationsPage(v, http.StatusOK, name, func(item *applicationItem) { item.Check = &check })
}

// checkIcon returns the icon of the result of a check.
func checkIcon(verdict app.Verdict) string {
	if verdict == app.VerdictAccepted {
		return "circle-check"
	}
	return "triangle-alert"
}
