package programs

import (
	"net/http"
	"net/url"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type consent struct {
	authorizations *authserver.Server
	toolsURL       string
}

// routes returns the page on which a user decides about the access of a program.
func (c *consent) routes() []frame.Route {
	return []frame.Route{
		{Pattern: "GET " + frame.PathConsent, Access: frame.SignedIn, Handle: c.show},
		{Pattern: "POST " + frame.PathConsent, Access: frame.SignedIn, Handle: c.decide},
	}
}

// choice is a workspace that the user can select.
type choice struct {
	ID      ident.Workspace
	Name    string
	Plan    string
	Checked bool
}

// page is the data of the template.
type page struct {
	Action      string // the address of the form
	Request     string // the request's handle, or the code of a device
	Program     string
	Host        string // host to which the authorization code goes
	Publisher   string // host that publishes the program's description; empty when its identity is unverified
	FirstParty  bool
	Local       bool // access goes to the user's own machine, to any program that listens there
	Tools       bool // for the tool server rather than the REST API
	Workspaces  []choice
	Permissions []Permission
	Error       string
	Device      *waiting // the device that requests access; nil: a program that opened the page
}

// show shows the program and the access that it requests.
func (c *consent) show(v *frame.Visit) error {
	return c.page(v, v.Query("request"), http.StatusOK, "")
}

func (c *consent) page(v *frame.Visit, handle string, status int, fault string) error {
	requested, err := c.authorizations.Requested(v.Request.Context(), handle)
	if decided(v, err) {
		return nil
	}
	if err != nil {
		return err
	}
	data := c.describe(requested.Client, requested.Request.Resource, requested.Request.Scopes)
	data.Action, data.Request, data.Error = frame.PathConsent, handle, fault
	data.Host, data.Local = requested.Request.Host(), requested.Request.Local()
	v.AllowForms("'self' " + onwardFrom(requested.Request.RedirectURI))
	return c.write(v, data, status)
}

// describe returns what the page says of a client and of what it requests.
func (c *consent) describe(client oauth.Client, resource string, scopes []credential.Scope) page {
	data := page{
		Program: client.Title(), FirstParty: client.Kind == oauth.FirstParty, Tools: resource == c.toolsURL, Permissions: Describe(scopes),
	}
	if client.Kind == oauth.Published {
		data.Publisher = client.Host()
	}
	return data
}

// write writes the page with the workspaces of the person.
func (c *consent) write(v *frame.Visit, data page, status int) error {
	memberships, err := v.Memberships()
	if err != nil {
		return err
	}
	if len(memberships) == 0 {
		v.Say(http.StatusForbidden, "No workspace",
			"You are not a member of a workspace. Ask the operator of your workspace to add you.")
		return nil
	}
	for _, m := range memberships {
		data.Workspaces = append(data.Workspaces, choice{
			ID: m.Workspace.ID, Name: m.Workspace.Name, Plan: frame.Words(m.Workspace.Plan) + " plan",
			Checked: len(memberships) == 1,
		})
	}
	return v.Page(frame.Page{
		Name: "programs/consent", Title: data.Program + " requests access", Status: status, Bare: true, Data: data,
	})
}

// onwardFrom returns the form-action sources that the redirect after the decision may lead to. Browsers check every
// redirect after a form submission against form-action, and a program may redirect to another site of its own. The only
// IP address that a source can name is 127.0.0.1 (Content Security Policy Level 3, section 6.7.2.8).
func onwardFrom(redirect string) string {
	u, err := url.Parse(redirect)
	switch {
	case err != nil || u.Scheme != "http":
		return "https:"
	case u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1":
		return "https: http://" + u.Host
	default:
		return "https: http:"
	}
}

// decided responds if the authorization request is no longer pending, and reports whether it did.
func decided(v *frame.Visit, err error) bool {
	if !apperr.Is(err, apperr.NotFound) {
		return false
	}
	v.Say(http.StatusGone, "Request expired",
		"The request was already decided or has expired. Start again from the program.")
	return true
}

// decide applies the user's decision and redirects the browser to the program.
func (c *consent) decide(v *frame.Visit) error {
	handle := v.Form("request")
	var back *url.URL
	var err error
	switch v.Form("decision") {
	case "deny":
		back, err = c.authorizations.Deny(v.Request.Context(), handle)
	case "allow":
		var fault string
		if back, fault, err = c.allow(v, handle); fault != "" {
			return c.page(v, handle, http.StatusUnprocessableEntity, fault)
		}
	default:
		return c.page(v, handle, http.StatusUnprocessableEntity, "Choose Allow or Cancel.")
	}
	if decided(v, err) {
		return nil
	}
	if err != nil {
		return err
	}
	// Never 307, which would repeat the form submission there.
	http.Redirect(v.Out, v.Request, back.String(), http.StatusSeeOther)
	return nil
}

func (c *consent) allow(v *frame.Visit, handle string) (back *url.URL, fault string, err error) {
	fault, err = c.granted(v, func(d authserver.Decision) error {
		back, err = c.authorizations.Allow(v.Request.Context(), handle, d)
		return err
	})
	return back, fault, err
}

// granted applies the decision of the form. A fault is for the person, who decides again.
func (c *consent) granted(v *frame.Visit, apply func(d authserver.Decision) error) (fault string, err error) {
	workspace, err := ident.Parse[ident.Workspace](v.Form("workspace"))
	if err != nil {
		return "Choose a workspace.", nil //nolint:nilerr // shown to the user
	}
	scopes := make([]credential.Scope, len(v.Fields()["scope"]))
	for i, name := range v.Fields()["scope"] {
		scopes[i] = credential.Scope(name)
	}
	if len(scopes) == 0 {
		return "Allow at least one permission, or cancel.", nil
	}
	err = apply(authserver.Decision{UserID: v.User.ID, WorkspaceID: workspace, Scopes: scopes})
	switch {
	case apperr.Is(err, apperr.ValidationFailed):
		return "The permissions differ from the requested ones.", nil
	case apperr.Is(err, apperr.InsufficientScope):
		return c.beyond(v, workspace, scopes), nil
	default:
		return "", err
	}
}

// beyond names the permissions that the user's role in the workspace does not have.
func (c *consent) beyond(v *frame.Visit, workspace ident.Workspace, scopes []credential.Scope) string {
	memberships, _ := v.Memberships() // read before
	var missing []string
	for _, m := range memberships {
		for _, scope := range scopes {
			if m.Workspace.ID == workspace && !m.Role.Allows(scope) {
				missing = append(missing, string(scope))
			}
		}
	}
	return "Your role in this workspace does not have these permissions, so you cannot allow them: " +
		strings.Join(missing, ", ") + "."
}
